"""The person's rulings: each one change set, its effects carried out before it answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from workbench import text
from workbench.home import Home
from workbench.ledger import lifecycle, read, review, store
from workbench.ledger import undo as undoing
from workbench.ledger.change import Change, fetch
from workbench.ledger.model import Actor
from workbench.operations import convert, effects
from workbench.operations.models import MemoryOut, Ruling, UndoResult


def accept(
    home: Home, actor: Actor, memory_id: str, *, confirm_locked: bool = False, expected: str | None = None
) -> Ruling:
    """Make a waiting memory active and the person's own; what held its key is superseded.

    :param expected: the memory's ``updated_at`` as the person saw it.
    :raises ChangedMeanwhile: when it is another one now.
    """
    return _rule(
        home, actor, memory_id, "accepted", expected, lambda c, m: review.accept(c, m, confirm_locked=confirm_locked)
    )


def reject(
    home: Home, actor: Actor, memory_id: str, reason: str | None = None, *, expected: str | None = None
) -> Ruling:
    """Say that a memory is wrong; it leaves every use. ``expected`` as in ``accept``."""

    def act(change: Change, found: str) -> tuple[str, ...]:
        review.reject(change, found, reason)
        return ()

    return _rule(home, actor, memory_id, "rejected", expected, act)


def correct(
    home: Home,
    actor: Actor,
    memory_id: str,
    content: str,
    *,
    confirm_locked: bool = False,
    expected: str | None = None,
) -> Ruling:
    """Put the person's wording in place of a memory's. ``expected`` as in ``accept``."""

    def act(change: Change, found: str) -> tuple[str, ...]:
        return review.correct(change, found, content, confirm_locked=confirm_locked)

    return _rule(home, actor, memory_id, "corrected", expected, act)


def undo(home: Home, actor: Actor, *, memory_id: str | None = None, change_id: str | None = None) -> UndoResult:
    """Take back the last change set, the last of one memory, or the one named."""
    with store.writing(home) as connection:
        if change_id is None:
            found = read.resolve(connection, memory_id) if memory_id else None
            change_id = undoing.last_change(connection, found)
        change = Change(connection, actor, undoes=change_id)
        before = undoing.touched(connection, change_id)
        memory_ids = undoing.undo(change, change_id)
        message = "; ".join(_undone(connection, key, before.get(key)) for key in memory_ids)
    backlog = effects.drain(home)
    return UndoResult(
        change_id=change_id,
        undone_by=change.id,
        memory_ids=memory_ids,
        backlog=backlog,
        message=f"undone: {message}",
    )


def _undone(connection: sqlite3.Connection, memory_id: str, before: dict[str, Any] | None) -> str:
    row = fetch(connection, "memories", memory_id)
    if row is None:
        return f"{memory_id} is gone: {text.one_line((before or {}).get('content', ''))}"
    return f"{memory_id} is {row['status']} again: {text.one_line(row['content'])}"


def _rule(
    home: Home,
    actor: Actor,
    memory_id: str,
    verb: str,
    expected: str | None,
    act: Callable[[Change, str], tuple[str, ...]],
) -> Ruling:
    with store.writing(home) as connection:
        found = read.resolve(connection, memory_id)
        if expected is not None:
            _refuse_if_changed(connection, found, expected)
        change = Change(connection, actor)
        retired = act(change, found)
        memory = convert.memory_out(read.memory(connection, found))
        changed = change.recorded
    return Ruling(
        memory=memory,
        change_id=change.id if changed else None,
        superseded=list(retired),
        backlog=effects.drain(home),
        message=_message(memory, verb if changed else "unchanged", retired),
    )


def _refuse_if_changed(connection: sqlite3.Connection, memory_id: str, expected: str) -> None:
    row = read.memory(connection, memory_id)
    if row["updated_at"] == expected:
        return
    event = read.events(connection, memory_id, limit=1)[0]
    raise lifecycle.ChangedMeanwhile(
        f"{memory_id} was {event['action']} by {event['actor']} at {event['at']}, after you looked at it"
        f" (it is {row['status']} now); look again"
    )


def _message(memory: MemoryOut, verb: str, retired: tuple[str, ...]) -> str:
    replaced = f", in place of {', '.join(retired)}" if retired else ""
    return f"{verb} {memory.id}{replaced}: {text.one_line(memory.content)}"
