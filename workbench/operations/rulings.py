"""The person's rulings: each one change set, its effects carried out before it answers."""

from __future__ import annotations

from collections.abc import Callable

from workbench import text
from workbench.home import Home
from workbench.ledger import read, review, store
from workbench.ledger import undo as undoing
from workbench.ledger.change import Change
from workbench.ledger.model import Actor
from workbench.operations import convert, effects
from workbench.operations.models import MemoryOut, Ruling, UndoResult


def accept(home: Home, actor: Actor, memory_id: str, *, confirm_locked: bool = False) -> Ruling:
    """Make a waiting memory active and the person's own; what held its key is superseded."""
    return _rule(home, actor, memory_id, "accepted", lambda c, m: review.accept(c, m, confirm_locked=confirm_locked))


def reject(home: Home, actor: Actor, memory_id: str, reason: str | None = None) -> Ruling:
    """Say that a memory is wrong; it leaves every use."""

    def act(change: Change, found: str) -> tuple[str, ...]:
        review.reject(change, found, reason)
        return ()

    return _rule(home, actor, memory_id, "rejected", act)


def correct(home: Home, actor: Actor, memory_id: str, content: str, *, confirm_locked: bool = False) -> Ruling:
    """Put the person's wording in place of a memory's."""
    return _rule(
        home, actor, memory_id, "corrected", lambda c, m: review.correct(c, m, content, confirm_locked=confirm_locked)
    )


def undo(home: Home, actor: Actor, *, memory_id: str | None = None, change_id: str | None = None) -> UndoResult:
    """Take back the last change set, the last of one memory, or the one named."""
    with store.writing(home) as connection:
        if change_id is None:
            found = read.resolve(connection, memory_id) if memory_id else None
            change_id = undoing.last_change(connection, found)
        memory_ids = undoing.undo(Change(connection, actor, undoes=change_id), change_id)
    backlog = effects.drain(home)
    named = ", ".join(memory_ids) or "nothing"
    return UndoResult(change_id=change_id, memory_ids=memory_ids, backlog=backlog, message=f"undone: {named} as before")


def _rule(home: Home, actor: Actor, memory_id: str, verb: str, act: Callable[[Change, str], tuple[str, ...]]) -> Ruling:
    with store.writing(home) as connection:
        found = read.resolve(connection, memory_id)
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


def _message(memory: MemoryOut, verb: str, retired: tuple[str, ...]) -> str:
    replaced = f", in place of {', '.join(retired)}" if retired else ""
    return f"{verb} {memory.id}{replaced}: {text.one_line(memory.content)}"
