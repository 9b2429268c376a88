"""Evidence: where a memory was found, quoted, so that it can be checked again.

A source that no longer holds the quoted words is marked ``stale_at``, one that is gone ``missing_at``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from workbench import text
from workbench.ledger import supersede
from workbench.ledger.change import Change, fetch, new_id
from workbench.ledger.model import Authority, Evidence, Reason, Status, row_dict
from workbench.ledger.sources import CHECKED, Finding

# Further sightings count, but are not quoted.
MAX_PER_MEMORY = 50
# What was ruled wrong, replaced, put away or erased needs no evidence any more.
_SWEPT = (Status.ACTIVE, Status.NEEDS_REVIEW, Status.CANDIDATE, Status.STALE)
_ACTIONS = {
    Finding.SAME: "evidence_restored",
    Finding.CHANGED: "evidence_stale",
    Finding.GONE: "evidence_missing",
    Finding.WITHDRAWN: "evidence_missing",
}
_ABSENT = (Finding.GONE, Finding.WITHDRAWN)
# What a missing source weighs more than.
_LESSER = (None, Reason.SPOT_CHECK)


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


@dataclass
class Marked:
    """How many pieces of evidence were marked, how many memories changed with them, and how many of those wait now."""

    changed: int = 0
    gone: int = 0
    restored: int = 0
    memories: int = 0
    waiting: int = 0


def to_check(connection: sqlite3.Connection, after: str, limit: int) -> list[dict[str, Any]]:
    """Evidence of memories in use whose source can be looked at, by id; with the scope and writer of its memory.

    :param after: the id behind which to go on.
    """
    rows = connection.execute(
        # CROSS: by the key of the evidence, so that each batch reads its own rows only.
        "SELECT e.*, m.scope_type, m.scope_key, m.created_by FROM memory_evidence e"
        " CROSS JOIN memories m ON m.id = e.memory_id WHERE e.id > ? AND m.status IN (SELECT value FROM json_each(?))"
        " AND +e.source_type IN (SELECT value FROM json_each(?)) ORDER BY e.id LIMIT ?",
        (after, json.dumps(_SWEPT), json.dumps(CHECKED), limit),
    )
    return [row_dict(row) for row in rows]


def of_messages(connection: sqlite3.Connection, key: str, ids: Collection[int]) -> list[dict[str, Any]]:
    """Evidence of memories in use in these messages of a conversation; rows as of ``to_check``."""
    rows = connection.execute(
        "SELECT e.*, m.scope_type, m.scope_key, m.created_by FROM json_each(:refs) r CROSS JOIN memory_evidence e"
        " ON e.source_type = 'session' AND e.source_ref = r.value CROSS JOIN memories m ON m.id = e.memory_id"
        " WHERE m.status IN (SELECT value FROM json_each(:swept)) ORDER BY e.id",
        {"refs": json.dumps([f"{key}#{number}" for number in ids]), "swept": json.dumps(_SWEPT)},
    )
    return [row_dict(row) for row in rows]


def due(row: Mapping[str, Any], finding: Finding, at: str) -> dict[str, str | None]:
    """What a finding changes in the marks of a piece of evidence; nothing where they say it already."""
    stale, missing = row["stale_at"], row["missing_at"]
    if finding in _ABSENT and missing is None:
        return {"missing_at": at}
    if finding is Finding.CHANGED and (stale is None or missing is not None):
        return {"stale_at": stale or at, "missing_at": None}
    if finding is Finding.SAME and (stale or missing):
        return {"stale_at": None, "missing_at": None}
    return {}


def mark(change: Change, findings: Mapping[str, Finding]) -> Marked:
    """Write what a sweep found, by id of the evidence; what was written since the sweep read it is judged anew.

    A memory whose source is gone, or does not say so any more, goes to the inbox, and stays in force with a badge. It
    waits only where the person took the words back, no other source is left, and they have not endorsed it. When the
    source is back, it is as before.
    Two things end this to and fro: a mark that the person has ruled on stays, and one that they took back is not made
    again.
    """
    marked = Marked()
    by_memory: dict[str, list[dict[str, Any]]] = {}
    for key in findings:
        row = fetch(change.connection, "memory_evidence", key)
        if row is not None:
            by_memory.setdefault(row["memory_id"], []).append(row)
    for memory_id, rows in by_memory.items():
        memory = fetch(change.connection, "memories", memory_id)
        if memory is None or memory["status"] not in _SWEPT:
            continue
        for finding, action in _ACTIONS.items():
            wanted = [row for row in rows if findings[row["id"]] is finding]
            _mark(change, memory_id, action, finding, wanted, marked)
    return marked


def _mark(
    change: Change, memory_id: str, action: str, finding: Finding, rows: list[dict[str, Any]], marked: Marked
) -> None:
    """Mark the evidence of one memory with one finding, and let the memory follow; one event."""
    done = []
    for row in rows:
        fields = due(row, finding, change.at)
        if not fields or _settled(change.connection, row, finding):
            continue
        change.update("memory_evidence", row["id"], **fields)
        done.append(row["id"])
    if not done:
        return
    if (status := _follow(change, memory_id, finding)) is not None:
        marked.memories += 1
        marked.waiting += finding is Finding.WITHDRAWN and status == Status.NEEDS_REVIEW
    change.record(action, memory_id, evidence=done)
    name = "gone" if finding in _ABSENT else "changed" if finding is Finding.CHANGED else "restored"
    setattr(marked, name, getattr(marked, name) + len(done))


def _follow(change: Change, memory_id: str, finding: Finding) -> str | None:
    """Bring a memory's place in line with its marks; returns its status where that changed anything."""
    row = fetch(change.connection, "memories", memory_id)
    total, missing, marked = change.connection.execute(
        "SELECT count(*), count(missing_at), count(coalesce(missing_at, stale_at)) FROM memory_evidence"
        " WHERE memory_id = ?",
        (memory_id,),
    ).fetchone()
    if row is None:
        return None
    status, reason = row["status"], row["review_reason"]
    if finding is not Finding.SAME and status == Status.ACTIVE and reason in _LESSER:
        reason = Reason.EVIDENCE_STALE
    if finding is Finding.WITHDRAWN and status == Status.ACTIVE:
        if missing == total and row["authority"] not in supersede.ENDORSED:
            status = Status.NEEDS_REVIEW
    elif finding not in _ABSENT and reason == Reason.EVIDENCE_STALE and missing < total:
        if status == Status.NEEDS_REVIEW and _free(change.connection, row):
            status = Status.ACTIVE
        if status == Status.ACTIVE and not marked:
            reason = None
    if status != row["status"]:
        change.update("memories", memory_id, status=status, review_reason=reason, updated_at=change.at)
        change.enqueue("memory_md")
    elif reason != row["review_reason"]:
        # A badge is no new wording: what orders by updated_at stays as it is.
        change.update("memories", memory_id, review_reason=reason)
    else:
        return None
    return str(status)


