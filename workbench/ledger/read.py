"""What the ledger can be asked; every function takes a read-only connection and returns plain rows."""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from workbench import text
from workbench.errors import NotFound
from workbench.ledger.filters import IN_FORCE, KNOWABLE, LISTED, Reader
from workbench.ledger.lifecycle import Ambiguous
from workbench.ledger.model import Authority, row_dict


def resolve(connection: sqlite3.Connection, prefix: str, reader: Reader | None = None, visible: str = KNOWABLE) -> str:
    """The id that ``prefix`` (with or without ``m_``) stands for.

    :param reader: an agent: what it may not see is not there for it.
    :param visible: what it may see: ``filters.KNOWABLE`` or ``LISTED``.
    :raises NotFound: when no memory has it.
    :raises Ambiguous: when several have.
    """
    wanted = prefix.strip().lower()
    wanted = wanted if wanted.startswith("m_") else f"m_{wanted}"
    if wanted == "m_" or not all(c in "0123456789abcdef" for c in wanted[2:]):
        raise NotFound(f"{text.quoted(prefix, 40)} is not a memory id; `workbench memory list` shows them")
    seen = visible if reader else "1"
    # A range on the unique index; "g" follows every hexadecimal digit.
    rows = connection.execute(
        f"SELECT m.id FROM memories m WHERE m.id >= :first AND m.id < :after AND {seen} LIMIT 2",
        {"first": wanted, "after": wanted + "g", **(asdict(reader) if reader else {})},
    ).fetchall()
    if not rows:
        here = " within reach; what holds in another project is found from its folder"
        where = here if reader else "; `workbench memory list` shows them"
        raise NotFound(f"there is no memory {text.quoted(prefix, 40)}{where}")
    if len(rows) > 1:
        raise Ambiguous(f"{text.quoted(prefix, 40)} fits several memories; give more of the id")
    return str(rows[0][0])


def shown(connection: sqlite3.Connection, memory_ids: Iterable[str], reader: Reader | None) -> set[str]:
    """Those of these memories that ``reader`` is shown; the person (None) is shown all."""
    if reader is None:
        return set(memory_ids)
    rows = connection.execute(
        f"SELECT m.id FROM json_each(:ids) i CROSS JOIN memories m ON m.id = i.value WHERE {LISTED}",
        {"ids": json.dumps(list(memory_ids)), **asdict(reader)},
    )
    return {row[0] for row in rows}


def memory(connection: sqlite3.Connection, memory_id: str) -> dict[str, Any]:
    """The row with this full id.

    :raises NotFound: when there is none.
    """
    row = connection.execute("SELECT * FROM memories WHERE id = ?", (memory_id,)).fetchone()
    if row is None:
        raise NotFound(f"there is no memory {memory_id}")
    return row_dict(row)


def holds(connection: sqlite3.Connection, memory_id: str, at: str) -> bool:
    """Whether a memory is in force at the instant ``at``."""
    query = f"SELECT 1 FROM memories m WHERE m.id = :id AND {IN_FORCE}"
    return connection.execute(query, {"id": memory_id, "at": at}).fetchone() is not None


