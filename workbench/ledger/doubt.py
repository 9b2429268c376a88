"""Doubt: what nobody endorsed and too little speaks for is put before the person, whatever took its trust away."""

from __future__ import annotations

import sqlite3

from workbench.ledger import evidence, lifecycle, trust
from workbench.ledger.change import Change, fetch
from workbench.ledger.filters import ENDORSED, HOLDS, TOUCHED_SINCE
from workbench.ledger.model import Evidence, Kind, Reason, Status
from workbench.ledger.time import before

# Below this trust, what is in force and nobody endorsed goes to the inbox.
DOUBTED = 0.55
# What the person has touched within a half-life does not fade: that they took a doubt back counts as well.
_TEMPORAL = (
    f"memories m WHERE m.status = 'active' AND m.kind = '{Kind.TEMPORAL}' AND NOT {ENDORSED} AND {HOLDS}"
    f" AND NOT {TOUCHED_SINCE}"
)


def doubt(change: Change, memory_id: str, reason: Reason = Reason.MID_CONFIDENCE, *, stays: bool = False) -> bool:
    """Send a memory in force to the inbox when nobody endorsed it and its trust is under 0.55; returns whether it went.

    :param reason: why, unless it has a reason already.
    :param stays: it stays in force meanwhile, and the reason is its badge.
    """
    row = fetch(change.connection, "memories", memory_id)
    if row is None or row["status"] != Status.ACTIVE or row["authority"] in trust.ENDORSED:
        return False
    if trust.at(row, change.at) >= DOUBTED or (stays and row["review_reason"]):
        return False
    if stays:
        # A badge is no new wording: what orders by updated_at stays as it is.
        change.update("memories", memory_id, review_reason=reason)
    else:
        lifecycle.check(memory_id, row["status"], Status.NEEDS_REVIEW)
        change.update(
            "memories",
            memory_id,
            status=Status.NEEDS_REVIEW,
            review_reason=row["review_reason"] or reason,
            updated_at=change.at,
        )
    change.record("doubted", memory_id, reason=reason)
    change.enqueue("memory_md")
    return True


def resting_on(connection: sqlite3.Connection, message: str) -> list[str]:
    """Ids of the memories in force that rest on one message alone.

    :param message: as evidence names it.
    """
    found = connection.execute(
        "SELECT m.id FROM memory_evidence e JOIN memories m ON m.id = e.memory_id WHERE e.source_type = 'session'"
        " AND e.source_ref = ? AND m.status = 'active' AND NOT EXISTS (SELECT 1 FROM memory_evidence o"
        " WHERE o.memory_id = m.id AND o.source_ref <> e.source_ref) ORDER BY m.seq",
        (message,),
    )
    return [row[0] for row in found]


def disavow(change: Change, memory_id: str, by: Evidence) -> bool:
    """Put a memory in force before the person, who took back what it says; returns whether it waits from now on.

    What they endorsed stays in force with a badge.

    :param by: the message in which they did, which is shown beside it.
    """
    row = fetch(change.connection, "memories", memory_id)
    endorsed = row is not None and row["authority"] in trust.ENDORSED
    if row is None or row["status"] != Status.ACTIVE or (endorsed and row["review_reason"]):
        return False
    fields: dict[str, str] = {"review_reason": Reason.CONTRADICTS}
    if not endorsed:
        lifecycle.check(memory_id, row["status"], Status.NEEDS_REVIEW)
        fields |= {"status": Status.NEEDS_REVIEW, "updated_at": change.at}
    change.update("memories", memory_id, **fields)
    evidence.add(change, memory_id, (by,))
    change.record("disavowed", memory_id, message=by.source_ref)
    change.enqueue("memory_md")
    return not endorsed


def fade(change: Change, limit: int) -> int:
    """Doubt what is bound to its time and was not seen for so long that too little speaks for it; longest unseen first.

    Returns how many went to the inbox.
    """
    ids = faded(change.connection, change.at)[:limit]
    for memory_id in ids:
        doubt(change, memory_id)
    return len(ids)


def faded(connection: sqlite3.Connection, at: str) -> list[str]:
    """Ids of the memories that ``fade`` would put into the inbox at the instant ``at``, longest unseen first."""
    rows = connection.execute(
        f"SELECT m.id, m.kind, m.authority, m.trust, m.last_seen_at, m.created_at FROM {_TEMPORAL}"
        " ORDER BY coalesce(m.last_seen_at, m.created_at), m.seq",
        {"at": at, "since": before(at, int(trust.HALF_LIFE_DAYS))},
    )
    return [row["id"] for row in rows if trust.at(row, at) < DOUBTED]
