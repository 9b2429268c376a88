"""Where a memory stands in the history of its fact, and what is known about it; plain rows, for whoever explains it."""

from __future__ import annotations

import sqlite3
from typing import Any

from workbench import text
from workbench.ledger import audit, supersede, trust
from workbench.ledger.model import row_dict

_MAX_VERSIONS = 200
# What replaced what, both ways and any number of times; and whatever has the same key in the same scope.
_VERSIONS = """
WITH RECURSIVE family(id) AS (
    SELECT :id
    UNION SELECT r.related_id FROM family f JOIN memory_relations r ON r.memory_id = f.id AND r.type = 'supersedes'
    UNION SELECT r.memory_id FROM family f JOIN memory_relations r ON r.related_id = f.id AND r.type = 'supersedes'
)
SELECT * FROM memories WHERE id IN family
UNION SELECT * FROM memories WHERE scope_type = :scope_type AND scope_key = :scope_key AND fact_key = :fact_key
ORDER BY valid_from DESC, seq DESC LIMIT :limit
"""
_EVENTS = """
SELECT e.*, p.salt, p.payload, json_extract(p.payload, '$.details') AS details, b.hash AS before
FROM memory_events e LEFT JOIN event_payloads p USING (seq) LEFT JOIN memory_events b ON b.seq = e.seq - 1
WHERE e.memory_id = ? ORDER BY e.seq DESC LIMIT ?
"""


def versions(connection: sqlite3.Connection, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Every memory that states the same fact in the same scope, or replaced this or was replaced, newest first."""
    values = {name: row[name] for name in ("id", "scope_type", "scope_key", "fact_key")}
    return [row_dict(found) for found in connection.execute(_VERSIONS, {**values, "limit": _MAX_VERSIONS})]


def events(connection: sqlite3.Connection, memory_id: str, limit: int) -> list[dict[str, Any]]:
    """The events of one memory, newest first, each with whether it is as it was written (``verified``).

    That says nothing of the rest of the chain, which ``audit.verify`` walks.
    """
    return [{**row_dict(row), "verified": _as_written(row)} for row in connection.execute(_EVENTS, (memory_id, limit))]


def _as_written(row: sqlite3.Row) -> bool:
    fields = [row[name] for name in ("seq", "memory_id", "action", "actor", "at", "payload_hash", "prev_hash")]
    follows = row["prev_hash"] == (row["before"] or audit.GENESIS)
    # The payload of what was erased is gone; its hash is still in the chain.
    untouched = row["payload"] is None or text.sha256(row["salt"] + row["payload"]) == row["payload_hash"]
    return bool(follows and untouched and audit.event_hash(*fields) == row["hash"])


def trust_parts(connection: sqlite3.Connection, row: dict[str, Any], at: str) -> dict[str, float]:
    """What the trust of a memory at the instant ``at`` is made of; the parts sum to it."""
    made = supersede.made_of(connection, row)
    named = ("base", "explicit", "sightings", "conflict", "feedback")
    parts = {name: float(getattr(made, name)) for name in named}
    parts["endorsed" if made.endorsed else "bounds"] = made.value - sum(parts.values())
    parts["since then"] = float(row["trust"]) - made.value
    parts["age"] = trust.at(row, at) - float(row["trust"])
    return {name: round(value, 4) for name, value in parts.items() if name == "base" or abs(value) >= 0.00005}


def links(connection: sqlite3.Connection, memory_id: str) -> list[dict[str, Any]]:
    """The notes, conversations, files, pages and commits that a memory is linked to."""
    rows = connection.execute("SELECT * FROM resource_links WHERE memory_id = ? ORDER BY created_at, id", (memory_id,))
    return [row_dict(row) for row in rows]


def feedback(connection: sqlite3.Connection, memory_id: str) -> list[dict[str, Any]]:
    """Who said whether it helped, newest first."""
    rows = connection.execute(
        "SELECT * FROM memory_feedback WHERE memory_id = ? ORDER BY given_at DESC, id", (memory_id,)
    )
    return [row_dict(row) for row in rows]


def use(connection: sqlite3.Connection, memory_id: str) -> dict[str, Any]:
    """How often it was recalled and injected, and when last."""
    row = connection.execute("SELECT * FROM memory_use WHERE memory_id = ?", (memory_id,)).fetchone()
    return row_dict(row) if row else {"recalls": 0, "injections": 0, "last_used_at": None}


def rejections(connection: sqlite3.Connection, fingerprint: str) -> list[dict[str, Any]]:
    """When this very wording was ruled wrong, newest first."""
    rows = connection.execute(
        "SELECT * FROM rejections WHERE fingerprint = ? ORDER BY created_at DESC, id", (fingerprint,)
    )
    return [row_dict(row) for row in rows]
