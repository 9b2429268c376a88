"""Claude Code: ``~/.claude/projects/<folder>/<session>.jsonl``, one JSON row a line, several kinds of row.

Two passes: the first learns the shape (which rows belong to which session, superseded rows, branches taken back),
the second reads the messages of each session where they lie. What runs in a container (Claude Code on the web) is told
by one JSON document: it is read as the lines that its rows would be.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from workbench.sessions.importers import (
    Found,
    Growth,
    Importer,
    NotGrown,
    Place,
    Sample,
    claude_blocks,
    claude_document,
    lines,
    values,
)
from workbench.sessions.importers.claude_tree import MESSAGE, PROMPT, SIDE, TURN, Streams, Tree, Turn
from workbench.sessions.importers.lines import Counts
from workbench.sessions.importers.readable import Readable, size_of
from workbench.sessions.model import Message, Session, derived_identity
from workbench.text import sha256, storable

NAME = "claude-code"
_TURNS = ("user", "human", "assistant")
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle"}
_MARKS = ("uuid", "parentUuid", "sessionId", "isSidechain", "leafUuid", "messageId")
_MAX_SUMMARIES = 1_000
_ANSWERS = 4


@dataclass(slots=True)
class _Facts:
    """What the first pass learns of one session.

    :param runs: byte ranges of the file that hold its rows, as start, end, start, end…
    :param superseded: byte offsets of rows that a later row replaces.
    :param said: hashes of the texts of user rows, to know queued prompts that were delivered.
    :param automatic: hashes of queued texts that no person typed.
    :param last: hash of an assistant message's id → byte offset of its last row, whose count of tokens is the whole.
    :param answers: the ids of the last assistant messages; ``open`` the byte offset at which the last one begins.
    """

    session: Session
    runs: array[int] = field(default_factory=lambda: array("q"))
    tree: Tree = field(default_factory=Tree)
    streams: Streams = field(default_factory=Streams)
    superseded: set[int] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    said: set[int] = field(default_factory=set)
    queued: dict[int, str] = field(default_factory=dict)
    automatic: set[int] = field(default_factory=set)
    last: dict[int, int] = field(default_factory=dict)
    title_rank: int = 0
    turn: Turn = field(default_factory=Turn)
    answers: deque[str] = field(default_factory=lambda: deque(maxlen=_ANSWERS))
    open: int | None = None


def sniff(sample: Sample) -> bool:
    """Rows with a ``type`` and either a ``message`` or the marks of a Claude Code row, or a document of such rows."""
    rows = sample.rows
    if claude_document.begins(sample.head):
        if not sample.elements:  # too long to be looked at whole
            return True
        rows = claude_document.logged(sample.elements[0])
    return any(isinstance(row, dict) and _kind(row) is not None and "payload" not in row for row in rows)


def read(path: Readable, counts: Counts) -> Iterator[Found]:
    """The sessions of one file; rows name their session, a row that does not belongs to the file's own."""
    if claude_document.is_one(path):
        path = claude_document.Document(path, counts)
    shape = _Shape(path, counts)
    for facts in shape.learn():
        emitter = _Emitter(path, counts, facts, facts.tree.withdrawn())
        state = partial(_state, shape, facts, bool(emitter.withdrawn))
        yield Found(facts.session, emitter.messages(), facts.dropped, shape.end, state)


def grown(path: Path, counts: Counts, growth: Growth) -> Found:
    """What is new in the one session of a file, whose last answer may go on."""
    shape = _Shape(path, counts, growth)
    found = shape.learn()
    facts = found[0]
    if len(found) > 1 or shape.summaries or facts.queued or not facts.turn.always:
        raise NotGrown
    if facts.turn.anew and growth.state["withdrawn"]:
        raise NotGrown
    if any(offset < growth.end for offset in facts.superseded) or any(growth.told(name) for name in facts.dropped):
        raise NotGrown
    emitter = _Emitter(path, counts, facts, set(), growth.occurrences())
    state = partial(_state, shape, facts, growth.state["withdrawn"])
    return Found(facts.session, emitter.messages(), (), shape.end, state)


