"""One vector of each chunk of the notes, by the hash of what it says: what only moves keeps its vector."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from workbench import db, guard
from workbench.home import Home
from workbench.index import embed, store
from workbench.index.chunks import parts
from workbench.index.embed import Asked, Embedder, Private
from workbench.index.table import Space, Synced, Table, fits, in_time
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
_MISSING = f"FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_hash = c.hash AND {fits('v')})"
_STALE = "chunk_hash NOT IN (SELECT hash FROM chunks)"


def sync(
    home: Home,
    embedder: Embedder,
    progress: Progress | None = None,
    limit_seconds: float | None = None,
    stop: Event | None = None,
    private: Private = guard.is_private,
) -> Synced:
    """Make vectors of this embedder for the chunks that have none; remove those of no chunk.

    What was committed stays when the run is broken off, and the next one goes on from there.

    :param progress: told (chunks embedded, chunks to embed) after each commit.
    :param limit_seconds: no batch is begun later than this; ``stop``: nor once it is set.
    :param private: tells what an embedder that is elsewhere is not given.
    :raises BadVectors: when the embedder gives something that is no vector.
    """
    if not db.exists(home.memory_index):
        return Synced(0, 0, 0)
    with store.reading(home) as connection:
        space = _TABLE.space(connection, embedder)
        due = [
            (digest, heading, text)
            for digest, heading, text in connection.execute(
                f"SELECT c.hash, c.heading, c.text {_MISSING} GROUP BY c.hash ORDER BY max(c.n) DESC", space.values()
            )
        ]
        (stale,) = connection.execute(f"SELECT count(*) FROM chunk_vectors WHERE {_STALE}").fetchone()
    if stale:
        with store.writing(home) as connection:
            clear_stale(connection)
    done = 0
    for batch in in_time((due[start : start + _BATCH] for start in range(0, len(due), _BATCH)), limit_seconds, stop):
        vectors = _packed(embedder, [_given(embedder, heading, text, private) for _, heading, text in batch])
        with store.writing(home) as connection:
            digests = [digest for digest, _, _ in batch]
            _TABLE.add(connection, space.of(embedder), _there(connection, digests, vectors))
        done += len(batch)
        if progress:
            progress(done, len(due))
    return Synced(done, stale, len(due) - done)


def _packed(embedder: Embedder, texts: list[list[str]]) -> list[bytes | None]:
    """The packed vector of each text, which is given in windows: the mean of theirs; None where there are none."""
    import numpy as np

    found = [windows for windows in texts if windows]
    if not found:
        return [None] * len(texts)
    made = embed.embed(embedder, [window for windows in found for window in windows])
    ends = np.cumsum([len(windows) for windows in found])
    means = np.stack([part.mean(axis=0) for part in np.split(made, ends[:-1])])
    packed = iter(pack(embed.unit_rows(means, embedder.model_id)))
    return [next(packed).tobytes() if windows else None for windows in texts]


def _given(embedder: Embedder, heading: str, text: str, private: Private) -> list[str]:
    """A chunk as it is embedded: each part under its headings, credentials masked; nothing where it is withheld."""
    if embedder.remote and private(f"{heading}\n{text}"):
        return []
    above = one_line(guard.mask(heading), 200)
    said = parts(guard.mask(text), _WINDOW_TOKENS)
    return [f"{above}: {part}" if above else part for part in said]


def _there(
    connection: sqlite3.Connection, digests: list[str], vectors: list[bytes | None]
) -> list[tuple[str, str, bytes | None]]:
    """The rows of those chunks that are still there: what was erased meanwhile stays away."""
    query = "SELECT DISTINCT hash FROM chunks WHERE hash IN (SELECT value FROM json_each(?))"
    held = {digest for (digest,) in connection.execute(query, (json.dumps(digests),))}
    pairs = zip(digests, vectors, strict=True)
    return [(digest, digest, vector) for digest, vector in pairs if digest in held]


def clear_stale(connection: sqlite3.Connection) -> None:
    """Delete the vectors of no chunk, in the transaction of the caller."""
    _TABLE.delete(connection, _STALE, [()])


def backlog(home: Home, embedder: Embedder) -> int:
    """How many chunks have no vector of this embedder yet."""
    if not db.exists(home.memory_index):
        return 0
    with store.reading(home) as connection:
        query = f"SELECT count(DISTINCT c.hash) {_MISSING}"
        found: int = connection.execute(query, _TABLE.space(connection, embedder).values()).fetchone()[0]
        return found


def withheld(home: Home, embedder: Embedder) -> int:
    """How many chunks have no vector of this embedder because they are private."""
    if not db.exists(home.memory_index):
        return 0
    with store.reading(home) as connection:
        return _TABLE.withheld(connection, embedder)


def near(home: Home, question: str) -> tuple[Near | None, Asked]:
    """What vectors say of a question, and how it was asked; nothing, and no model is read, where there is no embedder
    or no vector of it."""

    def there(embedder: Embedder) -> bool:
        with store.reading(home) as connection:
            return _TABLE.there(connection, _TABLE.space(connection, embedder))

    asked = embed.asked(home, question, there)
    if asked.embedder is None or asked.vector is None:
        return None, asked
    return Near(home, Space(asked.embedder.model_id, len(asked.vector)), asked.vector), asked


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
