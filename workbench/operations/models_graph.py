"""What the operations on the knowledge graph return."""

from __future__ import annotations

from pydantic import BaseModel

from workbench.operations.models import MemoryOut


class FactOut(BaseModel):
    """A fact of the graph.

    :param direction: outgoing where the entity asked about is its subject, incoming where it is its object.
    :param valid_from: when it holds, half-open, to ``valid_to``; None where there is no limit.
    :param memory_id: the memory that states it; ``batch_id``: the import it came with.
    """

    id: str
    direction: str | None = None
    subject: str
    predicate: str
    object: str
    valid_from: str | None
    valid_to: str | None
    confidence: float | None
    current: bool
    source: str
    recorded_at: str
    memory_id: str
    batch_id: str | None


class Stated(BaseModel):
    """What became of something said to the graph.

    :param outcome: created, seen_again, repeated, rejected_before, erased_before.
    :param fact_id: the fact, where the graph holds it now; None where it waits for the person or is not kept.
    :param memory: the memory that states it.
    :param superseded: ids of the memories that it replaced.
    """

    outcome: str
    fact_id: str | None
    memory: MemoryOut | None
    superseded: list[str]
    change_id: str | None
    backlog: int
    message: str


class GraphStats(BaseModel):
    """How much the graph holds; ``hidden``: doubles and loops that merges made, which are not shown."""

    entities: int
    triples: int
    current_facts: int
    expired_facts: int
    hidden: int
    aliases: int
    relationship_types: list[str]


class GraphSummary(BaseModel):
    """The best known entities as a block for a prompt, empty where nothing is known.

    :param entities: that are in it; ``blocked``: that looked like an attempt to instruct the reader; ``left_out``: for
        which there was no room.
    """

    block: str
    entities: int
    blocked: int
    left_out: int
    tokens: int


class Neighbour(BaseModel):
    """An entity near another one.

    :param distance: facts between the two, at least.
    :param via: one of the facts by which it was reached.
    """

    name: str
    type: str
    distance: int
    via: FactOut


class PathOut(BaseModel):
    """The shortest way between two entities, as the facts on it; empty where there is none of that length."""

    source: str
    target: str
    facts: list[FactOut]
