"""What one row of a Codex rollout says: messages, thoughts, calls of tools and their results.

Most of it is written down twice, as the item that the model saw and as the event that the screen showed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from workbench.sessions import harness
from workbench.sessions.importers import claude_blocks
from workbench.sessions.importers.lines import Json
from workbench.sessions.importers.values import call, dumps, mark, record, sequence, string
from workbench.sessions.model import Message, Origin, Role
from workbench.text import sha256

# The ways in which a row tells a message.
MODEL, SCREEN, ITEM = range(3)
SUMMARY_PREFIX = "Another language model started to solve this problem and produced a summary"
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}
_ORIGINS: dict[Role, Origin] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "harness"}
# What Codex says in the person's name without a tag around it; the summaries and warnings are of older versions.
_CONTEXT = (
    "# AGENTS.md instructions",
    SUMMARY_PREFIX,
    "You are performing a CONTEXT CHECKPOINT COMPACTION",
    "You have exceeded the maximum number of tokens, please stop coding and instead write a short memento",
    "You were originally given instructions from a user over one or more turns",
    "Warning: The maximum number of unified exec processes you can keep open is",
    "Warning: apply_patch was requested via",
    "Warning: Your account was flagged for potentially high-risk cyber activity",
)
_IMAGE_TAG = re.compile(r"\s*<(?:/image|image(?: name=([^>]{1,200}))?)>\s*")
_ANSWERS = re.compile(r"(.+)_output")


@dataclass(slots=True)
class Draft:
    """A message as one row tells it, its identity still open.

    :param key: a hash of what is the same however the message is told.
    :param channel: which way it is told.
    :param asks: it is a request to the agent: a turn begins with it.
    """

    message: Message
    key: str
    channel: int = MODEL
    asks: bool = False


@dataclass(slots=True)
class _Content:
    """The parts of a message as text, and which of them are texts."""

    shown: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def response(payload: dict[str, Any]) -> list[Draft]:
    """The messages of an item that the model saw, or made."""
    kind = str(payload.get("type") or "message").lower()
    if kind == "message" and isinstance(payload.get("role"), str):
        return _spoken(payload["role"].lower(), _content(payload.get("content")), MODEL)
    if kind == "agent_message":
        return from_agent(payload)
    if kind == "reasoning":
        return _thoughts([*sequence(payload.get("summary")), *sequence(payload.get("content"))], MODEL)
    if kind.endswith("_call"):
        return [_call(kind, payload)]
    if answers := _ANSWERS.fullmatch(kind):
        return [_result(answers[1], payload)]
    return []


def event(payload: dict[str, Any]) -> list[Draft]:
    """The messages of an event that the screen showed."""
    kind = str(payload.get("type")).lower()
    if kind == "user_message":
        content = _content(payload.get("message"))
        for image in [*sequence(payload.get("images")), *sequence(payload.get("local_images"))]:
            content.shown.append(_image(image))
        return _spoken("user", content, SCREEN, injected=payload.get("kind") not in (None, "plain"))
    if kind == "agent_message":
        return _spoken("assistant", _content(payload.get("message")), SCREEN)
    if kind in ("agent_reasoning", "agent_reasoning_raw_content"):
        return _thoughts([payload.get("text")], SCREEN)
    return _item(record(payload.get("item"))) if kind == "item_completed" else []


def from_agent(payload: dict[str, Any]) -> list[Draft]:
    """What another agent said to this one."""
    drafts = _spoken("user", _content(payload.get("content")), MODEL)
    for draft in drafts:
        draft.message.origin = "subagent"
        draft.message.name = string(payload.get("author"))
    return drafts


def summary(payload: dict[str, Any]) -> Draft:
    """What the agent was told of the messages that were compacted away."""
    left = [item.message.content for item in replacement(payload)]
    texts = (string(payload.get("message")), *(text for text in left if text.startswith(SUMMARY_PREFIX)))
    text = next(filter(None, texts), "Conversation compacted")
    return Draft(Message("", "system", "harness", text), key("compacted", text))


def replacement(payload: dict[str, Any]) -> Iterable[Draft]:
    """What was left of the history when it was compacted, as far as it is told."""
    for item in sequence(payload.get("replacement_history")):
        yield from response(item) if isinstance(item, dict) else ()


def said_key(role: str, texts: Iterable[str]) -> str:
    """The key of something said; white space differs between the ways of telling it."""
    return key(role, "".join("".join(texts).split()))


def key(kind: str, what: str) -> str:
    """The key of a message."""
    return sha256(f"{kind}\x1f{what}")[:32]


def _item(item: dict[str, Any]) -> list[Draft]:
    kind = str(item.get("type")).lower().replace("_", "")
    content = item.get("content") if item.get("content") is not None else item.get("text")
    if kind == "usermessage":
        return _spoken("user", _content(content), ITEM)
    if kind in ("agentmessage", "plan"):
        return _spoken("assistant", _content(content), ITEM)
    if kind == "reasoning":
        return _thoughts([*_several(item.get("summary_text")), *_several(item.get("raw_content"))], ITEM)
    return []  # what tools do is told by the items that the model saw


def _spoken(name: str, content: _Content, channel: int, injected: bool = False) -> list[Draft]:
    role = _ROLES.get(name, "system")
    text = claude_blocks.joined(content.shown)
    if not text.strip():
        return []
    if role != "user":
        return [Draft(Message("", role, _ORIGINS[role], text), said_key(role, content.texts), channel)]
    said = [] if injected else [text for text in content.texts if not is_context(text)]
    asks = bool(said) or not content.texts  # an image alone is said, too
    message = Message("", role, "user" if asks else "harness", text)
    return [Draft(message, said_key(role, said or content.texts), channel, asks)]


def _thoughts(pieces: list[Json], channel: int) -> list[Draft]:
    """One message a piece: events tell them one by one, items together."""
    drafts = []
    for piece in pieces:
        text = string(piece.get("text") if isinstance(piece, dict) else piece)
        if text:
            message = Message("", "assistant", "assistant", "", thinking=text)
            drafts.append(Draft(message, said_key("thinking", [text]), channel))
    return drafts


def _call(kind: str, payload: dict[str, Any]) -> Draft:
    identity = string(payload.get("call_id")) or string(payload.get("id"))
    name, space = string(payload.get("name")) or kind.removesuffix("_call"), string(payload.get("namespace"))
    arguments = _first(payload, "arguments", "input", "action", "revised_prompt")
    made = call(identity, f"{space}.{name}" if space else name, arguments)
    text = mark("image") if kind == "image_generation_call" else ""
    message = Message("", "assistant", "assistant", text, tool_calls=[made])
    return Draft(message, key("call", identity or dumps(made)))


def _result(kind: str, payload: dict[str, Any]) -> Draft:
    identity = string(payload.get("call_id"))
    text = _output(_first(payload, "output", "result", "tools"))
    name = None if kind in ("function_call", "custom_tool_call") else kind.removesuffix("_call")
    message = Message("", "tool", "tool", text, tool_call_id=identity, name=name)
    return Draft(message, key("result", identity or text))


def _output(value: Json) -> str:
    if isinstance(value, dict) and isinstance(value.get("content"), str | list):
        value = value["content"]  # beside "success"
    if isinstance(value, list) and all(isinstance(part, dict) and "type" in part for part in value):
        return claude_blocks.joined(_content(value).shown)
    return "" if value is None else dumps(value)


def _content(value: Json) -> _Content:
    content, name = _Content(), None
    for part in _several(value):
        kind, text = "text", part
        if isinstance(part, dict):
            kind, text = str(part.get("type") or "text").lower(), part.get("text") or part.get("refusal")
        if isinstance(text, str):
            tag = _IMAGE_TAG.fullmatch(text)
            name = tag[1] if tag else name
            if not tag and text:
                content.shown.append(text)
                content.texts.append(text)
        elif kind.endswith("image"):
            content.shown.append(mark("image", name) if name else _image(part))
            name = None
        elif isinstance(part, dict) and kind != "encrypted_content" and "text" not in kind:
            kind = kind.removeprefix("input_")
            content.shown.append(mark(kind, _first(part, "filename", "name")))
    return content


def is_context(text: str) -> bool:
    """Whether a text in the person's name is Codex's own."""
    return text.lstrip().startswith(_CONTEXT) or harness.is_harness(text)


def _image(value: Json) -> str:
    """The mark of an image: its name, unless it stands there whole."""
    if isinstance(value, dict):
        value = value.get("image_url") or value.get("path")
    value = value.get("url") if isinstance(value, dict) else value
    if not isinstance(value, str) or value[:5].lower() == "data:":
        return mark("image")
    return mark("image", re.split(r"[/\\]", value.split("?")[0])[-1])


def _first(payload: dict[str, Any], *names: str) -> Json:
    """The first of several fields that holds something."""
    return next((payload[name] for name in names if payload.get(name) is not None), None)


def _several(value: Json) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
