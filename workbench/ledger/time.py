"""Instants: any ISO 8601 text becomes UTC with microseconds, so that text order is time order."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from workbench.errors import WorkbenchError


def instant(text: str) -> str:
    """``2026-03-01T09:00:00+01:00`` → ``2026-03-01T08:00:00.000000Z``; a time without an offset is local.

    :raises WorkbenchError: when the text is no date or instant.
    """
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError:
        raise WorkbenchError(f"{text!r} is not a date or time; write it like 2026-03-01 or 2026-03-01T09:00Z") from None
    return parsed.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


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
            found = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        else:
            found = instant(text)
    except (WorkbenchError, OverflowError, ValueError, OSError):
        return None
    latest = (datetime.now(UTC) + _AHEAD).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return found if EARLIEST <= found <= latest else None
