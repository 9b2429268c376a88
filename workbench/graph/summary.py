"""The graph in a few lines: the entities of which most holds now, and what holds of each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench import db
from workbench.graph import queries

# Facts of one entity that are told.
FACTS = 12
_MOST_KNOWN = """
SELECT entity FROM (
    SELECT subject AS entity FROM triples t WHERE {holds}
    UNION ALL SELECT object FROM triples t WHERE {holds} AND value IS NULL
) GROUP BY entity ORDER BY count(*) DESC, entity LIMIT :limit
"""
_HOLDS = (
    "hidden IS NULL AND NOT private AND (valid_from IS NULL OR valid_from <= :at)"
    " AND (valid_to IS NULL OR valid_to > :at)"
)


@dataclass
class Told:
    """An entity, and what holds of it as ``pred=value``, ``pred → Other`` and ``← pred Other``.

    :param more: facts that are not told.
    """

    name: str
    type: str
    facts: list[str] = field(default_factory=list)
    more: int = 0

    def __str__(self) -> str:
        more = f", and {self.more} more" if self.more else ""
        return f"{self.name} ({self.type}): {', '.join(self.facts)}{more}"


def most_known(connection: sqlite3.Connection, limit: int) -> Iterator[Told]:
    """The entities with most facts that hold now and agents may know, in either direction; of as many, by id."""
    at = db.now()
    rows = connection.execute(_MOST_KNOWN.format(holds=_HOLDS), {"at": at, "limit": limit}).fetchall()
    found = {entity.id: entity for entity in queries.entities(connection, [row[0] for row in rows])}
    for (key,) in rows:
        facts = queries.about(connection, key, "both", at, private=False)
        said = sorted((fact["direction"] != "outgoing", fact["predicate"], _fact(fact)) for fact in facts)
        entity = found.get(key, queries.Entity(key, key, "unknown"))
        lines = list(dict.fromkeys(line for _, _, line in said))
        yield Told(entity.name, entity.type, lines[:FACTS], max(0, len(lines) - FACTS))


def _fact(fact: dict[str, object]) -> str:
    if fact["direction"] == "incoming":
        return f"← {fact['predicate']} {fact['subject']}"
    return f"{fact['predicate']}{'=' if fact['object_id'] is None else ' → '}{fact['object']}"
