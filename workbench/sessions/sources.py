"""What was read before: source files as they were, and the lines of them that could not be used.

Kept in the session index, so it is derived: losing it costs a second reading, and nothing else.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import index, index_rows


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source file as it was when it was read last.

    :param size: in bytes; -1 for one that has to be read again.
    :param files: the names of the canonical files that its messages are in, as JSON.
    :param settled: 1 when it has rested since it was read, so that their metadata lines are up to date.
    :param tail: where reading goes on when it has grown (``growth.Tail``, as JSON).
    """

    path: str
    size: int
    mtime_ns: int
    prefix_hash: str
    format: str
    sessions: int
    messages: int
    read: int
    kept: int
    skipped: int
    quarantined: int
    error: str | None = None
    files: str | None = None
    settled: int = 0
    tail: str | None = None


def name_of(path: Path) -> str:
    """What a source is called here: its path, bytes that are no UTF-8 escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def known(home: Home) -> dict[str, SourceState]:
    """What was read before, by path; empty when the index is missing or can't be read (then all is read again)."""
    columns = ", ".join(SourceState.__slots__)
    with suppress(WorkbenchError), db.read(home.session_index, index.SCHEMA) as connection:
        return {row["path"]: SourceState(*row) for row in connection.execute(f"SELECT {columns} FROM sources")}
    return {}


def save(home: Home, states: Iterable[tuple[SourceState, list[tuple[int, str]], bool]]) -> None:
    """Remember source files, and the (byte offset, reason) of lines of them that are unusable, besides those that are
    known or (True) in their place."""
    statement = index_rows.upsert("sources", ", ".join([*SourceState.__slots__, "read_at"]), "path")
    index.ensure(home)
    with db.write(home.session_index, index.SCHEMA) as connection:
        for state, bad, anew in states:
            connection.execute(statement, [*(getattr(state, name) for name in SourceState.__slots__), db.now()])
            if anew:
                connection.execute("DELETE FROM quarantine WHERE path = ?", (state.path,))
            connection.executemany(
                "INSERT INTO quarantine (path, byte_offset, reason) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                ((state.path, offset, reason) for offset, reason in bad),
            )


def quarantined(home: Home, limit: int = 100) -> Iterator[sqlite3.Row]:
    """Lines that could not be used: path, byte_offset, reason."""
    with db.read(home.session_index, index.SCHEMA) as connection:
        yield from connection.execute("SELECT path, byte_offset, reason FROM quarantine LIMIT ?", (limit,))
