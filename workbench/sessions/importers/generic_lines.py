"""Messages with a role and a content, of no tool that is known: as JSON lines, or as one JSON document.

The shapes are those that programs keep for the interfaces of OpenAI (openai/openai-python,
src/openai/types/chat/chat_completion_message_param.py and its neighbours) and Anthropic
(anthropics/anthropic-sdk-python, src/anthropic/types/message_param.py), and ShareGPT's (axolotl-ai-cloud/axolotl,
docs/dataset-formats/conversation.qmd): a message a line, an array of messages, an object with ``messages`` or
``conversations``, and such an object a line or an element.

A conversation is named by its id; without one by a hash of its beginning, up to and with the first words of the person:
so a log that repeats a conversation as it grows gives it once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from workbench.sessions import harness, importers
from workbench.sessions.archives import Member
from workbench.sessions.importers import Found, Growth, Importer, NotGrown, Sample, claude_blocks, documents, lines
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable, size_of
from workbench.sessions.importers.values import call, mark, moment, record, sequence, string
from workbench.sessions.model import Message, Origin, Role, Session, derived_identity
from workbench.text import sha256

NAME = "generic"
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "chatgpt", "gpt", "model", "function_call"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "function_response", "observation"), "tool"),
}
_CONTENTS = ("content", "tool_calls", "function_call")
_MESSAGES = ("messages", "conversations", "conversation")
_LOOKED_AT = 20
_UNIQUE = 16  # characters: a shorter id may be one in many files
_SESSION_IDS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "chat_id")
_IDS = ("id", "uuid", "message_id")
_TIMES = ("timestamp", "created_at", "create_time", "created", "time", "date")
_USAGE = {
    "input": ("input", "input_tokens", "prompt_tokens"),
    "output": ("output", "output_tokens", "completion_tokens"),
    "cache_read": ("cache_read", "cache_read_input_tokens", "cache_read_tokens", "cached_tokens"),
    "cache_write": ("cache_write", "cache_creation_input_tokens", "cache_write_tokens"),
    "reasoning": ("reasoning", "reasoning_tokens", "thought_tokens"),
}
_MEDIA = {
    **dict.fromkeys(("image_url", "input_image"), "image"),
    **dict.fromkeys(("audio", "input_audio"), "audio"),
    **dict.fromkeys(("video", "video_url", "input_video"), "video"),
    **dict.fromkeys(("file", "input_file"), "file"),
}


@dataclass(slots=True)
class _Group:
    """The messages of a file that belong to one conversation.

    :param runs: where they lie, as start, end, start, end…
    :param beginning: the first of them, up to the first words of the person.
    """

    runs: array[int] = field(default_factory=lambda: array("q"))
    beginning: list[dict[str, Any]] = field(default_factory=list)


def sniff(sample: Sample) -> bool:
    """More than half of it is messages, or objects that hold some."""
    values = sample.elements or sample.rows
    return sum(_is_message(value) or bool(_rows_in(value)) for value in values) * 2 > len(values)


def read(file: Path | Member, counts: Counts) -> Iterator[Found]:
    """The conversations of a file: those that an object holds each, then those of the single messages."""
    sample, end = importers.sample(file), size_of(file)
    lined, is_object = not sample.elements, documents.is_object(sample.head)
    groups: dict[str, _Group] = {}
    current = ""
    alone = lined and isinstance(file, Path)
    for offset, value in lines.rows(file, counts, 0, end) if lined else documents.items(file, counts):
        if _is_message(value):
            name = _named(value, _SESSION_IDS) if lined or not groups else current
            if name != current or not groups:
                if groups:
                    groups[current].runs.append(offset)
                current = name
                groups.setdefault(name, _Group()).runs.append(offset)
            _begin(groups[name].beginning, value)
        elif rows := _rows_in(value):
            alone = False
            yield replace(_conversation(value, rows, offset, file, counts), alone=is_object and not lined)
        else:
            counts.quarantine(offset, "not a message")
    if groups:
        groups[current].runs.append(end)
    for name, group in groups.items():
        started = next((time for row in group.beginning if (time := _time(row))), None)
        session = Session(_key(name, group.beginning), created_at=started, source=str(file))
        used: dict[str, int] = {}
        whole = partial(_state, name, used, alone and len(groups) == 1 and _begun(group))
        again = None if _is_unique(name) else partial(_told, file, group, lined, Counts(), {})
        yield Found(session, _told(file, group, lined, counts, used), (), end, whole, again, len(groups) == 1)


def _told(file: Readable, group: _Group, lined: bool, counts: Counts, used: dict[str, int]) -> Iterator[Message]:
    """The messages of a group."""
    rows = _lines(file, group.runs) if lined else documents.items(file, Counts())
    return _messages(((at, row) for at, row in rows if _is_message(row)), counts, {}, used)


def grown(file: Path, counts: Counts, growth: Growth) -> Found:
    """What is new in a file of one conversation."""
    name, end, used = growth.state["name"], size_of(file), dict[str, int]()
    for _, value in lines.rows(file, Counts(), growth.end, end):
        if _named(record(value), _SESSION_IDS) != name if _is_message(value) else _rows_in(value):
            raise NotGrown
    session = Session(growth.key, source=str(file))
    messages = _messages(lines.rows(file, counts, growth.end, end), counts, growth.occurrences(), used)
    return Found(session, messages, (), end, partial(_state, name, used, True))


def _state(name: str, used: dict[str, int], alone: bool) -> dict[str, Any] | None:
    """What must be known to read what will be added: no other conversation is there, and no id is used twice."""
    return {"name": name} if alone and not any(used.values()) else None


def _conversation(value: dict[str, Any], rows: list[Json], offset: int, file: Readable, counts: Counts) -> Found:
    if value.get("system"):
        rows = [{"role": "system", "content": value["system"]}, *rows]
    beginning: list[dict[str, Any]] = []
    for row in rows:
        if _is_message(row):
            _begin(beginning, row)
    name = _named(value, (*_SESSION_IDS, *_IDS))
    session = Session(_key(name, beginning), source=str(file))
    session.title = string(value.get("title")) or string(value.get("name"))
    session.project = string(value.get("cwd")) or string(value.get("project"))
    session.created_at, session.updated_at = _time(value), moment(value.get("updated_at"))
    if model := string(value.get("model")):
        session.metadata["model"] = model

    def messages(counts: Counts) -> Iterator[Message]:
        return _messages(((offset, row) for row in rows), counts, {}, {})

    again = None if _is_unique(name) else lambda: messages(Counts())
    return Found(session, messages(counts), again=again)


def _messages(
    rows: Iterable[tuple[int, Json]], counts: Counts, occurrences: dict[str, int], used: dict[str, int]
) -> Iterator[Message]:
    """The messages of rows.

    :param occurrences: of derived identities; ``used``: how often each id was there, less one. Both are updated.
    """
    for offset, row in rows:
        if not _is_message(row):
            counts.quarantine(offset, "not a message")
            continue
        try:
            made = _made(row)
        except Exception as error:
            counts.quarantine(offset, f"unreadable message: {type(error).__name__} {error}"[:120])
            continue
        counts.kept += bool(made)
        counts.skipped += not made
        name = _named(row, _IDS)
        if name:
            used[name] = used.get(name, -1) + 1
            name += f"~{used[name]}" if used[name] else ""  # some give all messages the id of their conversation
        for number, message in enumerate(made):
            message.identity = f"{name}#{number}" if name and number else name or derived_identity(message, occurrences)
            yield message


def _made(row: dict[str, Any]) -> list[Message]:
    """The messages of a row: results of tools, then what was said."""
    inner = record(row.get("content"))
    if "content" in inner:  # some keep the whole message where its content belongs
        row = {**inner, **row, "content": inner["content"]}
    kind, content = _kind(row), _content(row)
    role, time = _ROLES[kind], _time(row)
    if kind == "function_call" and isinstance(content, str):
        row, content = {"function_call": _parsed(content)}, None
    parts = claude_blocks.split(content)
    text = claude_blocks.joined(parts.said)
    if role == "tool":
        found = claude_blocks.joined([*parts.said, *(result for _, result in parts.results)])
        answered = string(row.get("tool_call_id"))
        return [Message("", "tool", "tool", found, time, tool_call_id=answered, name=string(row.get("name")))]
    made = [Message("", "tool", "tool", result, time, tool_call_id=answered) for answered, result in parts.results]
    message = Message("", role, _origin(role, text), text, time, model=string(row.get("model")), usage=usage_of(row))
    message.tool_calls = [*parts.calls, *_calls(row)] or None
    message.thinking = claude_blocks.joined([*parts.thinking, *_thoughts(row)]) or None
    if text.strip() or message.tool_calls or message.thinking:
        made.append(message)
    return made


def _origin(role: Role, text: str) -> Origin:
    if role == "system" or (role == "user" and harness.is_harness(text)):
        return "harness"
    return "user" if role == "user" else "assistant"


def _block(part: Json) -> Json:
    """A part of a content in the way that ``claude_blocks`` knows."""
    kind = str(record(part).get("type")).lower()
    if kind in _MEDIA:
        file = record(part.get("file")) or part
        return mark(_MEDIA[kind], file.get("filename"))
    if kind == "refusal":
        return string(part.get("refusal"))
    if kind == "reasoning":
        return {"type": "thinking", "thinking": part.get("text")}
    return part


def _calls(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for value in chain(sequence(row.get("tool_calls")), [row.get("function_call")]):
        if told := record(value):
            function = record(told.get("function")) or told
            yield call(told.get("id"), function.get("name"), function.get("arguments"))


def _thoughts(row: dict[str, Any]) -> list[str]:
    texts = (string(row.get(name)) for name in ("reasoning_content", "reasoning", "thinking"))
    return [text for text in texts if text][:1]


def usage_of(row: dict[str, Any]) -> dict[str, int] | None:
    """The tokens of a message by our names, from those of OpenAI, Anthropic and Flowly, or from ours."""
    usage = record(row.get("usage"))
    read, thought = record(usage.get("prompt_tokens_details")), record(usage.get("completion_tokens_details"))
    told = {**usage, "cached_tokens": read.get("cached_tokens"), "thought_tokens": thought.get("reasoning_tokens")}
    found: dict[str, int] = {}
    for name, names in _USAGE.items():
        if counted := [told[given] for given in names if type(told.get(given)) is int]:
            found[name] = counted[0]
    return found or None


def _content(row: dict[str, Any]) -> Json:
    content = row.get("content", row.get("value"))
    return [_block(part) for part in content] if isinstance(content, list) else content


def _kind(row: dict[str, Any]) -> str:
    return str(row["role"] if "role" in row else row.get("from")).lower()


def _is_message(value: Json) -> bool:
    if not isinstance(value, dict) or _kind(value) not in _ROLES or value.get("type") not in (None, "message"):
        return False
    return any(name in value for name in _CONTENTS) if "role" in value else "value" in value


def _rows_in(value: Json) -> list[Json]:
    """The messages that an object holds; none where it is no conversation."""
    for name in _MESSAGES:
        rows = sequence(record(value).get(name))
        if any(_is_message(row) for row in rows[:_LOOKED_AT]):
            return rows
    return []


def _begun(group: _Group) -> bool:
    """Whether what is said next changes nothing in its name."""
    return len(group.beginning) == _LOOKED_AT or any(_ROLES[_kind(row)] == "user" for row in group.beginning)


def _begin(beginning: list[dict[str, Any]], row: dict[str, Any]) -> None:
    if len(beginning) < _LOOKED_AT and not any(_ROLES[_kind(told)] == "user" for told in beginning):
        beginning.append(row)


def _is_unique(name: str) -> bool:
    """Whether an id names a conversation alone."""
    return len(name) >= _UNIQUE


def _key(name: str, beginning: list[dict[str, Any]]) -> str:
    told = [
        (_kind(row), claude_blocks.joined(claude_blocks.split(_content(row)).said), _time(row)) for row in beginning
    ]
    digest = sha256(repr(told))[:32]
    if _is_unique(name):
        return f"{NAME}:{name}"
    return f"{NAME}:{name}-{digest}" if name else f"{NAME}:{digest}"


def _lines(file: Readable, runs: array[int]) -> Iterator[tuple[int, Json]]:
    for start, end in zip(runs[::2], runs[1::2], strict=True):
        yield from lines.rows(file, Counts(), start, end)


def _named(row: dict[str, Any], names: tuple[str, ...]) -> str:
    """The first of its ids, a number as text; nothing where it has none."""
    for name in names:
        value = row.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if told := string(value):
            return told
    return ""


def _time(row: dict[str, Any]) -> str | None:
    return next((time for name in _TIMES if (time := moment(row.get(name)))), None)


def _parsed(text: str) -> Json:
    try:
        return lines.parse(text.encode())
    except Exception:
        return {"arguments": text}


IMPORTER = Importer(NAME, sniff, read, vague=True, grown=grown)
