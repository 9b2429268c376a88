"""The session index: conversations as rows with full text, made from the canonical files and nothing else.

This module is its only writer. Rows get a running number ``n`` that is the rowid of their full text: the lasting id
is a random number, and FTS5 flushes at every rowid that is lower than the one before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from workbench import db
from workbench.errors import Corrupt, SchemaMismatch, WorkbenchError
from workbench.home import Home
from workbench.sessions import canonical, index_rows, merging, store

SCHEMA = db.Schema("session index", 9, "workbench.sessions.migrations:migrations", durable=False)
_ATTEMPTS = 20
_BATCH_ROWS = 20_000
_BATCH_BYTES = 24 * 1024 * 1024
# One batch fits into the page cache, and its full text into FTS5's own buffer: one segment a batch, merged eight at
# a time, instead of one for each megabyte of words.
_CACHE_KIB = 32 * 1024
_FTS_BUFFER = 32 * 1024 * 1024
_FTS_MERGE = 8


@dataclass(slots=True)
class Synced:
    """What a sync did.

    :param rows: messages that were written.
    :param damaged: one line for each canonical file in which nothing, or less than there is damage, can be read; the
        file is left as it is, and what the index held of it stays.
    :param backlog: one line for each canonical file that could not be indexed; it is tried again next time.
    """

    rows: int = 0
    damaged: list[str] = field(default_factory=list)
    backlog: list[str] = field(default_factory=list)


class Held(NamedTuple):
    """How many messages of a conversation are indexed, and the time of the last one."""

    messages: int
    updated_at: str | None


def ensure(home: Home) -> bool:
    """Make the empty index when it is missing; returns whether it was made now."""
    return db.create(home.session_index, SCHEMA)


def intact(home: Home) -> dict[str, Held]:
    """What the index holds of the canonical files that stand as they were indexed, by name.

    Empty when the index is missing or can't be read.
    """
    columns = "file_name, file_size, file_mtime_ns, file_inode, message_count, updated_at"
    held: dict[str, tuple[tuple[int, int, int], Held]] = {}
    with suppress(WorkbenchError), db.read(home.session_index, SCHEMA) as connection:
        for name, size, mtime, inode, *rest in connection.execute(f"SELECT {columns} FROM sessions"):
            held[name] = ((size, mtime, inode), Held(*rest))
    found: dict[str, Held] = {}
    for entry in store.canonical_files(home):
        if entry.name in held:
            (known, what), stat = held[entry.name], entry.stat()
            if known == (stat.st_size, stat.st_mtime_ns, stat.st_ino):
                found[entry.name] = what
    return found


def sync(home: Home) -> Synced:
    """Bring the index up to the canonical files; an unchanged file is not opened.

    A file that can't be read or indexed is reported in ``damaged`` or ``backlog`` and tried again at the next run.
    """
    written, result = 0, Synced()
    for _ in range(_ATTEMPTS):
        result = Synced()
        writer = _Writer(home)
        try:
            ensure(home)
            for file in _changed(home, result):
                _index(writer, file, result)
            writer.flush()
            break
        except _Raced as error:  # what the other process did is seen in the next round
            result.backlog.append(f"the session index is behind: {error}")
        except WorkbenchError as error:
            result.backlog.append(f"the session index is behind: {error}")
            break
        finally:
            written += writer.written
    result.rows = written
    return result


def rebuild(home: Home) -> Synced:
    """Make the index again from the canonical files, with equal ids and contents.

    A damaged index, or one of another version, is moved aside first; a foreign file is left alone.

    What could not be read or indexed is in ``damaged`` and ``backlog`` of the result.

    :raises SchemaMismatch: when the file was not made by this program.
    """
    path, before = home.session_index, _counts(home)
    if not ensure(home):
        try:
            with db.write(path, SCHEMA) as connection:
                connection.execute("INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')")
                connection.execute("DELETE FROM messages")
                connection.execute("DELETE FROM sessions")
        except (Corrupt, SchemaMismatch):
            db.set_aside(path, SCHEMA)
            ensure(home)
    result = sync(home)
    result.damaged += _lost(home, before, _counts(home), result)
    return result


def _counts(home: Home) -> dict[str, tuple[str, int, str | None]]:
    """(file, messages, source) of each conversation that is indexed, by key; empty when the index can't be read."""
    with suppress(WorkbenchError), db.read(home.session_index, SCHEMA) as connection:
        rows = connection.execute("SELECT key, file_name, message_count, source FROM sessions")
        return {key: (name, count, source) for key, name, count, source in rows}
    return {}


