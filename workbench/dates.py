"""Dates as they are written, each a span of days: a day, an ISO week or a day of one, a month, a year; moments as they
are written, and as a person reads them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from workbench import text

_WRITTEN = re.compile(
    r"(?P<year>\d{4})(?:-?[Ww](?P<week>\d{2})(?:-?(?P<weekday>\d))?|-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?"
    r"|(?P<compact>\d{4}))?"
)
_LONGEST = 32


def span(written: str) -> tuple[date, date | None] | None:
    """The first day that is meant and the first one behind it; None for what is no date, such as a time of day.

    ``2026-03`` → 1 March, 1 April; ``2026-W10`` → Monday, the Monday after; of the last days of 9999 nothing is behind.

    :raises ValueError: when there is no such day, week or month.
    """
    found = _WRITTEN.fullmatch(written.strip())
    if found is None:
        return None
    part = {name: int(value) for name, value in found.groupdict().items() if value is not None}
    year = part["year"]
    if "week" in part:
        first = date.fromisocalendar(year, part["week"], part.get("weekday", 1))
        return first, _behind(first, 1 if "weekday" in part else 7)
    month, day = divmod(part["compact"], 100) if "compact" in part else (part.get("month"), part.get("day"))
    first = date(year, 1 if month is None else month, 1 if day is None else day)
    if day is not None:
        return first, _behind(first, 1)
    last = month or 12
    return first, None if (year, last) == (9999, 12) else date(year + last // 12, last % 12 + 1, 1)


def _behind(first: date, days: int) -> date | None:
    return first + timedelta(days=days) if (date.max - first).days >= days else None


def moment(written: str | None) -> datetime | None:
    """The moment of a timestamp, with an offset; one without is read in the time zone of this machine. None for what is
    no timestamp."""
    if written is None:
        return None
    try:
        found = datetime.fromisoformat(written)
        return found if found.tzinfo else found.astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def local(written: str | None) -> str:
    """A time as a person reads it, on every line and page: to the minute in the time zone of this machine,
    ``2026-03-21 16:18+01:00``, 22 cells; a day stays a day, and what is none as it is."""
    found = None if written and _WRITTEN.fullmatch(written) else moment(written)
    try:
        return found.astimezone().isoformat(" ", "minutes") if found else text.one_line(written or "", _LONGEST)
    except OverflowError:  # at the edges of the calendar
        return text.one_line(written or "", _LONGEST)


def local_day(written: str | None) -> str:
    """The day of a time there: ``2026-03-21``."""
    return local(written)[:10]
