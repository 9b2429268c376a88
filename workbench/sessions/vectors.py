"""One vector of each message that a search looks at, by the meaning of its beginning; kept beside the messages.

A vector is a message's as long as the message says what it said when it was embedded (``text_digest``) and may be
found: one that was changed, taken back or erased has none, whether its row is gone already or not; one that was only
compacted keeps it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from workbench import db, guard
from workbench.home import Home
from workbench.index import embed
from workbench.index.embed import Asked, Embedder, Private
from workbench.index.table import Space, Synced, Table, fits, in_time, packed
from workbench.index.vectors import MIN_COSINE
from workbench.sessions.filters import ANY, Filter
from workbench.sessions.index import SCHEMA
from workbench.sessions.ranking import NEAREST, Nearness

if TYPE_CHECKING:
    from workbench.index.embed import Vectors

Progress = Callable[[int, int], None]

# Who spoke, where a name is known, and when: questions about either find it.
PREFIX = "speaker (day): "
_TABLE: Table[int] = Table("message_vectors", "message_id")
# More than the window of a model holds; of a long message the rest is not even read.
_CHARACTERS = 4_000
# What is embedded in one go: a second or two, so that a run can be stopped, and a killed one loses little.
_BATCH, _BATCH_CHARACTERS = 64, 16_000
_READ_AT_ONCE = 1_000
_OF_IT = "v.message_id = m.id AND v.content_hash = m.text_digest"
# Messages, each with its vector as far as there is one that is up to date.
_BOTH = f"FROM messages m LEFT JOIN message_vectors v ON {_OF_IT} WHERE {ANY.sql}"
_WITH_VECTOR = f"FROM messages m CROSS JOIN message_vectors v ON {_OF_IT}"
_FITS = f"coalesce({fits('v')}, 0)"
_STALE = (
    "NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = message_vectors.message_id"
    f" AND m.text_digest = message_vectors.content_hash AND {ANY.sql})"
)


@dataclass(frozen=True, slots=True)
class _Message:
    id: int
    digest: int
    text: str


def sync(
    home: Home,
    embedder: Embedder,
    progress: Progress | None = None,
    limit_seconds: float | None = None,
    stop: Event | None = None,
    private: Private = guard.is_private,
) -> Synced:
    """Make vectors of this embedder for the messages that have none, the newest first; remove those of no message.

    What was committed stays when the run is broken off, and the next one goes on from there.

    :param progress: told (messages embedded, messages to embed) after each commit.
    :param limit_seconds: no batch is begun later than this; ``stop``: nor once it is set.
    :param private: tells what an embedder that is elsewhere is not given.
    :raises BadVectors: when the embedder gives something that is no vector.
    """
    with db.read(home.session_index, SCHEMA) as connection:
        space = _TABLE.space(connection, embedder, PREFIX)
        count, stale = _counts(connection, space)
        query = f"SELECT m.n {_BOTH} AND NOT {_FITS} ORDER BY m.n DESC"
        due = [row[0] for row in connection.execute(query, _values(space))] if count else []
    removed = remove_stale(home) if stale else 0
    done = 0
    for batch in in_time(_batches(home, due), limit_seconds, stop):
        vectors = packed(embedder, [embed.given(embedder, message.text, private) for message in batch])
        _store(home, space.of(embedder), batch, vectors)
        done += len(batch)
        if progress:
            progress(done, len(due))
    return Synced(done, removed, len(due) - done)


def remove_stale(home: Home) -> int:
    """Delete the vectors of what is not as it was, or may not be found, any more; returns how many there were."""
    with db.read(home.session_index, SCHEMA) as connection:
        query = f"SELECT n FROM message_vectors WHERE {_STALE}"
        numbers = [tuple(row) for row in connection.execute(query, ANY.values)]
    if not numbers:
        return 0
    with db.write(home.session_index, SCHEMA) as connection:
        return _TABLE.delete(connection, "n = ?", numbers)


def backlog(home: Home, embedder: Embedder) -> int:
    """How many messages have no vector of this embedder yet."""
    with db.read(home.session_index, SCHEMA) as connection:
        return _counts(connection, _TABLE.space(connection, embedder, PREFIX))[0]


def withheld(home: Home, embedder: Embedder) -> int:
    """How many messages have no vector of this embedder because they are private."""
    with db.read(home.session_index, SCHEMA) as connection:
        return _TABLE.withheld(connection, embedder, PREFIX)


def near(home: Home, question: str) -> tuple[Near | None, Asked]:
    """What vectors say of a question, and how it was asked; nothing, and no model is read, where there is no embedder
    or no vector of it."""

    def there(embedder: Embedder) -> bool:
        with db.read(home.session_index, SCHEMA) as connection:
            return _TABLE.there(connection, _TABLE.space(connection, embedder, PREFIX))

    asked = embed.asked(home, question, there)
    if asked.embedder is None or asked.vector is None:
        return None, asked
    return Near(home, Space(asked.embedder.model_id, len(asked.vector), PREFIX), asked.vector), asked


@dataclass(frozen=True)
class Near:
    """A question as a vector, to be asked of the index."""

    home: Home
    space: Space
    vector: Vectors

    def among(self, connection: sqlite3.Connection, wanted: Filter) -> Nearness:
        """The messages nearest to the question that pass the filter, as the connection sees them."""
        sight = _TABLE.matrix(connection, self.home.session_index, self.space).seen_from(self.vector)
        numbers: dict[int, int] = {}

        def allowed(ids: Sequence[int]) -> Collection[int]:
            rows = connection.execute(
                f"SELECT m.id, m.n {_WITH_VECTOR} CROSS JOIN sessions s ON s.key = m.session_key"
                f" WHERE m.id IN (SELECT value FROM json_each(:ids)) AND {wanted.sql}",
                {"ids": json.dumps(ids), **wanted.values},
            )
            found = {row[0]: row[1] for row in rows}
            numbers.update(found)
            return found

        def others(asked: Collection[int]) -> dict[int, float]:
            rows = connection.execute(
                f"SELECT m.n, m.id {_WITH_VECTOR} WHERE m.n IN (SELECT value FROM json_each(?))",
                (json.dumps(list(asked)),),
            ).fetchall()
            cosines = sight.of([row[1] for row in rows])
            return {n: cosines[message] for n, message in rows if message in cosines}

        nearest = sight.nearest(NEAREST, allowed, MIN_COSINE)
        found = {numbers[message]: cosine for message, cosine in nearest}
        return Nearness(found, sight.spread, sight.mean, others)


def _counts(connection: sqlite3.Connection, space: Space) -> tuple[int, int]:
    """(messages without a vector of this space, vectors of what is not as it was or may not be found any more)."""
    query = f"SELECT count(*) - total({_FITS}), (SELECT count(*) FROM message_vectors) - count(v.n) {_BOTH}"
    due, stale = connection.execute(query, _values(space)).fetchone()
    return int(due), stale


def _values(space: Space) -> dict[str, object]:
    return {**ANY.values, **space.values()}


def _batches(home: Home, due: Sequence[int]) -> Iterator[list[_Message]]:
    """The messages with these numbers, as they are to be embedded; those of like length together."""
    for start in range(0, len(due), _READ_AT_ONCE):
        with db.read(home.session_index, SCHEMA) as connection:
            rows = connection.execute(
                f"SELECT id, text_digest, name, meta, substr(content, 1, {_CHARACTERS}) AS content FROM messages"
                " WHERE n IN (SELECT value FROM json_each(?))",
                (json.dumps(due[start : start + _READ_AT_ONCE]),),
            ).fetchall()
        batch, size = list[_Message](), 0
        for row in sorted(rows, key=lambda row: len(row["content"])):
            batch.append(_Message(row["id"], row["text_digest"], _text(row)))
            size += len(row["content"])
            if len(batch) == _BATCH or size >= _BATCH_CHARACTERS:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def _text(row: sqlite3.Row) -> str:
    """What is embedded of a message."""
    name, content = row["name"] or "", row["content"]
    day = (row["meta"] or "").removeprefix(name).strip()
    head = f"{name} ({day})".strip() if day else name
    return f"{head}: {content}" if head else content


def _store(home: Home, space: Space, batch: Sequence[_Message], vectors: Sequence[bytes | None]) -> None:
    """Keep the vectors of those messages that are still as they were read: what was erased meanwhile stays away."""
    with db.write(home.session_index, SCHEMA) as connection:
        rows = connection.execute(
            "SELECT id, text_digest FROM messages WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps([message.id for message in batch]),),
        )
        now = dict(map(tuple, rows))
        held = [
            (message.id, message.digest, vector)
            for message, vector in zip(batch, vectors, strict=True)
            if now.get(message.id) == message.digest
        ]
        _TABLE.add(connection, space, held)
