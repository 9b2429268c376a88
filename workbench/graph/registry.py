"""What is known of predicates: which have one value at a time, and which have a text as their object."""

from __future__ import annotations

import sqlite3

from workbench.graph.names import SINGLE_VALUED, VALUE_PREDICATES


def single_valued(connection: sqlite3.Connection) -> frozenset[str]:
    """Predicates of which a subject has one value at a time."""
    return _named(connection, "single_valued")


def values(connection: sqlite3.Connection) -> frozenset[str]:
    """Predicates whose object is a text of its own, not an entity."""
    return _named(connection, "is_value")


def declare(connection: sqlite3.Connection, memory_id: str, name: str, single: bool) -> None:
    """Let a memory say whether a predicate takes one value at a time."""
    connection.execute(
        "INSERT INTO predicates VALUES (?1, ?2, 0, ?3) ON CONFLICT DO UPDATE SET single_valued = ?2, memory_id = ?3",
        (name, single, memory_id),
    )


def withdraw(connection: sqlite3.Connection, memory_id: str) -> set[str]:
    """Take back what a memory says of a predicate, which then takes what it takes by itself; returns its name."""
    names = {row[0] for row in connection.execute("SELECT name FROM predicates WHERE memory_id = ?", (memory_id,))}
    for name in names:
        connection.execute("DELETE FROM predicates WHERE name = ?", (name,))
        if name in SINGLE_VALUED or name in VALUE_PREDICATES:
            usual = int(name in SINGLE_VALUED), int(name in VALUE_PREDICATES)
            connection.execute("INSERT INTO predicates VALUES (?, ?, ?, NULL)", (name, *usual))
    return names


def _named(connection: sqlite3.Connection, column: str) -> frozenset[str]:
    return frozenset(row[0] for row in connection.execute(f"SELECT name FROM predicates WHERE {column}"))


def followed(connection: sqlite3.Connection) -> tuple[int, str]:
    """Number and hash of the last event of the ledger that the graph has followed; 0 and "" where it has none."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'followed'").fetchone()
    number, _, hash_ = (row[0] if row else "0 ").partition(" ")
    return int(number), hash_


def follow(connection: sqlite3.Connection, number: int, hash_: str) -> None:
    """Note the last event of the ledger that the graph has followed."""
    connection.execute(
        "INSERT INTO meta VALUES ('followed', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        (f"{number} {hash_}",),
    )
