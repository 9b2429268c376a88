"""The file of the graph: how it is opened for reading and for one act of writing."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from workbench import db
from workbench.home import Home

SCHEMA = db.Schema("knowledge graph", version=1, migrations="workbench.graph.schema:migrations", durable=True)


def ensure(home: Home) -> bool:
    """Make the empty graph when it is missing; returns whether it was made now."""
    return db.create(home.graph, SCHEMA)


@contextlib.contextmanager
def reading(home: Home) -> Iterator[sqlite3.Connection]:
    """A read-only view of the graph."""
    with db.read(home.graph, SCHEMA) as connection:
        yield connection


@contextlib.contextmanager
def writing(home: Home) -> Iterator[sqlite3.Connection]:
    """One transaction on the graph."""
    with db.write(home.graph, SCHEMA) as connection:
        yield connection
