"""Erase: the person has memories taken out for good, sees before what goes, and is told what could not be reached."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import orjson
from pydantic import BaseModel

from workbench import text
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import erase as erasing
from workbench.ledger import lifecycle, read, store
from workbench.ledger.erase import Plan
from workbench.ledger.lifecycle import NeedsConfirmation
from workbench.ledger.model import Actor
from workbench.operations import effects, erase_effects
from workbench.sessions import sources
from workbench.sessions import store as sessions


class ErasedMemory(BaseModel):
    """A memory that goes; an agent's request about one goes with it."""

    id: str
    content: str
    request: bool


class ErasePreview(BaseModel):
    """What an erase would take away.

    :param counts: how many rows of what.
    :param notes: entries of notes that say the same, as ``file:line``.
    :param messages: session messages that the memories were learned from; they go only when that is said.
    :param same: other memories that say the same, or said it once; they stay.
    :param asks_again: it is more than 20 memories or a tenth of the ledger, so their number has to be given.
    :param not_reached: what an erase can't reach.
    """

    memories: list[ErasedMemory]
    counts: dict[str, int]
    notes: list[str]
    messages: int
    same: list[str]
    asks_again: bool
    not_reached: list[str]


class EraseReport(BaseModel):
    """What an erase took away; ``backlog`` effects are still to be carried out. The rest is as in the preview."""

    memory_ids: list[str]
    change_id: str | None
    counts: dict[str, int]
    notes: list[str]
    messages: int
    same: list[str]
    not_reached: list[str]
    backlog: int
    message: str


def preview(home: Home, ids: Sequence[str], *, with_sources: bool = False) -> ErasePreview:
    """What erasing these memories, named by unique beginnings of their ids, would take away; nothing is changed.

    :raises NotFound: when one does not exist.
    """
    with store.reading(home) as connection:
        named = _named(connection, ids)
        found = [*named, *erasing.requests_about(connection, named)]
        rows = [read.memory(connection, memory_id) for memory_id in found]
        planned = erasing.plan(connection, found) if found else None
        asks_again = erasing.needs_count(connection, len(named))
    return ErasePreview(
        memories=[ErasedMemory(id=row["id"], content=row["content"], request=row["id"] not in named) for row in rows],
        counts=planned.counts() if planned else {},
        notes=_in_notes(home, planned) if planned else [],
        messages=len(planned.traces.messages) if planned else 0,
        same=planned.same if planned else [],
        asks_again=asks_again,
        not_reached=_not_reached(home, planned, with_sources) if planned else [],
    )


def erase(
    home: Home, actor: Actor, ids: Sequence[str], *, with_sources: bool = False, count: int | None = None
) -> EraseReport:
    """Erase these memories for good; what is erased already is left as it is.

    :param with_sources: the messages they were learned from lose their text, too.
    :param count: how many memories the person means, requests apart; must be said when there are many.
    :raises PersonOnly: for anybody but the person.
    :raises NeedsConfirmation: when it is another number, or many and no number is said.
    """
    lifecycle.require_person(actor, "erase")
    with store.writing(home) as connection:
        named = _named(connection, ids)
        if not named:
            return _nothing()
        if count is None and erasing.needs_count(connection, len(named)):
            raise NeedsConfirmation(f"this erases {len(named)} memories for good; say --count {len(named)} to go on")
        if count not in (None, len(named)):
            raise NeedsConfirmation(f"this erases {len(named)} memories, not {count}; look again, nothing was erased")
        found = [*named, *erasing.requests_about(connection, named)]
        planned = erasing.plan(connection, found)
        change = erasing.erase(connection, actor, planned, with_sources)
    entries, left = _in_notes(home, planned), _not_reached(home, planned, with_sources)
    backlog = effects.drain(home)
    return EraseReport(
        memory_ids=found,
        change_id=change.id,
        counts=planned.counts(),
        notes=entries,
        messages=len(planned.traces.messages) if with_sources else 0,
        same=planned.same,
        not_reached=left,
        backlog=backlog,
        message=f"erased for good: {', '.join(found)}",
    )


def _named(connection: sqlite3.Connection, ids: Sequence[str]) -> list[str]:
    if not ids:
        raise WorkbenchError("say which memories to erase, by their ids; `workbench memory list` shows them")
    return erasing.not_erased(connection, [read.resolve(connection, prefix) for prefix in ids])


def _nothing() -> EraseReport:
    return EraseReport(
        memory_ids=[],
        change_id=None,
        counts={},
        notes=[],
        messages=0,
        same=[],
        not_reached=[],
        backlog=0,
        message="nothing to do: erased already",
    )


def _in_notes(home: Home, planned: Plan) -> list[str]:
    return erase_effects.standing_in(home, planned.traces.matcher(), planned.traces.lines)


def _not_reached(home: Home, planned: Plan, with_sources: bool) -> list[str]:
    """A line for each place that may still hold what is erased."""
    keys = sorted({session for session, _ in planned.traces.messages})
    files_ = {sessions.path_of(home, key).name for key in keys}
    lines = [f"agent's own transcript: {path}" for path in _transcripts(home, files_)]
    if not with_sources:
        lines = [
            f"conversation {text.one_line(key, 100)}: --with-sources takes its messages out" for key in keys
        ] + lines
    copies = [*home.backups.glob("*"), *home.root.glob("*.damaged-*"), *home.sessions.glob("*.damaged-*")]
    lines += [f"copy: {path}" for path in sorted(copies)]
    links = (path for path in home.memory.parent.rglob("*.md") if path.is_symlink())
    lines += [f"linked note: {path}" for path in sorted(links)]
    lines += [f"{key} says the same, or said it once: erase it, too" for key in planned.same]
    lines.append("backups, exports and copies made elsewhere; other messages and notes that say it in other words")
    lines.append("whatever agent or model has read it")
    return lines


def _transcripts(home: Home, names: set[str]) -> list[str]:
    """The source files from which these conversations were read."""
    known = sources.known(home).values()
    return sorted(state.path for state in known if names.intersection(orjson.loads(state.files or "[]")))
