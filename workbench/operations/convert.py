"""Rows of the library to the models that operations return."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import read
from workbench.ledger.model import REQUEST
from workbench.operations.models import EventOut, EvidenceOut, MemoryOut, RelationOut, RevisionOut
from workbench.sessions import spoken

_NAMES = {"content": "wording", "fact_key": "key", "valid_from": "beginning", "valid_to": "end", "expires_at": "expiry"}


def name_of(column: str) -> str:
    """What a reader calls a column of ``memories``."""
    return _NAMES.get(column, column)


def memory_out(row: Mapping[str, Any]) -> MemoryOut:
    """A row of ``memories``."""
    decoded = {"tags": json.loads(row["tags"]), "source_message_ids": json.loads(row["source_message_ids"])}
    return MemoryOut.model_validate({**row, **decoded})


def evidence_of(home: Home, connection: sqlite3.Connection, memory_ids: Iterable[str]) -> dict[str, list[EvidenceOut]]:
    """The evidence of each memory; a session reference is taken apart, and says who spoke."""
    found = read.evidence(connection, list(memory_ids))
    messages = {row["id"]: _message(row) for rows in found.values() for row in rows}
    roles = _roles(home, [number for _, number in messages.values() if number is not None])
    return {
        memory_id: [
            EvidenceOut.model_validate(
                {
                    **row,
                    "session_key": messages[row["id"]][0],
                    "message_id": messages[row["id"]][1],
                    "role": roles.get(messages[row["id"]][1] or 0),
                }
            )
            for row in rows
        ]
        for memory_id, rows in found.items()
    }


def _roles(home: Home, ids: list[int]) -> dict[int, str]:
    """Who spoke; nobody named where the index, which is derived, can't be read: the ledger's pages don't need it."""
    try:
        return spoken.roles(home, ids)
    except WorkbenchError:
        return {}


def _message(row: Mapping[str, Any]) -> tuple[str | None, int | None]:
    """(session key, message id) of evidence found in a conversation, else (None, None)."""
    if row["source_type"] != "session":
        return None, None
    session, _, number = row["source_ref"].rpartition("#")
    return session, int(number) if number.isdigit() else None


def event_out(row: Mapping[str, Any]) -> EventOut:
    """A row of ``memory_events`` with its details."""
    return EventOut.model_validate({**row, "details": json.loads(row["details"] or "{}")})


def revision_out(row: Mapping[str, Any]) -> RevisionOut:
    """A row of ``memory_revisions``."""
    return RevisionOut.model_validate({**row, "snapshot": json.loads(row["snapshot"])})


def relation_out(row: Mapping[str, Any], memory_id: str) -> RelationOut:
    """A row of ``memory_relations`` seen from ``memory_id``."""
    batch = row["batch_id"] or ""
    asks = row["type"] == "contradicts" and batch.startswith(REQUEST)
    return RelationOut.model_validate(
        {**row, "outgoing": row["memory_id"] == memory_id, "asks": batch.removeprefix(REQUEST) if asks else None}
    )
