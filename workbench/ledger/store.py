"""The ledger's file: how it is opened for reading and for one act of writing."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from workbench import db
from workbench.home import Home

SCHEMA = db.Schema("ledger", version=3, migrations="workbench.ledger.schema:migrations", durable=True)


def ensure(home: Home) -> bool:
    """Make the ledger when it is missing; returns whether it was made now."""
    return db.create(home.ledger, SCHEMA)


@contextlib.contextmanager
def reading(home: Home) -> Iterator[sqlite3.Connection]:
    """A read-only view of the ledger."""
    with db.read(home.ledger, SCHEMA) as connection:
        yield connection


@contextlib.contextmanager
def writing(home: Home) -> Iterator[sqlite3.Connection]:
    """One transaction on the ledger."""
    with db.write(home.ledger, SCHEMA) as connection:
        yield connection
