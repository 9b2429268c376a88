"""The content of Claude Code rows as messages: text, thinking, tool calls, tool results, images."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import orjson

from workbench.sessions import harness
from workbench.sessions.importers.lines import Json
from workbench.sessions.model import Message, Origin, Role
from workbench.text import one_line

_ROLES: dict[str, Role] = {"user": "user", "human": "user", "assistant": "assistant", "system": "system"}
_SYNTHETIC = "<synthetic>"
_MAX_TITLE = 160


@dataclass(slots=True)
class Parts:
    """What one row holds: said text, thinking, calls of tools, and results of tools as (call id, text)."""

    said: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[tuple[str | None, str]] = field(default_factory=list)


_NOTHING = Parts()


def content_of(row: dict[str, Any]) -> Json:
    """The content of a row, wherever the row keeps it."""
    message = row.get("message")
    if isinstance(message, dict):
        return message.get("content")
    return message if message is not None else row.get("content")


def split(content: Json) -> Parts:
    """The parts of a content that may be a string, a list of blocks, or junk."""
    parts = Parts()
    if isinstance(content, str):
        parts.said.append(content)
    elif isinstance(content, dict):
        _take(content, parts)
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                _take(block, parts)
            elif block is not None:
                parts.said.append(block if isinstance(block, str) else _json(block))
    elif content is not None:
        parts.said.append(_json(content))
    return parts


def has_result(content: Json) -> bool:
    """Whether a content holds the result of a tool."""
    return isinstance(content, list) and any(
        isinstance(block, dict) and str(block.get("type")).lower().endswith("tool_result") for block in content
    )


def joined(pieces: list[str]) -> str:
    """Pieces of text as one, apart by an empty line."""
    return pieces[0] if len(pieces) == 1 else "\n\n".join(piece for piece in pieces if piece)


def messages(row: dict[str, Any], kind: str, uuid: str | None) -> list[Message]:
    """The messages of a row: results of tools first, then what was said.

    The first is called ``uuid``, the others ``uuid#1``…; without a ``uuid`` their identity stays empty.

    :param kind: the type of the row in lower case: user, human, assistant or system.
    """
    role: Role = _ROLES[kind]
    content = content_of(row)
    parts = _NOTHING if isinstance(content, str) else split(content)
    timestamp = _string(row.get("timestamp"))
    parent = _string(row.get("parentUuid")) or _string(row.get("logicalParentUuid"))
    made: list[Message] = []
    for call_id, text in parts.results:
        origin: Origin = "subagent" if is_side(row) else "tool"
        identity = _numbered(uuid, len(made))
        made.append(Message(identity, "tool", origin, text, timestamp, parent=parent, tool_call_id=call_id))
    text = content if isinstance(content, str) else joined(parts.said)
    if parts.calls or parts.thinking or (text and not text.isspace()):
        message = Message(_numbered(uuid, len(made)), role, origin_of(row, role, text), text, timestamp, parent=parent)
        message.thinking = joined(parts.thinking) or None
        message.tool_calls = parts.calls or None
        if text or message.thinking or message.tool_calls:
            made.append(message)
    return made


def origin_of(row: dict[str, Any], role: Role, text: str) -> Origin:
    """Who really spoke in a row."""
    message = row.get("message")
    message = message if isinstance(message, dict) else {}
    if role == "system" or row.get("isMeta") or row.get("isCompactSummary") or _is_of_another(message, role):
        return "harness"
    if is_side(row):
        return "subagent"
    if role == "assistant":
        if message.get("model") == _SYNTHETIC or row.get("isApiErrorMessage"):
            return "harness"
        return "automation" if _is_automatic(row) else "assistant"
    source = row.get("origin")
    if isinstance(source, dict) and source.get("kind") not in (None, "human"):
        return "harness"
    if harness.is_harness(text):
        return "harness"
    return "automation" if _is_automatic(row) else "user"


def _is_of_another(message: dict[str, Any], role: Role) -> bool:
    """Whether a message names another role than its row's type."""
    named = message.get("role")
    return isinstance(named, str) and _ROLES.get(named.lower()) != role


def _is_automatic(row: dict[str, Any]) -> bool:
    """Whether a program drove the session, not a person at a prompt."""
    return row.get("promptSource") == "sdk" or str(row.get("entrypoint")).startswith("sdk")


def is_side(row: dict[str, Any]) -> bool:
    """Whether a row belongs to a subagent."""
    return bool(row.get("isSidechain") or row.get("agentId"))


def time_of(row: dict[str, Any]) -> str | None:
    """The timestamp of a row as it was written."""
    value = row.get("timestamp")
    return value if isinstance(value, str) and value else None


def _numbered(uuid: str | None, number: int) -> str:
    return f"{uuid}#{number}" if uuid and number else uuid or ""


def _take(block: dict[str, Any], parts: Parts) -> None:
    kind = str(block.get("type")).lower()
    if kind == "text" and isinstance(text := block.get("text"), str):
        parts.said.append(text)
    elif kind == "thinking":
        parts.thinking.append(_string(block.get("thinking")) or "")
    elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        parts.calls.append(_call(block))
    elif kind.endswith("tool_result"):
        parts.results.append((_string(block.get("tool_use_id")), _result_text(block.get("content"))))
    elif kind not in ("document", "search_result") and isinstance(text := block.get("text"), str):
        parts.said.append(text)
    elif kind != "redacted_thinking":
        parts.said.append(_placeholder("block" if kind == "none" else kind, block))


def _call(block: dict[str, Any]) -> dict[str, Any]:
    function = {"name": str(block.get("name") or ""), "arguments": _json(block.get("input", {}))}
    return {"id": str(block.get("id") or ""), "type": "function", "function": function}


def _result_text(content: Json) -> str:
    if isinstance(content, str):
        return content
    inner = split(content)
    return "\n\n".join([*inner.said, *(text for _, text in inner.results)])


def _placeholder(kind: str, block: dict[str, Any]) -> str:
    source = block.get("source")
    if kind in ("document", "search_result"):
        title = next((_string(block.get(name)) for name in ("title", "name", "filename") if block.get(name)), None)
        title = title or (source if isinstance(source, str) else None)
        if title:
            return f"[{kind}: {one_line(title.replace('[', '(').replace(']', ')'), _MAX_TITLE)}]"
    media = source.get("media_type") if isinstance(source, dict) else None
    return f"[{kind}: {media}]" if isinstance(media, str) else f"[{kind}]"


def _string(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _json(value: Json) -> str:
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # lone surrogates, integers over 64 bits
        return json.dumps(value)
