"""Flowly: the governance of its memory, and the notes of MEMORY.md. Its files are read and never written."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from workbench import db, files, foreign_db, text
from workbench.dreaming.imports.model import Item, Memory, Notes, Row, Standing, Unfit, evidence
from workbench.errors import WorkbenchError
from workbench.ledger.model import Candidate, Kind, Privacy
from workbench.ledger.time import instant
from workbench.notes import projection

DATABASE = "memory_governance.sqlite3"
GRAPH = "knowledge_graph.sqlite3"
NOTES = "workspace/memory/MEMORY.md"
MAX_NOTES = 16 * 1024 * 1024
_STANDINGS = {
    "active": Standing.IN_FORCE,
    "rejected": Standing.REJECTED,
    "superseded": Standing.SUPERSEDED,
    "stale": Standing.PUT_AWAY,
}
# What is in force comes first: the same statement, rejected or replaced earlier, is then known.
_ORDER = "CASE status WHEN 'active' THEN 0 WHEN 'needs_review' THEN 1 WHEN 'candidate' THEN 1 ELSE 2 END, rowid"
_ENTRY = re.compile(r"<!--\s*(\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2})?)[^>]{0,40}-->")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# What a fresh MEMORY.md says of itself: headings, rules, hints in brackets or italics.
_FURNITURE = re.compile(
    r"#{1,6} .*|-{3,}|\*{3,}|\(.*\)|\*[^*\n]+\*|_[^_\n]+_|This file stores important information that should .*|\s*"
)
_BULLET = re.compile(r"[-*+] +(?=\S)")
_ELSEWHERE = {
    "workspace/USER.md": "a profile that Flowly's dreamer only reads; copy what you want to keep",
    "workspace/memory/????-??-??.md": "daily notes are notes, no memories; copy them into the folder of notes",
    "sessions/*.jsonl": "conversations; `workbench ingest` reads them",
}


def recognises(path: Path) -> bool:
    """Whether ``path`` is the home of a Flowly.

    :raises WorkbenchError: when it is one of ours.
    """
    if not path.is_dir():
        return False
    if not (path / DATABASE).is_file():
        return (path / NOTES).is_file()
    with foreign_db.read(path / DATABASE) as connection:
        if db.is_ours(connection):
            raise WorkbenchError(f"{path} is a home of this program; `workbench export` and `import-bundle` carry it")
        return _has_table(connection, "memory_items")


def read(path: Path, notes: Notes) -> Iterator[Item]:
    """What Flowly governs, what is in force first, then the entries of MEMORY.md that a person or an agent wrote."""
    if (path / DATABASE).is_file():
        with foreign_db.read(path / DATABASE) as connection:
            yield from _governed(connection, notes)
    yield from _entries(path / NOTES, notes)
    _count_elsewhere(path, notes)


def _governed(connection: sqlite3.Connection, notes: Notes) -> Iterator[Memory]:
    kept_by_user = _kept_by_user(connection)
    replaced = _replaced(connection)
    for name, why in (
        ("memory_audit", "read for who accepted what; what another store says of its history is not believed"),
        ("memory_feedback", "what was found helpful there is not believed"),
        ("memory_meta", "Flowly's own bookkeeping"),
    ):
        if _has_table(connection, name):
            count = connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            notes.found[name] = count
            notes.leave(name, why, count=count)
    for row in _rows(connection, "memory_items", notes, _ORDER):
        ref = ""
        try:
            ref = row.text("id")
            notes.found[f"memory_items {text.one_line(row.text('status'), 20)}"] += 1
            yield _item(row, ref, kept_by_user, replaced, notes)
        except Unfit as error:
            notes.leave("memory_items", str(error), ref)


def _item(row: Row, ref: str, kept_by_user: set[str], replaced: dict[str, str], notes: Notes) -> Memory:
    if not ref:
        raise Unfit("it has no id")
    if row.text("ref_kind") == "kg_triple":
        why = "the text comes in as a memory; `workbench graph import` brings the triple"
        notes.leave("triples", why, row.text("ref_id") or ref)
    standing = _STANDINGS.get(row.text("status"), Standing.WAITING)
    if standing is Standing.IN_FORCE and ref in kept_by_user:
        standing = Standing.ENDORSED
    content, observed_at = row.text("text"), row.optional("created_at")
    return Memory(
        ref,
        Candidate(
            content=content,
            kind=row.word("kind", Kind, Kind.FACT),
            explicit=False,
            confidence=row.number("confidence", None, 0, 1),
            confidence_source="flowly",
            fact_key=_key(row.text("normalized_key")),
            privacy=row.word("privacy_level", Privacy, Privacy.NORMAL),
            valid_from=row.optional("valid_from"),
            valid_to=row.optional("valid_to"),
            observed_at=observed_at,
            evidence=evidence(notes, f"flowly/{row.text('status')}", ref, content, observed_at),
        ),
        standing,
        successor=replaced.get(ref),
    )


def _key(given: str) -> str | None:
    """``fact:alice|works_at`` → ``fact.alice.works_at``; a key that only repeats the first words says no fact."""
    return None if given.startswith("pref:") else text.fact_key(re.sub(r"[:|]+", ".", given)) or None


def _kept_by_user(connection: sqlite3.Connection) -> set[str]:
    """Ids of the items whose last ruling was the user's, and made them active."""
    if not _has_table(connection, "memory_audit"):
        return set()
    kept: set[str] = set()
    for actor, item, status in connection.execute("SELECT actor, item_id, to_status FROM memory_audit ORDER BY rowid"):
        if status == "active" and actor == "user":
            kept.add(str(item))
        elif status != "active":
            kept.discard(str(item))
    return kept


