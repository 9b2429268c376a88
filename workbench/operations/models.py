"""What operations return; the JSON of every surface is one of these."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, PlainSerializer

# Over 2**53, which JavaScript and jq round: in JSON it is a text.
MessageId = Annotated[int, PlainSerializer(str, return_type=str, when_used="json")]


class MemoryOut(BaseModel):
    """A memory with the fields of the ledger; with a predicate it is a fact of the knowledge graph."""

    id: str
    seq: int
    content: str
    kind: str
    type: str
    tags: list[str]
    tier: str
    scope_type: str
    scope_key: str
    fact_key: str | None
    authority: str
    status: str
    review_reason: str | None
    confidence: float | None
    confidence_source: str | None
    explicit: bool
    trust: float
    importance: int
    privacy: str
    valid_from: str | None
    valid_to: str | None
    expires_at: str | None
    observed_at: str | None
    created_at: str
    updated_at: str
    retired_at: str | None
    supersedes: str | None
    superseded_by: str | None
    created_by: str
    source_agent: str | None
    source_session: str | None
    source_message_ids: list[MessageId]
    batch_id: str | None
    fingerprint: str
    idempotency_key: str | None
    seen_count: int
    last_seen_at: str | None
    subject: str | None
    predicate: str | None
    object: str | None


class EvidenceOut(BaseModel):
    """Where a memory was found; a session message is named by its session and id.

    :param stale_at: when it was noticed that the source no longer says so; ``missing_at``: that it is gone.
    """

    source_type: str
    source_ref: str
    session_key: str | None
    message_id: MessageId | None
    role: str | None
    excerpt: str
    observed_at: str | None
    stale_at: str | None
    missing_at: str | None


class EventOut(BaseModel):
    """One event of the chain."""

    seq: int
    memory_id: str | None
    action: str
    actor: str
    at: str
    change_id: str
    undoes: str | None
    details: dict[str, Any] = Field(default_factory=dict)


class RevisionOut(BaseModel):
    """How a memory read before a correction."""

    content: str
    snapshot: dict[str, Any]
    actor: str
    created_at: str


class RelationOut(BaseModel):
    """A relation, seen from one memory; ``outgoing`` when it is this memory that relates to the other.

    :param asks: where the memory it starts from is an agent's request about the other: the act asked for.
    """

    type: str
    outgoing: bool
    other_id: str
    other_content: str
    other_status: str
    asks: str | None = None


class MemoryPage(BaseModel):
    """Some of the memories that fit, and how many fit in all."""

    items: list[MemoryOut]
    total: int


class MemoryDetail(BaseModel):
    """Everything the ledger knows of one memory."""

    memory: MemoryOut
    evidence: list[EvidenceOut]
    events: list[EventOut]
    revisions: list[RevisionOut]
    relations: list[RelationOut]


class WaitingOut(BaseModel):
    """A memory in the inbox: why it waits, where it was found, what it conflicts with."""

    memory: MemoryOut
    reason: str
    reason_text: str
    evidence: list[EvidenceOut]
    conflicts: list[MemoryOut]


class Inbox(BaseModel):
    """Some of what waits, oldest first, and how much waits in all."""

    items: list[WaitingOut]
    total: int


class Ruling(BaseModel):
    """What an act of the person did.

    :param superseded: ids of the memories that were replaced by it.
    :param backlog: effects outside the ledger that are still to be carried out (0: all done).
    """

    memory: MemoryOut
    change_id: str | None
    superseded: list[str]
    backlog: int
    message: str


class DreamResult(BaseModel):
    """What a reading of new conversations led to; every statement is in exactly one of the counts.

    :param invalid: what a model found and said in no usable form; ``ungrounded``: what does not stand in the messages
        it named.
    :param superseded: memories that were replaced.
    :param taken_back: memories that wait from now on, because the person took back what they had said.
    :param backlog: effects still to be carried out.
    :param failure: why messages were left that it could not learn from; None where there are none.
    """

    messages: int = 0
    statements: int = 0
    activated: int = 0
    waiting: int = 0
    historic: int = 0
    seen_again: int = 0
    dropped: int = 0
    invalid: int = 0
    ungrounded: int = 0
    refused: int = 0
    rejected_before: int = 0
    superseded: int = 0
    taken_back: int = 0
    backlog: int = 0
    failure: str | None = None


class RefreshResult(BaseModel):
    """What became of MEMORY.md.

    :param proposed: lines that somebody had edited in the block, and entries, that wait in the inbox now.
    :param archived: entries that were moved to the archive.
    """

    path: str
    memories: int
    changed: bool
    proposed: int = 0
    archived: int = 0


class SessionOut(BaseModel):
    """A conversation, without its messages."""

    key: str
    channel: str
    title: str | None
    project: str | None
    created_at: str | None
    updated_at: str | None
    message_count: int


class MessageOut(BaseModel):
    """One message of a conversation."""

    id: MessageId
    seq: int
    role: str
    origin: str
    state: str
    content: str
    thinking: str | None
    tool_calls: list[dict[str, Any]] | None
    tool_call_id: str | None
    name: str | None
    timestamp: str | None


class SessionPage(BaseModel):
    """Some conversations, and how many there are."""

    items: list[SessionOut]
    total: int


class Conversation(BaseModel):
    """A conversation with some of its messages, and how many it has."""

    session: SessionOut
    messages: list[MessageOut]
    total: int


class RebuildResult(BaseModel):
    """What was made again; ``damaged`` and ``backlog`` name files that could not be read or written, a line each.

    :param sessions: conversations that the index holds now, and their ``messages``; None when it was not meant.
    :param notes: files of notes that are indexed; None when they were not meant.
    :param vectors: memories that were embedded; None when they were not meant, or can't be.
    """

    sessions: int | None = None
    messages: int | None = None
    notes: int | None = None
    vectors: int | None = None
    damaged: list[str] = []
    backlog: list[str] = []
    remarks: list[str] = []


class AuditResult(BaseModel):
    """What checking the event chain found; ``unanchored`` events came after the anchor was renewed last."""

    ok: bool
    events: int
    anchored: int
    unanchored: int
    problems: list[str]


class Status(BaseModel):
    """How a home stands.

    :param backlog: messages not learned from yet.
    :param failure: why the last run could not learn from all of them; None where it could.
    :param provider: the embedding model; none where there is none, and ``vector_problem`` why the one that the settings
        name can't be had.
    :param not_embedded: memories, messages and chunks of notes that can be found by words alone so far; None where
        there is no embedding model.
    :param withheld: those that are private and were not given to a model that is elsewhere.
    :param outbox: effects still to be carried out.
    :param settings: why the settings are not those of the file; None when they are.
    """

    home: str
    sessions: int
    messages: int
    active: int
    waiting: int
    by_status: dict[str, int]
    learned: int
    backlog: int
    failure: str | None
    provider: str
    vector_problem: str | None
    not_embedded: int | None
    withheld: int
    events: int
    outbox: int
    sqlite: str
    memory_md: str
    settings: str | None = None
