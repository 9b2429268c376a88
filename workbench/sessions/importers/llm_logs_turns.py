"""The logs of llm since 0.32: threads of turns, each of which adds to a tree of messages that threads share.

A turn tells what is its own: the messages that it was given and nobody had told before, and those that it made. So a
thread that goes on where another is, or a client that sends all that was said with every request, tells nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.sessions.importers import claude_blocks
from workbench.sessions.importers.llm_logs_parts import Log, Said, attachment, fragment, parsed, spoken, usage
from workbench.sessions.importers.values import call, dumps, moment, record, rows_of, sequence, string
from workbench.sessions.model import Message

_COLUMNS = (
    "id parent_message_hash tip_message_hash model resolved_model input_tokens output_tokens token_details datetime_utc"
)


@dataclass(slots=True)
class _Parts:
    """The parts of a message."""

    texts: list[str] = field(default_factory=list)
    fragments: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)


class Turns:
    """The turns of a database."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.turn = log.select("turns", _COLUMNS, "id = ?")
        self.places: dict[str, int] = {}
        # The turn that first made a message, by its place among all turns.
        self.ends: dict[str, int] = {}
        if "tip_message_hash" in log.columns.get("turns", ()):
            sql = "SELECT id, parent_message_hash, tip_message_hash FROM turns ORDER BY datetime_utc, id"
            for place, (name, parent, tip) in enumerate(log.all(sql)):
                self.places[name] = place
                if tip != parent:
                    self.ends.setdefault(tip, place)

    def told(
        self, names: list[str], thread: dict[str, Any], continued: bool, said: Said
    ) -> Iterator[list[Message] | None]:
        """What was said in each turn of a thread (None for one that can't be read), and at last what stands in it
        without a turn.

        :param continued: an older version began the conversation; what it said is told already.
        """
        tip = string(thread.get("tip_message_hash"))
        shown = set(self._chain(tip))
        for number, name in enumerate(names):
            row = self.log.one(self.turn, name)
            yield self._turn(row, number == 0 and not continued, shown, said) if row else None
        if rest := self._given(tip, len(self.places), not names and not continued, said):
            yield self._messages(rest, moment(thread.get("datetime_utc")), said)

    def _turn(self, row: dict[str, Any], whole: bool, shown: set[str], said: Said) -> list[Message]:
        parent, end = string(row.get("parent_message_hash")), string(row.get("tip_message_hash"))
        time = moment(row.get("datetime_utc"))
        given = self._messages(self._given(parent, self.places[row["id"]], whole, said), time, said)
        own = self._messages(self._own(end, parent), time, said)
        for message in own:
            if message.role == "assistant":
                message.model = string(row.get("resolved_model")) or string(row.get("model"))
        if own:
            own[-1].usage = usage(row)
        if shown and end is not None and end not in shown:
            for message in (*given, *own):
                message.state = "withdrawn"
        return [*given, *own]

    def _chain(self, tip: str | None) -> list[str]:
        """The messages that lead to one, that one first."""
        sql = (
            "WITH RECURSIVE chain(hash) AS (SELECT ?1 UNION SELECT messages.parent_hash FROM messages"
            " JOIN chain ON messages.hash = chain.hash WHERE messages.parent_hash IS NOT NULL) SELECT hash FROM chain"
        )
        return [row[0] for row in self.log.all(sql, tip)] if tip else []

    def _given(self, parent: str | None, place: int, whole: bool, said: Said) -> list[tuple[str, str]]:
        """(name, role) of the messages that a turn was given: its own are those since the last answer; of the first
        turn all are that no turn told before."""
        given: list[tuple[str, str]] = []
        seen: set[str] = set()
        while parent and parent not in seen and parent not in said.names:
            row = self.log.one("SELECT role, parent_hash FROM messages WHERE hash = ?", parent)
            role = str(row.get("role"))
            known = self.ends.get(parent, place) < place
            if not row or (known if whole else role not in ("user", "tool")):
                break
            seen.add(parent)
            given.append((parent, role))
            parent = string(row.get("parent_hash"))
        return given[::-1]

    def _own(self, tip: str | None, parent: str | None) -> list[tuple[str, str]]:
        """(name, role) of the messages that a turn made."""
        own: list[tuple[str, str]] = []
        seen: set[str] = set()
        while tip and tip != parent and tip not in seen:
            row = self.log.one("SELECT role, parent_hash FROM messages WHERE hash = ?", tip)
            if not row:
                break
            seen.add(tip)
            own.append((tip, str(row.get("role"))))
            tip = string(row.get("parent_hash"))
        return own[::-1]

    def _messages(self, names: list[tuple[str, str]], time: str | None, said: Said) -> list[Message]:
        made: list[Message] = []
        for name, role in names:
            if name not in said.names:
                said.names.add(name)
                made += self._message(name, role, time, said)
        return made

    def _message(self, name: str, role: str, time: str | None, said: Said) -> list[Message]:
        parts = self._parts(name, apart=role == "user")
        text = "".join(parts.texts)
        if role == "user":
            made = spoken(name, parts.texts, parts.fragments, time)
        elif role == "assistant":
            answer = Message(name, "assistant", "assistant", text, time)
            answer.thinking = claude_blocks.joined(parts.thinking) or None
            answer.tool_calls = parts.calls or None
            made = [answer] if text.strip() or answer.thinking or answer.tool_calls else []
        elif text.strip() and text.strip() != said.system:
            said.system = text.strip() if role == "system" else said.system
            made = [Message(name, "system", "harness", text, time)]
        else:
            made = []
        for result in parts.results:
            result.identity = f"{name}#{len(made)}" if made else name
            result.timestamp = time
            made.append(result)
        return made

    def _parts(self, name: str, apart: bool) -> _Parts:
        """The parts of a message.

        :param apart: the text of fragments is kept apart from what was typed.
        """
        parts = _Parts()
        keys = self.log.all("SELECT id FROM parts WHERE message_hash = ? ORDER BY position", name)
        sql = "SELECT type, tool_name, text, payload FROM parts WHERE id = ?"
        for _, row in rows_of(self.log.connection, sql, keys, self.log.counts):
            self._take(dict(row), parts, apart)
        return parts

    def _take(self, row: dict[str, Any], parts: _Parts, apart: bool) -> None:
        kind, text, payload = str(row["type"]).lower(), string(row["text"]), record(parsed(row["payload"]))
        if kind == "text":
            parts.texts += [text] if text else self._woven(payload, parts, apart)
        elif kind == "reasoning" and text:
            parts.thinking.append(text)
        elif kind == "tool_call":
            parts.calls.append(call(payload.get("tool_call_id"), row["tool_name"], payload.get("arguments")))
        elif kind == "tool_result":
            texts = [dumps(payload[key]) for key in ("output", "exception") if payload.get(key) is not None]
            texts += [attachment(self.log, record(each).get("id")) for each in sequence(payload.get("attachments"))]
            result = Message("", "tool", "tool", "\n".join(texts))
            result.tool_call_id, result.name = string(payload.get("tool_call_id")), string(row["tool_name"])
            parts.results.append(result)
        elif kind == "attachment":
            mark = attachment(self.log, record(payload.get("attachment")).get("id"))
            parts.texts.append(f"\n\n{mark}" if parts.texts else mark)

    def _woven(self, payload: dict[str, Any], parts: _Parts, apart: bool) -> list[str]:
        """A text that borrows from fragments."""
        texts = []
        for piece in map(record, sequence(payload.get("text_ref"))):
            if "fragment" not in piece:
                texts.append(string(piece.get("literal")) or "")
                continue
            mark, content = fragment(self.log, piece["fragment"])
            texts.append(mark if apart else content)
            if apart:
                parts.fragments.append(f"{mark}\n{content}")
        return texts
