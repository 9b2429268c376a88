"""The rows of the session index, and how far each canonical file is in it."""

from __future__ import annotations

import os
import sqlite3
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from workbench import dates, fts
from workbench.sessions import prefix, times

UNFINISHED = -1
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MESSAGE_COLUMNS = (
    "id, session_key, seq, role, origin, state, identity, parent, timestamp, digest, name, tool_call_id, content, cjk,"
    " thinking, tool_calls, at, model, meta, text_digest"
)
_SESSION_COLUMNS = (
    "key, channel, title, project, created_at, updated_at, message_count, source, file_name, file_size, file_mtime_ns,"
    " file_inode, indexed_bytes, indexed_crc, models, agent"
)


def upsert(table: str, columns: str, key: str) -> str:
    """The SQL that inserts ``columns``, or updates all of them but the first where a row has the same ``key``."""
    names = [name.strip() for name in columns.split(",")]
    updates = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
    marks = ", ".join("?" * len(names))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {updates}"


INSERT_MESSAGE = (
    f"INSERT INTO messages ({_MESSAGE_COLUMNS}) VALUES ({', '.join('?' * len(_MESSAGE_COLUMNS.split(',')))})"
    " ON CONFLICT (id) DO NOTHING"
)
INSERT_SESSION = upsert("sessions", _SESSION_COLUMNS, "key")


@dataclass(slots=True)
class File:
    """A canonical file to index, and how far it is indexed."""

    path: Path
    stat: os.stat_result
    key: str
    header: dict[str, Any]
    indexed: sqlite3.Row | None

    @property
    def grown(self) -> bool:
        """Whether the rest can be appended: the file is new, or the indexed part of it stands as it was.

        A long file is written anew under another inode: samples are enough where that is the same.
        """
        old = self.indexed
        if old is None:
            return True
        size: int = old["indexed_bytes"]
        if not 0 <= size <= self.stat.st_size or (size > prefix.EXACT and old["file_inode"] != self.stat.st_ino):
            return False
        return bool(prefix.mark_of(self.path, size) == old["indexed_crc"])

    def _described(self) -> dict[str, Any]:
        described = self.header.get("metadata")
        return described if isinstance(described, dict) else {}

    def row(self, progress: Progress, finished: bool, rewriting: bool) -> tuple[Any, ...]:
        """The row of ``sessions``."""
        described = self._described()
        return (
            self.key,
            self.key.partition(":")[0],
            string(described.get("title")),
            string(described.get("project")),
            progress.first[1] if progress.first else None,
            progress.last[1] if progress.last else None,
            progress.seq,
            string(described.get("source")),
            self.path.name,
            self.stat.st_size if finished else UNFINISHED,
            self.stat.st_mtime_ns,
            self.stat.st_ino,
            UNFINISHED if rewriting and not finished else progress.offset,
            UNFINISHED if rewriting and not finished else prefix.mark_of(self.path, progress.offset),
            orjson.dumps(sorted(progress.models)).decode() if progress.models else None,
            string(described.get("agent")),
        )


@dataclass(slots=True)
class Progress:
    """How far the indexing of a file has come; ``models`` are those that wrote in it, ``first`` and ``last`` the
    span of time, in seconds and as it was written."""

    seq: int = 0
    offset: int = 0
    models: set[str] = field(default_factory=set)
    first: tuple[float, str] | None = None
    last: tuple[float, str] | None = None

    def see(self, timestamp: str | None, model: str | None = None) -> None:
        """Widen the span of time by ``timestamp``, and take note of a model."""
        if model is not None:
            self.models.add(model)
        if timestamp is not None and (seconds := times.seconds(timestamp)) is not None:
            moment = (seconds, timestamp)
            if self.first is None or moment < self.first:
                self.first = moment
            if self.last is None or moment > self.last:
                self.last = moment


def record(key: str, seq: int, line: bytes, row: dict[str, Any]) -> tuple[Any, ...]:
    """The row of ``messages`` for one canonical line."""
    content, calls, name = row["content"], row.get("tool_calls"), string(row.get("name"))
    moment = dates.moment(timestamp := string(row.get("timestamp")))
    when = f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}" if moment else None
    meta = f"{name} {when}" if name and when else name or when
    return (
        row["id"],
        key,
        seq,
        row["role"],
        row["origin"],
        row["state"],
        row["identity"],
        string(row.get("parent")),
        timestamp,
        digest_of(line),
        name,
        string(row.get("tool_call_id")),
        content,
        fts.cjk_bigrams(content),
        string(row.get("thinking")),
        orjson.dumps(calls).decode() if calls and isinstance(calls, list) else None,
        moment.timestamp() if moment else None,
        string(row.get("model")),
        meta,
        text_digest(name, meta, content),
    )


def string(value: object) -> str | None:
    """``value`` when it is text."""
    return value if isinstance(value, str) else None


def text_digest(name: str | None, meta: str | None, content: str) -> int:
    """Tells whether a message still says what it said, by the same speaker at the same time, whatever its state is."""
    return digest_of(f"{name}\0{meta}\0{content}".encode("utf-8", "replace"))


def digest_of(line: bytes) -> int:
    """Tells a changed line from an unchanged one of the same message; no key, so a checksum with the length will do."""
    return len(line) << 32 | zlib.crc32(line)
