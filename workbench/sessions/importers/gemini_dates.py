"""The dates of Google's "My Activity" pages, written in the language of the account: ``17 de fev. de 2026, 15:08:20
BRT``, ``Feb 17, 2026, 3:08:20 PM EST``, ``18.04.2026, 17:38:51 MESZ``."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone

_LINE = re.compile(
    r"(?P<date>\S.{4,40}?),?\s(?P<hour>\d{1,2}):(?P<minute>\d{2}):(?P<second>\d{2})"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\b\.?)?(?:\s(?P<zone>\S{1,20}))?"
)
_NUMBERS = re.compile(r"(\d{1,4})\s?[./年-]\s?(\d{1,2})\s?[./月-]\s?(\d{1,4})日?")
_WORD = re.compile(r"[^\W\d_]{3,}")
_OFFSET = re.compile(r"(?:GMT|UTC)?\s?([+−-])(\d{1,2}):?(\d{2})?")
# By the first letters of their names in English, German, French, Spanish, Italian, Portuguese and Dutch.
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan gen ene",
            "feb fev fevr",
            "mar maa",
            "apr abr avr",
            "may mai mag mei",
            "jun juin giu",
            "jul juil lug",
            "aug ago aou",
            "sep set",
            "oct okt ott out",
            "nov",
            "dec dez dic",
        ),
        1,
    )
    for name in names.split()
}
# Hours before or after Greenwich of the zones that these pages abbreviate.
_ZONES = {
    **dict.fromkeys(("UTC", "GMT", "Z", "WET"), 0.0),
    **dict.fromkeys(("BST", "WEST", "CET", "MEZ"), 1.0),
    **dict.fromkeys(("CEST", "MESZ", "EET", "SAST"), 2.0),
    **dict.fromkeys(("EEST", "MSK"), 3.0),
    **dict.fromkeys(("SGT", "HKT", "AWST"), 8.0),
    **dict.fromkeys(("JST", "KST"), 9.0),
    **dict.fromkeys(("BRT", "ART"), -3.0),
    **dict.fromkeys(("AST", "EDT"), -4.0),
    **dict.fromkeys(("EST", "CDT"), -5.0),
    **dict.fromkeys(("CST", "MDT"), -6.0),
    **dict.fromkeys(("MST", "PDT"), -7.0),
    **dict.fromkeys(("PST", "AKDT"), -8.0),
    "IST": 5.5,
    "AEST": 10.0,
    "AEDT": 11.0,
    "NZST": 12.0,
    "NZDT": 13.0,
    "BRST": -2.0,
    "AKST": -9.0,
    "HST": -10.0,
}


def read(line: str) -> str | None:
    """A line that is a date as ISO 8601, else None.

    In UTC where its zone is known, else without a zone, as it stands there.
    """
    found = _LINE.fullmatch(" ".join(line.split()))
    if found is None or (day := _day(found["date"])) is None:
        return None
    hour = int(found["hour"]) % 12 + 12 * (found["half"] in "pP") if found["half"] else int(found["hour"])
    try:
        moment = datetime(*day, hour, int(found["minute"]), int(found["second"]))
        zone = _zone(found["zone"])
        return (
            moment.isoformat()
            if zone is None
            else moment.replace(tzinfo=zone).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        )
    except (ValueError, OverflowError):
        return None


def _day(text: str) -> tuple[int, int, int] | None:
    """Year, month and day."""
    if numbers := _NUMBERS.fullmatch(text):
        first, second, third = (int(number) for number in numbers.groups())
        year, month, day = (first, second, third) if first > 31 else (third, second, first)
        return (year, day, month) if month > 12 else (year, month, day)
    words = (unicodedata.normalize("NFD", word.lower()) for word in _WORD.findall(text))
    plain = ["".join(letter for letter in word if letter.isalpha()) for word in words]
    digits = [int(number) for number in re.findall(r"\d+", text)]
    if len(plain) != 1 or len(digits) != 2:
        return None
    named = _MONTHS.get(plain[0][:4]) or _MONTHS.get(plain[0][:3])
    return (max(digits), named, min(digits)) if named else None


def _zone(name: str | None) -> timezone | None:
    if name is None:
        return None
    if (hours := _ZONES.get(name.upper())) is not None:
        return timezone(timedelta(hours=hours))
    if offset := _OFFSET.fullmatch(name):
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return timezone(timedelta(minutes=minutes if offset[1] == "+" else -minutes))
    return None
