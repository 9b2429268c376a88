"""Messages that their source tells otherwise than before: what was said first stays, so that no source rewrites it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson

from workbench.sessions import canonical
from workbench.sessions.model import Message, State
from workbench.text import sha256

Row = dict[str, Any]

_LATER = "later:"


def identity_of(message: Message, marked: State | None) -> str:
    """What names a later version of a message beside it.

    :param marked: the state that the message was given here.
    """
    state = message.state if marked is None else canonical.less_shown(message.state, marked)
    return _identity(message.identity, message.content, state)


def settled(line: bytes, before: Row, later: bytes, new: Callable[[str], int | None]) -> bytes:
    """What takes the place of a message's ``line`` when its source gives the line ``later``.

    Text that grew (an answer is stored while it is written) is replaced, and so is what a harness puts in, which is
    kept as it is now. Any other text stays, with the state that the source gives it; the later version comes behind it
    as ``withdrawn``.

    :param new: gives the id of an identity; None when the conversation has it already.
    """
    now: Row = orjson.loads(later)
    grown = now["content"].startswith(before["content"].rstrip()) and now["role"] == before["role"]
    if grown or before["origin"] == "harness":
        return later
    identity = _identity(now["identity"], now["content"], now["state"])
    first = line + b"\n" if before["state"] == now["state"] else canonical.dump({**before, "state": now["state"]})
    if (number := new(identity)) is None:
        return first
    version = {**now, "id": number, "identity": identity, "state": "withdrawn", "parent": now["identity"]}
    version.pop("marked", None)
    return first + canonical.dump(version)


def repeated(dropped: set[int], texts: Callable[[], Iterator[tuple[int, str]]]) -> set[int]:
    """Those of the messages that a source drops whose text another message holds; what nobody repeats has to stay.

    :param texts: gives (id, text) of all messages, those that go as they were kept.
    """
    if not dropped:
        return set()
    gone = {number: said.strip() for number, said in texts() if number in dropped}
    others = (said for number, said in texts() if number not in dropped)
    return {number for other in others for number, said in gone.items() if said in other}


def is_later(row: Row) -> bool:
    """Whether a message is what its source said later of another one, its ``parent``."""
    return str(row["identity"]).startswith(_LATER)


def _identity(identity: str, content: str, state: str) -> str:
    return f"{_LATER}{sha256(state + content)[:16]}:{identity}"
