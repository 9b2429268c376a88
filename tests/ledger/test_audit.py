"""The event chain: every kind of tampering is seen, an honest history verifies."""

from __future__ import annotations

import hashlib
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
from workbench.operations import effects, maintain, memories, rulings
from workbench.operations.home import open_home

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
    """What somebody with the file and a program of their own can do: the triggers are put back afterwards."""
    with closing(sqlite3.connect(home.ledger)) as raw, raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            raw.execute(statement)
        for _, statement in triggers:
            raw.execute(statement)


def chained_anew(home: Home) -> None:
    """Compute every hash of the chain again."""
    with closing(sqlite3.connect(home.ledger)) as raw:
        rows = raw.execute(
            "SELECT seq, memory_id, action, actor, at, payload_hash FROM memory_events ORDER BY seq"
        ).fetchall()
    statements, prev = [], audit.GENESIS
    for row in rows:
        new = event_hash(*row, prev)
        statements.append(f"UPDATE memory_events SET prev_hash = '{prev}', hash = '{new}' WHERE seq = {row[0]}")
        prev = new
    tamper(home, *statements)


def test_an_honest_history_verifies(history: Home) -> None:
    result = memories.verify_audit(history)
    assert (result.ok, result.events, result.unanchored, result.problems) == (True, 7, 0, [])


def test_events_after_the_anchor_are_named(history: Home, say: Say) -> None:
    say("One more.")
    result = memories.verify_audit(history)
    assert (result.ok, result.events, result.anchored, result.unanchored) == (True, 8, 7, 1)


SWAP = tuple(f"UPDATE memory_events SET seq = {new} WHERE seq = {old}" for old, new in ((3, 99), (4, 3), (99, 4)))
INSERTED = (
    "UPDATE memory_events SET seq = seq + 100 WHERE seq > 3",
    "INSERT INTO memory_events SELECT 4, memory_id, action, actor, at, change_id, undoes, payload_hash, hash, hash"
    " FROM memory_events WHERE seq = 3",
    *(f"UPDATE memory_events SET seq = {seq + 1} WHERE seq = {seq + 100}" for seq in range(4, 8)),
)


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        (("UPDATE memory_events SET actor = 'person:owner' WHERE seq = 3",), "event 3 was altered"),
        (("UPDATE memory_events SET at = '2020' WHERE seq = 4",), "event 4 was altered"),
        (("UPDATE memory_events SET memory_id = NULL WHERE seq = 2",), "event 2 was altered"),
        (("UPDATE memory_events SET hash = '0' WHERE seq = 2",), "event 2 was altered"),
        (("UPDATE memory_events SET change_id = 'c_0' WHERE seq = 5",), "event 5 was moved to another change"),
        (("UPDATE memory_events SET undoes = 'c_0' WHERE seq = 5",), "event 5 was moved to another change"),
        (("UPDATE event_payloads SET payload = '{}' WHERE seq = 2",), "event 2 has an altered payload"),
        (("UPDATE event_payloads SET salt = 'x' WHERE seq = 2",), "event 2 has an altered payload"),
        (("DELETE FROM event_payloads WHERE seq = 2",), "event 2 has lost its payload without an erase"),
        (("DELETE FROM memory_events WHERE seq = 3",), "event 4 stands where event 3 should be"),
        (("DELETE FROM memory_events WHERE seq IN (1, 3)",), "event 2 stands where event 1 should be"),
        (SWAP, "event 3 does not follow the event before it"),
        (INSERTED, "event 4 was altered"),
        (("DELETE FROM memory_events WHERE seq = 7",), "vouches for event 7"),
        (("DELETE FROM memory_events WHERE seq > 2",), "vouches for event 7"),
        (("DELETE FROM memory_events",), "vouches for event 7"),
    ],
)
def test_tampering_is_seen_and_the_first_bad_event_is_named(
    history: Home, statements: tuple[str, ...], problem: str
) -> None:
    tamper(history, *statements)
    result = memories.verify_audit(history)
    assert not result.ok
    of_the_chain = [found for found in result.problems if "around the ledger" not in found]
    assert problem in of_the_chain[0]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memory_events SET actor = 'person:owner' WHERE seq = 2",
        "DELETE FROM memory_events WHERE seq = 7",
        "UPDATE memory_events SET action = 'accepted' WHERE seq = 1",
    ],
)
def test_a_chain_computed_again_from_the_start_is_seen_by_its_anchor(history: Home, statement: str) -> None:
    tamper(history, statement)
    chained_anew(history)
    result = memories.verify_audit(history)
    of_the_chain = [found for found in result.problems if "around the ledger" not in found]
    assert of_the_chain == ["the anchor vouches for event 7 with another hash: the chain was rewritten or cut short"]


def test_one_removed_event_is_one_problem(home: Home, say: Say) -> None:
    for number in range(40):
        say(f"Fact number {number}.")
    audit.anchor(home, at=db.now())
    tamper(home, "DELETE FROM memory_events WHERE seq = 3")
    of_the_chain = [found for found in memories.verify_audit(home).problems if "around the ledger" not in found]
    assert of_the_chain == [
        "event 4 stands where event 3 should be: an event was removed or inserted",
        "event 4 does not follow the event before it",
    ]


