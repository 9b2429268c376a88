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
