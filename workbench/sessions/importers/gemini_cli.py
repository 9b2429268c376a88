"""The Gemini CLI: what it records below ``~/.gemini/tmp/<project>/chats``.

- ``session-*.json``: one document with ``messages``.
- ``session-*.jsonl``, and ``<parent's id>/<id>.jsonl`` of subagents: the same told row by row; see ``gemini_replay``.
- ``checkpoint-<tag>.json`` beside ``chats`` (and what ``/chat share`` writes): the turns as the API has them, without
  ids and times. It holds no id, so that it is told by what it begins with. It is a copy of what was recorded already
  (older versions recorded nothing), so that it is read when it is named, and not looked for.
- ``logs.json`` holds prompts without answers: it is no transcript.

Built from: google-gemini/gemini-cli (packages/core/src/services/chatRecordingService.ts and chatRecordingTypes.ts,
packages/core/src/core/logger.ts, packages/core/src/utils/sessionUtils.ts, packages/core/src/config/storage.ts and
projectRegistry.ts), kenn-io/agentsview (internal/parser/gemini.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from workbench import files
from workbench.sessions.importers import Found, Importer, Place, Sample, documents, gemini_parts, gemini_replay, lines
from workbench.sessions.importers.gemini_parts import Parts, Result
from workbench.sessions.importers.gemini_replay import Replay
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable, opened
from workbench.sessions.importers.values import call, moment, record, sequence, string
from workbench.sessions.model import Message, Role, Session, State, derived_identity
from workbench.text import sha256

NAME = "gemini-cli"
_ROLES: dict[str, Role] = {"user": "user", "gemini": "assistant", "model": "assistant", "assistant": "assistant"}
_ROLES |= {"info": "system", "error": "system", "warning": "system"}
_PART = ("text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult")
_UPDATES = ("messages", "lastUpdated", "summary", "directories", "memoryScratchpad")
# From here on a prompt holds the files it names, which the person did not type.
_REFERENCED = "\n--- Content from referenced files ---"
# Of a document that is too long only the beginning is known.
_HEAD = re.compile(rb'\A[\s\xef\xbb\xbf]*\{\s*"sessionId"\s*:\s*"[^"]*"\s*,\s*"projectHash"\s*:')
_LOOKED_AT = 64 * 1024


def sniff(sample: Sample) -> bool:
    """A session with its project and messages, rows of a recording, or turns of the API."""
    elements = sample.elements
    if any(isinstance(row, dict) and (_is_session(row) or _is_row(row)) for row in (*sample.rows, *elements)):
        return True
    if elements:
        turns = sequence(record(elements[0]).get("history")) or elements
        return all(_is_turn(turn) for turn in turns)
    return not any(isinstance(row, dict) for row in sample.rows) and _HEAD.match(sample.head) is not None


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The one session of a file."""
    first = next((row for _, row in _rows(file, Counts())), None)
    if _is_turn(first) or "history" in record(first):
        yield _checkpoint(file, counts)
        return
    replay = Replay()
    for offset, row in _rows(file, counts):
        if not isinstance(row, dict) or not replay.take(row, offset):
            counts.quarantine(offset, "not a row of the Gemini CLI")
    session = _session(file, replay.metadata)
    yield Found(session, _Emitter(file, counts, replay).messages(), list(replay.copies))


def _rows(file: Readable, counts: Counts) -> Iterator[tuple[int, Json]]:
    """The rows of a recording; of a document the document."""
    with opened(file) as handle:
        line, _, more = handle.read(_LOOKED_AT).partition(b"\n")
    try:
        alone = not more.strip() or not isinstance(lines.parse(line), dict)
    except Exception:  # no row ends there
        alone = True
    return documents.items(file, counts) if alone else lines.rows(file, counts)


def _is_session(row: dict[str, Any]) -> bool:
    named = isinstance(row.get("sessionId"), str) and isinstance(row.get("projectHash"), str)
    return named and not gemini_replay.is_message(row)


def _is_row(row: dict[str, Any]) -> bool:
    if gemini_replay.kind_of(row) == "gemini":
        return isinstance(row.get("id"), str) and "content" in row
    return any(name in record(row.get("$set")) for name in _UPDATES)


