"""Lists of memories: which fit, in what order, a page at a time; answered from indexes in a ledger of any size."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import takewhile
from typing import Any

from workbench import fts
from workbench.ledger import gate
from workbench.ledger.filters import HOLDS, IN_FORCE, LISTED, Reader
from workbench.ledger.model import Reason, row_dict

# Shorter beginnings of an id are hard to tell apart, and soon no longer unique.
SHORT_ID = len("m_") + 8
# In the inbox first what touches something in force, then what may steer agents, then what asks for consent.
_CONSEQUENCES = (
    (Reason.SUPERSEDE_PROPOSAL, Reason.CONTRADICTS, Reason.EVIDENCE_STALE, Reason.PATROL),
    (Reason.INJECTION_FLAGGED, Reason.SCANNER_UNAVAILABLE, Reason.INSTRUCTION),
    (Reason.SENSITIVE, Reason.SPOT_CHECK),
)
_RANK = "CASE m.review_reason {} ELSE {} END".format(
    " ".join(f"WHEN '{reason}' THEN {rank}" for rank, reasons in enumerate(_CONSEQUENCES) for reason in reasons),
    len(_CONSEQUENCES),
)
# Whose word it was: the conversation it came from, else the agent, else whoever wrote it.
_SOURCE = "coalesce(m.source_session, m.source_agent, m.created_by)"
# How a value is looked up that is stored in another form than it is written in.
_READ: dict[str, Callable[[str], str]] = {
    "fact_key": gate.fact_key,
    "tag": lambda tag: json.dumps(tag.strip(), ensure_ascii=False),
}
_EXACT = (
    *("status", "kind", "type", "scope_type", "scope_key", "authority", "tier", "privacy"),
    *("source_agent", "review_reason"),
)


class Order(StrEnum):
    """In what order a list comes."""

    NEWEST = "newest"
    TRUST = "trust"
    IMPORTANCE = "importance"
    CONSEQUENCE = "consequence"
    MATCH = "match"


_ORDERS = {
    Order.NEWEST: "m.seq DESC",
    Order.TRUST: "m.trust DESC, m.seq",
    Order.IMPORTANCE: "m.importance DESC, m.seq DESC",
    Order.CONSEQUENCE: f"{_RANK}, m.seq",
    Order.MATCH: "f.rank, m.seq DESC",
}


@dataclass(frozen=True)
class Wanted:
    """Which memories are wanted; None means any.

    :param source: the conversation, agent or writer it came from.
    :param waiting: only what is in the inbox.
    :param since: created at or after this instant; ``until``: before this one.
    :param as_of: only what was in force at this instant.
    :param standing: only what is active, or replaced from a later time than this instant on, and in force at it.
    :param query: only what has these words.
    :param reader: only what this agent is shown.
    """

    status: str | None = None
    kind: str | None = None
    type: str | None = None
    scope_type: str | None = None
    scope_key: str | None = None
    authority: str | None = None
    tier: str | None = None
    privacy: str | None = None
    fact_key: str | None = None
    source_agent: str | None = None
    review_reason: str | None = None
    tag: str | None = None
    source: str | None = None
    waiting: bool = False
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    standing: str | None = None
    query: str | None = None
    reader: Reader | None = None


def page(
    connection: sqlite3.Connection, wanted: Wanted, order: Order | None = None, *, limit: int, offset: int = 0
) -> tuple[list[dict[str, Any]], int]:
    """Some of the memories that are wanted, and how many there are in all.

    :param order: by default the best match first with a query, else the newest.
    """
    match = None if wanted.query is None else fts.build_query(wanted.query)
    if wanted.query is not None and match is None:
        return [], 0
    condition, values = _where(wanted, match)
    source = "memories m" if match is None else "memories_fts f CROSS JOIN memories m ON m.seq = f.rowid"
    chosen = _ORDERS[order or (Order.NEWEST if match is None else Order.MATCH)]
    total = connection.execute(f"SELECT count(*) FROM {source} WHERE {condition}", values).fetchone()[0]
    if offset >= total:
        return [], total
    found = connection.execute(
        f"SELECT m.seq FROM {source} WHERE {condition} ORDER BY {chosen} LIMIT :limit OFFSET :offset",
        {**values, "limit": limit, "offset": offset},
    )
    return _rows(connection, [row[0] for row in found]), total


def groups(connection: sqlite3.Connection, wanted: Wanted) -> list[dict[str, Any]]:
    """What waits, by reason and source: how much, since when, and the oldest of each; in the order of the inbox."""
    condition, values = _where(wanted, None)
    found = connection.execute(
        f"SELECT m.review_reason AS reason, {_SOURCE} AS source, count(*) AS waiting, min(m.created_at) AS since,"
        f" min(m.seq) AS seq FROM memories m WHERE {condition} GROUP BY 1, 2 ORDER BY {_RANK}, min(m.seq)",
        values,
    )
    counted = [row_dict(row) for row in found]
    oldest = _rows(connection, [each["seq"] for each in counted])
    return [{**each, "oldest": row["id"], "content": row["content"]} for each, row in zip(counted, oldest, strict=True)]


def counts(connection: sqlite3.Connection, at: str) -> dict[str, Any]:
    """How many memories there are, by status and by writer; how many are in force at ``at``; what waits, by reason."""
    by_status = _counted(connection, "status")
    waiting = _counted(connection, "review_reason", "WHERE review_reason IS NOT NULL")
    in_force = connection.execute(f"SELECT count(*) FROM memories m WHERE {IN_FORCE}", {"at": at}).fetchone()[0]
    oldest = connection.execute(
        "SELECT created_at FROM memories WHERE seq = (SELECT min(seq) FROM memories WHERE review_reason IS NOT NULL)"
    ).fetchone()
    return {
        "stored": sum(by_status.values()),
        "in_force": in_force,
        "by_status": by_status,
        "waiting": sum(waiting.values()),
        "waiting_by_reason": waiting,
        "oldest_waiting": oldest[0] if oldest else None,
        "by_writer": _counted(connection, "substr(created_by, 1, instr(created_by, ':') - 1)"),
    }


def _counted(connection: sqlite3.Connection, column: str, where: str = "") -> dict[str, int]:
    rows = connection.execute(f"SELECT {column}, count(*) FROM memories {where} GROUP BY 1 ORDER BY 2 DESC, 1")
    return {str(row[0]): int(row[1]) for row in rows}


def short_ids(connection: sqlite3.Connection, memory_ids: Sequence[str]) -> dict[str, str]:
    """For each id the shortest beginning, of 8 digits at least, that no other memory has."""
    rows = connection.execute(
        "SELECT i.value AS id, (SELECT max(id) FROM memories WHERE id < i.value) AS before,"
        " (SELECT min(id) FROM memories WHERE id > i.value) AS after FROM json_each(?) i",
        (json.dumps(list(memory_ids)),),
    )
    return {row["id"]: row["id"][: max(SHORT_ID, _told_apart(row["id"], row["before"], row["after"]))] for row in rows}


def _told_apart(memory_id: str, *neighbours: str | None) -> int:
    """How many characters it takes to tell an id from those before and after it."""
    shared = (
        takewhile(lambda pair: pair[0] == pair[1], zip(memory_id, other or "", strict=False)) for other in neighbours
    )
    return 1 + max(len(list(pairs)) for pairs in shared)


def _rows(connection: sqlite3.Connection, numbers: list[int]) -> list[dict[str, Any]]:
    """The rows with these sequence numbers, in this order."""
    rows = connection.execute(
        "SELECT m.* FROM json_each(?) i CROSS JOIN memories m ON m.seq = i.value", (json.dumps(numbers),)
    )
    found = {row["seq"]: row_dict(row) for row in rows}
    return [found[number] for number in numbers]


def _where(wanted: Wanted, match: str | None) -> tuple[str, dict[str, Any]]:
    """The condition, and the values of its parameters."""
    given = {name: value for name in _EXACT if (value := getattr(wanted, name)) is not None}
    parts = [f"m.{name} = :{name}" for name in given]
    for name, condition in (
        ("fact_key", "m.seq IN (SELECT seq FROM memories WHERE fact_key = :fact_key)"),
        # A tag as JSON writes it cannot stand inside another one, nor between two.
        ("tag", "instr(m.tags, :tag)"),
        ("source", ":source IN (m.source_session, m.source_agent, m.created_by)"),
        ("since", "m.created_at >= :since"),
        ("until", "m.created_at < :until"),
    ):
        if (value := getattr(wanted, name)) is not None:
            parts.append(condition)
            given[name] = _READ[name](value) if name in _READ else value
    if wanted.waiting:
        parts.append("m.review_reason IS NOT NULL")
    if wanted.as_of is not None:
        parts.append(IN_FORCE)
        given["at"] = wanted.as_of
    if wanted.standing is not None:
        parts.append(f"(m.status = 'active' OR (m.status = 'superseded' AND {HOLDS}))")
        given["at"] = wanted.standing
    if wanted.reader is not None:
        parts.append(LISTED)
        given |= asdict(wanted.reader)
    if match is not None:
        parts.append("memories_fts MATCH :match")
        given["match"] = match
    return " AND ".join(parts) or "1", given
