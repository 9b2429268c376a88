"""Looking at conversations: in a list, message by message, around a message, by what a message is called."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

import orjson

from workbench import db, guard
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.sessions import canonical, store
from workbench.sessions.filters import AGENT, ANY, Filter
from workbench.sessions.index import SCHEMA
from workbench.text import one_line, quoted

_BOOKKEEPING = ("file_name", "file_size", "file_mtime_ns", "file_inode", "indexed_bytes", "indexed_crc")
_LONGEST_KEY = 4_096
# The names that there are of each field of a filter.
_MOST_NAMED = 12
_CALLED_TOOLS = "SELECT json_extract(c.value, '$.function.name') FROM messages o, json_each(o.tool_calls) c"
_KNOWN = {
    "channel": "SELECT DISTINCT channel FROM sessions s",
    "agent": f"SELECT DISTINCT {AGENT} FROM sessions s",
    "model": "SELECT DISTINCT c.value FROM sessions s, json_each(s.models) c",
    "project": "SELECT DISTINCT project FROM sessions s WHERE project IS NOT NULL",
    "tool": f"SELECT name FROM messages WHERE role = 'tool' AND name IS NOT NULL UNION {_CALLED_TOOLS}"
    " WHERE c.type = 'object'",
}
# The message that its source calls so, or whose id it is.
_CALLED = "(identity = ? OR id = ?) ORDER BY id LIMIT 1"
# The conversations whose key, or the part of it behind the channel, begins so; those that fit best come first: the
# whole part behind the channel, the whole of either in other letter case, a beginning, a beginning in other case.
_NAMED = r"""
SELECT *, CASE
  WHEN substr(key, -length(:key) - 1) = ':' || :key THEN 0
  WHEN key LIKE :pattern ESCAPE '\' OR key LIKE '%:' || :pattern ESCAPE '\' THEN 1
  WHEN substr(key, 1, length(:key)) = :key OR instr(key, ':' || :key) THEN 2
  ELSE 3 END AS fit
