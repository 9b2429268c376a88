"""What a question asks of time, and what is added for it."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

import pytest

from tests.sessions.test_ranking import FILLER, fill, ranked
from workbench.home import Home
from workbench.sessions.model import Message
from workbench.sessions.times_asked import asked


def at(day: str, plus: float = 0.5) -> float:
    return (datetime.fromisoformat(day) + timedelta(days=plus)).timestamp()


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Which film did she see on 1 May, 2022?", (2022, 5, 1)),
        ("the 8th of May", (None, 5, 8)),
        ("what did we decide on May 8th, 2026", (2026, 5, 8)),
        ("on December 1,2023", (2023, 12, 1)),
        ("Where was he in August 2023?", (2023, 8, None)),
        ("the outage in March", (None, 3, None)),
        ("cities visited in 2023", (2023, None, None)),
        ("deploy of 2026-03-14", (2026, 3, 14)),
        ("what broke in 2026-03?", (2026, 3, None)),
        ("29 February", (None, 2, 29)),
        ("31 April or in June", (None, 6, None)),
        ("we may run 20 jobs", None),
        ("port 2022 of the server", None),
        ("version 2026-99-01", None),
        ("", None),
    ],
)
def test_the_time_that_a_question_names(question: str, named: object) -> None:
    assert asked(question).named == named


@pytest.mark.parametrize(
    ("day", "worth"),
    [
        ("2022-05-10", 1.0),
        ("2022-05-10T23:59:59", 1.0),
        ("2022-05-25", math.exp(-1)),
        ("2022-05-07", math.exp(-1)),
        ("2021-05-10", 0.0),
    ],
)
def test_the_longer_after_it_or_before_it_the_less(day: str, worth: float) -> None:
    moment = datetime.fromisoformat(day).timestamp()
    assert asked("on 10 May 2022").bonus(moment, "") == pytest.approx(0.25 * worth, abs=1e-9)


def test_without_a_year_that_of_any_year_is_meant() -> None:
    bonus = asked("the outage in December").bonus
    assert bonus(at("2022-12-24"), "") == bonus(at("2031-12-01"), "") == 0.25
    assert bonus(at("2023-01-02"), "") == pytest.approx(0.25 * math.exp(-1.5 / 14))
    assert bonus(None, "") == 0.0
    assert bonus(at("2022-07-01"), "") < 0.001


@pytest.mark.parametrize(
    ("question", "said", "counts"),
    [
        ("When did they move?", "We moved yesterday.", True),
        ("How long have you had it?", "Some three years now.", True),
        ("which year was that", "It was in 1999", True),
        ("When did they move?", "That may be; a new flat.", False),
        ("When did they move?", "yesterday. " + "No more of it. " * 400, False),
        ("Where did they move?", "We moved yesterday.", False),
        ("it fails when I start it", "We moved yesterday.", False),
    ],
)
def test_when_something_was_is_answered_where_a_time_is_said(question: str, said: str, counts: bool) -> None:
    expected = 0.08 * math.exp(-len(said) / 800) if counts else 0.0
    assert asked(question).bonus(None, said) == pytest.approx(expected)


def test_what_was_told_the_day_after_comes_first(home: Home) -> None:
    def film(name: str, day: str) -> Message:
        return Message(name, "user", "user", "I saw a film about a lost dog.", f"{day}T12:00:00Z")

    days = {"a": "2022-01-20", "b": "2022-05-02", "c": "2022-11-09"}
    fill(home, **{name: [film(name, day), *FILLER] for name, day in days.items()})
    assert ranked(home, "Which film was seen on 1 May 2022?")[0] == "b"
    assert ranked(home, "Which film was seen in January?")[0] == "a"
    assert ranked(home, "Which film was seen in November 2022?")[0] == "c"


@pytest.mark.parametrize("day", [0.0, -1e18, 1e18, -62_135_596_800.0, 253_402_300_799.0])
def test_no_time_is_too_far_away(day: float) -> None:
    for question in ("in 0001", "in May", "on 31 December 9999", "in 1999"):
        assert 0 <= asked(question).bonus(day, "") <= 0.25
