"""The session index: conversations as rows with full text, made from the canonical files and nothing else.

This module is its only writer. Rows get a running number ``n`` that is the rowid of their full text: the lasting id
is a random number, and FTS5 flushes at every rowid that is lower than the one before.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from workbench import db, files, fts
from workbench.errors import Corrupt, SchemaMismatch, WorkbenchError
from workbench.home import Home
from workbench.sessions import store

SCHEMA = db.Schema("session index", 4, "workbench.sessions.migrations:migrations", durable=False)
_BATCH_ROWS = 20_000
_BATCH_BYTES = 24 * 1024 * 1024
# One batch fits into the page cache, and its full text into FTS5's own buffer: one segment a batch, merged eight at
# a time, instead of one for each megabyte of words.
_CACHE_KIB = 32 * 1024
_FTS_BUFFER = 32 * 1024 * 1024
_FTS_MERGE = 8
_UNFINISHED = -1

_MESSAGE_COLUMNS = (
    "id, session_key, seq, role, origin, state, identity, parent, timestamp, digest, name, tool_call_id, content, cjk,"
    " thinking, tool_calls"
)
_SESSION_COLUMNS = (
    "key, channel, title, project, created_at, updated_at, message_count, source, file_name, file_size, file_mtime_ns,"
    " file_inode, indexed_bytes, indexed_crc"
)


def upsert(table: str, columns: str, key: str) -> str:
    """The SQL that inserts ``columns``, or updates all of them but the first where a row has the same ``key``."""
    names = [name.strip() for name in columns.split(",")]
    updates = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
    marks = ", ".join("?" * len(names))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {updates}"


_INSERT_MESSAGE = (
    f"INSERT INTO messages ({_MESSAGE_COLUMNS}) VALUES ({', '.join('?' * len(_MESSAGE_COLUMNS.split(',')))})"
    " ON CONFLICT (id) DO NOTHING"
)
_INSERT_SESSION = upsert("sessions", _SESSION_COLUMNS, "key")


@dataclass(slots=True)
class Synced:
    """What a sync did.

    :param backlog: one line for each canonical file that could not be indexed; it is tried again next time.
    """

    rows: int = 0
    backlog: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _File:
    """A canonical file to index, and how far it is indexed."""

    path: Path
    stat: os.stat_result
    key: str
    header: dict[str, Any]
    indexed: sqlite3.Row | None

    @property
    def grown(self) -> bool:
        """Whether the rest can be appended: the file is new, or the indexed part of it stands as it was."""
        old = self.indexed
        if old is None:
            return True
        size: int = old["indexed_bytes"]
        return 0 <= size <= self.stat.st_size and _crc(self.path, 0, size) == old["indexed_crc"]

    def _described(self) -> dict[str, Any]:
        described = self.header.get("metadata")
        return described if isinstance(described, dict) else {}

    def row(self, progress: _Progress, finished: bool, rewriting: bool) -> tuple[Any, ...]:
        """The row of ``sessions``."""
        described = self._described()
        return (
            self.key,
            self.key.partition(":")[0],
            _text(described.get("title")),
            _text(described.get("project")),
            progress.first,
            progress.last,
            progress.seq,
            _text(described.get("source")),
            self.path.name,
            self.stat.st_size if finished else _UNFINISHED,
            self.stat.st_mtime_ns,
            self.stat.st_ino,
            _UNFINISHED if rewriting and not finished else progress.offset,
            _UNFINISHED if rewriting and not finished else progress.checksum(self.path),
        )


@dataclass(slots=True)
class _Progress:
    """How far the indexing of a file has come; ``crc`` is that of its first ``summed`` bytes."""

    seq: int = 0
    offset: int = 0
    first: str | None = None
    last: str | None = None
    crc: int = 0
    summed: int = 0

    def checksum(self, path: Path) -> int:
        self.crc = _crc(path, self.summed, self.offset, self.crc)
        self.summed = self.offset
        return self.crc

    def see(self, timestamp: str | None) -> None:
        if timestamp is not None:
            self.first = min(self.first or timestamp, timestamp)
            self.last = max(self.last or timestamp, timestamp)


def ensure(home: Home) -> bool:
    """Make the empty index when it is missing; returns whether it was made now."""
    return db.create(home.session_index, SCHEMA)


def sync(home: Home) -> Synced:
    """Bring the index up to the canonical files; an unchanged file is not opened.

    A file that can't be indexed is reported in ``backlog`` and tried again at the next run.
    """
    result = Synced()
    try:
        ensure(home)
        writer = _Writer(home)
        for file in _changed(home, result):
            try:
                _index(writer, file)
            except _Raced:
                result.backlog.append(f"{file.path.name}: another process is indexing it")
        writer.flush()
        result.rows = writer.written
    except (WorkbenchError, _Raced) as error:
        result.backlog.append(f"the session index is behind: {error}")
    return result


def rebuild(home: Home) -> Synced:
    """Make the index again from the canonical files, with equal ids and contents.

    A damaged index, or one of another version, is moved aside first; a foreign file is left alone.

    :raises SchemaMismatch: when the file was not made by this program.
    """
    path = home.session_index
    if not ensure(home):
        try:
            with db.write(path, SCHEMA) as connection:
                connection.execute("INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')")
                connection.execute("DELETE FROM messages")
                connection.execute("DELETE FROM sessions")
        except (Corrupt, SchemaMismatch):
            _move_aside(path)
            ensure(home)
    return sync(home)


def _move_aside(path: Path) -> None:
    with suppress(Corrupt):
        db.version(path, SCHEMA)  # raises for a foreign file
    with files.lock(path.with_name(path.name + ".lock")), files.os_errors(path):
        stamp = db.now().replace(":", "")
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(path.with_name(f"{path.name}.damaged-{stamp}{suffix}"))


def _changed(home: Home, result: Synced) -> list[_File]:
    """Canonical files that the index does not hold as they are, oldest conversation first; lost ones are deleted."""
    with db.read(home.session_index, SCHEMA) as connection:
        indexed = {row["file_name"]: row for row in connection.execute("SELECT * FROM sessions")}
    entries = {entry.name: entry for entry in store.canonical_files(home)}
    found: list[_File] = []
    for name, entry in entries.items():
        row, stat = indexed.get(name), entry.stat()
        now = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
        if row is not None and (row["file_size"], row["file_mtime_ns"], row["file_inode"]) == now:
            continue
        path = Path(entry.path)
        try:
            header = store.read_header(path)
        except OSError as error:
            result.backlog.append(f"{name}: {error.strerror or error}")
            continue
        key = header.get("key")
        found.append(_File(path, stat, key if isinstance(key, str) and key else store.key_of(path.stem), header, row))
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


def _index(writer: _Writer, file: _File) -> None:
    old, grown = file.indexed, file.grown
    progress, kept = _Progress(), set[int]()
    if not grown:
        writer.flush()
        kept = _prune(writer.home, file)
    elif old is not None:
        size = old["indexed_bytes"]
        progress = _Progress(old["message_count"], size, old["created_at"], old["updated_at"], old["indexed_crc"], size)
    for name in ("created_at", "updated_at"):
        if isinstance(time := file.header.get(name), str):
            progress.see(time)
    writer.begin(file, progress, rewriting=not grown)
    for offset, line, row in store.read_messages(file.path, progress.offset):
        if row is not None:
            if row["id"] not in kept:
                writer.add(_record(file.key, progress.seq, line, row), len(line))
            progress.see(_text(row.get("timestamp")))
            progress.seq += 1
        progress.offset = offset
    writer.end()


def _prune(home: Home, file: _File) -> set[int]:
    """Delete the rows of a rewritten file that it does not hold as they were, number the others anew: their ids."""
    with db.read(home.session_index, SCHEMA) as connection:
        rows = connection.execute("SELECT id, digest, seq FROM messages WHERE session_key = ?", (file.key,))
        old = {row["id"]: (row["digest"], row["seq"]) for row in rows}
    kept: set[int] = set()
    moved: list[tuple[int, int]] = []
    messages = (item for item in store.read_messages(file.path) if item[2] is not None)
    for seq, (_, line, row) in enumerate(messages):
        number = row["id"] if row else 0
        digest, before = old.get(number, (None, None))
        if digest == _digest(line):
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
            "UPDATE sessions SET indexed_bytes = ?, indexed_crc = ? WHERE key = ?", (_UNFINISHED, _UNFINISHED, file.key)
        )
    return kept


def _delete(connection: sqlite3.Connection, where: str, value: str) -> None:
    connection.execute(
        "INSERT INTO messages_fts (messages_fts, rowid, content, cjk)"
        f" SELECT 'delete', n, content, cjk FROM messages WHERE {where} ORDER BY n",
        (value,),
    )
    connection.execute(f"DELETE FROM messages WHERE {where}", (value,))


def _record(key: str, seq: int, line: bytes, row: dict[str, Any]) -> tuple[Any, ...]:
    content, calls = row["content"], row.get("tool_calls")
    return (
        row["id"],
        key,
        seq,
        row["role"],
        row["origin"],
        row["state"],
        row["identity"],
        _text(row.get("parent")),
        _text(row.get("timestamp")),
        _digest(line),
        _text(row.get("name")),
        _text(row.get("tool_call_id")),
        content,
        fts.cjk_bigrams(content),
        _text(row.get("thinking")),
        orjson.dumps(calls).decode() if calls and isinstance(calls, list) else None,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _digest(line: bytes) -> int:
    """Tells a changed line from an unchanged one of the same message; no key, so a checksum with the length will do."""
    return len(line) << 32 | zlib.crc32(line)


def _crc(path: Path, start: int, end: int, crc: int = 0) -> int:
    """The checksum of a file's bytes up to ``end``, from that of its bytes up to ``start``."""
    left = end - start
    with path.open("rb") as handle:
        handle.seek(start)
        while left > 0 and (chunk := handle.read(min(left, 1 << 20))):
            crc = zlib.crc32(chunk, crc)
            left -= len(chunk)
    return crc


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
        self._open: tuple[_File, _Progress, bool] | None = None

    def begin(self, file: _File, progress: _Progress, rewriting: bool) -> None:
        """Start a session; ``progress`` is read whenever rows are written."""
        self._open = (file, progress, rewriting)
        old = file.indexed
        base = None if old is None else (old["indexed_bytes"], old["indexed_crc"])
        self._bases.append((file.key, (_UNFINISHED, _UNFINISHED) if rewriting else base))

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
            connection.executemany(_INSERT_SESSION, sessions)
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
        connection.executemany(_INSERT_MESSAGE, self._rows)
        connection.execute(
            "INSERT INTO messages_fts (rowid, content, cjk)"
            " SELECT n, content, cjk FROM messages WHERE n > ? ORDER BY n",
            (before,),
        )
