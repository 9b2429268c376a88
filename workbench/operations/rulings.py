"""The person's rulings: each one change set, its effects carried out before it answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from workbench import config, dates, text
from workbench.home import Home
from workbench.ledger import feedback as marks
from workbench.ledger import lifecycle, read, requests, write
from workbench.ledger import undo as undoing
from workbench.ledger.change import Change, fetch
from workbench.ledger.filters import Reader
from workbench.ledger.model import Actor
from workbench.ledger.sightings import TOLD
from workbench.ledger.supersede import ENDORSED
from workbench.operations import convert, effects
from workbench.operations.models import Ruling
from workbench.operations.models_rulings import ChangeOut, Feedback, Requested, UndoResult

# More changes than this are not taken back before their number is said.
FUSE_CHANGES = 20


def accept(
    home: Home, actor: Actor, memory_id: str, *, confirm_locked: bool = False, expected: str | None = None
) -> Ruling:
    """Make a waiting, guessed or observed memory active and the person's own; what held its key is superseded.

    A request is granted: what it asks for is done.

    :param expected: the memory's ``updated_at`` as the person saw it.
    :raises ChangedMeanwhile: when it is another one now.
    """
    return _rule(home, actor, "accept", memory_id, expected, confirm_locked)


def reject(
    home: Home,
    actor: Actor,
    memory_id: str,
    reason: str | None = None,
    *,
    confirm_locked: bool = False,
    expected: str | None = None,
) -> Ruling:
    """Say that a memory is wrong; it leaves every use. ``expected`` as in ``accept``."""
    return _rule(home, actor, "reject", memory_id, expected, confirm_locked, reason=reason)


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
    return _rule(home, actor, "correct", memory_id, expected, confirm_locked, content=content)


def lock(
    home: Home, actor: Actor, memory_id: str, *, confirm_locked: bool = False, expected: str | None = None
) -> Ruling:
    """Pin a memory: it is the person's, always shown to agents, and replaced only when they say so twice."""
    return _rule(home, actor, "lock", memory_id, expected, confirm_locked)


def unlock(home: Home, actor: Actor, memory_id: str, *, expected: str | None = None) -> Ruling:
    """Take the pin off; the memory stays the person's."""
    return _rule(home, actor, "unlock", memory_id, expected)


def set_core(home: Home, actor: Actor, memory_id: str, core: bool = True, *, expected: str | None = None) -> Ruling:
    """Put a memory among the few that are always shown first, or take it out of them."""
    return _rule(home, actor, "core" if core else "uncore", memory_id, expected)


def archive(
    home: Home, actor: Actor, memory_id: str, *, confirm_locked: bool = False, expected: str | None = None
) -> Ruling:
    """Put a memory away: out of every use, but neither wrong nor replaced."""
    return _rule(home, actor, "archive", memory_id, expected, confirm_locked)


def restore(home: Home, actor: Actor, memory_id: str, *, expected: str | None = None) -> Ruling:
    """Bring back what was put away, into use or into the inbox."""
    return _rule(home, actor, "restore", memory_id, expected)


def split(
    home: Home,
    actor: Actor,
    memory_id: str,
    key: str,
    *,
    confirm_locked: bool = False,
    expected: str | None = None,
) -> Ruling:
    """Say that a memory was not replaced but is another fact: it is in force again, under its own key."""
    return _rule(home, actor, "split", memory_id, expected, confirm_locked, key=key)


def rekey(
    home: Home, actor: Actor, memory_id: str, key: str, *, replace: bool = False, expected: str | None = None
) -> Ruling:
    """Give a memory another fact key; ``replace`` supersedes what holds it."""
    return _rule(home, actor, "rekey", memory_id, expected, replace, key=key)


def merge(
    home: Home,
    actor: Actor,
    keep: str,
    others: Sequence[str],
    *,
    confirm_locked: bool = False,
    expected: str | None = None,
) -> Ruling:
    """Keep one of several memories that say the same; the others are superseded by it."""
    return _rule(home, actor, "merge", keep, expected, confirm_locked, others=list(others))


