"""The maintenance clock: what time puts away, what it never touches, and that undo brings it back."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.homes import fresh_home
from tests.ledger.conftest import BASE, column, rows
from workbench import db
from workbench.config import Ledger
from workbench.home import Home
from workbench.ledger import audit, maintain, quota, relations, review, spot_checks, standing, store, supersede, undo
from workbench.ledger.change import Change, new_id
from workbench.ledger.gate import check
from workbench.ledger.model import DREAMER, PERSON, Actor, Privacy, Proposal, row_dict
from workbench.ledger.time import before, stamp
from workbench.ledger.write import propose

Say = Callable[..., Proposal]
Clock = Callable[[str], None]
CLOCK = Actor("system", "maintenance")
NOW = "2026-06-03T10:00:00.000000Z"
WAITS: dict[str, Any] = {"explicit": False, "confidence": 0.7}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Set the clock of the ledger; it stands still."""
    return lambda instant: monkeypatch.setattr(db, "now", lambda: instant)


def ago(days: float) -> str:
    return stamp(datetime.fromisoformat(NOW) - timedelta(days=days))


def step(home: Home, act: Callable[..., Any], *args: Any, actor: Actor = CLOCK) -> Any:
    with store.writing(home) as connection:
        return act(Change(connection, actor), *args)


def take_back(home: Home, memory_id: str | None = None) -> None:
    with store.writing(home) as connection:
        last = undo.last_change(connection, memory_id)
        undo.undo(Change(connection, PERSON, undoes=last), last)


def assert_whole(home: Home) -> None:
    audit.anchor(home, at=db.now())
    assert audit.verify(home).problems == []


def due(home: Home, **fields: int) -> maintain.Due:
    with store.reading(home) as connection:
        return maintain.due(connection, Ledger(**{"spot_checks": 0, **fields}), db.now())


def events(home: Home, action: str) -> list[dict[str, Any]]:
    with store.reading(home) as connection:
        found = connection.execute(
            "SELECT e.*, p.payload FROM memory_events e JOIN event_payloads p USING (seq) WHERE action = ?"
            " ORDER BY seq",
            (action,),
        ).fetchall()
    return [{**dict(row), "details": json.loads(row["payload"])["details"]} for row in found]


def endorse(home: Home, memory_id: str | None) -> None:
    step(home, review.accept, memory_id, actor=PERSON)


# Conjectures


@pytest.mark.parametrize(
    ("age", "fields", "status"),
    [
        (15, WAITS, "archived"),
        (13, WAITS, "needs_review"),
        (14, WAITS, "needs_review"),
        (14.01, WAITS, "archived"),
        (400, {}, "active"),
        (-400, WAITS, "needs_review"),
    ],
)
def test_a_conjecture_expires(
    home: Home, say: Say, clock: Clock, age: float, fields: dict[str, Any], status: str
) -> None:
    clock(ago(age))
    memory_id = say(**fields).memory_id
    clock(NOW)
    assert due(home, dormant_days=0).conjectures == (status == "archived")
    assert step(home, maintain.expire, 14, 200) == (status == "archived")
    assert column(home, memory_id, "status") == (status,)
    assert due(home, dormant_days=0).conjectures == 0
    if status == "archived":
        assert column(home, memory_id, "review_reason", "retired_at") == (None, NOW)
        assert events(home, "archived")[0]["details"] == {"reason": "expired"}


def test_never_when_the_setting_is_0(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(1_000))
    say(**WAITS)
    say("Works at Acme.")
    clock(NOW)
    before = rows(home)
    assert due(home, conjecture_days=0, dormant_days=0) == maintain.Due(0, 0, 0, 0, 0, 0)
    assert step(home, maintain.expire, 0, 200) == step(home, sink, 0, 200) == 0
    assert rows(home) == before


def test_a_number_of_days_longer_than_time_itself(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(10_000))
    say(**WAITS)
    say("Works at Acme.")
    clock(NOW)
    assert before(NOW, 10_000_000) == before(NOW, 10**12) == ""
    assert due(home, conjecture_days=10**7, dormant_days=10**9) == maintain.Due(0, 0, 0, 0, 0, 0)


def test_a_new_sighting_is_news(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(20))
    memory_id = say(**WAITS).memory_id
    clock(ago(3))
    say(**WAITS)
    clock(NOW)
    assert step(home, maintain.expire, 14, 200) == 0
    assert column(home, memory_id, "status", "seen_count") == ("needs_review", 2)


