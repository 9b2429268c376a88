"""Small transcripts written for these tests, and what a home holds of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench import db
from workbench.home import Home
from workbench.sessions import index
from workbench.sessions.discover import Source
from workbench.sessions.ingest import ingest
from workbench.sessions.report import IngestReport

SESSION = "5e551071-0000-4000-8000-000000000001"
KEY = f"claude-code:{SESSION}"


def row(kind: str, content: Any, uuid: str | None = None, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    """A row of Claude Code as it writes them; ``message`` fields go in ``message={…}``."""
    message = {"role": kind, "content": content, **fields.pop("message", {})}
    base = {"type": kind, "sessionId": SESSION, "cwd": "/home/ada/engine", "timestamp": "2026-03-01T10:00:00.000Z"}
    ids = {"parentUuid": parent} | ({"uuid": uuid} if uuid else {})
    return {**base, **ids, "isSidechain": False, "message": message, **fields}


def user(text: Any, uuid: str | None = None, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    """A row of the person, or of the harness in the person's name."""
    return row("user", text, uuid, parent, **fields)


def assistant(text: str, uuid: str | None = None, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    """An answer of one text block."""
    return row("assistant", [{"type": "text", "text": text}], uuid, parent, **fields)


def call(name: str, uuid: str, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    """A call of a tool; its id is ``call-<uuid>``."""
    block = {"type": "tool_use", "id": f"call-{uuid}", "name": name, "input": {"path": "a.py"}}
    return row("assistant", [block], uuid, parent, **fields)


def result(of: str, text: Any, uuid: str, parent: str | None = None) -> dict[str, Any]:
    """The result of the call in row ``of``."""
    return user([{"type": "tool_result", "tool_use_id": f"call-{of}", "content": text}], uuid, parent)


def dump(rows: Iterable[Any]) -> bytes:
    """Rows as JSON lines; bytes go in as they are."""
    return b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in rows)


def write(path: Path, rows: Iterable[Any]) -> Path:
    """Rows as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dump(rows))
    return path


def take(home: Home, *paths: Path) -> IngestReport:
    """Ingest files."""
    return ingest(home, [Source(path) for path in paths])


def stored(home: Home, key: str | None = None) -> list[dict[str, Any]]:
    """The messages of the index, in order."""
    with db.read(home.session_index, index.SCHEMA) as connection:
        where, values = ("WHERE session_key = ?", [key]) if key else ("", [])
        found = connection.execute(f"SELECT * FROM messages {where} ORDER BY session_key, seq", values).fetchall()
    return [dict(message) for message in found]


def said(home: Home, key: str | None = None) -> list[tuple[str, str, str]]:
    """(role, origin, content) of each message."""
    return [(message["role"], message["origin"], message["content"]) for message in stored(home, key)]


def tally(home: Home) -> dict[str, int]:
    """How many messages there are by ``role/origin``, and ``/state`` where it is not active."""

    def name(message: dict[str, Any]) -> str:
        state = message["state"]
        return f"{message['role']}/{message['origin']}" + (f"/{state}" if state != "active" else "")

    return dict(Counter(name(message) for message in stored(home)))


def check_full_text(home: Home) -> None:
    """Raise when the full text and the rows disagree."""
    with db.write(home.session_index, index.SCHEMA) as connection:
        connection.execute("INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 1)")
