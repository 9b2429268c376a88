"""What the ledger says to the knowledge graph: which memories changed, and what each states now."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from typing import Any

from workbench.graph.names import IMPORTS, RESERVED
from workbench.ledger.filters import SHOWN
from workbench.ledger.model import row_dict

# In the graph is what holds or held; what waits, was ruled wrong or put away is not. Held for no moment is not at all;
# what is said of names, predicates and imports has no history.
_STATED = (
    f"SELECT m.*, NOT ({SHOWN}) AS private FROM memories m WHERE m.predicate IS NOT NULL AND m.scope_type = 'global'"
    " AND (m.status = 'active' OR (m.status = 'superseded' AND m.valid_to > coalesce(m.valid_from, '')"
    f" AND m.predicate NOT IN ({', '.join(repr(name) for name in sorted(RESERVED))})))"
)


def reaches(connection: sqlite3.Connection, number: int, hash_: str) -> bool:
    """Whether the history has this event; it has not where it is another ledger's, or that was restored."""
    row = connection.execute("SELECT hash FROM memory_events WHERE seq = ?", (number,)).fetchone()
    return row is not None and row[0] == hash_


def changed_since(connection: sqlite3.Connection, number: int) -> set[str]:
    """The memories of which an event after this one tells."""
    rows = connection.execute(
        "SELECT memory_id FROM memory_events WHERE seq > ?1 AND memory_id IS NOT NULL"
        " UNION SELECT json_extract(i.value, '$.id') FROM memory_events e JOIN event_payloads p USING (seq)"
        " JOIN json_each(p.payload, '$.images') i WHERE e.seq > ?1 AND json_extract(i.value, '$.table') = 'memories'",
        (number,),
    )
    return {row[0] for row in rows}


def batches(connection: sqlite3.Connection, memory_ids: Collection[str] | None = None) -> dict[str, str]:
    """The memories that stand for an import, whatever their status, with the batch each brings; newest last."""
    only = "" if memory_ids is None else " AND id IN (SELECT value FROM json_each(?))"
    given = () if memory_ids is None else (json.dumps(sorted(memory_ids)),)
    rows = connection.execute(
        f"SELECT id, object FROM memories WHERE predicate = '{IMPORTS}'{only} ORDER BY seq", given
    )
    return {row["id"]: row["object"] for row in rows}


def erased(connection: sqlite3.Connection, memory_ids: Collection[str] | None = None) -> set[str]:
    """The memories that were erased; of all, or of these."""
    query = "SELECT memory_id FROM memory_events WHERE action = 'erased' AND memory_id IS NOT NULL"
    if memory_ids is None:
        return {row[0] for row in connection.execute(query)}
    only = f"{query} AND memory_id IN (SELECT value FROM json_each(?))"
    return {row[0] for row in connection.execute(only, (json.dumps(sorted(memory_ids)),))}


def stated(connection: sqlite3.Connection, memory_ids: Collection[str] | None = None) -> dict[str, dict[str, Any]]:
    """The memories that state something to the graph now, by their ids, oldest first; of all, or of these."""
    if memory_ids is None:
        rows = connection.execute(f"{_STATED} ORDER BY m.seq")
    else:
        only = " AND m.id IN (SELECT value FROM json_each(?))"
        rows = connection.execute(f"{_STATED}{only} ORDER BY m.seq", (json.dumps(sorted(memory_ids)),))
    return {row["id"]: row_dict(row) for row in rows}
