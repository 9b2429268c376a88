"""Rows of the library to the models that operations return."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.ledger import read
from workbench.operations.models import EventOut, EvidenceOut, MemoryOut, RelationOut, RevisionOut


def memory_out(row: Mapping[str, Any]) -> MemoryOut:
    """A row of ``memories``."""
    decoded = {"tags": json.loads(row["tags"]), "source_message_ids": json.loads(row["source_message_ids"])}
    return MemoryOut.model_validate({**row, **decoded})


def evidence_out(row: Mapping[str, Any]) -> EvidenceOut:
    """A row of ``memory_evidence``; a session reference is taken apart."""
    session, message = None, None
    if row["source_type"] == "session":
        session, _, number = row["source_ref"].rpartition("#")
        message = int(number) if number.isdigit() else None
    role = "user" if row["source_type"] == "session" else None
    return EvidenceOut.model_validate({**row, "session_key": session, "message_id": message, "role": role})


def evidence_of(connection: sqlite3.Connection, memory_ids: Iterable[str]) -> dict[str, list[EvidenceOut]]:
    """The evidence of each memory."""
    found = read.evidence(connection, list(memory_ids))
    return {key: [evidence_out(row) for row in rows] for key, rows in found.items()}


def event_out(row: Mapping[str, Any]) -> EventOut:
    """A row of ``memory_events`` with its details."""
    return EventOut.model_validate({**row, "details": json.loads(row["details"] or "{}")})


def revision_out(row: Mapping[str, Any]) -> RevisionOut:
    """A row of ``memory_revisions``."""
    return RevisionOut.model_validate({**row, "snapshot": json.loads(row["snapshot"])})


def relation_out(row: Mapping[str, Any], memory_id: str) -> RelationOut:
    """A row of ``memory_relations`` seen from ``memory_id``."""
    return RelationOut.model_validate({**row, "outgoing": row["memory_id"] == memory_id})
