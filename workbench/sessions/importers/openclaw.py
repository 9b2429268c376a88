"""OpenClaw and pi: a header line, then one entry a line, which form a tree; newer OpenClaw keeps the same entries in a
database of each agent.

Built from ``docs/session-format.md`` and ``session-manager.ts`` of earendil-works/pi (badlogic/pi-mono before), from
``docs/reference/session-management-compaction``, ``docs/reference/database-schemas`` and the code for sessions
(keys, provenance of input, heartbeats, archives) of openclaw/openclaw, and ``openclaw.go`` of kenn-io/agentsview.

Two passes: the first learns the tree, the second reads the messages where they lie.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from workbench import foreign_db
from workbench.errors import WorkbenchError
from workbench.sessions.importers import (
    Found,
    Growth,
    Importer,
    NotGrown,
    Place,
    Sample,
    documents,
    lines,
    log_beside,
    openclaw_messages,
)
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.openclaw_messages import Told
from workbench.sessions.importers.openclaw_tree import Tree
from workbench.sessions.importers.readable import Readable, opened, size_of
from workbench.sessions.importers.values import moment, record, rows_of, string, widen
from workbench.sessions.model import Message, Session, State, derived_identity
from workbench.text import storable

NAME = "openclaw"
# (offset, row) of every readable entry; what is unreadable is counted.
_Rows: TypeAlias = Callable[[Counts], Iterator[tuple[int, Json]]]
_ENTRIES = ("message", "compaction", "model_change", "thinking_level_change", "session_info", "custom_message")
_CHECKPOINT = re.compile(r"\.checkpoint\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl$)", re.IGNORECASE)
_ARCHIVED = re.compile(r"\.jsonl\.(deleted|reset|bak)\.[^/]*$")
_STORE_COLUMNS = {"session_id", "seq", "event_json"}


def sniff(sample: Sample) -> bool:
    """A header with entries behind it, or entries that name their parents; a database with a table of such entries."""
    if sample.tables:
        return sample.tables.get("transcript_events", frozenset()) >= _STORE_COLUMNS
    rows = [row for row in sample.rows if isinstance(row, dict)]
    entries = [row for row in rows if row.get("type") in _ENTRIES and "uuid" not in row and "payload" not in row]
    headed = any(row.get("type") == "session" and string(row.get("id")) and "timestamp" in row for row in rows)
    return any(headed or ("parentId" in row and isinstance(row.get("message"), dict)) for row in entries)


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The one session of a file, or the sessions of a database."""
    with opened(file) as handle:
        is_database = handle.read(16).startswith(b"SQLite format 3")
    if is_database and isinstance(file, Path):
        yield from _database(file, counts)
        return
    main = _CHECKPOINT.sub("", file.name)
    if main != file.name and isinstance(file, Path) and file.with_name(main).exists():
        raise WorkbenchError(f"{file} is a copy from before a compaction; the conversation is in {main} beside it")
    end = size_of(file)
    name = _ARCHIVED.sub("", file.name).removesuffix(".jsonl")
    found = _found(name, str(file), lambda counts: lines.rows(file, counts, 0, end), counts, end=end)
    yield _archived(found) if ".jsonl.deleted." in file.name else found


def grown(file: Path, counts: Counts, growth: Growth) -> Found:
    """What is new in a file, where each entry stands behind the one before it."""
    state, end = growth.state, size_of(file)
    rows: _Rows = lambda counts: lines.rows(file, counts, growth.end, end)  # noqa: E731 - as in ``read``
    session = Session(growth.key, source=str(file), metadata={"model": state["model"]})
    told, tree = Told(**state["told"]), Tree.going_on(state["leaf"], state["end"])
    names: list[str] = []
    for _, row in rows(counts):
        if isinstance(row, dict) and string(row.get("type")):
            if row["type"] == "session" or not tree.goes_on(row):
                raise NotGrown
            names.append(tree.add(row))
            _note(session, told, row)
    changed = state["unsettled"] or session.metadata["model"] != state["model"]
    messages = _messages(rows, counts, told, names, tree.states())
    return Found(session, messages, (), end, partial(_state, session, told, tree, changed))


def _state(session: Session, told: Told, tree: Tree, unsettled: bool) -> dict[str, Any] | None:
    """What must be known to read what will be added; that another model talks waits for the rest of the source."""
    if tree.leaf is None or not tree.is_whole:
        return None
    model = session.metadata.get("model")
    return {"leaf": tree.leaf, "end": tree.end, "told": asdict(told), "model": model, "unsettled": unsettled}


def _archived(found: Found) -> Found:
    """A conversation that was deleted where it was held."""

    def hidden() -> Iterator[Message]:
        for message in found.messages:
            message.state = "hidden"
            yield message

    return Found(found.session, hidden())


def _found(
    name: str, source: str, rows: _Rows, counts: Counts, key: str | None = None, end: int | None = None
) -> Found:
    session = Session("", source=source, metadata={"agent": "pi" if ".pi" in Path(source).parts else "openclaw"})
    told, tree = Told(), Tree()
    names: list[str] = []
    for _, row in rows(counts):
        if isinstance(row, dict) and string(row.get("type")):
            if row["type"] == "session":
                name = _describe(session, row) or name
            else:
                names.append(tree.add(row))
                _note(session, told, row)
    session.key = f"{NAME}:{storable(name)}"
    if key is None and (entry := _entry(Path(source).with_name("sessions.json"), name)):
        key, title = entry
        session.title = session.title or title
    told.of_key(key)
    session.metadata |= {"session_key": key or None, "kind": told.kind}
    messages = _messages(rows, counts, told, names, tree.states())
    return Found(session, messages, (), end, partial(_state, session, told, tree, False))


