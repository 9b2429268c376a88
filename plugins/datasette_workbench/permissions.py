"""What Datasette itself may do with our files: read. Its writing actions are nobody's, the owner's neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

    from datasette.permissions import PermissionSQL

READING_ACTIONS = frozenset({"view-instance", "view-database", "view-table", "view-query", "execute-sql"})
_BUSY_TIMEOUT_MS = 30_000


def nothing_but_reading(action: str) -> PermissionSQL | None:
    """An empty allow-list for every action that is not plain reading; no grant can widen it."""
    from datasette.permissions import PermissionSQL

    if action in READING_ACTIONS:
        return None
    return PermissionSQL(restriction_sql="SELECT NULL AS parent, NULL AS child WHERE 0")


def harden(connection: sqlite3.Connection) -> None:
    """Make a connection of Datasette's patient, read-only and deaf to functions named in a schema."""
    connection.execute(f"PRAGMA busy_timeout={_BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA query_only=ON")
    connection.execute("PRAGMA trusted_schema=OFF")
