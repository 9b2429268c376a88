"""MEMORY.md kept in step with the ledger; an edit of what the ledger holds there becomes a proposal."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from workbench import config, db, files
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import entries as ledger
from workbench.ledger import gate, read, requests, sources, store, write
from workbench.ledger.change import Change
from workbench.ledger.model import MAX_CONTENT, Actor, Candidate, Evidence, Kind, SourceType
from workbench.notes import entries, keeping, projection, records
from workbench.operations.models import RefreshResult

# Who edited a file can't be known: it is treated as anybody, and the person rules on it.
FILE = Actor("system", "MEMORY.md")
_SIMILAR = 0.6
# As ``projection.bullet`` names the scope.
_SCOPED = re.compile(r"(.*) \((workspace|project|agent): (.*)\)", re.DOTALL)
# Characters, some 4,000 tokens: an agent reads them with every prompt; the rest is found by recall.
ROOM = 16_000


class _EditedMeanwhile(Exception):
    pass


class _ByHand(Exception):
    """Somebody changed entries, or took some out."""

    def __init__(self, edited: dict[str, str], deleted: list[str]) -> None:
        super().__init__()
        self.edited, self.deleted = edited, deleted


def refresh(home: Home) -> RefreshResult:
    """Bring MEMORY.md in line with the ledger: its generated block, and the entries that are memories.

    Lines that somebody changed or added inside the block are put into the inbox first; those that can't be stay in
    the file, below the block. An entry that somebody changed keeps their wording, which waits in the inbox as a
    correction; one that they took out is shown in the block again. Nothing is lost.
    """
    path = home.memory_md
    files.check_replaceable(path)
    proposed = 0
    told: dict[str, str] = {}
    while True:
        edits = projection.edited(files.read_bytes(path))
        refused, count = _propose(home, edits) if edits else ([], 0)
        proposed += count
        try:
            return _write(home, edits, refused, told).model_copy(update={"proposed": proposed})
        except _EditedMeanwhile:
            continue
        except _ByHand as found:
            proposed += _tell(home, found, told)


def _write(home: Home, handled: list[str], refused: list[str], told: Mapping[str, str]) -> RefreshResult:
    path = home.memory_md
    # Read inside the lock: of two refreshes the later one has read the later state.
    with files.lock(path.with_name(f".{path.name}.lock")):
        for each in (path, home.memory_archive, home.memory_entries):
            files.remove_leftovers(each)
        document, archive, known = files.read_bytes(path), files.read_bytes(home.memory_archive), records.load(home)
        entries.check_utf8(document, path)
        entries.check_utf8(archive, home.memory_archive)
        edits = projection.edited(document)
        if not set(edits) <= set(handled):
            raise _EditedMeanwhile
        with store.reading(home) as connection:
            made = keeping.plan(_with_block(document), archive, known, ledger.wanted(connection, db.now()), told)
            memories, more = _shown(connection, made.standing)
        if made.edited or made.deleted:
            raise _ByHand(made.edited, made.deleted)
        below = [line for line in edits if line in refused]
        new = projection.splice(made.document, projection.block(memories, more, bool(made.after.entries)), below)
        changed = new != document
        if changed or made.archive != archive:
            if made.before != known:
                records.save(home, made.before)
            _replace(home.memory_archive, archive, made.archive)
            _replace(path, document, new)
        if made.after != known:
            records.save(home, made.after)
    return RefreshResult(path=str(path), memories=len(memories), changed=changed, archived=made.moved)


def _with_block(document: bytes) -> bytes:
    """The document with a block, which comes before the first entry of ours."""
    return document if projection.blocks(document) else projection.splice(document, projection.block(()))


def _replace(path: Path, old: bytes, new: bytes) -> None:
    """Write what was made of ``old``, unless somebody changed that meanwhile."""

    def change(document: bytes) -> bytes:
        if document != old:
            raise _EditedMeanwhile
        return new

    files.rewrite(path, change)


def _tell(home: Home, found: _ByHand, told: dict[str, str]) -> int:
    """Ask the person about what somebody made of entries; returns how many corrections wait.

    :param told: gets what was told, by the memory's id.
    """
    proposed, policy = 0, write.Policy.of(config.load(home))
    with store.writing(home) as connection:
        change = Change(connection, FILE)
        for memory_id, said in found.edited.items():
            try:
                with change.attempt():
                    scope = projection.bullet({**read.memory(connection, memory_id), "content": ""})
                    content = projection.unescaped(said.removesuffix(scope))
                    requests.ask(change, "correct", memory_id, policy, content=content)
            except WorkbenchError:
                found.deleted.append(memory_id)  # it is somebody's own text from now on
                continue
            told[memory_id] = entries.digest(said)
            proposed += 1
        for memory_id in found.deleted:
            ledger.let_go(change, memory_id)
    return proposed


def _shown(connection: sqlite3.Connection, standing: Collection[str] = ()) -> tuple[list[dict[str, Any]], bool]:
    """The memories that have room in the block, and whether there are more.

    :param standing: digests of what stands in MEMORY.md as entries, which needs no second place there.
    """
    memories: list[dict[str, Any]] = []
    room = ROOM
    for row in read.projection(connection, db.now()):
        if standing and entries.digest(projection.bullet(row)) in standing:
            continue
        room -= len(row["content"])
        if room < 0:
            return memories, True
        memories.append(row)
    return memories, False


def _propose(home: Home, lines: list[str]) -> tuple[list[str], int]:
    """Every line that no memory ever read like becomes a correction that waits: (those that can't, how many do).

    A line that a memory reads or read like is in the ledger, and may be one of ours that was ruled wrong since.
    """
    refused, proposed, policy = [], 0, write.Policy.of(config.load(home))
    with store.writing(home) as connection:
        standing = {form for line in lines for form in _forms(line)}
        prints = [print_ for form in standing for print_ in _prints(form)]
        shown, _ = _shown(connection)
        known = {projection.bullet(row) for row in read.wordings(connection, prints, [row["id"] for row in shown])}
        gone = [row for row in shown if projection.bullet(row) not in standing]
        for line in lines:
            if known.isdisjoint(_forms(line)):
                candidate = _candidate(projection.statement(line), gone)
                if _proposed(connection, candidate, policy):
                    proposed += 1
                else:
                    refused.append(line)
    return refused, proposed


def _prints(form: str) -> list[str]:
    """The fingerprints of what a line may state: as it stands, and in the scope that it names at its end."""
    plain = projection.unescaped(form)
    scoped = _SCOPED.fullmatch(plain)
    every = [("global", "", plain), *([(scoped[2], scoped[3], scoped[1])] if scoped else [])]
    return [gate.fingerprint(content, *scope) for *scope, content in every]


def _forms(line: str) -> tuple[str, str]:
    """What a line may say: all behind our dash, where the statement itself begins like a mark; else without any."""
    return line.strip().removeprefix("- "), projection.statement(line)


def _proposed(connection: sqlite3.Connection, candidate: Candidate, policy: write.Policy) -> bool:
    """Put a candidate into the inbox; returns False where it was not taken: no statement, a credential, no room."""
    change = Change(connection, FILE)
    try:
        with change.attempt():
            found = write.propose(change, gate.check(candidate), policy)
    except WorkbenchError:
        return False
    return found.outcome not in ("rejected_before", "erased_before")


def _candidate(line: str, gone: list[dict[str, Any]]) -> Candidate:
    """The line as a correction of the memory it most likely stood for before."""
    candidate = Candidate(
        content=line,
        kind=Kind.CORRECTION,
        explicit=True,
        confidence=None,
        evidence=(Evidence(SourceType.NOTE, sources.GENERATED, line),),
    )
    if len(line) > MAX_CONTENT:  # no memory, so none to compare it with
        return candidate
    scored = [(SequenceMatcher(None, line, projection.bullet(row)).ratio(), row["seq"], row) for row in gone]
    score, _, row = max(scored, default=(0.0, 0, None), key=lambda item: item[:2])
    if row is None or score < _SIMILAR:
        return candidate
    scope = projection.bullet({**row, "content": ""})
    return replace(
        candidate,
        content=line.removesuffix(scope).strip() or line,
        kind=Kind(row["kind"]),
        fact_key=row["fact_key"],
        scope_type=row["scope_type"],
        scope_key=row["scope_key"],
    )
