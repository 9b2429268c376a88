"""The traces of memories in a ledger: how they were ever worded, where they were found, who quotes them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from workbench import text
from workbench.errors import WorkbenchError
from workbench.ledger import gate
from workbench.ledger.model import SourceType, Table, row_dict
from workbench.notes import projection

# Free text of rows that tell of another memory, and may quote one.
QUOTING: dict[Table, str] = {"memory_evidence": "excerpt", "rejections": "reason", "memory_feedback": "note"}
MEMORY_ID = re.compile(r"m_[0-9a-f]+")
_TELLING: tuple[Table, ...] = ("memories", "memory_revisions", "memory_evidence", "rejections")
# A wording shorter than both is found in other people's sentences too, so it is no quote there.
_QUOTE_WORDS, _QUOTE_CHARACTERS = 3, 16
# Letters of scripts that set spaces between words; the others (Thai to Khmer, kana, Han, Hangul) write on without.
_LETTER = r"[^\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
Scope = tuple[str, str]


@dataclass
class Traces:
    """What tells of some memories.

    :param wordings: normal forms of what they say and ever said; ``lines``: how many lines that has in a note.
    :param said: the wordings as they are written.
    :param excerpts: normal forms of what they were learned from: evidence that the dreamer found, and any that holds a
        wording. What else was brought as evidence, an agent may have attached to anything.
    :param messages: the session messages they were learned from, as (session key, message id).
    """

    ids: tuple[str, ...]
    wordings: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    lines: set[int] = field(default_factory=lambda: {1})
    excerpts: set[str] = field(default_factory=set)
    messages: set[tuple[str, int]] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)
    scopes: set[Scope] = field(default_factory=set)

    @classmethod
    def of(cls, connection: sqlite3.Connection, ids: Iterable[str]) -> Traces:
        """The traces that the rows and the events of these memories hold."""
        traces = cls(tuple(ids))
        for table in _TELLING:
            column = "id" if table == "memories" else "memory_id"
            for row in connection.execute(
                f"SELECT * FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))", (json.dumps(traces.ids),)
            ):
                traces._see(table, row_dict(row))
        for seq, payload, learned in connection.execute(
            "SELECT seq, payload, actor GLOB 'dreamer:*' AND action <> 'disavowed' FROM event_payloads"
            " JOIN memory_events USING (seq)"
        ):
            if traces.named_in(payload):
                for image in document(seq, payload)["images"]:
                    for row in (image["before"], image["after"]):
                        if row is not None and traces._owner(image["table"], row):
                            traces._see(image["table"], row)
                    if image["before"] is None and learned:
                        traces._found.add(image["id"])
        for scope in traces.scopes:
            traces.fingerprints |= {gate.fingerprint(wording, *scope) for wording in traces.wordings}
        if pattern := "|".join(re.escape(wording) for wording in sorted(traces.wordings) if _is_quote(wording)):
            traces._worded = re.compile(f"(?<!{_LETTER})(?:{pattern})(?!{_LETTER})")
        traces._learn()
        return traces

    def named_in(self, stored: str) -> bool:
        """Whether a stored text names one of the memories by its id."""
        return not self._known.isdisjoint(MEMORY_ID.findall(stored))

    def worded_in(self, said: str) -> bool:
        """Whether a text holds a wording of one of the memories, one long enough to be a quote."""
        return self._worded.search(text.normal_form(said)) is not None

    def quoted_in(self, said: str | None) -> bool:
        """Whether a text quotes one of the memories, is one of their wordings, or is what it was learned from."""
        if not said or said == text.ERASED:
            return False
        return text.normal_form(said) in self.excerpts | self.wordings or self.worded_in(said)

    def held_by(self, table: Table, row: Mapping[str, Any]) -> str | None:
        """The memory (any, when it is quoted only) of which a row tells; None when of none."""
        if owner := self._owner(table, row):
            return owner
        if table == "rejections" and row["fingerprint"] in self.fingerprints:
            return self.ids[0]
        if table == "memory_evidence" and _message(row) in self.messages:
            return self.ids[0]
        return self.ids[0] if table in QUOTING and self.quoted_in(row[QUOTING[table]]) else None

    def told_in(self, memory_id: str | None, document: Mapping[str, Any]) -> str | None:
        """The memory of which the payload of an event tells; None when of none.

        :param memory_id: whose event it is.
        """
        if memory_id in self._known:
            return memory_id
        for image in document["images"]:
            for row in (image["before"], image["after"]):
                if row is not None and (found := self.held_by(image["table"], row)):
                    return found
        return self.ids[0] if any(map(self.worded_in, _strings(document["details"]))) else None

    def matcher(self) -> Callable[[str], bool]:
        """Whether an entry of a note is one of the statements."""
        return matcher(self.scopes, self.fingerprints.__contains__)

    def __post_init__(self) -> None:
        self._known = frozenset(self.ids)
        self._worded = re.compile("(?!)")
        self._found: set[str] = set()
        self._evidence: dict[str, Mapping[str, Any]] = {}

    def _owner(self, table: Table, row: Mapping[str, Any]) -> str | None:
        named = ("id",) if table == "memories" else ("memory_id", "related_id")
        return next((row[name] for name in named if row.get(name) in self._known), None)

    def _see(self, table: Table, row: Mapping[str, Any]) -> None:
        if table in ("memories", "memory_revisions") and (form := text.normal_form(row["content"])):
            self.wordings.add(form)
            self.said.add(row["content"])
            self.lines.add(row["content"].count("\n") + 1)
        if table == "memories":
            self.scopes.add((row["scope_type"], row["scope_key"]))
            if row["created_by"].startswith("dreamer:"):
                numbers = json.loads(row["source_message_ids"]) if row["source_session"] else []
                self.messages |= {(row["source_session"], number) for number in numbers}
        if table in ("memories", "rejections"):
            self.fingerprints.add(row["fingerprint"])
        if table == "memory_evidence" and (row["id"] not in self._evidence or row["excerpt"] != text.ERASED):
            self._evidence[row["id"]] = row

    def _learn(self) -> None:
        """Sort out which evidence is what the memories were learned from."""
        for key, row in self._evidence.items():
            message, form = _message(row), text.normal_form(row["excerpt"])
            found = key in self._found or message in self.messages
            if found or form in self.wordings or self.worded_in(form):
                self.excerpts.add(form)
                if message:
                    self.messages.add(message)
        self.excerpts.discard("")


def _is_quote(wording: str) -> bool:
    return len(wording.split()) >= _QUOTE_WORDS or len(wording) >= _QUOTE_CHARACTERS


def document(seq: int, payload: str) -> dict[str, Any]:
    """What an event holds.

    :raises WorkbenchError: when it can't be read.
    """
    try:
        found = orjson.loads(payload)
        if isinstance(found["images"], list) and isinstance(found["details"], dict):
            return dict(found)
    except (ValueError, KeyError, TypeError):
        pass
    raise WorkbenchError(f"event {seq} can't be read; `workbench memory audit --verify` checks it")


def matcher(scopes: Collection[Scope], known: Callable[[str], bool]) -> Callable[[str], bool]:
    """Whether an entry of a note is a statement of one of these scopes, as MEMORY.md shows it or as it was stored.

    :param known: whether a fingerprint is one of theirs.
    """

    def erased(entry: str) -> bool:
        for scope_type, scope_key in scopes:
            shown = "" if scope_type == "global" else f" ({scope_type}: {scope_key})"
            spellings = {entry, projection.unescaped(entry)}
            spellings |= {said.removesuffix(shown) for said in spellings}
            if any(known(gate.fingerprint(said, scope_type, scope_key)) for said in spellings):
                return True
        return False

    return erased


def _message(row: Mapping[str, Any]) -> tuple[str, int] | None:
    """The session message that evidence lies in."""
    session, _, number = row["source_ref"].rpartition("#")
    if row["source_type"] != SourceType.SESSION or not number.isdecimal():
        return None
    return session, int(number)


def _strings(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
