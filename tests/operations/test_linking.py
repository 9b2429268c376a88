"""Links, forgetting and checkpoints as operations: who sees what, what is answered, what reaches MEMORY.md."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.ledger.filters import Reader
from workbench.ledger.gate import SecretRefused
from workbench.ledger.lifecycle import PersonOnly
from workbench.ledger.model import PERSON, Actor, Candidate, Kind
from workbench.operations import linking, memories, review, rulings
from workbench.operations.linking import Item
from workbench.operations.remember import remember
from workbench.operations.why import why

CLAUDE = Actor("agent", "claude")
HERE = Reader("claude", "/a")


def say(home: Home, content: str, *, actor: Actor = CLAUDE, **fields: Any) -> str:
    candidate = Candidate(content, Kind.FACT, explicit=False, confidence=None, **fields)
    result = remember(home, actor, candidate)
    assert result.memory is not None
    return result.memory.id


@pytest.fixture
def keeping(home: Home) -> Home:
    """A home where what agents say is in force at once."""
    home.config.write_text('{"ledger": {"agentWrites": "keep"}}')
    return home


def test_a_link_says_what_it_did(home: Home) -> None:
    one, other = say(home, "Uses Postgres."), say(home, "Billing needs a database.")
    first = linking.link(home, CLAUDE, one[:12], other[2:14], "supports", reader=HERE)
    assert (first.memory.id, first.related and first.related.id, first.changed, first.backlog) == (one, other, True, 0)
    assert first.message == f"{one} supports {other}; {one} waits for the person"
    again = linking.link(home, CLAUDE, one, other, "supports", reader=HERE)
    assert (again.changed, again.change_id) == (False, None)
    assert again.message.startswith("unchanged")
    found = why(home, other)
    assert [(each.type, each.outgoing, each.other_id) for each in found.relations] == [("supports", False, one)]
    gone = linking.unlink(home, PERSON, one, other, "supports")
    assert gone.changed
    assert why(home, other).relations == []
    assert rulings.undo(home, PERSON, change_id=gone.change_id).memory_ids == [one]
    assert len(why(home, other).relations) == 1


def test_a_contradiction_leaves_memory_md_until_the_person_rules(keeping: Home) -> None:
    one, other = say(keeping, "The port is 8080."), say(keeping, "The port is 9090.")
    assert "8080" in keeping.memory_md.read_text()
    said = linking.link(keeping, CLAUDE, one, other, "contradicts", reader=HERE).message
    assert said == f"{one} contradicts {other}; {one} waits for the person; {other} stays in force and is in the inbox"
    text = keeping.memory_md.read_text()
    assert ("8080" in text, "9090" in text) == (False, True)
    waiting = {item.memory.id: item for item in review.inbox(keeping).items}
    assert (waiting[one].reason, [each.id for each in waiting[one].conflicts]) == ("contradicts", [other])
    assert (waiting[other].reason, waiting[other].memory.status) == ("contradicts", "active"), "it is contested only"


@pytest.mark.parametrize("place", ["first", "second"])
def test_an_agent_links_only_what_it_sees(home: Home, place: str) -> None:
    mine = say(home, "Uses Postgres.", scope_type="project", scope_key="/a")
    hidden = say(home, "Uses MySQL.", scope_type="project", scope_key="/b")
    pair = (hidden, mine) if place == "first" else (mine, hidden)
    with pytest.raises(NotFound, match="there is no memory"):
        linking.link(home, CLAUDE, *pair, "supports", reader=HERE)
    assert linking.link(home, PERSON, *pair, "supports").changed


def test_a_resource_is_linked_both_ways(home: Home) -> None:
    one = say(home, "Uses Postgres.")
    linking.link_resource(home, CLAUDE, one, "note", "MEMORY.md#L3", "derived_from", reader=HERE)
    promoted = linking.link_resource(home, CLAUDE, one, "note", "2026-01-01.md#L1", "promoted_to", reader=HERE)
    assert promoted.message.startswith(f"{one} promoted_to 2026-01-01.md#L1")
    links = [(each.type, each.resource_ref) for each in why(home, one).links]
    assert links == [("derived_from", "MEMORY.md#L3"), ("promoted_to", "2026-01-01.md#L1")]
    with pytest.raises(PersonOnly):
        linking.unlink_resource(home, CLAUDE, one, "note", "MEMORY.md#L3", "derived_from")
    linking.unlink_resource(home, PERSON, one, "note", "MEMORY.md#L3", "derived_from")
    assert len(why(home, one).links) == 1


def test_forgetting_is_answered_and_leaves_memory_md(keeping: Home) -> None:
    one = say(keeping, "The port is 8080.")
    gone = linking.forget(keeping, CLAUDE, one, "irrelevant", reader=HERE)
    assert (gone.memory.status, gone.message) == ("archived", f"{one} is archived (irrelevant): The port is 8080.")
    assert "8080" not in keeping.memory_md.read_text()
    again = linking.forget(keeping, CLAUDE, one, "irrelevant", reader=HERE)
    assert (again.change_id, again.message.split(":")[0]) == (None, f"{one} is archived already")
    rulings.undo(keeping, PERSON, change_id=gone.change_id)
    assert "8080" in keeping.memory_md.read_text()


def test_forgetting_for_a_successor_and_out_of_sight(keeping: Home) -> None:
    old, new = say(keeping, "The port is 8080."), say(keeping, "The port is 9090.")
    hidden = say(keeping, "The port is 7070.", scope_type="project", scope_key="/b")
    for target, by in ((hidden, new), (old, hidden)):
        with pytest.raises(NotFound):
            linking.forget(keeping, CLAUDE, target, "superseded", successor=by, reader=HERE)
    gone = linking.forget(keeping, CLAUDE, old, "superseded", successor=new, reader=HERE)
    assert (gone.memory.status, gone.memory.superseded_by, gone.memory.valid_to) == (
        "superseded",
        new,
        memories.show(keeping, new).memory.valid_from,
    )
    mine = say(keeping, "Port is 6060.", actor=PERSON)
    with pytest.raises(PersonOnly, match="workbench remember"):
        linking.forget(keeping, CLAUDE, mine, "incorrect", reader=HERE)


def test_a_checkpoint_is_answered_part_by_part(home: Home) -> None:
    known = say(home, "The port is 8080.", scope_type="project", scope_key="/a")
    done = linking.checkpoint(
        home,
        CLAUDE,
        "Moved billing to Postgres.",
        [Item(content="The port is 8080."), Item(content="Use Postgres.", kind=Kind.DECISION, fact_key="Billing.DB")],
        scope_type="project",
        scope_key="/a",
        session="claude-code:s1",
    )
    assert [part.outcome for part in done.items] == ["seen_again", "created"]
    assert done.items[0].memory and done.items[0].memory.id == known
    episode, decision = done.episode.memory, done.items[1].memory
    assert episode and decision
    assert (episode.kind, episode.type, episode.scope_key, episode.source_session) == (
        *("event", "episodic", "/a", "claude-code:s1"),
    )
    assert (decision.kind, decision.fact_key, decision.status) == ("decision", "billing.db", "needs_review")
    assert (
        done.message == f"checkpoint {episode.id}: 1 of 2 items is new, 1 known already; 3 memories wait for the person"
    )
    assert [each.other_id for each in why(home, episode.id).relations] == [known, decision.id]
    rulings.undo(home, PERSON, change_id=done.change_id)
    assert memories.list_memories(home, status=None).total == 1


def test_a_checkpoint_retried_is_the_same_one(home: Home) -> None:
    def again(summary: str = "Moved billing.") -> Any:
        return linking.checkpoint(home, CLAUDE, summary, [Item(content="Use Postgres.")], idempotency_key="c1")

    first, second = again(), again()
    assert second.episode.outcome == "repeated"
    assert second.episode.memory == first.episode.memory
    assert second.change_id is None
    with pytest.raises(WorkbenchError, match="c1"):
        again("Moved something else.")
    assert memories.list_memories(home, status=None).total == 2


@pytest.mark.parametrize("items", [[], ["ok"] * 21, ["ok", "The password is: " + "hunter2-Xk9!vQ"], ["ok", ""]])
def test_a_bad_checkpoint_leaves_nothing(home: Home, items: list[str]) -> None:
    with pytest.raises((SecretRefused, WorkbenchError), match=r"item 2: |1 to 20 items"):
        linking.checkpoint(home, CLAUDE, "Moved billing.", [Item(content=item) for item in items])
    assert memories.list_memories(home, status=None).total == 0
    assert memories.history(home) == []
