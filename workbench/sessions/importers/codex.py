"""OpenAI Codex: ``~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl``, a row ``{timestamp, type, payload}`` a
line; the oldest begin with a header without a type, and bare items follow.

Built from openai/codex (codex-rs: rollout/src/policy.rs, protocol/src/{models,items}.rs, core/src/session/
rollout_reconstruction.rs, core/src/context), kenn-io/agentsview (internal/parser/codex.go, how forks repeat their
parent), Sinity/polylogue (docs/providers/openai-codex.md) and what ccusage#1370, pingdotgg/t3code#5887,
garrytan/gbrain#5163 and graykode/abtop#170 report of real rollouts.

Two passes: the first learns what later rows do to earlier ones, the second reads the messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.sessions.importers import Found, Growth, Importer, NotGrown, Place, Sample, lines
from workbench.sessions.importers import codex_items as items
from workbench.sessions.importers.codex_history import Fork, GoingOn, History, Utterances
from workbench.sessions.importers.codex_items import Draft
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable, size_of
from workbench.sessions.importers.values import moment, record, string, widen
from workbench.sessions.model import LEARNABLE, Message, Origin, Session
from workbench.text import storable

NAME = "codex"
_ROWS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_BARE = re.compile(r"message|reasoning|[a-z_]+_call(?:_output)?")
_TURN_STARTED = ("task_started", "turn_started")
_STEM = re.compile(r"rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE)
_CWD = re.compile(r"<cwd>([^<\n]{1,4096})</cwd>")
_AUTOMATIC = ("exec", "mcp")
_OPEN_CALLS = 16
_FACTS = {"originator": "originator", "cli_version": "version", "model_provider": "provider", "agent_role": "role"}


def sniff(sample: Sample) -> bool:
    """Rows of a rollout, or the header and the first item of the oldest kind."""
    rows = [row for row in sample.rows if isinstance(row, dict)]
    if any(row.get("type") in _ROWS and isinstance(row.get("payload"), dict) for row in rows if _typed(row)):
        return True
    return bool(rows) and _is_header(rows[0]) and any(_is_bare(row) for row in rows[1:])


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The one thread of a rollout."""
    rollout = _Rollout(file)
    rollout.learn()
    yield Found(rollout.session, rollout.messages(counts), (), rollout.end, rollout.state)


def grown(file: Path, counts: Counts, growth: Growth) -> Found:
    """What is new in a rollout."""
    rollout = _Rollout(file, growth)
    rollout.learn()
    if rollout.fork is not None or rollout.history.changes_what_was_told:
        raise NotGrown
    return Found(rollout.session, rollout.messages(counts), (), rollout.end, rollout.state)