def _lost(
    home: Home,
    before: dict[str, tuple[str, int, str | None]],
    now: dict[str, tuple[str, int, str | None]],
    result: Synced,
) -> Iterator[str]:
    """One line for each conversation of which fewer messages are there than were known; what is said of its file
    already is not said again."""
    if result.backlog:
        return
    said = "\n".join(result.damaged)
    for key, (name, known, source) in sorted(before.items()):
        held = now[key][1] if key in now else 0
        if held >= known or str(home.sessions / name) in said:
            continue
        there = source and merging.is_there(source)
        remedy = (
            f"`workbench ingest` of {source} brings them back" if there else "its source is gone; a backup may help"
        )
        yield f"{home.sessions / name} holds {held} of the {known} messages that were known; {remedy}"


def compact(home: Home) -> None:
    """Write the index anew: of messages that were rewritten or deleted nothing stays in it.

    :raises Busy: when a reader keeps its log from being emptied; call again.
    """
    with db.write(home.session_index, SCHEMA) as connection:
        connection.execute("INSERT INTO messages_fts (messages_fts) VALUES ('optimize')")
    db.compact(home.session_index, SCHEMA)


def _changed(home: Home, result: Synced) -> list[index_rows.File]:
    """Canonical files that the index does not hold as they are, oldest conversation first; lost ones are deleted."""
    with db.read(home.session_index, SCHEMA) as connection:
        indexed = {row["file_name"]: row for row in connection.execute("SELECT * FROM sessions")}
    entries = {entry.name: entry for entry in store.canonical_files(home)}
    found: list[index_rows.File] = []
    for name, entry in entries.items():
        row, stat = indexed.get(name), entry.stat()
        now = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
        if row is not None and (row["file_size"], row["file_mtime_ns"], row["file_inode"]) == now:
            continue
        path = Path(entry.path)
        try:
            header = canonical.read_header(path)
        except OSError as error:
            result.damaged.append(f"cannot read {path}: {error.strerror or error}; it is left as it is")
            continue
        if not header and canonical.is_garbage(path):
            result.damaged.append(f"nothing in {path} can be read; `workbench ingest` reads it from its source again")
            continue
        key = header.get("key")
        found.append(
            index_rows.File(
                path, stat, key if isinstance(key, str) and key else canonical.key_of(path.stem), header, row
            )
        )
    renamed = {file.path.name for file in found if file.indexed is not None and file.indexed["key"] != file.key}
    for file in found:
        file.indexed = None if file.path.name in renamed else file.indexed
    lost = {name for name in indexed if name not in entries} | renamed
    _forget(home, [indexed[name]["key"] for name in sorted(lost)])
    holders = {row["key"]: name for name, row in indexed.items() if name not in lost}
    for file in found:
        if holders.setdefault(file.key, file.path.name) != file.path.name:
            result.backlog.append(f"{file.path.name} and {holders[file.key]} hold the same conversation; move one away")
    found = [file for file in found if holders[file.key] == file.path.name]
    return sorted(found, key=lambda file: (str(file.header.get("created_at") or ""), file.path.name))


def _forget(home: Home, keys: list[str]) -> None:
    """Delete conversations whose files are gone."""
    if keys:
        with db.write(home.session_index, SCHEMA) as connection:
            for key in keys:
                _delete(connection, "session_key = ?", key)
                connection.execute("DELETE FROM sessions WHERE key = ?", (key,))


def _index(writer: _Writer, file: index_rows.File, result: Synced) -> None:
    bad, old, grown = 0, file.indexed, file.grown
    progress, kept = index_rows.Progress(), set[int]()
    if not grown:
        writer.flush()
        kept = _prune(writer.home, file)
    elif old is not None:
        size = old["indexed_bytes"]
        models = set(orjson.loads(old["models"] or "[]"))
        progress = index_rows.Progress(old["message_count"], size, models)
        for time in (old["created_at"], old["updated_at"]):
            progress.see(time)
    for name in ("created_at", "updated_at"):
        if isinstance(time := file.header.get(name), str):
            progress.see(time)
    writer.begin(file, progress, rewriting=not grown)
    for offset, line, row in canonical.read_messages(file.path, progress.offset):
        if row is None:
            bad += 1
        else:
            if row["id"] not in kept:
                writer.add(index_rows.record(file.key, progress.seq, line, row), len(line))
            progress.see(index_rows.string(row.get("timestamp")), index_rows.string(row.get("model")))
            progress.seq += 1
        progress.offset = offset
    if bad > merging.MAX_BAD_LINES and bad > progress.seq:
        result.damaged.append(f"{file.path} is damaged ({bad} unreadable lines, {progress.seq} good ones)")
    writer.end()


