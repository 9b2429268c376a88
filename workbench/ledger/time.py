"""Instants: any ISO 8601 text becomes UTC with microseconds, so that text order is time order.

A period is half-open, ``[from, to)``. A date alone, a week, a month or a year begins at its first midnight and, as an
end, holds to the end of its last day; times without an offset are local.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from workbench import dates
from workbench.errors import WorkbenchError

# What 9999-12-31 means to whoever writes it: no end.
LATEST = "9999-12-31T23:59:59.999999Z"
_FORM = "%Y-%m-%dT%H:%M:%S.%fZ"
_LONGEST = 64


class BadPeriod(WorkbenchError):
    """A period that ends before it begins, or as it begins."""


def stamp(moment: datetime) -> str:
    """A moment as this project stores it."""
    return moment.astimezone(UTC).strftime(_FORM).zfill(27)


def before(at: str, days: int) -> str:
    """The instant ``days`` days before ``at``; of a number of days that no calendar holds, one before all others."""
    try:
        return stamp(datetime.fromisoformat(at) - timedelta(days=days))
    except OverflowError:
        return ""


def instant(text: str) -> str:
    """``2026-03-01T09:00:00+01:00`` → ``2026-03-01T08:00:00.000000Z``; a date, week, month or year is its first moment.

    :raises WorkbenchError: when the text is no date or instant.
    """
    days = _days(text)
    return _moment(text) if days is None else _midnight(days[0], text)


def _moment(text: str) -> str:
    try:
        if len(text) > _LONGEST:  # Python reads any number of digits as a fraction
            raise ValueError
        return stamp(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):
        raise _unreadable(text) from None


def end(text: str) -> str:
    """The instant at which a period ends that is said to last to ``text``: of a date the next midnight, of a week,
    month or year the midnight after its last day.

    :raises WorkbenchError: when the text is no date or instant.
    """
    return _midnight_after(text) or _moment(text)


def as_of(text: str) -> str:
    """The instant that a question "as of ``text``" means: of a date, week, month or year its last moment, so that it
    counts whole.

    :raises WorkbenchError: when the text is no date or instant.
    """
    following = _midnight_after(text)
    if following is None:
        return _moment(text)
    return stamp(datetime.fromisoformat(following) - timedelta(microseconds=1))


def period(valid_from: str | None, valid_to: str | None, expires_at: str | None) -> tuple[str | None, ...]:
    """The three stated times as instants: (from, to, expiry).

    :raises BadPeriod: when it ends or expires before it begins, or holds for no moment at all.
    """
    begins = instant(valid_from) if valid_from else None
    ends, expires = (end(stated) if stated else None for stated in (valid_to, expires_at))
    for name, limit, stated in (("ends", ends, valid_to), ("expires", expires, expires_at)):
        if begins is not None and limit is not None and limit <= begins:
            raise BadPeriod(f"it {name} ({stated}) before it begins to hold ({valid_from}); turn them round")
    return begins, ends, expires


def _midnight_after(text: str) -> str | None:
    """Local midnight after the last day of a date, week, month or year that stands alone; None for anything else."""
    days = _days(text)
    if days is None:
        return None
    return LATEST if days[1] is None else _midnight(days[1], text)


def _days(text: str) -> tuple[date, date | None] | None:
    try:
        return dates.span(text)
    except ValueError:
        raise _unreadable(text) from None


def _midnight(day: date, text: str) -> str:
    try:
        return stamp(datetime.combine(day, datetime.min.time()))
    except (ValueError, OverflowError):
        raise _unreadable(text) from None


def _unreadable(text: str) -> WorkbenchError:
    return WorkbenchError(f"{text[:_LONGEST]!r} is not a date or time; write it like 2026-03-01 or 2026-03-01T09:00Z")


# Nobody told an agent anything before; and a clock may run ahead by a time zone, not by years.
EARLIEST = "1990-01-01T00:00:00.000000Z"
_AHEAD = timedelta(days=1)
_EPOCH = re.compile(r"\d{9,10}(?:\.\d+)?|\d{13}")


def observed(text: str | None) -> str | None:
    """When a source says something was said; None where it wrote nothing, nonsense, or a time to come.

    Besides ISO 8601, seconds and milliseconds since 1970 are read.
    """
    if not text:
        return None
    text = text.strip()
    try:
        if _EPOCH.fullmatch(text):
            seconds = float(text) / (1000 if len(text) == 13 else 1)
            found = stamp(datetime.fromtimestamp(seconds, UTC))
        else:
            found = _moment(text)
    except (WorkbenchError, OverflowError, ValueError, OSError):
        return None
    return found if EARLIEST <= found <= stamp(datetime.now(UTC) + _AHEAD) else None
