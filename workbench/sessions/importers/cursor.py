"""Cursor: ``~/.cursor/projects/<folder>/agent-transcripts/**/<conversation>.jsonl``, what was said without times, names
of messages or results of tools.

Built from ``internal/parser/cursor.go`` and its tests in kenn-io/agentsview, and from what other public readers note of
the lines that end a turn. What the person typed stands in ``<user_query>``; the other tags are the editor's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.sessions.importers import Found, Importer, Place, Sample, claude_blocks, lines
from workbench.sessions.importers.lines import Counts
from workbench.sessions.importers.readable import Readable
from workbench.sessions.importers.values import widen
from workbench.sessions.model import Message, Session, derived_identity
from workbench.text import storable

NAME = "cursor"
_FOLDER = "agent-transcripts"
_ROLES = ("user", "assistant", "system")
# What rows of other agents have that hold their messages in the same way.
_FOREIGN = ("type", "id", "uuid", "parentId", "sessionId", "payload")


def sniff(sample: Sample) -> bool:
    """Lines with a role beside a message that has content, and nothing that names them."""
    rows = [row for row in sample.rows if isinstance(row, dict)]
    return any(_is_message(row) for row in rows) and all(_is_ours(row) for row in rows)


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The one conversation of a file, which is named after it."""
    session = Session(f"{NAME}:{storable(file.stem)}", source=str(file), metadata={"agent": NAME})
    side = file.parts[-2:-1] == ("subagents",)
    if side:
        session.metadata |= {"kind": "subagent", "parent_session": file.parts[-3]}
    if _FOLDER in file.parts[1:]:
        session.metadata["workspace"] = file.parts[file.parts.index(_FOLDER) - 1]
    for _, row in lines.rows(file, Counts()):
        if isinstance(row, dict):
            widen(session, claude_blocks.time_of(row))
    yield Found(session, _messages(file, counts, side))


def _messages(file: Readable, counts: Counts, side: bool) -> Iterator[Message]:
    occurrences: dict[str, int] = {}
    for offset, row in lines.rows(file, counts):
        if not isinstance(row, dict) or not ("type" in row or _is_message(row)):
            counts.quarantine(offset, "not a message")
            continue
        if "type" in row:  # the end of a turn
            counts.skipped += 1
            continue
        made = claude_blocks.messages({**row, "isSidechain": side}, row["role"].lower(), None)
        for message in made:
            message.identity = derived_identity(message, occurrences)
        counts.kept += bool(made)
        counts.skipped += not made
        yield from made


def _is_message(row: dict[str, Any]) -> bool:
    message, role = row.get("message"), row.get("role")
    return isinstance(message, dict) and "content" in message and isinstance(role, str) and role.lower() in _ROLES


def _is_ours(row: dict[str, Any]) -> bool:
    return row.get("type") == "turn_ended" or not any(name in row for name in _FOREIGN)


_PLACES = (Place(".cursor", f"projects/*/{_FOLDER}"),)
IMPORTER = Importer(NAME, sniff, read, _PLACES)
