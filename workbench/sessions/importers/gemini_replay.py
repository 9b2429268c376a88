"""What a recording of the Gemini CLI comes to: its rows tell a conversation that is written anew as it goes on.

A message is written again whole whenever something is added to it. ``$rewindTo`` takes a message back, and all after it
(all there are where it is not known, as the CLI reads it). ``$set`` with ``messages``, and ``$patch``, say what the
model is still shown: the rest was compacted away. When tool outputs are masked or the conversation is compacted, the
CLI records every turn that is left a second time under another id; such a copy is told apart by what it says, and the
message it copies stays. What a mask put in the place of an output is not read, the output is.
"""

from __future__ import annotations

from typing import Any

from workbench.sessions.importers import gemini_parts
from workbench.sessions.importers.values import record, sequence, string
from workbench.sessions.model import State

TURNS = ("user", "gemini", "model", "assistant")
TYPES = (*TURNS, "info", "error", "warning")


def kind_of(row: dict[str, Any]) -> str:
    """The type of a row in lower case."""
    return str(row.get("type")).lower()


def is_message(row: dict[str, Any]) -> bool:
    """Whether a row is a message, not news of the conversation."""
    return string(row.get("id")) is not None or kind_of(row) in TYPES


def update_of(row: dict[str, Any]) -> dict[str, Any] | None:
    """What a row says of the conversation as a whole; ``messages`` among it."""
    if isinstance(update := row.get("$set"), dict):
        return update
    return row if "sessionId" in row and not is_message(row) else None


def is_news(row: dict[str, Any]) -> bool:
    """Whether a row says something of the conversation, and is no message."""
    changed = isinstance(row.get("$rewindTo"), str) or isinstance(row.get("$patch"), dict)
    return changed or update_of(row) is not None


class Replay:
    """The first pass over the rows of a recording."""

    def __init__(self) -> None:
        self.metadata: dict[str, Any] = {}
        self.states: dict[str, State] = {}
        self.copies: dict[str, str] = {}
        self.listed = -1
        self._told: dict[str, int] = {}
        self._own: set[str] = set()
        self._marks: dict[str, int] = {}
        self._shown: dict[str, None] = {}
        self._notices: set[str] = set()

    def take(self, row: dict[str, Any], offset: int) -> bool:
        """Go on by one row; false when it is none of the CLI's."""
        if isinstance(target := row.get("$rewindTo"), str):
            self._rewind(target)
        elif isinstance(patch := row.get("$patch"), dict):
            self._leave([name for name in sequence(patch.get("removeIds")) if isinstance(name, str)])
        elif (update := update_of(row)) is not None:
            self.metadata.update((name, value) for name, value in update.items() if name != "messages")
            if messages := gemini_parts.listed(update.get("messages")):
                self._replace(messages, offset)
        elif is_message(row):
            self._message(row, offset)
        else:
            return False
        return True

    def is_told(self, name: str, offset: int) -> bool:
        """Whether a message is told by the row at ``offset``, not better by another one."""
        return self._told.get(name) == offset and name not in self.copies

    def _message(self, row: dict[str, Any], offset: int) -> None:
        if name := string(row.get("id")):
            self._own.add(name)
            self._register(name, row, offset)
            self._shown.setdefault(self.copies.get(name, name))
            self.states.pop(name, None)

    def _register(self, name: str, row: dict[str, Any], offset: int) -> None:
        self._told[name] = offset
        self._marks[name] = _mark(row)
        if kind_of(row) not in TURNS:
            self._notices.add(name)

    def _rewind(self, target: str) -> None:
        names = list(self._shown)
        target = self.copies.get(target, target)
        for name in names[names.index(target) if target in self._shown else 0 :]:
            del self._shown[name]
            self.states[name] = "withdrawn"

    def _replace(self, messages: list[dict[str, Any]], offset: int) -> None:
        """Only these turns are shown to the model from here on; notices never were."""
        self.listed = offset
        names: list[str] = []
        for message in messages:
            if name := string(message.get("id")):
                if name not in self._own:
                    self._register(name, message, offset)
                names.append(name)
        listed = {self.copies.get(name, name) for name in names}
        gone = [name for name in self._shown if name not in listed and name not in self._notices]
        originals: dict[int, list[str]] = {}
        for name in reversed(gone):
            originals.setdefault(self._marks[name], []).append(name)
        for name in names:
            if name not in self.copies and (same := originals.get(self._marks[name])):
                self.copies[name] = same.pop()
        shown = dict.fromkeys(self.copies.get(name, name) for name in names)
        self._leave([name for name in gone if name not in shown])
        notices = {name: None for name in self._shown if name in self._notices}
        self._shown = notices | shown

    def _leave(self, names: list[str]) -> None:
        for name in names:
            name = self.copies.get(name, name)
            if name in self._shown and name not in self._notices:
                del self._shown[name]
                self.states[name] = "compacted"


def _mark(row: dict[str, Any]) -> int:
    """What a message says and does, whatever it is called."""
    parts = gemini_parts.split(row.get("content"))
    calls = [record(made) for made in sequence(row.get("toolCalls"))]
    done = {string(made.get("id")) or str(made.get("name")) for made in calls}
    done.update(gemini_parts.names_of(parts.calls), (str(result.call_id) for result in parts.results))
    kind = "user" if kind_of(row) == "user" else "gemini"
    return hash((kind, "".join(parts.text.split()), frozenset(done)))
