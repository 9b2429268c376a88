"""Instants: any ISO 8601 text becomes UTC with microseconds, so that text order is time order."""

from __future__ import annotations

from datetime import UTC, datetime

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


def instant_or_none(text: str | None) -> str | None:
    """The instant, or None where a source wrote none or nonsense."""
    if not text:
        return None
    try:
        return instant(text)
    except (WorkbenchError, OverflowError, ValueError, OSError):
        return None