def test_what_was_observed_waits_however_long_it_takes(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(400))
    memory_id = say(confidence=0.6).memory_id
    assert column(home, memory_id, "status", "authority") == ("needs_review", "observed")
    clock(NOW)
    assert due(home, dormant_days=0).conjectures == step(home, maintain.expire, 14, 200) == 0
    assert column(home, memory_id, "status") == ("needs_review",)


def test_an_expired_conjecture_contests_nothing(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(20))
    held = say("Lives in Berlin.", fact_key="home").memory_id
    endorse(home, held)
    waiting = say("Lives in Bonn.", fact_key="home", **WAITS)
    assert waiting.review_reason == "supersede_proposal"
    with store.reading(home) as connection:
        assert supersede.in_conflict(connection, held or "")
    clock(NOW)
    assert step(home, maintain.expire, 14, 200) == 1
    with store.reading(home) as connection:
        assert not supersede.in_conflict(connection, held or "")
    assert column(home, held, "status", "authority") == ("active", "confirmed")


def test_a_batch_is_one_change_oldest_first_and_undo_restores_each_row(home: Home, say: Say, clock: Clock) -> None:
    ids = []
    for number in range(5):
        clock(ago(30 - number))
        ids.append(say(f"Guess {number}.", **WAITS).memory_id)
    clock(NOW)
    earlier = rows(home)
    assert [step(home, maintain.expire, 14, 3) for _ in range(3)] == [3, 2, 0]
    assert [event["memory_id"] for event in events(home, "archived")] == ids
    assert len({event["change_id"] for event in events(home, "archived")}) == 2
    take_back(home)
    take_back(home)
    assert rows(home) == earlier
    assert_whole(home)


def test_what_the_person_took_back_is_not_done_again(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(100))
    guesses = [say(f"Guess {n}.", **WAITS).memory_id for n in range(2)]
    unused = [say(f"Fact {n}.").memory_id for n in range(2)]
    clock(NOW)
    earlier = rows(home)
    assert (step(home, maintain.expire, 14, 200), step(home, sink, 90, 200)) == (2, 2)
    take_back(home)
    take_back(home)
    assert rows(home) == earlier
    assert due(home) == maintain.Due(0, 0, 0, 0, 0, 0)
    assert (step(home, maintain.expire, 14, 200), step(home, sink, 90, 200)) == (0, 0)
    clock(ago(-15))
    assert step(home, maintain.expire, 14, 200) == len(guesses)
    assert step(home, sink, 90, 200) == 0
    clock(ago(-91))
    assert step(home, sink, 90, 200) == len(unused)


# Dormant memories


def sink(change: Change, days: int, limit: int) -> int:
    return len(quota.sink(change, days, limit))


def use(home: Home, memory_id: str | None, at: str) -> None:
    with store.writing(home) as connection:
        connection.execute(
            "INSERT INTO memory_use (memory_id, recalls, last_used_at) VALUES (?, 1, ?)", (memory_id, at)
        )


@pytest.mark.parametrize(
    ("age", "used", "status"),
    [(91, None, "archived"), (89, None, "active"), (200, 91, "archived"), (200, 89, "active"), (10, 91, "active")],
)
def test_a_dormant_memory_sinks(home: Home, say: Say, clock: Clock, age: int, used: int | None, status: str) -> None:
    clock(ago(age))
    memory_id = say().memory_id
    if used is not None:
        use(home, memory_id, ago(used))
    clock(NOW)
    earlier = rows(home)
    assert due(home).dormant == step(home, sink, 90, 200) == (status == "archived")
    assert column(home, memory_id, "status") == (status,)
    if status == "archived":
        assert events(home, "archived")[0]["details"] == {"reason": "dormant"}
        take_back(home)
        assert rows(home) == earlier


def test_a_memory_that_sinks_settles_what_it_contested(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(200))
    sinks = say("Likes tea.", observed_at="2026-01-01").memory_id
    stays = say("Hates tea.").memory_id
    trusted = column(home, stays, "trust")
    step(home, relations.link, stays, sinks, "contradicts", actor=PERSON)
    assert column(home, stays, "trust") < trusted
    use(home, stays, ago(1))
    clock(NOW)
    assert step(home, quota.sink, 90, 200) == [sinks]
    assert column(home, stays, "status", "trust") == ("active", *trusted)
    assert [event["memory_id"] for event in events(home, "settled")] == [stays]
    assert_whole(home)