def evidence(connection: sqlite3.Connection, memory_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The evidence of each of these memories, in the order it was said."""
    return _by_memory(connection, "memory_evidence", memory_ids, "observed_at, id")


def revisions(connection: sqlite3.Connection, memory_id: str) -> list[dict[str, Any]]:
    """How a memory read before each correction, newest first."""
    return _by_memory(connection, "memory_revisions", [memory_id], "created_at DESC, id")[memory_id]


def relations(connection: sqlite3.Connection, memory_id: str) -> list[dict[str, Any]]:
    """Relations from and to a memory, with the text and status of the memory at the other end (``other_*``) and the
    batch of the one it starts from.
    """
    rows = connection.execute(
        "SELECT r.*, m.id AS other_id, m.content AS other_content, m.status AS other_status, q.batch_id"
        " FROM memory_relations r CROSS JOIN memories q ON q.id = r.memory_id"
        " CROSS JOIN memories m ON m.id = CASE WHEN r.memory_id = ?1 THEN r.related_id ELSE r.memory_id END"
        " WHERE r.memory_id = ?1 OR r.related_id = ?1 ORDER BY r.created_at, r.rowid",
        (memory_id,),
    )
    return [row_dict(row) for row in rows]


def events(
    connection: sqlite3.Connection, memory_id: str | None = None, limit: int = 50, reader: Reader | None = None
) -> list[dict[str, Any]]:
    """Events of one memory, or of all that ``reader`` is shown, newest first, each with the details of its payload."""
    seen = f"e.memory_id IN (SELECT m.id FROM memories m WHERE {LISTED})" if reader else "1"
    rows = connection.execute(
        "SELECT e.*, json_extract(p.payload, '$.details') AS details FROM memory_events e"
        f" LEFT JOIN event_payloads p USING (seq) WHERE (:id IS NULL OR e.memory_id = :id) AND {seen}"
        " ORDER BY e.seq DESC LIMIT :limit",
        {"id": memory_id, "limit": limit, **(asdict(reader) if reader else {})},
    )
    return [row_dict(row) for row in rows]


# What a line of MEMORY.md is made of, and what its place depends on.
_SHOWN = "m.id, m.seq, m.content, m.kind, m.scope_type, m.scope_key, m.fact_key, m.tier, m.authority, m.trust"


def projection(connection: sqlite3.Connection, at: str) -> Iterator[dict[str, Any]]:
    """What MEMORY.md shows: memories in force at ``at`` that are not secret: core ones, then by authority and trust,
    newer ones first.

    Rows with the columns of ``_SHOWN``, read while they are consumed: of a store of any size only what is taken.
    """

    def rows(index: str, part: str) -> Iterator[dict[str, Any]]:
        cursor = connection.execute(
            f"SELECT {_SHOWN} FROM memories m INDEXED BY {index} WHERE {part} AND {IN_FORCE}"
            " AND m.privacy <> 'secret' ORDER BY m.trust DESC, m.seq DESC",
            {"at": at},
        )
        names = [column[0] for column in cursor.description]
        return (dict(zip(names, row, strict=True)) for row in cursor)

    def place(row: dict[str, Any]) -> tuple[float, int]:
        return -row["trust"], -row["seq"]

    order = [authority.value for authority in reversed(Authority)]
    yield from sorted(rows("memories_core", "m.tier = 'core'"), key=lambda row: order.index(row["authority"]))
    ending = list(rows("memories_ending", "m.status = 'superseded' AND m.valid_to > :at AND m.tier <> 'core'"))
    for authority in order:
        active = rows("memories_by_trust", f"m.status = 'active' AND m.authority = '{authority}' AND m.tier <> 'core'")
        yield from heapq.merge(active, (row for row in ending if row["authority"] == authority), key=place)


def from_sessions(connection: sqlite3.Connection, keys: Iterable[str], statuses: Iterable[str]) -> list[str]:
    """Ids of the memories first found in one of these sessions that have one of these statuses."""
    rows = connection.execute(
        "SELECT id FROM memories WHERE source_session IN (SELECT value FROM json_each(?))"
        " AND status IN (SELECT value FROM json_each(?)) ORDER BY seq",
        (json.dumps(sorted(keys)), json.dumps([str(status) for status in statuses])),
    )
    return [row[0] for row in rows]


def projects_named(connection: sqlite3.Connection, name: str) -> set[str]:
    """The keys of projects that are ``name``, or folders that end in it."""
    rows = connection.execute(
        "SELECT DISTINCT scope_key FROM memories WHERE scope_type = 'project'"
        " AND (scope_key = :name OR substr(scope_key, -length(:name) - 1) = '/' || :name)",
        {"name": name},
    )
    return {row[0] for row in rows}


def wordings(
    connection: sqlite3.Connection, fingerprints: Iterable[str], memory_ids: Iterable[str]
) -> list[dict[str, Any]]:
    """``content``, ``scope_type`` and ``scope_key`` of some memories, as they read now and before a correction.

    :param fingerprints: of what they say, or of what was ruled wrong in them.
    :param memory_ids: of further ones.
    """
    rows = connection.execute(
        "WITH prints(value) AS (SELECT value FROM json_each(:prints)), known(id) AS ("
        "SELECT m.id FROM prints p CROSS JOIN memories m ON m.fingerprint = p.value UNION"
        " SELECT r.memory_id FROM prints p CROSS JOIN rejections r ON r.fingerprint = p.value UNION"
        " SELECT value FROM json_each(:ids))"
        " SELECT m.content, m.scope_type, m.scope_key FROM known k CROSS JOIN memories m ON m.id = k.id UNION"
        " SELECT v.content, m.scope_type, m.scope_key FROM known k CROSS JOIN memories m ON m.id = k.id"
        " CROSS JOIN memory_revisions v ON v.memory_id = k.id",
        {"prints": json.dumps(list(fingerprints)), "ids": json.dumps(list(memory_ids))},
    )
    return [row_dict(row) for row in rows]


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """How many memories there are by status, and ``waiting`` in the inbox, ``learned`` messages, ``events``."""
    found = {
        str(row[0]): int(row[1]) for row in connection.execute("SELECT status, count(*) FROM memories GROUP BY status")
    }
    for name, query in (
        ("waiting", "SELECT count(*) FROM memories WHERE review_reason IS NOT NULL"),
        ("learned", "SELECT count(*) FROM learned"),
        ("events", "SELECT count(*) FROM memory_events"),
    ):
        found[name] = connection.execute(query).fetchone()[0]
    return found


def learned(connection: sqlite3.Connection) -> set[int]:
    """Ids of the messages that were learned from."""
    return {row[0] for row in connection.execute("SELECT message_id FROM learned")}


def value(connection: sqlite3.Connection, key: str) -> str | None:
    """What the ledger's ``meta`` keeps under a key; None for nothing."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row["value"] if row else None


def _by_memory(
    connection: sqlite3.Connection, table: str, memory_ids: Sequence[str], order: str
) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {memory_id: [] for memory_id in memory_ids}
    marks = ", ".join("?" * len(found))
    for row in connection.execute(f"SELECT * FROM {table} WHERE memory_id IN ({marks}) ORDER BY {order}", tuple(found)):
        found[row["memory_id"]].append(row_dict(row))
    return found
