"""The content of Claude Code rows as messages: text, thinking, tool calls, tool results, images."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import orjson

from workbench.sessions import harness
from workbench.sessions.importers.lines import Json
from workbench.sessions.model import Message, Origin, Role
from workbench.text import storable

_ROLES: dict[str, Role] = {"user": "user", "human": "user", "assistant": "assistant", "system": "system"}
_SYNTHETIC = "<synthetic>"


@dataclass(slots=True)
class Parts:
    """What one row holds: said text, thinking, calls of tools, and results of tools as (call id, text)."""

    said: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[tuple[str | None, str]] = field(default_factory=list)


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


def messages(row: dict[str, Any], identity: str) -> list[Message]:
    """The messages of a user, assistant or system row: results of tools first, then what was said."""
    role = _ROLES.get(str(row.get("type", "")).lower(), "user")
    parts = split(content_of(row))
    sidechain = is_side(row)
    timestamp = time_of(row)
    parent = _string(row.get("parentUuid")) or _string(row.get("logicalParentUuid"))
    made: list[Message] = []

    def name() -> str:
        return f"{identity}#{len(made)}" if made else identity

    for call_id, text in parts.results:
        origin: Origin = "subagent" if sidechain else "tool"
        made.append(Message(name(), "tool", origin, storable(text), timestamp, parent=parent, tool_call_id=call_id))
    text = storable("\n\n".join(piece for piece in parts.said if piece))
    thinking = storable("\n\n".join(piece for piece in parts.thinking if piece))
    if text.strip() or thinking or parts.calls:
        made.append(
            Message(
                name(),
                role,
                origin_of(row, role, text),
                text,
                timestamp,
                parent=parent,
                thinking=thinking or None,
                tool_calls=parts.calls or None,
            )
        )
    return made


def origin_of(row: dict[str, Any], role: Role, text: str) -> Origin:
    """Who really spoke in a row."""
    if role == "system" or row.get("isMeta") or row.get("isCompactSummary"):
        return "harness"
    if is_side(row):
        return "subagent"
    if role == "assistant":
        message = row.get("message")
        synthetic = isinstance(message, dict) and message.get("model") == _SYNTHETIC
        return "harness" if synthetic or row.get("isApiErrorMessage") else "assistant"
    source = row.get("origin")
    if isinstance(source, dict) and source.get("kind") not in (None, "human"):
        return "harness"
    return "harness" if harness.is_harness(text) else "user"


def is_side(row: dict[str, Any]) -> bool:
    """Whether a row belongs to a subagent."""
    return bool(row.get("isSidechain") or row.get("agentId"))


def time_of(row: dict[str, Any]) -> str | None:
    """The timestamp of a row as it was written."""
    value = row.get("timestamp")
    return storable(value) if isinstance(value, str) and value else None


def _take(block: dict[str, Any], parts: Parts) -> None:
    kind = str(block.get("type", "")).lower()
    text = block.get("text")
    if kind == "thinking":
        parts.thinking.append(_string(block.get("thinking")) or "")
    elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        parts.calls.append(_call(block))
    elif kind.endswith("tool_result"):
        parts.results.append((_string(block.get("tool_use_id")), _result_text(block.get("content"))))
    elif isinstance(text, str):
        parts.said.append(text)
    elif kind != "redacted_thinking":
        parts.said.append(_placeholder(kind, block))


def _call(block: dict[str, Any]) -> dict[str, Any]:
    function = {"name": storable(str(block.get("name") or "")), "arguments": _json(block.get("input", {}))}
    return {"id": storable(str(block.get("id") or "")), "type": "function", "function": function}


def _result_text(content: Json) -> str:
    inner = split(content)
    return "\n\n".join([*inner.said, *(text for _, text in inner.results)])


def _placeholder(kind: str, block: dict[str, Any]) -> str:
    source = block.get("source")
    media = source.get("media_type") if isinstance(source, dict) else None
    return f"[{kind or 'block'}: {media}]" if isinstance(media, str) else f"[{kind or 'block'}]"


def _string(value: Json) -> str | None:
    return storable(value) if isinstance(value, str) and value else None


def _json(value: Json) -> str:
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # lone surrogates, integers over 64 bits
        return json.dumps(value)
