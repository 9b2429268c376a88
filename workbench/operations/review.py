"""The inbox: what waits for the person, with all they need to rule on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.home import Home
from workbench.ledger import listing, read, review, store, supersede
from workbench.ledger.filters import Reader
from workbench.ledger.listing import Order, Wanted
from workbench.ledger.model import REQUEST, Reason, Status
from workbench.ledger.selection import replaced
from workbench.operations import convert
from workbench.operations.models import Inbox, WaitingOut
from workbench.operations.models_memories import WaitingGroup

REASONS: dict[Reason, str] = {
    Reason.INFERRED: "It was not said in so many words; it is a guess.",
    Reason.MID_CONFIDENCE: "It is not sure that this was meant to last.",
    Reason.SENSITIVE: "It is private: it is kept only if you say so.",
    Reason.CONTRADICTS: "Something remembered, or that you said or ruled since, speaks against it.",
    Reason.SUPERSEDE_PROPOSAL: "It would replace something you confirmed.",
    Reason.INJECTION_FLAGGED: "It reads like an attempt to instruct an agent.",
    Reason.SCANNER_UNAVAILABLE: "It could not be scanned, so it waits.",
    Reason.UNREVIEWED_AUTONOMOUS_WRITE: "An agent wrote it on its own, with nobody in the conversation.",
    Reason.IMPORTED: "It was imported from elsewhere.",
    Reason.INSTRUCTION: "It is a standing order for agents: it counts only if you mean it to.",
    Reason.EVIDENCE_STALE: "What it was learned from is gone, or does not say so any more.",
    Reason.SPOT_CHECK: "A sample, to measure how far memories can be trusted.",
    Reason.PATROL: "It seems to contradict something else you confirmed.",
}
CONTESTED = "Something else that was said contradicts it."
ASKED = "An agent asks you for this; accepting it does it."
ASKED_TO_ERASE = (
    "An agent asks you for this: `workbench memory erase` with the id of what it is about shows how far it goes, and"
    " does it; rejecting this refuses."
)


def reason_text(row: Mapping[str, Any]) -> str:
    """Why a memory is in the inbox, as a sentence."""
    if (row["review_reason"], row["status"]) == (Reason.CONTRADICTS, Status.ACTIVE):
        return CONTESTED
    if review.is_request(row) and row["batch_id"] == f"{REQUEST}erase":
        return ASKED_TO_ERASE
    return ASKED if review.is_request(row) else REASONS[Reason(row["review_reason"])]


def inbox(
    home: Home,
    *,
    reason: str | None = None,
    source: str | None = None,
    kind: str | None = None,
    project: str | None = None,
    limit: int = 50,
    offset: int = 0,
    reader: Reader | None = None,
) -> Inbox:
    """What waits, first what touches something in force, then what may steer agents; the oldest first.

    :param source: the conversation, agent or writer it came from.
    :param project: only what holds in this project.
    :param reader: the agent that is shown it; None for the person, who sees everything.
    """
    wanted = _waiting(reason, source, kind, project, reader)
    with store.reading(home) as connection:
        rows, total = listing.page(connection, wanted, Order.CONSEQUENCE, limit=limit, offset=offset)
        ids = [row["id"] for row in rows]
        evidence = convert.evidence_of(home, connection, ids)
        conflicts = supersede.contradicting(connection, ids)
        for row in rows:
            # What accepting it would replace, also where that was not to be named, or not there, when it was written.
            held = replaced(connection, row)
            if held is not None and held["id"] not in [other["id"] for other in conflicts[row["id"]]]:
                conflicts[row["id"]].append(held)
        seen = read.shown(connection, [other["id"] for found in conflicts.values() for other in found], reader)
    items = [
        WaitingOut(
            memory=convert.memory_out(row),
            reason=row["review_reason"],
            reason_text=reason_text(row),
            evidence=evidence[row["id"]],
            conflicts=[convert.memory_out(other) for other in conflicts[row["id"]] if other["id"] in seen],
        )
        for row in rows
    ]
    return Inbox(items=items, total=total)


def groups(
    home: Home,
    *,
    reason: str | None = None,
    source: str | None = None,
    kind: str | None = None,
    project: str | None = None,
    reader: Reader | None = None,
) -> list[WaitingGroup]:
    """What waits, counted by reason and source, in the order of the inbox. ``reader`` as in ``inbox``."""
    with store.reading(home) as connection:
        rows = listing.groups(connection, _waiting(reason, source, kind, project, reader))
    return [WaitingGroup.model_validate({**row, "reason_text": REASONS[Reason(row["reason"])]}) for row in rows]


def _waiting(
    reason: str | None, source: str | None, kind: str | None, project: str | None, reader: Reader | None
) -> Wanted:
    return Wanted(
        waiting=True,
        review_reason=reason,
        source=source,
        kind=kind,
        scope_type="project" if project else None,
        scope_key=project,
        reader=reader,
    )
