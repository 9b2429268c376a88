"""Dates as they are written, each a span of days: a day, an ISO week or a day of one, a month, a year."""

from __future__ import annotations

import re
from datetime import date, timedelta

_WRITTEN = re.compile(
    r"(?P<year>\d{4})(?:-?[Ww](?P<week>\d{2})(?:-?(?P<weekday>\d))?|-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?"
    r"|(?P<compact>\d{4}))?"
)


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
