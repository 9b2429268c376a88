"""One vector of each chunk of the notes, by the hash of what it says: what only moves keeps its vector."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from workbench import db, guard
from workbench.home import Home
from workbench.index import embed, store
from workbench.index.chunks import parts
from workbench.index.embed import Embedder
from workbench.index.table import Space, Synced, Table, in_time
from workbench.index.vectors import MIN_COSINE, pack
from workbench.text import one_line

if TYPE_CHECKING:
    from workbench.index.embed import Vectors

Progress = Callable[[int, int], None]

_TABLE: Table[str] = Table("chunk_vectors", "chunk_hash")
# A model reads 256 tokens at a time: a longer chunk is embedded in windows, and has the mean of their vectors.
_WINDOW_TOKENS = 200
_BATCH = 16
_NEAREST = 200
_MISSING = (
    "FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_hash = c.hash AND v.model = :model"
    " AND v.dimension = :dimension AND v.prefix = :prefix)"
)
_STALE = "chunk_hash NOT IN (SELECT hash FROM chunks)"


def sync(
    home: Home,
    embedder: Embedder,
    progress: Progress | None = None,
    limit_seconds: float | None = None,
    stop: Event | None = None,
) -> Synced:
    """Make vectors of this embedder for the chunks that have none; remove those of no chunk.

    What was committed stays when the run is broken off, and the next one goes on from there.

    :param progress: told (chunks embedded, chunks to embed) after each commit.
    :param limit_seconds: no batch is begun later than this; ``stop``: nor once it is set.
    :raises BadVectors: when the embedder gives something that is no vector.
    """
    if not db.exists(home.memory_index):
        return Synced(0, 0, 0)
    space = _space(embedder)
    with store.reading(home) as connection:
        due = [
            (digest, heading, text)
            for digest, heading, text in connection.execute(
                f"SELECT c.hash, c.heading, c.text {_MISSING} GROUP BY c.hash ORDER BY max(c.n) DESC", space._asdict()
            )
        ]
        (stale,) = connection.execute(f"SELECT count(*) FROM chunk_vectors WHERE {_STALE}").fetchone()
    if stale:
        with store.writing(home) as connection:
            clear_stale(connection)
    done = 0
    for batch in in_time((due[start : start + _BATCH] for start in range(0, len(due), _BATCH)), limit_seconds, stop):
        vectors = pack(_vectors(embedder, [list(_windows(heading, text)) for _, heading, text in batch]))
        with store.writing(home) as connection:
            _TABLE.add(connection, space, _there(connection, [digest for digest, _, _ in batch], vectors))
        done += len(batch)
        if progress:
            progress(done, len(due))
    return Synced(done, stale, len(due) - done)


def _vectors(embedder: Embedder, texts: list[list[str]]) -> Vectors:
    """One row for each text, which is given in windows: the mean of their vectors."""
    import numpy as np

    made = embed.embed(embedder, [window for windows in texts for window in windows])
    ends = np.cumsum([len(windows) for windows in texts])
    means = np.stack([part.mean(axis=0) for part in np.split(made, ends[:-1])])
    return embed.unit_rows(means, embedder.model_id)


def _windows(heading: str, text: str) -> Iterator[str]:
    """A chunk as it is embedded: each part under its headings, credentials masked."""
    above = one_line(heading, 200)
    for part in parts(guard.mask(text), _WINDOW_TOKENS):
        yield f"{above}: {part}" if above else part


def _there(connection: sqlite3.Connection, digests: list[str], vectors: object) -> list[tuple[str, str, bytes]]:
    """The rows of those chunks that are still there: what was erased meanwhile stays away."""
    import numpy as np

    query = "SELECT DISTINCT hash FROM chunks WHERE hash IN (SELECT value FROM json_each(?))"
    held = {digest for (digest,) in connection.execute(query, (json.dumps(digests),))}
    pairs = zip(digests, np.asarray(vectors), strict=True)
    return [(digest, digest, vector.tobytes()) for digest, vector in pairs if digest in held]


def clear_stale(connection: sqlite3.Connection) -> None:
    """Delete the vectors of no chunk, in the transaction of the caller."""
    _TABLE.delete(connection, _STALE, [()])


def backlog(home: Home, embedder: Embedder) -> int:
    """How many chunks have no vector of this embedder yet."""
    if not db.exists(home.memory_index):
        return 0
    with store.reading(home) as connection:
        query = f"SELECT count(DISTINCT c.hash) {_MISSING}"
        found: int = connection.execute(query, _space(embedder)._asdict()).fetchone()[0]
        return found


def near(home: Home, question: str) -> Near | None:
    """What vectors say of a question; None, and no model is read, where there is no embedder or no vector of it."""

    def there(embedder: Embedder) -> bool:
        with store.reading(home) as connection:
            return _TABLE.there(connection, _space(embedder))

    found = embed.asked(home, question, there)
    return None if found is None else Near(home, _space(found[0]), found[1])


class Near(NamedTuple):
    """A question as a vector, to be asked of the index."""

    home: Home
    space: Space
    vector: Vectors

    def cosines(self, connection: sqlite3.Connection) -> Callable[[set[int]], dict[int, float]]:
        """A function that gives the cosines of the chunks nearest to the question, and of those that it is given, by
        their numbers."""
        sight = _TABLE.matrix(connection, self.home.memory_index, self.space).seen_from(self.vector)
        nearest = dict(sight.nearest(_NEAREST, None, MIN_COSINE))

        def of(numbers: set[int]) -> dict[int, float]:
            rows = connection.execute(
                "SELECT n, hash FROM chunks WHERE n IN (SELECT value FROM json_each(:numbers))"
                " UNION SELECT n, hash FROM chunks WHERE hash IN (SELECT value FROM json_each(:hashes))",
                {"numbers": json.dumps(list(numbers)), "hashes": json.dumps(list(nearest))},
            ).fetchall()
            known = sight.of({digest for _, digest in rows}) | nearest
            return {n: known[digest] for n, digest in rows if digest in known}

        return of


def _space(embedder: Embedder) -> Space:
    return Space(embedder.model_id, embedder.dimension)
