"""The file of the memory index: derived, so it is no loss; but what is deleted from it leaves no trace in it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from workbench import db
from workbench.home import Home

SCHEMA = db.Schema("memory index", version=4, migrations="workbench.index.schema:migrations", durable=False)


def ensure(home: Home) -> bool:
    """Make the empty index when it is missing; returns whether it was made now."""
    return db.create(home.memory_index, SCHEMA)


@contextlib.contextmanager
def reading(home: Home) -> Iterator[sqlite3.Connection]:
    """A read-only view of the index."""
    with db.read(home.memory_index, SCHEMA) as connection:
        yield connection


@contextlib.contextmanager
def writing(home: Home) -> Iterator[sqlite3.Connection]:
    """One transaction on the index; what it deletes or replaces is overwritten with zeros."""
    with db.write(home.memory_index, SCHEMA) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        yield connection


def truncate_log(home: Home) -> None:
    """Bring the write-ahead log home and empty it, so that nothing deleted lives on in it.

    :raises Busy: when somebody has been reading an older state for too long; nothing is lost, call again.
    """
    db.truncate_log(home.memory_index, SCHEMA)
