"""The messages of a Claude.ai conversation: text, thinking, calls of tools and their results, attachments."""

from __future__ import annotations

import re
from typing import Any

from workbench.sessions import harness
from workbench.sessions.importers import claude_blocks
from workbench.sessions.importers.lines import Json
from workbench.sessions.importers.values import mark, moment, record, sequence, string
from workbench.sessions.model import Message, Origin, Role

_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}
# What ``text`` says in the place of a block that is in ``content``.
_PLACEHOLDER = re.compile(r"\s*```\s*This block is not supported on your current device yet\.\s*```\s*")
# Blocks that nobody said.
_SILENT = ("token_budget", "flag")
# The parent of a conversation's first message.
ROOT = "00000000-0000-4000-8000-000000000000"


def parent_of(row: dict[str, Any]) -> str | None:
    """The message that a message answers; the nominal root is one, too."""
    return string(row.get("parent_message_uuid"))


def messages(row: dict[str, Any], model: str | None) -> list[Message]:
    """What a row says, and after it the results of the tools it called.

    The first is called by the row's ``uuid``, results ``uuid#1``…; without a ``uuid`` their identity stays empty.

    :param model: that of the conversation, for a row that names none.
    :raises ValueError: when nobody is said to have sent it.
    """
    role = _ROLES.get(str(row.get("sender")).lower())
    if role is None:
        raise ValueError(f"no known sender: {row.get('sender')!r}")
    uuid, timestamp = string(row.get("uuid")) or "", moment(row.get("created_at"))
    parent = parent_of(row)
    parent = None if parent == ROOT else parent
    blocks = row.get("content")
    blocks = blocks if isinstance(blocks, list) else [blocks]
    parts = claude_blocks.split([_spoken(block) for block in blocks if not _is(block, *_SILENT, "tool_result")])
    text = _text(row, parts)
    made: list[Message] = []
    if text.strip() or parts.thinking or parts.calls:
        message = Message(uuid, role, _origin(role, text), text, timestamp, parent=parent)
        message.thinking = claude_blocks.joined(parts.thinking) or None
        message.tool_calls = parts.calls or None
        message.model = (string(row.get("model")) or model) if role == "assistant" else None
        made.append(message)
    for number, block in enumerate((block for block in blocks if _is(block, "tool_result")), 1):
        result = Message(f"{uuid}#{number}" if uuid else "", "tool", "tool", _result(block.get("content")), timestamp)
        result.parent, result.name = parent, string(block.get("name"))
        result.tool_call_id = string(block.get("tool_use_id"))
        made.append(result)
    return made


def _is(block: Json, *kinds: str) -> bool:
    return isinstance(block, dict) and str(block.get("type")).lower() in kinds


def _spoken(block: Json) -> Json:
    """A voice note as the text that was spoken; any other block as it is."""
    if not _is(block, "voice_note"):
        return block
    words = string(block.get("text")) or string(block.get("transcript")) or ""
    return {"type": "text", "text": f"{mark('audio')}\n{words}".strip()}


def _text(row: dict[str, Any], parts: claude_blocks.Parts) -> str:
    """What was said: that of the blocks, else ``text`` (which repeats the blocks, thinking among it); then what was
    attached."""
    pieces = [piece for piece in parts.said if piece.strip()]
    if not pieces and (text := string(row.get("text"))):
        text = _PLACEHOLDER.sub("\n\n", text).strip()
        pieces = [text] if text and _squeezed(text) not in _squeezed("".join(parts.thinking)) else []
    return claude_blocks.joined([*pieces, *_attached(row)]) if pieces or _attached(row) else ""


def _attached(row: dict[str, Any]) -> list[str]:
    """Attachments with what was read out of them, then the files that are not among those."""
    pieces, names = [], set()
    for attachment in map(record, sequence(row.get("attachments"))):
        names.add(name := string(attachment.get("file_name")))
        text = string(attachment.get("extracted_content"))
        if name or text:
            pieces.append(f"{mark('attachment', name)}\n{text or ''}".strip())
    for file in [*sequence(row.get("files")), *sequence(row.get("files_v2"))]:
        name = string(record(file).get("file_name"))
        if name and name not in names:
            names.add(name)
            pieces.append(mark("image" if record(file).get("file_kind") == "image" else "file", name))
    return pieces


def _result(content: Json) -> str:
    """The result of a tool as text; what a search found as its title, its address and its text."""
    if not isinstance(content, list):
        return "\n\n".join(claude_blocks.split(content).said)
    return "\n\n".join(piece for block in content if (piece := _found(block)))


def _found(block: Json) -> str:
    said = claude_blocks.split([block]).said
    if not _is(block, "knowledge"):
        return "\n\n".join(said)
    # What has no text is marked by its kind alone: its title says more.
    lines = [block.get("title"), block.get("url"), block.get("text")]
    return "\n".join(line for line in lines if isinstance(line, str) and line.strip())


def _origin(role: Role, text: str) -> Origin:
    if role == "assistant":
        return "assistant"
    return "harness" if role == "system" or harness.is_harness(text) else "user"


def _squeezed(text: str) -> str:
    return "".join(text.split())
