"""What the ledger asked for elsewhere: outbox kinds and the functions that carry them out.

The process that committed drains before it answers; what fails stays as backlog, is said, and is tried again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, outbox
from workbench.operations import erase_effects, memory_md

# What another process has claimed is waited for this long, so that "done" means done wherever it can.
WAIT_FOR_OTHERS = 3.0

HANDLERS: dict[str, Callable[[Home, dict[str, Any]], object]] = {
    "memory_md": lambda home, payload: memory_md.refresh(home),
    "erase_notes": erase_effects.erase_notes,
    "erase_vectors": erase_effects.erase_vectors,
    "erase_messages": erase_effects.erase_messages,
    "compact_ledger": erase_effects.compact_ledger,
}


def drain(home: Home) -> int:
    """Carry out what is in the outbox, then renew the anchor if it is due.

    :returns: how many effects could not be carried out and stay.
    """
    if not outbox.backlog(home):
        audit.anchor(home, at=db.now(), if_due=True)
        return 0
    claimed = outbox.claim(home)
    if claimed:
        done: list[int] = []
        failed: dict[int, str] = {}
        outcomes: dict[tuple[str, str], str | None] = {}
        for effect in claimed:
            key = (effect.kind, repr(effect.payload))
            if key not in outcomes:
                outcomes[key] = _carry_out(home, effect)
            error = outcomes[key]
            if error is None:
                done.append(effect.id)
            else:
                failed[effect.id] = error
        outbox.finish(home, done, failed)
    audit.anchor(home, at=db.now(), if_due=True)
    return outbox.settled(home, WAIT_FOR_OTHERS)


def _carry_out(home: Home, effect: outbox.Effect) -> str | None:
    handler = HANDLERS.get(effect.kind)
    if handler is None:
        return f"this program knows no effect {effect.kind!r}; upgrade it"
    try:
        handler(home, effect.payload)
    except WorkbenchError as error:
        return str(error)
    return None
