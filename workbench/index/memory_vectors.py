"""One vector of each memory, kept in step with the texts that the caller wants found.

Knows nothing of the ledger: which memories may be found, and by what text, is the caller's word.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workbench import db
from workbench.home import Home
from workbench.index import store
from workbench.index.embed import BadVectors, Embedder, embed, unit_rows
from workbench.index.vectors import Among, Matrix, pack
from workbench.text import sha256

if TYPE_CHECKING:
    from workbench.index.embed import Vectors

Progress = Callable[[int, int], None]

_COMMIT_EVERY = 64
_MATRICES = 8
_OURS = "name = 'memory_vectors'"


class Synced(NamedTuple):
    """What a sync did.

    :param left: wanted texts still without a vector, because memories were removed meanwhile and may be among them;
        sync again with what is wanted now.
    """

    embedded: int
    removed: int
    left: int = 0


class _Versions(NamedTuple):
    origin: int
    deleted: int
    removals: int


class _State(NamedTuple):
    """Of a file with equal state every row is equal.

    :param last: the highest number of a row.
    """

    origin: int
    deleted: int
    last: int


class _Held(NamedTuple):
    """A matrix and the state of the file that it shows."""

    state: _State
    matrix: Matrix


_held: dict[tuple[Path, str, int], _Held] = {}
_holding = threading.Lock()


def sync(home: Home, embedder: Embedder, wanted: Mapping[str, str], progress: Progress | None = None) -> Synced:
    """Make the store hold a vector of this embedder for exactly the ``wanted`` texts, by memory id.

    Unchanged ones are not computed again. What was committed stays when the run is broken off.

    :param progress: told (texts embedded, texts to embed) after each commit.
    :raises BadVectors: when the embedder gives something that is no vector.
    """
    store.ensure(home)
    with store.reading(home) as connection:
        removals = _versions(connection).removals
        known = _known(connection, embedder.model_id, embedder.dimension)
    gone = known.keys() - wanted.keys()
    if gone:
        with store.writing(home) as connection:
            _delete(connection, gone)
    due = sorted(_due(known, wanted), key=lambda memory_id: (len(wanted[memory_id]), memory_id))
    done = 0
    for batch in _slices(due):
        texts = [wanted[memory_id] for memory_id in batch]
        vectors = pack(embed(embedder, texts))
        rows = [
            (memory_id, embedder.model_id, embedder.dimension, sha256(text), vector.tobytes())
            for memory_id, text, vector in zip(batch, texts, vectors, strict=True)
        ]
        if not _insert(home, rows, removals):
            return Synced(done, len(gone), left=len(due) - done)
        done += len(batch)
        if progress:
            progress(done, len(due))
    return Synced(done, len(gone))


def remove(home: Home, ids: Collection[str]) -> int:
    """Take the vectors of these memories out of the file, its freed pages and its log; returns how many there were.

    :raises Busy: when a reader keeps the log from being emptied; the rows are gone, call again for the log.
    """
    if not db.exists(home.memory_index):
        return 0
    with store.writing(home) as connection:
        removed = _delete(connection, ids)
        connection.execute(f"UPDATE versions SET removals = removals + 1 WHERE {_OURS}")
    store.truncate_log(home)
    return removed


def clear(home: Home) -> None:
    """Take every vector out of the file."""
    if db.exists(home.memory_index):
        with store.writing(home) as connection:
            _delete(connection, [row[0] for row in connection.execute("SELECT memory_id FROM memory_vectors")])


def missing(home: Home, embedder_model: str, wanted: Mapping[str, str]) -> int:
    """How many of the ``wanted`` texts have no vector of this model yet."""
    if not db.exists(home.memory_index):
        return len(wanted)
    with store.reading(home) as connection:
        return len(_due(_known(connection, embedder_model), wanted))


def there(home: Home, model: str) -> bool:
    """Whether any memory has a vector of this model."""
    if not db.exists(home.memory_index):
        return False
    with store.reading(home) as connection:
        return bool(connection.execute("SELECT 1 FROM memory_vectors WHERE model = ? LIMIT 1", (model,)).fetchone())


def nearest(
    home: Home, query_vector: Vectors, model: str, limit: int, among: Among | None = None, least: float = -1.0
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
    return _matrix(home, model, len(query)).nearest(query, limit, among, least)


def _versions(connection: sqlite3.Connection) -> _Versions:
    return _Versions(*connection.execute(f"SELECT origin, deleted, removals FROM versions WHERE {_OURS}").fetchone())


def _known(connection: sqlite3.Connection, model: str, dimension: int | None = None) -> dict[str, str | None]:
    """The content hash of each memory that has a row; None where the row is another model's."""
    connection.row_factory = None
    ours = "model = ? AND dimension = coalesce(?, dimension)"
    sql = f"SELECT memory_id, CASE WHEN {ours} THEN content_hash END FROM memory_vectors"
    return dict(connection.execute(sql, (model, dimension)).fetchall())


