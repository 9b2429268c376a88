"""Entries of notes and memories, both ways: which memories an entry has, an entry made of a memory, and a memory of an
entry."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel

from workbench import config, db, files, guard, text
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.index.chunks import decode
from workbench.ledger import entries as ledger
from workbench.ledger import gate, lifecycle, read, relations, store, write
from workbench.ledger.change import Change
from workbench.ledger.filters import Reader
from workbench.ledger.model import MAX_CONTENT, Actor, Candidate, Evidence, Kind, LinkType, ResourceType, SourceType
from workbench.notes import entries, folders
from workbench.notes.entries import Entry
from workbench.operations import convert, effects
from workbench.operations.models import MemoryOut
from workbench.operations.notes import named_folders


class EntryMemory(BaseModel):
    """A memory that an entry has.

    :param relation: how the memory stands to it: derived_from, promoted_to, references.
    """

    relation: str
    id: str
    content: str
    status: str


class NoteEntry(BaseModel):
    """An entry of a note.

    :param reference: what names it, whatever stands around it: the note and the entry's id.
    :param line: where it begins now; ``stamp``: the time above it.
    """

    reference: str
    line: int
    stamp: str | None
    text: str
    memories: list[EntryMemory]


class Promoted(BaseModel):
    """A memory as an entry of a note, or an entry as a memory; ``changed`` is false where they were linked already."""

    memory: MemoryOut
    reference: str
    changed: bool
    change_id: str | None
    backlog: int
    message: str


def entries_of(home: Home, path: str, *, reader: Reader | None = None) -> list[NoteEntry]:
    """The entries of a note, each with its memories.

    :param reader: the agent that asks; None for the person, who sees everything.
    :raises NotFound: when there is no such note.
    """
    name, file = _note(home, path)
    with store.reading(home) as connection:
        ours = _of_memory_md(connection) if file in (home.memory_md, home.memory_archive) else {}
        return [
            NoteEntry(
                reference=f"{name}#{entry.id}",
                line=entry.line,
                stamp=entry.stamp,
                text=guard.mask(entry.text),
                memories=_memories(connection, f"{name}#{entry.id}", ours.get(_key(entry), ()), reader),
            )
            for entry in _entries(file)
        ]


def named(home: Home, reference: str) -> tuple[str, Entry]:
    """(the one reference, the entry) that a reference means: a note with an id, a block id or ``L12`` behind ``#``.

    :raises NotFound: when there is no such entry.
    """
    path, _, wanted = reference.partition("#")
    name, file = _note(home, path)
    for entry in _entries(file):
        if wanted in (entry.id, entry.anchor, f"L{entry.line}"):
            return f"{name}#{entry.id}", entry
    raise NotFound(
        f"{path} has no entry {text.quoted(wanted, 80)}; `workbench get {text.one_line(path, 80)} --entries` names them"
    )


def canonical(home: Home, reference: str) -> str:
    """The one reference of an entry that is there; any other as it is."""
    try:
        return named(home, reference)[0]
    except WorkbenchError:
        return reference


def standing(home: Home, memory_id: str, reference: str) -> tuple[str, str] | None:
    """Where the entry stands that a link of a memory leads to, as ``2026-03-01.md:12``, and what it says; None where it
    is not there."""
    try:
        if not ledger.is_entry(ResourceType.NOTE, reference, LinkType.PROMOTED_TO):
            name, entry = named(home, reference)
            return f"{name.partition('#')[0]}:{entry.line}", guard.mask(entry.text)
        with store.reading(home) as connection:
            ours = _of_memory_md(connection)
        for file in (home.memory_md, home.memory_archive):
            for entry in _entries(file):
                if memory_id in ours.get(_key(entry), ()):
                    return f"{file.name}:{entry.line}", guard.mask(entry.text)
    except WorkbenchError:
        pass
    return None


def promote(home: Home, actor: Actor, memory_id: str) -> Promoted:
    """Write a memory into today's daily note as an entry, of the day it is where the person is.

    :raises PersonOnly: for anybody but the person.
    """
    lifecycle.require_person(actor, "promote")
    with effects.writing(home) as (connection, after):
        change = Change(connection, actor)
        found = read.resolve(connection, memory_id)
        reference, changed = ledger.promote(change, found, f"{datetime.now():%Y-%m-%d}")
        memory = convert.memory_out(read.memory(connection, found))
    return _promoted(change, after, memory, reference, changed, f"{memory.id} is an entry of {reference}")


def record(home: Home, actor: Actor, reference: str, content: str | None = None, *, kind: Kind = Kind.FACT) -> Promoted:
    """Remember what an entry of a note says, as the person's own word.

    :param content: the statement that is drawn from it; by default all that it says.
    :raises PersonOnly: for anybody but the person.
    """
    lifecycle.require_person(actor, "record")
    reference, entry = named(home, reference)
    evidence = Evidence(SourceType.NOTE, reference, entry.text[:MAX_CONTENT])
    checked = gate.check(Candidate(content or entry.text, kind, explicit=True, confidence=None, evidence=(evidence,)))
    policy = write.Policy.of(config.load(home))
    with effects.writing(home) as (connection, after):
        change = Change(connection, actor)
        found = write.propose(change, checked, policy).memory_id or ""
        changed = relations.link_resource(change, found, ResourceType.NOTE, reference, LinkType.DERIVED_FROM)
        memory = convert.memory_out(read.memory(connection, found))
    said = f"remembered as {memory.id}, from {reference}: {text.one_line(memory.content)}"
    return _promoted(change, after, memory, reference, changed, said)


def _promoted(
    change: Change, after: effects.After, memory: MemoryOut, reference: str, changed: bool, said: str
) -> Promoted:
    return Promoted(
        memory=memory,
        reference=reference,
        changed=changed,
        change_id=change.id if change.recorded else None,
        backlog=after.backlog,
        message=said if changed else f"unchanged: {memory.id} and {reference} are linked already",
    )


def _note(home: Home, path: str) -> tuple[str, Path]:
    """(the name that references use, the file) of a note: one in the memory folder goes by its own name."""
    name, file = folders.resolve(home, path, named_folders(config.load(home).memory_search))
    if not file.exists():
        raise NotFound(f"there is no note {text.quoted(path, 80)}; `workbench search` names them")
    return name.removeprefix(f"{folders.MEMORY}/"), file


def _entries(file: Path) -> list[Entry]:
    """The entries of a note in any encoding that is read, at the lines that ``get`` shows."""
    return entries.entries(decode(files.read_bytes(file)).encode())


def _key(entry: Entry) -> tuple[str | None, str]:
    return entry.stamp, entries.digest(entry.text)


def _of_memory_md(connection: sqlite3.Connection) -> dict[tuple[str | None, str], list[str]]:
    """The memories that are entries of MEMORY.md, by the time and the words of the first entry that stands below it."""
    found: dict[tuple[str | None, str], list[str]] = {}
    for memory_id, entry in ledger.wanted(connection, db.now()).items():
        for first in entries.entries(entries.with_entry(b"", entry.stamp, entry.text))[:1]:
            found.setdefault(_key(first), []).append(memory_id)
    return found


def _memories(
    connection: sqlite3.Connection, reference: str, ours: Sequence[str], reader: Reader | None
) -> list[EntryMemory]:
    linked = [*((key, str(LinkType.PROMOTED_TO)) for key in ours), *ledger.linked_from(connection, reference)]
    seen = read.shown(connection, [key for key, _ in linked], reader)
    rows = {key: read.memory(connection, key) for key, _ in linked if key in seen}
    return [
        EntryMemory(relation=how, id=key, content=rows[key]["content"], status=rows[key]["status"])
        for key, how in linked
        if key in rows
    ]
