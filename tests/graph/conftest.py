"""A graph in memory, and short ways to state facts in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
import sqlite_utils

from workbench.graph.schema import migrations
from workbench.graph.write import Fact


def empty() -> sqlite3.Connection:
    """A graph of its own, as the file has it."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrations.apply(sqlite_utils.Database(connection))
    connection.row_factory = sqlite3.Row
    return connection


@pytest.fixture
def graph() -> Iterator[sqlite3.Connection]:
    """An empty graph."""
    connection = empty()
    yield connection
    connection.close()


def day(number: int) -> str:
    """Midnight of a day: 1 is 2026-01-01."""
    return f"2026-{(number - 1) // 28 + 1:02}-{(number - 1) % 28 + 1:02}T00:00:00.000000Z"


def memory(number: int) -> str:
    """The id of a memory."""
    return f"m_{number:08x}{'0' * 16}"


def fact(
    subject: str, predicate: str, object_: str, start: str | None = None, end: str | None = None, **fields: str | None
) -> Fact:
    """A fact that Claude recorded on the first day, unless ``fields`` say otherwise."""
    given = {"confidence": None, "source": "agent:claude", "recorded_at": day(1)} | fields
    return Fact(subject, predicate, object_, start, end, **given)  # type: ignore[arg-type]


def rows(connection: sqlite3.Connection) -> dict[str, list[tuple]]:
    """Every row of what facts make."""
    tables = ("entities", "triples", "aliases")
    return {table: sorted(map(tuple, connection.execute(f"SELECT * FROM {table}")), key=repr) for table in tables}
