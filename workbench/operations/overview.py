"""How a home stands."""

from __future__ import annotations

import sqlite3

from workbench.dreaming import delta
from workbench.home import Home
from workbench.ledger import outbox, read, store
from workbench.operations import embedding, settings
from workbench.operations.models import Status
from workbench.sessions import browse


def status(home: Home) -> Status:
    """Counts of everything, and what is still to be done."""
    with store.reading(home) as connection:
        counts = read.counts(connection)
    waiting, learned, events = counts.pop("waiting"), counts.pop("learned"), counts.pop("events")
    conversations = browse.status(home)
    return Status(
        home=str(home.root),
        sessions=conversations["sessions"],
        messages=conversations["messages"],
        active=counts.get("active", 0),
        waiting=waiting,
        by_status=dict(sorted(counts.items())),
        learned=learned,
        backlog=delta.size(home),
        failure=delta.failure(home),
        **embedding.standing(home)._asdict(),
        events=events,
        outbox=outbox.backlog(home),
        sqlite=sqlite3.sqlite_version,
        memory_md=str(home.memory_md),
        settings=settings.trouble(home),
    )
