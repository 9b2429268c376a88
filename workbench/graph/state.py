"""What the graph holds of each memory: made so, again and again, with the same result in any order.

Called by the effects of the ledger alone: no triple exists that the ledger does not know.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from workbench.graph import aliases, batches, registry, write
from workbench.graph.names import IMPORTS
from workbench.graph.write import Fact, Touched


def apply(connection: sqlite3.Connection, states: Mapping[str, Fact | None]) -> None:
    """Make the graph hold what each memory states, and nothing of those that state nothing (None)."""
    touched = Touched()
    for memory_id in states:
        write.remove(connection, memory_id, touched)
    stated = {memory_id: fact for memory_id, fact in states.items() if fact is not None}
    claims = {memory_id: fact for memory_id, fact in stated.items() if aliases.is_claim(fact.predicate)}
    imports = {memory_id: fact for memory_id, fact in stated.items() if fact.predicate == IMPORTS}
    for memory_id in states.keys() - imports.keys():
        batches.remove(connection, memory_id)
    fresh = {memory_id: fact for memory_id, fact in imports.items() if not batches.is_applied(connection, memory_id)}
    # What a batch claims goes with it, and stays with one that stays.
    moved = aliases.withdraw(connection, states.keys() - (imports.keys() - fresh.keys()))
    for memory_id, said in claims.items():
        moved |= aliases.claim(connection, memory_id, said.subject, said.predicate, said.object, said.recorded_at)
    for memory_id, said in fresh.items():
        moved |= batches.claim(connection, memory_id, said.recorded_at)
    if moved:
        touched.entities |= {target for _, target in moved}
        write.move(connection, aliases.resettle(connection, {alias for alias, _ in moved}), touched)
    values = registry.values(connection)
    for memory_id, fact in stated.items():
        if memory_id not in claims and memory_id not in imports:
            write.put(connection, memory_id, fact, values, touched)
    write.finish(connection, touched)
    for memory_id, fact in fresh.items():
        batches.apply(connection, memory_id, fact)


def clear(connection: sqlite3.Connection) -> None:
    """Empty the graph; what is kept of imports stays."""
    for table in ("triples", "aliases", "entities"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("UPDATE batches SET applied = 0")


def difference(connection: sqlite3.Connection, states: Mapping[str, Fact]) -> str | None:
    """How the graph differs from what memories state, in words; None where it does not."""
    values = registry.values(connection)
    stated, claims, imports = set(), set(), set()
    for memory_id, fact in states.items():
        if fact.predicate == IMPORTS:
            imports.add((memory_id, fact.object))
        elif aliases.is_claim(fact.predicate):
            claims.add((memory_id, *aliases.ends(fact.subject, fact.predicate, fact.object)))
        else:
            stated.add((memory_id, *write.said(fact, values), fact.start, fact.end, int(fact.private)))
    found = connection.execute(
        "SELECT memory_id, coalesce(said_subject, subject), predicate, coalesce(said_object, object), stated_from,"
        " stated_to, private FROM triples WHERE batch_id IS NULL"
    )
    known = {tuple(row) for row in found}
    brought = {tuple(row) for row in connection.execute("SELECT memory_id, id FROM batches WHERE applied")}
    rows = connection.execute(
        "SELECT memory_id, alias, target FROM aliases WHERE memory_id NOT IN"
        " (SELECT memory_id FROM batches WHERE applied)"
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
