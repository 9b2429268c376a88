"""Making the vectors that search by meaning needs. They are the one thing that may lag; how far is always said."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import NamedTuple

from pydantic import BaseModel

from workbench import db, guard
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.index import embed, memory_vectors, note_vectors
from workbench.index.embed import Embedder, Private
from workbench.index.table import Synced
from workbench.ledger import maintain, store
from workbench.operations import notes
from workbench.sessions import vectors
from workbench.text import normal_form

# What a command that was not asked for vectors spends on them.
LIMIT_SECONDS = 5.0
_LOOK_AGAIN_SECONDS = 60.0
NONE = "there is no embedding model: the extra vectors is not installed, or the settings name none"
Progress = Callable[[int, int], None]
# Makes what is missing in the time that is left, which it is told.
_Part = Callable[[float | None], Synced]


class Embedded(BaseModel):
    """What was done about vectors.

    :param embedded: vectors made; ``removed``: vectors of what can't be found any more.
    :param left: memories, messages and chunks of notes, as far as they were meant, that have none yet.
    :param vector_enabled: whether there is an embedder; without one nothing is made or removed.
    :param vector_problem: why the one that the settings name can't be had.
    """

    embedded: int = 0
    removed: int = 0
    left: int = 0
    vector_enabled: bool = True
    vector_problem: str | None = None


class Standing(NamedTuple):
    """How search by meaning stands; what its fields are, ``Status`` says."""

    provider: str = "none"
    vector_problem: str | None = None
    not_embedded: int | None = None
    withheld: int = 0


def embed_all(
    home: Home, progress: Progress | None = None, *, limit_seconds: float | None = None, stop: Event | None = None
) -> Embedded:
    """Make the vectors that are missing, those of memories first; where none is, no model is read.

    :param limit_seconds: go on for about so long; ``stop``: or until this is set.
    :raises WorkbenchError: when the embedder fails, or gives something that is no vector.
    """
    return _embed(home, progress, limit_seconds, stop, _memories, _notes, _messages)


def embed_read(
    home: Home, progress: Progress | None = None, *, limit_seconds: float | None = None, stop: Event | None = None
) -> Embedded:
    """Like ``embed_all``, of notes and messages alone."""
    return _embed(home, progress, limit_seconds, stop, _notes, _messages)


def embed_memories(home: Home, progress: Progress | None = None, *, limit_seconds: float | None = None) -> Embedded:
    """Like ``embed_all``, of memories alone."""
    return _embed(home, progress, limit_seconds, None, _memories)


def _embed(
    home: Home,
    progress: Progress | None,
    limit_seconds: float | None,
    stop: Event | None,
    *parts: Callable[[Home, Embedder, Progress | None, Event | None], _Part],
) -> Embedded:
    embedder = embed.load(home)
    if embedder is None:
        return Embedded(vector_enabled=False, vector_problem=embed.why_none(home))
    until = None if limit_seconds is None else time.monotonic() + limit_seconds
    done = Embedded()
    for part in parts:
        seconds = None if until is None else max(0.0, until - time.monotonic())
        embedded, removed, left = part(home, embedder, progress, stop)(seconds)
        done.embedded, done.removed, done.left = done.embedded + embedded, done.removed + removed, done.left + left
    return done


def _notes(home: Home, embedder: Embedder, progress: Progress | None, stop: Event | None) -> _Part:
    notes.sync(home)
    private = _private(home, embedder)
    return lambda seconds: note_vectors.sync(home, embedder, progress, seconds, stop, private)


def _messages(home: Home, embedder: Embedder, progress: Progress | None, stop: Event | None) -> _Part:
    private = _private(home, embedder)
    return lambda seconds: vectors.sync(home, embedder, progress, seconds, stop, private)


def _memories(home: Home, embedder: Embedder, progress: Progress | None, stop: Event | None) -> _Part:
    def sync(seconds: float | None) -> Synced:
        wanted = _wanted(home, embedder)
        if not wanted and not db.exists(home.memory_index):
            return Synced(0, 0, 0)
        return memory_vectors.sync(home, embedder, wanted, progress, seconds, stop)

    return sync


def _wanted(home: Home, embedder: Embedder) -> dict[str, str]:
    """What is to be found of memories by meaning, as far as the embedder may be given it."""
    with store.reading(home) as connection:
        return maintain.findable(connection, private=not embedder.remote)


def _private(home: Home, embedder: Embedder) -> Private:
    return private(home) if embedder.remote else guard.is_private


def private(home: Home) -> Private:
    """Tells what is private: what the classifier calls so, and what holds a memory that is."""
    with store.reading(home) as connection:
        kept = [normal_form(said) for said in maintain.private(connection)]
    return lambda text: guard.is_private(text) or any(each in normal_form(text) for each in kept)


def lag(left: int) -> str:
    """What is said of what has no vector yet."""
    what = "memory, message or note is" if left == 1 else "memories, messages or notes are"
    return f"{left:,} {what} found by words alone so far; `workbench rebuild vectors` goes on"


def standing(home: Home) -> Standing:
    """How search by meaning stands; no model is asked."""
    try:
        embedder = embed.load(home)
        if embedder is None:
            return Standing(vector_problem=embed.why_none(home))
    except WorkbenchError as error:  # the settings can't be read
        return Standing(vector_problem=str(error))
    wanted = _wanted(home, embedder)
    with store.reading(home) as connection:
        hidden = len(maintain.findable(connection)) - len(wanted)
    parts = (memory_vectors, note_vectors, vectors)
    return Standing(
        provider=embedder.model_id,
        not_embedded=memory_vectors.missing(home, embedder, wanted)
        + vectors.backlog(home, embedder)
        + note_vectors.backlog(home, embedder),
        withheld=hidden + sum(part.withheld(home, embedder) for part in parts),
    )


@contextlib.contextmanager
def in_background(home: Home, say: Callable[[str], None] = lambda problem: None) -> Iterator[None]:
    """Make vectors while something else goes on, and those of what comes meanwhile.

    :param say: told once of each thing that hinders it; it is tried again.
    """
    stop, said = Event(), set[str]()

    def tell(problem: str | None) -> None:
        if problem and problem not in said:
            said.add(problem)
            say(problem)

    def work() -> None:
        while not stop.is_set():
            try:
                tell(embed_all(home, stop=stop).vector_problem)
            except WorkbenchError as error:
                tell(str(error))
            stop.wait(_LOOK_AGAIN_SECONDS)

    worker = Thread(target=work, name="embedding", daemon=True)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()
