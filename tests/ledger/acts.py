"""Memories in any state, and every act on them."""

from __future__ import annotations

import sqlite3
from typing import Any

from workbench.home import Home
from workbench.ledger import outbox, store, supersede
from workbench.ledger.change import Change, new_id
from workbench.ledger.gate import fingerprint
from workbench.ledger.model import PERSON, Actor

MAINTENANCE = Actor("system", "maintenance")
JANUARY, FEBRUARY, MARCH = (f"2026-0{month}-01T00:00:00.000000Z" for month in (1, 2, 3))
FUTURE = "2999-01-01T00:00:00.000000Z"


def insert(change: Change, content: str, status: str = "active", authority: str = "observed", **fields: Any) -> str:
    """A memory that stands so, inside a change."""
    memory_id = new_id("m")
    scope = fields.get("scope_type", "global"), fields.get("scope_key", "")
    row = {
        "id": memory_id,
        "content": "" if status == "erased" else content,
        "kind": "fact",
        "authority": authority,
        "status": status,
        "review_reason": "inferred" if status in ("needs_review", "candidate") else None,
        "trust": 0.6,
        "valid_from": JANUARY,
        "valid_to": FEBRUARY if status == "superseded" else None,
        "created_at": change.at,
        "updated_at": change.at,
        "retired_at": change.at if status in ("superseded", "rejected", "archived", "erased") else None,
        "created_by": str(change.actor),
        "fingerprint": fingerprint(content, *scope),
        "last_seen_at": JANUARY,
    }
    change.insert("memories", **(row | fields))
    if status != "erased":
        supersede.refresh_trust(change, memory_id)
    change.record("created", memory_id)
    return memory_id


def put(home: Home, content: str, status: str = "active", authority: str = "observed", **fields: Any) -> str:
    """A memory that stands so."""
    with store.writing(home) as connection:
        return insert(Change(connection, MAINTENANCE), content, status, authority, **fields)


def state(connection: sqlite3.Connection, memory_id: str) -> dict[str, Any]:
    """A memory's row."""
    return dict(connection.execute("SELECT * FROM memories WHERE id = ?", (memory_id,)).fetchone())


def get(home: Home, memory_id: str) -> dict[str, Any]:
    """A memory's row."""
    with store.reading(home) as connection:
        return state(connection, memory_id)


def actions(home: Home, memory_id: str) -> list[str]:
    """What happened to a memory, oldest first."""
    with store.reading(home) as connection:
        rows = connection.execute("SELECT action FROM memory_events WHERE memory_id = ? ORDER BY seq", (memory_id,))
        return [row[0] for row in rows]


def related(home: Home, memory_id: str) -> set[tuple[str, str]]:
    """(type, other) of the relations that go out from a memory."""
    with store.reading(home) as connection:
        rows = connection.execute("SELECT type, related_id FROM memory_relations WHERE memory_id = ?", (memory_id,))
        return {(row[0], row[1]) for row in rows}


def claim(home: Home) -> list[outbox.Effect]:
    """Lease what is in the outbox."""
    with store.writing(home) as connection:
        return outbox.claim(connection)


def by_person(connection: sqlite3.Connection) -> Change:
    """A change of the person's."""
    return Change(connection, PERSON)
