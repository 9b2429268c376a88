"""Questions to the graph: what is said of an entity, when, and by which memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from workbench import db
from workbench.graph import aliases
from workbench.graph.names import entity_id, predicate_id

Direction = Literal["outgoing", "incoming", "both"]
MAX_SUGGESTIONS = 5
_SHOWN = (
    "SELECT t.id, t.subject AS subject_id, coalesce(s.name, t.subject) AS subject, t.predicate,"
    " CASE WHEN t.value IS NULL THEN t.object END AS object_id, coalesce(t.value, o.name, t.object) AS object,"
    " t.valid_from, t.valid_to, t.confidence, t.source, t.recorded_at, t.retired_at, t.memory_id, t.batch_id,"
    " (t.valid_from IS NULL OR t.valid_from <= :now) AND (t.valid_to IS NULL OR t.valid_to > :now) AS current"
    " FROM triples t LEFT JOIN entities s ON s.id = t.subject"
    " LEFT JOIN entities o ON o.id = t.object AND t.value IS NULL"
    " WHERE t.hidden IS NULL AND (:private OR NOT t.private)"
)
_HOLDS = " AND (t.valid_from IS NULL OR t.valid_from <= :at) AND (t.valid_to IS NULL OR t.valid_to > :at)"
_OF_ENTITY = (
    " AND t.id IN (SELECT id FROM triples WHERE subject = :entity"
    " UNION SELECT id FROM triples WHERE object = :entity AND value IS NULL)"
)
_DATED = " AND t.valid_from IS NOT NULL"
_BY_START = " ORDER BY t.valid_from, t.recorded_at, t.id"  # as the index has them
_IN_TIME = " ORDER BY t.valid_from IS NULL, t.valid_from, t.recorded_at, t.id"


@dataclass(frozen=True)
class Entity:
    """Somebody or something that facts are about."""

    id: str
    name: str
    type: str
    properties: str = "{}"


def find(connection: sqlite3.Connection, name: str) -> Entity | None:
    """The entity of exactly this name, or of which this is another name; nothing is guessed."""
    key = aliases.canonical(connection, entity_id(name))
    row = connection.execute("SELECT id, name, type, properties FROM entities WHERE id = ?", (key,)).fetchone()
    return Entity(*row) if row else None


def similar(connection: sqlite3.Connection, name: str, *, private: bool = True) -> list[str]:
    """Names that hold ``name``, the shortest first, to be asked for; at most 5."""
    wanted = entity_id(name).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = connection.execute(
        "SELECT name FROM entities e WHERE id LIKE ?1 ESCAPE '\\' AND NOT EXISTS (SELECT 1 FROM aliases"
        " WHERE alias = e.id) AND (?3 OR EXISTS (SELECT 1 FROM triples WHERE subject = e.id AND NOT private)"
        " OR EXISTS (SELECT 1 FROM triples WHERE object = e.id AND value IS NULL AND NOT private))"
        " ORDER BY length(name), name LIMIT ?2",
        (f"%{wanted}%", MAX_SUGGESTIONS, private),
    )
    return [row[0] for row in rows] if wanted else []


def about(
    connection: sqlite3.Connection,
    entity: str,
    direction: Direction = "both",
    at: str | None = None,
    *,
    private: bool = True,
) -> list[dict[str, Any]]:
    """The facts of an entity, those that begin first before the others; each says its ``direction``.

    :param at: only what holds at this instant; without it what is past, too.
    :param private: also what no agent is shown.
    """
    found = []
    for each, column in (("outgoing", "subject"), ("incoming", "object")):
        if direction in (each, "both"):
            only = f" AND t.{column} = :entity" + (" AND t.value IS NULL" if column == "object" else "")
            found += [
                {"direction": each, **row} for row in _facts(connection, only, at, private=private, entity=entity)
            ]
    return found


def related(
    connection: sqlite3.Connection,
    predicate: str,
    at: str | None = None,
    limit: int | None = None,
    *,
    private: bool = True,
) -> list[dict[str, Any]]:
    """Facts with this predicate."""
    return _facts(
        connection, " AND t.predicate = :predicate", at, limit, private=private, predicate=predicate_id(predicate)
    )


def timeline(
    connection: sqlite3.Connection, entity: str | None = None, limit: int | None = None, *, private: bool = True
) -> list[dict[str, Any]]:
    """Facts in the order in which they begin; those that began nobody knows when come last.

    :param entity: only its facts, in both directions.
    """
    if entity is None:
        # The index gives the first ones; in a large graph to sort all would take long.
        dated = _facts(connection, _DATED, None, limit, private=private)
        left = None if limit is None else limit - len(dated)
        return (
            dated if left == 0 else dated + _facts(connection, " AND t.valid_from IS NULL", None, left, private=private)
        )
    return _facts(connection, _OF_ENTITY, None, limit, private=private, entity=entity)


def _facts(
    connection: sqlite3.Connection,
    only: str,
    at: str | None,
    limit: int | None = None,
    *,
    private: bool = True,
    **names: str,
) -> list[dict[str, Any]]:
    given = {**names, "now": db.now(), "at": at, "limit": -1 if limit is None else limit, "private": private}
    order = _IN_TIME if _DATED not in only else _BY_START
    rows = connection.execute(f"{_SHOWN}{only}{_HOLDS if at else ''}{order} LIMIT :limit", given)
    return [{**dict(zip(row.keys(), row, strict=True)), "current": bool(row["current"])} for row in rows]


def same(
    connection: sqlite3.Connection, subject: str, predicate: str, object_: str, *, private: bool = True
) -> list[dict[str, Any]]:
    """The facts of exactly this subject, predicate and object, by their ids."""
    only = " AND t.subject = :subject AND t.predicate = :predicate AND t.object = :object"
    return _facts(connection, only, None, private=private, subject=subject, predicate=predicate, object=object_)


def everything(connection: sqlite3.Connection, at: str | None = None, *, private: bool = True) -> list[dict[str, Any]]:
    """All facts, or those that hold at an instant, in the order in which they begin."""
    return _facts(connection, "", at, private=private)


def other_names(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Names that stand for an entity, each with the name of that."""
    rows = connection.execute(
        "SELECT a.name, coalesce(e.name, a.canonical_id) FROM aliases a LEFT JOIN entities e ON e.id = a.canonical_id"
        " ORDER BY a.alias, a.recorded_at, a.memory_id"
    )
    return [(row[0], row[1]) for row in rows]


