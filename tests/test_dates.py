"""Times as a person reads them."""

from __future__ import annotations

import pytest

from workbench import dates

pytestmark = pytest.mark.usefixtures("berlin")


@pytest.mark.parametrize(
    ("written", "shown", "day"),
    [
        ("2026-03-21T15:18:30.123456Z", "2026-03-21 16:18+01:00", "2026-03-21"),
        ("2026-06-30T22:30:00+00:00", "2026-07-01 00:30+02:00", "2026-07-01"),
        ("2026-03-21T15:18:30-05:00", "2026-03-21 21:18+01:00", "2026-03-21"),
        ("2026-03-21 15:18", "2026-03-21 15:18+01:00", "2026-03-21"),
        ("2026-03-21", "2026-03-21", "2026-03-21"),
        ("2026-03", "2026-03", "2026-03"),
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00", "0001-01-01"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z", "9999-12-31"),
        ("long ago\x1b", "long ago\\u{1b}", "long ago\\u"),
        ("", "", ""),
        (None, "", ""),
    ],
)
def test_a_time_is_shown_in_the_zone_of_the_person(written: str | None, shown: str, day: str) -> None:
    assert (dates.local(written), dates.local_day(written)) == (shown, day)
