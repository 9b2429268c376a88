"""What an erase asks for outside the ledger: notes, vectors, messages, and the file of the ledger itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from workbench import db, files
from workbench.home import Home
from workbench.ledger import store, tombstones, traces
from workbench.notes import redaction
from workbench.sessions import index, vectors
from workbench.sessions import store as sessions


def notes(home: Home) -> Iterator[Path]:
    """Every note of the workspace; a symbolic link is somebody else's file."""
    found = home.memory.parent.rglob("*.md")
    yield from sorted(path for path in found if path.is_file() and not path.is_symlink())


def standing_in(home: Home, erased: Callable[[str], bool], lines: set[int]) -> list[str]:
    """Where entries of notes are statements that go: ``MEMORY.md:12``."""
    return [
        f"{path.relative_to(home.memory.parent)}:{number}"
        for path in notes(home)
        for number in redaction.redact(files.read_bytes(path), erased, lines)[1]
    ]


def holding(home: Home, erased: Callable[[str], bool], lines: set[int], quoted: Callable[[str], bool]) -> list[str]:
    """Where longer lines of notes hold the words of statements that go, and stay: ``2026-03-01.md:12``."""
    return [
        f"{path.relative_to(home.memory.parent)}:{number}"
        for path in notes(home)
        for number in redaction.holding(files.read_bytes(path), erased, lines, quoted)
    ]


def erase_notes(home: Home, payload: dict[str, Any]) -> None:
    """Put a placeholder in the place of every entry that is one of the statements, named by their digests."""
    digests = frozenset(payload["digests"])
    scopes = [(scope_type, scope_key) for scope_type, scope_key in payload["scopes"]]
    with store.reading(home) as connection:
        erased = traces.matcher(scopes, lambda known: tombstones.digest(connection, known) in digests)

        def without(document: bytes) -> bytes:
            return redaction.redact(document, erased, payload["lines"])[0]

        for path in notes(home):
            if without(before := files.read_bytes(path)) != before:
                with files.lock(path.with_name(f".{path.name}.lock")):
                    files.rewrite(path, without)


def erase_vectors(home: Home, payload: dict[str, Any]) -> None:
    """Take the vectors of the memories out of the index, and what it has of notes that are rewritten by now."""
    from workbench.index import memory_vectors
    from workbench.operations import notes as noted

    memory_vectors.remove(home, payload["ids"])
    noted.purge(home)


def erase_messages(home: Home, payload: dict[str, Any]) -> None:
    """Take the text of messages out of their conversation, and of the index and the vectors made from it."""
    sessions.erase(home, payload["session"], frozenset(payload["ids"]))
    index.sync(home)
    vectors.remove_stale(home)
    index.compact(home)


def compact_ledger(home: Home, payload: dict[str, Any]) -> None:
    """Write the ledger's file anew, without what was erased."""
    db.compact(home.ledger, store.SCHEMA)
