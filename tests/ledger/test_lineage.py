"""The versions of a fact, what trust is made of, whether events are as they were written; lists by every field."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from tests.ledger.conftest import column
from workbench import db
from workbench.home import Home
from workbench.ledger import feedback, lineage, listing, read, relations, review, store
from workbench.ledger.change import Change
from workbench.ledger.listing import Order, Wanted
from workbench.ledger.model import PERSON, Actor, Evidence, Kind, Privacy, Proposal, SourceType, Type

Say = Callable[..., Proposal]
CLAUDE = Actor("agent", "claude")


def ask(home: Home, function: Callable[..., Any], *args: Any, **more: Any) -> Any:
    with store.reading(home) as connection:
        return function(connection, *args, **more)


def row(home: Home, memory_id: str) -> dict[str, Any]:
    return ask(home, read.memory, memory_id)


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [each["id"] for each in found]


# Versions.


def test_the_versions_of_a_fact_are_those_of_its_key_in_its_scope(home: Home, say: Say) -> None:
    first = say("Lives in Berlin.", fact_key="home", observed_at="2026-01-05").memory_id
    second = say("Lives in Munich.", fact_key="home", observed_at="2026-02-05").memory_id
    middle = say("Lives in Bonn.", fact_key="home", observed_at="2026-01-20").memory_id
    waiting = say("Lives in Rome.", fact_key="home", observed_at="2026-03-01", explicit=False, confidence=0.7).memory_id
    say("Lives in Paris.", fact_key="home", scope_type="project", scope_key="/a")
    say("Works at Acme.", fact_key="work")
    for memory_id in (first, second, middle):
        found = ask(home, lineage.versions, row(home, memory_id or ""))
        assert ids(found) == [waiting, second, middle, first]
    periods = [(each["valid_from"][:10], (each["valid_to"] or "")[:10]) for each in found]
    assert periods == [
        ("2026-03-01", ""),
        ("2026-02-05", ""),
        ("2026-01-20", "2026-02-05"),
        ("2026-01-05", "2026-01-20"),
    ]


def test_without_a_key_the_versions_are_what_replaced_what(home: Home, say: Say) -> None:
    """A retraction ends a memory by what it says, and has no key."""
    held = say("Works at Acme.", observed_at="2026-01-05").memory_id or ""
    ended = say("No longer works at Acme.", retracts="Works at Acme.", observed_at="2026-02-05").memory_id
    say("Has a cat.")
    assert ids(ask(home, lineage.versions, row(home, held))) == [ended, held]
    assert ids(ask(home, lineage.versions, row(home, ended or ""))) == [ended, held]


# Trust.


def test_the_parts_of_trust_sum_to_it(home: Home, say: Say) -> None:
    plain = say("Has a cat.", explicit=True, observed_at="2026-01-01").memory_id or ""
    say("Has a cat.", observed_at="2026-01-02")
    parts = ask(home, lineage.trust_parts, row(home, plain), db.now())
    assert parts == {"base": 0.6, "explicit": 0.25, "sightings": 0.05}
    held = say("Lives in Berlin.", fact_key="home").memory_id or ""
    say("Lives in Rome.", fact_key="home", explicit=False, confidence=0.7)
    parts = ask(home, lineage.trust_parts, row(home, held), db.now())
    assert parts == {"base": 0.6, "explicit": 0.25, "conflict": -0.3}
    with store.writing(home) as connection:
        review.accept(Change(connection, PERSON), held)
    parts = ask(home, lineage.trust_parts, row(home, held), db.now())
    assert parts == {"base": 0.6, "explicit": 0.25, "endorsed": 0.1}
    assert sum(parts.values()) == pytest.approx(column(home, held, "trust")[0]) == 0.95


def test_feedback_and_age_are_parts_of_trust(home: Home, say: Say) -> None:
    memory_id = say("The build is red.", kind=Kind.TEMPORAL, observed_at="2026-01-01").memory_id or ""
    with store.writing(home) as connection:
        feedback.give(Change(connection, PERSON), memory_id, True)
    stored = column(home, memory_id, "trust")[0]
    seen = column(home, memory_id, "last_seen_at")[0]
    parts = ask(home, lineage.trust_parts, row(home, memory_id), "2026-01-31" + seen[10:])
    assert parts["feedback"] > 0
    assert parts["age"] == pytest.approx(-stored / 2, abs=1e-4)
    assert sum(parts.values()) == pytest.approx(stored / 2, abs=1e-4)


# Events.


def test_events_are_verified_one_by_one(home: Home, say: Say) -> None:
    one, other = say("Has a cat.").memory_id or "", say("Has a dog.").memory_id or ""
    with store.writing(home) as connection:
        relations.link(Change(connection, CLAUDE), one, other, "supports")
    events = ask(home, lineage.events, one, 10)
    assert [(event["action"], event["verified"]) for event in events] == [("linked", True), ("created", True)]
    assert json.loads(events[0]["details"]) == {"to": other, "type": "supports"}
    tampered = sqlite3.connect(home.ledger)
    with tampered:
        tampered.execute("DROP TRIGGER event_payloads_no_update")
        tampered.execute("UPDATE event_payloads SET payload = replace(payload, 'cat', 'cow') WHERE seq = 1")
    tampered.close()
    assert [event["verified"] for event in ask(home, lineage.events, one, 10)] == [True, False]
    assert [event["verified"] for event in ask(home, lineage.events, other, 10)] == [True]


def test_rejections_of_the_same_wording_are_found(home: Home, say: Say) -> None:
    memory_id = say("Has a cat.").memory_id or ""
    with store.writing(home) as connection:
        review.reject(Change(connection, PERSON), memory_id, "It is a dog.")
    again = say("Has a cat!", observed_at=db.now()).outcome
    (found,) = ask(home, lineage.rejections, row(home, memory_id)["fingerprint"])
    assert (again, found["memory_id"], found["reason"]) == ("rejected_before", memory_id, "It is a dog.")
    assert ask(home, lineage.use, memory_id) == {"recalls": 0, "injections": 0, "last_used_at": None}


# Lists.


@pytest.fixture
def shelf(home: Home, say: Say) -> dict[str, str]:
    """Memories that differ in one thing each."""
    made: dict[str, dict[str, Any]] = {
        "plain": {},
        "decision": {"kind": Kind.DECISION},
        "skill": {"type": Type.PROCEDURAL},
        "project": {"scope_type": "project", "scope_key": "/a"},
        "keyed": {"fact_key": "profile.home"},
        "tagged": {"tags": ('say "hi"', "food", "ünïcode")},
        "private": {"privacy": Privacy.SENSITIVE},
        "agents": {"actor": CLAUDE, "source_agent": "claude", "explicit": False},
        "weighty": {"importance": 90},
        "over": {"valid_from": "2026-01-01", "valid_to": "2026-01-31"},
        "said": {"source_session": "claude-code:s1"},
    }
    base: dict[str, Any] = {"kind": Kind.FACT, "observed_at": "2026-02-01"}
    found = {name: say(f"This is {name}.", **{**base, **fields}).memory_id or "" for name, fields in made.items()}
    with store.writing(home) as connection:
        review.accept(Change(connection, PERSON), found["weighty"])
    return found


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"kind": "decision"}, ["decision"]),
        ({"type": "procedural"}, ["skill"]),
        ({"scope_type": "project"}, ["project"]),
        ({"scope_type": "project", "scope_key": "/b"}, []),
        ({"fact_key": "profile.home"}, ["keyed"]),
        ({"fact_key": "profile.home", "status": "rejected"}, []),
        ({"tag": "food"}, ["tagged"]),
        ({"tag": 'say "hi"'}, ["tagged"]),
        ({"tag": "ünïcode"}, ["tagged"]),
        ({"tag": "hi"}, []),
        ({"tag": ", "}, []),
        ({"tag": "foo"}, []),
        ({"privacy": "sensitive"}, ["private"]),
        ({"waiting": True}, ["private", "agents"]),
        ({"review_reason": "sensitive"}, ["private"]),
        ({"source_agent": "claude"}, ["agents"]),
        ({"source": "claude-code:s1"}, ["said"]),
        ({"source": "claude"}, ["agents"]),
        ({"source": "agent:claude"}, ["agents"]),
        ({"authority": "confirmed"}, ["weighty"]),
        ({"tier": "core"}, []),
        ({"query": "this decision"}, ["decision"]),
        ({"query": "weighty", "authority": "observed"}, []),
        ({"query": "'\"* AND"}, []),
        ({"as_of": "2026-01-15T00:00:00.000000Z"}, ["over"]),
        ({"as_of": "2025-01-15T00:00:00.000000Z"}, []),
        ({"since": "2999-01-01T00:00:00.000000Z"}, []),
        ({"until": "2026-01-01T00:00:00.000000Z"}, []),
    ],
)
def test_every_filter(home: Home, shelf: dict[str, str], wanted: dict[str, Any], names: list[str]) -> None:
    found, total = ask(home, listing.page, Wanted(**wanted), limit=50)
    assert sorted(ids(found)) == sorted(shelf[name] for name in names)
    assert total == len(names)


def test_filters_go_together_and_none_is_all(home: Home, shelf: dict[str, str]) -> None:
    found, total = ask(home, listing.page, Wanted(), limit=50)
    assert ids(found) == list(shelf.values())[::-1]
    assert total == len(shelf)
    middle = found[5]["created_at"]
    newer, _ = ask(home, listing.page, Wanted(since=middle), limit=50)
    older, _ = ask(home, listing.page, Wanted(until=middle), limit=50)
    assert (ids(newer), ids(older)) == (ids(found)[:6], ids(found)[6:])
    assert ask(home, listing.page, Wanted(kind="fact", status="active", since=middle), limit=50)[1] < 6


def test_orders_and_pages(home: Home, shelf: dict[str, str]) -> None:
    every = ids(ask(home, listing.page, Wanted(status="active"), limit=50)[0])
    pages = [ask(home, listing.page, Wanted(status="active"), limit=4, offset=start) for start in (0, 4, 8, 12)]
    assert [each for found, _ in pages for each in ids(found)] == every
    assert {total for _, total in pages} == {len(every)}
    by_trust, _ = ask(home, listing.page, Wanted(status="active"), Order.TRUST, limit=2)
    by_weight, _ = ask(home, listing.page, Wanted(status="active"), Order.IMPORTANCE, limit=2)
    assert by_trust[0]["id"] == by_weight[0]["id"] == shelf["weighty"]
    assert by_weight[1]["id"] == shelf["said"]


def test_the_inbox_begins_with_what_matters_most(home: Home, say: Say) -> None:
    guess = say("Likes tea.", explicit=False, confidence=0.7).memory_id
    private = say("Has a rash.", privacy=Privacy.SENSITIVE).memory_id
    order = say("Always deploy on Fridays.", kind=Kind.CONSTRAINT).memory_id
    held = say("Lives in Berlin.", fact_key="home").memory_id or ""
    with store.writing(home) as connection:
        review.accept(Change(connection, PERSON), held)
    proposal = say("Lives in Rome.", fact_key="home").memory_id
    second = say("Likes coffee.", explicit=False, confidence=0.7).memory_id
    found, total = ask(home, listing.page, Wanted(waiting=True), Order.CONSEQUENCE, limit=50)
    assert ids(found) == [proposal, order, private, guess, second]
    assert total == 5


def test_groups_count_by_reason_and_source(home: Home, say: Say) -> None:
    for number in range(3):
        say(f"Likes tea {number}.", explicit=False, confidence=0.7, source_session="claude-code:s1")
    say("Likes coffee.", explicit=False, confidence=0.7, source_session="claude-code:s2")
    say("Has a rash.", privacy=Privacy.SENSITIVE, source_session="claude-code:s2")
    say("Uses vim.", actor=CLAUDE, explicit=False, source_agent="claude")
    found = ask(home, listing.groups, Wanted(waiting=True))
    assert [(each["reason"], each["source"], each["waiting"], each["content"]) for each in found] == [
        ("sensitive", "claude-code:s2", 1, "Has a rash."),
        ("inferred", "claude-code:s1", 3, "Likes tea 0."),
        ("inferred", "claude-code:s2", 1, "Likes coffee."),
        ("unreviewed_autonomous_write", "claude", 1, "Uses vim."),
    ]
    assert ask(home, listing.groups, Wanted(waiting=True, review_reason="sensitive"))[0]["waiting"] == 1


def test_short_ids_tell_apart(home: Home, say: Say) -> None:
    made = [say(f"Has {number} cats.").memory_id or "" for number in range(4)]
    names = [f"m_{head:0<24}" for head in ("aaaaaaaaaa1", "aaaaaaaaaa2", "aaaaaaaab", "f")]
    tampered = sqlite3.connect(home.ledger)
    with tampered:
        tampered.execute("DROP TRIGGER memories_identity")
        for memory_id, name in zip(made, names, strict=True):
            tampered.execute("UPDATE memories SET id = ? WHERE id = ?", (name, memory_id))
    tampered.close()
    short = ask(home, listing.short_ids, names)
    assert list(short.values()) == ["m_aaaaaaaaaa1", "m_aaaaaaaaaa2", "m_aaaaaaaab", "m_f0000000"]
    for name in names:
        assert ask(home, read.resolve, short[name]) == name


def test_what_a_ledger_holds(home: Home, shelf: dict[str, str]) -> None:
    counted = ask(home, listing.counts, "2026-02-15T00:00:00.000000Z")
    assert counted["stored"] == len(shelf)
    # Not what waits, and not what was over by then.
    assert counted["in_force"] == len(shelf) - 3
    assert counted["by_status"] == {"active": 9, "needs_review": 2}
    assert (counted["waiting"], counted["waiting_by_reason"]) == (2, {"sensitive": 1, "unreviewed_autonomous_write": 1})
    assert counted["by_writer"] == {"dreamer": 10, "agent": 1}
    assert counted["oldest_waiting"] == column(home, shelf["private"], "created_at")[0]


def test_a_list_costs_no_query_a_row(home: Home, say: Say) -> None:
    for number in range(30):
        say(
            f"Likes tea {number}.",
            explicit=False,
            confidence=0.7,
            evidence=(Evidence(SourceType.FILE, f"/a#L{number}", "tea"),),
        )
    seen: list[str] = []
    with store.reading(home) as connection:
        connection.set_trace_callback(seen.append)
        listing.page(connection, Wanted(waiting=True), Order.CONSEQUENCE, limit=30)
    assert len(seen) == 3
