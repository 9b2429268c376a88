"""What is known of predicates: which have one value at a time, and which have a text as their object."""

from __future__ import annotations

import sqlite3


def single_valued(connection: sqlite3.Connection) -> frozenset[str]:
    """Predicates of which a subject has one value at a time."""
    return _named(connection, "single_valued")


def values(connection: sqlite3.Connection) -> frozenset[str]:
    """Predicates whose object is a text of its own, not an entity."""
    return _named(connection, "is_value")


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
