"""One vector of each memory, kept in step with the texts that the caller wants found.

Knows nothing of the ledger: which memories may be found, and by what text, is the caller's word.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from threading import Event
from typing import TYPE_CHECKING

from workbench import db
from workbench.home import Home
from workbench.index import store
from workbench.index.embed import BadVectors, Embedder, given, unit_rows
from workbench.index.table import Space, Synced, Table, fits, in_time, packed
from workbench.index.vectors import Among
from workbench.text import sha256

if TYPE_CHECKING:
    from workbench.index.embed import Vectors

Progress = Callable[[int, int], None]

_COMMIT_EVERY = 64
_TABLE: Table[str] = Table("memory_vectors", "memory_id")


def sync(
    home: Home,
    embedder: Embedder,
    wanted: Mapping[str, str],
    progress: Progress | None = None,
    limit_seconds: float | None = None,
    stop: Event | None = None,
) -> Synced:
    """Make the store hold a vector of this embedder for exactly the ``wanted`` texts, by memory id.

    Unchanged ones are not computed again. What was committed stays when the run is broken off. It ends before its time
    when memories are removed meanwhile, which may be among those that are left: sync again with what is wanted now.

    :param progress: told (texts embedded, texts to embed) after each commit.
    :param limit_seconds: no batch is begun later than this; ``stop``: nor once it is set.
    :raises BadVectors: when the embedder gives something that is no vector.
    """
    store.ensure(home)
    with store.reading(home) as connection:
        removals = _removals(connection)
        space = _TABLE.space(connection, embedder)
        known = _known(connection, space)
    gone = known.keys() - wanted.keys()
    if gone:
        with store.writing(home) as connection:
            _delete(connection, gone)
    due = sorted(_due(known, wanted), key=lambda memory_id: (len(wanted[memory_id]), memory_id))
    done = 0
    for batch in in_time(_slices(due), limit_seconds, stop):
        texts = [wanted[memory_id] for memory_id in batch]
        vectors = packed(embedder, [given(embedder, text) for text in texts])
        rows = [
            (memory_id, sha256(text), vector) for memory_id, text, vector in zip(batch, texts, vectors, strict=True)
        ]
        if not _insert(home, space.of(embedder), rows, removals):
            break
        done += len(batch)
        if progress:
            progress(done, len(due))
    return Synced(done, len(gone), len(due) - done)


def remove(home: Home, ids: Collection[str]) -> int:
    """Take the vectors of these memories out of the file, its freed pages and its log; returns how many there were.

    :raises Busy: when a reader keeps the log from being emptied; the rows are gone, call again for the log.
    """
    if not db.exists(home.memory_index):
        return 0
    with store.writing(home) as connection:
        removed = _delete(connection, ids)
        connection.execute("UPDATE versions SET removals = removals + 1 WHERE name = ?", (_TABLE.name,))
    store.truncate_log(home)
    return removed


def clear(home: Home) -> None:
    """Take every vector out of the file."""
    if db.exists(home.memory_index):
        with store.writing(home) as connection:
            _delete(connection, [row[0] for row in connection.execute("SELECT memory_id FROM memory_vectors")])


def missing(home: Home, embedder: Embedder, wanted: Mapping[str, str]) -> int:
    """How many of the ``wanted`` texts have no vector of this embedder yet."""
    if not db.exists(home.memory_index):
        return len(wanted)
    with store.reading(home) as connection:
        return len(_due(_known(connection, _TABLE.space(connection, embedder)), wanted))


def withheld(home: Home, embedder: Embedder) -> int:
    """How many memories have no vector of this embedder because what they say is private."""
    if not db.exists(home.memory_index):
        return 0
    with store.reading(home) as connection:
        return _TABLE.withheld(connection, embedder)


def there(home: Home, embedder: Embedder) -> bool:
    """Whether any memory has a vector of this embedder."""
    if not db.exists(home.memory_index):
        return False
    with store.reading(home) as connection:
        return _TABLE.there(connection, _TABLE.space(connection, embedder))


def nearest(
    home: Home, query_vector: Vectors, model: str, limit: int, among: Among[str] | None = None, least: float = -1.0
) -> list[tuple[str, float]]:
    """The memories nearest to a query, as (memory id, cosine), best first; ties go by id.

    :param model: the model that made ``query_vector``; vectors of others are not looked at.
    :param among: the ids that may be found; or a function that says of some ids which of them may (asked in blocks,
        best first, until ``limit`` are found).
    :param least: what is farther than this cosine is not found.
    :raises BadVectors: when the query is no vector, or one of another dimension than the model's.
    """
    import numpy as np

    if not db.exists(home.memory_index):
        return []
    query = np.asarray(query_vector, dtype=np.float32)
    if query.ndim != 1:
        raise BadVectors(f"a query is one vector, this is an array of shape {query.shape}")
    (query,) = unit_rows(query[None, :], model)
    with store.reading(home) as connection:
        matrix = _TABLE.matrix(connection, home.memory_index, Space(model, len(query)))
    return matrix.nearest(query, limit, among, least)


def _removals(connection: sqlite3.Connection) -> int:
    """How often memories were removed that must not come back."""
    count: int = connection.execute("SELECT removals FROM versions WHERE name = ?", (_TABLE.name,)).fetchone()[0]
    return count


def _known(connection: sqlite3.Connection, space: Space) -> dict[str, str | None]:
    """The content hash of each memory that has a row; None where the row is of another space."""
    connection.row_factory = None
    sql = f"SELECT memory_id, CASE WHEN {fits('v')} THEN content_hash END FROM memory_vectors v"
    return dict(connection.execute(sql, space.values()).fetchall())


def _due(known: Mapping[str, str | None], wanted: Mapping[str, str]) -> list[str]:
    return [memory_id for memory_id, text in wanted.items() if known.get(memory_id) != sha256(text)]


def _slices(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _COMMIT_EVERY):
        yield ids[start : start + _COMMIT_EVERY]


def _insert(home: Home, space: Space, rows: Sequence[tuple[str, str, bytes | None]], removals: int) -> bool:
    """Store one batch, unless memories were removed since it was begun: what is erased must not come back."""
    with store.writing(home) as connection:
        if _removals(connection) != removals:
            return False
        _TABLE.add(connection, space, rows)
    return True


def _delete(connection: sqlite3.Connection, ids: Collection[str]) -> int:
    return _TABLE.delete(connection, "memory_id = ?", [(memory_id,) for memory_id in ids])
