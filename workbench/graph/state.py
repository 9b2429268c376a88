"""What the graph holds of each memory: made so, again and again, with the same result in any order.

Called by the effects of the ledger alone: no triple exists that the ledger does not know.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.graph import aliases, batches, registry, write
from workbench.graph.names import ALSO_CALLED, IMPORTS, ONE, SAME_AS, TAKES
from workbench.graph.write import Fact, Touched


def apply(connection: sqlite3.Connection, states: Mapping[str, Fact | None]) -> None:
    """Make the graph hold what each memory states, and nothing of those that state nothing (None)."""
    touched = Touched()
    for memory_id in states:
        write.remove(connection, memory_id, touched)
    said = _Said.of(states)
    for memory_id in states.keys() - said.imports.keys():
        batches.remove(connection, memory_id)
    declared = {name for memory_id in states for name in registry.withdraw(connection, memory_id)}
    for memory_id, fact in said.declared.items():
        registry.declare(connection, memory_id, fact.subject, fact.object == ONE)
        declared.add(fact.subject)
    # What was to be imported is not there in a ledger that came from a backup: the doctor misses it.
    fresh = {memory_id: fact for memory_id, fact in said.imports.items() if batches.waits(connection, memory_id)}
    # What a batch claims goes with it, and stays with one that stays.
    moved = aliases.withdraw(connection, states.keys() - (said.imports.keys() - fresh.keys()))
    for memory_id, fact in said.claims.items():
        moved |= aliases.claim(connection, memory_id, fact.subject, fact.predicate, fact.object, fact.recorded_at)
    for memory_id, fact in fresh.items():
        moved |= batches.claim(connection, memory_id, fact.recorded_at)
    if moved:
        touched.entities |= {target for _, target in moved}
        write.move(connection, aliases.resettle(connection, {alias for alias, _ in moved}), touched)
    values = registry.values(connection)
    for memory_id, fact in said.facts.items():
        write.put(connection, memory_id, fact, values, touched)
    write.finish(connection, touched)
    for memory_id, fact in fresh.items():
        batches.apply(connection, memory_id, fact)
    for predicate in sorted(declared):
        write.settle_predicate(connection, predicate)


@dataclass
class _Said:
    """What memories state, by what it is: facts, names that stand for entities, what predicates take, imports."""

    facts: dict[str, Fact] = field(default_factory=dict)
    claims: dict[str, Fact] = field(default_factory=dict)
    declared: dict[str, Fact] = field(default_factory=dict)
    imports: dict[str, Fact] = field(default_factory=dict)

    @classmethod
    def of(cls, states: Mapping[str, Fact | None]) -> _Said:
        said = cls()
        of_predicate = {IMPORTS: said.imports, TAKES: said.declared, SAME_AS: said.claims, ALSO_CALLED: said.claims}
        for memory_id, fact in states.items():
            if fact is not None:
                of_predicate.get(fact.predicate, said.facts)[memory_id] = fact
        return said


def clear(connection: sqlite3.Connection) -> None:
    """Empty the graph; what is kept of imports stays."""
    for table in ("triples", "aliases", "entities"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("UPDATE batches SET applied = 0")
    for (memory_id,) in connection.execute("SELECT memory_id FROM predicates WHERE memory_id IS NOT NULL").fetchall():
        registry.withdraw(connection, memory_id)


def difference(connection: sqlite3.Connection, states: Mapping[str, Fact]) -> str | None:
    """How the graph differs from what memories state, in words; None where it does not."""
    values, said = registry.values(connection), _Said.of(states)
    stated = {
        (memory_id, *write.said(fact, values), fact.start, fact.end, int(fact.private))
        for memory_id, fact in said.facts.items()
    }
    claims = {
        (memory_id, *aliases.ends(fact.subject, fact.predicate, fact.object)) for memory_id, fact in said.claims.items()
    } | {(memory_id, fact.subject, str(int(fact.object == ONE))) for memory_id, fact in said.declared.items()}
    imports = {(memory_id, fact.object) for memory_id, fact in said.imports.items()}
    found = connection.execute(
        "SELECT memory_id, coalesce(said_subject, subject), predicate, coalesce(said_object, object), stated_from,"
        " stated_to, private FROM triples WHERE batch_id IS NULL"
    )
    known = {tuple(row) for row in found}
    brought = {tuple(row) for row in connection.execute("SELECT memory_id, id FROM batches WHERE applied")}
    rows = connection.execute(
        "SELECT memory_id, alias, target FROM aliases WHERE memory_id NOT IN"
        " (SELECT memory_id FROM batches WHERE applied) UNION ALL"
        " SELECT memory_id, name, CAST(single_valued AS TEXT) FROM predicates WHERE memory_id IS NOT NULL"
    )
    named = {tuple(row) for row in rows}
    unknown = len(known - stated) + len(named - claims) + len(brought - imports)
    missing = len(stated - known) + len(claims - named) + len(imports - brought)
    torn = _torn(connection)
    parts = (
        (unknown, "there and not as the ledger states them"),
        (missing, "missing that it states"),
        (torn, "imports of them that are not whole"),
    )
    found_out = ", ".join(f"{count:,} {what}" for count, what in parts if count)
    return f"facts of the graph: {found_out}" if found_out else None


def _torn(connection: sqlite3.Connection) -> int:
    """How many imports have another number of facts in the graph than were brought."""
    rows = connection.execute("SELECT batch_id, count(*) FROM triples WHERE batch_id IS NOT NULL GROUP BY batch_id")
    counted = {row[0]: row[1] for row in rows}
    whole = {row[0]: row[1] for row in connection.execute("SELECT id, triples FROM batches WHERE applied AND triples")}
    return sum(counted.get(key) != whole.get(key) for key in counted.keys() | whole.keys())
