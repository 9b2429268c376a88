"""Other names of entities: what stands for what, and what a name stands for after all.

A merge and an alias are the same: a claim that one name stands for an entity. Withdrawn, everything is as before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from workbench.graph.names import ALSO_CALLED, SAME_AS, entity_id

_CLAIMED = "FROM aliases WHERE alias = ? ORDER BY recorded_at, memory_id LIMIT 1"


def is_claim(predicate: str) -> bool:
    """Whether a fact with this predicate says what a name stands for."""
    return predicate in (SAME_AS, ALSO_CALLED)


def canonical(connection: sqlite3.Connection, entity: str) -> str:
    """The entity that an id stands for: itself, where nothing else is claimed."""
    row = connection.execute(f"SELECT canonical_id {_CLAIMED}", (entity,)).fetchone()
    return str(row[0]) if row else entity


def claim(
    connection: sqlite3.Connection, memory_id: str, subject: str, predicate: str, object_: str, recorded_at: str
) -> set[str]:
    """Write that a name stands for an entity; returns ids of which that changes what they stand for.

    ``Bob S. same_as Bob Stone`` and ``Bob Stone also_called Bob S.`` claim the same.
    """
    name, target = (subject, object_) if predicate == SAME_AS else (object_, subject)
    alias = entity_id(name)
    connection.execute(
        "INSERT INTO aliases VALUES (?1, ?2, ?3, ?3, ?4, ?5)",
        (alias, name, entity_id(target), memory_id, recorded_at),
    )
    return {alias}


def withdraw(connection: sqlite3.Connection, memory_ids: Iterable[str]) -> set[str]:
    """Take back what these memories claim; returns ids of which that changes what they stand for."""
    gone = set()
    for memory_id in memory_ids:
        rows = connection.execute("DELETE FROM aliases WHERE memory_id = ? RETURNING alias", (memory_id,)).fetchall()
        gone |= {row[0] for row in rows}
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
