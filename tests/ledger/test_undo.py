"""Undo: of every act, of an act and what came after it, of an undo; and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.ledger.acts import MARCH, get, put
from tests.ledger.conftest import BASE, rows
from workbench import db
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, gate, lifecycle, requests, store, write
from workbench.ledger.change import Change
from workbench.ledger.model import DREAMER, PERSON, Actor, Proposal
from workbench.ledger.undo import LaterChange, describe, last_change
from workbench.operations import erase as erasing
from workbench.operations import memories, rulings

Say = Callable[..., Proposal]
CODEX = Actor("agent", "codex")


def contested(home: Home) -> tuple[str, str]:
    """(a memory in force, one that waits and contradicts it), with evidence, as writes leave them."""
    held = put(home, "Lives in Berlin.", authority="confirmed", fact_key="home")
    waiting = put(home, "Lives in Munich.", "needs_review", "inferred", fact_key="home", valid_from=MARCH)
    with store.writing(home) as connection:
        change = Change(connection, DREAMER)
        change.insert(
            "memory_relations",
            id=f"r_{waiting}",
            memory_id=waiting,
            related_id=held,
            type="contradicts",
            actor=str(DREAMER),
            created_at=change.at,
        )
        change.record("challenged", held, by=waiting)
    return held, waiting


def act_on(home: Home, act: str) -> tuple[dict[str, list[tuple[Any, ...]]], str]:
    """Do one act where there is something for it to do: (the rows before it, its change)."""
    held, waiting = contested(home)
    double = put(home, "Has a flat in Munich.", "needs_review", "observed")
    gone = put(home, "Lives in Porto.", "superseded", "locked", fact_key="home", superseded_by=held)
    away = put(home, "Lives in Rome.", "archived", "observed")
    locked = put(home, "Never deploys on Fridays.", authority="locked")
    request = rulings.ask(home, CODEX, "reject", waiting, reason="wrong town").request.id
    todo: dict[str, Callable[[], Any]] = {
        "accept": lambda: rulings.accept(home, PERSON, waiting),
        "reject": lambda: rulings.reject(home, PERSON, held, "moved"),
        "correct": lambda: rulings.correct(home, PERSON, waiting, "Lives near Munich."),
        "lock": lambda: rulings.lock(home, PERSON, waiting),
        "unlock": lambda: rulings.unlock(home, PERSON, locked),
        "core": lambda: rulings.set_core(home, PERSON, held),
        "archive": lambda: rulings.archive(home, PERSON, waiting),
        "restore": lambda: rulings.restore(home, PERSON, away),
        "split": lambda: rulings.split(home, PERSON, gone, "second-home", confirm_locked=True),
        "rekey": lambda: rulings.rekey(home, PERSON, locked, "home", replace=True),
        "merge": lambda: rulings.merge(home, PERSON, waiting, [double]),
        "helpful": lambda: rulings.feedback(home, PERSON, waiting, True, "yes"),
        "grant": lambda: rulings.accept(home, PERSON, request),
        "refuse": lambda: rulings.reject(home, PERSON, request),
        "ask": lambda: rulings.ask(home, CODEX, "archive", waiting),
    }
    before = rows(home)
    todo[act]()
    with store.reading(home) as connection:
        return before, last_change(connection)


ACTS = ("accept", "reject", "correct", "lock", "unlock", "core", "archive", "restore", "split", "rekey", "merge")


@pytest.mark.parametrize("act", [*ACTS, "helpful", "grant", "refuse", "ask"])
def test_undo_gives_back_every_row_and_undoing_that_does_it_again(home: Home, act: str) -> None:
    before, change = act_on(home, act)
    after = rows(home)
    assert after != before
    undone = rulings.undo(home, PERSON, change_id=change)
    assert rows(home) == before
    assert rulings.undo(home, PERSON, change_id=undone.undone_by).change_id == undone.undone_by
    assert rows(home) == after
    audit.anchor(home, at=db.now())
    assert memories.verify_audit(home).problems == []


def test_every_act_is_undone_here() -> None:
    assert set(ACTS) == set(requests.ACTS) - {"uncore", "erase"}


def test_without_an_id_the_persons_last_change_goes(home: Home, say: Say) -> None:
    mine = say("Likes tea.").memory_id or ""
    rulings.lock(home, PERSON, mine)
    learned = say("Lives in Berlin.").memory_id or ""
    undone = rulings.undo(home, PERSON)
    assert [(item.action, item.actor, item.memories) for item in undone.undone] == [("locked", "person:owner", [mine])]
    assert get(home, learned)["status"] == "active"
    with pytest.raises(NotFound, match="nothing to undo"):
        rulings.undo(home, PERSON)
    assert rulings.undo(home, PERSON, memory_id=learned).undone[0].action == "created"


def test_an_erase_is_said_once_and_passed_over(home: Home, say: Say) -> None:
    one, two, three = (
        say(f"Likes {tea} tea.", actor=actor).memory_id or ""
        for tea, actor in (("green", PERSON), ("black", Actor("agent", "x")), ("white", PERSON))
    )
    rulings.accept(home, PERSON, two)
    erasing.erase(home, PERSON, [two])
    with pytest.raises(lifecycle.NeedsYes, match=r"an erase, which is final; before it came c_\w+ \(created"):
        rulings.undo(home, PERSON)
    assert rulings.undo(home, PERSON, confirmed=True).memory_ids == [three]
    assert rulings.undo(home, PERSON).memory_ids == [one]
    with pytest.raises(NotFound, match=r"nothing to undo of yours; .*undo ID"):
        rulings.undo(home, PERSON)


def test_what_was_done_again_is_the_last_change_again(home: Home) -> None:
    memory_id = put(home, "Likes tea.")
    done = rulings.lock(home, PERSON, memory_id).change_id
    for _ in range(3):
        undone = rulings.undo(home, PERSON)
        assert undone.change_id == done
        assert get(home, memory_id)["authority"] == "observed"
        rulings.undo(home, PERSON, change_id=undone.undone_by)
        assert get(home, memory_id)["authority"] == "locked"


def test_a_refusal_names_the_later_change_and_the_remedy(home: Home) -> None:
    memory_id = put(home, "Likes tea.")
    first = rulings.accept(home, PERSON, memory_id).change_id
    second = rulings.lock(home, PERSON, memory_id).change_id
    with pytest.raises(LaterChange, match=rf"{second} \(locked, 2.*undo --change {first} --with-later"):
        rulings.undo(home, PERSON, change_id=first)


def test_with_later_takes_back_what_stands_on_it_too(home: Home) -> None:
    """The third change touches the first one's memory only through the second's."""
    first, second = put(home, "Likes tea."), put(home, "Drinks tea.", fact_key="drink")
    states = [rows(home)]
    done = [rulings.accept(home, PERSON, first).change_id]
    done.append(rulings.merge(home, PERSON, first, [second]).change_id)
    unrelated = rulings.lock(home, PERSON, put(home, "Lives in Berlin.")).change_id
    done.append(rulings.split(home, PERSON, second, "drinks").change_id)
    states.append(rows(home))
    with pytest.raises(lifecycle.NeedsConfirmation, match=f"3 changes: {done[2]} .*{done[1]} .*{done[0]} .*--yes"):
        rulings.undo(home, PERSON, change_id=done[0], with_later=True)
    assert rows(home) == states[-1]
    undone = rulings.undo(home, PERSON, change_id=done[0], with_later=True, confirmed=True)
    assert [item.id for item in undone.undone] == done[::-1]
    assert [item.action for item in undone.undone] == ["split", "merged", "accepted"]
    assert set(rows(home)["memories"]) >= set(states[0]["memories"])
    assert rows(home)["memory_relations"] == states[0]["memory_relations"]
    rulings.undo(home, PERSON, change_id=undone.undone_by)
    assert rows(home) == states[-1], "one undo brings all three back"
    with store.reading(home) as connection:
        assert last_change(connection, by="person") == done[2]
        assert describe(connection, unrelated or "").action == "locked"


def test_with_later_leaves_alone_what_was_undone_meanwhile(home: Home) -> None:
    memory_id = put(home, "Likes tea.")
    start = rows(home)
    first = rulings.accept(home, PERSON, memory_id).change_id
    rulings.lock(home, PERSON, memory_id)
    again = rulings.undo(home, PERSON).undone_by
    rulings.undo(home, PERSON, change_id=again)
    rulings.undo(home, PERSON)
    last = rulings.set_core(home, PERSON, memory_id).change_id
    undone = rulings.undo(home, PERSON, change_id=first, with_later=True, confirmed=True)
    assert [item.id for item in undone.undone] == [last, first]
    assert rows(home) == start
    remedy = f"{first} is undone already; .*undo --change {undone.undone_by}` does it"
    remedy = f"{first} is undone already; .*undo --change {undone.undone_by}` does it"
    for with_later in (True, False):
        with pytest.raises(LaterChange, match=remedy):
            rulings.undo(home, PERSON, change_id=first, with_later=with_later, confirmed=True)
    rulings.undo(home, PERSON, change_id=undone.undone_by)
    assert (get(home, memory_id)["authority"], get(home, memory_id)["tier"]) == ("confirmed", "core")


def test_with_later_goes_through_an_undo_of_something_older(home: Home) -> None:
    memory_id = put(home, "Likes tea.")
    first = rulings.accept(home, PERSON, memory_id).change_id
    second = rulings.lock(home, PERSON, memory_id).change_id
    locked = rows(home)
    both = rulings.undo(home, PERSON, change_id=first, with_later=True, confirmed=True)
    third = rulings.archive(home, PERSON, memory_id).change_id
    undone = rulings.undo(home, PERSON, change_id=both.undone_by, with_later=True, confirmed=True)
    assert [item.id for item in undone.undone] == [third, both.undone_by]
    assert rows(home) == locked
    with store.reading(home) as connection:
        assert last_change(connection) == second


def test_a_single_change_asks_nothing(home: Home) -> None:
    memory_id = put(home, "Likes tea.")
    change = rulings.accept(home, PERSON, memory_id).change_id
    assert rulings.undo(home, PERSON, change_id=change, with_later=True).change_id == change


def test_many_changes_want_their_number(home: Home) -> None:
    memory_id = put(home, "Likes tea.")
    start = rows(home)
    first = rulings.accept(home, PERSON, memory_id).change_id
    for number in range(20):
        rulings.set_core(home, PERSON, memory_id, number % 2 == 0)
    before = rows(home)
    for count in (None, 20, 22):
        with pytest.raises(lifecycle.NeedsConfirmation, match="--count 21"):
            rulings.undo(home, PERSON, change_id=first, with_later=True, confirmed=True, count=count)
        assert rows(home) == before
    assert len(rulings.undo(home, PERSON, change_id=first, with_later=True, confirmed=True, count=21).undone) == 21
    assert rows(home) == start


def test_what_has_taken_its_place_is_named(home: Home) -> None:
    memory_id = put(home, "Lives in Berlin.", fact_key="home")
    away = rulings.archive(home, PERSON, memory_id).change_id
    other = put(home, "Lives in Munich.", fact_key="home")
    before = rows(home)
    for later in (False, True):
        with pytest.raises(LaterChange, match=f"{other} has taken its place"):
            rulings.undo(home, PERSON, change_id=away, with_later=later)
        assert rows(home) == before


def test_an_erase_is_final(home: Home) -> None:
    memory_id = put(home, "Likes tea.")
    accepted = rulings.accept(home, PERSON, memory_id).change_id
    with store.writing(home) as connection:
        change = Change(connection, PERSON)
        change.record("erased", memory_id)
        connection.execute("DELETE FROM event_payloads WHERE seq IN (SELECT seq FROM memory_events)")
    for erased in (change.id, accepted):
        with pytest.raises(WorkbenchError, match="an erase is final"):
            rulings.undo(home, PERSON, change_id=erased)


@pytest.mark.parametrize("actor", [DREAMER, CODEX, Actor("system", "maintenance")])
def test_only_the_person_undoes(home: Home, actor: Actor) -> None:
    memory_id = put(home, "Likes tea.")
    change = rulings.accept(home, PERSON, memory_id).change_id
    before = rows(home)
    for wanted in ({}, {"memory_id": memory_id}, {"change_id": change}, {"with_later": True, "confirmed": True}):
        with pytest.raises(lifecycle.PersonOnly, match=f"not {actor}"):
            rulings.undo(home, actor, **wanted)
    assert rows(home) == before


def test_an_unknown_change_is_named(home: Home) -> None:
    for later in (False, True):
        with pytest.raises(NotFound, match="c_nope"):
            rulings.undo(home, PERSON, change_id="c_nope", with_later=later)


def test_what_an_agent_hung_on_a_memory_is_named_and_taken_back_too(home: Home) -> None:
    """A waiting proposal that contradicts a memory refers to it: undoing the memory alone can't be, and says why."""
    agent = Actor("agent", "x")
    empty = rows(home)

    def say(actor: Actor, content: str) -> str:
        candidate = replace(BASE, content=content, fact_key="branch", explicit=actor is PERSON, observed_at=None)
        with store.writing(home) as connection:
            change = Change(connection, actor)
            write.propose(change, gate.check(candidate))
        return change.id

    mine, theirs = say(PERSON, "Deploys from main."), say(agent, "Deploys from release.")
    with pytest.raises(LaterChange, match=f"{theirs} refers to .* --change {mine} --with-later"):
        rulings.undo(home, PERSON)
    done = rulings.undo(home, PERSON, change_id=mine, with_later=True, confirmed=True)
    assert [each.id for each in done.undone] == [theirs, mine]
    assert rows(home) == empty
