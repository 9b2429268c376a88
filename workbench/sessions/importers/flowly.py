"""Flowly and nanobot (and our own canonical files): a metadata line, then one message a line.

Built from Nocetic/flowly (flowly/session/manager.py, archive.py) and HKUDS/nanobot (nanobot/session/manager.py,
keys.py, nanobot/config/paths.py), which Flowly comes from. Both name their sessions by channel and chat
(``telegram:12345``). Those of nanobot are told by the ``last_consolidated`` in their first line, or by lying in its
folder, and are called ``nanobot:telegram:12345`` here, so that they stay apart from Flowly's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from workbench.sessions import harness
from workbench.sessions.canonical import key_of
from workbench.sessions.importers import Found, Growth, Importer, Place, Sample, claude_blocks, lines
from workbench.sessions.importers.generic_lines import usage_of
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable, size_of
from workbench.sessions.importers.values import record
from workbench.sessions.model import LEARNABLE, Message, Origin, Role, Session, State, derived_identity
from workbench.text import storable

NAME = "flowly"
_ROLES: tuple[Role, ...] = get_args(Role)
_ORIGINS: tuple[Origin, ...] = get_args(Origin)
_STATES: dict[str, State] = {**{state: state for state in get_args(State)}, "internal_hidden": "hidden"}
_SHOWN_LESS: tuple[State, ...] = ("active", "compacted", "withdrawn", "hidden")
_AUTOMATIC = ("cron:", "dream:", "heartbeat:", "system:")
_NANOBOT, _NANOBOT_FOLDER = "nanobot", ".nanobot"
# What only Flowly and our own canonical files write into a message.
_MARKS = ({"_event_id"}, {"_event_seq"}, {"_archive_state"}, {"identity", "origin"})
# Turns that stand in the name of the person or the model, and are neither's words.
_INJECTED = ("_archive_summary", "_display_hidden", "_hidden_history", "injected_event")
_OWN = ("title", "project", "source")
_FACTS = ("token_totals", "turn_count", "last_turn_usage")


def sniff(sample: Sample) -> bool:
    """A metadata line, or messages with marks of Flowly or of our own."""
    rows = [row for row in sample.rows if isinstance(row, dict)]
    return any(_is_metadata(row) or (_is_message(row) and any(mark <= row.keys() for mark in _MARKS)) for row in rows)


def read(path: Readable, counts: Counts) -> Iterator[Found]:
    """The one session of a file: its key stands in the metadata, else in the file name."""
    session, end = _session(path), size_of(path)
    yield Found(session, _messages(path, counts, session, {}, 0, end), (), end, dict)


def grown(path: Path, counts: Counts, growth: Growth) -> Found:
    """What is new in a file."""
    session, end = _session(path), size_of(path)
    messages = _messages(path, counts, session, growth.occurrences(), growth.end, end)
    return Found(session, messages, (), end, dict)


def _session(path: Readable) -> Session:
    session = Session(storable(key_of(path.stem)), source=str(path))
    nanobot = _NANOBOT_FOLDER in path.parts
    # The metadata is the first line, or missing.
    for _, row in lines.rows(path, Counts()):
        if isinstance(row, dict) and _is_metadata(row):
            _describe(session, row)
            nanobot = nanobot or "last_consolidated" in row
        break
    if nanobot:
        session.key = f"{_NANOBOT}:{session.key.removeprefix(f'{_NANOBOT}:')}"
    session.metadata.setdefault("agent", _NANOBOT if nanobot else NAME)  # the key says the channel
    if path.parts[-4:-3] == ("profiles",) and path.parts[-2] == "sessions":
        session.key += f"@{path.parts[-3]}"  # profiles use the same keys for conversations of their own
    return session


def _messages(
    path: Readable, counts: Counts, session: Session, occurrences: dict[str, int], start: int, end: int
) -> Iterator[Message]:
    for offset, row in lines.rows(path, counts, start, end):
        if isinstance(row, dict) and _is_metadata(row):
            counts.kept += 1
            continue
        if isinstance(row, dict) and isinstance(row.get("_type"), str):  # the state of a provider, an archive
            counts.skipped += 1
            continue
        if not isinstance(row, dict) or not _is_message(row):
            counts.quarantine(offset, "not a message")
            continue
        try:
            message = _message(row, session.key, occurrences)
        except Exception as error:
            counts.quarantine(offset, f"unreadable message: {type(error).__name__} {error}"[:120])
            continue
        counts.kept += 1
        yield message


def _is_metadata(row: dict[str, Any]) -> bool:
    return row.get("_type") == "metadata"


def _is_message(row: dict[str, Any]) -> bool:
    return row.get("role") in _ROLES and ("content" in row or "tool_calls" in row) and "type" not in row


def _describe(session: Session, row: dict[str, Any]) -> None:
    described = record(row.get("metadata"))
    session.key = _string(row.get("key")) or session.key
    session.title = _string(described.get("title"))
    session.project = _string(described.get("project"))
    session.created_at, session.updated_at = _string(row.get("created_at")), _string(row.get("updated_at"))
    # A canonical file says where it was read from; all that stands in it besides is of ours.
    facts = described if "source" in described else {name: described.get(name) for name in _FACTS}
    session.metadata = {name: facts[name] for name in facts if name not in _OWN and facts[name] is not None}


def _message(row: dict[str, Any], key: str, occurrences: dict[str, int]) -> Message:
    content = row.get("content")
    text = content if isinstance(content, str) else "" if content is None else _flat(content)
    calls = row.get("tool_calls")
    message = Message(
        identity=_string(row.get("identity")) or _string(row.get("_event_id")) or "",
        role=row["role"],
        origin=_origin(row, key, text),
        content=text,
        timestamp=_string(row.get("timestamp")),
        state=_state(row),
        parent=_string(row.get("parent")),
        thinking=_string(row.get("thinking")) or _string(row.get("reasoning_content")),
        tool_calls=[call for call in calls if isinstance(call, dict)] if isinstance(calls, list) and calls else None,
        tool_call_id=_string(row.get("tool_call_id")),
        name=_string(row.get("name")),
        model=_string(row.get("model")),
        usage=usage_of(row),
    )
    if not message.identity:
        message.identity = derived_identity(message, occurrences)
    return message


def _state(row: dict[str, Any]) -> State:
    """What a row says of itself; of several claims the one that shows least."""
    claims = [_STATES.get(str(row.get(name)), "active") for name in ("state", "_archive_state")]
    if row.get("_display_hidden") or row.get("_hidden_history"):
        claims.append("hidden")
    return max(claims, key=_SHOWN_LESS.index)


def _origin(row: dict[str, Any], key: str, text: str) -> Origin:
    """Who spoke by role, key and text; what a row claims may take trust away from that, and never gives any."""
    found, claim = _spoke(row, key, text), row.get("origin")
    if found == "automation" or claim not in _ORIGINS or _trust(claim) > _trust(found):
        return found
    origin: Origin = claim
    return origin


def _trust(origin: Origin) -> int:
    return ("assistant", "user").index(origin) + 1 if origin in LEARNABLE else 0


def _spoke(row: dict[str, Any], key: str, text: str) -> Origin:
    key = key.removeprefix(f"{_NANOBOT}:")
    if f"{key}:".startswith(_AUTOMATIC):  # nanobot has a session that is called heartbeat
        return "automation"
    if key.startswith("subagent:"):
        return "subagent"
    if row["role"] == "tool":
        return "tool"
    injected = any(row.get(mark) for mark in _INJECTED)
    if injected or row["role"] == "system" or (row["role"] == "user" and harness.is_harness(text)):
        return "harness"
    return "assistant" if row["role"] == "assistant" else "user"


def _flat(content: Json) -> str:
    """Content given as a list of blocks, as text."""
    parts = claude_blocks.split(content)
    return "\n\n".join([*parts.said, *(text for _, text in parts.results)])


def _string(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


_PLACES = (
    *(Place(".flowly", below, variable="FLOWLY_HOME") for below in ("sessions", "profiles/*/sessions")),
    *(Place(_NANOBOT_FOLDER, below, variable="NANOBOT_HOME") for below in ("workspace/sessions", "sessions")),
)
IMPORTER = Importer(NAME, sniff, read, _PLACES, grown=grown)
