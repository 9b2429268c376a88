"""The messages that may be learned from, and others by their ids."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench import db
from workbench.home import Home
from workbench.sessions.index import SCHEMA

_PAGE = 1_000
# An assistant may say so many things in a row before the person speaks again.
_AROUND = 500
# What still holds: compaction takes a message out of an agent's context, not out of what was said.
_HELD = "('active', 'compacted')"


@dataclass(frozen=True, slots=True)
class Row:
    """A message that may be learned from."""

    id: int
    session_key: str
    role: Literal["user", "assistant"]
    content: str
    timestamp: str | None
    project: str | None


def roles(home: Home, ids: Sequence[int]) -> dict[int, str]:
    """The role of each of these messages that the index has."""
    with db.read(home.session_index, SCHEMA) as connection:
        marks = ", ".join("?" * len(ids))
        return dict(connection.execute(f"SELECT id, role FROM messages WHERE id IN ({marks})", list(ids)).fetchall())


def new_messages(home: Home, known: Container[int]) -> Iterator[Row]:
    """Messages the person or the assistant said that are not in ``known``, in the order they were indexed.

    What was taken back or hidden, and what harnesses, tools, subagents and automations wrote, is left out.
    No connection stays open between two messages' pages.
    """
    last = 0
    while True:
        with db.read(home.session_index, SCHEMA) as connection:
            page = connection.execute(
                f"SELECT n, id FROM messages WHERE n > ? AND state IN {_HELD} AND origin IN ('user', 'assistant')"
                " ORDER BY n LIMIT ?",
                (last, _PAGE),
            ).fetchall()
            wanted = [row["n"] for row in page if row["id"] not in known]
            rows = _rows(connection, wanted)
        if not page:
            return
        last = page[-1]["n"]
        yield from rows


def by_id(home: Home, ids: Sequence[int]) -> list[Row]:
    """Those of these messages that the person or the assistant said and that still hold, in the order indexed."""
    with db.read(home.session_index, SCHEMA) as connection:
        marks = ", ".join("?" * len(ids))
        numbers = connection.execute(
            f"SELECT n FROM messages WHERE id IN ({marks}) AND state IN {_HELD} AND origin IN ('user', 'assistant')",
            list(ids),
        ).fetchall()
        return _rows(connection, [row["n"] for row in numbers])


def neighbour(home: Home, number: int, *, after: bool = False) -> tuple[Row, bool] | None:
    """What the person said before a message in its conversation, or after it, and whether nobody answered in between;
    None where nothing was."""
    side, order = (">", "ASC") if after else ("<", "DESC")
    with db.read(home.session_index, SCHEMA) as connection:
        around = connection.execute(
            "SELECT o.n, o.role FROM messages m JOIN messages o ON o.session_key = m.session_key"
            f" AND o.seq {side} m.seq WHERE m.id = ? AND o.state IN {_HELD} AND o.origin IN ('user', 'assistant')"
            f" AND o.content <> '' ORDER BY o.seq {order} LIMIT {_AROUND}",
            (number,),
        ).fetchall()
        place = next((place for place, row in enumerate(around) if row["role"] == "user"), None)
        return None if place is None else (_rows(connection, [around[place]["n"]])[0], place == 0)


def contents(home: Home, ids: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """(session key, content, state) of each of these messages that is there, whoever said it."""
    with db.read(home.session_index, SCHEMA) as connection:
        marks = ", ".join("?" * len(ids))
        rows = connection.execute(
            f"SELECT id, session_key, content, state FROM messages WHERE id IN ({marks})", list(ids)
        )
        return {row["id"]: (row["session_key"], row["content"], row["state"]) for row in rows}


def _rows(connection: sqlite3.Connection, numbers: list[int]) -> list[Row]:
    if not numbers:
        return []
    marks = ", ".join("?" * len(numbers))
    return [
        Row(*row)
        for row in connection.execute(
            "SELECT m.id, m.session_key, m.role, m.content, m.timestamp, s.project FROM messages AS m"
            f" JOIN sessions AS s ON s.key = m.session_key WHERE m.n IN ({marks}) AND m.content <> '' ORDER BY m.n",
            numbers,
        )
    ]


def count_new(home: Home, known: Container[int]) -> int:
    """How many messages ``new_messages`` would give, without reading them."""
    with db.read(home.session_index, SCHEMA) as connection:
        rows = connection.execute(
            f"SELECT id FROM messages WHERE state IN {_HELD} AND origin IN ('user', 'assistant') AND content <> ''"
        )
        return sum(row[0] not in known for row in rows)
