"""The bare floor of an ingest: the same parser, rows and full-text schema, and nothing else of ours."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import orjson

from workbench import db
from workbench.sessions.index import SCHEMA

_INSERT = (
    "INSERT INTO messages (id, session_key, seq, role, origin, state, identity, parent, timestamp, digest,"
    " tool_call_id, content, thinking, tool_calls) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)
_BATCH = 5_000


def ingest(source: Path, folder: Path) -> int:
    """Parse every line once, write canonical lines without fsync, insert rows and full text in batches."""
    database = folder / "floor.sqlite"
    db.create(database, SCHEMA)
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    batch: list[tuple[object, ...]] = []
    sessions: set[str] = set()
    number = 0
    with source.open("rb") as lines, (folder / "floor.jsonl").open("wb") as canonical:
        for number, line in enumerate(lines, 1):
            row = _row(number, orjson.loads(line), sessions, connection)
            canonical.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            batch.append(row)
            if len(batch) == _BATCH:
                _flush(connection, batch)
        _flush(connection, batch)
    connection.close()
    return number


def _row(number: int, row: dict, sessions: set[str], connection: sqlite3.Connection) -> tuple[object, ...]:
    key = row["sessionId"]
    if key not in sessions:
        sessions.add(key)
        connection.execute(
            "INSERT INTO sessions (key, channel, message_count, file_name) VALUES (?, 'claude-code', 0, ?)", (key, key)
        )
    role, content = row["type"], row["message"]["content"]
    text, thinking, calls, call = content, None, None, None
    if isinstance(content, list):
        by_type = {block["type"]: block for block in content}
        if "tool_result" in by_type:
            role, text, call = "tool", by_type["tool_result"]["content"], by_type["tool_result"]["tool_use_id"]
        else:
            text = by_type["text"]["text"]
            if "tool_use" in by_type:
                thinking, calls = by_type["thinking"]["thinking"], orjson.dumps(by_type["tool_use"]).decode()
    times = (row["parentUuid"], row["timestamp"])
    identifier = hash(row["uuid"]) & (1 << 62) - 1  # random, as the ids of messages are
    return (identifier, key, number, role, role, "active", row["uuid"], *times, number, call, text, thinking, calls)


def _flush(connection: sqlite3.Connection, batch: list[tuple[object, ...]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    before = connection.execute("SELECT coalesce(max(n), 0) FROM messages").fetchone()[0]
    connection.executemany(_INSERT, batch)
    connection.execute(
        "INSERT INTO messages_fts (rowid, content, cjk) SELECT n, content, cjk FROM messages WHERE n > ?", (before,)
    )
    connection.execute("COMMIT")
    batch.clear()
