"""The maintenance clock: what time alone changes in the ledger.

Each step takes one batch and says how much it did; stored instants decide, so a step that was broken off goes on where
it was, and one that was done does nothing. What the person endorsed is never put away.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from workbench.config import Ledger
from workbench.ledger import doubt, quota, spot_checks, standing
from workbench.ledger.change import Change
from workbench.ledger.filters import TOUCHED_SINCE
from workbench.ledger.time import before

KEPT_REVISIONS = 50
KEPT_LENSES = 200
# A guess that waits, nobody answered, and nothing has changed since :since. What was observed waits however long it
# takes, and what waits in force, with a badge, stays there.
_UNANSWERED = (
    "memories m WHERE m.status IN ('needs_review', 'candidate') AND m.authority = 'inferred'"
    f" AND m.updated_at < :since AND NOT {TOUCHED_SINCE}"
)
# The reader's next lens is told apart from its newest one, which is kept, however old.
_OLD_LENSES = (
    "(SELECT id, row_number() OVER (ORDER BY created_at DESC, rowid DESC) AS place, row_number() OVER"
    " (PARTITION BY agent, project_key, workspace_key ORDER BY created_at DESC, rowid DESC) AS of_reader"
    " FROM lens_archive) WHERE place > :kept AND of_reader > 1"
)
_LONG = "SELECT memory_id FROM memory_revisions GROUP BY memory_id HAVING count(*) > :kept"


@dataclass(frozen=True)
class Due:
    """What maintenance would do in the ledger.

    :param conjectures: memories that waited too long for an answer.
    :param faded: memories bound to their time that were not seen for too long.
    :param dormant: memories that nobody endorsed and nothing uses.
    :param revisions: memories with more revisions than are kept.
    :param lenses: archived lenses beyond those that are kept.
    :param spot_checks: memories that would join the inbox.
    """

    conjectures: int
    faded: int
    dormant: int
    revisions: int
    lenses: int
    spot_checks: int


def due(connection: sqlite3.Connection, settings: Ledger, at: str) -> Due:
    """What there is to do at the instant ``at``."""

    def count(query: str, days: int | None = None, kept: int = KEPT_REVISIONS) -> int:
        values = {"since": before(at, days or 0), "kept": kept}
        return 0 if days == 0 else int(connection.execute(f"SELECT count(*) FROM {query}", values).fetchone()[0])

    return Due(
        conjectures=count(_UNANSWERED, settings.conjecture_days),
        faded=len(doubt.faded(connection, at)),
        dormant=count(quota.DORMANT, settings.dormant_days),
        revisions=count(f"({_LONG})"),
        lenses=count(_OLD_LENSES, kept=KEPT_LENSES),
        spot_checks=min(settings.spot_checks, len(spot_checks.eligible(connection, at))),
    )


def expire(change: Change, days: int, limit: int) -> int:
    """Archive conjectures that waited ``days`` days without an answer (0: never), longest waiting first."""
    if not days:
        return 0
    rows = change.connection.execute(
        f"SELECT m.id FROM {_UNANSWERED} ORDER BY m.updated_at, m.seq LIMIT :limit",
        {"since": before(change.at, days), "limit": limit},
    ).fetchall()
    for (memory_id,) in rows:
        standing.put_away(change, memory_id, reason="expired")
    return len(rows)


def fold(change: Change, limit: int) -> int:
    """Let a memory keep 50 revisions: the first one becomes a milestone that counts those between; returns memories."""
    rows = change.connection.execute(f"{_LONG} LIMIT :limit", {"kept": KEPT_REVISIONS, "limit": limit}).fetchall()
    for (memory_id,) in rows:
        revisions = change.connection.execute(
            "SELECT id, folded FROM memory_revisions WHERE memory_id = ? ORDER BY created_at DESC, id", (memory_id,)
        ).fetchall()
        *between, first = revisions[KEPT_REVISIONS - 1 :]
        for revision in between:
            change.delete("memory_revisions", revision["id"])
        count = sum(revision["folded"] or 1 for revision in (*between, first))
        change.update("memory_revisions", first["id"], folded=count)
        change.record("revisions_folded", memory_id, folded=count)
    return len(rows)


def prune_lenses(connection: sqlite3.Connection, limit: int) -> int:
    """Delete archived lenses but the newest 200, and the newest of each reader; oldest first; returns how many went."""
    rows = connection.execute(
        f"SELECT id FROM {_OLD_LENSES} ORDER BY place DESC LIMIT :limit", {"kept": KEPT_LENSES, "limit": limit}
    )
    going = [row[0] for row in rows]
    connection.execute("DELETE FROM lens_archive WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(going),))
    return len(going)


def findable(connection: sqlite3.Connection, *, private: bool = True) -> dict[str, str]:
    """The texts that a search by meaning may find, by id: what is in force at any time, and is not secret.

    What held once stays: a question as of then must find it. What is dead (rejected, put away, erased) goes.

    :param private: also those that are sensitive.
    """
    kinds = ("normal", "sensitive" if private else "normal")
    rows = connection.execute(
        "SELECT id, content FROM memories WHERE status IN ('active', 'superseded') AND privacy IN (?, ?)", kinds
    )
    return {row["id"]: row["content"] for row in rows}


def private(connection: sqlite3.Connection) -> list[str]:
    """What memories say that are sensitive or secret, whatever became of them."""
    rows = connection.execute("SELECT content FROM memories WHERE privacy <> 'normal' AND content <> ''")
    return [row["content"] for row in rows]