def _state(shape: _Shape, facts: _Facts, withdrawn: bool) -> dict[str, Any] | None:
    """What must be known to read what will be added to a file of one session."""
    if len(shape.sessions) > 1 or not isinstance(shape.path, Path) or not facts.turn.plain:
        return None
    return {
        "start": shape.end if facts.open is None else facts.open,
        "session": next(iter(shape.sessions)),
        "rank": facts.title_rank,
        "turn": list(facts.turn.rows),
        "answers": list(facts.answers),
        "withdrawn": withdrawn,
        "unsettled": shape.unsettled,
    }


class _Shape:
    """The first pass, over a file or what is new in it.

    :ivar unsettled: an answer was counted that had been counted before, when less of it was there.
    """

    def __init__(self, path: Readable, counts: Counts, growth: Growth | None = None) -> None:
        self.path, self.counts, self.growth = path, counts, growth
        self.start, self.end = growth.end if growth else 0, size_of(path)
        self.sessions: dict[str, _Facts] = {}
        self.summaries: dict[str, str] = {}
        self.unsettled = False
        if growth:
            self._go_on(growth.state, growth.end)

    def _go_on(self, state: dict[str, Any], end: int) -> None:
        """Know what was known, and the rows of the last answer."""
        facts = self._facts(state["session"])
        facts.title_rank, facts.turn = state["rank"], Turn(state["turn"])
        self.unsettled = state["unsettled"]
        facts.answers.extend(state["answers"][:-1])
        for offset, row in lines.rows(self.path, Counts(), state["start"], end):
            if isinstance(row, dict) and _kind(row) == "assistant":
                self._stream(facts, row, offset, _uuid(row))
        facts.answers.extend(state["answers"][-1:] if facts.open is None else ())

    def learn(self) -> list[_Facts]:
        """All sessions of the file, in order of appearance."""
        current: _Facts | None = None
        name: object = None
        for offset, row in lines.rows(self.path, self.counts, self.start, self.end):
            kind = _kind(row) if isinstance(row, dict) else None
            if kind is None:
                self.counts.quarantine(offset, "not a row of Claude Code")
                continue
            if kind == "summary" and "message" not in row:
                self._summary(row)
                continue
            if current is None or row.get("sessionId") != name:
                name = row.get("sessionId")
                current = self._enter(self._facts(name), current, offset)
            self._row(current, kind, row, offset)
        if current is not None:
            current.runs.append(self.end)
        self._settle()
        return list(self.sessions.values())

    def _settle(self) -> None:
        """What is known only at the end: titles given from elsewhere, queued prompts that were delivered."""
        for leaf, title in self.summaries.items():
            for facts in self.sessions.values():
                if leaf in facts.tree:
                    _title(facts, title, 1)
        for facts in self.sessions.values():
            facts.dropped.update(name for mark, name in facts.queued.items() if mark in facts.said)

    def _enter(self, facts: _Facts, left: _Facts | None, offset: int) -> _Facts:
        """From here on rows belong to ``facts``."""
        if facts is not left:
            if left is not None:
                left.runs.append(offset)
            facts.runs.append(offset)
        return facts

    def _facts(self, name: object) -> _Facts:
        name = name if isinstance(name, str) and name.strip() else storable(self.path.stem)
        if name not in self.sessions:
            self.sessions[name] = _Facts(Session(f"{NAME}:{name}", source=str(self.path)))
        return self.sessions[name]

    def _row(self, facts: _Facts, kind: str, row: dict[str, Any], offset: int) -> None:
        _describe(facts.session, row)
        uuid = _uuid(row)
        if uuid is not None:
            parent = row.get("parentUuid") or row.get("logicalParentUuid")
            parent = parent if isinstance(parent, str) else None
            flags = self._flags(facts, kind, row)
            facts.turn.add(uuid, parent, flags)
            facts.open = None if flags & (PROMPT | SIDE) == PROMPT else facts.open
            earlier = facts.tree.add(uuid, parent, flags, offset)
            if earlier is not None:
                facts.superseded.add(earlier)
        elif kind in _TURNS:
            self._flags(facts, kind, row)
        if kind == "assistant":
            self._stream(facts, row, offset, uuid)
        elif kind in _TITLES and isinstance(row.get(_TITLES[kind]), str):
            _title(facts, row[_TITLES[kind]], 3 if kind == "custom-title" else 2)
        elif (text := _queued_text(kind, row)) is not None:
            facts.queued[_mark(text)] = _queued_identity(text)
            if _attachment(row).get("commandMode") not in (None, "prompt"):
                facts.automatic.add(_mark(text))

    def _flags(self, facts: _Facts, kind: str, row: dict[str, Any]) -> int:
        side = SIDE if claude_blocks.is_side(row) else 0
        if kind not in _TURNS:
            return side | (MESSAGE if kind in ("system", "summary") else 0)
        content = claude_blocks.content_of(row)
        if not content:  # such a row says nothing and replaces nothing
            return side | TURN
        if kind == "assistant" or claude_blocks.has_result(content):
            return side | TURN | MESSAGE
        said = claude_blocks.split(content).said
        text = claude_blocks.joined(said)
        if claude_blocks.origin_of(row, "user", text) == "harness":
            return side | MESSAGE
        pieces = [text, *said] if len(said) > 1 else [text]
        facts.said.update(_mark(piece) for piece in pieces)
        if self.growth and any(self.growth.told(_queued_identity(piece)) for piece in pieces):
            raise NotGrown
        return side | TURN | MESSAGE | PROMPT

    def _stream(self, facts: _Facts, row: dict[str, Any], offset: int, uuid: str | None) -> None:
        message = row.get("message")
        if not isinstance(message, dict):
            return
        name, content = message.get("id"), message.get("content")
        if isinstance(name, str):
            self._answer(facts, name, offset)
        if isinstance(name, str) and isinstance(content, list):
            for earlier, identity in facts.streams.add(name, offset, uuid, content):
                facts.superseded.add(earlier)
                if identity is not None:
                    facts.dropped.add(identity)

    def _answer(self, facts: _Facts, name: str, offset: int) -> None:
        """A row of the answer ``name``: of the last one, or of a new one; else the session does not go on plainly."""
        facts.last[hash(name)] = offset
        if facts.open is not None and facts.answers[-1] == name:
            self.unsettled |= facts.open < self.start <= offset
            return
        if name in facts.answers:
            facts.turn.plain = facts.turn.always = False
        facts.answers.append(name)
        facts.open = offset

    def _summary(self, row: dict[str, Any]) -> None:
        leaf, title = row.get("leafUuid"), row.get("summary")
        if isinstance(leaf, str) and isinstance(title, str) and len(self.summaries) < _MAX_SUMMARIES:
            self.summaries[leaf] = title
        self.counts.kept += 1