FROM sessions
WHERE key LIKE :pattern || '%' ESCAPE '\' OR key LIKE '%:' || :pattern || '%' ESCAPE '\'
ORDER BY fit, key LIMIT 3
"""
_COLUMNS = "n, id, session_key, seq, role, origin, state, identity, content, timestamp"


def list_sessions(
    home: Home, limit: int = 20, offset: int = 0, wanted: Filter = ANY, current: str | None = None
) -> dict[str, Any]:
    """Conversations, the last active first, each with the beginning of its first user message.

    :param wanted: which ones; of its roles only those of a tool's name and of times matter here.
    """
    with db.read(home.session_index, SCHEMA) as connection:
        total = connection.execute(f"SELECT count(*) FROM sessions s WHERE {wanted.of_sessions}", wanted.values)
        count = total.fetchone()[0]
        rows = connection.execute(
            f"SELECT s.* FROM sessions s WHERE {wanted.of_sessions}"
            " ORDER BY julianday(s.updated_at) DESC NULLS LAST, s.key LIMIT :limit OFFSET :offset",
            {**wanted.values, "limit": limit, "offset": offset},
        ).fetchall()
        results = [
            {
                "session_key": row["key"],
                "title": masked(row["title"]),
                "project": masked(row["project"]),
                "models": orjson.loads(row["models"] or "[]"),
                "date": row["created_at"],
                "last_active": row["updated_at"],
                "messages": row["message_count"],
                "preview": _preview(connection, row["key"]),
                "current_session": row["key"] == current,
            }
            for row in rows
        ]
    hint = f"{count} conversations; more with offset {offset + limit}" if offset + limit < count else "show KEY"
    return {"mode": "browse", "results": results, "count": len(results), "total": count, "next_action": hint}


def masked(text: str | None) -> str | None:
    """A title, a folder or a path as it is shown; None where there is none."""
    return guard.mask(text) if text else None


def unknown(home: Home, wanted: Filter) -> list[str]:
    """What a filter names that no conversation has, a line each, with what there is."""
    said = []
    with db.read(home.session_index, SCHEMA) as connection:
        for name, condition in wanted.named.items():
            if name == "channel":
                there = {row[0] for row in connection.execute("SELECT DISTINCT lower(channel) FROM sessions")}
                asked = [each for each in wanted.channels if each.strip().lower() not in there]
            else:
                fits = connection.execute(f"SELECT 1 FROM sessions s WHERE {condition} LIMIT 1", wanted.values)
                asked = [] if name not in _KNOWN or fits.fetchone() else [getattr(wanted, name)]
            if asked:
                known = [masked(row[0]) or "" for row in connection.execute(f"{_KNOWN[name]} ORDER BY 1")]
                said.append(_no_such(name, asked, known))
    return said


def _no_such(name: str, asked: Sequence[str], known: Sequence[str]) -> str:
    listed = ", ".join(one_line(each, 60) for each in known[:_MOST_NAMED])
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    there = f"there are: {listed}{more}" if known else "there is none"
    return f"no conversation of {name} {', '.join(one_line(each, 60) for each in asked)}; {there}"


def places_of(home: Home, session: sqlite3.Row, ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """Where each of these messages is: the file it was first read from, and the file and line it is kept in; no line
    where the file has changed since it was indexed."""
    lines = canonical.lines_of(home.sessions / session["file_name"], ids)
    where = {"source": masked(session["source"]), "file": session["file_name"]}
    return {number: {**where, "line": lines.get(number)} for number in ids}


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
    described |= {name: masked(session[name]) for name in ("title", "project", "source")}
    described["preview"] = preview
    return {"session": described, "messages": [dict(row) for row in rows], "count": len(rows), "offset": offset}


def scroll(home: Home, key: str, around: str | int, window: int = 5, current: str | None = None) -> dict[str, Any]:
    """The messages around one of a conversation.

    :param around: what the message is called, as ``by_event`` takes it; ``window``: how many on each side, 1–20.
    :param current: the key of the session that asks: what is in it is before its eyes, but for what was compacted.
    :raises NotFound: when the session or the message is not there.
    :raises WorkbenchError: when the message is in the current session, and not compacted.
    """
    window = max(1, min(window, 20))
    with db.read(home.session_index, SCHEMA) as connection:
        session = _session(connection, key)
        key = session["key"]
        anchor = connection.execute(
            f"SELECT id, seq, state FROM messages WHERE session_key = ? AND {_CALLED}", (key, *_called(around))
        ).fetchone()
        if anchor is None:
            raise NotFound(_no_message(around, key))
        if key == current and anchor["state"] != "compacted":
            raise WorkbenchError("scroll rejected: anchor is in the current session — already in context")
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM messages WHERE session_key = ? AND seq BETWEEN ? AND ? ORDER BY seq",
            (key, anchor["seq"] - window, anchor["seq"] + window),
        ).fetchall()
    first, last = rows[0]["seq"], rows[-1]["seq"]
    places = places_of(home, session, [row["id"] for row in rows])
    return {
        "mode": "scroll",
        "session_key": key,
        "current_session": key == current,
        "around_message_id": str(anchor["id"]),
        "window": window,
        "session_meta": _meta(session),
        "messages": [_told(row, places, anchor["id"]) for row in rows],
        "messages_before": first,
        "messages_after": session["message_count"] - 1 - last,
        "next_action": "scroll again around the first or last id to see more",
    }


def first_user_message(home: Home, key: str) -> dict[str, Any]:
    """What the person said first in a conversation.

    :raises NotFound: when the session is not there, or the person said nothing in it.
    """
    spoken = "role = 'user' AND origin <> 'harness' AND state NOT IN ('withdrawn', 'hidden') AND content <> ''"
    return _exact(home, key, f"{spoken} ORDER BY seq LIMIT 1", (), "nobody said anything in {}")


def by_event(home: Home, key: str, event_id: str) -> dict[str, Any]:
    """The message that its source calls so (``event_id``), or that this program does: its id, with or without ``#``.

    :raises NotFound: when the session has none.
    """
    return _exact(home, key, _CALLED, _called(event_id), _no_message(event_id, "{}"))


def message_range(home: Home, key: str, start: int, end: int) -> dict[str, Any]:
    """The messages from place ``start`` to ``end``, both included and counted from 0; at most 100.

    :raises NotFound: when the session has none there.
    """
    missing = f"there is no message from place {start} to {end} in {{}}"
    return _exact(home, key, "seq BETWEEN ? AND ? ORDER BY seq LIMIT 100", (start, end), missing)


def _called(named: str | int) -> tuple[str, int]:
    """What a message is called, for ``_CALLED``: the name of its source, the number of its id."""
    name = str(named)
    number = name.removeprefix("#")
    return name, int(number) if number.isascii() and number.isdigit() and int(number) < 1 << 63 else -1


def _no_message(named: str | int, key: str) -> str:
    return f"there is no message {quoted(str(named), 80)} in {key}; `workbench sessions show {key}` shows their ids"


def _exact(home: Home, key: str, where: str, values: tuple[Any, ...], missing: str) -> dict[str, Any]:
    with db.read(home.session_index, SCHEMA) as connection:
        session = _session(connection, key)
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM messages WHERE session_key = ? AND {where}", (session["key"], *values)
        ).fetchall()
    if not rows:
        raise NotFound(missing.replace("{}", session["key"]))
    places = places_of(home, session, [row["id"] for row in rows])
    return {
        "mode": "exact",
        "session_key": session["key"],
        "session_meta": _meta(session),
        "messages": [_told(row, places) for row in rows],
        "count": len(rows),
    }


def _meta(session: sqlite3.Row) -> dict[str, Any]:
    return {
        "created_at": session["created_at"],
        "updated_at": session["updated_at"],
        "msg_count": session["message_count"],
    }


def _told(row: sqlite3.Row, places: dict[int, dict[str, Any]], around: int | None = None) -> dict[str, Any]:
    """A message as it is shown: masked."""
    shown = {
        "id": str(row["id"]),
        "event_id": row["identity"],
        "role": row["role"],
        "content": guard.mask(row["content"]),
    }
    shown |= {"state": row["state"], "timestamp": row["timestamp"], **places[row["id"]]}
    return {**shown, "anchor": True} if row["id"] == around else shown


def key_of(home: Home, named: str) -> str:
    """The whole key of a conversation that is named as ``show`` takes it.

    :raises NotFound: when no session has it; WorkbenchError when several do.
    """
    with db.read(home.session_index, SCHEMA) as connection:
        return str(_session(connection, named)["key"])


def project_of(home: Home, named: str) -> str | None:
    """The project of a conversation that is named as ``show`` takes it; None where it has none. Raises as ``key_of``
    does."""
    with db.read(home.session_index, SCHEMA) as connection:
        project: str | None = _session(connection, named)["project"]
        return project


def _session(connection: sqlite3.Connection, key: str) -> sqlite3.Row:
    key = key.replace("\x00", "\ufffd")[:_LONGEST_KEY]  # SQL would stop reading at a NUL, and refuse a longer pattern
    row: sqlite3.Row | None = connection.execute("SELECT * FROM sessions WHERE key = ?", (key,)).fetchone()
    if row is not None:
        return row
    pattern = key.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = connection.execute(_NAMED, {"key": key, "pattern": pattern}).fetchall()
    rows = [row for row in rows if row["fit"] == rows[0]["fit"]]
    if not rows or not key:
        raise NotFound(f"there is no conversation {quoted(key, 160)}; `workbench sessions list` shows them")
    if len(rows) > 1:
        raise WorkbenchError(
            f"{one_line(key)} fits several conversations, among them {rows[0]['key']} and {rows[1]['key']}; name one"
        )
    found: sqlite3.Row = rows[0]
    return found


def projects_named(home: Home, name: str) -> set[str]:
    """The folders that conversations were about and that end in ``name``."""
    with db.read(home.session_index, SCHEMA) as connection:
        rows = connection.execute(
            "SELECT DISTINCT project FROM sessions WHERE substr(project, -length(:name) - 1) = '/' || :name",
            {"name": name},
        )
        return {row[0] for row in rows}


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