def _is_turn(value: Json) -> bool:
    turn = record(value)
    parts = turn.get("parts")
    if turn.get("role") not in ("user", "model") or not isinstance(parts, list):
        return False
    return all(any(name in record(part) for name in _PART) and "type" not in record(part) for part in parts)


def _session(file: Readable, metadata: dict[str, Any]) -> Session:
    session = Session(f"{NAME}:{string(metadata.get('sessionId')) or file.stem}", source=str(file))
    session.title = string(metadata.get("summary"))
    session.created_at, session.updated_at = moment(metadata.get("startTime")), moment(metadata.get("lastUpdated"))
    folders = [folder for folder in sequence(metadata.get("directories")) if string(folder)]
    session.project = _project(file) or next(iter(folders), None)
    session.metadata = {"agent": NAME, "kind": string(metadata.get("kind"))}
    return session


def _project(file: Readable) -> str | None:
    """The folder that the CLI ran in: it stands in a file beside those of the project."""
    for folder in list(file.parents)[1:3] if isinstance(file, Path) else []:
        with suppress(OSError, ValueError), files.opened(folder / ".project_root") as handle:
            return string(handle.read(_LOOKED_AT).decode().strip())
    return None


class _Emitter:
    """The second pass."""

    def __init__(self, file: Readable, counts: Counts, replay: Replay) -> None:
        self.file, self.counts, self.replay = file, counts, replay
        self.of_subagent = replay.metadata.get("kind") == "subagent"
        self.seen: set[str] = set()
        self.answered: set[str] = set()
        self.occurrences: dict[str, int] = {}

    def messages(self) -> Iterator[Message]:
        """The messages of the session, each where it is told best."""
        for offset, row in _rows(self.file, Counts()):
            if not isinstance(row, dict):
                continue
            update = gemini_replay.update_of(row)
            if update is not None and (rows := sequence(update.get("messages"))):
                told = [each for each in rows if self._is_told(each, offset, last=offset == self.replay.listed)]
                self.counts.kept += not told
                for each in told:
                    yield from self._take(each, offset)
            elif gemini_replay.is_news(row):
                self.counts.kept += 1
            elif gemini_replay.is_message(row):
                if self._is_told(row, offset, last=True):
                    yield from self._take(row, offset)
                else:
                    self.counts.skipped += 1

    def _is_told(self, row: Json, offset: int, last: bool) -> bool:
        """Whether a message is to be read here; one without an id is, where it stands for the ``last`` time."""
        name = string(record(row).get("id"))
        if name is None:
            return last
        return name not in self.seen and self.replay.is_told(name, offset)

    def _take(self, row: Json, offset: int) -> list[Message]:
        try:
            made = self._made(row)
        except Exception as error:
            self.counts.quarantine(offset, f"unreadable message: {type(error).__name__} {error}"[:120])
            return []
        for message in made:
            message.identity = message.identity or derived_identity(message, self.occurrences)
        made = [message for message in made if message.identity not in self.seen]
        self.seen.update(message.identity for message in made)
        self.counts.kept += bool(made)
        self.counts.skipped += not made
        return made

    def _made(self, row: Json) -> list[Message]:
        if not isinstance(row, dict) or (role := _ROLES.get(gemini_replay.kind_of(row))) is None:
            raise ValueError("not a message of the Gemini CLI")
        parts = gemini_parts.split(row.get("content"))
        name = string(row.get("id")) or ""
        state: State = self.replay.states.get(name, "active")
        said = Message(name, role, "user", parts.text, moment(row.get("timestamp")), state)
        added = _added(said, row) if role == "user" else None
        said.origin = gemini_parts.origin_of(role, said.content)
        if self.of_subagent and said.origin in ("user", "assistant"):
            said.origin = "subagent"
        if role == "assistant":
            _describe(said, row, parts)
        parts.results = [result for result in parts.results if result.call_id not in self.answered]
        made = gemini_parts.messages(parts, said)
        if added:
            made.append(Message(f"{name}#content" if name else "", role, "harness", added, said.timestamp, state))
        made += self._results(said, row)
        self.answered.update(message.tool_call_id for message in made if message.tool_call_id)
        return made

    def _results(self, said: Message, row: dict[str, Any]) -> Iterator[Message]:
        for number, made in enumerate(gemini_parts.listed(row.get("toolCalls")), 1):
            if (text := _output(made)) is not None and (name := string(made.get("id"))) not in self.answered:
                message = gemini_parts.answer(said, Result(name, string(made.get("name")), text), number)
                message.timestamp = moment(made.get("timestamp")) or said.timestamp
                yield message


