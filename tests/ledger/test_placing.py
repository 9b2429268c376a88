"""Where a memory stands in time among those of its fact, whoever says it and whenever."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.ledger.conftest import BASE, rows
from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, gate, merging, standing, store, time, write
from workbench.ledger.change import Change
from workbench.ledger.filters import IN_FORCE
from workbench.ledger.lifecycle import NeedsConfirmation
from workbench.ledger.model import DREAMER, PERSON, Actor, Evidence, Privacy, Proposal, SourceType
from workbench.ledger.placing import about_others
from workbench.operations import memories, rulings

Add = Callable[..., Proposal]
HOME = "profile.home"


@pytest.fixture
def add(home: Home) -> Add:
    """Say something of the fact as the person, as one types it: with stated times, and said now."""

    def act(content: str, *, actor: Actor = PERSON, **fields: Any) -> Proposal:
        given = {"fact_key": HOME, "explicit": True, "confidence": None} | fields
        checked = gate.check(replace(BASE, content=content, **given))
        with store.writing(home) as connection:
            return write.propose(Change(connection, actor), checked)

    return act


def held_at(home: Home, *days: str, key: str = HOME) -> list[list[str]]:
    """What was in force of the fact on each of these days."""
    with store.reading(home) as connection:
        return [
            [
                row[0]
                for row in connection.execute(
                    f"SELECT m.content FROM memories m WHERE {IN_FORCE} AND m.fact_key = :key ORDER BY m.seq",
                    {"at": time.instant(day), "key": key},
                )
            ]
            for day in days
        ]


def sound(home: Home) -> None:
    audit.anchor(home, at=db.now())
    assert memories.verify_audit(home).problems == []


BERLIN, ROME, OSLO = "Lives in Berlin.", "Lives in Rome.", "Lives in Oslo."


def test_a_person_may_say_from_when_it_holds(home: Home, add: Add) -> None:
    add(BERLIN, valid_from="2020-01-01")
    second = add(ROME, valid_from="2026-01-01")
    assert (second.status, len(second.superseded)) == ("active", 1)
    assert held_at(home, "2019-06-01", "2021-06-01", "2025-06-01", "2026-06-01") == [[], [BERLIN], [BERLIN], [ROME]]


def test_what_a_person_says_of_a_time_before_is_history(home: Home, add: Add) -> None:
    add(ROME, valid_from="2026-01-01")
    second = add(BERLIN, valid_from="2020-01-01")
    assert (second.status, second.superseded) == ("superseded", ())
    assert held_at(home, "2021-06-01", "2025-12-30", "2026-06-01") == [[BERLIN], [BERLIN], [ROME]]


def test_a_time_that_is_over_ends_what_goes_on_only_when_the_person_says_so(home: Home, add: Add) -> None:
    add(BERLIN, valid_from="2020-01-01")
    past = {"valid_from": "2022-01-01", "valid_to": "2022-12-31"}
    before = rows(home)
    with pytest.raises(
        NeedsConfirmation, match=f"this is over since .* ends .* which goes on: {BERLIN.removesuffix('.')}"
    ):
        add(ROME, **past)
    assert rows(home) == before
    guess = add(ROME, actor=Actor("agent", "x"), **past)
    assert (guess.status, guess.review_reason) == ("needs_review", "supersede_proposal")
    with pytest.raises(NeedsConfirmation, match="this is over since"):
        rulings.accept(home, PERSON, guess.memory_id or "")
    rulings.accept(home, PERSON, guess.memory_id or "", confirm_locked=True)
    days = ("2021-06-01", "2022-06-01", "2024-06-01")
    assert held_at(home, *days) == [[BERLIN], [ROME], []]
    rulings.undo(home, PERSON)
    assert held_at(home, *days) == [[BERLIN]] * 3
    sound(home)


def test_what_an_agent_says_of_a_time_that_is_over_waits(home: Home, add: Add) -> None:
    said = {"actor": DREAMER, "confidence": 0.9}
    add(BERLIN, observed_at="2020-01-01", **said)
    late = add(ROME, observed_at="2026-01-01", valid_from="2022-01-01", valid_to="2022-12-31", **said)
    assert (late.status, late.review_reason, late.superseded) == ("needs_review", "contradicts", ())
    assert held_at(home, "2022-06-01", "2026-06-01") == [[BERLIN], [BERLIN]]


def test_what_goes_on_holds_again_after_what_is_over(home: Home, add: Add) -> None:
    add(ROME, valid_from="2022-01-01", valid_to="2022-12-31")
    second = add(BERLIN, valid_from="2020-01-01")
    assert second.status == "active"
    assert held_at(home, "2022-06-01", "2023-06-01", "2026-06-01") == [[ROME], [BERLIN], [BERLIN]]
    third = add(OSLO, valid_from="2023-01-15")
    assert (third.superseded, held_at(home, "2023-01-05", "2026-06-01")) == ((second.memory_id,), [[BERLIN], [OSLO]])


def test_a_beginning_that_lies_ahead_leaves_the_holder_in_force(home: Home, add: Add) -> None:
    add(BERLIN, valid_from="2020-01-01")
    add(ROME, valid_from="2099-01-01")
    assert held_at(home, "2026-06-01", "2098-12-30", "2099-06-01") == [[BERLIN], [BERLIN], [ROME]]
    add(OSLO, valid_from="2030-01-01")
    assert held_at(home, "2029-06-01", "2031-06-01", "2099-06-01") == [[BERLIN], [OSLO], [ROME]]


def test_a_guess_that_the_person_repeats_takes_its_place_alone(home: Home, add: Add) -> None:
    add(BERLIN, valid_from="2020-01-01")
    add(OSLO, actor=Actor("agent", "x"), explicit=False)
    add(ROME, valid_from="2099-01-01")
    add(OSLO)
    assert held_at(home, "2098-06-01", "2099-06-01") == [[OSLO], [OSLO]]
    sound(home)


@pytest.mark.parametrize("back", ["restore", "split"])
def test_what_comes_back_holds_alone_from_now(home: Home, add: Add, back: str) -> None:
    first = add(OSLO, valid_from="2020-01-01").memory_id or ""
    key = HOME
    if back == "restore":
        rulings.archive(home, PERSON, first)
        add(BERLIN, valid_from="2021-01-01")
        ahead = add(ROME, valid_from="2099-01-01").memory_id or ""
        rulings.archive(home, PERSON, ahead)
        with store.writing(home) as connection:
            standing.restore(Change(connection, PERSON), first)
    else:
        add(BERLIN, valid_from="2021-01-01")
        key = "profile.cabin"
        with store.writing(home) as connection:
            merging.split(Change(connection, PERSON), first, key)
    assert [len(found) for found in held_at(home, "2098-06-01", key=key)] == [1]
    sound(home)


@pytest.mark.parametrize(
    ("stated", "named"),
    [({"valid_to": "2015-01-01"}, "ended"), ({"expires_at": "2015-01-01"}, "expired")],
)
def test_an_end_without_a_beginning_is_refused(home: Home, add: Add, stated: dict[str, str], named: str) -> None:
    before = rows(home)
    with pytest.raises(time.BadPeriod, match=f"it {named} at .* from when it held"):
        add(ROME, **stated)
    assert rows(home) == before


class TestWhoseWord:
    """The person's word replaces what agents say, of now and of times to come; an agent's leaves theirs as it is."""

    def test_an_agents_future_does_not_outlast_the_person(self, home: Home, add: Add) -> None:
        ahead = add("Uses Emacs.", actor=Actor("agent", "x"), valid_from="2099-01-01")
        assert ahead.status == "active"
        said = add("Uses Helix.")
        assert (said.status, said.superseded) == ("active", (ahead.memory_id,))
        assert held_at(home, "2098-06-01", "2099-06-01") == [["Uses Helix."]] * 2

    def test_a_source_whose_clock_runs_ahead_is_not_newer_than_the_person(self, home: Home, add: Add) -> None:
        soon = time.stamp(datetime.now(UTC) + timedelta(hours=20))
        add("Uses Emacs.", actor=DREAMER, confidence=0.9, observed_at=soon)
        said = add("Uses Helix.")
        assert (said.status, held_at(home, "2099-01-01")) == ("active", [["Uses Helix."]])

    @pytest.mark.parametrize("actor", [Actor("agent", "x"), Actor("system", "import")])
    def test_a_word_on_what_is_locked_changes_no_byte(self, home: Home, add: Add, actor: Actor) -> None:
        locked = add(BERLIN).memory_id or ""
        rulings.lock(home, PERSON, locked)
        before = rows(home)
        quoted = (Evidence(SourceType.FILE, "a.md", "made up"),)
        again = add(BERLIN, actor=actor, explicit=False, evidence=quoted, observed_at="2026-11-01", importance=1)
        assert (again.outcome, again.memory_id) == ("seen_again", locked)
        assert rows(home) == before

    def test_accepting_an_old_claim_leaves_the_past_of_what_was_confirmed(self, home: Home, add: Add) -> None:
        add(BERLIN, valid_from="2020-01-01")
        claim = add(ROME, actor=Actor("agent", "x"), explicit=False, valid_from="1995-01-01").memory_id or ""
        rulings.accept(home, PERSON, claim)
        assert held_at(home, "2000-01-01", "2022-01-01", "2099-01-01") == [[], [BERLIN], [ROME]]

    def test_the_persons_tags_replace_nothing(self, home: Home, add: Add) -> None:
        add("The database is MariaDB.", fact_key="project.database")
        other = add("Backups run at three.", fact_key=None, tags=("database",))
        assert (other.superseded, memories.list_memories(home).total) == ((), 2)


class TestKnown:
    """What the person says about a statement that is known is not lost."""

    def test_key_time_weight_and_privacy(self, home: Home, add: Add) -> None:
        holder = add(BERLIN)
        add(OSLO, actor=Actor("agent", "x"), explicit=False, fact_key=None)
        again = add(OSLO, privacy=Privacy.SECRET, importance=90, expires_at="2099-01-01")
        assert (again.outcome, again.superseded) == ("seen_again", (holder.memory_id,))
        found = memories.show(home, again.memory_id or "").memory
        assert (found.fact_key, found.privacy, found.importance) == (HOME, "secret", 90)
        assert (found.expires_at or "")[:10] == time.end("2099-01-01")[:10]
        assert held_at(home, "2098-01-01") == [[OSLO]]

    def test_of_what_is_confirmed_already(self, home: Home, add: Add) -> None:
        first = add(BERLIN, fact_key=None)
        add(BERLIN, fact_key=HOME)
        assert held_at(home, db.now()) == [[BERLIN]]
        with pytest.raises(time.BadPeriod):
            add(BERLIN, valid_to="2026-01-01", valid_from="2025-12-31", expires_at="2025-12-30")
        before = rows(home)
        with pytest.raises(WorkbenchError):
            add(BERLIN, expires_at="2020-01-01")
        assert rows(home) == before
        assert memories.show(home, first.memory_id or "").memory.authority == "confirmed"

    def test_an_agent_restates_nothing(self, home: Home, add: Add) -> None:
        first = add(BERLIN)
        row = memories.show(home, first.memory_id or "").memory
        for explicit in (True, False):
            add(BERLIN, actor=Actor("agent", "x"), explicit=explicit, fact_key="other", importance=1, privacy="secret")
        after = memories.show(home, first.memory_id or "").memory
        changed = {"seen_count", "last_seen_at", "updated_at", "trust"}
        assert after.model_dump(exclude=changed) == row.model_dump(exclude=changed)


class TestRetries:
    """A retry is the same write, whatever became of it."""

    def test_on_a_known_text(self, home: Home, add: Add) -> None:
        first = add(BERLIN, actor=DREAMER, confidence=0.9, observed_at="2026-01-01")
        add(BERLIN, actor=DREAMER, confidence=0.9, idempotency_key="k")
        before = rows(home)
        for _ in range(3):
            again = add(BERLIN, actor=DREAMER, confidence=0.9, idempotency_key="k")
            assert (again.outcome, again.memory_id) == ("repeated", first.memory_id)
        assert rows(home) == before

    def test_after_a_correction_and_after_an_undo(self, home: Home, add: Add) -> None:
        first = add(BERLIN, actor=Actor("agent", "x"), explicit=False, idempotency_key="k").memory_id or ""
        rulings.correct(home, PERSON, first, "Lives near Berlin.")
        again = add(BERLIN, actor=Actor("agent", "x"), explicit=False, idempotency_key="k")
        assert (again.outcome, again.memory_id, again.status) == ("repeated", first, "active")
        rulings.undo(home, PERSON, memory_id=first)
        rulings.undo(home, PERSON, memory_id=first)
        fresh = add(ROME, actor=Actor("agent", "x"), explicit=False, idempotency_key="k")
        assert (fresh.outcome, fresh.memory_id != first) == ("created", True)


@pytest.mark.parametrize(
    ("one", "other", "different"),
    [
        ("Bob works at Initech.", "Alice works at Acme.", True),
        ("Bob works at Initech.", "bob works at Acme.", False),
        ("Bob works at Initech.", "Bob works at Acme.", False),
        ("Anna Berg is the lead.", "Anna Lind is the lead.", True),
        ("Works at Initech.", "Works at Acme.", False),
        ("Uses Vim.", "Prefers Emacs.", False),
        ("Prefers tabs in Go.", "Likes spaces in Go.", False),
    ],
)
def test_who_a_statement_is_about(one: str, other: str, different: bool) -> None:
    assert about_others(one, other) is different


def test_two_subjects_never_retire_each_other(home: Home, add: Add) -> None:
    said = {"fact_key": "works.at", "actor": DREAMER, "confidence": 0.9}
    alice = add("Alice works at Acme.", observed_at="2026-01-01", **said)
    bob = add("Bob works at Initech.", observed_at="2026-02-01", **said)
    assert (alice.status, bob.status, bob.review_reason, bob.superseded) == (
        "active",
        "needs_review",
        "contradicts",
        (),
    )
    with pytest.raises(write.Conflict, match="about somebody else"):
        add("Carla works at Hooli.", fact_key="works.at")
    assert held_at(home, db.now(), key="works.at") == [["Alice works at Acme."]]


def test_a_refused_sighting_leaves_no_evidence(home: Home, add: Add) -> None:
    held = add(BERLIN).memory_id or ""
    rulings.lock(home, PERSON, held)
    add(OSLO, actor=Actor("agent", "x"), explicit=False)
    before = rows(home)
    quoted = (Evidence(SourceType.FILE, "a.md", "x"),)
    with store.writing(home) as connection, pytest.raises(WorkbenchError, match="you locked"):
        checked = gate.check(replace(BASE, content=OSLO, fact_key=HOME, evidence=quoted))
        write.propose(Change(connection, PERSON), checked)
    assert rows(home) == before