def _due(known: Mapping[str, str | None], wanted: Mapping[str, str]) -> list[str]:
    return [memory_id for memory_id, text in wanted.items() if known.get(memory_id) != sha256(text)]


def _slices(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _COMMIT_EVERY):
        yield ids[start : start + _COMMIT_EVERY]


def _insert(home: Home, rows: Sequence[tuple[str, str, int, str, bytes]], removals: int) -> bool:
    """Store one batch, unless memories were removed since it was begun: what is erased must not come back."""
    with store.writing(home) as connection:
        if _versions(connection).removals != removals:
            return False
        _delete(connection, [row[0] for row in rows])
        connection.executemany(
            "INSERT INTO memory_vectors (memory_id, model, dimension, content_hash, vector) VALUES (?,?,?,?,?)", rows
        )
    return True


def _delete(connection: sqlite3.Connection, ids: Collection[str]) -> int:
    """Delete and count rows; none is ever updated, so that a row's number stands for its vector."""
    deleted = connection.executemany("DELETE FROM memory_vectors WHERE memory_id = ?", [(i,) for i in ids]).rowcount
    connection.execute(f"UPDATE versions SET deleted = deleted + ? WHERE {_OURS}", (deleted,))
    return deleted


def _matrix(home: Home, model: str, dimension: int) -> Matrix:
    """The vectors of a model as the file holds them now; what this process has read already is not read again."""
    key = (home.memory_index, model, dimension)
    with store.reading(home) as connection:
        origin, deleted, _ = _versions(connection)
        (last,) = connection.execute("SELECT coalesce(max(n), 0) FROM memory_vectors").fetchone()
        state = _State(origin, deleted, last)
        held = _held.get(key)
        if held is None or held.state != state:
            known = held if held and held.state.origin == origin else None
            held = _Held(state, _read(connection, known, deleted, model, dimension))
            _hold(key, held)
    return held.matrix


def _read(connection: sqlite3.Connection, known: _Held | None, deleted: int, model: str, dimension: int) -> Matrix:
    """The rows of ``known`` that are still there, and those that came later."""
    import numpy as np

    connection.row_factory = None
    rows = "FROM memory_vectors WHERE model = ? AND dimension = ?"
    asked = (model, dimension, known.state.last if known else 0)
    (count,) = connection.execute(f"SELECT count(*) {rows} AND n > ?", asked).fetchone()
    found = connection.execute(f"SELECT n, memory_id, vector {rows} AND n > ? ORDER BY n", asked)
    matrix = Matrix.of(found, count, dimension)
    if known and len(known.matrix.names):
        kept = known.matrix
        if known.state.deleted != deleted:
            present = connection.execute(f"SELECT n {rows}", (model, dimension))
            kept = kept.only(np.isin(kept.numbers, np.fromiter((n for (n,) in present), np.int64)))
        matrix = kept.followed_by(matrix)
    if not len(matrix.names):
        _refuse_another_dimension(connection, model, dimension)
    return matrix


def _refuse_another_dimension(connection: sqlite3.Connection, model: str, dimension: int) -> None:
    other = connection.execute("SELECT dimension FROM memory_vectors WHERE model = ? LIMIT 1", (model,)).fetchone()
    if other:
        raise BadVectors(
            f"the vectors of {model} have dimension {other[0]}, the query has {dimension}; embed them again"
        )


def _hold(key: tuple[Path, str, int], held: _Held) -> None:
    """Keep the matrices used last, a few only: one process may serve many homes."""
    with _holding:
        _held.pop(key, None)
        _held[key] = held
        while len(_held) > _MATRICES:
            del _held[next(iter(_held))]
