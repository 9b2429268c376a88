"""What is in force for an agent that begins to work, as a list: the core first, then rules, decisions, the rest."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict
from typing import Any

from workbench.errors import WorkbenchError
from workbench.ledger.filters import ENDORSED, IN_FORCE, SHOWN, VISIBLE, Reader
from workbench.ledger.model import row_dict

DEFAULT_ITEMS, MAX_ITEMS = 20, 50
MAX_CONTENT = 6_000

# No number of decisions that agents noted crowds out what the person locked or laid down.
_GROUP = (
    f"CASE WHEN m.tier = 'core' THEN 0 WHEN m.authority = 'locked' OR m.kind = 'constraint' AND {ENDORSED} THEN 1"
    f" WHEN m.kind = 'decision' AND {ENDORSED} THEN 2 WHEN {ENDORSED} THEN 3 WHEN m.kind = 'decision' THEN 4 ELSE 5 END"
)


def bootstrap(
    connection: sqlite3.Connection, reader: Reader, at: str, limit: int = DEFAULT_ITEMS
) -> list[dict[str, Any]]:
    """The memories an agent should begin with, at most ``limit`` of them and 6,000 characters in all.

    Inferred ones and what no agent may be shown are not among them; one too long for what is left is passed over.

    :raises WorkbenchError: when more than 50 are asked for.
    """
    if not 1 <= limit <= MAX_ITEMS:
        raise WorkbenchError(f"a bootstrap lists 1 to {MAX_ITEMS} memories, not {limit}")
    # Most rows are in force: one pass over them is quicker than any index, and of most the text is not even read.
    order = "m.importance DESC, m.trust DESC, m.id"
    best = (
        f"SELECT m.seq, {_GROUP} AS place FROM memories m NOT INDEXED WHERE {VISIBLE} AND {IN_FORCE}"
        f" AND {SHOWN} AND m.authority <> 'inferred' ORDER BY place, {order} LIMIT {MAX_ITEMS}"
    )
    rows = connection.execute(
        f"SELECT m.* FROM ({best}) b CROSS JOIN memories m ON m.seq = b.seq ORDER BY b.place, {order}",
        {"at": at, **asdict(reader)},
    )
    chosen: list[dict[str, Any]] = []
    left = MAX_CONTENT
    for row in rows:
        if len(chosen) < limit and len(row["content"]) <= left:
            chosen.append(row_dict(row))
            left -= len(row["content"])
    return chosen