class _Emitter:
    """The second pass, for one session."""

    def __init__(
        self,
        path: Readable,
        counts: Counts,
        facts: _Facts,
        withdrawn: set[int],
        occurrences: dict[str, int] | None = None,
    ) -> None:
        self.path, self.counts, self.facts, self.withdrawn = path, counts, facts, withdrawn
        self.occurrences = {} if occurrences is None else occurrences
        self.queued: set[int] = set()

    def messages(self) -> Iterator[Message]:
        """The messages of the session, in the order of the file."""
        runs, counts, superseded = self.facts.runs, self.counts, self.facts.superseded
        for start, end in zip(runs[::2], runs[1::2], strict=True):
            for offset, row in lines.rows(self.path, Counts(), start, end):
                kind = _kind(row) if isinstance(row, dict) else None
                if kind is None or (kind == "summary" and "message" not in row):
                    continue
                try:
                    made = [] if offset in superseded else self._row(kind, row, offset)
                except Exception as error:
                    counts.quarantine(offset, f"unreadable row: {type(error).__name__} {error}"[:120])
                    continue
                if made or kind in _TITLES:
                    counts.kept += 1
                    yield from made
                else:
                    counts.skipped += 1

    def _row(self, kind: str, row: dict[str, Any], offset: int) -> list[Message]:
        if kind in _TURNS:
            made = self._named(row, claude_blocks.messages(row, kind, _uuid(row)))
            if kind == "assistant":
                self._account(row, offset, made)
            return made
        if kind == "system" or kind == "summary":
            if row.get("subtype") == "compact_boundary":
                row = {**row, "content": "Conversation compacted", "message": None}
            return self._named(row, claude_blocks.messages(row, "system", _uuid(row)))
        if (text := _queued_text(kind, row)) is not None:
            return self._queued(row, text)
        return []

    def _account(self, row: dict[str, Any], offset: int, made: list[Message]) -> None:
        """Say which model wrote the messages, and what they took: the last row of an answer counts all of it."""
        told = values.record(row.get("message"))
        name = told.get("id")
        for message in made:
            message.model = values.string(told.get("model"))
        if made and self.facts.last.get(hash(name) if isinstance(name, str) else 0, offset) == offset:
            usage = values.record(told.get("usage"))
            made[-1].usage = values.tokens(
                input=usage.get("input_tokens"),
                output=usage.get("output_tokens"),
                cache_read=usage.get("cache_read_input_tokens"),
                cache_write=usage.get("cache_creation_input_tokens"),
            )

    def _queued(self, row: dict[str, Any], text: str) -> list[Message]:
        mark = _mark(text)
        if mark in self.facts.said or mark in self.queued:
            return []
        self.queued.add(mark)
        origin = claude_blocks.origin_of({**_attachment(row), **row}, "user", text)
        origin = "harness" if mark in self.facts.automatic else origin
        message = Message(_queued_identity(text), "user", origin, text, claude_blocks.time_of(row))
        return self._named(row, [message])

    def _named(self, row: dict[str, Any], made: list[Message]) -> list[Message]:
        """The messages with their state, and with an identity where the row had none."""
        uuid = _uuid(row)
        if uuid is None:
            for message in made:
                message.identity = message.identity or derived_identity(message, self.occurrences)
        elif self.withdrawn and hash(uuid) in self.withdrawn:
            for message in made:
                message.state = "withdrawn"
        return made


