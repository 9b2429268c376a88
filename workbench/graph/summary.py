"""The graph in a few lines: the entities of which most holds now, and what holds of each."""

from __future__ import annotations

import heapq
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from workbench import db
from workbench.graph import queries

# Facts of one entity that are told.
FACTS = 12
_HOLDING = (
    "SELECT subject, CASE WHEN value IS NULL THEN object END FROM triples WHERE hidden IS NULL AND NOT private"
    " AND (valid_from IS NULL OR valid_from <= :at) AND (valid_to IS NULL OR valid_to > :at)"
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


def most_known(connection: sqlite3.Connection, limit: int, told: Collection[str] = ()) -> Iterator[Told]:
    """The entities with most facts that hold now and agents may know, in either direction; of as many, by id.

    :param told: memories whose facts are told elsewhere: they are left out, and entities of which nothing is left.
    """
    at = db.now()
    counted: Counter[str] = Counter()
    for subject, object_ in connection.execute(_HOLDING, {"at": at}):
        counted[subject] += 1
        if object_ is not None:
            counted[object_] += 1
    keys = [key for key, _ in heapq.nsmallest(limit, counted.items(), key=lambda item: (-item[1], item[0]))]
    found = {entity.id: entity for entity in queries.entities(connection, keys)}
    for key in keys:
        facts = queries.about(connection, key, "both", at, private=False)
        new = [fact for fact in facts if fact["memory_id"] not in told]
        said = sorted((fact["direction"] != "outgoing", fact["predicate"], _fact(fact)) for fact in new)
        entity = found.get(key, queries.Entity(key, key, "unknown"))
        lines = list(dict.fromkeys(line for _, _, line in said))
        if lines:
            yield Told(entity.name, entity.type, lines[:FACTS], max(0, len(lines) - FACTS))


def _fact(fact: dict[str, object]) -> str:
    if fact["direction"] == "incoming":
        return f"← {fact['predicate']} {fact['subject']}"
    return f"{fact['predicate']}{'=' if fact['object_id'] is None else ' → '}{fact['object']}"
