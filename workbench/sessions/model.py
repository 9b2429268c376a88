"""A conversation and its messages, whatever agent wrote them."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "tool", "system"]
# Who really spoke. Only text of origin user and assistant is ever learned from.
Origin = Literal["user", "assistant", "tool", "harness", "subagent", "automation"]
State = Literal["active", "compacted", "withdrawn", "hidden"]

LEARNABLE: tuple[Origin, ...] = ("user", "assistant")


@dataclass(slots=True)
class Message:
    """One message of a conversation.

    :param identity: what names it inside its session: the source's own id, else one made of
        (role, timestamp, content hash, occurrence). The 63-bit ``id`` is derived from it.
    :param parent: the identity of the message it answers, where the source says so.
    :param timestamp: as the source wrote it (ISO 8601), or None.
    :param model: the name of the model that wrote it, where the source says so.
    :param usage: tokens that the source counted for it: ``input``, ``output``, ``cache_read``, ``cache_write``,
        ``reasoning``.
    """

    identity: str
    role: Role
    origin: Origin
    content: str
    timestamp: str | None = None
    state: State = "active"
    parent: str | None = None
    thinking: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    model: str | None = None
    usage: dict[str, int] | None = None


@dataclass(slots=True)
class Session:
    """What a source says of one conversation, apart from its messages.

    :param project: the working folder it was about.
    :param created_at: the earliest time in it; ``updated_at`` the latest, both as the source wrote them.
    :param source: the file it was first read from.
    """

    key: str
    title: str | None = None
    project: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    source: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def message_id(session_key: str, identity: str, taken: Iterable[int] = ()) -> int:
    """63 bits of SHA-256(session key, identity), probed on collision with ``taken``; the same for ever."""
    probe = 0
    while True:
        seed = f"{session_key}\x1f{identity}" + (f"\x1f{probe}" if probe else "")
        value = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1
        if value not in taken:
            return value
        probe += 1


def seen(told: Callable[[int], bool]) -> int:
    """How many numbers from 0 on were ``told``, where all before the last one were, too; in few questions."""
    beyond = 1
    while told(beyond - 1):
        beyond *= 2
    return beyond // 2 + bisect_left(range(beyond // 2, beyond), True, key=lambda number: not told(number))


class Occurrences(dict[str, int]):
    """How often each derived identity was seen in a session so far, less one.

    :param told: whether the session holds a message of an identity, from an earlier reading.
    """

    def __init__(self, told: Callable[[str], bool]) -> None:
        self._told = told

    def get(self, digest: str, _default: object = None) -> int:
        """The number of the last one that was seen: there is one of each number up to it."""
        if digest not in self:
            self[digest] = seen(lambda number: self._told(_derived(digest, number))) - 1
        return self[digest]


def derived_identity(message: Message, occurrences: dict[str, int]) -> str:
    """An identity for a message that its source does not name: (role, timestamp, content, occurrence).

    :param occurrences: how often each was seen in this session so far; updated.
    """
    calls = "" if message.tool_calls is None else repr(message.tool_calls)
    seed = "\x1f".join((message.role, message.timestamp or "", message.content, message.thinking or "", calls))
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    count = occurrences[digest] = occurrences.get(digest, -1) + 1
    return _derived(digest, count)


def _derived(digest: str, count: int) -> str:
    return f"derived:{digest}:{count}"
