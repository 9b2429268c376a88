"""The event chain: every kind of tampering is seen, an honest history verifies."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from workbench import db
from workbench.home import Home
from workbench.ledger import audit, store
from workbench.ledger.audit import event_hash
from workbench.ledger.model import PERSON, Proposal
from workbench.operations import memories, rulings

Say = Callable[..., Proposal]


@pytest.fixture
def history(home: Home, say: Say) -> Home:
    """A home with six events, anchored."""
    for number in range(5):
        say(f"Fact number {number}.")
    rulings.accept(home, PERSON, say("Lives in Berlin.").memory_id or "")
    audit.anchor(home, at=db.now())
    return home


def tamper(home: Home, *statements: str) -> None:
    """What somebody with the file and the sqlite3 shell can do."""
    with store.writing(home) as connection:
        for trigger in ("memory_events_no_update", "memory_events_no_delete", "event_payloads_no_update"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)


def test_an_honest_history_verifies(history: Home) -> None:
    result = memories.verify_audit(history)
    assert (result.ok, result.events, result.unanchored, result.problems) == (True, 7, 0, [])


def test_events_after_the_anchor_are_named(history: Home, say: Say) -> None:
    say("One more.")
    result = memories.verify_audit(history)
    assert (result.ok, result.events, result.anchored, result.unanchored) == (True, 8, 7, 1)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE memory_events SET actor = 'person:owner' WHERE seq = 3", "event 3 was altered"),
        ("UPDATE memory_events SET at = '2020' WHERE seq = 4", "event 4 was altered"),
        ("UPDATE event_payloads SET payload = '{}' WHERE seq = 2", "event 2 has an altered payload"),
        ("DELETE FROM event_payloads WHERE seq = 2", "event 2 has lost its payload"),
        ("DELETE FROM memory_events WHERE seq = 3", "event 4 stands where event 3 should be"),
        ("DELETE FROM memory_events WHERE seq = 7", "cut short"),
        ("DELETE FROM memory_events", "cut short"),
        ("UPDATE memory_events SET change_id = 'c_0' WHERE seq = 5", "event 5 was moved to another change"),
    ],
)
def test_tampering_is_seen(history: Home, statement: str, problem: str) -> None:
    tamper(history, "PRAGMA foreign_keys=OFF", "PRAGMA defer_foreign_keys=ON", "DROP TABLE IF EXISTS gone")
    with closing(sqlite3.connect(history.ledger)) as raw, raw:
        raw.execute(statement)
    result = memories.verify_audit(history)
    assert not result.ok
    assert any(problem in found for found in result.problems)


def test_a_chain_computed_again_from_the_start_is_seen_by_its_anchor(history: Home) -> None:
    tamper(history)
    with closing(sqlite3.connect(history.ledger)) as raw, raw:
        prev = audit.GENESIS
        raw.execute("UPDATE memory_events SET actor = 'person:owner' WHERE seq = 2")
        for row in raw.execute("SELECT seq, memory_id, action, actor, at, payload_hash FROM memory_events").fetchall():
            new = event_hash(*row, prev)
            raw.execute("UPDATE memory_events SET prev_hash = ?, hash = ? WHERE seq = ?", (prev, new, row[0]))
            prev = new
    assert memories.verify_audit(history).problems == [
        "the anchor vouches for event 7 with another hash: the chain was rewritten or cut short"
    ]


@pytest.mark.parametrize("statement", ["UPDATE memory_events SET action = 'x'", "DELETE FROM memory_events"])
def test_the_database_itself_refuses_to_change_events(history: Home, statement: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="append-only"), store.writing(history) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            "UPDATE memories SET content = 'Lives in Atlantis.' WHERE seq = 3",
            "in memories was altered around the ledger",
        ),
        ("UPDATE memories SET authority = 'locked' WHERE seq = 2", "in memories was altered around the ledger"),
        ("DELETE FROM memories WHERE seq = 4", "was removed from memories around the ledger"),
        (
            "INSERT INTO rejections VALUES ('n_1', 'm_1', 'f', 'global', '', NULL, NULL, '2026')",
            "n_1 in rejections was written around the ledger",
        ),
    ],
)
def test_a_row_changed_around_the_ledger_is_seen(history: Home, statement: str, problem: str) -> None:
    with closing(sqlite3.connect(history.ledger)) as raw, raw:
        raw.execute(statement)
    (found,) = memories.verify_audit(history).problems
    assert problem in found


def test_a_missing_anchor_is_said(history: Home) -> None:
    history.audit_head.unlink()
    (found,) = memories.verify_audit(history).problems
    assert "there is no audit_head.json" in found


def test_the_anchor_never_goes_backwards(history: Home, say: Say) -> None:
    ahead = json.dumps({"seq": 99, "hash": "f" * 64, "at": db.now()})
    history.audit_head.write_text(ahead)
    say("One more.")
    audit.anchor(history, at=db.now())
    assert history.audit_head.read_text() == ahead
    assert not memories.verify_audit(history).ok


def test_the_anchor_is_private(history: Home) -> None:
    assert history.audit_head.stat().st_mode & 0o777 == 0o600
