"""What agents and the person say to the knowledge graph: each a memory of the ledger, which the graph follows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench import config, dates, db, text
from workbench.errors import NotFound, WorkbenchError
from workbench.graph import aliases, names, queries, registry
from workbench.graph import store as graphs
from workbench.graph.write import triple_id
from workbench.home import Home
from workbench.ledger import read, store, triples, write
from workbench.ledger import time as times
from workbench.ledger.change import Change
from workbench.ledger.hidden import hidden_from
from workbench.ledger.model import Actor, Candidate, Kind, Proposal, Reason, Triple
from workbench.operations import convert, effects, remember
from workbench.operations.graph import entity, shown_id
from workbench.operations.models_graph import Stated
from workbench.operations.review import REASONS


@dataclass(frozen=True)
class Said:
    """A fact as somebody states it; times are dates or instants, ISO 8601.

    :param valid_from: None where it holds since ever, or nobody knows since when.
    :param valid_to: a date, month or year counts whole.
    """

    subject: str
    predicate: str
    object: str
    valid_from: str | None = None
    valid_to: str | None = None
    subject_type: str | None = None
    object_type: str | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class _Named:
    """A fact by its names, and by what it is compared by: ``key`` is (subject, predicate, object)."""

    subject: str
    predicate: str
    object: str
    key: tuple[str, str, str]
    single: bool

    def __str__(self) -> str:
        return f"{self.subject} → {self.predicate} → {self.object}"

    @property
    def fact_key(self) -> str:
        """What is the same for all that can't be in force together."""
        return triples.key(self.key[0], self.predicate, None if self.single else self.key[2])


@dataclass(frozen=True)
class _Prepared:
    """A statement fit to be proposed.

    :param name: what it says, for messages; ``done``: what it is called when it was written.
    :param known: the triple that an import brought, where there is nothing to write.
    """

    name: str
    candidate: Candidate
    done: str
    known: int | None = None


def add(
    home: Home, actor: Actor, said: Said, *, heard_in: tuple[str, ...] = (), confirm_locked: bool = False
) -> Stated:
    """State a fact. What the person states holds at once; what an agent states is governed as any memory of it.

    :param heard_in: messages that say it, as of ``remember``.
    :raises BadName: when a part of it is empty, too long, or several names.
    :raises WorkbenchError: when its times can't be read or are turned round, or it relates a thing to itself.
    """
    (stated,) = add_all(home, actor, [said], heard_in=heard_in, confirm_locked=confirm_locked)
    return stated


def add_all(
    home: Home,
    actor: Actor,
    facts: Sequence[Said],
    *,
    heard_in: tuple[str, ...] = (),
    confirm_locked: bool = False,
) -> list[Stated]:
    """State several facts in one change, all or none; as ``add`` otherwise."""
    with graphs.reading(home) as graph:
        single, values = registry.single_valued(graph), registry.values(graph)
        prepared = [_prepared(home, graph, actor, said, single, values) for said in facts]
    return _propose(home, actor, prepared, heard_in, confirm_locked)


def invalidate(
    home: Home,
    actor: Actor,
    subject: str,
    predicate: str,
    object_: str,
    *,
    ended: str | None = None,
    confirm_locked: bool = False,
) -> list[Stated]:
    """Say that a fact holds no more: it ends, and stays as history.

    :param ended: its last day or moment; by default it ends now.
    :returns: what became of each fact that was open, at least one.
    :raises NotFound: when no such fact is open.
    :raises BadPeriod: when it would end before it begins.
    """
    now = db.now()
    at = times.end(ended) if ended else now
    with graphs.reading(home) as graph:
        fact = _named(graph, subject, predicate, object_, registry.single_valued(graph), registry.values(graph))
        rows = queries.same(graph, *fact.key, private=actor.kind != "agent")
    open_ = [row for row in rows if row["valid_to"] is None or row["valid_to"] > now]
    if not open_:
        raise NotFound(f"No active fact found: {fact}")
    for row in open_:
        if row["valid_from"] is not None and at <= row["valid_from"]:
            raise times.BadPeriod(
                f"it ends ({ended or at}) before it begins to hold ({row['valid_from']}); turn them round"
            )
    prepared = [_ending(home, fact, row, at) for row in open_]
    return _propose(home, actor, prepared, (), confirm_locked)


def merge(home: Home, actor: Actor, source: str, target: str, *, confirm_locked: bool = False) -> Stated:
    """Say that two entities are one: the facts of the first become the second's, and its name another name of that.

    :raises NotFound: when one of them is not there.
    """
    with graphs.reading(home) as graph:
        one, other = (entity(graph, name, private=actor.kind != "agent") for name in (source, target))
    if one.id == other.id:
        raise WorkbenchError(f"{text.quoted(source)} and {text.quoted(target)} are one entity already")
    return _claim(home, actor, Triple(one.name, names.SAME_AS, other.name), one.id, confirm_locked)


