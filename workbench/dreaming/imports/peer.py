"""A bundle of somebody else's ledger: its memories as candidates, nothing of what it says about their standing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from workbench.dreaming.imports.model import Item, Link, Memory, Notes, Relation, Row, Unfit, candidate, evidence
from workbench.ledger import bundle
from workbench.ledger.bundle import Entry
from workbench.ledger.model import Privacy, is_asked_in

# A line of a memory is far shorter; only an own backup has longer ones.
MAX_LINE = 1024 * 1024
_NOT_BELIEVED = {
    "memory_events": "what another ledger says of its history is not believed",
    "event_payloads": "what another ledger says of its history is not believed",
    "memory_feedback": "what others found helpful is not believed",
    "rejections": "what others ruled wrong is not ruled wrong here",
    "memory_use": "how often others used it says nothing here",
    "learned": "which messages others learned from says nothing here",
    "lens_archive": "what was shown to others' agents is theirs",
    "tombstones": "what others erased is theirs",
    "tombstone_key": "what others erased is theirs",
}
# Of one memory so much of each is taken: more is no memory.
_MOST = 100


def read(path: Path, notes: Notes) -> Iterator[Item]:
    """The memories of a bundle, each with what belongs to it, then their relations.

    :raises BadBundle: when it is newer than this program, torn or altered.
    """
    refs: set[str] = set()
    current: Memory | None = None
    for entry in bundle.entries(path, MAX_LINE):
        notes.found[entry.dataset or "lines that can't be read"] += 1
        if current is not None and entry.dataset not in bundle.OF_A_MEMORY and not entry.problem:
            yield current
            current = None
        try:
            if entry.problem:
                raise Unfit(entry.problem)
            if entry.dataset in _NOT_BELIEVED:
                notes.leave(entry.dataset, _NOT_BELIEVED[entry.dataset])
            elif entry.dataset == "memory_relations":
                yield _relation(Row(entry.row))
            elif entry.dataset == "memories":
                current = _memory(Row(entry.row), refs, notes)
            else:
                current = _with(current, entry, notes)
        except Unfit as error:
            notes.leave(entry.dataset or "lines that can't be read", str(error), f"line {entry.number}")
    if current is not None:
        yield current


def _relation(row: Row) -> Relation:
    return Relation(row.text("memory_id"), row.text("related_id"), row.text("type"))


def _memory(row: Row, refs: set[str], notes: Notes) -> Memory:
    ref = row.text("id")
    if not ref or ref in refs:
        raise Unfit("its id is another memory's" if ref else "it has no id")
    refs.add(ref)
    if row.text("status") == "erased":
        raise Unfit("was erased there")
    if is_asked_in(row.text("batch_id")):
        raise Unfit("asks for an act on a memory of the other ledger")
    found = candidate(row)
    return Memory(
        ref,
        replace(
            found,
            confidence=row.number("confidence", None, 0, 1),
            confidence_source=row.optional("confidence_source"),
            privacy=row.word("privacy", Privacy, Privacy.NORMAL),
            evidence=evidence(notes, f"bundle/{row.text('status')}", ref, found.content, found.observed_at),
        ),
    )


def _with(memory: Memory | None, entry: Entry, notes: Notes) -> Memory:
    """The memory with a row that belongs to it."""
    row = Row(entry.row)
    if memory is None or row.text("memory_id") != memory.ref:
        raise Unfit("of a memory that was not taken over")
    if max(map(len, (memory.candidate.evidence, memory.links, memory.wordings))) > _MOST:
        raise Unfit(f"one of over {_MOST} of one memory")
    if entry.dataset == "memory_evidence":
        origin, _, place = row.text("source_ref").rpartition("#")
        origin = f"bundle/{row.text('source_type')}:{origin or place}"
        quoted = evidence(notes, origin, place, row.text("excerpt"), row.optional("observed_at"))
        richer = replace(memory.candidate, evidence=(*memory.candidate.evidence, *quoted))
        return replace(memory, candidate=richer)
    if entry.dataset == "memory_resource_links":
        link = Link(row.text("resource_type"), row.text("resource_ref"), row.text("type"))
        return replace(memory, links=(*memory.links, link))
    return replace(memory, wordings=(*memory.wordings, row.text("content")))
