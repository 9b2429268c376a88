"""What an entry of an OpenClaw or pi session says, and who said it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from workbench.errors import WorkbenchError
from workbench.sessions import harness
from workbench.sessions.importers import claude_blocks
from workbench.sessions.importers.claude_blocks import Parts
from workbench.sessions.importers.lines import Json
from workbench.sessions.importers.values import call, mark, moment, record, sequence, string, tokens
from workbench.sessions.model import Message, Origin, State

# Where a message came from, before the words of the person: notes of the gateway, then blocks that describe the sender,
# the thread, what was quoted.
_ENVELOPE = re.compile(
    r"(?:System: \[[^\n]*(?:\n|$)\s*|[A-Z][^\n(]{0,80} \(untrusted[^)\n]{0,60}\):\n```json\n.*?\n```\s*)+", re.DOTALL
)
_STAMP = r"(?:\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d[^\]\n]{0,40}\] )?"
_AUTOMATIC = re.compile(rf"{_STAMP}(?:\[cron:[^\]\n]+\]|Read HEARTBEAT\.md if it exists|\[OpenClaw heartbeat poll\])")
_TASK = re.compile(rf"{_STAMP}\[Subagent (?:Context|Task)\]")
_OTHER_SESSION = "[Inter-session message]"
_NOTHING_TO_DO = "HEARTBEAT_OK"


class NoMessage(WorkbenchError):
    """An entry that ought to be a message and is none."""


@dataclass(slots=True)
class Told:
    """Who talks in a session.

    :param kind: subagent or automation, where no person does.
    :param automatic: the turn that is being read was begun by a program.
    """

    kind: Origin | None = None
    begun: bool = False
    automatic: bool = False

    def of_key(self, key: str | None) -> None:
        """A session's key says which program began it."""
        rest = re.sub(r"^agent:[^:]*:", "", (key or "").lower())
        if rest.startswith("subagent:") or ":subagent:" in rest:
            self.kind = "subagent"
        elif rest.startswith(("cron:", "hook:")) or rest.endswith(":heartbeat"):
            self.kind = "automation"

    def of_first(self, message: dict[str, Any]) -> None:
        """The first message says whether the session is the task of a subagent."""
        if not self.begun and message.get("role") == "user":
            self.begun = True
            if _TASK.match(_text(message.get("content"))):
                self.kind = "subagent"

    def user(self, message: dict[str, Any], text: str) -> Origin:
        """Who speaks as the user; from here on the turn is theirs."""
        provenance = record(message.get("provenance"))
        source = provenance.get("kind")
        self.automatic = bool(_AUTOMATIC.match(text) or provenance.get("jobId"))
        if self.kind or self.automatic:
            return self.kind or "automation"
        if source in ("inter_session", "internal_system") or text.startswith(_OTHER_SESSION):
            return "harness"
        return "harness" if harness.is_harness(text) else "user"

    def assistant(self, text: str) -> Origin:
        """Who speaks as the assistant."""
        if self.kind:
            return self.kind
        return "automation" if self.automatic or text.strip(" *_`\n") == _NOTHING_TO_DO else "assistant"


def messages(row: dict[str, Any], told: Told) -> list[Message]:
    """The messages of an entry.

    :raises NoMessage: when it ought to be one, and is none.
    """
    kind, time = row["type"], moment(row.get("timestamp"))
    if kind == "message":
        message = row.get("message")
        if not isinstance(message, dict):
            raise NoMessage("a message without a message")
        made = _messages(message, told)
        for each in made:
            each.timestamp = time or moment(message.get("timestamp"))
        return made
    if kind == "custom_message":
        return [_injected(row, time)] if _text(row.get("content")).strip() else []
    if kind in ("compaction", "branch_summary") and (summary := string(row.get("summary"))):
        return [Message("", "system", "harness", summary, time)]
    return []


def _messages(message: dict[str, Any], told: Told) -> list[Message]:
    role = str(message.get("role")).lower()
    if role == "user":
        return _user(message, told)
    if role == "assistant":
        return _assistant(message, told)
    if role in ("toolresult", "tool"):
        call_id, name = string(message.get("toolCallId")), string(message.get("toolName"))
        text = _text(message.get("content"))
        return [Message("", "tool", _of_tool(told), text, tool_call_id=call_id, name=name)]
    if role == "bashexecution":
        text = f"$ {string(message.get('command')) or ''}\n{string(message.get('output')) or ''}"
        return [Message("", "tool", _of_tool(told), text, name="bash")]
    if role in ("custom", "hookmessage"):
        return [_injected(message, None)] if _text(message.get("content")).strip() else []
    if role in ("branchsummary", "compactionsummary", "system", "developer"):
        text = string(message.get("summary")) or _text(message.get("content"))
        return [Message("", "system", "harness", text)] if text.strip() else []
    raise NoMessage(f"a message of an unknown role: {role[:40]}")


def _user(message: dict[str, Any], told: Told) -> list[Message]:
    text = _text(message.get("content"))
    if not text.strip():
        return []
    envelope = _ENVELOPE.match(text)
    said = text[envelope.end() :] if envelope else text
    made = [Message("", "user", told.user(message, said), said)] if said.strip() else []
    if envelope:
        made.append(Message("", "user", "harness", text[: envelope.end()].rstrip()))
    return made


def _assistant(message: dict[str, Any], told: Told) -> list[Message]:
    parts = _parts(message.get("content"))
    text = claude_blocks.joined(parts.said)
    made = Message("", "assistant", told.assistant(text), text)
    made.thinking = claude_blocks.joined(parts.thinking) or None
    made.tool_calls = parts.calls or None
    if not text.strip() and made.thinking is None and made.tool_calls is None:
        return []
    usage = record(message.get("usage"))
    made.model = string(message.get("model"))
    made.usage = tokens(
        input=usage.get("input"),
        output=usage.get("output"),
        cache_read=usage.get("cacheRead"),
        cache_write=usage.get("cacheWrite"),
        reasoning=usage.get("reasoning"),
    )
    return [made]


def _injected(message: dict[str, Any], time: str | None) -> Message:
    """What an extension says to the model."""
    state: State = "hidden" if message.get("display") is False else "active"
    return Message("", "user", "harness", _text(message.get("content")), time, state)


def _of_tool(told: Told) -> Origin:
    return "subagent" if told.kind == "subagent" else "tool"


def _text(content: Json) -> str:
    return claude_blocks.joined(_parts(content).said)


def _parts(content: Json) -> Parts:
    """The blocks of a content; those that Claude has too are read as its are."""
    if not isinstance(content, list):
        return claude_blocks.split(content)
    parts = Parts()
    for block in sequence(content):
        kind = str(block.get("type")).lower() if isinstance(block, dict) else ""
        if kind == "toolcall":
            parts.calls.append(call(block.get("id"), block.get("name"), block.get("arguments")))
        elif kind == "image":
            parts.said.append(mark("image", block.get("mimeType")))
        elif kind == "toolresult":
            parts.said.append(string(block.get("text")) or _text(block.get("content")))
        else:
            inner = claude_blocks.split([block])
            parts.said += inner.said
            parts.thinking += inner.thinking
            parts.calls += inner.calls
    return parts
