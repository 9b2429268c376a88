"""What opencode's messages and their parts say, and which of them are still told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.sessions import harness
from workbench.sessions.importers import claude_blocks
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.values import call, dumps, mark, moment, record, sequence, string, tokens
from workbench.sessions.model import Message, Origin, State


@dataclass(slots=True)
class Stored:
    """A message as it is kept, without its parts."""

    name: str
    info: dict[str, Any]
    place: Any

    @property
    def time(self) -> float:
        """When it was made, in milliseconds."""
        created = record(self.info.get("time")).get("created")
        return created if isinstance(created, int | float) and created == created else 0


@dataclass(slots=True)
class _Parts:
    """The parts of a message: what was said, what opencode put beside it, and what tools did."""

    said: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)


def told(
    stored: Iterable[tuple[Any, Json]],
    parts_of: Callable[[Stored], Iterable[Json]],
    session: dict[str, Any],
    counts: Counts,
) -> Iterator[Message]:
    """The messages of a session in their order.

    :param stored: place and content of each message, in any order.
    :param parts_of: reads the parts of one; it is asked twice for those that may begin a compaction.
    """
    known: dict[str, Stored] = {}
    for number, (place, info) in enumerate(stored):
        name = string(info.get("id")) if isinstance(info, dict) else None
        if name is None or info.get("role") not in ("user", "assistant"):
            counts.quarantine(number, "not a message")
        elif name in known:
            counts.skipped += 1
        else:
            known[name] = Stored(name, info, place)
    ordered = sorted(known.values(), key=lambda message: (message.time, message.name))
    states = _states(ordered, parts_of, record(session.get("revert")))
    side = string(session.get("parentID")) is not None
    done: set[str] = set()
    for message in ordered:
        made = _messages(message, parts_of(message), side)
        counts.kept += bool(made)
        counts.skipped += not made
        for each in made:
            if each.identity in done:  # a part that was written twice
                continue
            done.add(each.identity)
            if each.state == "active":
                each.state = states.get(message.name, "active")
            yield each


def _states(
    ordered: list[Stored], parts_of: Callable[[Stored], Iterable[Json]], revert: dict[str, Any]
) -> dict[str, State]:
    """The state of each message that is not active: told before the last compaction, or taken back."""
    places = {message.name: place for place, message in enumerate(ordered)}
    states: dict[str, State] = {}
    for message in reversed(ordered):
        info = message.info
        if info["role"] == "assistant" and info.get("summary") is True and not info.get("error"):
            states = {each.name: "compacted" for each in ordered[: _first_kept(message, ordered, places, parts_of)]}
            break
    if (back := places.get(string(revert.get("messageID")) or "")) is not None:
        # Of the message itself, a part may be all that was taken back.
        gone = ordered[back + bool(revert.get("partID")) :]
        states.update((each.name, "withdrawn") for each in gone)
    return states


def _first_kept(
    summary: Stored, ordered: list[Stored], places: dict[str, int], parts_of: Callable[[Stored], Iterable[Json]]
) -> int:
    """Where the messages begin that a compaction left: at the request for it, or at an earlier message that it names;
    before there were requests, at the summary."""
    asked = places.get(string(summary.info.get("parentID")) or "")
    request = None
    if asked is not None:
        request = next((record(part) for part in parts_of(ordered[asked]) if _kind(part) == "compaction"), None)
    if asked is None or request is None:
        return places[summary.name]
    return min(asked, places.get(string(request.get("tail_start_id")) or "", asked))


def _messages(stored: Stored, parts: Iterable[Json], side: bool) -> list[Message]:
    """A message, what opencode added to it, and the results of the tools that it called."""
    info, found = stored.info, _Parts()
    for part in parts:
        if isinstance(part, dict):
            _take(part, found, stored.name)
    time = moment(record(info.get("time")).get("created"))
    text = claude_blocks.joined(found.said)
    if info["role"] == "user":
        message = Message(stored.name, "user", _user(text, side), text, time)
    else:
        spoke: Origin = "harness" if info.get("summary") is True else "subagent" if side else "assistant"
        message = Message(stored.name, "assistant", spoke, text, time, parent=string(info.get("parentID")))
        message.thinking = claude_blocks.joined(found.thinking) or None
        message.tool_calls = found.calls or None
        message.model = string(info.get("modelID"))
        message.usage = _usage(record(info.get("tokens")))
    made = [message] if text.strip() or message.thinking or message.tool_calls else []
    if found.added:
        added = claude_blocks.joined(found.added)
        made.append(Message(f"{stored.name}#added", message.role, "harness", added, time, parent=message.parent))
    for result in found.results:
        result.origin = "subagent" if side else "tool"
        result.parent = stored.name
        made.append(result)
    return made


def _user(text: str, side: bool) -> Origin:
    if side:
        return "subagent"
    return "harness" if harness.is_harness(text) else "user"


def _usage(counts: dict[str, Any]) -> dict[str, int] | None:
    cache = record(counts.get("cache"))
    return tokens(
        input=counts.get("input"),
        output=counts.get("output"),
        cache_read=cache.get("read"),
        cache_write=cache.get("write"),
        reasoning=counts.get("reasoning"),
    )


def _kind(part: Json) -> str:
    return str(part.get("type")).lower() if isinstance(part, dict) else ""


def _take(part: dict[str, Any], found: _Parts, message: str) -> None:
    kind, text = _kind(part), string(part.get("text"))
    if kind == "text" and text:
        (found.added if part.get("synthetic") is True or part.get("ignored") is True else found.said).append(text)
    elif kind == "reasoning" and text:
        found.thinking.append(text)
    elif kind == "tool":
        found.calls.append(call(part.get("callID"), part.get("tool"), record(part.get("state")).get("input")))
        if result := _result(part, f"{message}#{len(found.calls)}"):
            found.results.append(result)
    elif kind == "file":
        found.said.append(_file(part))
    elif kind == "compaction":
        found.added.append(mark("compaction"))
    elif kind == "subtask":
        found.added.append("\n".join([mark("subtask", part.get("description")), string(part.get("prompt")) or ""]))


def _result(part: dict[str, Any], name: str) -> Message | None:
    """What a tool gave, when it is done."""
    state = record(part.get("state"))
    output = next((state[key] for key in ("output", "error") if state.get(key) is not None), None)
    if output is None:
        return None
    text = "\n\n".join([dumps(output), *(_file(record(each)) for each in sequence(state.get("attachments")))])
    times = record(state.get("time"))
    result = Message(string(part.get("id")) or name, "tool", "tool", text, moment(times.get("end")))
    result.state = "compacted" if times.get("compacted") else "active"
    result.tool_call_id, result.name = string(part.get("callID")), string(part.get("tool"))
    return result


def _file(part: dict[str, Any]) -> str:
    kind = (string(part.get("mime")) or "").split("/")[0]
    return mark(kind if kind in ("image", "audio") else "file", part.get("filename"))
