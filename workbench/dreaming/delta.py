"""What is new: messages of real conversations that were not learned from yet, in batches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from workbench.dreaming.extract import Heard
from workbench.home import Home
from workbench.ledger import read, store
from workbench.sessions import harness, spoken

BATCH = 1_000


def batches(home: Home, size: int = BATCH) -> Iterator[list[Heard]]:
    """Unlearned messages of the person and the assistant, as they spoke them, oldest ingest first."""
    with store.reading(home) as connection:
        known = read.learned(connection)
    messages = spoken.new_messages(home, known)
    while batch := list(islice(messages, size)):
        yield [
            Heard(
                message_id=message.id,
                session_key=message.session_key,
                role=message.role,
                text=harness.spoken(message.content),
                timestamp=message.timestamp,
                project=message.project,
            )
            for message in batch
        ]


def size(home: Home) -> int:
    """How many messages there are to learn from."""
    with store.reading(home) as connection:
        known = read.learned(connection)
    return spoken.count_new(home, known)
