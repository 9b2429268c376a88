"""The graph follows the ledger: it is made to hold what each memory states at present, whatever it held before."""

from __future__ import annotations

import sqlite3
from typing import Any

from workbench import db
from workbench.graph import batches, registry, state
from workbench.graph import store as graphs
from workbench.graph.write import Fact
from workbench.home import Home
from workbench.ledger import audit, of_graph, store


def follow(home: Home, payload: dict[str, Any]) -> None:
    """Bring the graph to the present state of the ledger; done again, it changes nothing.

    The state of the ledger is read while the graph is locked: of two that do this at once, the one that comes second
    knows more.
    """
    graphs.ensure(home)
    with graphs.writing(home) as graph, store.reading(home) as ledger:
        last = audit.head(ledger)
        number, hash_ = registry.followed(graph)
        if (number, hash_) != last:
            # Where the history is another one, as after a restore, nothing of before counts.
            _catch_up(graph, ledger, number if of_graph.reaches(ledger, number, hash_) else None)
            registry.follow(graph, *last)


def follow_anew(home: Home) -> None:
    """Make the graph again from the whole ledger, and from what is kept of imports."""
    graphs.ensure(home)
    with graphs.writing(home) as graph, store.reading(home) as ledger:
        _catch_up(graph, ledger, None)
        registry.follow(graph, *audit.head(ledger))


def astray(home: Home) -> str | None:
    """How the graph differs from what the ledger states; None when every fact is known there, and every one is here."""
    with graphs.reading(home) as graph, store.reading(home) as ledger:
        stated = {memory_id: fact(row) for memory_id, row in of_graph.stated(ledger).items()}
        return state.difference(graph, stated)


def keep_batch(home: Home, packed: batches.Packed) -> None:
    """Keep what is to be imported, so that it can come into the graph, go and come back by the verdicts on it."""
    graphs.ensure(home)
    with graphs.writing(home) as graph:
        batches.keep(graph, packed, db.now())


def bring(home: Home, memory_id: str) -> None:
    """Bring the facts of an import into the graph, where its memory is in force and they were not there to be kept."""
    with graphs.writing(home) as graph, store.reading(home) as ledger:
        batches.belong(graph, of_graph.batches(ledger, {memory_id}))
        stated = of_graph.stated(ledger, {memory_id})
        state.apply(graph, {key: fact(row) for key, row in stated.items()})


def compact(home: Home, payload: dict[str, Any]) -> None:
    """Write the graph's file anew, without what was erased."""
    if db.exists(home.graph):
        db.compact(home.graph, graphs.SCHEMA)


def _catch_up(graph: sqlite3.Connection, ledger: sqlite3.Connection, since: int | None) -> None:
    """:param since: the last event that the graph has followed; None where it has to look at every memory."""
    changed = of_graph.changed_since(ledger, since) if since is not None else None
    if changed is None:
        state.clear(graph)
    stated = of_graph.stated(ledger, changed)
    gone = (changed or set()) - stated.keys()
    batches.belong(graph, of_graph.batches(ledger, changed))
    batches.erase(graph, of_graph.erased(ledger, changed))
    states: dict[str, Fact | None] = dict.fromkeys(sorted(gone))
    state.apply(graph, states | {memory_id: fact(row) for memory_id, row in stated.items()})


def fact(row: dict[str, Any]) -> Fact:
    """What a memory states to the graph."""
    return Fact(
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        start=row["valid_from"],
        end=row["valid_to"],
        confidence=row["confidence"],
        source=row["source_agent"] or row["created_by"],
        recorded_at=row["created_at"],
        retired_at=row["retired_at"],
        subject_type=row["subject_type"],
        object_type=row["object_type"],
        private=bool(row["private"]),
    )