def alias(home: Home, actor: Actor, name: str, other_name: str, *, confirm_locked: bool = False) -> Stated:
    """Give an entity another name, by which it is found, too.

    :raises NotFound: when there is no such entity.
    :raises WorkbenchError: when the other name stands for an entity already.
    """
    other_name = names.entity_name(other_name, "alias")
    with graphs.reading(home) as graph:
        found, taken = entity(graph, name, private=actor.kind != "agent"), queries.find(graph, other_name)
    if taken is not None:
        remedy = "" if taken.id == found.id else "; merge them if they are one"
        raise WorkbenchError(f"{text.quoted(other_name)} stands for {text.quoted(taken.name)} already{remedy}")
    said = Triple(found.name, names.ALSO_CALLED, other_name)
    return _claim(home, actor, said, names.entity_id(other_name), confirm_locked)


def declare(home: Home, actor: Actor, predicate: str, *, single: bool, confirm_locked: bool = False) -> Stated:
    """Say whether a subject has one value of a predicate at a time: then a second one ends the first.

    It counts for all facts of the graph; what the ledger has superseded by then stays so.
    """
    name = names.predicate_name(predicate)
    said = Triple(name, names.TAKES, names.ONE if single else names.MANY)
    return _claim(home, actor, said, name, confirm_locked)


def _named(
    graph: sqlite3.Connection,
    subject: str,
    predicate: str,
    object_: str,
    single: frozenset[str],
    values: frozenset[str],
) -> _Named:
    """:raises BadName: when a part of it is empty, too long, or several names."""
    subject, predicate = names.entity_name(subject, "subject"), names.predicate_name(predicate)
    object_ = names.object_name(object_, predicate, values)
    target = names.object_id(predicate, object_, values)
    if predicate not in values:
        target = aliases.canonical(graph, target)
    key = aliases.canonical(graph, names.entity_id(subject)), predicate, target
    return _Named(subject, predicate, object_, key, predicate in single)


def _prepared(
    home: Home,
    graph: sqlite3.Connection,
    actor: Actor,
    said: Said,
    single: frozenset[str],
    values: frozenset[str],
) -> _Prepared:
    fact = _named(graph, said.subject, said.predicate, said.object, single, values)
    if fact.predicate in names.RESERVED:
        raise WorkbenchError(
            f"{fact.predicate} is no fact; `workbench graph merge`, `alias`, `import` and `predicate` say such things"
        )
    if fact.predicate not in values and fact.key[0] == fact.key[2]:
        raise WorkbenchError(f"a fact relates two things, and {text.quoted(said.subject)} is one")
    for given in (said.subject_type, said.object_type):
        if given is not None and given not in names.TYPES:
            raise WorkbenchError(f"{text.quoted(given)} is no type of entity; use {', '.join(names.TYPES)}")
    begins, ends, _ = times.period(said.valid_from, said.valid_to, None)
    held = _open_since_before(graph, actor, fact, begins) if ends is None else []
    content = triples.sentence(fact.subject, fact.predicate, fact.object, said.valid_from, said.valid_to)
    if held and held[0]["batch_id"] is None:
        with store.reading(home) as connection:
            content = read.memory(connection, held[0]["memory_id"])["content"]
    candidate = Candidate(
        content=content,
        kind=Kind.FACT,
        explicit=False,
        confidence=said.confidence,
        fact_key=fact.fact_key,
        valid_from=None if held else said.valid_from,
        valid_to=said.valid_to,
        triple=Triple(fact.subject, fact.predicate, fact.object, said.subject_type, said.object_type),
    )
    imported = next((row["id"] for row in held if row["batch_id"] is not None), None)
    return _Prepared(str(fact), candidate, "Fact added", imported)


def _open_since_before(
    graph: sqlite3.Connection, actor: Actor, fact: _Named, begins: str | None
) -> list[dict[str, Any]]:
    """The same fact, by whatever names it was said, where it is open and began no later: it is only said again."""
    at = begins or db.now()
    rows = queries.same(graph, *fact.key, private=actor.kind != "agent")
    return [row for row in rows if row["valid_to"] is None and (row["valid_from"] is None or row["valid_from"] <= at)]


