"""Since when something holds, as people say it in several languages: "since March", "la semaine dernière", "vor zwei
Jahren", against the day it was said. What is not clear ("recently", "last summer") is left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from workbench.sessions import when

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


@dataclass(frozen=True)
class Times:
    """How a language says when something began.

    :param since: words before a month, a year or a span ("since", "in").
    :param spans: what it says for the spans that ``sessions.when`` knows: ``{"letzte woche": "last week"}``.
    :param months: the names of the twelve months, patterns.
    :param ago: patterns with the groups ``n`` and ``unit``, for so long ago and for so long.
    :param units: patterns of the units, for days, weeks, months, years.
    :param numbers: numbers in words.
    """

    since: str
    spans: Mapping[str, str]
    months: tuple[str, ...]
    ago: tuple[str, ...]
    units: tuple[str, str, str, str]
    numbers: Mapping[str, int]
    of_year: str = r" (?:de |del |of )?"

    @cached_property
    def _pattern(self) -> str:
        count = "|".join([r"\d{1,3}", *self.numbers])
        long = [ago.replace("{n}", f"(?:{count})").replace("{unit}", f"(?:{'|'.join(self.units)})") for ago in self.ago]
        months = "|".join(f"(?:{month})" for month in self.months)
        year = r"(?:19|20)\d\d(?:年\d{1,2}月|年)?(?:开始|以来|起|から|に)?"
        dated = rf"(?:(?:{months})(?:{self.of_year}(?:19|20)\d\d)?|{year})"
        return rf"(?:(?:{self.since})?(?:{'|'.join(self.spans)})|(?:{self.since}){dated}|{'|'.join(long)})"

    @cached_property
    def _behind(self) -> re.Pattern[str]:
        return re.compile(rf"(?:^|[\s,]+|(?<=[\u3040-\u9fff]))(?P<when>{self._pattern})[\s.!]*$", re.IGNORECASE)

    @cached_property
    def _before(self) -> re.Pattern[str]:
        return re.compile(
            rf"^(?:我们?|私は、?)?(?P<when>{self._pattern})(?:[\s,，、]+|(?=[\u3040-\u9fff]))", re.IGNORECASE
        )

    @cached_property
    def _inside(self) -> re.Pattern[str]:
        return re.compile(rf"^(?:\S+ ){{1,3}}?(?P<when>{self._pattern}) (?=\S)", re.IGNORECASE)

    def taken(self, clause: str) -> tuple[str, str]:
        """A clause without the time at its beginning, behind its verb or at its end, and that time in English; ``""``
        for none."""
        for pattern in (self._before, self._behind, self._inside):
            found = pattern.search(clause)
            said = self._english(found["when"].lower()) if found else ""
            if found and said:
                start = found.start() if pattern is self._behind else found.start("when")
                return (clause[:start] + clause[found.end() :]).strip(" ,，、"), said
        return clause, ""

    def _english(self, said: str) -> str:
        for phrase, english in self.spans.items():
            if re.search(rf"{phrase}$", said):
                return english
        year = re.search(r"(?:19|20)\d\d", said)
        for number, month in enumerate(self.months):
            if re.search(rf"(?:^|[^\w]|\d年|[从從自]){month}", said) or re.fullmatch(month, said):
                return f"{_MONTHS[number]} {year.group()}" if year else _MONTHS[number]
        if year:
            return year.group()
        return self._long(said)

    def _long(self, said: str) -> str:
        count = next((int(digits) for digits in re.findall(r"\d+", said)), 0)
        count = count or next((value for name, value in self.numbers.items() if _has(name, said)), 0)
        unit = next((u for u, name in zip("dwmy", self.units, strict=True) if _has(name, said)), "")
        return f"{count}{unit}" if count and unit else ""


def _has(pattern: str, said: str) -> bool:
    """Whether it stands there as a word of its own, or in a script without spaces."""
    return re.search(rf"(?<![a-zß-ÿ])(?:{pattern})(?![a-zß-ÿ])", said) is not None


def begun(words: str, said_at: str | None) -> str | None:
    """The day these words mean, said at that moment, in the time zone of this machine; None where nobody knows it, or
    it lies ahead.

    :param words: in English, as ``sessions.when`` reads them.
    :param said_at: ISO 8601.
    """
    if not words or not said_at:
        return None
    try:
        now = datetime.fromisoformat(said_at).astimezone()
        start, _ = when.span(words, now)
    except (when.BadTime, ValueError, OverflowError):
        return None
    return start.date().isoformat() if start <= now else None


_UNITS = (r"days?", r"weeks?", r"months?", r"years?")
ENGLISH = Times(
    since=r"(?:since|as of|back in|in|from) ",
    spans={name: name for name in ("yesterday", "last week", "last month", "last year", "this week", "this month")},
    months=_MONTHS,
    ago=(
        r"{n} {unit} (?:ago|back)",
        r"for (?:the (?:last|past) )?(?:about |over |almost |nearly |more than )?{n} {unit}(?: now)?",
    ),
    units=_UNITS,
    numbers={"an?": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10},
    of_year=r"(?: of)?,? ",
)
