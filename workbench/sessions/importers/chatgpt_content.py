"""What one message of a ChatGPT export says, whatever its content type: its text, and marks for what is none."""

from __future__ import annotations

from typing import Any

from workbench.sessions.importers import claude_blocks
from workbench.sessions.importers.lines import Json
from workbench.sessions.importers.values import dumps, mark, record, sequence, string

THOUGHTS = ("thoughts", "reasoning_recap")
# Custom instructions and memories, put into the conversation for the model.
CONTEXT = ("user_editable_context", "model_editable_context")
# The fields that hold the text of a content type, in their order; others hold it in their ``parts``.
_FIELDS: dict[str, tuple[str, ...]] = {
    "code": ("text",),
    "execution_output": ("text",),
    "reasoning_recap": ("content",),
    "tether_quote": ("title", "url", "text"),
    "tether_browsing_display": ("result", "summary"),
    "sonic_webpage": ("title", "url", "text"),
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context", "repo_summary", "structured_context"),
    "system_error": ("name", "text"),
}
_ANY = ("text", "result", "content", "summary")
_POINTER = "_asset_pointer"


def kind_of(message: dict[str, Any]) -> str:
    """The content type of a message in lower case."""
    return str(record(message.get("content")).get("content_type") or "text").lower()


def text_of(message: dict[str, Any]) -> str:
    """All that a message says, its attachments by name."""
    attached = [record(file) for file in sequence(record(message.get("metadata")).get("attachments"))]
    names = {_id(file.get("id")): file.get("name") for file in attached}
    parts = _parts(message.get("content"))
    shown = {_id(part.get("asset_pointer")) for part in parts if isinstance(part, dict)}
    pieces = [_part(part, names) for part in parts]
    if not any(pieces):
        pieces = _fields(kind_of(message), record(message.get("content")))
    pieces += [mark("file", file.get("name")) for file in attached if _id(file.get("id")) not in shown]
    return claude_blocks.joined([piece for piece in pieces if piece] or [""])


def arguments_of(message: dict[str, Any]) -> str:
    """What a tool is asked, as it was written."""
    parts = _parts(message.get("content"))
    return dumps(parts[0]) if len(parts) == 1 and isinstance(parts[0], dict) else text_of(message)


def _parts(content: Json) -> list[Any]:
    if not isinstance(content, dict):
        return content if isinstance(content, list) else [content]
    if str(content.get("content_type")).lower().endswith(_POINTER):
        return [content]
    return sequence(content.get("parts"))


def _part(part: Json, names: dict[str, Json]) -> str:
    if not isinstance(part, dict):
        return part if isinstance(part, str) else ""
    kind = str(part.get("content_type") or "").lower()
    if kind == f"image{_POINTER}":
        identity = _id(part.get("asset_pointer"))
        return mark("image", names.get(identity) or identity)
    if kind.endswith(_POINTER):
        return mark("video" if "video" in kind and not part.get(f"audio{_POINTER}") else "audio")
    if text := string(part.get("text")):  # the words of an audio_transcription, too
        return text
    if text := string(part.get("content")):
        return f"{mark('file', part.get('name'))}\n{text}"
    return "" if "text" in part else mark(kind or "attachment")


def _fields(kind: str, content: dict[str, Any]) -> list[str]:
    """What a content without parts says."""
    if thoughts := [_thought(record(thought)) for thought in sequence(content.get("thoughts"))]:
        return thoughts
    if kind in _FIELDS:
        return ["\n".join(text for name in _FIELDS[kind] if (text := string(content.get(name))))]
    return [text for name in _ANY if (text := string(content.get(name)))][:1]


def _thought(thought: dict[str, Any]) -> str:
    return "\n".join(text for name in ("summary", "content") if (text := string(thought.get(name))))


def _id(pointer: Json) -> str:
    """The id of a file, by which an attachment and a part that shows it are the same."""
    return str(pointer or "").split("://")[-1]
