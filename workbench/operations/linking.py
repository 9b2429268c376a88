"""What agents do to memories that are there: link them, forget them, and leave a checkpoint of a stretch of work.

An agent is given no more than it may see: for it a memory of another project is not there at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel, Field

from workbench import config, text
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import checkpoint as checkpoints
from workbench.ledger import entries, read, relations, write
from workbench.ledger.change import Change
from workbench.ledger.filters import Reader
from workbench.ledger.forget import forget as put_away
from workbench.ledger.hidden import hidden_from
from workbench.ledger.model import Actor, Candidate, Kind, Proposal, RelationType, ResourceType, Scope, Type
from workbench.operations import convert, effects, note_entries
from workbench.operations.models import MemoryOut
from workbench.operations.models_memories import CheckpointPart, CheckpointResult, Forgotten, Linked


class Item(BaseModel):
    """Something of a checkpoint that is to be kept."""

    content: str
    kind: Kind = Kind.FACT
    type: Type = Type.SEMANTIC
    fact_key: str | None = None
    tags: list[str] = Field(default_factory=list)
    importance: int = 50
    confidence: float | None = None


def link(
    home: Home, actor: Actor, memory_id: str, related_id: str, relation: str, *, reader: Reader | None = None
) -> Linked:
    """Relate one memory to another.

    :param relation: supports, depends_on, part_of, derived_from, related_to or contradicts.
    :param reader: what an agent may see; None for the person, who sees everything.
    """
    return _related(home, actor, memory_id, related_id, relation, reader, relations.link)


def unlink(home: Home, actor: Actor, memory_id: str, related_id: str, relation: str) -> Linked:
    """Take a relation away; only the person does."""

    def act(change: Change, one: str, other: str, kind: str) -> bool:
        relations.unlink(change, one, other, kind)
        return True

    return _related(home, actor, memory_id, related_id, relation, None, act)


def link_resource(
    home: Home,
    actor: Actor,
    memory_id: str,
    resource_type: str,
    reference: str,
    relation: str = "references",
    *,
    reader: Reader | None = None,
) -> Linked:
    """Link a memory to a note entry, conversation, file, page or commit.

    :param reference: of an entry that is there, the line will do (``2026-03-01.md#L12``): its id is kept.
    :param relation: derived_from, promoted_to or references.
    """
    if resource_type == ResourceType.NOTE:
        reference = note_entries.canonical(home, reference)
    if entries.is_entry(resource_type, reference, relation):
        raise WorkbenchError("an entry of MEMORY.md is not linked by hand: `workbench append TEXT` writes one")
    return _to_resource(home, actor, memory_id, (resource_type, reference, relation), reader, relations.link_resource)


def unlink_resource(
    home: Home, actor: Actor, memory_id: str, resource_type: str, reference: str, relation: str = "references"
) -> Linked:
    """Take a link to a resource away; only the person does."""

    def act(change: Change, found: str, *resource: str) -> bool:
        relations.unlink_resource(change, found, *resource)
        return True

    return _to_resource(home, actor, memory_id, (resource_type, reference, relation), None, act)


def forget(
    home: Home,
    actor: Actor,
    memory_id: str,
    reason: str,
    *,
    successor: str | None = None,
    reader: Reader | None = None,
) -> Forgotten:
    """Put away a memory that nobody endorsed; nothing is erased.

    :param reason: incorrect, expired, irrelevant, or superseded by ``successor``.
    :raises PersonOnly: when the person endorsed it, with how to propose a change.
    """
    with effects.writing(home) as (connection, after):
        change = Change(connection, actor)
        found = read.resolve(connection, memory_id, reader)
        other = read.resolve(connection, successor, reader) if successor else None
        put_away(change, found, reason, other)
        memory = convert.memory_out(read.memory(connection, found))
    done = f"{memory.status} ({reason})" if change.recorded else f"{memory.status} already"
    return Forgotten(
        memory=memory,
        change_id=change.id if change.recorded else None,
        backlog=after.backlog,
        message=f"{memory.id} is {done}: {text.one_line(memory.content)}",
    )


def checkpoint(
    home: Home,
    actor: Actor,
    summary: str,
    items: Sequence[Item],
    *,
    scope_type: Scope = "global",
    scope_key: str = "",
    session: str | None = None,
    idempotency_key: str | None = None,
) -> CheckpointResult:
    """Keep what happened in a stretch of work, and 1 to 20 things to be kept of it: all in one change set, or nothing.

    :param summary: the episode.
    :param session: the conversation it was.
    :param idempotency_key: the writer's own name for it: a retry with it is the same checkpoint.
    :raises WorkbenchError: when a part is refused; items are named by their number.
    """
    common: dict[str, Any] = {
        "explicit": False,
        "scope_type": scope_type,
        "scope_key": scope_key,
        "source_agent": actor.name,
        "source_session": session,
    }
    episode = Candidate(
        summary, Kind.EVENT, type=Type.EPISODIC, confidence=None, idempotency_key=idempotency_key, **common
    )
    checked, parts = checkpoints.check(episode, [_candidate(item, common) for item in items])
    policy = write.Policy.of(config.load(home))
    with effects.writing(home) as (connection, after):
        change = Change(connection, actor)
        done = checkpoints.write_all(change, checked, parts, policy)
        whole, *kept = (_part(change, proposal) for proposal in (done.episode, *done.items))
    parts_there = {part.memory.id: part.memory.status for part in (whole, *kept) if part.memory is not None}
    waiting = list(parts_there.values()).count("needs_review")
    return CheckpointResult(
        episode=whole,
        items=kept,
        change_id=change.id if change.recorded else None,
        backlog=after.backlog,
        message=f"checkpoint {done.episode.memory_id}: {_outcomes(kept)}; {_wait(waiting)} for the person",
    )


_OUTCOMES = {
    "seen_again": "known already",
    "repeated": "done before",
    "rejected_before": "not stored: the person ruled that it is wrong",
    "erased_before": "not stored: it was erased",
}


def _outcomes(kept: Sequence[CheckpointPart]) -> str:
    """How many items of a checkpoint are new, and what became of the others."""
    counted = Counter(part.outcome for part in kept)
    others = [f"{count} {_OUTCOMES.get(name, name)}" for name, count in counted.items() if name != "created"]
    verb = "is" if counted["created"] == 1 else "are"
    return ", ".join([f"{counted['created']} of {text.counted(len(kept), 'item')} {verb} new", *others])


def _wait(count: int) -> str:
    return f"{text.some(count, 'memories')} {'waits' if count == 1 else 'wait'}"


def _candidate(item: Item, common: dict[str, Any]) -> Candidate:
    from workbench.dreaming import wordings

    candidate = Candidate(
        item.content,
        item.kind,
        type=item.type,
        confidence=item.confidence,
        fact_key=item.fact_key,
        tags=tuple(item.tags),
        importance=item.importance,
        **common,
    )
    return wordings.named(candidate, ())


def _part(change: Change, proposal: Proposal) -> CheckpointPart:
    row = read.memory(change.connection, proposal.memory_id) if proposal.memory_id else None
    told = row is not None and not hidden_from(change.actor, row)
    return CheckpointPart(outcome=proposal.outcome, memory=convert.memory_out(row) if row and told else None)


def _related(
    home: Home,
    actor: Actor,
    memory_id: str,
    related_id: str,
    relation: str,
    reader: Reader | None,
    act: Callable[[Change, str, str, str], bool],
) -> Linked:
    with effects.writing(home) as (connection, after):
        change = Change(connection, actor)
        found, other = (read.resolve(connection, each, reader) for each in (memory_id, related_id))
        changed = act(change, found, other, relation)
        memory, related = (convert.memory_out(read.memory(connection, each)) for each in (found, other))
    what, mutual = f"{relation.replace('_', ' ')} {other}", relation == RelationType.CONTRADICTS
    stand = [_stands(each) for each in (memory, related) if mutual or (each is memory and each.status != "active")]
    return _linked(change, after, changed, memory, related, "; ".join([what, *stand]) if changed else what)


def _stands(memory: MemoryOut) -> str:
    """What is to become of a memory that was linked."""
    if memory.status != "active":
        return f"{memory.id} waits for the person"
    return f"{memory.id} stays in force{' and is in the inbox' if memory.review_reason else ''}"


def _to_resource(
    home: Home,
    actor: Actor,
    memory_id: str,
    resource: tuple[str, str, str],
    reader: Reader | None,
    act: Callable[..., bool],
) -> Linked:
    with effects.writing(home) as (connection, after):
        change = Change(connection, actor)
        found = read.resolve(connection, memory_id, reader)
        changed = act(change, found, *resource)
        memory = convert.memory_out(read.memory(connection, found))
    return _linked(change, after, changed, memory, None, f"{resource[2]} {text.one_line(resource[1])}")


def _linked(
    change: Change, after: effects.After, changed: bool, memory: MemoryOut, related: MemoryOut | None, what: str
) -> Linked:
    return Linked(
        memory=memory,
        related=related,
        changed=changed,
        change_id=change.id if change.recorded else None,
        backlog=after.backlog,
        message=f"{memory.id} {what}" if changed else f"unchanged: {memory.id} {what} already",
    )
