"""A checkpoint: what happened in a stretch of work, and what is to be kept of it, in one change set or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench import text
from workbench.errors import WorkbenchError
from workbench.ledger import gate, relations, write
from workbench.ledger.change import Change
from workbench.ledger.gate import Checked
from workbench.ledger.model import Candidate, Proposal, RelationType
from workbench.ledger.write import Conflict, Policy

MAX_ITEMS = 20


@dataclass(frozen=True)
class Checkpoint:
    """What became of the episode and of each of its items, in their order."""

    episode: Proposal
    items: tuple[Proposal, ...]


def check(episode: Candidate, items: Sequence[Candidate]) -> tuple[Checked, list[Checked]]:
    """Check all of it before anything is written.

    :raises WorkbenchError: when there are not 1 to 20 items, or one of them is refused; it is named.
    :raises SecretRefused: when one holds a credential.
    """
    if not 1 <= len(items) <= MAX_ITEMS:
        raise WorkbenchError(f"a checkpoint has 1 to {MAX_ITEMS} items, this has {len(items)}; give each with --item")
    named = episode.idempotency_key
    return gate.check(episode), [_checked(number, item, named) for number, item in enumerate(items, start=1)]


def _checked(number: int, item: Candidate, named: str | None) -> Checked:
    """One item, checked; where the checkpoint has a name, the item has one that follows from it."""
    if named is not None:
        item = replace(item, idempotency_key=text.sha256(f"{named}\x1f{number}"))
    try:
        return gate.check(item)
    except WorkbenchError as error:
        raise type(error)(f"item {number}: {error}; nothing of the checkpoint was stored") from None


def write_all(change: Change, episode: Checked, items: Sequence[Checked], policy: Policy) -> Checkpoint:
    """Propose the episode and its items, each by the rules of its own, and note what is part of it.

    :raises WorkbenchError: when the person ruled against the episode, or erased it.
    :raises Conflict: when it is named as one that was kept before, and has other items.
    """
    whole = write.propose(change, episode, policy)
    if whole.memory_id is None:
        raise WorkbenchError("the person ruled this episode wrong or erased it; nothing of the checkpoint was stored")
    parts = []
    for item in items:
        part = _propose(change, item, policy, whole)
        if part.memory_id not in (None, whole.memory_id):
            relations.link(change, str(part.memory_id), whole.memory_id, RelationType.PART_OF)
        parts.append(part)
    return Checkpoint(whole, tuple(parts))


def _propose(change: Change, item: Checked, policy: Policy, whole: Proposal) -> Proposal:
    other = Conflict(
        f"this idempotency key stands for the checkpoint {whole.memory_id}, which has other items; give it another"
    )
    try:
        part = write.propose(change, item, policy)
    except Conflict:
        raise other from None
    if whole.outcome == "repeated" and part.outcome in ("created", "seen_again"):
        raise other
    return part
