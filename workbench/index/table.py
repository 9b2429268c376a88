"""A table of packed vectors in one of the home's databases, and its matrix as this process holds it.

Such a table has the columns n (never given out twice), a key of its own, model, dimension, prefix, content_hash and
vector; its row of ``versions`` says what else must be known to tell whether a matrix that was read still shows it.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Generic, NamedTuple, TypeVar

from workbench.index import embed
from workbench.index.embed import BadVectors, Embedder
from workbench.index.vectors import Key, Matrix, pack

Batch = TypeVar("Batch")

_MATRICES = 8
# The dimension of a row that holds no vector: its text is private, and was not given to a model that is elsewhere.
WITHHELD = 1
_NO_VECTOR = b"\0"


class Space(NamedTuple):
    """What vectors must share to be compared.

    :param dimension: 0 as long as nobody knows it.
    :param prefix: what was put before each text that was embedded.
    """

    model: str
    dimension: int
    prefix: str = ""

    def of(self, embedder: Embedder) -> Space:
        """This space, with the dimension that its embedder has told by now."""
        return self._replace(dimension=embedder.dimension or self.dimension)

    def values(self) -> dict[str, object]:
        """What ``fits`` asks for."""
        return {**self._asdict(), "withheld": WITHHELD}


def fits(alias: str) -> str:
    """SQL: whether a row is what there is to be of its text in a space: its vector, or that it has none."""
    return f"({alias}.model = :model AND {alias}.dimension IN (:dimension, :withheld) AND {alias}.prefix = :prefix)"


def packed(embedder: Embedder, texts: Sequence[str | None]) -> list[bytes | None]:
    """The packed vector of each text; None for None.

    :raises BadVectors: when the embedder gives something that is no vector.
    """
    found = [text for text in texts if text is not None]
    if not found:
        return [None] * len(texts)
    made = iter(pack(embed.embed(embedder, found)))
    return [None if text is None else next(made).tobytes() for text in texts]


class Synced(NamedTuple):
    """What a sync of vectors with their texts did; ``left``: texts that still have no vector."""

    embedded: int
    removed: int
    left: int = 0


def in_time(batches: Iterable[Batch], limit_seconds: float | None, stop: Event | None) -> Iterator[Batch]:
    """The batches, until so many seconds are over or ``stop`` is set; none is begun later."""
    until = None if limit_seconds is None else time.monotonic() + limit_seconds
    for batch in batches:
        if (stop and stop.is_set()) or (until is not None and time.monotonic() >= until):
            return
        yield batch


class _State(NamedTuple):
    """Of a table with equal state every row is equal.

    :param origin: drawn when the table was made.
    :param deleted: how many rows went; ``last``: the highest number of a row.
    """

    origin: int
    deleted: int
    last: int


class _Held(NamedTuple):
    """A matrix and the state of the table that it shows."""

    state: _State
    matrix: Matrix[Any]


_held: dict[tuple[Path, str, Space], _Held] = {}
_holding = threading.Lock()
_IN_SPACE = "model = ? AND dimension = ? AND prefix = ?"


@dataclass(frozen=True)
class Table(Generic[Key]):
    """:param key: the column that says whose vector it is; one row each."""

    name: str
    key: str

    def space(self, connection: sqlite3.Connection, embedder: Embedder, prefix: str = "") -> Space:
        """The space of an embedder; before that has told its dimension, it is that of its vectors here."""
        dimension = embedder.dimension
        if dimension is None:
            query = f"SELECT dimension FROM {self.name} WHERE model = ? AND prefix = ? AND dimension <> ?"
            asked = (embedder.model_id, prefix, WITHHELD)
            row = connection.execute(f"{query} ORDER BY n DESC LIMIT 1", asked).fetchone()
            dimension = row[0] if row else 0
        return Space(embedder.model_id, dimension, prefix)

    def withheld(self, connection: sqlite3.Connection, embedder: Embedder, prefix: str = "") -> int:
        """How many texts have no vector of an embedder because they are private."""
        query = f"SELECT count(*) FROM {self.name} WHERE {_IN_SPACE}"
        found: int = connection.execute(query, Space(embedder.model_id, WITHHELD, prefix)).fetchone()[0]
        return found

    def add(
        self, connection: sqlite3.Connection, space: Space, rows: Sequence[tuple[Key, str | int, bytes | None]]
    ) -> None:
        """Put in rows (key, content hash, packed vector), each in the place of what its key had.

        A vector is None where the text is withheld from the model.
        """
        self.delete(connection, f"{self.key} = ?", [(key,) for key, _, _ in rows])
        connection.executemany(
            f"INSERT INTO {self.name} (model, dimension, prefix, {self.key}, content_hash, vector)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [
                (*space, key, digest, vector)
                if vector is not None
                else (*space._replace(dimension=WITHHELD), key, digest, _NO_VECTOR)
                for key, digest, vector in rows
            ],
        )

    def delete(self, connection: sqlite3.Connection, where: str, values: Iterable[tuple[Any, ...]]) -> int:
        """Delete and count the rows for which ``where`` is true, with each of these values.

        None is ever updated, so that a row's number stands for its vector.
        """
        deleted = connection.executemany(f"DELETE FROM {self.name} WHERE {where}", values).rowcount
        connection.execute("UPDATE versions SET deleted = deleted + ? WHERE name = ?", (deleted, self.name))
        return deleted

    def there(self, connection: sqlite3.Connection, space: Space) -> bool:
        """Whether there is any vector of this space."""
        found = connection.execute(f"SELECT 1 FROM {self.name} WHERE {_IN_SPACE} LIMIT 1", space).fetchone()
        return found is not None

    def matrix(self, connection: sqlite3.Connection, file: Path, space: Space) -> Matrix[Key]:
        """The vectors of a space as the table holds them now; what this process has read is not read again.

        :param file: the database of the connection.
        :raises BadVectors: when there are vectors of this model, but all of another dimension.
        """
        key, state = (file, self.name, space), self._state(connection)
        held = _held.get(key)
        if held is None or held.state != state:
            known = held if held and held.state.origin == state.origin else None
            held = _Held(state, self._read(connection, known, state, space))
            _hold(key, held)
        return held.matrix

    def _state(self, connection: sqlite3.Connection) -> _State:
        query = f"SELECT origin, deleted, (SELECT coalesce(max(n), 0) FROM {self.name}) FROM versions WHERE name = ?"
        return _State(*connection.execute(query, (self.name,)).fetchone())

    def _read(self, connection: sqlite3.Connection, known: _Held | None, state: _State, space: Space) -> Matrix[Key]:
        """The rows of ``known`` that are still there, and those that came later."""
        import numpy as np

        rows = f"FROM {self.name} NOT INDEXED WHERE {_IN_SPACE}"  # in the order of the file
        last = known.state.last if known else 0
        cursor = connection.cursor()
        cursor.row_factory = None
        found = cursor.execute(f"SELECT n, {self.key}, vector {rows} AND n > ? ORDER BY n", (*space, last))
        (most,) = connection.execute(f"SELECT count(*) FROM {self.name}").fetchone()
        matrix: Matrix[Key] = Matrix.of(found, max(0, min(most, state.last - last)), space.dimension)
        if known and len(known.matrix.names):
            kept = known.matrix
            if known.state.deleted != state.deleted:
                present = connection.execute(f"SELECT n {rows}", space)
                kept = kept.only(np.isin(kept.numbers, np.fromiter((row[0] for row in present), np.int64)))
            matrix = kept.followed_by(matrix)
        if not len(matrix.names):
            self._refuse_another_dimension(connection, space)
        return matrix

    def _refuse_another_dimension(self, connection: sqlite3.Connection, space: Space) -> None:
        query = f"SELECT dimension FROM {self.name} WHERE model = ? AND dimension <> ? LIMIT 1"
        if other := connection.execute(query, space[:2]).fetchone():
            raise BadVectors(
                f"the vectors of {space.model} have dimension {other[0]}, the query has {space.dimension};"
                " embed them again"
            )


def _hold(key: tuple[Path, str, Space], held: _Held) -> None:
    """Keep the matrices used last, a few only: one process may serve many homes."""
    with _holding:
        _held.pop(key, None)
        _held[key] = held
        while len(_held) > _MATRICES:
            del _held[next(iter(_held))]
