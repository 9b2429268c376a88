"""Checking whether what memories were learned from still says so."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from workbench import db
from workbench.home import Home
from workbench.ledger import evidence, store
from workbench.ledger.change import Change
from workbench.ledger.model import Actor
from workbench.ledger.sources import Finding, Sources

MAINTENANCE = Actor("system", "maintenance")
BATCH = 200


class Swept(BaseModel):
    """What a sweep found.

    :param checked: pieces of evidence whose source was looked at.
    :param unchecked: those whose source can't be told: unreadable, elsewhere, no git.
    :param changed: sources that no longer hold the words quoted.
    :param gone: sources that are not there any more.
    :param restored: sources that are again as they were.
    :param memories: memories that joined or left the inbox because of it; in force they stay in force,
    :param waiting: but for these, which the person took back.
    """

    checked: int = 0
    unchecked: int = 0
    changed: int = 0
    gone: int = 0
    restored: int = 0
    memories: int = 0
    waiting: int = 0


def sweep(home: Home) -> Swept:
    """Compare the evidence of every memory in use with its source, and mark what differs.

    Sources are read while nothing is locked; each batch of marks is one change.
    """
    sources, swept, last = Sources(home), Swept(), ""
    while True:
        with store.reading(home) as connection:
            rows = evidence.to_check(connection, last, BATCH)
        if not rows:
            return swept
        last = rows[-1]["id"]
        _check(home, sources, rows, swept)


def recheck(home: Home, key: str, message_ids: Collection[int]) -> Swept:
    """Like ``sweep``, for what was found in some messages of a conversation."""
    swept = Swept()
    with store.reading(home) as connection:
        rows = evidence.of_messages(connection, key, message_ids)
    if rows:
        _check(home, Sources(home), rows, swept)
    return swept


def _check(home: Home, sources: Sources, rows: Sequence[Mapping[str, Any]], swept: Swept) -> None:
    """Compare some rows, mark what differs in one change, and count it."""
    found = sources.compare(rows)
    unknown = sum(finding is Finding.UNKNOWN for finding in found.values())
    swept.checked += len(rows) - unknown
    swept.unchecked += unknown
    at = db.now()
    differing = {row["id"]: found[row["id"]] for row in rows if evidence.due(row, found[row["id"]], at)}
    if differing:
        with store.writing(home) as connection:
            marked = evidence.mark(Change(connection, MAINTENANCE), differing)
        swept.changed += marked.changed
        swept.gone += marked.gone
        swept.restored += marked.restored
        swept.memories += marked.memories
        swept.waiting += marked.waiting