def _describe(session: Session, row: dict[str, Any]) -> None:
    """Take the span of time and the project from a row."""
    values.widen(session, row.get("timestamp"))
    if session.project is None and isinstance(project := row.get("cwd"), str) and project:
        session.project = project


def _kind(row: dict[str, Any]) -> str | None:
    """The type of a row in lower case; None when it is no row of Claude Code."""
    kind = row.get("type")
    if not isinstance(kind, str):
        return None
    kind = kind.lower()
    if kind in _TURNS:
        return kind if "message" in row else None
    return kind if any(mark in row for mark in _MARKS) else None


def _uuid(row: dict[str, Any]) -> str | None:
    uuid = row.get("uuid")
    return uuid if isinstance(uuid, str) and uuid else None


def _queued_text(kind: str, row: dict[str, Any]) -> str | None:
    """The prompt of a row that queues one (steering while the agent works), else None."""
    if kind == "queue-operation":
        content = row.get("content")
    elif kind == "attachment" and (attachment := _attachment(row)).get("type") == "queued_command":
        content = attachment.get("prompt")
    else:
        return None
    text = "\n\n".join(claude_blocks.split(content).said) if content else ""
    return text if text.strip() else None


def _attachment(row: dict[str, Any]) -> dict[str, Any]:
    attachment = row.get("attachment")
    return attachment if isinstance(attachment, dict) else {}


def _mark(text: str) -> int:
    return hash(text.strip())


def _queued_identity(text: str) -> str:
    return f"queued:{sha256(text.strip())[:32]}"


def _title(facts: _Facts, title: str, rank: int) -> None:
    if rank >= facts.title_rank and title.strip():
        facts.session.title, facts.title_rank = title.strip(), rank


IMPORTER = Importer(NAME, sniff, read, (Place(".claude", "projects", variable="CLAUDE_CONFIG_DIR"),), grown=grown)
