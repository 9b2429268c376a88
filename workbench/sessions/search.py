"""Finding conversations again: by words, in a list, around a message; and the messages that may be learned from."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workbench import db, guard
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.sessions import ranking, store
from workbench.sessions.filters import ANY, Filter
from workbench.sessions.index import SCHEMA
from workbench.sessions.terms import passage
from workbench.text import one_line

_CONTEXT_ROWS, _CONTEXT_CHARACTERS = 3, 300
_SNIPPET_CHARACTERS = 240
# Messages that are folded into conversations.
_RANKED = 500
_PAGE = 1_000
_BOOKKEEPING = ("file_name", "file_size", "file_mtime_ns", "file_inode", "indexed_bytes", "indexed_crc")
_COLUMNS = "n, id, session_key, seq, role, origin, state, identity, content, timestamp"
# What a person or an agent looks for: not what was taken back or hidden, not the harness's own words.
_VISIBLE = "state NOT IN ('withdrawn', 'hidden') AND origin <> 'harness' AND content <> ''"

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


def discover(
    home: Home,
    query: str,
    limit: int = 5,
    wanted: Filter = ANY,
    current: str | None = None,
) -> dict[str, Any]:
    """The conversations that answer ``query`` best, one result each, with what was said around the best message.

    :param limit: conversations to return, 1–10.
    :param wanted: which messages may be found.
    :param current: the key of the session that asks, to mark it.
    """
    limit = max(1, min(limit, 10))
    with db.read(home.session_index, SCHEMA) as connection:
        ranked = ranking.rank(connection, query, wanted, _RANKED)
        best = {hit.session_key: hit for hit in reversed(ranked.hits)}
        first = sorted(best.values(), key=lambda hit: (-hit.score, -hit.n))[:limit]
        results = [_result(connection, hit, ranked, current) for hit in first]
    hint = "show the conversation around a hit: scroll with session_key and anchor_id" if results else "try other words"
    return {"mode": "discover", "query": query, "results": results, "count": len(results), "next_action": hint}


def _result(
    connection: sqlite3.Connection, hit: ranking.Hit, ranked: ranking.Ranked, current: str | None
) -> dict[str, Any]:
    key = hit.session_key
    anchor = connection.execute(f"SELECT {_COLUMNS} FROM messages WHERE n = ?", (hit.n,)).fetchone()
    session = connection.execute("SELECT message_count, source FROM sessions WHERE key = ?", (key,)).fetchone()
    seq = anchor["seq"]
    context = [*_around(connection, key, "seq < ?", seq, "DESC")[::-1], anchor]
    context += _around(connection, key, "seq > ?", seq, "ASC")
    start = _around(connection, key, "seq >= ?", 0, "ASC")
    end = _around(connection, key, "seq >= ?", 0, "DESC")[::-1]
    # In a short conversation these are the same rows: each is masked and cut once.
    rows = {row["id"]: row for row in (*context, *start, *end)}
    shown = {number: _brief(row) for number, row in rows.items()}
    return {
        "session_key": key,
        "anchor_id": anchor["id"],
        "date": anchor["timestamp"],
        "role": anchor["role"],
        "score": round(hit.score, 4),
        "words": round(hit.words, 4),
        "cosine": hit.cosine,
        "snippet": passage(guard.mask(anchor["content"]), ranked.matcher, ranked.weights, _SNIPPET_CHARACTERS),
        "context": [shown[row["id"]] for row in context],
        "messages_in_session": session["message_count"],
        "current_session": key == current,
        "state": anchor["state"],
        "event_id": anchor["identity"],
        "source": session["source"],
        "bookend_start": [shown[row["id"]] for row in start],
        "bookend_end": [shown[row["id"]] for row in end],
    }


def _around(connection: sqlite3.Connection, key: str, where: str, seq: int, order: str) -> list[sqlite3.Row]:
    return connection.execute(
        f"SELECT {_COLUMNS} FROM messages WHERE session_key = ? AND {where} AND role IN ('user', 'assistant')"
        f" AND {_VISIBLE} ORDER BY seq {order} LIMIT {_CONTEXT_ROWS}",
        (key, seq),
    ).fetchall()


def _brief(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "event_id": row["identity"],
        "role": row["role"],
        "content": _short(guard.mask(row["content"])),
        "timestamp": row["timestamp"],
    }


def _short(content: str) -> str:
    return content if len(content) <= _CONTEXT_CHARACTERS else content[: _CONTEXT_CHARACTERS - 1] + "…"


def list_sessions(
    home: Home, limit: int = 20, offset: int = 0, project: str | None = None, current: str | None = None
) -> dict[str, Any]:
    """Conversations, the last active first, each with the beginning of its first user message."""
    where = "WHERE project = ?" if project is not None else ""
    values = [] if project is None else [project]
    with db.read(home.session_index, SCHEMA) as connection:
        total = connection.execute(f"SELECT count(*) FROM sessions {where}", values).fetchone()[0]
        rows = connection.execute(
            f"SELECT * FROM sessions {where} ORDER BY updated_at DESC, key LIMIT ? OFFSET ?", [*values, limit, offset]
        ).fetchall()
        results = [
            {
                "session_key": row["key"],
                "title": row["title"],
                "project": row["project"],
                "date": row["created_at"],
                "last_active": row["updated_at"],
                "messages": row["message_count"],
                "preview": _preview(connection, row["key"]),
                "current_session": row["key"] == current,
            }
            for row in rows
        ]
    hint = f"{total} conversations; more with offset {offset + limit}" if offset + limit < total else "show KEY"
    return {"mode": "browse", "results": results, "count": len(results), "total": total, "next_action": hint}


def _preview(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute(
        "SELECT content FROM messages WHERE session_key = ? AND role = 'user' AND origin <> 'harness'"
        " AND content <> '' ORDER BY seq LIMIT 1",
        (key,),
    ).fetchone()
    return one_line(guard.mask(row[0]), 80) if row else ""


def show(home: Home, key: str, limit: int = 100, offset: int = 0) -> dict[str, Any]:
    """One conversation, message by message.

    :param key: a session key, or a prefix that only one has (of the key, or of the part after its channel).
    :raises NotFound: when no session has it; WorkbenchError when several do.
    """
    with db.read(home.session_index, SCHEMA) as connection:
        session = _session(connection, key)
        rows = connection.execute(
            "SELECT id, identity AS event_id, seq, role, origin, state, content, thinking, tool_calls, tool_call_id,"
            " name, timestamp, parent FROM messages WHERE session_key = ? ORDER BY seq LIMIT ? OFFSET ?",
            (session["key"], limit, offset),
        ).fetchall()
        preview = _preview(connection, session["key"])
    described = {name: value for name, value in dict(session).items() if name not in _BOOKKEEPING}
    described["preview"] = preview
    return {"session": described, "messages": [dict(row) for row in rows], "count": len(rows), "offset": offset}


def scroll(home: Home, key: str, around: int, window: int = 5, current: str | None = None) -> dict[str, Any]:
    """The messages around one of a conversation.

    :param around: the message id; ``window``: how many on each side, 1–20.
    :raises NotFound: when the session or the message is not there.
    """
    window = max(1, min(window, 20))
    with db.read(home.session_index, SCHEMA) as connection:
        session = _session(connection, key)
        key = session["key"]
        anchor = connection.execute(
            "SELECT seq FROM messages WHERE id = ? AND session_key = ?", (around, key)
        ).fetchone()
        if anchor is None:
            raise NotFound(f"around_message_id {around} not in session_key {key}")
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM messages WHERE session_key = ? AND seq BETWEEN ? AND ? ORDER BY seq",
            (key, anchor["seq"] - window, anchor["seq"] + window),
        ).fetchall()
    first, last = rows[0]["seq"], rows[-1]["seq"]
    return {
        "mode": "scroll",
        "session_key": key,
        "current_session": key == current,
        "around_message_id": around,
        "window": window,
        "session_meta": {
            "created_at": session["created_at"],
            "updated_at": session["updated_at"],
            "msg_count": session["message_count"],
        },
        "messages": [_scrolled(row, around) for row in rows],
        "messages_before": first,
        "messages_after": session["message_count"] - 1 - last,
        "next_action": "scroll again around the first or last id to see more",
    }


def _scrolled(row: sqlite3.Row, around: int) -> dict[str, Any]:
    shown = {"id": row["id"], "event_id": row["identity"], "role": row["role"], "content": row["content"]}
    shown |= {"state": row["state"], "timestamp": row["timestamp"]}
    return {**shown, "anchor": True} if row["id"] == around else shown


def _session(connection: sqlite3.Connection, key: str) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute("SELECT * FROM sessions WHERE key = ?", (key,)).fetchone()
    if row is not None:
        return row
    pattern = key.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = connection.execute(
        "SELECT * FROM sessions WHERE key LIKE ? ESCAPE '\\' OR key LIKE ? ESCAPE '\\' ORDER BY key LIMIT 3",
        (pattern, "%:" + pattern),
    ).fetchall()
    if not rows or not key:
        raise NotFound(f"session_key not found: {key}; `workbench sessions list` shows them")
    if len(rows) > 1:
        raise WorkbenchError(f"{key} fits several sessions, among them {rows[0]['key']} and {rows[1]['key']}; name one")
    found: sqlite3.Row = rows[0]
    return found


def roles(home: Home, ids: Sequence[int]) -> dict[int, str]:
    """The role of each of these messages that the index has."""
    with db.read(home.session_index, SCHEMA) as connection:
        marks = ", ".join("?" * len(ids))
        return dict(connection.execute(f"SELECT id, role FROM messages WHERE id IN ({marks})", list(ids)).fetchall())


def position(home: Home, key: str, number: int) -> int:
    """How many messages of a conversation stand before this one.

    :raises NotFound: when the conversation has no such message.
    """
    with db.read(home.session_index, SCHEMA) as connection:
        row = connection.execute(
            "SELECT count(*) FROM messages AS m JOIN messages AS o ON o.session_key = m.session_key AND o.seq < m.seq"
            " WHERE m.id = ? AND m.session_key = ? GROUP BY m.id",
            (number, key),
        ).fetchone()
        if row is not None:
            return int(row[0])
        if connection.execute("SELECT 1 FROM messages WHERE id = ? AND session_key = ?", (number, key)).fetchone():
            return 0
    raise NotFound(f"there is no message {number} in {key}")


def status(home: Home) -> dict[str, Any]:
    """Counts of what is there, and ``backlog``: canonical files that the index does not hold as they are."""
    with db.read(home.session_index, SCHEMA) as connection:
        one = connection.execute(
            "SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM messages) AS messages,"
            " (SELECT count(*) FROM sources) AS sources,"
            " (SELECT coalesce(sum(quarantined), 0) FROM sources) AS quarantined,"
            " (SELECT count(*) FROM sources WHERE error IS NOT NULL) AS failed_sources"
        ).fetchone()
        by_origin = dict(connection.execute("SELECT origin, count(*) FROM messages GROUP BY origin").fetchall())
        indexed = {
            (row["file_name"], row["file_size"], row["file_mtime_ns"])
            for row in connection.execute("SELECT file_name, file_size, file_mtime_ns FROM sessions")
        }
    present = ((entry.name, entry.stat()) for entry in store.canonical_files(home))
    backlog = sum((name, stat.st_size, stat.st_mtime_ns) not in indexed for name, stat in present)
    return {**dict(one), "by_origin": by_origin, "backlog": backlog}


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


def said(home: Home, ids: Sequence[int]) -> list[Row]:
    """Those of these messages that the person or the assistant said and that still hold, in the order indexed."""
    with db.read(home.session_index, SCHEMA) as connection:
        marks = ", ".join("?" * len(ids))
        numbers = connection.execute(
            f"SELECT n FROM messages WHERE id IN ({marks}) AND state IN {_HELD} AND origin IN ('user', 'assistant')",
            list(ids),
        ).fetchall()
        return _rows(connection, [row["n"] for row in numbers])


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
