"""How one memory stands to another, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench import dates, text
from workbench.ledger.model import REQUEST

if TYPE_CHECKING:
    from workbench.operations.models import EvidenceOut, MemoryOut, RelationOut

# Of a relation: what is said of the memory it starts from, and of the one it leads to.
RELATIONS = {
    "supersedes": ("supersedes", "is superseded by"),
    "contradicts": ("contradicts", "is contradicted by"),
    "supports": ("supports", "is supported by"),
    "depends_on": ("depends on", "is needed by"),
    "part_of": ("is part of", "has the part"),
    "derived_from": ("is derived from", "is the source of"),
    "related_to": ("is related to", "is related to"),
}
# How it was found in a source.
_FOUND = {
    "session": "said",
    "note": "noted",
    "file": "written",
    "url": "written",
    "git": "committed",
    "import": "kept",
    "manual": "stated",
}
# What an agent's request asks for, done to ``{}``.
_ACTS = {
    "core": "make {} core",
    "uncore": "make {} no longer core",
    "split": "split {} off",
    "rekey": "give {} another key",
    "merge": "keep {} in place of others",
}


def asks(act: str, what: str) -> str:
    """``lock``, ``it`` → ``asks to lock it``."""
    return f"asks to {_ACTS.get(act, f'{act} {{}}').format(what)}"


def related(relation: RelationOut) -> str:
    """A relation as the memory tells it: ``is needed by m_…``; a request is named as one."""
    if relation.asks and relation.outgoing:
        return asks(relation.asks, relation.other_id)
    if relation.asks:
        return f"{relation.other_id} {asks(relation.asks, 'it')}"
    return f"{RELATIONS[relation.type][0 if relation.outgoing else 1]} {relation.other_id}"


def conflict(memory: MemoryOut, other: MemoryOut) -> str:
    """How a memory in the inbox and one in conflict with it stand to each other; one of them may be a request.

    What waits contradicts what is in force; of two that wait, or hold, each contradicts the other.
    """
    if act := _asked(other):
        return f"{other.id} {asks(act, 'it')}"
    if act := _asked(memory):
        return asks(act, f"{other.id} ({other.authority})")
    stands = "in force" if other.status == "active" else "waits"
    verb = "is contradicted by" if memory.status == "active" != other.status else "contradicts"
    return f"{verb} {other.id} ({other.authority}, {stands})"


def source(item: EvidenceOut) -> str:
    """Where a memory was found, who said it there and when, and what has become of that source since."""
    by = f" by the {item.role}" if item.role else ""
    when = f", {dates.local(item.observed_at)}" if item.observed_at else ""
    gone = " [gone]" if item.missing_at else " [changed since]" if item.stale_at else ""
    return f"{_FOUND[item.source_type]}{by} in {text.one_line(item.source_ref, 200)}{when}{gone}"


def _asked(memory: MemoryOut) -> str | None:
    batch = memory.batch_id or ""
    return batch.removeprefix(REQUEST) if batch.startswith(REQUEST) else None
