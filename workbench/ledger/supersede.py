"""Supersession: how one memory takes the place of another, in one place and one transaction.

Status, ``valid_to`` (= the newcomer's ``valid_from``, never "now"), the link and the event of the retired memory are
always written together; where it stands in time is decided in ``placing.py``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from workbench import text
from workbench.ledger import doubt, revisions, trust
from workbench.ledger.change import Change, fetch, new_id
from workbench.ledger.model import REQUEST, Reason, Status, row_dict

ENDORSED = trust.ENDORSED


def holder(connection: sqlite3.Connection, scope_type: str, scope_key: str, key: str | None) -> dict[str, Any] | None:
    """The memory in force for this fact key in this scope, or None."""
    if key is None:
        return None
    row = connection.execute(
        "SELECT * FROM memories WHERE scope_type = ? AND scope_key = ? AND fact_key = ?"
        " AND status = 'active' AND authority <> 'inferred'",
        (scope_type, scope_key, key),
    ).fetchone()
    return row_dict(row) if row else None


def stating(connection: sqlite3.Connection, scope_type: str, scope_key: str, statement: str) -> dict[str, Any] | None:
    """The memory in force that says ``statement``, perhaps with more behind it ("Works at Acme as a baker.")."""
    wanted = text.normal_form(statement)
    phrase = statement.replace("\x00", " ").replace('"', " ")
    # What begins so, by the full-text index: a scope may hold any number of memories.
    rows = connection.execute(
        "SELECT m.* FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid WHERE memories_fts MATCH ?"
        " AND m.scope_type = ? AND m.scope_key = ? AND m.status = 'active' AND m.authority <> 'inferred'"
        " ORDER BY f.rowid DESC",
        (f'content : ^ "{phrase}"', scope_type, scope_key),
    )
    return next(
        (row_dict(row) for row in rows if f"{text.normal_form(row['content'])} ".startswith(f"{wanted} ")), None
    )


def is_endorsed(row: Mapping[str, Any]) -> bool:
    """Whether the person confirmed or locked a memory."""
    return row["authority"] in ENDORSED


def agent_may_replace(held: Mapping[str, Any]) -> bool:
    """An agent's statement replaces an agent's; what the person confirmed or locked stands."""
    return not is_endorsed(held)


def retire(change: Change, held: dict[str, Any], *, by: str, at: str) -> None:
    """End ``held`` at the instant ``at`` in favour of the memory ``by``; an end it has already is not put off."""
    revisions.keep_endorsed(change, held)
    change.update(
        "memories",
        held["id"],
        status=Status.SUPERSEDED,
        review_reason=None,
        superseded_by=by,
        valid_to=ending(held, at),
        retired_at=change.at,
        updated_at=change.at,
    )
    change.record("superseded", held["id"], by=by)


def ending(held: dict[str, Any], at: str) -> str:
    """When a memory ends that is ended at ``at``: not before it began, and not after the end it has."""
    begun = max(at, held["valid_from"] or at)
    return min(begun, held["valid_to"] or begun)


def relate(change: Change, memory_id: str, related_id: str, kind: str) -> None:
    """Write a relation once."""
    there = change.connection.execute(
        "SELECT 1 FROM memory_relations WHERE memory_id = ? AND related_id = ? AND type = ?",
        (memory_id, related_id, kind),
    ).fetchone()
    if not there:
        change.insert(
            "memory_relations",
            id=new_id("r"),
            memory_id=memory_id,
            related_id=related_id,
            type=kind,
            actor=str(change.actor),
            created_at=change.at,
        )


def in_conflict(connection: sqlite3.Connection, memory_id: str) -> bool:
    """Whether an unsettled memory and this one contradict each other; what only asks for a verdict leaves it be."""
    row = connection.execute(
        "SELECT 1 FROM memory_relations r CROSS JOIN memories a ON a.id = r.memory_id"
        " CROSS JOIN memories b ON b.id = r.related_id"
        " WHERE r.type = 'contradicts' AND (r.memory_id = :id OR r.related_id = :id)"
        " AND a.status IN ('active', 'needs_review', 'candidate')"
        " AND b.status IN ('active', 'needs_review', 'candidate')"
        " AND coalesce(a.batch_id, '') NOT GLOB :requests LIMIT 1",
        {"id": memory_id, "requests": f"{REQUEST}*"},
    ).fetchone()
    return row is not None


def contradicting(connection: sqlite3.Connection, memory_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """For each memory those in force or waiting that it contradicts or is contradicted by, best first."""
    rows = connection.execute(
        "WITH pairs(asked, other) AS (SELECT i.value, r.related_id FROM json_each(:ids) i"
        " CROSS JOIN memory_relations r ON r.memory_id = i.value AND r.type = 'contradicts'"
        " UNION SELECT i.value, r.memory_id FROM json_each(:ids) i"
        " CROSS JOIN memory_relations r ON r.related_id = i.value AND r.type = 'contradicts')"
        " SELECT p.asked, m.* FROM pairs p CROSS JOIN memories m ON m.id = p.other"
        " WHERE m.status IN ('active', 'needs_review', 'candidate') ORDER BY m.status, m.trust DESC, m.seq",
        {"ids": json.dumps(list(memory_ids))},
    )
    found: dict[str, list[dict[str, Any]]] = {memory_id: [] for memory_id in memory_ids}
    for row in map(row_dict, rows):
        found[row.pop("asked")].append(row)
    return found


def challenge(change: Change, memory_id: str, *, by: str) -> None:
    """Note on a memory that ``by`` contradicts it: it has less trust, and with too little of it goes to the inbox.

    What an agent says, or a file that anybody may have written, takes nothing out of force before the person has ruled:
    else an agent could hide whatever the person did not endorse by contradicting it. Then it keeps a badge only.
    """
    refresh_trust(change, memory_id)
    change.record("challenged", memory_id, by=by)
    doubt.doubt(change, memory_id, Reason.CONTRADICTS, stays=_is_claim(change, by))


def _is_claim(change: Change, memory_id: str) -> bool:
    """Whether a contradiction is only what an agent or a file says, and nobody has ruled on it."""
    claims = ("agent", "system")
    row = fetch(change.connection, "memories", memory_id)
    waits = row is not None and row["status"] in (Status.NEEDS_REVIEW, Status.CANDIDATE)
    return change.actor.kind in claims or bool(waits and row and row["created_by"].partition(":")[0] in claims)


def settle(change: Change, memory_id: str) -> None:
    """After a verdict on ``memory_id``: what it contradicted gets back the trust the open conflict took."""
    for other in contradicting_ids(change.connection, memory_id):
        before = fetch(change.connection, "memories", other)
        if before is not None and before["status"] == Status.ACTIVE and refresh_trust(change, other):
            change.record("settled", other, by=memory_id)


def contradicting_ids(connection: sqlite3.Connection, memory_id: str) -> list[str]:
    """Ids at the other end of every ``contradicts`` relation of this memory, whatever their status."""
    rows = connection.execute(
        "SELECT related_id FROM memory_relations WHERE memory_id = ? AND type = 'contradicts'"
        " UNION SELECT memory_id FROM memory_relations WHERE related_id = ? AND type = 'contradicts'",
        (memory_id, memory_id),
    )
    return [row[0] for row in rows]


def refresh_trust(change: Change, memory_id: str) -> bool:
    """Compute a memory's trust again, and take off the badge of a conflict that is over; returns whether it changed."""
    row = fetch(change.connection, "memories", memory_id)
    if row is None:
        return False
    value = made_of(change.connection, row).value
    fields = {} if value == row["trust"] else {"trust": value, "updated_at": change.at}
    contested = row["status"] == Status.ACTIVE and row["review_reason"] == Reason.CONTRADICTS
    if contested and not in_conflict(change.connection, memory_id):
        fields["review_reason"] = None
    if fields:
        change.update("memories", memory_id, **fields)
    return bool(fields)


def made_of(connection: sqlite3.Connection, row: dict[str, Any]) -> trust.Trust:
    """The trust of a memory, from what is known about it now."""
    return trust.prior(
        explicit=bool(row["explicit"]),
        seen_count=row["seen_count"],
        in_conflict=in_conflict(connection, row["id"]),
        authority=row["authority"],
        feedback=_feedback(connection, row),
    )


def _feedback(connection: sqlite3.Connection, row: dict[str, Any]) -> float:
    marks = connection.execute("SELECT actor, helpful FROM memory_feedback WHERE memory_id = ?", (row["id"],))
    return trust.feedback(
        ((mark["actor"], bool(mark["helpful"])) for mark in marks), endorsed=row["authority"] in ENDORSED
    )
