"""Evidence: where a memory was found, quoted, so that it can be checked again."""

from __future__ import annotations

import sqlite3

from workbench import text
from workbench.ledger.change import Change, new_id
from workbench.ledger.model import Evidence

# Further sightings count, but are not quoted.
MAX_PER_MEMORY = 50


def add(change: Change, memory_id: str, evidence: tuple[Evidence, ...]) -> int:
    """Add what is not there yet; returns how many rows were new.

    :param evidence: as ``gate.quoted`` returns it.
    """
    there = {
        (row["source_type"], row["source_ref"])
        for row in change.connection.execute(
            "SELECT source_type, source_ref FROM memory_evidence WHERE memory_id = ?", (memory_id,)
        )
    }
    fresh = {(item.source_type, item.source_ref): item for item in evidence}
    added = 0
    for key, item in fresh.items():
        if key in there or len(there) + added >= MAX_PER_MEMORY:
            continue
        change.insert(
            "memory_evidence",
            id=new_id("e"),
            memory_id=memory_id,
            source_type=item.source_type,
            source_ref=item.source_ref,
            excerpt=item.excerpt,
            excerpt_hash=text.sha256(item.excerpt),
            observed_at=item.observed_at,
        )
        added += 1
    return added


def independent(connection: sqlite3.Connection, memory_id: str, evidence: tuple[Evidence, ...]) -> bool:
    """Whether this is a sighting of its own: not in a session seen already, nor a copy of words seen already."""
    if not evidence:
        return True
    known = connection.execute(
        "SELECT source_ref, excerpt_hash, observed_at FROM memory_evidence WHERE memory_id = ?", (memory_id,)
    ).fetchall()
    sources = {_source(row["source_ref"]) for row in known}
    words = {(row["excerpt_hash"], row["observed_at"]) for row in known}
    return not any(
        _source(item.source_ref) in sources or (text.sha256(item.excerpt), item.observed_at) in words
        for item in evidence
    )


def _source(reference: str) -> str:
    """The session (or file) of a reference, without the place in it."""
    return reference.rpartition("#")[0] or reference