@pytest.mark.parametrize(
    "payload",
    ["nonsense", '{"details": {}}', '{"details": {"payloads": 7}, "images": []}', '{"images": [{"table": "x"}]}'],
)
def test_a_forged_payload_with_the_right_hash_is_seen(home: Home, say: Say, payload: str) -> None:
    """Somebody who writes before the anchor does can forge hashes, but not a payload that we would write."""
    say("Lives in Berlin.")
    digest = hashlib.sha256(b"s" + payload.encode()).hexdigest()
    with store.reading(home) as connection:
        (prev,) = connection.execute("SELECT hash FROM memory_events").fetchone()
    hash_ = event_hash(2, None, "erased", "person:owner", "t", digest, prev)
    tamper(
        home,
        f"INSERT INTO memory_events VALUES (2, NULL, 'erased', 'person:owner', 't', 'c', NULL, '{digest}', '{prev}',"
        f" '{hash_}')",
        f"INSERT INTO event_payloads VALUES (2, 's', '{payload}')",
    )
    audit.anchor(home, at=db.now())
    (found,) = memories.verify_audit(home).problems
    assert found.startswith("event 2 ")


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DROP TRIGGER memory_events_no_delete", "the trigger memory_events_no_delete was dropped or altered"),
        ("DROP TRIGGER memories_erased_is_final", "the trigger memories_erased_is_final was dropped or altered"),
        (
            "CREATE TRIGGER sneaky AFTER INSERT ON memories BEGIN SELECT 1; END",
            "the trigger sneaky is not of this program",
        ),
    ],
)
def test_a_trigger_dropped_or_added_is_seen(history: Home, statement: str, problem: str) -> None:
    with closing(sqlite3.connect(history.ledger)) as raw, raw:
        raw.execute(statement)
    (found,) = memories.verify_audit(history).problems
    assert found.startswith(problem)


def test_a_trigger_made_harmless_is_seen(history: Home) -> None:
    with closing(sqlite3.connect(history.ledger)) as raw, raw:
        raw.execute("DROP TRIGGER memory_events_no_update")
        raw.execute("CREATE TRIGGER memory_events_no_update BEFORE UPDATE ON memory_events BEGIN SELECT 1; END")
    (found,) = memories.verify_audit(history).problems
    assert found.startswith("the trigger memory_events_no_update was dropped or altered")


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


def test_a_missing_anchor_stays_missing_until_the_person_anchors_anew(history: Home, say: Say) -> None:
    history.audit_head.unlink()
    tamper(history, "DELETE FROM memory_events WHERE seq > 3", "DELETE FROM event_payloads WHERE seq > 3")
    say("One more.")
    assert effects.drain(history) == 1
    assert "there is no audit_head.json" in effects.troubles(history)[0]
    assert maintain.catch_up(history).anchored == 0
    open_home(history)
    found = memories.verify_audit(history)
    assert "there is no audit_head.json" in found.problems[-1] and len(found.problems) > 1
    assert not history.audit_head.exists()
    memories.anchor_audit(history, PERSON)
    assert all("audit_head" not in problem for problem in memories.verify_audit(history).problems)
    assert effects.drain(history) == 0


def test_a_new_ledger_is_anchored_before_its_first_event(home: Home, say: Say) -> None:
    """So one without an anchor, or with fewer events than it had, is told from one that never had any."""
    anchor = json.loads(home.audit_head.read_bytes())
    assert (anchor["seq"], anchor["hash"]) == (0, audit.GENESIS)
    found = memories.verify_audit(home)
    assert (found.ok, found.events, found.anchored) == (True, 0, 0)
    home.audit_head.write_text(json.dumps({**anchor, "hash": "f" * 64}))
    say("One.")
    audit.anchor(home, at=db.now())
    assert memories.verify_audit(home).anchored == 0 and not memories.verify_audit(home).ok
    home.audit_head.unlink()
    assert not memories.verify_audit(home).ok


def test_a_process_leaves_nothing_unanchored(history: Home, say: Say) -> None:
    rulings.reject(history, PERSON, say("Lives in Oslo.").memory_id or "")
    assert memories.verify_audit(history).unanchored == 2
    audit.anchor_at_exit()
    found = memories.verify_audit(history)
    assert (found.ok, found.unanchored) == (True, 0)
    tamper(history, f"DELETE FROM memory_events WHERE seq = {found.events}")
    assert any("cut short" in problem for problem in memories.verify_audit(history).problems)


def test_the_anchor_never_goes_backwards(history: Home, say: Say) -> None:
    ahead = json.dumps({"seq": 99, "hash": "f" * 64, "at": db.now()})
    history.audit_head.write_text(ahead)
    say("One more.")
    audit.anchor(history, at=db.now())
    assert history.audit_head.read_text() == ahead
    assert not memories.verify_audit(history).ok


def test_the_anchor_is_private(history: Home) -> None:
    assert history.audit_head.stat().st_mode & 0o777 == 0o600
