"""What the ledger asked for elsewhere: outbox kinds and the functions that carry them out.

The process that committed drains before it answers; what fails stays as backlog, is said, and is tried again.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, outbox, store
from workbench.operations import entry_effects, erase_effects, graph_effects, memory_md

# What another process has claimed is waited for this long, so that "done" means done wherever it can.
WAIT_FOR_OTHERS = 3.0

HANDLERS: dict[str, Callable[[Home, dict[str, Any]], object]] = {
    "graph": graph_effects.follow,
    "memory_md": lambda home, payload: memory_md.refresh(home),
    "note_entry": entry_effects.keep_in_step,
    "erase_notes": erase_effects.erase_notes,
    "erase_vectors": erase_effects.erase_vectors,
    "erase_messages": erase_effects.erase_messages,
    "compact_ledger": erase_effects.compact_ledger,
    "compact_graph": graph_effects.compact,
}


@dataclass
class After:
    """What became of the effects of an act; known when it is over.

    :param backlog: how many could not be carried out and stay.
    :param results: what those that were carried out came to, by kind.
    """

    backlog: int = 0
    results: dict[str, object] = field(default_factory=dict)


@contextlib.contextmanager
def writing(home: Home) -> Iterator[tuple[sqlite3.Connection, After]]:
    """One transaction on the ledger; what it asks for elsewhere is claimed with it, and carried out as it ends."""
    after = After()
    with store.writing(home) as connection:
        yield connection, after
        claimed, pending, (last, _) = outbox.claim(connection), outbox.count(connection), audit.head(connection)
    after.backlog = _settle(home, claimed, pending, last, after.results)


def drain(home: Home) -> int:
    """Carry out what is in the outbox, and renew the anchor if it is due.

    :returns: how many effects could not be carried out and stay.
    """
    with store.reading(home) as connection:
        claimed, pending, (last, _) = list[outbox.Effect](), outbox.count(connection), audit.head(connection)
    if pending:
        with store.writing(home) as connection:
            claimed = outbox.claim(connection)
    return _settle(home, claimed, pending, last, {})


def _settle(home: Home, claimed: list[outbox.Effect], pending: int, last: int, results: dict[str, object]) -> int:
    """Carry out what was claimed, of so many rows in the outbox; the chain ends with event ``last``.

    :param results: gets what they came to, by kind.
    """
    if claimed:
        done: list[int] = []
        failed: dict[int, str] = {}
        outcomes: dict[tuple[str, str], str | None] = {}
        for effect in claimed:
            key = (effect.kind, repr(effect.payload))
            if key not in outcomes:
                outcomes[key] = _carry_out(home, effect, results)
            error = outcomes[key]
            if error is None:
                done.append(effect.id)
            else:
                failed[effect.id] = error
        pending = outbox.finish(home, done, failed)
    left = outbox.settled(home, WAIT_FOR_OTHERS) if pending else 0
    return left + (_anchor_trouble(home, last) is not None)


def troubles(home: Home) -> list[str]:
    """Why effects could not be carried out, a line for each reason."""
    with store.reading(home) as connection:
        reasons, (last, _) = outbox.errors(connection), audit.head(connection)
    anchor = _anchor_trouble(home, last)
    return [*reasons, anchor] if anchor else reasons


def _anchor_trouble(home: Home, last: int) -> str | None:
    """Renew the anchor if it is due; why it can't vouch for the history, where it can't. What was done stays done."""
    try:
        audit.renew_anchor(home, last)
    except WorkbenchError as error:
        return str(error)
    return None


def _carry_out(home: Home, effect: outbox.Effect, results: dict[str, object]) -> str | None:
    """Carry out one effect; why it can't be, where it can't."""
    handler = HANDLERS.get(effect.kind)
    if handler is None:
        return f"this program knows no effect {effect.kind!r}; upgrade it"
    try:
        results[effect.kind] = handler(home, effect.payload)
    except WorkbenchError as error:
        return str(error)
    return None
