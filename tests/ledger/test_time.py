"""Instants and periods: half-open, offsets honoured, a date that ends something includes its day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.ledger import time

pytestmark = pytest.mark.usefixtures("berlin")


@pytest.mark.parametrize(
    ("text", "instant", "end", "as_of"),
    [
        ("2026-03-01T09:00:00+01:00", *["2026-03-01T08:00:00.000000Z"] * 3),
        ("2026-03-01T09:00Z", *["2026-03-01T09:00:00.000000Z"] * 3),
        ("2026-03-01T09:00:00.000001-05:00", *["2026-03-01T14:00:00.000001Z"] * 3),
        # Without an offset: local, winter and summer.
        ("2026-01-10T12:00", *["2026-01-10T11:00:00.000000Z"] * 3),
        ("2026-07-10 12:00", *["2026-07-10T10:00:00.000000Z"] * 3),
        # A date begins at midnight and ends at the next, also on the short and the long day of the year.
        ("2026-03-01", "2026-02-28T23:00:00.000000Z", "2026-03-01T23:00:00.000000Z", "2026-03-01T22:59:59.999999Z"),
        ("2026-03-29", "2026-03-28T23:00:00.000000Z", "2026-03-29T22:00:00.000000Z", "2026-03-29T21:59:59.999999Z"),
        ("2026-10-25", "2026-10-24T22:00:00.000000Z", "2026-10-25T23:00:00.000000Z", "2026-10-25T22:59:59.999999Z"),
        ("20240229", "2024-02-28T23:00:00.000000Z", "2024-02-29T23:00:00.000000Z", "2024-02-29T22:59:59.999999Z"),
        ("9999-12-31", "9999-12-30T23:00:00.000000Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999998Z"),
        ("2026-W10-3", "2026-03-03T23:00:00.000000Z", "2026-03-04T23:00:00.000000Z", "2026-03-04T22:59:59.999999Z"),
        ("2026-W13", "2026-03-22T23:00:00.000000Z", "2026-03-29T22:00:00.000000Z", "2026-03-29T21:59:59.999999Z"),
        ("2026W53", "2026-12-27T23:00:00.000000Z", "2027-01-03T23:00:00.000000Z", "2027-01-03T22:59:59.999999Z"),
        ("2026-03", "2026-02-28T23:00:00.000000Z", "2026-03-31T22:00:00.000000Z", "2026-03-31T21:59:59.999999Z"),
        ("2026-12", "2026-11-30T23:00:00.000000Z", "2026-12-31T23:00:00.000000Z", "2026-12-31T22:59:59.999999Z"),
        ("2026", "2025-12-31T23:00:00.000000Z", "2026-12-31T23:00:00.000000Z", "2026-12-31T22:59:59.999999Z"),
        ("9999", "9998-12-31T23:00:00.000000Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999998Z"),
        (" 2026-12-31 ", "2026-12-30T23:00:00.000000Z", "2026-12-31T23:00:00.000000Z", "2026-12-31T22:59:59.999999Z"),
    ],
)
def test_what_a_time_means(text: str, instant: str, end: str, as_of: str) -> None:
    assert (time.instant(text), time.end(text), time.as_of(text)) == (instant, end, as_of)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13-01", "2026-13", "2026-02-30", "2025-W53", "2026-W10-8", "0000", "yesterday", "1" * 4000],
)
def test_nonsense_is_refused_by_name(text: str) -> None:
    for read in (time.instant, time.end, time.as_of):
        with pytest.raises(WorkbenchError, match="not a date or time"):
            read(text)


@pytest.mark.parametrize(
    ("begins", "ends", "expires", "problem"),
    [
        ("2026-03-02", "2026-03-01", None, "ends"),
        ("2026-03-01T10:00Z", "2026-03-01T10:00Z", None, "ends"),
        ("2026-03-01T10:00+02:00", "2026-03-01T07:59Z", None, "ends"),
        ("2026-03-02", None, "2026-03-01", "expires"),
        ("2026-03-01", "2026-03-01", None, None),
        (None, "2020-01-01", "2019-01-01", None),
        ("2026-03-01T10:00+02:00", "2026-03-01T08:01Z", None, None),
    ],
)
def test_a_period_holds_for_some_time(begins: str | None, ends: str | None, expires: str | None, problem: str | None):
    if problem is None:
        time.period(begins, ends, expires)
        return
    with pytest.raises(time.BadPeriod, match=f"it {problem} .* before it begins"):
        time.period(begins, ends, expires)


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)), st.integers(-840, 840))
def test_the_order_of_texts_is_the_order_of_instants(moment: datetime, offset: int) -> None:
    later = time.stamp(moment.replace(tzinfo=UTC) + timedelta(microseconds=1))
    here = time.stamp(moment.replace(tzinfo=UTC))
    assert here < later
    assert len(here) == 27
    shifted = moment + timedelta(minutes=offset)
    sign = "-" if offset < 0 else "+"
    stated = f"{shifted.isoformat()}{sign}{abs(offset) // 60:02}:{abs(offset) % 60:02}"
    assert time.instant(stated) == here


@pytest.mark.parametrize(
    ("given_", "found"),
    [
        ("1772355600", "2026-03-01T09:00:00.000000Z"),
        ("1772355600123", "2026-03-01T09:00:00.123000Z"),
        ("1989-12-31", None),
        ("2999-01-01", None),
        ("nonsense", None),
        ("2026", None),
        ("", None),
        (None, None),
    ],
)
def test_when_a_source_says_something_was_said(given_: str | None, found: str | None) -> None:
    assert time.observed(given_) == found
