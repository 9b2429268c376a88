"""What too little speaks for is put before the person; what an agent says hides nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.ledger.acts import actions, get, put
from tests.ledger.conftest import BASE, rows
from workbench import db
from workbench.home import Home
from workbench.ledger import audit, doubt, relations, standing, store
from workbench.ledger.change import Change
from workbench.ledger.gate import check
from workbench.ledger.model import DREAMER, PERSON, Actor, Kind
from workbench.ledger.time import before
from workbench.ledger.write import propose
from workbench.operations import maintain, memories, review, rulings

AGENT = Actor("agent", "claude-code")
FILE = Actor("system", "MEMORY.md")


def challenge(home: Home, actor: Actor, **fields: object) -> tuple[str, str]:
    """An observed memory that was not said in so many words, and what contradicts it; returns both ids."""
    held = put(home, "Lives in Berlin.", fact_key="home", explicit=0, trust=0.6)
    candidate = replace(BASE, content="Lives in Munich.", fact_key="home", explicit=False, confidence=0.7, **fields)
    with store.writing(home) as connection:
        other = propose(Change(connection, actor), check(candidate)).memory_id
    assert other is not None
    return held, other


def stand(home: Home, memory_id: str) -> tuple[str, str | None, float]:
    row = get(home, memory_id)
    return row["status"], row["review_reason"], row["trust"]


@pytest.mark.parametrize(("actor", "status"), [(DREAMER, "needs_review"), (AGENT, "active"), (FILE, "active")], ids=str)
def test_what_an_agent_says_takes_nothing_out_of_force(home: Home, actor: Actor, status: str) -> None:
    held, _ = challenge(home, actor)
    assert stand(home, held) == (status, "contradicts", 0.3)
    assert actions(home, held)[-2:] == ["challenged", "doubted"]
    assert held in {item.memory.id for item in review.inbox(home).items}


def test_the_badge_goes_with_the_conflict(home: Home) -> None:
    held, other = challenge(home, AGENT)
    rulings.reject(home, PERSON, other)
    assert stand(home, held) == ("active", None, 0.6)
    rulings.undo(home, PERSON)
    assert stand(home, held) == ("active", "contradicts", 0.3)


def test_the_badge_stays_while_something_else_contradicts(home: Home) -> None:
    held, other = challenge(home, AGENT)
    second = put(home, "Lives in Porto.", "needs_review", "inferred")
    with store.writing(home) as connection:
        relations.link(Change(connection, PERSON), second, held, "contradicts")
    rulings.reject(home, PERSON, other)
    assert stand(home, held) == ("active", "contradicts", 0.3)


def test_undo_of_what_contradicts_puts_everything_back(home: Home) -> None:
    put(home, "Likes tea.")
    held = put(home, "Lives in Berlin.", fact_key="home", explicit=0, trust=0.6)
    before_ = rows(home)
    with store.writing(home) as connection:
        candidate = replace(BASE, content="Lives in Rome.", fact_key="home", explicit=False, confidence=0.7)
        propose(Change(connection, DREAMER), check(candidate))
    assert get(home, held)["status"] == "needs_review"
    rulings.undo(home, PERSON, memory_id=held)
    assert rows(home) == before_


@pytest.mark.parametrize("authority", ["confirmed", "locked"])
def test_what_the_person_endorsed_is_not_doubted(home: Home, authority: str) -> None:
    held = put(home, "Lives in Berlin.", authority=authority)
    other = put(home, "Lives in Munich.")
    with store.writing(home) as connection:
        relations.link(Change(connection, PERSON), other, held, "contradicts")
    assert stand(home, held) == ("active", None, 0.95)


def test_what_was_said_in_so_many_words_is_contested_and_stays(home: Home) -> None:
    held = put(home, "Lives in Berlin.", explicit=1, fact_key="home")
    other = put(home, "Lives in Munich.", explicit=1)
    with store.writing(home) as connection:
        relations.link(Change(connection, PERSON), other, held, "contradicts")
    assert stand(home, held) == ("active", None, 0.55), "0.55 is enough"


@pytest.mark.parametrize(("actor", "status"), [(PERSON, "needs_review"), (AGENT, "active")], ids=str)
def test_a_link_by_hand_weighs_as_much_as_who_wrote_it(home: Home, actor: Actor, status: str) -> None:
    held, other = put(home, "Lives in Berlin.", explicit=0), put(home, "Lives in Munich.", explicit=0)
    with store.writing(home) as connection:
        relations.link(Change(connection, actor), other, held, "contradicts")
    assert stand(home, held) == (status, "contradicts", 0.3)


def test_an_agents_guess_that_is_restored_hides_nothing(home: Home) -> None:
    held, other = challenge(home, AGENT)
    rulings.archive(home, PERSON, other)
    assert stand(home, held) == ("active", None, 0.6)
    with store.writing(home) as connection:
        standing.restore(Change(connection, PERSON), other)
    assert stand(home, held) == ("active", "contradicts", 0.3)


@pytest.mark.parametrize(
    ("fields", "days", "went"),
    [
        ({}, 4, True),
        ({}, 3, False),
        ({"explicit": 1, "seen_count": 4}, 25, False),
        ({"explicit": 1, "seen_count": 4}, 26, True),
        ({"kind": "fact"}, 900, False),
        ({"authority": "confirmed"}, 900, False),
        ({"authority": "locked"}, 900, False),
        ({"status": "archived"}, 900, False),
        ({"valid_to": "2026-03-01T00:00:00.000000Z"}, 900, False),
    ],
)
def test_what_is_bound_to_its_time_fades(home: Home, fields: dict[str, object], days: int, went: bool) -> None:
    seen = before(db.now(), days)
    given = {"kind": Kind.TEMPORAL, "explicit": 0, "valid_from": seen, "last_seen_at": seen, "created_at": seen}
    if fields.get("valid_to"):
        given["valid_from"] = "2026-01-01T00:00:00.000000Z"
    memory_id = put(home, "Is on holiday.", **{**given, **fields})
    assert maintain.plan(home).faded == went
    assert memories.standing(home).maintenance.faded == went
    assert maintain.run(home).faded == went
    row = get(home, memory_id)
    assert ((row["status"], row["review_reason"]) == ("needs_review", "mid_confidence")) == went
    assert (maintain.run(home).faded, maintain.plan(home).faded) == (0, 0)


def test_fading_goes_in_batches_and_is_whole(home: Home) -> None:
    ids = [
        put(home, f"Is away until day {n}.", kind=Kind.TEMPORAL, explicit=0, last_seen_at=before(db.now(), 10 + n))
        for n in range(5)
    ]
    with store.writing(home) as connection:
        assert doubt.fade(Change(connection, Actor("system", "maintenance")), 2) == 2
    waiting = [memory_id for memory_id in ids if get(home, memory_id)["status"] == "needs_review"]
    assert waiting == ids[3:], "longest unseen first"
    assert maintain.run(home).faded == 3
    audit.anchor(home, at=db.now())
    assert audit.verify(home).problems == []


@pytest.mark.parametrize("act", ["undo", "helpful"])
def test_what_the_person_has_touched_does_not_fade_at_once(
    home: Home, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = before(db.now(), 10)
    memory_id = put(home, "Is on holiday.", kind=Kind.TEMPORAL, explicit=0, last_seen_at=seen, created_at=seen)
    if act == "undo":
        assert maintain.run(home).faded == 1
        rulings.undo(home, PERSON, memory_id=memory_id)
    else:
        rulings.feedback(home, PERSON, memory_id, True)
    assert get(home, memory_id)["status"] == "active"
    assert maintain.run(home).faded == 0
    later = before(db.now(), -31)
    monkeypatch.setattr(db, "now", lambda: later)
    assert maintain.plan(home).faded == 1


def test_a_mark_that_takes_too_much_trust_sends_it_to_the_inbox(home: Home) -> None:
    memory_id = put(home, "Lives in Berlin.", explicit=0)
    rulings.feedback(home, PERSON, memory_id, False)
    assert stand(home, memory_id) == ("needs_review", "mid_confidence", 0.45)
    assert actions(home, memory_id)[-2:] == ["feedback", "doubted"]
