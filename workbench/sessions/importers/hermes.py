"""Hermes Agent of NousResearch: its database ``state.db``, ``hermes sessions export``, its session files, and archives
of its sessions.

Built from ``hermes_state_common.py`` (the schema), ``hermes_state_messages.py`` and ``hermes_state_portability.py`` of
NousResearch/hermes-agent, ``internal/parser/hermes.go`` of kenn-io/agentsview (session files), the fixtures and the
``state_db_v16`` contract of polylogue (archives), and the description of the Agent Trajectory Interchange Format
(ATIF) of the Harbor framework. Its events (ATOF) are no conversation: each request holds all that was said before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from workbench import foreign_db
from workbench.sessions.importers import Found, Importer, Place, Sample, documents, hermes_messages, lines, log_beside
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable, opened
from workbench.sessions.importers.values import moment, record, rows_of, sequence, string, widen
from workbench.sessions.model import Message, Origin, Session
from workbench.text import storable

NAME = "hermes"
_SESSION_COLUMNS = {"id", "source", "model_config", "parent_session_id", "started_at"}
_MESSAGE_COLUMNS = {"session_id", "role", "content", "timestamp", "tool_call_id", "tool_calls"}
# How the database marks a content that is a list of parts.
_PARTS = "\x00json:"
_ATIF_ROLES = {"user": "user", "agent": "assistant", "system": "system"}


def sniff(sample: Sample) -> bool:
    """The database by its columns; the others by the fields of a session, or the line that describes one."""
    if sample.tables:
        sessions, messages = (sample.tables.get(name, frozenset()) for name in ("sessions", "messages"))
        return sessions >= _SESSION_COLUMNS and messages >= _MESSAGE_COLUMNS
    return any(
        isinstance(row, dict) and (_is_session(row) or _is_meta(row)) for row in (*sample.rows, *sample.elements)
    )


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The sessions of a database, an export or a session file."""
    with opened(file) as handle:
        is_database = handle.read(16).startswith(b"SQLite format 3")
    if is_database and isinstance(file, Path):
        yield from _database(file, counts)
    elif (first := _first_line(file)) is not None and not _is_session(first):
        yield _lines(file, counts)
    else:
        # One session a line, or one document of one or several.
        rows = lines.rows(file, counts) if first is not None else documents.items(file, counts)
        for offset, row in rows:
            if isinstance(row, dict) and _is_session(row):
                # What was compacted into one another is exported as one, with the sessions that it was.
                parts = [part for part in sequence(row.get("segments")) if isinstance(part, dict) and _is_session(part)]
                yield from (_found(file, part, counts) for part in parts or [row])
            else:
                counts.quarantine(offset, "not a session")


def _first_line(file: Readable) -> dict[str, Any] | None:
    """The first object that stands on a line of its own, where one does in the first lines."""
    with opened(file) as handle:
        for _, line, _ in islice(lines.read_lines(handle), 3):
            with suppress(ValueError, RecursionError):
                if isinstance(row := lines.parse(line or b""), dict) and row:
                    return row
    return None


def _is_meta(row: dict[str, Any]) -> bool:
    return row.get("role") == "session_meta"


def _is_session(row: dict[str, Any]) -> bool:
    """Whether an object is a session: exported, of a session file, archived, or a trajectory."""
    if str(row.get("schema_version")).startswith("ATIF-"):
        return isinstance(row.get("steps"), list)
    if not isinstance(row.get("messages"), list):
        return False
    exported = "source" in row and "started_at" in row and "id" in row
    return exported or ("session_id" in row and ("session_start" in row or str(row.get("producer")).startswith(NAME)))


def _found(file: Readable, row: dict[str, Any], counts: Counts) -> Found:
    """A session that is one object."""
    name = string(row.get("id")) or string(row.get("session_id")) or file.stem.removeprefix("session_")
    session = _session(file, name, row)
    rows = list(_steps(row)) if "steps" in row else sequence(row.get("messages"))
    for message in rows:
        widen(session, moment(record(message).get("timestamp")))
    kind = hermes_messages.kind_of(name, row)
    if "steps" in row and NAME not in str(record(row.get("agent")).get("name")).lower():
        kind = "automation"  # a trajectory of another agent is a run of a benchmark
    session.metadata["kind"] = kind
    return Found(session, hermes_messages.told(range(len(rows)), rows.__getitem__, kind, counts))


