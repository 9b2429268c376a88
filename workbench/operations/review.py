"""The inbox: what waits for the person, with all they need to rule on it."""

from __future__ import annotations

from workbench.home import Home
from workbench.ledger import read, store, supersede
from workbench.ledger.model import Reason
from workbench.operations import convert
from workbench.operations.models import Inbox, WaitingOut

REASONS: dict[Reason, str] = {
    Reason.INFERRED: "It was not said in so many words; it is a guess.",
    Reason.MID_CONFIDENCE: "It is not sure that this was meant to last.",
    Reason.SENSITIVE: "It is private: it is kept only if you say so.",
    Reason.CONTRADICTS: "It contradicts something remembered, and was not said plainly enough to replace it.",
    Reason.SUPERSEDE_PROPOSAL: "It would replace something you confirmed.",
    Reason.INJECTION_FLAGGED: "It reads like an attempt to instruct an agent.",
    Reason.SCANNER_UNAVAILABLE: "It could not be scanned, so it waits.",
    Reason.UNREVIEWED_AUTONOMOUS_WRITE: "An agent wrote it on its own, with nobody in the conversation.",
    Reason.IMPORTED: "It was imported from elsewhere.",
    Reason.INSTRUCTION: "It is a standing order for agents: it counts only if you mean it to.",
    Reason.EVIDENCE_STALE: "What it was learned from has changed.",
    Reason.SPOT_CHECK: "A sample, to measure how far memories can be trusted.",
    Reason.PATROL: "It seems to contradict something else you confirmed.",
}


def inbox(home: Home, *, limit: int = 50, offset: int = 0) -> Inbox:
    """What waits, oldest first."""
    with store.reading(home) as connection:
        rows, total = read.inbox(connection, limit, offset)
        evidence = convert.evidence_of(home, connection, [row["id"] for row in rows])
        items = [
            WaitingOut(
                memory=convert.memory_out(row),
                reason=row["review_reason"],
                reason_text=REASONS[Reason(row["review_reason"])],
                evidence=evidence[row["id"]],
                conflicts=[convert.memory_out(other) for other in supersede.contradicting(connection, row["id"])],
            )
            for row in rows
        ]
    return Inbox(items=items, total=total)
