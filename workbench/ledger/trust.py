"""Trust: the probability that a memory is right and still holds, computed by us and never set by a writer.

Until it is calibrated on the person's verdicts it is a prior: 0.60, +0.25 for an explicit statement, +0.05 for each
further sighting up to +0.15, −0.30 while it is contradicted; confirmed and locked memories are at least 0.95.
Feedback moves it. What is bound to its time halves every 30 days.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.ledger.model import Authority, Kind

BASE = 0.60
EXPLICIT = 0.25
SIGHTING = 0.05
SIGHTINGS_MAX = 0.15
CONFLICT = -0.30
ENDORSED_MIN = 0.95
ENDORSED = (Authority.CONFIRMED, Authority.LOCKED)
HALF_LIFE_DAYS = 30.0

# What one mark of the person weighs, and one of an agent; all agents together never weigh more than AGENTS_MAX.
HELPFUL, UNHELPFUL = 0.10, -0.15
AGENTS, AGENTS_MAX = 0.02, 0.05


@dataclass(frozen=True)
class Trust:
    """The prior with its parts, so that it can be explained."""

    base: float
    explicit: float
    sightings: float
    conflict: float
    feedback: float
    endorsed: bool

    @property
    def value(self) -> float:
        """The probability, in [0, 1]."""
        total = self.base + self.explicit + self.sightings + self.conflict + self.feedback
        value = min(1.0, max(0.0, total))
        return round(max(value, ENDORSED_MIN) if self.endorsed else value, 4)


def prior(*, explicit: bool, seen_count: int, in_conflict: bool, authority: str, feedback: float = 0.0) -> Trust:
    """The prior of a memory from what is known about it."""
    endorsed = authority in ENDORSED
    return Trust(
        base=BASE,
        explicit=EXPLICIT if explicit else 0.0,
        sightings=min(SIGHTINGS_MAX, SIGHTING * (seen_count - 1)),
        # What somebody else says takes nothing from the person's word.
        conflict=CONFLICT if in_conflict and not endorsed else 0.0,
        feedback=feedback,
        endorsed=endorsed,
    )


def feedback(marks: Iterable[tuple[str, bool]], *, endorsed: bool) -> float:
    """What marks add to trust; those of agents count for nothing where the person has ruled.

    :param marks: (who gave it, as an event names them; whether it was helpful).
    """
    person, agents = 0.0, 0.0
    for actor, helpful in marks:
        if actor.startswith("person:"):
            person += HELPFUL if helpful else UNHELPFUL
        elif not endorsed:
            agents += AGENTS if helpful else -AGENTS
    return person + max(-AGENTS_MAX, min(AGENTS_MAX, agents))


def at(row: Mapping[str, Any], instant: str) -> float:
    """The trust of a memory at an instant: that of a temporal kind nobody endorsed fades since it was last seen.

    :param row: of ``memories``.
    """
    stored = float(row["trust"])
    if row["kind"] != Kind.TEMPORAL or row["authority"] in ENDORSED:
        return stored
    seen = datetime.fromisoformat(row["last_seen_at"] or row["created_at"])
    days = (datetime.fromisoformat(instant) - seen).total_seconds() / 86_400
    return round(stored * math.pow(0.5, max(0.0, days) / HALF_LIFE_DAYS), 4)
