"""When statements hold: against a model that asks each instant anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.graph.conftest import day
from workbench.graph.windows import Stated, Window, settle

INSTANTS = [day(number) for number in range(1, 30)]
RECORDED = "2026-12-01T00:00:00.000000Z"


@st.composite
def statements(draw: st.DrawFn) -> list[Stated]:
    """Statements that begin on different days, some with an end."""
    starts = draw(st.lists(st.integers(1, 24), max_size=7, unique=True))
    found = []
    for number, start in enumerate(starts):
        length = draw(st.none() | st.integers(1, 6))
        end = None if length is None else day(start + length)
        found.append(Stated(number, draw(st.sampled_from("abc")), day(start), end, RECORDED))
    return found


def holds(window: Window, at: str) -> bool:
    return (window.start is None or window.start <= at) and (window.end is None or window.end > at)


def model(said: list[Stated], at: str, single: bool) -> set[str]:
    """What holds at an instant: what was said of it and, of one value at a time, not followed by another before."""
    begun = [row for row in said if (row.start or "") <= at]
    return {
        row.object
        for row in begun
        if (row.end is None or row.end > at)
        and not (single and any(other.object != row.object and other.start > row.start for other in begun))
    }


@given(statements(), st.booleans())
def test_what_holds_at_an_instant_is_what_the_model_says(said: list[Stated], single: bool) -> None:
    windows = settle(said, single=single)
    objects = {row.id: row.object for row in said}
    for at in INSTANTS:
        shown = [objects[key] for key, window in windows.items() if holds(window, at) and window.hidden is None]
        assert set(shown) == model(said, at, single)
        if single:
            assert len(set(shown)) <= 1


@given(statements(), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_statements_does_not_matter(said: list[Stated], single: bool, random: object) -> None:
    shuffled = list(said)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert settle(shuffled, single=single) == settle(said, single=single)


def test_what_began_nobody_knows_when_holds_from_where_another_ended_or_it_was_recorded() -> None:
    acme = Stated(1, "acme", None, None, day(3))
    initech = Stated(2, "initech", None, None, day(5))
    assert settle([initech, acme], single=True) == {1: Window(None, day(5)), 2: Window(day(5), None)}
    ended = Stated(1, "acme", None, day(2), day(3))
    assert settle([initech, ended], single=True) == {1: Window(None, day(2)), 2: Window(day(2), None)}


def test_of_two_that_begin_together_the_one_recorded_later_holds() -> None:
    first, second = Stated(1, "a", day(1), None, day(7)), Stated(2, "b", day(1), None, day(8))
    assert settle([second, first], single=True) == {1: Window(day(1), day(1)), 2: Window(day(1), None)}


def test_a_double_is_hidden_and_what_says_more_is_not() -> None:
    whole, part = Stated(1, "a", day(1), day(9), RECORDED), Stated(2, "a", day(2), day(5), RECORDED)
    later = Stated(3, "a", day(5), day(12), RECORDED)
    apart = Stated(4, "a", day(20), None, RECORDED)
    hidden = {key: window.hidden for key, window in settle([part, whole, later, apart], single=False).items()}
    assert hidden == {1: None, 2: "duplicate", 3: None, 4: None}
