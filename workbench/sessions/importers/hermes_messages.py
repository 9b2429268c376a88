"""What Hermes Agent's messages say, and who said it: rows of its database, of its exports and of its session files are
alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from workbench.sessions import harness
from workbench.sessions.importers import claude_blocks, lines
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.values import call, dumps, mark, moment, record, sequence, string, tokens
from workbench.sessions.model import Message, Origin, Role, State
from workbench.text import sha256

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}
# What Hermes writes in the person's name.
_INJECTED = (
    "[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[SYSTEM:", "[System note:", "[IMPORTANT:", "[ASYNC DELEGATION",
    "Review the conversation above and ",
)  # fmt: skip
_STATES: dict[str, State] = {"compacted": "compacted", "rewound": "withdrawn"}
_SHOWN_LESS: tuple[State, ...] = ("active", "compacted", "withdrawn", "hidden")
_CRON = re.compile(r"cron_.+_\d{8}_\d{6}")


@dataclass(slots=True)
class _Seen:
    """A message of which a source may hold copies: compaction writes what it keeps down again."""

    row: Any
    state: State


def kind_of(name: str, session: dict[str, Any]) -> Origin | None:
    """The program that talks in a session, where it is no person."""
    source = string(session.get("source")) or string(session.get("platform")) or ""
    if source in ("cron", "webhook") or _CRON.fullmatch(name):
        return "automation"
    config = session.get("model_config")
    config = record(parsed(config) if isinstance(config, str) else config)
    parent = string(session.get("parent_session_id"))
    delegated = parent is not None and config.get("_delegate_from") == parent
    return "subagent" if source in ("subagent", "delegate", "tool") or delegated else None


def told(places: Iterable[Any], fetch: Callable[[Any], Json], kind: Origin | None, counts: Counts) -> Iterator[Message]:
    """The messages at ``places``, each once, as active as any of its copies.

    :param fetch: the row at a place; it is asked again for each message that is told.
    """
    seen: dict[str, _Seen] = {}
    for number, place in enumerate(places):
        row = fetch(place)
        if not is_message(row):
            counts.quarantine(number, "not a message")
            continue
        copy = seen.setdefault(_copy_key(row), _Seen(place, "hidden"))
        copy.state = min(copy.state, _state(row), key=_SHOWN_LESS.index)
        counts.skipped += copy.row is not place
    occurrences: dict[str, int] = {}
    done: set[str] = set()
    for copy in seen.values():
        row = fetch(copy.row)
        made = messages(row, kind, occurrences) if is_message(row) else []  # it may have gone by now
        counts.kept += bool(made)
        counts.skipped += not made
        for message in made:
            message.state = copy.state
            if message.identity not in done:
                done.add(message.identity)
                yield message


def is_message(row: Json) -> bool:
    """Whether a row says who speaks."""
    return isinstance(row, dict) and str(row.get("role")).lower() in _ROLES


def messages(row: dict[str, Any], kind: Origin | None, occurrences: dict[str, int]) -> list[Message]:
    """The messages of a row: mostly one."""
    role = _ROLES[str(row.get("role")).lower()]
    text = _text(row.get("content") if "content" in row else row.get("text"))
    made = Message("", role, _origin(row, role, kind, text), text, moment(row.get("timestamp")), _state(row))
    made.tool_call_id = string(row.get("tool_call_id"))
    made.name = (string(row.get("tool_name")) or string(row.get("name"))) if role == "tool" else None
    if role == "assistant":
        made.thinking = string(row.get("reasoning")) or string(row.get("reasoning_content"))
        made.tool_calls = [_call(each) for each in _calls(row) if isinstance(each, dict)] or None
        made.usage = tokens(output=row.get("token_count"))
        made.model = string(row.get("model"))
    several = [made] if text.strip() or made.thinking or made.tool_calls or role == "tool" else []
    results = [each for each in sequence(row.get("tool_results")) if isinstance(each, dict)]
    if results:  # as archives hold them, in place of the text
        several = [] if role == "tool" and not text.strip() else several
        several += [_result(each, made) for each in results]
    name = string(row.get("message_id"))
    for number, message in enumerate(several):
        message.identity = (f"{name}#{number}" if number else name) if name else _identity(message, occurrences)
    return several


def _identity(message: Message, occurrences: dict[str, int]) -> str:
    """A name that is the same wherever a message is written down: Hermes numbers them anew when it rewrites a session,
    and its files give them other times than its database."""
    calls = "\x1f".join(str(each["id"] or each["function"]) for each in message.tool_calls or ())
    digest = sha256("\x1f".join((message.role, message.content, message.tool_call_id or "", calls)))[:32]
    count = occurrences[digest] = occurrences.get(digest, -1) + 1
    return f"derived:{digest}:{count}"


def _copy_key(row: dict[str, Any]) -> str:
    """What the copies of a message share, as Hermes itself sees it."""
    if name := string(row.get("message_id")):
        return name
    parts = (row.get(key) for key in ("role", "content", "timestamp", "tool_call_id", "tool_calls"))
    return sha256("\x1f".join(dumps(part) for part in parts))


def _state(row: dict[str, Any]) -> State:
    if row.get("display_kind") == "hidden":
        return "hidden"
    if row.get("active") == 0:
        return "compacted" if row.get("compacted") else "withdrawn"
    return _STATES.get(str(row.get("state")), "active")


def _origin(row: dict[str, Any], role: Role, kind: Origin | None, text: str) -> Origin:
    if role == "system":
        return "harness"
    if role == "tool":
        return "subagent" if kind == "subagent" else "tool"
    if kind is not None:
        return kind
    if role == "assistant":
        return "harness" if row.get("_compressed_summary") else "assistant"
    # What was said in a group before the agent was called (observed) is mostly not said by the person.
    injected = row.get("display_kind") or row.get("_compressed_summary") or row.get("observed")
    return "harness" if injected or text.lstrip().startswith(_INJECTED) or harness.is_harness(text) else "user"


def _text(content: Json) -> str:
    if not isinstance(content, list):
        return claude_blocks.joined(claude_blocks.split(content).said)
    said = []
    for part in content:
        kind = str(part.get("type")).lower() if isinstance(part, dict) else ""
        if kind.endswith(("image", "image_url", "audio")):
            said.append(mark("audio" if kind.endswith("audio") else "image"))
        else:
            said += claude_blocks.split([part]).said
    return claude_blocks.joined(said)


def _calls(row: dict[str, Any]) -> list[Any]:
    calls = row.get("tool_calls")
    return sequence(parsed(calls) if isinstance(calls, str) else calls)


def _call(made: dict[str, Any]) -> dict[str, Any]:
    function = record(made.get("function")) or made
    arguments = next((function[key] for key in ("arguments", "arguments_json", "input") if key in function), None)
    name = string(function.get("name")) or string(function.get("tool_name")) or function.get("function_name")
    identity = next(
        (made[key] for key in ("id", "action_id", "tool_call_id", "call_id") if string(made.get(key))), None
    )
    return call(identity, name, arguments)


def _result(result: dict[str, Any], beside: Message) -> Message:
    identity = string(result.get("action_id")) or string(result.get("tool_call_id"))
    text = _text(result.get("output_preview", result.get("content")))
    origin: Origin = "subagent" if beside.origin == "subagent" else "tool"
    return Message("", "tool", origin, text, beside.timestamp, beside.state, tool_call_id=identity)


def parsed(text: str) -> Json:
    """The JSON value that stands in a column; the text itself where it is none."""
    try:
        return lines.parse(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return text