def feedback(
    home: Home, actor: Actor, memory_id: str, helpful: bool, note: str | None = None, *, reader: Reader | None = None
) -> Feedback:
    """Say whether a memory helped; agents may, too, but theirs weighs little and only once.

    :param reader: what an agent may see: without it what is global or its own; the person sees everything.
    """
    with effects.writing(home) as (connection, after):
        found = read.resolve(connection, memory_id, _seeing(actor, reader))
        change = Change(connection, actor)
        counted = marks.give(change, found, helpful, note)
        memory = convert.memory_out(read.memory(connection, found))
    why_not = "the person has ruled on it" if memory.authority in ENDORSED else f"{actor.name} has marked it before"
    said = f"marked {'helpful' if helpful else 'not helpful'}, trust {memory.trust:.2f}"
    said = said if counted else f"not counted, as {why_not}"
    return Feedback(
        memory=memory,
        change_id=change.id if counted else None,
        counted=counted,
        backlog=after.backlog,
        message=f"{said}: {memory.id}: {text.one_line(memory.content)}",
    )


def ask(
    home: Home,
    actor: Actor,
    act: str,
    memory_id: str,
    *,
    reader: Reader | None = None,
    **arguments: Any,  # noqa: ANN401 - the act's own
) -> Requested:
    """Ask the person for an act on a memory; it waits in their inbox, and the memory stays as it is.

    :param act: one of ``requests.ACTS``, with its arguments.
    :param reader: as in ``feedback``.
    """
    reader = _seeing(actor, reader)
    policy = write.Policy.of(config.load(home))
    with effects.writing(home) as (connection, _):
        found = read.resolve(connection, memory_id, reader)
        asked = requests.ask(Change(connection, actor), act, found, policy, **resolved(connection, arguments, reader))
        request, target = (convert.memory_out(read.memory(connection, key or "")) for key in (asked.memory_id, found))
    again = "asked already" if asked.outcome == "seen_again" else "asked"
    return Requested(
        act=act, request=request, target=target, message=f"{again} as {request.id}: {text.one_line(request.content)}"
    )


def _seeing(actor: Actor, reader: Reader | None) -> Reader | None:
    return reader or (Reader(actor.name) if actor.kind == "agent" else None)


def undo(
    home: Home,
    actor: Actor,
    *,
    memory_id: str | None = None,
    change_id: str | None = None,
    with_later: bool = False,
    confirmed: bool = False,
    count: int | None = None,
) -> UndoResult:
    """Take back the person's last change set, the last of one memory, or the one named.

    :param with_later: also the changes that touched the same rows since, newest first.
    :param confirmed: the person was shown which changes those are.
    :param count: how many change sets that makes, said by the person; needed above 20.
    :raises NeedsConfirmation: when more than one is taken back and that was not confirmed.
    """
    lifecycle.require_person(actor, "undo a change to")
    with effects.writing(home) as (connection, after):
        if change_id is None:
            found = read.resolve(connection, memory_id) if memory_id else None
            change_id = undoing.last_change(connection, found, by=None if found else "person")
            if not found and not confirmed and undoing.erased_last(connection, "person"):
                raise _after_erase(undoing.describe(connection, change_id))
        wanted = [*(undoing.later(connection, change_id) if with_later else ()), change_id]
        undone = [undoing.describe(connection, key) for key in wanted]
        _ask_about_many(undone, confirmed, count)
        before = {key: row for change in wanted for key, row in undoing.touched(connection, change).items()}
        change = Change(connection, actor)
        memory_ids = list(dict.fromkeys(key for each in wanted for key in undoing.undo(change, each)))
        acts = {key: each.action for each in undone for key in each.memories}
        message = "; ".join(_undone(connection, key, before.get(key), acts.get(key)) for key in memory_ids)
    return UndoResult(
        change_id=change_id,
        undone_by=change.id,
        undone=[ChangeOut.model_validate(each, from_attributes=True) for each in undone],
        memory_ids=memory_ids,
        backlog=after.backlog,
        message=f"undone: {message}",
    )


