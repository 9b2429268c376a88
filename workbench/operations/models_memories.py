"""What looking at memories and linking them returns."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from workbench.operations.models import EventOut, EvidenceOut, MemoryOut, RelationOut


class WaitingGroup(BaseModel):
    """What waits for one reason from one source.

    :param source: a conversation, else an agent, else whoever wrote it.
    :param since: when the first of them was written; ``oldest`` is its id, ``content`` its text.
    """

    reason: str
    reason_text: str
    source: str
    waiting: int
    since: str
    oldest: str
    content: str


class MaintenanceDue(BaseModel):
    """What `workbench maintain` would do in the ledger."""

    conjectures: int
    faded: int
    dormant: int
    revisions: int
    lenses: int
    spot_checks: int


class LedgerStatus(BaseModel):
    """How the ledger stands.

    :param stored: memories in all; ``in_force``: those that hold now.
    :param waiting: memories in the inbox; ``oldest_waiting``: since when the oldest of them waits.
    :param by_writer: memories by who wrote them: person, agent, dreamer, system.
    """

    stored: int
    in_force: int
    by_status: dict[str, int]
    waiting: int
    waiting_by_reason: dict[str, int]
    oldest_waiting: str | None
    by_writer: dict[str, int]
    maintenance: MaintenanceDue


class Linked(BaseModel):
    """What a link came to; ``changed`` is false where it was written already."""

    memory: MemoryOut
    related: MemoryOut | None
    changed: bool
    change_id: str | None
    backlog: int
    message: str


class Forgotten(BaseModel):
    """How a memory stands that an agent does not want any more."""

    memory: MemoryOut
    change_id: str | None
    backlog: int
    message: str


class CheckpointPart(BaseModel):
    """What became of the episode, or of one of its items; no memory where nothing was kept."""

    outcome: str
    memory: MemoryOut | None


class CheckpointResult(BaseModel):
    """An episode with its items, in one change set."""

    episode: CheckpointPart
    items: list[CheckpointPart]
    change_id: str | None
    backlog: int
    message: str


class Said(BaseModel):
    """A message beside the one that evidence quotes; credentials are masked."""

    role: str
    content: str
    timestamp: str | None


class EvidenceInContext(EvidenceOut):
    """Evidence, in which conversation it lies, and what was said just before and after."""

    title: str | None = None
    project: str | None = None
    before: Said | None = None
    after: Said | None = None


class Version(BaseModel):
    """One of the memories that state a fact, with the period for which it holds."""

    id: str
    content: str
    status: str
    authority: str
    valid_from: str | None
    valid_to: str | None
    supersedes: str | None
    superseded_by: str | None
    this: bool


class DiffPart(BaseModel):
    """A stretch of words that both wordings have, or only the older or the newer one."""

    how: Literal["same", "removed", "added"]
    text: str


class RevisionDiff(BaseModel):
    """How a memory read before a change, and what the change did to its words.

    :param stands_for: how many changes this one stands for, where older ones were folded into it.
    """

    content: str
    actor: str
    created_at: str
    stands_for: int
    diff: list[DiffPart]


class ResourceLinkOut(BaseModel):
    """A link to what is no memory.

    :param where: where the entry of a note that it leads to stands now, ``2026-03-01.md:12``; ``text``: what it says.
    """

    resource_type: str
    resource_ref: str
    type: str
    created_at: str
    where: str | None = None
    text: str | None = None


class VerifiedEvent(EventOut):
    """An event; ``verified`` when it reads as it was written and follows the event before it."""

    verified: bool


class TrustPart(BaseModel):
    """Something that a memory's trust is made of."""

    name: str
    value: float


class FeedbackOut(BaseModel):
    """Whether a memory helped somebody."""

    helpful: bool
    note: str | None
    actor: str
    given_at: str


class UseOut(BaseModel):
    """How often a memory was recalled and injected, and when last."""

    recalls: int
    injections: int
    last_used_at: str | None


class RejectionOut(BaseModel):
    """A ruling that the same wording is wrong."""

    memory_id: str
    reason: str | None
    created_at: str


class Why(BaseModel):
    """Everything that explains a memory.

    :param in_force: whether it holds now.
    :param waits: why it is in the inbox, in a sentence.
    :param versions: all that states the same fact, newest period first; this memory among them.
    :param trust: at present; ``trust_parts`` sum to it.
    :param rejections: rulings that the same wording is wrong.
    """

    memory: MemoryOut
    in_force: bool
    waits: str | None
    evidence: list[EvidenceInContext]
    versions: list[Version]
    revisions: list[RevisionDiff]
    relations: list[RelationOut]
    links: list[ResourceLinkOut]
    trust: float
    trust_parts: list[TrustPart]
    feedback: list[FeedbackOut]
    use: UseOut
    rejections: list[RejectionOut]
    events: list[VerifiedEvent]
