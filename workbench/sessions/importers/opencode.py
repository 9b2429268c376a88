"""opencode: a session, its messages and their parts, each a file of its own below ``storage``; since 1.2 rows of
``opencode.db``; and what ``opencode export`` prints.

Built from ``session/message-v2.ts``, ``session/session.sql.ts``, ``storage/json-migration.ts`` and
``cli/cmd/export.ts`` of anomalyco/opencode (sst/opencode before), and ``internal/parser/opencode.go`` of
kenn-io/agentsview.

The file of the session is the source; its messages are read from the folders beside its own.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from workbench import foreign_db
from workbench.errors import WorkbenchError
from workbench.sessions.importers import Found, Importer, Place, Sample, documents, lines, log_beside, opencode_messages
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.opencode_messages import Stored
from workbench.sessions.importers.readable import Readable, opened
from workbench.sessions.importers.values import moment, record, rows_of, sequence, string, widen
from workbench.sessions.model import Session
from workbench.text import storable

NAME = "opencode"
# What a session or message is called: nothing that leads out of the folder.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}")
_COLUMNS = {
    "session": {"id", "parent_id", "directory", "title", "time_created"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "data"},
}


def sniff(sample: Sample) -> bool:
    """The file of a session, an export, or the database by its columns."""
    if sample.tables:
        return all(sample.tables.get(table, frozenset()) >= columns for table, columns in _COLUMNS.items())
    return any(_is_export(row) or _is_session(row) for row in (*sample.rows[:1], *sample.elements))


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The sessions of a database or an export, or the one of a file."""
    with opened(file) as handle:
        is_database = handle.read(16).startswith(b"SQLite format 3")
    if is_database and isinstance(file, Path):
        yield from _database(file, counts)
        return
    for offset, row in documents.items(file, counts):
        if _is_export(row):
            yield _exported(file, row, counts)
        elif _is_session(row) and isinstance(file, Path):
            yield _kept(file, row, counts)
        else:
            counts.quarantine(offset, "not a session, or one whose messages lie elsewhere")


def _is_session(row: Json) -> bool:
    named = isinstance(row, dict) and (string(row.get("id")) or "").startswith("ses_")
    return named and isinstance(row.get("time"), dict) and ("directory" in row or "projectID" in row)


def _is_export(row: Json) -> bool:
    return isinstance(row, dict) and isinstance(row.get("messages"), list) and _is_session(row.get("info"))


def _session(file: Readable, info: dict[str, Any]) -> Session:
    times = record(info.get("time"))
    session = Session(f"{NAME}:{storable(str(info.get('id')))}", string(info.get("title")), source=str(file))
    session.project = string(info.get("directory"))
    widen(session, moment(times.get("created")))
    widen(session, moment(times.get("updated")))
    parent = string(info.get("parentID"))
    session.metadata = {"agent": NAME, "parent_session": parent, "kind": "subagent" if parent else None}
    return session


def _exported(file: Readable, row: dict[str, Any], counts: Counts) -> Found:
    messages = [(place, record(record(each).get("info"))) for place, each in enumerate(row["messages"])]

    def parts_of(message: Stored) -> Iterable[Json]:
        return sequence(record(row["messages"][message.place]).get("parts"))

    return Found(_session(file, row["info"]), opencode_messages.told(messages, parts_of, row["info"], counts))


def _kept(path: Path, info: dict[str, Any], counts: Counts) -> Found:
    """A session whose messages lie in ``message/<session>``, and the parts of each in ``part/<message>``."""
    storage = path.parent.parent.parent
    messages = ((file, _load(file, counts)) for file in _files(storage / "message", info["id"]))

    def parts_of(message: Stored) -> Iterable[Json]:
        return (_load(file, counts) for file in _files(storage / "part", message.name))

    return Found(_session(path, info), opencode_messages.told(messages, parts_of, info, counts))


def _files(folder: Path, name: str) -> list[Path]:
    """The documents in ``folder/name`` in the order of their names, which is that of their making."""
    found = (folder / name).glob("*.json") if _NAME.fullmatch(name) else ()
    return sorted(file for file in found if file.is_file())


def _load(file: Path, counts: Counts) -> Json:
    try:
        return documents.load(file, counts)
    except WorkbenchError as error:
        counts.quarantine(0, str(error))
        return None


def _database(path: Path, counts: Counts) -> Iterator[Found]:
    """The sessions of ``opencode.db``."""
    sql = "SELECT * FROM session WHERE id IS ?"
    with foreign_db.read(path) as connection:
        names = [tuple(row) for row in connection.execute("SELECT id FROM session ORDER BY time_created, id")]
        for (name,), row in rows_of(connection, sql, names, counts):
            values = lines.clean(dict(row))
            info = {
                "id": name,
                "title": values.get("title"),
                "directory": values.get("directory"),
                "parentID": values.get("parent_id"),
                "revert": _data(values.get("revert")),
                "time": {"created": values.get("time_created"), "updated": values.get("time_updated")},
            }
            messages = _rows(connection, "message", "session_id", name, counts)
            parts_of = partial(_parts, connection, counts)
            yield Found(_session(path, info), opencode_messages.told(messages, parts_of, info, counts))


def _parts(connection: sqlite3.Connection, counts: Counts, message: Stored) -> Iterable[Json]:
    return (part for _, part in _rows(connection, "part", "message_id", message.name, counts))


def _rows(
    connection: sqlite3.Connection, table: str, column: str, name: Json, counts: Counts
) -> Iterator[tuple[Any, Json]]:
    """The messages of a session, or the parts of a message, as the files held them."""
    keys = connection.execute(f"SELECT id FROM {table} WHERE {column} IS ? ORDER BY id", (name,)).fetchall()
    found = rows_of(connection, f"SELECT data FROM {table} WHERE id IS ?", [tuple(key) for key in keys], counts)
    for (identity,), row in found:
        yield identity, {**record(_data(row["data"])), "id": identity}


def _data(value: Json) -> Json:
    try:
        return lines.parse(value.encode("utf-8", "replace")) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


_PLACES = (
    Place(".local/share", "opencode/storage/session", "ses_*.json", "XDG_DATA_HOME"),
    Place(".local/share", "opencode", "opencode*.db", "XDG_DATA_HOME", deep=False),
)


def _beside(path: Path) -> Iterable[Path]:
    """The log of a database, or the messages of a session, which are written again as they are completed."""
    return log_beside(path) if path.suffix == ".db" else _files(path.parent.parent.parent / "message", path.stem)


IMPORTER = Importer(NAME, sniff, read, _PLACES, beside=_beside)