def _prune(home: Home, file: index_rows.File) -> set[int]:
    """Delete the rows of a rewritten file that it does not hold as they were, number the others anew: their ids."""
    with db.read(home.session_index, SCHEMA) as connection:
        rows = connection.execute("SELECT id, digest, seq FROM messages WHERE session_key = ?", (file.key,))
        old = {row["id"]: (row["digest"], row["seq"]) for row in rows}
    kept: set[int] = set()
    moved: list[tuple[int, int]] = []
    messages = (item for item in canonical.read_messages(file.path) if item[2] is not None)
    for seq, (_, line, row) in enumerate(messages):
        number = row["id"] if row else 0
        digest, before = old.get(number, (None, None))
        if digest == index_rows.digest_of(line):
            kept.add(number)
            if before != seq:
                moved.append((seq, number))
    stale = [number for number in old if number not in kept]
    with db.write(home.session_index, SCHEMA) as connection:
        for start in range(0, len(stale), _BATCH_ROWS):
            listed = orjson.dumps(stale[start : start + _BATCH_ROWS]).decode()
            _delete(connection, "id IN (SELECT value FROM json_each(?))", listed)
        connection.executemany("UPDATE messages SET seq = ? WHERE id = ?", moved)
        connection.execute(
            "UPDATE sessions SET indexed_bytes = ?, indexed_crc = ? WHERE key = ?",
            (index_rows.UNFINISHED, index_rows.UNFINISHED, file.key),
        )
    return kept


def _delete(connection: sqlite3.Connection, where: str, value: str) -> None:
    connection.execute(
        "INSERT INTO messages_fts (messages_fts, rowid, content, cjk, meta)"
        f" SELECT 'delete', n, content, cjk, meta FROM messages WHERE {where} ORDER BY n",
        (value,),
    )
    connection.execute(f"DELETE FROM messages WHERE {where}", (value,))


class _Raced(Exception):
    """Another process has indexed the same file meanwhile."""


class _Writer:
    """Gathers rows of any number of sessions and writes them in transactions of some thousand rows."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.written = 0
        self._rows: list[tuple[Any, ...]] = []
        self._bytes = 0
        self._sessions: list[tuple[Any, ...]] = []
        self._bases: list[tuple[str, tuple[int, int] | None]] = []
        self._open: tuple[index_rows.File, index_rows.Progress, bool] | None = None

    def begin(self, file: index_rows.File, progress: index_rows.Progress, rewriting: bool) -> None:
        """Start a session; ``progress`` is read whenever rows are written."""
        self._open = (file, progress, rewriting)
        old = file.indexed
        base = None if old is None else (old["indexed_bytes"], old["indexed_crc"])
        self._bases.append((file.key, (index_rows.UNFINISHED, index_rows.UNFINISHED) if rewriting else base))

    def add(self, row: tuple[Any, ...], size: int) -> None:
        """Take one row of the begun session."""
        if len(self._rows) >= _BATCH_ROWS or self._bytes >= _BATCH_BYTES:
            self.flush()
        self._rows.append(row)
        self._bytes += size

    def end(self) -> None:
        """The begun session is complete."""
        if self._open is not None:
            file, progress, rewriting = self._open
            self._sessions.append(file.row(progress, True, rewriting))
            self._open = None
        if len(self._sessions) >= _BATCH_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what was gathered."""
        sessions = list(self._sessions)
        if self._open is not None:
            file, progress, rewriting = self._open
            sessions.append(file.row(progress, False, rewriting))
        if not sessions:
            return
        with db.write(self.home.session_index, SCHEMA) as connection:
            connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
            for key, base in self._bases:
                query = "SELECT indexed_bytes, indexed_crc FROM sessions WHERE key = ?"
                found = connection.execute(query, (key,)).fetchone()
                if (tuple(found) if found else None) != base:
                    raise _Raced(f"another process indexed {key} meanwhile")
            connection.executemany(index_rows.INSERT_SESSION, sessions)
            self._insert(connection)
        self.written += len(self._rows)
        self._rows, self._bytes, self._sessions = [], 0, []
        self._bases = [(row[0], (row[12], row[13])) for row in sessions[-1:] if self._open is not None]

    def _insert(self, connection: sqlite3.Connection) -> None:
        if not self._rows:
            return
        for name, value in (("hashsize", _FTS_BUFFER), ("automerge", _FTS_MERGE)):
            if connection.execute("SELECT v FROM messages_fts_config WHERE k = ?", (name,)).fetchone() is None:
                connection.execute("INSERT INTO messages_fts (messages_fts, rank) VALUES (?, ?)", (name, value))
        before = connection.execute("SELECT coalesce(max(n), 0) FROM messages").fetchone()[0]
        connection.executemany(index_rows.INSERT_MESSAGE, self._rows)
        connection.execute(
            "INSERT INTO messages_fts (rowid, content, cjk, meta)"
            " SELECT n, content, cjk, meta FROM messages WHERE n > ? ORDER BY n",
            (before,),
        )