# Nothing that the person endorsed is put away or loses its standing


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["active", "waiting", "accepted", "corrected", "locked"]),
            st.integers(0, 500),
            st.one_of(st.none(), st.integers(0, 500)),
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 30),
)
def test_what_the_person_endorsed_stays(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[tuple[str, int, int | None]], days: int
) -> None:
    home = fresh_home(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        for number, (kind, age, used) in enumerate(kinds):
            patch.setattr(db, "now", lambda age=age: ago(age))
            fields = {} if kind == "active" else WAITS
            candidate = replace(BASE, content=f"Fact {number}.", **fields)
            memory_id = step(home, lambda change, c=candidate: propose(change, check(c)), actor=DREAMER).memory_id
            if kind in ("accepted", "locked"):
                endorse(home, memory_id)
            elif kind == "corrected":
                step(home, review.correct, memory_id, f"Truth {number}.", actor=PERSON)
            if kind == "locked":
                step(home, _lock, memory_id, actor=PERSON)
            if used is not None:
                use(home, memory_id, ago(used))
        patch.setattr(db, "now", lambda: NOW)
        endorsed = _endorsed(home)
        for act in (maintain.expire, sink):
            step(home, act, days, 200)
        step(home, maintain.fold, 200)
        assert _endorsed(home) == endorsed
        step(home, spot_checks.draw, 3, random.Random(days))
        assert [row[:-1] for row in _endorsed(home)] == [row[:-1] for row in endorsed]
        assert_whole(home)


def _lock(change: Change, memory_id: str) -> None:
    change.update("memories", memory_id, authority="locked")
    change.record("locked", memory_id)


def _endorsed(home: Home) -> list[tuple[Any, ...]]:
    """All that is said of what the person endorsed, its reason last."""
    with store.reading(home) as connection:
        found = connection.execute("SELECT * FROM memories WHERE authority IN ('confirmed', 'locked') ORDER BY seq")
        return [(*(row | {"review_reason": None}).values(), row["review_reason"]) for row in map(row_dict, found)]


# Revisions


def revise(home: Home, memory_id: str | None, numbers: range) -> None:
    def act(change: Change) -> None:
        for number in numbers:
            change.insert(
                "memory_revisions",
                id=new_id("v"),
                memory_id=memory_id,
                content=f"Wording {number}.",
                snapshot="{}",
                actor="person:owner",
                created_at=ago(1_000 - number),
            )
        change.record("corrected", memory_id)

    step(home, act, actor=PERSON)


def revisions(home: Home, memory_id: str | None) -> list[tuple[str, int | None]]:
    with store.reading(home) as connection:
        found = connection.execute(
            "SELECT content, folded FROM memory_revisions WHERE memory_id = ? ORDER BY created_at", (memory_id,)
        )
        return [(row[0], row[1]) for row in found]


@pytest.mark.parametrize(("count", "milestone"), [(49, None), (50, None), (51, 2), (52, 3), (130, 81)])
def test_revisions_fold_into_a_milestone(home: Home, say: Say, clock: Clock, count: int, milestone: int | None) -> None:
    memory_id = say().memory_id
    endorse(home, memory_id)
    say("Works at Acme.")
    revise(home, memory_id, range(count))
    earlier, memory = rows(home), column(home, memory_id, "*")
    assert due(home, dormant_days=0).revisions == step(home, maintain.fold, 200) == (count > 50)
    left = revisions(home, memory_id)
    assert len(left) == min(count, 50)
    assert left[0] == ("Wording 0.", milestone)
    assert left[1:] == [(f"Wording {n}.", None) for n in range(max(1, count - 49), count)]
    assert sum(folded or 1 for _, folded in left) == count
    assert column(home, memory_id, "*") == memory
    after = rows(home)
    assert step(home, maintain.fold, 200) == 0
    assert rows(home) == after
    if milestone:
        take_back(home)
        assert rows(home) == earlier
    assert_whole(home)


def test_an_older_milestone_is_counted(home: Home, say: Say) -> None:
    """However often it is folded, nothing is lost from the count, and 50 rows are left."""
    memory_id = say().memory_id
    for start in range(0, 300, 60):
        revise(home, memory_id, range(start, start + 60))
        step(home, maintain.fold, 200)
        left = revisions(home, memory_id)
        assert (len(left), sum(folded or 1 for _, folded in left)) == (50, start + 60)
    assert revisions(home, memory_id)[0] == ("Wording 0.", 251)


def test_revisions_of_several_memories(home: Home, say: Say) -> None:
    ids = [say(f"Fact {n}.").memory_id for n in range(3)]
    for memory_id in ids:
        revise(home, memory_id, range(60))
    assert [step(home, maintain.fold, 2) for _ in range(3)] == [2, 1, 0]
    assert [len(revisions(home, memory_id)) for memory_id in ids] == [50, 50, 50]


# Archived lenses


def test_the_newest_lenses_are_kept(home: Home) -> None:
    with store.writing(home) as connection:
        connection.executemany(
            "INSERT INTO lens_archive (id, payload, included, truncated, created_at) VALUES (?, 'x', '[]', '[]', ?)",
            [(f"l_{n:03}", ago(500 - n)) for n in range(305)],
        )
    assert due(home).lenses == 105
    counts = [step(home, lambda change: maintain.prune_lenses(change.connection, 100)) for _ in range(3)]
    assert counts == [100, 5, 0]
    with store.reading(home) as connection:
        left = [row[0] for row in connection.execute("SELECT id FROM lens_archive ORDER BY id")]
    assert left == [f"l_{n:03}" for n in range(105, 305)]
    assert due(home).lenses == 0


def test_the_newest_lens_of_each_reader_is_kept(home: Home) -> None:
    """Ten old lenses of four readers, then 200 of one of them."""
    readers = [("a", None, None), ("a", "/p", None), ("a", "/p", "w"), ("b", None, None)]
    old = [(f"o_{n:03}", *readers[n % 4], ago(900 - n)) for n in range(10)]
    new = [(f"n_{n:03}", *readers[0], ago(500 - n)) for n in range(200)]
    with store.writing(home) as connection:
        connection.executemany(
            "INSERT INTO lens_archive (id, agent, project_key, workspace_key, created_at, payload, included, truncated)"
            " VALUES (?, ?, ?, ?, ?, 'x', '[]', '[]')",
            old + new,
        )
    assert due(home).lenses == 7
    counts = [step(home, lambda change: maintain.prune_lenses(change.connection, 5)) for _ in range(3)]
    assert counts == [5, 2, 0]
    with store.reading(home) as connection:
        left = [row[0] for row in connection.execute("SELECT id FROM lens_archive WHERE id > 'o' ORDER BY id")]
    assert left == ["o_006", "o_007", "o_009"]
    assert due(home).lenses == 0


# What can be found by meaning


def test_findable_is_what_is_in_force_at_any_time(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(50))
    kept = {
        say("Plain.").memory_id: "Plain.",
        say("From August.", valid_from="2026-08-01").memory_id: "From August.",
        say("Until August.", valid_to="2026-08-01").memory_id: "Until August.",
        say("Lives in Berlin.", fact_key="home").memory_id: "Lives in Berlin.",
        say("Until May.", valid_to="2026-05-01", valid_from="2026-01-01").memory_id: "Until May.",
        say("Expired.", expires_at="2026-05-01", valid_from="2026-01-01").memory_id: "Expired.",
    }
    say("Waits.", **WAITS)
    step(home, review.accept, say("Secret.", privacy=Privacy.SECRET).memory_id, actor=PERSON)
    step(home, review.reject, say("Wrong.").memory_id, actor=PERSON)
    step(home, standing.archive, say("Put away.").memory_id, actor=PERSON)
    later = say("Lives in Bonn.", fact_key="home", valid_from="2026-07-01", observed_at="2026-05-01")
    assert later.superseded
    kept[later.memory_id] = "Lives in Bonn."
    with store.reading(home) as connection:
        assert maintain.findable(connection) == kept


# Spot checks


def draw(home: Home, count: int = 5, seed: int = 1) -> list[str]:
    found: list[str] = step(home, spot_checks.draw, count, random.Random(seed))
    return found


def test_a_draw_is_said_with_its_probability(home: Home, say: Say, clock: Clock) -> None:
    clock(NOW)
    ids = [say(f"Fact {n}.").memory_id for n in range(20)]
    earlier = rows(home)
    assert due(home, spot_checks=5).spot_checks == 5
    drawn = draw(home)
    assert drawn == random.Random(1).sample(ids, 5)
    assert {column(home, memory_id, "status", "review_reason") for memory_id in drawn} == {("active", "spot_check")}
    assert [event["memory_id"] for event in events(home, "spot_check")] == drawn
    assert all(
        event["details"] == {"probability": 0.25, "drawn_from": 20} and event["actor"] == "system:maintenance"
        for event in events(home, "spot_check")
    )
    assert {column(home, memory_id, "review_reason") for memory_id in set(ids) - set(drawn)} == {(None,)}
    take_back(home)
    assert rows(home) == earlier
    assert_whole(home)


@pytest.mark.parametrize(("count", "there", "drawn", "probability"), [(5, 3, 3, 1.0), (1, 3, 1, 1 / 3), (0, 3, 0, 0)])
def test_few_or_none(home: Home, say: Say, count: int, there: int, drawn: int, probability: float) -> None:
    for number in range(there):
        say(f"Fact {number}.")
    assert due(home, spot_checks=count).spot_checks == len(draw(home, count)) == drawn
    assert {event["details"]["probability"] for event in events(home, "spot_check")} <= {probability}


def test_an_empty_ledger_is_drawn_from_when_it_has_something(home: Home, say: Say) -> None:
    assert draw(home) == []
    memory_id = say().memory_id
    assert draw(home) == [memory_id]


WEEKS = {
    "the same day": ("2026-06-03T10:00:00.000000Z", False),
    "Sunday's last moment": ("2026-06-07T23:59:59.999999Z", False),
    "Monday's first moment": ("2026-06-08T00:00:00.000000Z", True),
    "the Monday before": ("2026-06-01T00:00:00.000000Z", False),
    "a clock set back a week": ("2026-05-31T23:59:59.999999Z", True),
}


@pytest.mark.parametrize("name", WEEKS)
def test_once_a_week(name: str, home: Home, say: Say, clock: Clock) -> None:
    later, again = WEEKS[name]
    clock("2026-05-01T00:00:00.000000Z")
    for number in range(40):
        say(f"Fact {number}.")
    clock(NOW)
    first = draw(home)
    clock(later)
    second = draw(home, seed=2)
    assert len(second) == (5 if again else 0)
    assert not set(first) & set(second)


def test_the_first_days_of_a_year_belong_to_the_week_before(home: Home, say: Say, clock: Clock) -> None:
    """2026-12-28 is the Monday of ISO week 53, to which 2027-01-03 belongs."""
    clock("2026-11-01T00:00:00.000000Z")
    for number in range(20):
        say(f"Fact {number}.")
    clock("2026-12-28T09:00:00.000000Z")
    assert len(draw(home)) == 5
    clock("2027-01-03T09:00:00.000000Z")
    assert draw(home) == []
    clock("2027-01-04T09:00:00.000000Z")
    assert len(draw(home)) == 5


def test_an_undone_draw_is_not_drawn_again_this_week(home: Home, say: Say, clock: Clock) -> None:
    clock(NOW)
    say()
    draw(home)
    take_back(home)
    assert draw(home) == []


def test_twelve_weeks_of_rest(home: Home, say: Say, clock: Clock) -> None:
    clock(NOW)
    memory_id = say().memory_id
    assert draw(home) == [memory_id]
    step(home, review.accept, memory_id, actor=PERSON)
    clock(ago(-83))
    assert draw(home) == []
    clock(ago(-85))
    assert draw(home) == [memory_id]
    assert column(home, memory_id, "status", "review_reason", "authority") == ("active", "spot_check", "confirmed")


def test_who_may_be_drawn(home: Home, say: Say, clock: Clock) -> None:
    clock(ago(50))
    drawable = {say("Plain.").memory_id}
    confirmed = say("Confirmed.").memory_id
    endorse(home, confirmed)
    drawable.add(confirmed)
    drawable.add(say("Lives in Bonn.", fact_key="home").memory_id)
    say("Waits.", **WAITS)
    say("From August.", valid_from="2026-08-01")
    say("Expired.", expires_at="2026-05-01", valid_from="2026-01-01")
    say("Until May.", valid_to="2026-05-01", valid_from="2026-01-01")
    step(home, review.reject, say("Wrong.").memory_id, actor=PERSON)
    say("Lives in Berlin.", fact_key="home", observed_at="2025-01-01")
    flagged = say("Flagged.").memory_id
    step(home, lambda change: (change.update("memories", flagged, review_reason="patrol"), change.record("x", flagged)))
    clock(NOW)
    assert set(draw(home, 100)) == drawable


@pytest.mark.parametrize("verdict", ["accept", "correct", "reject"])
def test_a_verdict_clears_it(home: Home, say: Say, verdict: str) -> None:
    memory_id = say().memory_id
    draw(home)
    args = ("Lives in Bonn.",) if verdict == "correct" else ()
    step(home, getattr(review, verdict), memory_id, *args, actor=PERSON)
    assert column(home, memory_id, "review_reason") == (None,)
