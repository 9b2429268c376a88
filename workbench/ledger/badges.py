"""What is said of a memory beside its text, and why: how sure it is, and whether something about it is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench import dates
from workbench.ledger.model import Authority, Reason, Status

STANDING = {
    Authority.LOCKED: "the user fixed it: it holds until they change it",
    Authority.CONFIRMED: "the user confirmed it",
    Authority.OBSERVED: "found in what was said or written, not confirmed by the user",
    Authority.INFERRED: "concluded by an agent, said by nobody",
}
# What is open about a memory that is in force nonetheless; the reader of a prompt should know these.
OPEN = {
    Reason.EVIDENCE_STALE: "its source is gone or changed",
    Reason.CONTRADICTS: "contested",
    Reason.SUPERSEDE_PROPOSAL: "contested",
}


class Badge(NamedTuple):
    """A word, and why it stands there."""

    word: str
    why: str


def badge(row: Mapping[str, Any], at: str) -> Badge:
    """The badge of a memory at an instant: its authority, unless it waits or has been replaced by then."""
    if row["status"] == Status.NEEDS_REVIEW:
        return Badge("waiting", f"not in force: it waits for the user ({row['review_reason']})")
    if row["status"] == Status.SUPERSEDED and row["valid_to"] <= at:
        by = f" by {row['superseded_by']}" if row["superseded_by"] else ""
        return Badge("replaced", f"it held until {dates.local(row['valid_to'])} and was replaced{by}")
    word = Authority(row["authority"])
    return Badge(word, "; ".join(filter(None, [STANDING[word], note(row)])))


def note(row: Mapping[str, Any]) -> str | None:
    """What is open about a memory in force, in a few words; None when nothing is."""
    return OPEN.get(row["review_reason"])