def _free(connection: sqlite3.Connection, row: dict[str, Any]) -> bool:
    """Whether nothing else has taken the place that a memory had in force."""
    held = supersede.holder(connection, row["scope_type"], row["scope_key"], row["fact_key"])
    double = connection.execute(
        "SELECT 1 FROM memories WHERE fingerprint = ? AND status = 'active'", (row["fingerprint"],)
    ).fetchone()
    return double is None and (held is None or row["authority"] == Authority.INFERRED)


def _settled(connection: sqlite3.Connection, row: dict[str, Any], finding: Finding) -> bool:
    """Whether the person has had the last word on a mark: what is there stays, what they took back stays away."""
    marked = row["stale_at"] or row["missing_at"]
    if marked and finding not in _ABSENT and _ruled(connection, row["memory_id"]):
        return True
    return finding is not Finding.SAME and _taken_back(connection, row)


def _ruled(connection: sqlite3.Connection, memory_id: str) -> bool:
    """Whether the person has ruled on a memory since a sweep marked its evidence last."""
    sweeps = json.dumps([_ACTIONS[Finding.CHANGED], _ACTIONS[Finding.GONE]])
    row = connection.execute(
        "SELECT max(CASE WHEN actor LIKE 'person:%' THEN seq END) >"
        " max(CASE WHEN action IN (SELECT value FROM json_each(?)) THEN seq END)"
        " FROM memory_events WHERE memory_id = ?",
        (sweeps, memory_id),
    ).fetchone()
    return bool(row[0])


def _taken_back(connection: sqlite3.Connection, row: dict[str, Any]) -> bool:
    """Whether the person has undone a mark on this piece of evidence."""
    found = connection.execute(
        "SELECT 1 FROM memory_events e JOIN memory_events u ON u.undoes = e.change_id"
        " JOIN event_payloads p ON p.seq = e.seq, json_each(p.payload, '$.details.evidence') j"
        " WHERE e.memory_id = ? AND e.action IN ('evidence_stale', 'evidence_missing') AND j.value = ? LIMIT 1",
        (row["memory_id"], row["id"]),
    ).fetchone()
    return found is not None
