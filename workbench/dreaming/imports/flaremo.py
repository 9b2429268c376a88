"""FlareMo: an export of version 5, one JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from workbench.dreaming.imports.model import (
    Item,
    Link,
    Memory,
    Notes,
    Relation,
    Row,
    Standing,
    Unfit,
    candidate,
    evidence,
)
from workbench.errors import WorkbenchError
from workbench.ledger.model import Candidate, Evidence, LinkType, ResourceType

VERSION = 5
MAX_BYTES = 256 * 1024 * 1024
_OF_A_MEMORY = ("memory_revisions", "memory_resource_links", "memory_evidence")
# Arrays of an export that are not taken over.
_ELSEWHERE = {
    "memory_events": "what another store says of its history is not believed",
    "memos": "a memo is a note, no memory; save it in the folder of notes",
    "attachments": "files are not kept here",
    "relations": "between memos, which are not taken over",
    "shares": "nothing is shared from here",
    "projects": "tasks are not kept here",
    "tasks": "tasks are not kept here",
    "task_activity": "tasks are not kept here",
}
_RESOURCES = {"session": ResourceType.SESSION, "url": ResourceType.URL, "github": ResourceType.GIT}
_LINKS = {"evidence": LinkType.REFERENCES}
_GONE = "was deleted there"


def recognises(path: Path) -> bool:
    """Whether ``path`` is an export of FlareMo.

    :raises WorkbenchError: when it is one of another version, or too large.
    """
    if not path.is_file() or path.suffix.lower() != ".json":
        return False
    if path.stat().st_size > MAX_BYTES:
        raise WorkbenchError(f"{path} has over {MAX_BYTES:,} bytes; split the export, nothing was read")
    document = _document(path)
    if not isinstance(document.get("memories"), list):
        return False
    if document.get("version") != VERSION:
        found = str(document.get("version"))[:20]
        raise WorkbenchError(f"{path} is a FlareMo export of version {found}; only version {VERSION} can be read")
    return True


def read(path: Path, notes: Notes) -> Iterator[Item]:
    """The memories of an export, then their relations."""
    document = _document(path)
    arrays = {name: document.get(name) for name in ("memories", "memory_relations", *_OF_A_MEMORY, *_ELSEWHERE)}
    rows = {name: value if isinstance(value, list) else [] for name, value in arrays.items()}
    notes.found.update({name: len(found) for name, found in rows.items() if found})
    for name, why in _ELSEWHERE.items():
        notes.leave(name, why, count=len(rows[name]))
    company = {name: _by_memory(rows[name], name, notes) for name in _OF_A_MEMORY}
    names: set[str] = set()
    for number, row in enumerate(rows["memories"]):
        try:
            memory = _memory(Row(_object(row)), company, notes)
            if memory.ref in names:
                raise Unfit("another memory has its name")
            names.add(memory.ref)
            yield memory
        except Unfit as error:
            notes.leave("memories", str(error), f"number {number + 1}")
    for name in company:
        lost = sum(len(found) for ref, found in company[name].items() if ref not in names)
        notes.leave(name, "of a memory that was not taken over", count=lost)
    yield from _relations(rows["memory_relations"], notes)


def _document(path: Path) -> dict[str, Any]:
    try:
        document = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return document if isinstance(document, dict) else {}


def _object(row: object) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        raise Unfit("it is no object")
    return row


def _ref(name: str) -> str:
    return name.removeprefix("memories/")


def _by_memory(rows: list[object], name: str, notes: Notes) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        try:
            fields = Row(_object(row))
            found.setdefault(_ref(fields.text("memory_id")), []).append(fields)
        except Unfit as error:
            notes.leave(name, str(error))
    return found


def _memory(row: Row, company: dict[str, dict[str, list[Row]]], notes: Notes) -> Memory:
    ref = _ref(row.text("name") or row.text("id"))
    if not ref:
        raise Unfit("it has no name")
    if row.text("status") == "deleted":
        raise Unfit(_GONE)
    successor = row.optional("superseded_by_id")
    return Memory(
        ref=ref,
        candidate=_candidate(row, ref, company["memory_evidence"].get(ref, []), notes),
        standing=_standing(row),
        successor=_ref(successor) if successor else None,
        links=tuple(_links(company["memory_resource_links"].get(ref, []), ref, notes)),
        wordings=tuple(_wordings(company["memory_revisions"].get(ref, []), ref, notes)),
    )


def _candidate(row: Row, ref: str, quotes: list[Row], notes: Notes) -> Candidate:
    found = candidate(row)
    confidence = row.number("confidence", None, 0, 100)
    own = evidence(notes, f"flaremo/{row.text('status', 'active')}", ref, found.content, found.observed_at)
    return replace(
        found,
        confidence=None if confidence is None else confidence / 100,
        confidence_source="flaremo",
        scope_key=found.scope_key.removeprefix("agent:"),
        evidence=(*own, *(item for quote in quotes for item in _evidence(quote, ref, notes))),
    )


def _standing(row: Row) -> Standing:
    status, verification = row.text("status", "active"), row.text("verification", "observed")
    if row.get("rejected_at"):
        return Standing.REJECTED
    if status == "superseded":
        return Standing.SUPERSEDED
    if status == "archived":
        return Standing.PUT_AWAY
    if status != "active" or row.get("needs_review") or verification not in ("observed", "confirmed", "locked"):
        return Standing.WAITING
    return Standing.IN_FORCE if verification == "observed" else Standing.ENDORSED


def _evidence(row: Row, ref: str, notes: Notes) -> tuple[Evidence, ...]:
    try:
        if row.text("relation_type") == "contradicts":
            raise Unfit("it speaks against the memory, and evidence here speaks for it")
        origin = f"flaremo/{row.text('source_type', 'other')}:{row.text('source_id')}"
        return evidence(notes, origin, ref, row.text("excerpt"), row.optional("observed_at"))
    except Unfit as error:
        notes.leave("memory_evidence", str(error), ref)
        return ()


def _links(rows: list[Row], ref: str, notes: Notes) -> Iterator[Link]:
    for row in rows:
        try:
            there, kind = row.text("resource_type"), row.text("relation_type", LinkType.REFERENCES)
            if there not in _RESOURCES:
                raise Unfit(f"what it leads to ({there[:40]}) is not taken over")
            yield Link(_RESOURCES[there], row.text("resource_ref"), _LINKS.get(kind, kind))
        except Unfit as error:
            notes.leave("memory_resource_links", str(error), ref)


def _wordings(rows: list[Row], ref: str, notes: Notes) -> Iterator[str]:
    for row in sorted(rows, key=lambda row: str(row.get("created_at"))):
        try:
            yield row.text("content")
        except Unfit as error:
            notes.leave("memory_revisions", str(error), ref)


def _relations(rows: list[object], notes: Notes) -> Iterator[Relation]:
    for row in rows:
        try:
            fields = Row(_object(row))
            yield Relation(
                _ref(fields.text("memory_id")),
                _ref(fields.text("related_memory_id")),
                fields.text("type", "related_to"),
            )
        except Unfit as error:
            notes.leave("memory_relations", str(error))
