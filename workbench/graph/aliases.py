"""Other names of entities: what stands for what, and what a name stands for after all.

A merge and an alias are the same: a claim that one name stands for an entity. Withdrawn, everything is as before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from workbench.graph.names import SAME_AS, entity_id

# (the id of a name, that of the entity it is said to stand for).
Pair = tuple[str, str]
_CLAIMED = "FROM aliases WHERE alias = ? ORDER BY recorded_at, memory_id LIMIT 1"


def canonical(connection: sqlite3.Connection, entity: str) -> str:
    """The entity that an id stands for: itself, where nothing else is claimed."""
    row = connection.execute(f"SELECT canonical_id {_CLAIMED}", (entity,)).fetchone()
    return str(row[0]) if row else entity


def claim(
    connection: sqlite3.Connection, memory_id: str, subject: str, predicate: str, object_: str, recorded_at: str
) -> set[Pair]:
    """Write that a name stands for an entity, which is there from now on; returns what was claimed.

    ``Bob S. same_as Bob Stone`` and ``Bob Stone also_called Bob S.`` claim the same.
    """
    name, entity = (subject, object_) if predicate == SAME_AS else (object_, subject)
    alias, target = ends(subject, predicate, object_)
    connection.execute(
        "INSERT INTO aliases VALUES (?1, ?2, ?3, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
        (alias, name, target, memory_id, recorded_at),
    )
    connection.execute("INSERT INTO entities (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", (target, entity))
    return {(alias, target)}


def ends(subject: str, predicate: str, object_: str) -> tuple[str, str]:
    """The id that a claim is about, and that of the entity it stands for."""
    alias, target = (subject, object_) if predicate == SAME_AS else (object_, subject)
    return entity_id(alias), entity_id(target)


def withdraw(connection: sqlite3.Connection, memory_ids: Iterable[str]) -> set[Pair]:
    """Take back what these memories claim; returns it."""
    gone: set[Pair] = set()
    for memory_id in memory_ids:
        rows = connection.execute("DELETE FROM aliases WHERE memory_id = ? RETURNING alias, target", (memory_id,))
        gone |= {(row[0], row[1]) for row in rows.fetchall()}
    return gone


def resettle(connection: sqlite3.Connection, changed: Iterable[str]) -> dict[str, str]:
    """What each of some ids, and all that stand for them, stands for after all now."""
    affected, fresh = set(changed), set(changed)
    while fresh:
        found = {
            row[0]
            for each in fresh
            for row in connection.execute("SELECT alias FROM aliases WHERE target = ?", (each,))
        }
        fresh = found - affected
        affected |= fresh
    ends = {entity: _end(connection, entity) for entity in sorted(affected)}
    connection.executemany(
        "UPDATE aliases SET canonical_id = ? WHERE alias = ?", [(end, key) for key, end in ends.items()]
    )
    return ends


def _end(connection: sqlite3.Connection, entity: str) -> str:
    """Follow the claims to their end; of names that stand for each other in a circle, the first one."""
    passed = [entity]
    while row := connection.execute(f"SELECT target {_CLAIMED}", (passed[-1],)).fetchone():
        if row[0] in passed:
            return min(passed[passed.index(row[0]) :])
        passed.append(row[0])
    return passed[-1]
