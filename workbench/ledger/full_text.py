"""The full text of the ledger: derived from its rows, and made again from them when it is damaged."""

from __future__ import annotations

import sqlite3

from workbench import db
from workbench.errors import Corrupt
from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.tables import SEARCH

NAME = "memories_fts"
_OURS = f"(name = '{NAME}' OR name GLOB '{NAME}_*')"


def damaged_rows(home: Home) -> list[str]:
    """What is wrong with the ledger apart from its full text: that can't be made again from anything."""
    found: list[str] = []
    with store.reading(home) as connection:
        query = f"SELECT name FROM sqlite_master WHERE type = 'table' AND NOT {_OURS} ORDER BY name"
        for (table,) in connection.execute(query).fetchall():
            try:
                rows = [row[0] for row in connection.execute(f"PRAGMA integrity_check('{table}')")]
            except sqlite3.DatabaseError as error:
                rows = [str(error)]
            found += [f"{table}: {row}" for row in rows if row != "ok"][:3]
    return found


def mend(home: Home) -> None:
    """Make the full text again from the rows, which are not touched.

    What is left of a damaged one can't be dropped as a table is: its entries in the schema go, and its pages with the
    next ``VACUUM``. All in one transaction, so that a run broken off leaves it as it was.

    :raises Corrupt: when the rows themselves are damaged; nothing was done.
    """
    if rows := damaged_rows(home):
        raise Corrupt(f"{home.ledger} is damaged ({'; '.join(rows)}) and kept as it is; restore it from a backup")
    with store.writing(home) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(f"DELETE FROM sqlite_master WHERE {_OURS}")
        connection.execute("PRAGMA writable_schema=RESET")
        for statement in SEARCH:
            connection.execute(statement)
        connection.execute(f"INSERT INTO {NAME} ({NAME}) VALUES ('rebuild')")
    db.compact(home.ledger, store.SCHEMA)
