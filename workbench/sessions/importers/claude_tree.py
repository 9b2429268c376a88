"""The shape of a Claude Code session: which rows are superseded by later ones, which prompts were taken back.

Everything is kept as 64-bit hashes and flags, some 150 bytes a row, so that a file of any size fits in memory.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from typing import Any

# A row of a subagent; a turn of the person, the assistant or a tool; a prompt the person wrote; a row that is kept.
SIDE, TURN, PROMPT, MESSAGE = 1, 2, 4, 8
_REMEMBERED_IDS = 1_000
# A row stands behind the one before it, or, where tools are called side by side, behind one a little before that.
_BEHIND = 12

# One block of an assistant row: (kind, length, hash of its id or text).
Block = tuple[str, int, int]


class Tree:
    """Rows of one session by their ``uuid``, linked by ``parentUuid`` (``logicalParentUuid`` over a compaction)."""

    def __init__(self) -> None:
        self._number: dict[int, int] = {}
        self._parent = array("q")
        self._flags = bytearray()
        self._offset = array("q")
        self._first = array("i")
        self._next = array("i")

    def __contains__(self, uuid: object) -> bool:
        return hash(uuid) in self._number

    def add(self, uuid: str, parent: str | None, flags: int, offset: int) -> int | None:
        """Register a row; returns the byte offset of an earlier message with the same ``uuid``, which it replaces."""
        key = hash(uuid)
        parent_key = hash(parent) if parent else 0
        number = self._number.get(key)
        if number is None:
            self._number[key] = len(self._parent)
            self._parent.append(parent_key)
            self._flags.append(flags)
            self._offset.append(offset)
            return None
        earlier = self._offset[number] if self._flags[number] & flags & MESSAGE else None
        if flags & MESSAGE or not self._flags[number] & MESSAGE:
            self._parent[number] = parent_key or self._parent[number]
            self._flags[number] = flags
            self._offset[number] = offset
        return earlier

    def withdrawn(self) -> set[int]:
        """Hashes of the ``uuid`` of rows in branches that were left by going back to an earlier prompt.

        From the last turn up to its root: a child beside that chain which is a prompt of the person (looking through
        rows that are no turns) was taken back, and all below it. Forks by tool results or assistant rows are parallel
        tool calls, not branches.
        """
        above = array("i", (self._number.get(key, -1) if key else -1 for key in self._parent))
        self._link(above)
        chain = self._chain(above)
        gone: set[int] = set()
        for number in chain:
            for child in self._children(number):
                if child not in chain and not self._flags[child] & SIDE and self._begins_with_prompt(child):
                    gone.update(self._subtree(child))
        return {key for key, number in self._number.items() if number in gone} if gone else gone

    def _link(self, above: array[int]) -> None:
        self._first = array("i", [-1]) * len(above)
        self._next = array("i", [-1]) * len(above)
        for number in range(len(above) - 1, -1, -1):
            if (parent := above[number]) >= 0:
                self._next[number] = self._first[parent]
                self._first[parent] = number

    def _children(self, number: int) -> Iterator[int]:
        child = self._first[number]
        while child >= 0:
            yield child
            child = self._next[child]

    def _chain(self, above: array[int]) -> set[int]:
        number = next((n for n in range(len(self._flags) - 1, -1, -1) if self._flags[n] & (SIDE | TURN) == TURN), -1)
        chain: set[int] = set()
        while number >= 0 and number not in chain:
            chain.add(number)
            number = above[number]
        return chain

    def _begins_with_prompt(self, start: int) -> bool:
        waiting, seen = [start], set()
        while waiting:
            number = waiting.pop()
            if self._flags[number] & PROMPT:
                return True
            if not self._flags[number] & TURN and number not in seen:
                seen.add(number)
                waiting += self._children(number)
        return False

    def _subtree(self, start: int) -> set[int]:
        waiting, found = [start], set()
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                waiting += self._children(number)
        return found


class Turn:
    """The last rows since the last prompt of the person, to know whether a session goes on plainly.

    While each row stands behind one of these, no prompt before them is taken back by it.

    :ivar plain: since the last prompt it did so; ``always``: in all that was looked at.
    :ivar anew: a row that stands behind none began it anew.
    """

    def __init__(self, rows: Iterable[str] = ()) -> None:
        self.rows = deque(rows, maxlen=_BEHIND)
        self.plain = self.always = True
        self.anew = False

    def add(self, uuid: str, parent: str | None, flags: int) -> None:
        """Take notice of the next row of the session."""
        if flags & SIDE:
            return
        if parent is None and self.rows:
            self.anew = True
            self.rows.clear()
        elif self.rows and parent not in self.rows:
            self.plain = self.always = False
        if flags & PROMPT:
            self.rows.clear()
            self.plain = True
        self.rows.append(uuid)


class Streams:
    """Rows of one assistant message (the same ``message.id``), to find those that a later row repeats and completes."""

    def __init__(self) -> None:
        self._rows: OrderedDict[str, list[tuple[int, str | None, list[Block]]]] = OrderedDict()

    def add(
        self, message_id: str, offset: int, uuid: str | None, content: list[Any]
    ) -> Iterator[tuple[int, str | None]]:
        """Register a row; yields (byte offset, uuid) of each earlier row whose blocks it covers."""
        blocks = [_text(block) for block in content if isinstance(block, dict)]
        rows = self._rows.get(message_id)
        if rows is None:
            rows = self._rows[message_id] = []
            if len(self._rows) > _REMEMBERED_IDS:
                self._rows.popitem(last=False)
        for row in list(rows):
            if (uuid is None or row[1] != uuid) and _covers(blocks, row[2]):
                rows.remove(row)
                yield row[0], row[1]
        rows.append((offset, uuid, [(kind, len(text), hash(text)) for kind, text in blocks]))


def _text(block: dict[str, Any]) -> tuple[str, str]:
    """The kind of a block, and what tells it: its text, or the id of a call."""
    kind = str(block.get("type")).lower()
    value = block.get("id") if "tool" in kind else block.get(kind)
    return kind, value if isinstance(value, str) else ""


def _covers(later: list[tuple[str, str]], earlier: list[Block]) -> bool:
    """Whether each earlier block has its own later one: the same tool call, or text that begins with it."""
    free = list(later)
    for kind, size, mark in earlier:
        for position, (other, text) in enumerate(free):
            if other == kind and hash(text if "tool" in kind else text[:size]) == mark:
                del free[position]
                break
        else:
            return False
    return True