def by_ids(connection: sqlite3.Connection, ids: Iterable[int]) -> list[dict[str, Any]]:
    """Facts by the ids of their triples."""
    return _facts(connection, " AND t.id IN (SELECT value FROM json_each(:ids))", None, ids=json.dumps(list(ids)))


def stats(connection: sqlite3.Connection) -> dict[str, Any]:
    """How much the graph holds, and which predicates it uses."""
    now = {"now": db.now()}
    shown, current, hidden = connection.execute(
        "SELECT count(*) FILTER (WHERE hidden IS NULL), count(*) FILTER (WHERE hidden IS NULL"
        " AND (valid_from IS NULL OR valid_from <= :now) AND (valid_to IS NULL OR valid_to > :now)),"
        " count(*) FILTER (WHERE hidden IS NOT NULL) FROM triples",
        now,
    ).fetchone()
    entities = "SELECT count(*) FROM entities e WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE alias = e.id)"
    names = connection.execute("SELECT DISTINCT predicate FROM triples ORDER BY predicate")
    return {
        "entities": connection.execute(entities).fetchone()[0],
        "triples": shown,
        "current_facts": current,
        "expired_facts": shown - current,
        "hidden": hidden,
        "aliases": connection.execute("SELECT count(DISTINCT alias) FROM aliases").fetchone()[0],
        "relationship_types": [row[0] for row in names],
    }


def entities(connection: sqlite3.Connection, ids: Iterable[str] | None = None) -> list[Entity]:
    """Entities by their ids, or all; those merged into another are not among them."""
    apart = " FROM entities e WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE alias = e.id)"
    if ids is None:
        return [Entity(*row) for row in connection.execute(f"SELECT id, name, type, properties{apart} ORDER BY id")]
    rows = connection.execute(
        f"SELECT id, name, type, properties{apart} AND id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(ids)),),
    )
    return [Entity(*row) for row in rows]