def _after_erase(before: undoing.ChangeSet) -> lifecycle.NeedsYes:
    """What is asked once when an erase was the last thing done."""
    return lifecycle.NeedsYes(
        f"your last change was an erase, which is final; before it came {before.id} ({_act(before)})",
        "say --yes to take that one back",
    )


def _act(change: undoing.ChangeSet) -> str:
    return f"{change.action}, {dates.local(change.at)}"


def _ask_about_many(undone: list[undoing.ChangeSet], confirmed: bool, count: int | None) -> None:
    named = ", ".join(f"{each.id} ({_act(each)})" for each in undone[:FUSE_CHANGES])
    if len(undone) > 1 and not confirmed:
        raise lifecycle.NeedsYes(f"this takes back {len(undone)} changes: {named}")
    if len(undone) > FUSE_CHANGES and count != len(undone):
        raise lifecycle.NeedsConfirmation(
            f"this takes back {len(undone)} changes, among them {named}; say --count {len(undone)} to go on"
        )


def _undone(connection: sqlite3.Connection, memory_id: str, before: dict[str, Any] | None, act: str | None) -> str:
    """What taking an act back did to a memory.

    :param before: its row before that.
    """
    row, said = fetch(connection, "memories", memory_id), text.one_line((before or {}).get("content", ""))
    if row is None:
        return f"{memory_id} is gone: {said}"
    said = text.one_line(row["content"])
    if before is None or before["status"] != row["status"]:
        return f"{memory_id} is {row['status']} again: {said}"
    if act == "seen":
        return f"that {memory_id} was seen again, no more: {said}"
    other = text.enumeration([convert.name_of(name) for name in ("content", *TOLD) if before[name] != row[name]])
    return f"{memory_id} has its {other} of before again: {said}" if other else f"{memory_id} is as before: {said}"


def _rule(
    home: Home,
    actor: Actor,
    act: str,
    memory_id: str,
    expected: str | None,
    confirmed: bool = False,
    **arguments: Any,  # noqa: ANN401 - the act's own
) -> Ruling:
    with effects.writing(home) as (connection, after):
        found = read.resolve(connection, memory_id)
        if expected is not None:
            _refuse_if_changed(connection, found, expected)
        change = Change(connection, actor)
        done = requests.carry_out(change, act, found, confirmed, **resolved(connection, arguments))
        closed = requests.close_dead(change, done.memory_id, *done.retired) if change.recorded else []
        memory = convert.memory_out(read.memory(connection, done.memory_id))
        changed = change.recorded
    granted = f"granted {done.granted}: " if done.granted else ""
    stated = text.clause(memory.content) if closed else text.one_line(memory.content)
    replaced = f", in place of {', '.join(done.retired)}" if done.retired else ""
    verb = done.act.done if changed else "unchanged"
    return Ruling(
        memory=memory,
        change_id=change.id if changed else None,
        superseded=list(done.retired),
        backlog=after.backlog,
        message=f"{granted}{verb} {memory.id}{replaced}: {stated}{_closed(closed)}",
    )


def _closed(requests_: Sequence[str]) -> str:
    """That requests went with what they asked for."""
    return f"; closed, as it asks for nothing any more: {', '.join(requests_)}" if requests_ else ""


def resolved(connection: sqlite3.Connection, arguments: dict[str, Any], reader: Reader | None = None) -> dict[str, Any]:
    """An act's arguments, with the ids of other memories in full."""
    others = arguments.get("others")
    return arguments | ({"others": [read.resolve(connection, other, reader) for other in others]} if others else {})


def _refuse_if_changed(connection: sqlite3.Connection, memory_id: str, expected: str) -> None:
    row = read.memory(connection, memory_id)
    if row["updated_at"] == expected:
        return
    event = read.events(connection, memory_id, limit=1)[0]
    raise lifecycle.ChangedMeanwhile(
        f"{memory_id} was {event['action']} by {event['actor']} at {dates.local(event['at'])}, after you looked at it"
        f" (it is {row['status']} now); look again"
    )
