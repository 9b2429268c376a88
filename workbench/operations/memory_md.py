"""MEMORY.md kept in step with the ledger; an edit inside its generated block becomes a proposal."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from workbench import db, files
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import gate, read, sources, store, write
from workbench.ledger.change import Change
from workbench.ledger.model import Actor, Candidate, Evidence, Kind, SourceType
from workbench.notes import projection
from workbench.operations.models import RefreshResult

# Who edited a file can't be known: it is treated as anybody, and the person rules on it.
FILE = Actor("system", "MEMORY.md")
_SIMILAR = 0.6
# A note that an agent reads with every prompt; the rest is found by recall.
SHOWN = 300


class _EditedMeanwhile(Exception):
    pass


def refresh(home: Home) -> RefreshResult:
    """Write the generated block of MEMORY.md anew from the active memories.

    Lines that somebody changed or added inside the block are put into the inbox first; nothing is lost.
    """
    path = home.memory_md
    while True:
        edits = projection.edited(files.read_bytes(path))
        if edits:
            _propose(home, edits)
        try:
            return _write(home, edits)
        except _EditedMeanwhile:
            continue


def _write(home: Home, handled: list[str]) -> RefreshResult:
    path = home.memory_md
    # Read inside the lock: of two refreshes the later one has read the later state.
    with files.lock(path.with_name(f".{path.name}.lock")):
        with store.reading(home) as connection:
            memories = read.projection(connection, db.now(), SHOWN + 1)
        generated = projection.block(memories[:SHOWN], more=len(memories) > SHOWN)

        def change(document: bytes) -> bytes:
            if not set(projection.edited(document)) <= set(handled):
                raise _EditedMeanwhile
            return projection.splice(document, generated)

        files.remove_leftovers(path)
        changed = files.rewrite(path, change)
    return RefreshResult(path=str(path), memories=len(memories[:SHOWN]), changed=changed)


def _propose(home: Home, lines: list[str]) -> None:
    """Every line that no memory ever read like becomes a correction that waits."""
    with store.writing(home) as connection:
        known = {projection.bullet(row) for row in read.wordings(connection)}
        gone = [row for row in read.projection(connection, db.now(), SHOWN) if projection.bullet(row) not in lines]
        for line in lines:
            if line in known:
                continue
            change = Change(connection, FILE)
            try:
                with change.attempt():
                    write.propose(change, gate.check(_candidate(line, gone)))
            except WorkbenchError:
                # Not taken over, a credential for one; the line itself is not kept in the block either.
                continue


def _candidate(line: str, gone: list[dict[str, Any]]) -> Candidate:
    """The line as a correction of the memory it most likely stood for before."""
    candidate = Candidate(
        content=line,
        kind=Kind.CORRECTION,
        explicit=True,
        confidence=None,
        evidence=(Evidence(SourceType.NOTE, sources.GENERATED, line),),
    )
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
