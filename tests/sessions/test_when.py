"""Times as people say them."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime

import pytest

from workbench.sessions.when import BadTime, span

# A Wednesday.
NOW = datetime.fromisoformat("2026-03-18T15:30:00+05:30")

SPANS = {
    "7d": ("2026-03-11T15:30", "2026-03-18T15:30"),
    "2 weeks ago": ("2026-03-04T15:30", "2026-03-18T15:30"),
    "36h": ("2026-03-17T03:30", "2026-03-18T15:30"),
    "1m": ("2026-02-18T15:30", "2026-03-18T15:30"),
    "2w": ("2026-03-04T15:30", "2026-03-18T15:30"),
    "1 month": ("2026-02-18T15:30", "2026-03-18T15:30"),
    "2 years": ("2024-03-18T15:30", "2026-03-18T15:30"),
    "now": ("2026-03-18T15:30", "2026-03-18T15:30"),
    "today": ("2026-03-18", "2026-03-19"),
    "Yesterday": ("2026-03-17", "2026-03-18"),
    "this week": ("2026-03-16", "2026-03-23"),
    " last  week ": ("2026-03-09", "2026-03-16"),
    "this month": ("2026-03-01", "2026-04-01"),
    "last month": ("2026-02-01", "2026-03-01"),
    "this year": ("2026-01-01", "2027-01-01"),
    "last year": ("2025-01-01", "2026-01-01"),
    "2025": ("2025-01-01", "2026-01-01"),
    "2025-12": ("2025-12-01", "2026-01-01"),
    "2026-3-9": ("2026-03-09", "2026-03-10"),
    "2026-W10": ("2026-03-02", "2026-03-09"),
    "2026-w10-3": ("2026-03-04", "2026-03-05"),
    "20260309": ("2026-03-09", "2026-03-10"),
    "2024-02-29": ("2024-02-29", "2024-03-01"),
    "march": ("2026-03-01", "2026-04-01"),
    "December": ("2025-12-01", "2026-01-01"),
    "may 2024": ("2024-05-01", "2024-06-01"),
    "wednesday": ("2026-03-11", "2026-03-12"),
    "tuesday": ("2026-03-17", "2026-03-18"),
    "last thursday": ("2026-03-12", "2026-03-13"),
    "2026-03-01T10:00": ("2026-03-01T10:00", "2026-03-01T10:00"),
}


@pytest.mark.parametrize("words", SPANS)
def test_words_are_spans_in_the_zone_of_the_present(words: str) -> None:
    first, last = (datetime.fromisoformat(each).replace(tzinfo=NOW.tzinfo) for each in SPANS[words])
    assert span(words, NOW) == (first, last)


def test_nothing_is_behind_the_last_day() -> None:
    first, last = span("9999-12-31", NOW)
    assert first == datetime.fromisoformat("9999-12-31T00:00:00+05:30") and last.year == 9999 and last > first


def test_an_offset_that_is_said_counts() -> None:
    moment = datetime.fromisoformat("2026-03-01T10:00:00Z")
    assert span("2026-03-01T10:00:00Z", NOW) == (moment, moment)


def test_the_end_of_a_month_that_is_shorter() -> None:
    now = datetime.fromisoformat("2026-03-31T12:00:00+05:30")
    assert span("1 month", now)[0] == datetime.fromisoformat("2026-02-28T12:00:00+05:30")


@pytest.mark.parametrize(
    "words", ["", "soon", "2026-13", "2026-02-30", "2025-W53", "7", "99999 years", "last mondays", "d7", "0000"]
)
def test_what_is_no_time_is_said(words: str) -> None:
    with pytest.raises(BadTime, match="is no time; say for instance 7d, 3m, 2026-03"):
        span(words, NOW)


def test_a_day_of_the_change_of_clocks_has_its_own_length() -> None:
    """In Berlin the 29th of March 2026 has 23 hours."""
    code = (
        "from datetime import datetime; from workbench.sessions.when import span\n"
        "now = datetime(2026, 4, 2, 12).astimezone()\n"
        "first, last = span('2026-03-29', now); print((last.timestamp() - first.timestamp()) / 3600, first.isoformat())"
    )
    environment = {**os.environ, "TZ": "Europe/Berlin"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["23.0", "2026-03-29T00:00:00+01:00"]
