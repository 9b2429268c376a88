"""How much a ledger may hold: a full one first sinks what no agent has used, then refuses, loudly."""

from __future__ import annotations

from workbench.errors import WorkbenchError
from workbench.ledger import standing
from workbench.ledger.change import Change
from workbench.ledger.filters import TOUCHED_SINCE
from workbench.ledger.time import before

SINK_AT_ONCE = 100
# What is put away, replaced or ruled out does not count.
_IN_USE = "'active', 'stale'"
_OR_WAITS = "'active', 'stale', 'needs_review', 'candidate'"
# What nobody endorsed and nothing has used since :since; what the person has touched since then is theirs to keep.
DORMANT = (
    "memories m LEFT JOIN memory_use u ON u.memory_id = m.id"
    " WHERE m.status = 'active' AND m.authority IN ('observed', 'inferred') AND m.review_reason IS NULL"
    f" AND coalesce(u.last_used_at, m.created_at) < :since AND m.created_at < :since AND NOT {TOUCHED_SINCE}"
)


class QuotaExceeded(WorkbenchError):
    """The ledger, or the inbox, is full."""


def make_room(change: Change, limit: int | None, dormant_days: int) -> None:
    """Let one more memory be written. What waits takes room from agents alone: no flood keeps the person out.

    :param limit: how many memories may be in use; None for any number.
    :raises QuotaExceeded: when nothing can be sunk.
    """
    if limit is None or _in_use(change) < limit:
        return
    if not sink(change, dormant_days, SINK_AT_ONCE) or _in_use(change) >= limit:
        raise QuotaExceeded(
            f"the ledger holds its {limit:,} memories, and none of an agent's is unused for {dormant_days} days;"
            " archive some, or raise ledger.maxMemories in config.json"
        )


def refuse_flood(change: Change, limit: int) -> None:
    """Keep agents, which name themselves, from burying the inbox.

    :raises QuotaExceeded: when ``limit`` memories of writers of this kind wait already.
    """
    kind = change.actor.kind
    waiting = change.connection.execute(
        "SELECT count(*) FROM memories WHERE created_by >= ? AND created_by < ? AND review_reason IS NOT NULL",
        (f"{kind}:", f"{kind};"),
    ).fetchone()[0]
    if waiting >= limit:
        raise QuotaExceeded(
            f"{waiting:,} memories of {kind}s wait for the person already; some must be ruled on first"
            " (ledger.maxWaitingPerWriter in config.json)"
        )


def dormant(change: Change, days: int, limit: int) -> list[str]:
    """Ids of memories in force that nobody endorsed and nothing has used for ``days`` days, longest unused first."""
    rows = change.connection.execute(
        f"SELECT m.id FROM {DORMANT} ORDER BY coalesce(u.last_used_at, m.created_at), m.seq LIMIT :limit",
        {"since": before(change.at, days), "limit": limit},
    )
    return [row[0] for row in rows]


def sink(change: Change, days: int, limit: int) -> list[str]:
    """Archive dormant memories; what the person endorsed never sinks, at 0 days nothing does. Returns their ids."""
    ids = dormant(change, days, limit) if days else []
    for memory_id in ids:
        standing.put_away(change, memory_id, reason="dormant")
    return ids


def _in_use(change: Change) -> int:
    counted = _IN_USE if change.actor.kind == "person" else _OR_WAITS
    return int(change.connection.execute(f"SELECT count(*) FROM memories WHERE status IN ({counted})").fetchone()[0])
