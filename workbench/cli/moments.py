"""Times that options name: as the ledger writes them, or in words as conversations are narrowed by (3m, last week)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from workbench.errors import WorkbenchError
from workbench.ledger import time
from workbench.sessions import when


def begins(written: str) -> str:
    """Where a time begins.

    :raises WorkbenchError: when it is none.
    """
    return _read(written, time.instant, lambda first, last: first)


def ends(written: str) -> str:
    """Where a time ends, so that a day, a week or a month counts whole.

    :raises WorkbenchError: when it is none.
    """
    return _read(written, time.end, lambda first, last: last)


def as_of(written: str) -> str:
    """The instant that a question "as of then" means: the last one of a day, week or month; so long ago of a duration.

    :raises WorkbenchError: when it is none.
    """
    return _read(written, time.as_of, _last_moment)


def _last_moment(first: datetime, last: datetime) -> datetime:
    whole = last > first and (last.hour, last.minute, last.second, last.microsecond) == (0, 0, 0, 0)
    return last - timedelta(microseconds=1) if whole else first


def _read(written: str, exact: Callable[[str], str], part: Callable[[datetime, datetime], datetime]) -> str:
    try:
        return exact(written)
    except WorkbenchError:
        if not written.strip():
            raise
        return time.stamp(part(*when.span(written)))
