"""Erase: the person has memories taken out for good, sees before what goes, and is told what could not be reached."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import orjson
from pydantic import BaseModel, Field

from workbench import text
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import erase as erasing
from workbench.ledger import lifecycle, store
from workbench.ledger.change import fetch
from workbench.ledger.erase import Plan
from workbench.ledger.lifecycle import NeedsConfirmation
from workbench.ledger.model import Actor
from workbench.ledger.traces import Traces
from workbench.operations import effects, erase_effects
from workbench.sessions import search, sources
from workbench.sessions import store as sessions

# Notes and messages that hold the same words: so many of each are named, the others counted.
_LISTED = 50


class ErasedMemory(BaseModel):
    """A memory that goes; an agent's request about one goes with it. One whose making was undone has no content."""

    id: str
    content: str
    request: bool


class Reach(BaseModel):
    """How far an erase goes.

    :param counts: how many rows of what go.
    :param notes: entries of notes that say the same and go, as ``file:line``.
    :param messages: the session messages that the memories were learned from, as ``session#number``; their text goes
        only when that is said.
    :param same: other memories that say the same, or said it once; they stay.
    :param holding: further memories whose longer text holds the same words, or once held them; they stay.
    :param not_reached: a line for each place that may still hold what is erased.
    """

    counts: dict[str, int] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)
    messages: list[str] = Field(default_factory=list)
    same: list[str] = Field(default_factory=list)
    holding: list[str] = Field(default_factory=list)
    not_reached: list[str] = Field(default_factory=list)


class ErasePreview(Reach):
    """What an erase would take away.

    :param asks_again: it is more than 20 memories or a tenth of the ledger, so their number has to be given.
    """

    memories: list[ErasedMemory]
    asks_again: bool


class EraseReport(Reach):
    """What an erase took away.

    :param memory_ids: none when all were erased before.
    :param backlog: effects outside the ledger that are still to be carried out (0: all done).
    """

    memory_ids: list[str] = Field(default_factory=list)
    change_id: str | None = None
    backlog: int = 0
    message: str = "nothing to do: erased already"


def preview(home: Home, ids: Sequence[str], *, with_sources: bool = False) -> ErasePreview:
    """What erasing these memories, named by unique beginnings of their ids, would take away; nothing is changed.

    :raises NotFound: when one does not exist.
    """
    with store.reading(home) as connection:
        named = _named(connection, ids)
        found = [*named, *erasing.requests_about(connection, named)]
        rows = {memory_id: fetch(connection, "memories", memory_id) for memory_id in found}
        planned = erasing.plan(connection, found) if found else None
        asks_again = erasing.needs_count(connection, len(named))
    return ErasePreview(
        memories=[
            ErasedMemory(id=key, content=row["content"] if row else "", request=key not in named)
            for key, row in rows.items()
        ],
        asks_again=asks_again,
        **_reach(home, planned, with_sources, done=False) if planned else {},
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
        if named and count is None and erasing.needs_count(connection, len(named)):
            raise NeedsConfirmation(f"this erases {_memories(named)} for good; say --count {len(named)} to go on")
        if named and count not in (None, len(named)):
            raise NeedsConfirmation(f"this erases {_memories(named)}, not {count}; look again, nothing was erased")
        found = [*named, *erasing.requests_about(connection, named)]
        planned = erasing.plan(connection, found)
        change = erasing.erase(connection, actor, planned, with_sources) if named else None
    if change is None:
        return EraseReport(backlog=effects.drain(home))  # an erase that was broken off is finished
    reach = _reach(home, planned, with_sources, done=True)
    return EraseReport(
        memory_ids=found,
        change_id=change.id,
        backlog=effects.drain(home),
        message=f"erased for good: {', '.join(found)}",
        **reach,
    )


def _memories(ids: Sequence[str]) -> str:
    return text.some(len(ids), "memories")


def _named(connection: sqlite3.Connection, ids: Sequence[str]) -> list[str]:
    if not ids:
        raise WorkbenchError("say which memories to erase, by their ids; `workbench memory list` shows them")
    return erasing.not_erased(connection, [erasing.resolve(connection, prefix) for prefix in ids])


def _reach(home: Home, planned: Plan, with_sources: bool, *, done: bool) -> dict[str, Any]:
    """The fields of ``Reach``; to be called before the notes are rewritten."""
    return {
        "counts": planned.counts(),
        "notes": erase_effects.standing_in(home, planned.traces.matcher(), planned.traces.lines),
        "messages": [f"{session}#{number}" for session, number in sorted(planned.traces.messages)],
        "same": planned.same,
        "holding": planned.holding,
        "not_reached": _not_reached(home, planned, with_sources, done),
    }


def _not_reached(home: Home, planned: Plan, with_sources: bool, done: bool) -> list[str]:
    """A line for each place that may still hold what is erased.

    :param done: it was erased, so that nobody can ask for more of it by its id.
    """
    keys = sorted({session for session, _ in planned.traces.messages})
    files_ = {sessions.path_of(home, key).name for key in keys}
    lines = [f"agent's own transcript: {path}" for path in _transcripts(home, files_)]
    if not with_sources:
        said = "its messages stay as they are" if done else "--with-sources takes its messages out"
        lines = [f"conversation {text.one_line(key, 100)}: {said}" for key in keys] + lines
    copies = [*home.backups.glob("*"), *home.root.glob("*.damaged-*"), *home.sessions.glob("*.damaged-*")]
    lines += [f"copy: {path}" for path in sorted(copies)]
    links = (path for path in home.memory.parent.rglob("*.md") if path.is_symlink())
    lines += [f"linked note: {path}" for path in sorted(links)]
    lines += [f"{key} says the same, or said it once: erase it, too" for key in planned.same]
    lines += [f"{key} holds the same words" for key in planned.holding]
    lines += _elsewhere(home, planned.traces)
    lines.append("backups, exports and copies made elsewhere; other messages and notes that say it in other words")
    lines.append("whatever agent or model has read it")
    return lines


def _elsewhere(home: Home, traces: Traces) -> list[str]:
    """A line for each longer text that holds the same words: lines of notes, and messages beside the sources."""
    lines = erase_effects.holding(home, traces.matcher(), traces.lines, traces.worded_in)
    try:
        found = search.holding(home, sorted(traces.said), traces.worded_in)
    except WorkbenchError as error:
        return [*_capped(lines, "note"), f"whatever conversation says it, too: they could not be searched ({error})"]
    messages = [f"{text.one_line(key, 100)}#{number}" for key, number in found if (key, number) not in traces.messages]
    return [*_capped(lines, "note"), *_capped(messages, "message")]


def _capped(places: list[str], what: str) -> list[str]:
    lines = [f"{what} {place} holds the same words" for place in places[:_LISTED]]
    return [*lines, f"{len(places) - _LISTED} more {what}s hold the same words"] if places[_LISTED:] else lines


def _transcripts(home: Home, names: set[str]) -> list[str]:
    """The source files from which these conversations were read."""
    known = sources.known(home).values()
    return sorted(state.path for state in known if names.intersection(orjson.loads(state.files or "[]")))
