"""Finding conversations again by what was said in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from workbench import db, fts, guard
from workbench.home import Home
from workbench.index.terms import passage
from workbench.sessions import ranking, vectors
from workbench.sessions.browse import masked, places_of
from workbench.sessions.filters import ANY, VISIBLE, Filter
from workbench.sessions.index import SCHEMA
from workbench.text import storable

_CONTEXT_ROWS, _CONTEXT_CHARACTERS = 3, 300
_SNIPPET_CHARACTERS = 240
# Messages that are folded into conversations.
RANKED = 500
_COLUMNS = "m.n, m.id, m.session_key, m.seq, m.role, m.origin, m.state, m.identity, m.content, m.timestamp"


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
    :returns: with ``vector_enabled``: whether vectors were searched, or words alone; ``provider``: the embedding model;
        ``vector_problem``: why it could not be asked.
    """
    limit, query = max(1, min(limit, 10)), storable(query)
    searchable = bool(fts.terms(query))
    near, asked = vectors.near(home, query)
    with db.read(home.session_index, SCHEMA) as connection:
        nearness = near.among(connection, wanted) if near else None
        ranked = ranking.rank(connection, query, wanted, RANKED, nearness)
        first = ranking.conversations(ranked.hits)[:limit]
        results = [_result(home, connection, hit, ranked, current) for hit in first]
    hint = "show the conversation around a hit: scroll with session_key and anchor_id"
    if not results:
        hint = "nothing found; try other words" if searchable else fts.NOTHING
    return {
        "mode": "discover",
        "query": query,
        "results": results,
        "count": len(results),
        "provider": asked.provider,
        "vector_enabled": near is not None,
        "vector_problem": asked.problem,
        "next_action": hint,
    }


def holding(home: Home, sayings: Iterable[str], held: Callable[[str], bool]) -> list[tuple[str, int]]:
    """Messages of whatever origin and state that hold all words of one of ``sayings``, and pass ``held``, as
    (session key, message id)."""
    query = (
        "SELECT session_key, id, content FROM messages"
        " WHERE n IN (SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?)"
    )
    with db.read(home.session_index, SCHEMA) as connection:
        found = {
            (row["session_key"], row["id"])
            for saying in sayings
            if (words := fts.terms(saying))
            for row in connection.execute(query, (" AND ".join(words),))
            if held(row["content"])
        }
    return sorted(found)


def _result(
    home: Home, connection: sqlite3.Connection, hit: ranking.Hit, ranked: ranking.Ranked, current: str | None
) -> dict[str, Any]:
    key = hit.session_key
    anchor = connection.execute(f"SELECT {_COLUMNS} FROM messages m WHERE m.n = ?", (hit.n,)).fetchone()
    session = connection.execute("SELECT * FROM sessions WHERE key = ?", (key,)).fetchone()
    seq = anchor["seq"]
    context = [*_around(connection, key, "m.seq < ?", seq, "DESC")[::-1], anchor]
    context += _around(connection, key, "m.seq > ?", seq, "ASC")
    start = _around(connection, key, "m.seq >= ?", 0, "ASC")
    end = _around(connection, key, "m.seq >= ?", 0, "DESC")[::-1]
    # In a short conversation these are the same rows: each is masked and cut once.
    rows = {row["id"]: row for row in (*context, *start, *end)}
    shown = {number: _brief(row) for number, row in rows.items()}
    return {
        "session_key": key,
        "anchor_id": str(anchor["id"]),
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
        "title": masked(session["title"]),
        "project": masked(session["project"]),
        **places_of(home, session, [anchor["id"]])[anchor["id"]],
        "bookend_start": [shown[row["id"]] for row in start],
        "bookend_end": [shown[row["id"]] for row in end],
    }


def _around(connection: sqlite3.Connection, key: str, where: str, seq: int, order: str) -> list[sqlite3.Row]:
    return connection.execute(
        f"SELECT {_COLUMNS} FROM messages m WHERE m.session_key = ? AND {where} AND m.role IN ('user', 'assistant')"
        f" AND {VISIBLE} ORDER BY m.seq {order} LIMIT {_CONTEXT_ROWS}",
        (key, seq),
    ).fetchall()


def _brief(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "id": str(row["id"]),
        "event_id": row["identity"],
        "role": row["role"],
        "content": _short(guard.mask(row["content"])),
        "timestamp": row["timestamp"],
    }


def _short(content: str) -> str:
    return content if len(content) <= _CONTEXT_CHARACTERS else content[: _CONTEXT_CHARACTERS - 1] + "…"
