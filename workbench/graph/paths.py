"""Ways between entities along facts, in either direction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

_HOLDS = (
    "t.hidden IS NULL AND t.value IS NULL AND (:private OR NOT t.private)"
    " AND (t.valid_from IS NULL OR t.valid_from <= :at) AND (t.valid_to IS NULL OR t.valid_to > :at)"
)
_STEPS = (
    "SELECT t.subject AS near, t.object AS far, t.id FROM json_each(:near) n CROSS JOIN triples t"
    f" ON t.subject = n.value WHERE {_HOLDS} UNION ALL SELECT t.object, t.subject, t.id FROM json_each(:near) n"
    f" CROSS JOIN triples t ON t.object = n.value WHERE {_HOLDS}"
)


@dataclass(frozen=True)
class Step:
    """An entity that was reached, from which one, by which triple, and how far from the first one it is."""

    entity: str
    came_from: str
    triple: int
    distance: int


def around(
    connection: sqlite3.Connection, entity: str, depth: int, at: str, limit: int, *, private: bool = True
) -> list[Step]:
    """The entities within ``depth`` facts of one, the nearest first, at most ``limit``."""
    seen: dict[str, Step | None] = {entity: None}
    front = [entity]
    for distance in range(1, depth + 1):
        front = _advance(connection, front, seen, distance, at, private)
        if not front or len(seen) > limit:
            break
    return [step for step in seen.values() if step is not None][:limit]


def shortest(
    connection: sqlite3.Connection, source: str, target: str, max_length: int, at: str, *, private: bool = True
) -> list[int]:
    """The triples of a shortest way between two entities; none where there is no way of that length.

    The search goes on from both ends, from the one that has fewer entities before it.
    """
    if source == target:
        return []
    sides: list[dict[str, Step | None]] = [{source: None}, {target: None}]
    fronts = [[source], [target]]
    for _ in range(max_length):
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        distance = 1 + max(step.distance if step else 0 for step in (sides[side][name] for name in fronts[side]))
        fronts[side] = _advance(connection, fronts[side], sides[side], distance, at, private)
        if met := sides[0].keys() & set(fronts[side]) & sides[1].keys():
            meeting = min(met, key=lambda name: (_distance(sides[0][name]) + _distance(sides[1][name]), name))
            return [*_back(sides[0], meeting)[::-1], *_back(sides[1], meeting)]
        if not fronts[side]:
            break
    return []


def _distance(step: Step | None) -> int:
    return step.distance if step else 0


def _back(side: dict[str, Step | None], name: str) -> list[int]:
    """The triples from an entity back to where its side began."""
    found = []
    while (step := side[name]) is not None:
        found.append(step.triple)
        name = step.came_from
    return found


def _advance(
    connection: sqlite3.Connection,
    front: Iterable[str],
    seen: dict[str, Step | None],
    distance: int,
    at: str,
    private: bool,
) -> list[str]:
    """One step further from each of ``front``; what is reached for the first time joins ``seen`` and is returned.

    Of several ways there the first by its ids is taken, so that the same is found each time.
    """
    given = {"near": json.dumps(sorted(front)), "at": at, "private": private}
    reached: dict[str, Step] = {}
    for near, far, triple in connection.execute(_STEPS, given):
        known = reached.get(far)
        if far not in seen and (known is None or (near, triple) < (known.came_from, known.triple)):
            reached[far] = Step(far, near, triple, distance)
    seen.update(sorted(reached.items()))
    return sorted(reached)