def _ending(home: Home, fact: _Named, row: dict[str, Any], at: str) -> _Prepared:
    """The statement that ends a fact at an instant."""
    if row["batch_id"] is not None:
        # What was imported gives way to what is said of the same time.
        begins = row["valid_from"]
        candidate = Candidate(
            content=triples.sentence(
                fact.subject, fact.predicate, fact.object, begins and dates.local(begins), dates.local(at)
            ),
            kind=Kind.FACT,
            explicit=False,
            confidence=row["confidence"],
            valid_from=begins,
            valid_to=at,
            triple=Triple(fact.subject, fact.predicate, fact.object),
        )
        return _Prepared(str(fact), candidate, "Invalidated")
    with store.reading(home) as connection:
        held = read.memory(connection, row["memory_id"])
    candidate = Candidate(
        content=triples.denial(fact.subject, fact.predicate, fact.object),
        kind=Kind.FACT,
        explicit=False,
        confidence=None,
        fact_key=held["fact_key"],
        retracts=held["content"],
        valid_from=at,
    )
    return _Prepared(str(fact), candidate, "Invalidated")


def _claim(home: Home, actor: Actor, said: Triple, about: str, confirm_locked: bool) -> Stated:
    """:param about: the id of the name that is to stand for an entity, or a predicate."""
    candidate = Candidate(
        content=triples.sentence(said.subject, said.predicate, said.object),
        kind=Kind.RELATIONSHIP,
        explicit=False,
        confidence=None,
        fact_key=triples.key(about, names.TAKES if said.predicate == names.TAKES else names.SAME_AS, None),
        triple=said,
    )
    done = {names.SAME_AS: "Merged", names.ALSO_CALLED: "Alias added", names.TAKES: "Registered"}[said.predicate]
    prepared = _Prepared(f"{said.subject} → {said.object}", candidate, done)
    # An agent does not decide by itself whose facts are whose, nor what ends what.
    must_wait = Reason.UNREVIEWED_AUTONOMOUS_WRITE if actor.kind == "agent" else None
    (stated,) = _propose(home, actor, [prepared], (), confirm_locked, must_wait)
    return stated


def _propose(
    home: Home,
    actor: Actor,
    prepared: Sequence[_Prepared],
    heard_in: tuple[str, ...],
    confirm_locked: bool,
    must_wait: Reason | None = None,
) -> list[Stated]:
    """Put statements through the ledger's rules in one change; what the graph knows already is left alone."""
    policy = write.Policy.of(config.load(home))
    fresh = [each for each in prepared if each.known is None]
    checked = [remember.checked_as(home, actor, each.candidate, heard_in) for each in fresh]
    written: Iterator[Stated] = iter(())
    if fresh:
        with effects.writing(home) as (connection, after):
            change = Change(connection, actor)
            proposals = [
                write.propose(change, each, policy, must_wait=must_wait, confirm_locked=confirm_locked)
                for each in checked
            ]
            rows = [read.memory(connection, each.memory_id) if each.memory_id else None for each in proposals]
        change_id = change.id if change.recorded else None
        written = (_stated(actor, *each, change_id, after.backlog) for each in zip(fresh, proposals, rows, strict=True))
    return [next(written) if each.known is None else _known(each.name, each.known) for each in prepared]


def _stated(
    actor: Actor,
    prepared: _Prepared,
    proposal: Proposal,
    row: dict[str, Any] | None,
    change_id: str | None,
    backlog: int,
) -> Stated:
    memory = convert.memory_out(row) if row is not None and not hidden_from(actor, row) else None
    in_graph = memory is not None and memory.predicate is not None and memory.status in ("active", "superseded")
    fact_id = shown_id(triple_id(memory.id)) if memory is not None and in_graph else None
    return Stated(
        outcome=proposal.outcome,
        fact_id=fact_id,
        memory=memory,
        superseded=list(proposal.superseded),
        change_id=change_id,
        backlog=backlog,
        message=_message(prepared, proposal, memory.id if memory else None, fact_id),
    )


def _known(name: str, triple: int) -> Stated:
    return Stated(
        outcome="seen_again",
        fact_id=shown_id(triple),
        memory=None,
        superseded=[],
        change_id=None,
        backlog=0,
        message=f"Known already: {name} (id: {shown_id(triple)})",
    )


def _message(prepared: _Prepared, proposal: Proposal, memory_id: str | None, fact_id: str | None) -> str:
    if memory_id is None:
        why = {"rejected_before": "the person ruled that this is wrong", "erased_before": "it was erased before"}
        return f"Not kept: {prepared.name} ({why.get(proposal.outcome, 'it was not stored')})"
    if proposal.status in ("needs_review", "candidate"):
        why_it_waits = REASONS[Reason(proposal.review_reason or Reason.INFERRED)]
        return f"Proposed: {prepared.name} (id: {memory_id}); it waits for the person: {why_it_waits}"
    done = prepared.done if proposal.outcome == "created" else "Known already"
    replaced = f", in place of {', '.join(proposal.superseded)}" if proposal.superseded else ""
    return f"{done}: {prepared.name} (id: {fact_id or memory_id}{replaced})"