def _steps(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The steps of a trajectory as messages."""
    for step in map(record, sequence(row.get("steps"))):
        if step.get("is_copied_context") is True:
            continue
        made = {**step, "role": _ATIF_ROLES.get(str(step.get("source"))), "content": step.get("message")}
        results = sequence(record(step.get("observation")).get("results"))
        made |= {"model": step.get("model_name"), "reasoning": step.get("reasoning_content"), "state": None}
        made["token_count"] = record(step.get("metrics")).get("completion_tokens")
        made["tool_results"] = [
            {"action_id": record(result).get("source_call_id"), "content": record(result).get("content")}
            for result in results
        ]
        yield made


def _lines(file: Readable, counts: Counts) -> Found:
    """A session file of one message a line; the file is named after the session."""
    name = storable(file.stem)
    meta: dict[str, Any] = {}
    session = _session(file, name, meta)
    for _, row in lines.rows(file, Counts()):
        if isinstance(row, dict):
            meta = row if _is_meta(row) else meta
            widen(session, moment(row.get("timestamp")))
    kind = hermes_messages.kind_of(name, meta)
    session.metadata |= {"model": string(meta.get("model")), "source": string(meta.get("platform")), "kind": kind}
    return Found(session, _spoken(file, kind, counts))


def _spoken(file: Readable, kind: Origin | None, counts: Counts) -> Iterator[Message]:
    occurrences: dict[str, int] = {}
    for offset, row in lines.rows(file, counts):
        if isinstance(row, dict) and _is_meta(row):
            counts.kept += 1
            continue
        if not hermes_messages.is_message(row):
            counts.quarantine(offset, "not a message")
            continue
        made = hermes_messages.messages(row, kind, occurrences)
        counts.kept += bool(made)
        counts.skipped += not made
        yield from made


def _session(file: Readable, name: str, row: dict[str, Any]) -> Session:
    """What a session says of itself."""
    session = Session(f"{NAME}:{storable(name)}", string(row.get("title")), source=str(file))
    session.project = next(
        (row[key] for key in ("cwd", "repository_cwd", "git_repo_root") if string(row.get(key))), None
    )
    for key in ("started_at", "created_at", "session_start", "ended_at", "last_activity_at", "last_updated"):
        widen(session, moment(row.get(key)))
    session.metadata = {
        "agent": NAME,
        "model": string(row.get("model")) or string(record(row.get("agent")).get("model_name")),
        "source": string(row.get("source")) or string(row.get("platform")),
        "parent_session": string(row.get("parent_session_id")),
        "git_branch": string(row.get("git_branch")),
        "end_reason": string(row.get("end_reason")),
    }
    return session


def _database(path: Path, counts: Counts) -> Iterator[Found]:
    """The sessions of ``state.db``."""
    with foreign_db.read(path) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(sessions)")]
        wanted = ", ".join(f'"{name}"' for name in columns if name != "system_prompt")
        names = [tuple(row) for row in connection.execute("SELECT id FROM sessions ORDER BY started_at, id")]
        for (name,), row in rows_of(connection, f"SELECT {wanted} FROM sessions WHERE id IS ?", names, counts):
            described = lines.clean(dict(row))
            session = _session(path, str(name), described)
            kind = hermes_messages.kind_of(str(name), described) or _began_within(connection, described)
            session.metadata["kind"] = kind
            rows = connection.execute("SELECT id, timestamp FROM messages WHERE session_id IS ? ORDER BY id", (name,))
            ids = []
            for number, time in rows:
                ids.append(number)
                widen(session, moment(time))
            yield Found(session, hermes_messages.told(ids, partial(_row, connection), kind, counts))


def _row(connection: sqlite3.Connection, number: int) -> Json:
    """A message of the database; None where it can't be read (a value over 4 MB, a damaged page)."""
    try:
        row = dict(connection.execute("SELECT * FROM messages WHERE id = ?", (number,)).fetchone())
    except sqlite3.Error:
        return None
    if isinstance(content := row["content"], str) and content.startswith(_PARTS):
        row["content"] = hermes_messages.parsed(content.removeprefix(_PARTS))
    return lines.clean(row)


def _began_within(connection: sqlite3.Connection, session: dict[str, Any]) -> Origin | None:
    """Older databases do not mark the sessions of subagents: they began while the session was going on that they stand
    under; what continues one, or branches off, begins at its end."""
    config = str(session.get("model_config"))
    if "_branched_from" in config or "_reset_from" in config:
        return None
    sql = "SELECT 1 FROM sessions WHERE id = ? AND (ended_at IS NULL OR ended_at > ?)"
    parent, start = session.get("parent_session_id"), session.get("started_at")
    return "subagent" if connection.execute(sql, (parent, start)).fetchone() else None


_PLACES = (
    Place(".hermes", "", "state.db", "HERMES_HOME", deep=False),
    Place(".hermes", "profiles/*", "state.db", "HERMES_HOME", deep=False),
    *(
        Place(".hermes", below, pattern, "HERMES_HOME")
        for below in ("sessions", "profiles/*/sessions")
        for pattern in ("*.jsonl", "session_*.json")
    ),
)
IMPORTER = Importer(NAME, sniff, read, _PLACES, beside=log_beside)
