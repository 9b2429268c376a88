"""The parts of a Gemini turn, as the API, the CLI and AI Studio write them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbench.sessions import harness
from workbench.sessions.importers import claude_blocks
from workbench.sessions.importers.lines import Json
from workbench.sessions.importers.values import call, dumps, mark, record, sequence, string
from workbench.sessions.model import Message, Origin, Role

CODE_EXECUTION = "code_execution"
# What a part refers to, and what that is where its media type does not tell.
_MEDIA = {
    "inlineData": "file",
    "inlineFile": "file",
    "fileData": "file",
    "inlineImage": "image",
    "inlineAudio": "audio",
    "inlineVideo": "video",
    "driveDocument": "file",
    "driveImage": "image",
    "driveAudio": "audio",
    "driveVideo": "video",
    "youtubeVideo": "video",
}
_KINDS = ("image", "audio", "video")
_NAMES = ("displayName", "name", "title", "fileUri", "id", "mimeType")
_OUTPUTS = ("output", "error", "result", "content")
# What the CLI says in the person's name; nothing of it ends in a way that could be told.
_INJECTED = (
    "This is the Gemini CLI. We are setting up the context",
    "Here is the user's editor context",
    "Here is a summary of changes in the user's editor context",
    "I ran the following shell command:",
    "System: Please continue.",
)
# What the CLI says in the model's name.
_ACKNOWLEDGED = (
    "Got it. Thanks for the context!",
    "Got it. Thanks for the additional context!",
    "Binary content received. Proceeding with analysis.",
)


class Result(NamedTuple):
    """What a tool gave back."""

    call_id: str | None
    name: str | None
    text: str


@dataclass(slots=True)
class Parts:
    """What one turn holds.

    :param said: texts (those that follow one another are one) and marks of what is no text.
    """

    said: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    _open: bool = False

    @property
    def text(self) -> str:
        """What was said, marks on lines of their own."""
        return claude_blocks.joined(self.said)

    def say(self, text: str) -> None:
        """Go on with ``text``."""
        if self._open:
            self.said[-1] += text
        else:
            self.said.append(text)
        self._open = True

    def show(self, sign: str) -> None:
        """Put a mark between the texts."""
        self.said.append(sign)
        self._open = False


def split(content: Json) -> Parts:
    """The parts of a content that may be a text, a part, a list of both, or junk."""
    parts = Parts()
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict):
            _take(part, parts)
        elif part is not None:
            parts.say(part if isinstance(part, str) else dumps(part))
    return parts


def messages(parts: Parts, said: Message) -> list[Message]:
    """``said`` with the thoughts and calls of ``parts``, unless it is empty, and the results, called after it."""
    made: list[Message] = []
    said.thinking = "\n\n".join(parts.thinking) or None
    said.tool_calls = parts.calls or None
    if said.content.strip() or said.thinking or said.tool_calls:
        made.append(said)
    for number, result in enumerate(parts.results, 1):
        made.append(answer(said, result, number))
    return made


def answer(said: Message, result: Result, number: int) -> Message:
    """The message of a tool's result, called after the one that it belongs to."""
    identity = f"{said.identity}#{result.call_id or number}" if said.identity else ""
    origin: Origin = "subagent" if said.origin == "subagent" else "tool"
    message = Message(identity, "tool", origin, result.text, said.timestamp, said.state, said.parent)
    message.tool_call_id, message.name = result.call_id, result.name
    return message


def origin_of(role: Role, text: str) -> Origin:
    """Who really spoke."""
    if role == "assistant":
        return "harness" if text.strip() in _ACKNOWLEDGED else "assistant"
    injected = text.lstrip().startswith(_INJECTED)
    return "harness" if role == "system" or injected or harness.is_harness(text) else "user"


def _take(part: dict[str, Any], parts: Parts) -> None:
    text = part.get("text")
    if isinstance(text, str) and text:
        if part.get("thought") or part.get("isThought"):
            parts.thinking.append(text)
        else:
            parts.say(text)
    for name, kind in _MEDIA.items():
        if isinstance(value := part.get(name), dict):
            parts.show(_mark(kind, value))
    if isinstance(value := part.get("functionCall"), dict):
        parts.calls.append(call(value.get("id"), value.get("name"), value.get("args")))
    if isinstance(value := part.get("executableCode"), dict):
        parts.calls.append(call(value.get("id"), CODE_EXECUTION, value))
    if isinstance(value := part.get("functionResponse"), dict):
        text = "\n\n".join(piece for piece in (_output(value.get("response")), split(value.get("parts")).text) if piece)
        parts.results.append(Result(string(value.get("id")), string(value.get("name")), text))
    if isinstance(value := part.get("codeExecutionResult"), dict):
        text = string(value.get("output")) or string(value.get("outcome")) or ""
        parts.results.append(Result(string(value.get("id")), CODE_EXECUTION, text))


def _output(response: Json) -> str:
    """What a function gave back as text: its output, or all of it."""
    for name in _OUTPUTS:
        if (value := record(response).get(name)) is not None:
            return dumps(value)
    return "" if response is None else dumps(response)


def _mark(kind: str, value: dict[str, Any]) -> str:
    media = (string(value.get("mimeType")) or "").partition("/")[0]
    name = next((found for name in _NAMES if (found := string(value.get(name)))), None)
    return mark(media if media in _KINDS else kind, name)


def usage_of(counts: dict[str, Json]) -> dict[str, int] | None:
    """Token counts, without what is no number."""
    return {name: count for name, count in counts.items() if type(count) is int} or None


def names_of(calls: list[dict[str, Any]]) -> list[str]:
    """What tells calls apart: their ids, else their functions."""
    return [string(made.get("id")) or dumps(made.get("function")) for made in calls]


def listed(value: Json) -> list[dict[str, Any]]:
    """The objects of an array."""
    return [element for element in sequence(value) if isinstance(element, dict)]
