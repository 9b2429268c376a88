"""Making the vectors that search by meaning needs. They are the one thing that may lag; how far is always said."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from threading import Event, Thread

from pydantic import BaseModel

from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.index import embed, memory_vectors, note_vectors
from workbench.ledger import maintain, store
from workbench.operations import notes
from workbench.sessions import vectors

# What a command that was not asked for vectors spends on those of messages.
LIMIT_SECONDS = 5.0
_LOOK_AGAIN_SECONDS = 60.0
Progress = Callable[[int, int], None]


class Embedded(BaseModel):
    """What was done about vectors.

    :param embedded: vectors made; ``removed``: vectors of what can't be found any more.
    :param left: messages and chunks of notes that have none yet.
    :param vector_enabled: whether an embedder is installed; without one nothing is made or removed.
    """

    embedded: int = 0
    removed: int = 0
    left: int = 0
    vector_enabled: bool = True


def embed_read(
    home: Home, progress: Progress | None = None, *, limit_seconds: float | None = None, stop: Event | None = None
) -> Embedded:
    """Make the vectors that are missing of notes and messages, the newest first; where none is, no model is read.

    :param limit_seconds: go on for about so long; ``stop``: or until this is set.
    :raises BadVectors: when the embedder gives something that is no vector.
    """
    embedder = embed.load(home)
    if embedder is None:
        return Embedded(vector_enabled=False)
    notes.sync(home)
    done = Embedded()
    for part in (note_vectors.sync, vectors.sync):
        embedded, removed, left = part(home, embedder, progress, limit_seconds, stop)
        done.embedded, done.removed, done.left = done.embedded + embedded, done.removed + removed, done.left + left
    return done


def embed_memories(home: Home, progress: Progress | None = None) -> Embedded:
    """Make the vectors of memories that are missing.

    :raises BadVectors: when the embedder gives something that is no vector.
    """
    done = Embedded()
    with store.reading(home) as connection:
        if not maintain.findable(connection) and not db.exists(home.memory_index):
            return done  # nothing to embed, nothing to remove: the model is not even loaded
    embedder = embed.load(home)
    if embedder is None:
        return Embedded(vector_enabled=False)
    while True:
        with store.reading(home) as connection:
            wanted = maintain.findable(connection)
        synced = memory_vectors.sync(home, embedder, wanted, progress)
        done.embedded += synced.embedded
        done.removed += synced.removed
        if not synced.left:
            return done


def lag(left: int) -> str:
    """What is said of what has no vector yet."""
    return f"{left} message(s) or note(s) are found by words alone so far; `workbench rebuild vectors` goes on"


def left(home: Home) -> int | None:
    """How many messages and chunks of notes have no vector yet; None where no embedder is installed."""
    embedder = embed.load(home)
    return None if embedder is None else vectors.backlog(home, embedder) + note_vectors.backlog(home, embedder)


@contextlib.contextmanager
def in_background(home: Home) -> Iterator[None]:
    """Embed notes and messages while something else goes on, and those that come meanwhile."""
    stop = Event()

    def work() -> None:
        while not stop.is_set():
            with contextlib.suppress(WorkbenchError):  # tried again; `status` says what is left
                embed_read(home, stop=stop)
            stop.wait(_LOOK_AGAIN_SECONDS)

    worker = Thread(target=work, name="embedding", daemon=True)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()
