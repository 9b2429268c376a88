"""What is new: messages of real conversations that were not learned from yet, in batches."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.dreaming.extract import Heard
from workbench.home import Home
from workbench.ledger import read, store
from workbench.sessions import harness, spoken

BATCH = 1_000
_FAILURE = "dreaming.failure"


def batches(home: Home, size: int = BATCH) -> Iterator[list[Heard]]:
    """Unlearned messages of the person and the assistant, as they spoke them, oldest ingest first.

    What the assistant says is in one batch with what the person answers.
    """
    with store.reading(home) as connection:
        known = read.learned(connection)
    messages = map(_heard, spoken.new_messages(home, known))
    batch: list[Heard] = []
    for message in messages:
        if len(batch) >= size and not (message.role == "user" and batch[-1].role == "assistant"):
            yield batch
            batch = []
        batch.append(message)
    if batch:
        yield batch


def _heard(message: spoken.Row) -> Heard:
    return Heard(
        message_id=message.id,
        session_key=message.session_key,
        role=message.role,
        text=harness.spoken(message.content),
        timestamp=message.timestamp,
        project=message.project,
    )


def size(home: Home) -> int:
    """How many messages there are to learn from."""
    with store.reading(home) as connection:
        known = read.learned(connection)
    return spoken.count_new(home, known)


def note_failure(home: Home, why: str | None) -> None:
    """Keep why the last run could not learn from everything, for whoever asks how the home stands; None: it could."""
    with store.reading(home) as connection:
        if read.value(connection, _FAILURE) == why:
            return
    with store.writing(home) as connection:
        connection.execute("DELETE FROM meta WHERE key = ?", (_FAILURE,))
        if why is not None:
            connection.execute("INSERT INTO meta VALUES (?, ?)", (_FAILURE, why))


def failure(home: Home) -> str | None:
    """Why the last run could not learn from everything; None where it could."""
    with store.reading(home) as connection:
        return read.value(connection, _FAILURE)
