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
        write.move(connection, aliases.resettle(connection, moved), touched)
    values = registry.values(connection)
    for memory_id, fact in stated.items():
        if memory_id not in claims and memory_id not in imports:
            write.put(connection, memory_id, fact, values, touched)
    write.finish(connection, touched)
    for memory_id, fact in fresh.items():
        batches.apply(connection, memory_id, fact)