class _Rollout:
    """A rollout, or what is new in one; a row is told by its kind and its payload."""

    def __init__(self, file: Readable, growth: Growth | None = None) -> None:
        self.file = file
        self.start, self.end = growth.end if growth else 0, size_of(file)
        stem = _STEM.fullmatch(file.stem)
        self.session = Session(f"{NAME}:{stem[1] if stem else storable(file.stem)}", source=str(file))
        self.session.metadata["agent"] = NAME
        self.fork: Fork | None = None
        self.origin: Origin | None = None  # of all that is said in it, where no person takes part
        self.model: str | None = None
        self.names: dict[str, str] = {}  # of tools, by the calls that are not answered yet
        self.going_on: GoingOn | None = None
        self.unsettled = False
        if growth:
            self._go_on(growth)
        self.history = History(self.going_on)

    def _go_on(self, growth: Growth) -> None:
        state = growth.state
        self.session.key, self.origin, self.model = growth.key, state["origin"], state["model"]
        self.names, self.unsettled = dict(state["names"]), state["unsettled"]
        self.going_on = GoingOn(growth.told, *(state[name] for name in ("echoes", "turn", "answered", "counted")))

    def state(self) -> dict[str, Any] | None:
        """What must be known to read what will be added; that what describes the thread changed waits for its rest."""
        told = self.history.at_the_end()
        if told is None or not isinstance(self.file, Path) or (self.fork is not None and self.fork.is_one):
            return None
        names = dict(list(self.names.items())[-_OPEN_CALLS:])
        return {**told, "origin": self.origin, "model": self.model, "names": names, "unsettled": self.unsettled}

    def learn(self) -> None:
        """The first pass."""
        for offset, row in lines.rows(self.file, Counts(), self.start, self.end):
            try:
                kind, payload = _told(row)
                drafts = _drafts(kind, payload)
                self._happen(kind, payload)
            except NotGrown:
                raise
            except Exception:  # the second pass says so
                continue
            self._describe(row, kind, payload)
            if self.fork is not None:
                self.fork.see(offset, kind, payload)
            for draft in drafts:
                self.history.add(draft)
                if self.session.project is None and draft.message.origin == "harness":
                    cwd = _CWD.search(draft.message.content)
                    self.session.project = cwd[1] if cwd else None

    def messages(self, counts: Counts) -> Iterator[Message]:
        """The second pass."""
        utterances, number, names = Utterances(self.going_on), 0, self.names
        repeated = self.fork is not None and _lies_beside(self.file, self.fork.parent)
        for offset, row in lines.rows(self.file, counts, self.start, self.end):
            try:
                kind, payload = _told(row)
                drafts = _drafts(kind, payload)
            except Exception as error:
                counts.quarantine(offset, f"unreadable row: {type(error).__name__} {error}"[:120])
                continue
            if kind == "turn_context":
                self.model = string(payload.get("model")) or self.model
            left_out = repeated and self.fork is not None and self.fork.repeats(offset)
            made = []
            for draft in drafts:
                if identity := utterances.identity(draft):
                    message = draft.message
                    message.identity, message.timestamp = identity, _time(row, payload)
                    message.model = self.model if message.role == "assistant" else None
                    made.append(self._settled(message, number, names))
                    number += 1
            if (made and not left_out) or kind in ("session_meta", "turn_context"):
                counts.kept += 1
            else:
                counts.skipped += 1
            yield from () if left_out else made

    def _settled(self, message: Message, number: int, names: dict[str, str]) -> Message:
        """A message with all that other rows say of it."""
        message.state = self.history.state(number)
        message.usage = self.history.usage.get(number)
        heard = message.origin in LEARNABLE or (self.origin == "subagent" and message.origin == "tool")
        if number in self.history.injected:
            message.origin = "harness"
        elif self.origin and heard:
            message.origin = self.origin
        for call in message.tool_calls or ():
            names[call["id"]] = call["function"]["name"]
        if message.role == "tool" and message.tool_call_id:
            message.name = names.pop(message.tool_call_id, None) or message.name
        return message

    def _happen(self, kind: str, payload: dict[str, Any]) -> None:
        """What a row does to the messages before it."""
        event = str(payload.get("type")).lower()
        if kind == "compacted":
            self.history.compact(items.replacement(payload), payload.get("message"))
        elif event == "token_count":
            self.history.count_tokens(payload)
        elif kind == "event_msg" and event in _TURN_STARTED:
            self.history.start_turn()
        elif kind == "event_msg" and event == "thread_rolled_back":
            self.history.roll_back(payload.get("num_turns"))

    def _describe(self, row: dict[str, Any], kind: str, payload: dict[str, Any]) -> None:
        """Take from a row what it says of the thread."""
        session = self.session
        widen(session, _time(row, payload))
        if kind == "session_meta" and self.fork is None:
            self._name(payload)
        elif kind == "turn_context":
            session.project = session.project or string(payload.get("cwd"))
            if model := string(payload.get("model")):
                self.unsettled |= self.going_on is not None and model != self.model
                session.metadata["model"] = model
        elif payload.get("type") == "thread_name_updated" and not (self.fork and self.fork.repeating):
            session.title = string(payload.get("thread_name")) or session.title

    def _name(self, meta: dict[str, Any]) -> None:
        """Take the first ``session_meta``; others are repeated from the thread that was forked."""
        session, metadata = self.session, self.session.metadata
        self.fork = Fork(meta)
        if name := string(meta.get("id")):
            session.key = f"{NAME}:{name}"
        session.project = string(meta.get("cwd"))
        facts = {metadata_key: meta.get(key) for key, metadata_key in _FACTS.items()}
        facts["git_branch"] = record(meta.get("git")).get("branch")
        facts["forked_from"] = meta.get("forked_from_id")
        metadata.update({key: text for key, value in facts.items() if (text := string(value))})
        self.origin, kind, parent = _driver(meta)
        if kind:
            metadata["kind"] = kind
        if parent:
            metadata["parent"] = parent