def _added(said: Message, row: dict[str, Any]) -> str | None:
    """What the CLI put into a prompt, apart from what the person typed, which alone stays in ``said``."""
    typed = gemini_parts.split(row.get("displayContent")).text
    own, mark, more = said.content.partition(_REFERENCED)
    if not typed.strip():
        said.content = own
        return f"{mark}{more}".strip() or None
    said.content, whole = typed, said.content
    return (f"{mark}{more}" if own.strip() == typed.strip() else whole).strip() or None


def _describe(said: Message, row: dict[str, Any], parts: Parts) -> None:
    """Thoughts, calls, model and tokens, which an answer has beside its content."""
    thoughts = gemini_parts.listed(row.get("thoughts"))
    told = ("\n".join(filter(None, map(string, map(each.get, ("subject", "description"))))) for each in thoughts)
    parts.thinking = [thought for thought in (*told, *parts.thinking) if thought]
    known = gemini_parts.names_of(parts.calls)
    for made in gemini_parts.listed(row.get("toolCalls")):
        made_call = call(made.get("id"), made.get("name"), made.get("args"))
        if gemini_parts.names_of([made_call])[0] not in known:
            parts.calls.append(made_call)
    said.model = string(row.get("model"))
    counted = record(row.get("tokens"))
    names = {"input": "input", "output": "output", "cache_read": "cached", "reasoning": "thoughts"}
    said.usage = gemini_parts.usage_of({name: counted.get(source) for name, source in names.items()})


def _output(made: dict[str, Any]) -> str | None:
    """What a recorded call came to, as the model was told, else as the person was shown."""
    if made.get("result") is None:
        return string(made.get("resultDisplay"))
    parts = gemini_parts.split(made.get("result"))
    return "\n\n".join(piece for piece in (*(result.text for result in parts.results), parts.text) if piece)


def _checkpoint(file: Readable, counts: Counts) -> Found:
    turns: list[tuple[int, Json]] = []
    for offset, value in _rows(file, counts):
        history = record(value).get("history")
        turns += [(offset, turn) for turn in history] if isinstance(history, list) else [(offset, value)]
    beginning = []
    for _, turn in turns:
        text = gemini_parts.split(record(turn).get("parts")).text
        beginning.append(text)
        if record(turn).get("role") == "user" and gemini_parts.origin_of("user", text) == "user" and text:
            break
    session = Session(f"{NAME}:checkpoint-{sha256(repr(beginning))[:32]}", source=str(file))
    name = file.name.removesuffix(".json")
    session.title = unquote(name.removeprefix("checkpoint-")) if name.startswith("checkpoint-") else None
    session.project = _project(file)
    session.metadata = {"agent": NAME, "kind": "checkpoint"}
    return Found(session, _turns(turns, counts), again=lambda: _turns(turns, Counts()), alone=True)


def _turns(turns: list[tuple[int, Json]], counts: Counts) -> Iterator[Message]:
    occurrences: dict[str, int] = {}
    for offset, turn in turns:
        if not _is_turn(turn):
            counts.quarantine(offset, "not a turn")
            continue
        role = _ROLES[turn["role"]]
        parts = gemini_parts.split(turn["parts"])
        said = Message("", role, "user", parts.text)
        added = _added(said, turn) if role == "user" else None
        said.origin = gemini_parts.origin_of(role, said.content)
        made = gemini_parts.messages(parts, said)
        if added:
            made.append(Message("", role, "harness", added))
        for message in made:
            message.identity = derived_identity(message, occurrences)
        counts.kept += bool(made)
        counts.skipped += not made
        yield from made


# The variable names what stands for the person's home.
_PLACES = tuple(Place("", ".gemini/tmp/*/chats", pattern, "GEMINI_CLI_HOME") for pattern in ("*.json", "*.jsonl"))
IMPORTER = Importer(NAME, sniff, read, _PLACES)
