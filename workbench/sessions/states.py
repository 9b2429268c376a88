"""States that messages are given here: compacted to make room, withdrawn by the person. Nothing is taken away, and no
source changes them back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import canonical, store
from workbench.sessions.model import Message, State, message_id

Row = dict[str, Any]


class Changed(WorkbenchError):
    """A conversation is not as it was when it was read: another process was quicker."""


def rows_of(path: Path) -> list[Row]:
    """The messages of a canonical file, in order.

    :raises WorkbenchError: when it can't be read.
    """
    return [row for _, _, row in canonical.read_messages(path) if row is not None]


def restate(
    home: Home,
    key: str,
    ids: Collection[int],
    state: State,
    *,
    added: Message | None = None,
    before: int | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Give active messages of a conversation another state, which stays. All or nothing, durably.

    :param added: a message of ours, to stand ``before`` the message with this id (None: at the end).
    :param metadata: what is put into the metadata of the conversation.
    :raises Changed: when one of them is not active any more, or ``added`` is there already.
    :raises WorkbenchError: when the conversation is missing or damaged, or can't be written.
    """

    def change(messages: Iterator[tuple[bytes, Row]]) -> dict[int, bytes]:
        found = [(line + b"\n", row) for line, row in messages]
        active = (row for _, row in found if row["id"] in ids and row["state"] == "active")
        lines = {row["id"]: canonical.marked(row, state) for row in active}
        if len(lines) < len(ids):
            raise _changed(key)
        if added is not None:
            number, line = _beside(key, found, added, before)
            own = canonical.encode(added, message_id(key, added.identity, {row["id"] for _, row in found}))
            lines[number] = own + lines.get(number, line) if before is not None else lines.get(number, line) + own
        return lines

    store.edit(home, key, change, metadata)


def reactivate(home: Home, key: str, ids: Collection[int], state: State, metadata: Mapping[str, Any]) -> None:
    """Let messages that were given a ``state`` here be active again. All or nothing, durably.

    :param metadata: what is put into the metadata of the conversation.
    :raises Changed: when one of them has another state by now.
    :raises WorkbenchError: when the conversation is missing or damaged, or can't be written.
    """

    def change(messages: Iterator[tuple[bytes, Row]]) -> dict[int, bytes]:
        marked = (row for _, row in messages if row["id"] in ids and row.get("marked") == state)
        lines = {row["id"]: canonical.unmarked(row) for row in marked}
        if len(lines) < len(ids):
            raise _changed(key)
        return lines

    store.edit(home, key, change, metadata)


def note(home: Home, key: str, metadata: Mapping[str, Any]) -> None:
    """Put something into the metadata of a conversation.

    :raises WorkbenchError: when the conversation is missing or damaged, or can't be written.
    """
    store.edit(home, key, lambda _: {}, metadata)


def _beside(key: str, found: list[tuple[bytes, Row]], added: Message, before: int | None) -> tuple[int, bytes]:
    """The message that ``added`` comes to stand beside."""
    known = any(row["identity"] == added.identity for _, row in found)
    beside = [(row["id"], line) for line, row in found if before is None or row["id"] == before]
    if known or not beside:
        raise _changed(key)
    return beside[-1]


def _changed(key: str) -> Changed:
    return Changed(f"another process changed {key} meanwhile; try again")