def _describe(session: Session, row: dict[str, Any]) -> str | None:
    """What the header says; returns the name of the session."""
    widen(session, moment(row.get("timestamp")))
    session.project = session.project or string(row.get("cwd"))
    parent = string(row.get("parentSession")) or string(row.get("branchedFrom"))
    session.metadata |= {"parent_session": parent} if parent else {}
    return string(row.get("id"))


def _note(session: Session, told: Told, row: dict[str, Any]) -> None:
    """What an entry says of its session."""
    widen(session, moment(row.get("timestamp")))
    if row["type"] == "session_info":
        session.title = string(row.get("name")) or session.title
    elif row["type"] == "message":
        message = record(row.get("message"))
        told.of_first(message)
        if model := string(message.get("model")):
            session.metadata["model"] = model


def _messages(
    rows: _Rows, counts: Counts, told: Told, names: list[str], states: Mapping[str, State]
) -> Iterator[Message]:
    occurrences: dict[str, int] = {}
    done: set[str] = set()
    place = 0
    for offset, row in rows(Counts()):
        if not isinstance(row, dict) or not string(row.get("type")):
            counts.quarantine(offset, "not an entry of a session")
            continue
        if row["type"] == "session":
            counts.kept += 1
            continue
        if place == len(names):  # it was written after the first pass
            return
        name, place = names[place], place + 1
        try:
            made = [] if name in done else openclaw_messages.messages(row, told)
        except openclaw_messages.NoMessage as problem:
            counts.quarantine(offset, str(problem))
            continue
        done.add(name)
        for number, message in enumerate(made):
            message.state = states.get(name, message.state)
            if name.startswith("\x00"):
                message.identity = derived_identity(message, occurrences)
            else:
                message.identity = f"{name}#{number}" if number else name
                message.parent = string(row.get("parentId"))
        if made or row["type"] == "session_info":
            counts.kept += 1
            yield from made
        else:
            counts.skipped += 1


def _entry(path: Path, name: str) -> tuple[str, str | None] | None:
    """The key and the title that the list of sessions in a folder gives to one."""
    with suppress(OSError, WorkbenchError):
        return _store(path, path.stat().st_mtime_ns).get(name)
    return None


@lru_cache(maxsize=4)
def _store(path: Path, mtime_ns: int) -> dict[str, tuple[str, str | None]]:
    """The key and the title of each session in ``sessions.json``, as it was at ``mtime_ns``."""
    found = {}
    for key, entry in record(documents.load(path, Counts())).items():
        if name := string(record(entry).get("sessionId")):
            titles = (string(entry.get(field)) for field in ("label", "displayName", "subject"))
            found[name] = (key, next((title for title in titles if title), None))
    return found


def _database(path: Path, counts: Counts) -> Iterator[Found]:
    """The sessions that OpenClaw keeps in the database of an agent."""
    with foreign_db.read(path) as connection:
        names = [row[0] for row in connection.execute("SELECT DISTINCT session_id FROM transcript_events ORDER BY 1")]
        keys: dict[str, str] = {}
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'session_windows'").fetchone():
            keys = dict(connection.execute("SELECT session_id, session_key FROM session_windows"))
        for name in names:
            rows = partial(_events, connection, name)
            yield _found(str(name), str(path), rows, counts, str(keys.get(name) or ""))


def _events(connection: sqlite3.Connection, name: str, counts: Counts) -> Iterator[tuple[int, Json]]:
    """The entries of one session in a database."""
    numbers = connection.execute("SELECT seq FROM transcript_events WHERE session_id = ? ORDER BY seq", (name,))
    keys = [(name, row[0]) for row in numbers]
    sql = "SELECT event_json FROM transcript_events WHERE session_id = ? AND seq = ?"
    for (_, number), row in rows_of(connection, sql, keys, counts):
        try:
            yield number, lines.parse(row[0].encode("utf-8", "replace"))
        except (AttributeError, ValueError, RecursionError):
            counts.quarantine(number, f"event {number} of {name} is compressed, or no JSON")


_SESSION_NAMES = ("????????-????-????-????-????????????", "????????-????-????-????-????????????-topic-*")
_HOMES = ((".openclaw", "OPENCLAW_STATE_DIR"), (".clawdbot", "CLAWDBOT_STATE_DIR"))
_PLACES = (
    *(
        Place(home, "agents/*/sessions", f"{name}.jsonl{end}", variable)
        for home, variable in _HOMES
        for name in _SESSION_NAMES
        for end in ("", ".reset.*")
    ),
    Place(".openclaw", "agents/*/agent", "openclaw-agent.sqlite", "OPENCLAW_STATE_DIR"),
    Place(".pi/agent", "sessions", variable="PI_CODING_AGENT_DIR"),
)
IMPORTER = Importer(NAME, sniff, read, _PLACES, beside=log_beside, grown=grown)
