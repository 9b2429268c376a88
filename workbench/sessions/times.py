"""Timestamps as sources write them, compared as what they mean: with any offset, or none, or no times at all."""

from __future__ import annotations

from functools import lru_cache

from workbench import dates


def earliest(*timestamps: object) -> str | None:
    """The one of the earliest moment; what is no time does not count."""
    return min(_valid(timestamps), default=(0.0, None))[1]


def latest(*timestamps: object) -> str | None:
    """The one of the latest moment; what is no time does not count."""
    return max(_valid(timestamps), default=(0.0, None))[1]


def _valid(timestamps: tuple[object, ...]) -> list[tuple[float, str]]:
    found = ((seconds(each), each) for each in timestamps if isinstance(each, str))
    return [(moment, each) for moment, each in found if moment is not None]


@lru_cache(maxsize=1 << 12)
def seconds(timestamp: str) -> float | None:
    """The moment of a timestamp in seconds since 1970; None when it is no time."""
    moment = dates.moment(timestamp)
    return moment.timestamp() if moment else None
