"""Times as people say them, as spans of time in their own time zone: ``7d``, ``2026-03``, ``last week``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from workbench import dates, text
from workbench.errors import WorkbenchError

_AGO = re.compile(r"(\d{1,4})\s*(h|hours?|d|days?|w|weeks?|m|months?|y|years?)(?:\s+ago)?")
# Nothing is behind the last day of 9999.
_LAST = datetime.max.replace(tzinfo=UTC)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


class BadTime(WorkbenchError):
    """Words that name no time."""


def span(words: str, now: datetime | None = None) -> tuple[datetime, datetime]:
    """From when until when (not included) the words mean.

    A duration (``36h``, ``7d``, ``2w``, ``3m`` for months, ``1y``, ``2 weeks ago``) begins so long ago and lasts until
    now; a day, week, month or year is all of it; a moment is no longer than that.

    :param now: the present, with a time zone; by default that of this machine.
    :raises BadTime: with what can be said.
    """
    now = now or datetime.now().astimezone()
    said = " ".join(words.lower().split())
    try:
        if (
            found := _ago(said, now)
            or _named(said, now)
            or _date(said, now)
            or _month(said, now)
            or _weekday(said, now)
        ):
            return found
        moment = datetime.fromisoformat(words.strip())
    except (ValueError, OverflowError):
        raise BadTime(
            f"{text.quoted(words)} is no time; say for instance 7d, 3m, 2026-03, 2026-03-14, yesterday, last week"
        ) from None
    moment = moment if moment.tzinfo else _local(moment, now)
    return moment, moment


def _local(moment: datetime, now: datetime) -> datetime:
    """A time of the clock as an instant: in the zone of this machine, whose offset changes with the season, where
    ``now`` is in it too."""
    here = moment.replace(tzinfo=None).astimezone()
    same = now.utcoffset() == now.astimezone().utcoffset()
    return here if same else moment.replace(tzinfo=now.tzinfo)


def _day(now: datetime, back: int = 0) -> datetime:
    """Midnight, ``back`` days ago."""
    return _local(datetime(now.year, now.month, now.day) - timedelta(days=back), now)


def _days(first: datetime, count: int, now: datetime) -> tuple[datetime, datetime]:
    return first, _local(datetime(first.year, first.month, first.day) + timedelta(days=count), now)


def _months(year: int, month: int, count: int, now: datetime) -> tuple[datetime, datetime]:
    """``count`` months from one on; ``month`` may lie outside of 1 to 12."""
    first, last = (datetime((year * 12 + n) // 12, (year * 12 + n) % 12 + 1, 1) for n in (month - 1, month - 1 + count))
    return _local(first, now), _local(last, now)


def _ago(said: str, now: datetime) -> tuple[datetime, datetime] | None:
    found = _AGO.fullmatch(said)
    if not found:
        return None
    count, unit = int(found[1]), found[2]
    if unit[0] == "h":
        return now - timedelta(hours=count), now
    if unit[0] in "dw":
        return now - timedelta(days=count * (7 if unit[0] == "w" else 1)), now
    months = count * (12 if unit[0] == "y" else 1)
    first, _ = _months(now.year, now.month - months, 1, now)
    last = (_months(now.year, now.month - months, 1, now)[1] - timedelta(days=1)).day
    start = _local(datetime(first.year, first.month, min(now.day, last), now.hour, now.minute, now.second), now)
    return start, now


def _named(said: str, now: datetime) -> tuple[datetime, datetime] | None:
    monday = now.weekday()
    spans = {
        "now": lambda: (now, now),
        "today": lambda: _days(_day(now), 1, now),
        "yesterday": lambda: _days(_day(now, 1), 1, now),
        "this week": lambda: _days(_day(now, monday), 7, now),
        "last week": lambda: _days(_day(now, monday + 7), 7, now),
        "this month": lambda: _months(now.year, now.month, 1, now),
        "last month": lambda: _months(now.year, now.month - 1, 1, now),
        "this year": lambda: _months(now.year, 1, 12, now),
        "last year": lambda: _months(now.year - 1, 1, 12, now),
    }
    found = spans.get(said)
    return found() if found else None


def _date(said: str, now: datetime) -> tuple[datetime, datetime] | None:
    days = dates.span(said)  # raises for a day that there is not
    if days is None:
        return None
    first, last = (_local(datetime(day.year, day.month, day.day), now) if day else _LAST for day in days)
    return first, last


def _month(said: str, now: datetime) -> tuple[datetime, datetime] | None:
    """``march``, ``march 2026``: the last one that has begun where no year is said."""
    name, _, year = said.partition(" ")
    if name not in _MONTHS or not (year.isdecimal() or not year):
        return None
    number = _MONTHS.index(name) + 1
    return _months(int(year) if year else now.year - (number > now.month), number, 1, now)


def _weekday(said: str, now: datetime) -> tuple[datetime, datetime] | None:
    """``monday``, ``last monday``: the last one before today."""
    name = said.removeprefix("last ")
    if name not in _DAYS:
        return None
    return _days(_day(now, (now.weekday() - _DAYS.index(name) - 1) % 7 + 1), 1, now)