def _replaced(connection: sqlite3.Connection) -> dict[str, str]:
    """Superseded item → the one in its place; the dreamer links from the newer one, consolidation from the older."""
    found: dict[str, str] = {}
    columns = {row["name"] for row in connection.execute("PRAGMA table_info(memory_items)")}
    if "supersedes" not in columns:
        return found
    for one, other, status in connection.execute(
        "SELECT id, supersedes, status FROM memory_items WHERE supersedes IS NOT NULL AND supersedes <> ''"
    ):
        older, newer = (one, other) if status == "superseded" else (other, one)
        found.setdefault(str(older), str(newer))
    return found


def _rows(connection: sqlite3.Connection, table: str, notes: Notes, order: str) -> Iterator[Row]:
    """Row by row, so that one that can't be read costs one row."""
    for (number,) in connection.execute(f"SELECT rowid FROM {table} ORDER BY {order}").fetchall():
        try:
            row = connection.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,)).fetchone()
        except sqlite3.Error:
            notes.found[f"{table} unreadable"] += 1
            notes.leave(table, "the row can't be read, or is too long", f"row {number}")
            continue
        yield Row(dict(row))


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether there is a real table of this name: a view or a virtual table could run code of whoever made it."""
    row = connection.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?", (name,)
    ).fetchone()
    return row is not None


def _entries(path: Path, notes: Notes) -> Iterator[Memory]:
    if not path.is_file():
        return
    document = files.read_regular(path.resolve(), MAX_NOTES) or b""
    parts = _ENTRY.split(projection.human(document).decode("utf-8", "replace").replace("\r\n", "\n"))
    found: list[tuple[str | None, str]] = [(None, note) for note in _notes(parts[0])]
    found += zip(parts[1::2], map(_entry, parts[2::2]), strict=True)
    for stamp, content in found:
        if not content:
            continue
        notes.found["MEMORY.md entries"] += 1
        observed_at = _instant(stamp)
        ref = text.sha256(content)[:16]
        yield Memory(
            f"MEMORY.md/{ref}",
            Candidate(
                content=content,
                kind=Kind.PREFERENCE,
                explicit=False,
                confidence=None,
                observed_at=observed_at,
                evidence=evidence(notes, "flowly/MEMORY.md", ref, content[:600], observed_at),
            ),
        )


def _entry(part: str) -> str:
    """The text of an entry, without what stands at the end of the file."""
    lines = _COMMENT.sub("", part).strip().splitlines()
    while lines and _FURNITURE.fullmatch(lines[-1]):
        lines.pop()
    return "\n".join(lines)


def _notes(document: str) -> Iterator[str]:
    """What a person wrote before the first entry: each bullet and each paragraph, without headings and hints."""
    for paragraph in re.split(r"\n\s*\n", _COMMENT.sub("", document)):
        lines = [line for line in paragraph.strip().splitlines() if not _FURNITURE.fullmatch(line.strip())]
        bullets = [_BULLET.sub("", line.strip()) for line in lines if _BULLET.match(line.strip())]
        yield from bullets if len(bullets) == len(lines) else ["\n".join(lines).strip()]


def _instant(stamp: str | None) -> str | None:
    try:
        return instant(stamp) if stamp else None
    except WorkbenchError:
        return None


def _count_elsewhere(path: Path, notes: Notes) -> None:
    for pattern, why in _ELSEWHERE.items():
        there = sorted(path.glob(pattern))
        notes.leave(pattern, why, count=len(there))
    if (path / GRAPH).is_file():
        with foreign_db.read(path / GRAPH) as connection:
            if _has_table(connection, "triples"):
                count = connection.execute("SELECT count(*) FROM triples").fetchone()[0]
                notes.found["triples"] = count
                notes.leave(GRAPH, "`workbench graph import` brings the knowledge graph", count=count)
