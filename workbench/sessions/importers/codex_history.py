"""What later rows of a Codex rollout do to earlier messages: compaction, rollback, echoes, token counts; and where the
history that a fork repeats ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from workbench.sessions.importers import NotGrown
from workbench.sessions.importers.codex_items import MODEL, SUMMARY_PREFIX, Draft, said_key
from workbench.sessions.importers.lines import Json
from workbench.sessions.importers.values import record, string
from workbench.sessions.model import State, seen

_STATES: tuple[State, ...] = ("active", "compacted", "withdrawn")
_ACTIVE, _COMPACTED, _WITHDRAWN = range(3)
# The number of the last message that was read before.
_BEFORE = -1
# An echo follows within so many messages.
_ECHOES = 16
_USAGE = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cached_input_tokens",
    "reasoning": "reasoning_output_tokens",
}
_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GoingOn:
    """What must be known of a rollout to read what was added to it.

    :param told: whether a message of this identity was there.
    :param echoes: of the last messages, how often each channel told them.
    :param turn: whether turns are told of, the last one was asked for, what the person says in it is shown.
    :param answered: the tokens of the last answer are not counted yet.
    :param counted: the last count.
    """

    told: Callable[[str], bool]
    echoes: dict[str, list[int]]
    turn: list[bool]
    answered: bool
    counted: dict[str, Any] | None


class Utterances:
    """Tells what is new from the echo of what another channel told already.

    The n-th telling of the same in one channel is the n-th telling in every other, whichever comes first; so its name
    is (what, n), without a time, and stays when the echo follows later.
    """

    def __init__(self, going_on: GoingOn | None = None) -> None:
        self._before = going_on.told if going_on else None
        self._told = {key: list(told) for key, told in going_on.echoes.items()} if going_on else {}

    def last(self) -> dict[str, list[int]]:
        """How often the last messages were told in each channel: their echo may follow."""
        return dict(list(self._told.items())[-_ECHOES:])

    def identity(self, draft: Draft) -> str | None:
        """The identity of a message, or None for an echo."""
        told = self._told.pop(draft.key, None) or self._earlier(draft.key)
        self._told[draft.key] = told
        known = max(told)
        told[draft.channel] += 1
        return f"{draft.key}:{known}" if told[draft.channel] > known else None

    def _earlier(self, key: str) -> list[int]:
        """How often each channel told it in what was read before: as often as it was told at all."""
        if (before := self._before) is None:
            return [0, 0, 0]
        return [seen(lambda number: before(f"{key}:{number}"))] * 3


class History:
    """The messages of a rollout by number, in the order in which they were told."""

    def __init__(self, going_on: GoingOn | None = None) -> None:
        self.usage: dict[int, dict[str, int]] = {}
        self.injected: set[int] = set()
        self._utterances = Utterances(going_on)
        self._states = bytearray()
        self._last: dict[str, int] = {}
        self._live: list[int] = []
        self._turns: list[int] = []
        self._in_turns, self._asked, self._shown = going_on.turn if going_on else (False, False, False)
        self._unshown: dict[str, int] = {}
        self._answer: int | None = _BEFORE if going_on and going_on.answered else None
        self._counted: dict[str, Any] | None = going_on.counted if going_on else None
        self._going_on = going_on is not None

    @property
    def changes_what_was_told(self) -> bool:
        """Whether what was added to a rollout says more of a message before it."""
        return _BEFORE in self.usage

    def at_the_end(self) -> dict[str, Any] | None:
        """What must be known to go on (see ``GoingOn``); None while it is open who said the last."""
        if self._unshown:
            return None
        turn = [self._in_turns, self._asked, self._shown]
        answered = self._answer is not None
        return {"echoes": self._utterances.last(), "turn": turn, "answered": answered, "counted": self._counted}

    def state(self, number: int) -> State:
        """What has become of a message; one that was not there when the history was read is active."""
        return _STATES[self._states[number]] if number < len(self._states) else "active"

    def add(self, draft: Draft) -> None:
        """A message was told."""
        identity = self._utterances.identity(draft)
        if identity is not None:
            number = self._last[draft.key] = len(self._states)
            self._states.append(_ACTIVE)
            self._live.append(number)
            if draft.message.role == "assistant":
                self._answer = number
            if draft.asks and not (self._asked and self._in_turns):
                self._turns.append(number)
                self._asked = True
        self._watch(draft, identity is not None)

    def start_turn(self) -> None:
        """The agent begins a turn: what a person adds while it lasts begins none."""
        self._in_turns, self._asked, self._shown = True, False, False
        self._unshown.clear()

    def compact(self, kept: Iterable[Draft], message: Json) -> None:
        """Everything so far was compacted, apart from what was ``kept``, into a summary, the ``message``."""
        if self._going_on:
            raise NotGrown
        left = {self._last.get(draft.key) for draft in kept}
        for number in self._live:
            if number not in left:
                self._states[number] = _COMPACTED
        self._live = [number for number in self._live if number in left]
        if text := string(message):  # older versions record the model's own words of it as an answer, too
            answer = text.partition("\n")[2] if text.startswith(SUMMARY_PREFIX) else text
            if (told := self._last.get(said_key("assistant", [answer]))) is not None:
                self.injected.add(told)

    def roll_back(self, turns: Json) -> None:
        """The last ``turns`` turns were taken back."""
        if self._going_on:
            raise NotGrown
        if isinstance(turns, bool) or not isinstance(turns, int) or turns < 1 or not self._turns:
            return
        start = self._turns[-turns:][0]
        del self._turns[-turns:]
        self._states[start:] = bytes([_WITHDRAWN]) * (len(self._states) - start)
        self._live = [number for number in self._live if number < start]
        self._answer = None

    def count_tokens(self, payload: dict[str, Any]) -> None:
        """The tokens of the last answer were counted; the same count is often told again."""
        info = record(payload.get("info"))
        counted = record(info.get("last_token_usage")) or payload
        usage = {name: counted[key] for name, key in _USAGE.items() if type(counted.get(key)) is int}
        if usage and info != self._counted and self._answer is not None:
            self.usage[self._answer] = usage
            self._answer = None
        self._counted = info or None

    def _watch(self, draft: Draft, new: bool) -> None:
        """In a turn that shows what the person says, what is not shown by the time of the answer is not the person's.

        Not every version shows it, and not the oldest part of a rollout that a newer one went on with.
        """
        if draft.message.role in ("assistant", "tool"):
            self.injected.update(self._unshown.values() if self._shown else ())
            self._unshown.clear()
        elif draft.channel != MODEL:
            self._shown = True
            self._unshown.pop(draft.key, None)
            if draft.key not in self._last:  # what was read before shows now
                raise NotGrown
            self.injected.discard(self._last[draft.key])
        elif draft.asks and new and self._in_turns and draft.message.origin == "user":
            self._unshown[draft.key] = self._last[draft.key]


class Fork:
    """Which rows of a rollout repeat the history of the thread that it was forked from.

    They follow that thread's own ``session_meta`` and have new times, but old turns: ids of turns say when these began.

    :param parent: the thread that was forked, if any.
    """

    def __init__(self, meta: dict[str, Any]) -> None:
        self._own = string(meta.get("id"))
        self._began = _milliseconds(self._own)
        self.parent = string(meta.get("forked_from_id"))
        self._foreign = self._old_turns = False
        self._until: int | None = None

    @property
    def is_one(self) -> bool:
        """Whether there is a history that it may repeat."""
        return self._foreign or self.parent is not None

    @property
    def repeating(self) -> bool:
        """Whether the row just seen is repeated."""
        return self._foreign and self._until is None

    def see(self, offset: int, kind: str, payload: dict[str, Any]) -> None:
        """Take notice of a row."""
        if kind == "session_meta" and (name := string(payload.get("id"))):
            if name != self._own:
                self._foreign = True
                self.parent = self.parent or name
            elif self.repeating:
                self._until = offset
        elif self.repeating and (began := _milliseconds(string(payload.get("turn_id")))):
            if began < self._began:
                self._old_turns = True
            else:
                self._until = offset

    def repeats(self, offset: int) -> bool:
        """Whether the row at ``offset`` is repeated, now that all are seen; without any turn with an id nobody knows,
        and none is."""
        return self._foreign and (self._old_turns if self._until is None else offset < self._until)


def _milliseconds(uuid: str | None) -> int:
    """The time that a UUID of version 7 was made; 0 for another."""
    match = _UUID7.fullmatch(uuid or "")
    return int(match[1] + match[2], 16) if match else 0