def _driver(meta: dict[str, Any]) -> tuple[Origin | None, str | None, str | None]:
    """(origin of what is said, kind, parent thread) of a thread that another agent or a program drives."""
    source, parent = meta.get("source"), string(meta.get("parent_thread_id"))
    if isinstance(source, dict):
        kinds = {str(key).lower().replace("_", ""): value for key, value in source.items()}
        if "subagent" in kinds:
            spawned = record(record(kinds["subagent"]).get("thread_spawn"))
            return "subagent", "subagent", parent or string(spawned.get("parent_thread_id"))
        return ("automation", "automation", parent) if "internal" in kinds else (None, None, parent)
    if meta.get("thread_source") == "subagent" or str(source).lower().replace("_", "") == "subagent":
        return "subagent", "subagent", parent
    return ("automation", "automation", parent) if source in _AUTOMATIC else (None, None, parent)


def _lies_beside(file: Readable, thread: str | None) -> bool:
    """Whether the rollout of another thread lies where this one does, so that it is read itself."""
    if not isinstance(file, Path) or not thread or not re.fullmatch(r"[\w-]+", thread):
        return False
    homes = [folder.parent for folder in file.parents if folder.name in ("sessions", "archived_sessions")]
    folders = [homes[0] / "sessions", homes[0] / "archived_sessions"] if homes else [file.parent]
    return any(True for folder in folders for _ in folder.rglob(f"rollout-*-{thread}.jsonl"))


def _told(row: Json) -> tuple[str, dict[str, Any]]:
    """(kind, payload) of a row, whatever version wrote it.

    :raises ValueError: when it is no row of a rollout.
    """
    if isinstance(row, dict):
        kind, payload = row.get("type"), row.get("payload")
        if isinstance(kind, str) and isinstance(payload, dict):
            return kind, payload
        if _is_header(row):
            return "session_meta", row
        if _is_bare(row):
            return "response_item" if _typed(row) else "state", row
    raise ValueError("not a row of Codex")


def _typed(row: dict[str, Any]) -> bool:
    return isinstance(row.get("type"), str)


def _is_header(row: dict[str, Any]) -> bool:
    known = "instructions" in row or "git" in row
    return known and "type" not in row and all(isinstance(row.get(key), str) for key in ("id", "timestamp"))


def _is_bare(row: dict[str, Any]) -> bool:
    return "record_type" in row or (_typed(row) and "payload" not in row and bool(_BARE.fullmatch(row["type"])))


def _drafts(kind: str, payload: dict[str, Any]) -> list[Draft]:
    if kind == "response_item":
        return items.response(payload)
    if kind == "event_msg":
        return items.event(payload)
    if kind == "compacted":
        return [items.summary(payload)]
    return items.from_agent(payload) if kind == "inter_agent_communication" else []


def _time(row: dict[str, Any], payload: dict[str, Any]) -> str | None:
    return moment(row.get("timestamp")) or moment(payload.get("timestamp"))


_PLACES = tuple(Place(".codex", below, variable="CODEX_HOME") for below in ("sessions", "archived_sessions"))
IMPORTER = Importer(NAME, sniff, read, _PLACES, grown=grown)
