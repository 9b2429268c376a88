"""memory_append: an agent, or the person, writes an entry into MEMORY.md; it is a memory like any other.

What must wait is nowhere in the file before the verdict; what says what is there, or waits, already is refused.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from workbench import config, db, files, text
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import entries as ledger
from workbench.ledger import read, write
from workbench.ledger.change import Change
from workbench.ledger.gate import Checked
from workbench.ledger.hidden import hidden_from
from workbench.ledger.model import Actor, Candidate, Kind, Proposal, Reason
from workbench.notes import entries, projection
from workbench.operations import convert, effects
from workbench.operations.models import MemoryOut, RefreshResult
from workbench.operations.remember import checked_as
from workbench.operations.review import REASONS

Outcome = Literal["appended", "waiting", "exact_duplicate", "near_duplicate", "rejected_before", "erased_before"]


class Appended(BaseModel):
    """What became of an entry.

    :param outcome: appended (it is in force and stands in MEMORY.md, or will as soon as the ``backlog`` is carried
        out), waiting (for the person; it is nowhere in the file),
        exact_duplicate, near_duplicate, rejected_before, erased_before; with the last four nothing was stored.
    :param stored: whether it is in the ledger now.
    :param memory: the entry as a memory; of a duplicate the one that says it already, where it is a memory.
    :param entry: what says it already; ``similarity``: how much alike, in [0, 1].
    :param stamp: the time above the entry, in the person's time zone.
    :param archived: entries that were moved to the archive, to make room.
    :param backlog: effects outside the ledger still to be carried out.
    """

    outcome: Outcome
    stored: bool
    memory: MemoryOut | None = None
    entry: str | None = None
    similarity: float | None = None
    stamp: str | None = None
    archived: int = 0
    change_id: str | None = None
    backlog: int = 0
    message: str


@dataclass(frozen=True)
class _Like:
    """What says the same as a new entry, or nearly; the id of its memory, where it is one."""

    said: str
    similarity: float
    memory_id: str | None


def memory_append(
    home: Home,
    actor: Actor,
    content: str,
    *,
    kind: Kind = Kind.PREFERENCE,
    heard_in: tuple[str, ...] = (),
    confirm_locked: bool = False,
) -> Appended:
    """Write an entry into the human part of MEMORY.md, with the time of now.

    :param heard_in: messages that say it, as in ``remember``.
    :raises SecretRefused: when it holds a credential.
    :raises WorkbenchError: when it is empty or over 4,000 characters.
    """
    candidate = Candidate(content, kind, explicit=False, confidence=None)
    checked = checked_as(home, actor, candidate, heard_in)
    policy = write.Policy.of(config.load(home))
    now = datetime.now().strftime("%Y-%m-%d %H:%M")
    with effects.writing(home) as (connection, after):
        like = _like(home, connection, actor, checked)
        change = Change(connection, actor)
        proposal = None if like else write.propose(change, checked, policy, confirm_locked=confirm_locked)
        memory_id = proposal.memory_id if proposal else like and like.memory_id
        row = read.memory(connection, memory_id) if memory_id else None
        if proposal and row and proposal.outcome == "seen_again" and actor.kind != "person":
            like = _Like(row["content"], 1.0, row["id"])  # in force, and shown in the generated block
        elif proposal and row:
            ledger.link(change, row["id"], now)
    change_id = change.id if change.recorded else None
    memory = convert.memory_out(row) if row and not hidden_from(actor, row) else None
    if like is not None:
        return _duplicate(like, memory, after.backlog)
    if memory is None:
        return _refused(proposal, after.backlog)
    return _done(memory, change_id, now, after)


def _like(home: Home, connection: sqlite3.Connection, actor: Actor, checked: Checked) -> _Like | None:
    """What says this already, or nearly: an entry of MEMORY.md or its archive, or what waits.

    The caller holds the transaction, so that of two that say the same one comes first.
    """
    digest, grams = entries.digest(checked.candidate.content), entries.trigrams(checked.candidate.content)
    best: _Like | None = None
    waiting = _waiting(connection, actor) if actor.kind != "person" else ()  # the person's word settles what waits
    for said, memory_id in (*_standing(home, connection), *waiting):
        if entries.digest(said) == digest:
            return _Like(said, 1.0, memory_id)
        near = entries.similarity(grams, said)
        if near >= entries.NEAR and (best is None or near > best.similarity):
            best = _Like(said, near, memory_id)
    return best


def _standing(home: Home, connection: sqlite3.Connection) -> Iterator[tuple[str, str | None]]:
    """The entries there are, and those that are about to be written; with the memory's id, where it is one."""
    wanted = ledger.wanted(connection, db.now())
    for memory_id, entry in wanted.items():
        yield projection.unescaped(entry.text), memory_id
    known = {entries.digest(entry.text) for entry in wanted.values()}
    for path in (home.memory_md, home.memory_archive):
        with contextlib.suppress(WorkbenchError):  # what can't be read can't be written either, which is said then
            for each in entries.entries(files.read_bytes(path)):
                if entries.digest(each.text) not in known:
                    yield projection.unescaped(each.text), None


def _waiting(connection: sqlite3.Connection, actor: Actor) -> Iterator[tuple[str, str | None]]:
    return ((row["content"], row["id"]) for row in ledger.waiting(connection) if not hidden_from(actor, row))


def _duplicate(like: _Like, memory: MemoryOut | None, backlog: int) -> Appended:
    exact = like.similarity == 1
    kind = "Exact duplicate" if exact else f"Near-duplicate (similarity {like.similarity:.0%})"
    named = f" ({memory.id})" if memory else ""
    return Appended(
        outcome="exact_duplicate" if exact else "near_duplicate",
        stored=False,
        memory=memory,
        entry=like.said,
        similarity=round(like.similarity, 4),
        backlog=backlog,
        message=f"{kind} of what is there{named}: {text.quoted(like.said, 200)}; nothing was stored",
    )


def _refused(proposal: Proposal | None, backlog: int) -> Appended:
    if proposal is not None and proposal.outcome == "erased_before":
        message = "this was erased; it was not stored; only the person brings it back"
        return Appended(outcome="erased_before", stored=False, backlog=backlog, message=message)
    message = "the person ruled that this is wrong; it was not stored, nor is it for 30 days"
    return Appended(outcome="rejected_before", stored=False, backlog=backlog, message=message)


def _done(memory: MemoryOut, change_id: str | None, stamp: str, after: effects.After) -> Appended:
    refreshed = after.results.get("memory_md")
    archived = refreshed.archived if isinstance(refreshed, RefreshResult) else 0
    waits = memory.status != "active"
    if waits:
        message = f"it waits for the person as {memory.id}: {REASONS[Reason(memory.review_reason or '')]}"
    elif after.backlog and refreshed is None:
        message = f"remembered as {memory.id}; it is not in MEMORY.md yet"
    else:
        older = f"{archived} older {'entry' if archived == 1 else 'entries'}"
        moved = f"; {older} moved to MEMORY.archive.md" if archived else ""
        message = f"appended to MEMORY.md ({len(memory.content):,} characters) as {memory.id}{moved}"
    return Appended(
        outcome="waiting" if waits else "appended",
        stored=True,
        memory=memory,
        stamp=stamp,
        archived=archived,
        change_id=change_id,
        backlog=after.backlog,
        message=message,
    )
