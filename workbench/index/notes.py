"""The index of notes, kept in step with their files: a file that did not change is not read, one that changed keeps
the chunks that it had already."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench import db, fts
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.index import note_vectors, store
from workbench.index.chunks import OVERLAP, TOKENS, Chunk, chunks, decode
from workbench.notes import folders
from workbench.notes.folders import Note

Progress = Callable[[int, int], None]

DEBOUNCE_SECONDS = 1.0
# One transaction holds this much text, and no other writer waits longer for it.
_BATCH_BYTES = 4 * 1024 * 1024
_synced: dict[Path, tuple[float, list[str]]] = {}


@dataclass(frozen=True)
class Cut:
    """How notes are cut into chunks, in tokens."""

    tokens: int = TOKENS
    overlap: int = OVERLAP


@dataclass
class Synced:
    """What a sync did.

    :param files: notes that are there.
    :param read: those of them that were read, because they may have changed.
    :param chunked: those of them that were cut into chunks, because they had changed.
    :param removed: those that are gone.
    :param unreadable: what is wrong with a note that could not be read; it keeps what was known of it. And folders that
        are not there.
    """

    files: int = 0
    read: int = 0
    chunked: int = 0
    removed: int = 0
    unreadable: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Read:
    note: Note
    hash: str
    chunks: list[Chunk] | None  # None where the bytes are those that were known


def sync_lazily(home: Home, named: Mapping[str, Path], cut: Cut) -> list[str]:
    """``sync``, unless this process did it within the last second; gives what it found unreadable."""
    last = _synced.get(home.root)
    if last is None or time.monotonic() - last[0] >= DEBOUNCE_SECONDS:
        found = sync(home, named, cut).unreadable
        last = _synced[home.root] = (time.monotonic(), found)
    return last[1]


def sync(home: Home, named: Mapping[str, Path], cut: Cut, progress: Progress | None = None) -> Synced:
    """Bring the index up to date with the notes.

    :param named: further folders of notes by their names.
    :param progress: told (notes done, notes to read) after each transaction.
    :raises Busy: when another process holds the index.
    """
    store.ensure(home)
    made_with = f"{cut.tokens}/{cut.overlap}"
    with store.reading(home) as connection:
        known = {path: (stamp, digest) for path, stamp, digest in connection.execute("SELECT * FROM files")}
    found = {note.path: note for note in folders.notes(home, named)}
    due = [note for note in found.values() if known.get(note.path, ("", ""))[0] != _stamp(note, made_with)]
    gone = known.keys() - found.keys()
    done = Synced(files=len(found), read=len(due), removed=len(gone))
    done.unreadable += [f"{folder} is no folder of notes that can be read" for folder in folders.missing(named)]
    if gone:
        with store.writing(home) as connection:
            for path in gone:
                _remove(connection, path)
    finished = 0
    for batch in _batches(due):
        read = [each for note in batch if (each := _read(note, known, made_with, cut, done))]
        with store.writing(home) as connection:
            for each in read:
                _put(connection, each, _stamp(each.note, made_with))
        finished += len(batch)
        done.chunked += sum(each.chunks is not None for each in read)
        if progress:
            progress(finished, len(due))
    return done


def clear(home: Home) -> None:
    """Empty the index of notes; no word of them is left in its file."""
    if store.ensure(home):
        return
    with store.writing(home) as connection:
        connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')")
        connection.execute("DELETE FROM chunks")
        connection.execute("DELETE FROM files")
    store.truncate_log(home)
    _synced.pop(home.root, None)


def purge(home: Home, named: Mapping[str, Path], cut: Cut) -> None:
    """``sync``, and no word of what is gone from the notes is left in the index, its free pages or its log."""
    if not db.exists(home.memory_index):
        return
    sync(home, named, cut)
    with store.writing(home) as connection:
        connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
        note_vectors.clear_stale(connection)
    store.truncate_log(home)


def lines(connection: sqlite3.Connection, path: str, first: int, last: int) -> list[str]:
    """The lines of a note from ``first`` to ``last`` as the index holds them; those that it does not hold are empty,
    those behind the last one left out."""
    found: dict[int, str] = {}
    rows = connection.execute(
        "SELECT start_line, end_line, text FROM chunks WHERE path = ? AND end_line >= ? AND start_line <= ? ORDER BY n",
        (path, first, last),
    )
    for start, end, text in rows:
        parts = text.split("\n")
        if end == start:  # a part of a long line
            found[start] = found.get(start, "") + text
        else:
            found.update(zip(range(start, end + 1), parts, strict=False))
    wanted = [number for number in found if first <= number <= last]
    return [found.get(number, "") for number in range(first, max(wanted) + 1)] if wanted else []


def _stamp(note: Note, made_with: str) -> str:
    return f"{made_with}:{note.stamp}"


def _batches(due: list[Note]) -> Iterator[list[Note]]:
    batch: list[Note] = []
    size = 0
    for note in due:
        batch.append(note)
        size += note.size
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read(note: Note, known: Mapping[str, tuple[str, str]], made_with: str, cut: Cut, done: Synced) -> _Read | None:
    try:
        data = folders.read(note.file)
    except WorkbenchError as error:
        done.unreadable.append(str(error))
        return None
    digest = hashlib.sha256(data).hexdigest()
    stamp, before = known.get(note.path, ("", ""))
    if digest == before and stamp.startswith(f"{made_with}:"):
        return _Read(note, digest, None)
    return _Read(note, digest, chunks(decode(data), cut.tokens, cut.overlap))


def _put(connection: sqlite3.Connection, read: _Read, stamp: str) -> None:
    connection.execute(
        "INSERT INTO files (path, stamp, hash) VALUES (?, ?, ?)"
        " ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, hash = excluded.hash",
        (read.note.path, stamp, read.hash),
    )
    if read.chunks is None:
        return
    # What is there already moves to its lines, and keeps its number.
    there: dict[str, list[int]] = defaultdict(list)
    for n, digest in connection.execute("SELECT n, hash FROM chunks WHERE path = ? ORDER BY n DESC", (read.note.path,)):
        there[digest].append(n)
    for chunk in read.chunks:
        if numbers := there.get(chunk.hash):
            connection.execute(
                "UPDATE chunks SET start_line = ?, end_line = ? WHERE n = ?", (chunk.start, chunk.end, numbers.pop())
            )
        else:
            _insert(connection, read.note.path, chunk)
    _delete(connection, [n for numbers in there.values() for n in numbers])


def _insert(connection: sqlite3.Connection, path: str, chunk: Chunk) -> None:
    cjk = fts.cjk_bigrams(f"{chunk.heading} {chunk.text}")
    n = connection.execute(
        "INSERT INTO chunks (path, start_line, end_line, heading, text, cjk, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (path, chunk.start, chunk.end, chunk.heading, chunk.text, cjk, chunk.hash),
    ).lastrowid
    row = (n, chunk.heading, chunk.text, cjk)
    connection.execute("INSERT INTO chunks_fts (rowid, heading, text, cjk) VALUES (?, ?, ?, ?)", row)


def _delete(connection: sqlite3.Connection, numbers: list[int]) -> None:
    for n in numbers:
        connection.execute(
            "INSERT INTO chunks_fts (chunks_fts, rowid, heading, text, cjk)"
            " SELECT 'delete', n, heading, text, cjk FROM chunks WHERE n = ?",
            (n,),
        )
        connection.execute("DELETE FROM chunks WHERE n = ?", (n,))


def _remove(connection: sqlite3.Connection, path: str) -> None:
    _delete(connection, [n for (n,) in connection.execute("SELECT n FROM chunks WHERE path = ?", (path,))])
    connection.execute("DELETE FROM files WHERE path = ?", (path,))
