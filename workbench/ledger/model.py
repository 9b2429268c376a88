"""The words of the ledger: who acts, what a memory is, what states it can be in."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, get_args

from workbench import guard, text
from workbench.errors import WorkbenchError


class Kind(StrEnum):
    """What sort of statement a memory is."""

    PREFERENCE = "preference"
    FACT = "fact"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    ENTITY = "entity"
    EVENT = "event"
    OUTCOME = "outcome"
    LESSON = "lesson"
    PROCEDURE = "procedure"
    PROFILE = "profile"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    CORRECTION = "correction"
    TEMPORAL = "temporal"
    RELATIONSHIP = "relationship"
    SKILL = "skill"
    CONTEXT = "context"
    GOAL = "goal"


class Type(StrEnum):
    """The memory systems of psychology: facts, episodes, skills."""

    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


class Status(StrEnum):
    """Where a memory stands; recallable means active."""

    CANDIDATE = "candidate"
    NEEDS_REVIEW = "needs_review"
    ACTIVE = "active"
    STALE = "stale"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"
    ARCHIVED = "archived"
    ERASED = "erased"


class Authority(StrEnum):
    """How much a memory weighs: locked > confirmed > observed > inferred."""

    INFERRED = "inferred"
    OBSERVED = "observed"
    CONFIRMED = "confirmed"
    LOCKED = "locked"


class Reason(StrEnum):
    """Why a memory waits for the person."""

    INFERRED = "inferred"
    MID_CONFIDENCE = "mid_confidence"
    SENSITIVE = "sensitive"
    CONTRADICTS = "contradicts"
    SUPERSEDE_PROPOSAL = "supersede_proposal"
    INJECTION_FLAGGED = "injection_flagged"
    SCANNER_UNAVAILABLE = "scanner_unavailable"
    UNREVIEWED_AUTONOMOUS_WRITE = "unreviewed_autonomous_write"
    IMPORTED = "imported"
    INSTRUCTION = "instruction"
    EVIDENCE_STALE = "evidence_stale"
    SPOT_CHECK = "spot_check"
    PATROL = "patrol"


class Privacy(StrEnum):
    """Who may see it: secret never leaves the ledger by itself."""

    NORMAL = "normal"
    SENSITIVE = "sensitive"
    SECRET = "secret"


class SourceType(StrEnum):
    """Where evidence lies; ``manual`` is the person's word, ``import`` another store's."""

    SESSION = "session"
    NOTE = "note"
    FILE = "file"
    URL = "url"
    GIT = "git"
    IMPORT = "import"
    MANUAL = "manual"


class ResourceType(StrEnum):
    """What a memory can be linked to besides memories."""

    NOTE = "note"
    SESSION = "session"
    FILE = "file"
    URL = "url"
    GIT = "git"


class RelationType(StrEnum):
    """How one memory stands to another."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    SUPPORTS = "supports"
    DEPENDS_ON = "depends_on"
    PART_OF = "part_of"
    DERIVED_FROM = "derived_from"
    RELATED_TO = "related_to"


class LinkType(StrEnum):
    """How a memory stands to a resource."""

    DERIVED_FROM = "derived_from"
    PROMOTED_TO = "promoted_to"
    REFERENCES = "references"


def most_private(*values: str) -> Privacy:
    """The strictest of several."""
    return max(map(Privacy, values), key=list(Privacy).index)


# What undo restores and the audit vouches for, row by row.
Table = Literal[
    "memories",
    "memory_revisions",
    "memory_relations",
    "resource_links",
    "memory_evidence",
    "memory_feedback",
    "rejections",
]
TABLES: tuple[Table, ...] = get_args(Table)

# ``batch_id`` of a memory that asks the person for an act on another one begins so; see ``requests``.
REQUEST = "request:"


def is_asked_in(batch_id: str | None) -> bool:
    """Whether a memory of this batch asks for an act on another one, or did before it was settled."""
    return bool(batch_id and batch_id.startswith(REQUEST))


Scope = Literal["global", "workspace", "project", "agent"]
MAX_CONTENT = 4_000
MAX_SCOPE_KEY = 512


MAX_NAME = 128
_PLAIN = re.compile(r"[A-Za-z0-9 _.:-]{1,24}")


def check_name(what: str, name: str) -> None:
    """Refuse a name that agents give themselves, or their project, when it hides something.

    :raises WorkbenchError: when it is blank, over 512 characters (an agent's: 128), holds a credential, or, an agent's,
        a control or invisible character.
    """
    if name.strip() and _PLAIN.fullmatch(name):
        return
    of_agent = what.endswith("agent")
    limit = MAX_NAME if of_agent else MAX_SCOPE_KEY
    if not name.strip() or len(name) > limit:
        raise WorkbenchError(f"{what} has 1 to {limit} characters, this has {len(name.strip()):,}")
    if of_agent and (shown := text.visible(name)) != name:
        raise WorkbenchError(f"{what} holds characters that nobody sees: {text.quoted(shown, 80)}; take them out")
    if guard.mask(name) != name:
        raise WorkbenchError(f"{what} holds a credential; nothing was done, take it out")


@dataclass(frozen=True)
class Actor:
    """Who acts. It comes from the channel (terminal, page, token), never from an argument.

    :param kind: ``person`` outranks everybody; ``agent`` and ``dreamer`` write observed or inferred only;
        ``system`` is maintenance.
    """

    kind: Literal["person", "agent", "dreamer", "system"]
    name: str

    def __post_init__(self) -> None:
        check_name("the name of an agent", self.name)

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


PERSON = Actor("person", "owner")
DREAMER = Actor("dreamer", "rules")


@dataclass(frozen=True)
class Evidence:
    """Where a statement was found.

    :param source_ref: for a session message ``"<session key>#<message id>"``, for a file ``"<path>#L3-7"``.
    """

    source_type: SourceType
    source_ref: str
    excerpt: str
    observed_at: str | None = None


@dataclass(frozen=True)
class Triple:
    """What a statement says to the knowledge graph: a subject, a predicate, an object, as they were named.

    :param predicate: in its normal form, such as ``works_at``.
    """

    subject: str
    predicate: str
    object: str
    subject_type: str | None = None
    object_type: str | None = None


@dataclass(frozen=True)
class Candidate:
    """A statement somebody proposes to remember; it becomes a memory only through ``write.propose``.

    :param explicit: said in so many words by the person; an agent's is so only where a message of the person bears
        it out, which whoever builds the candidate has checked.
    :param retracts: the statement that this one ends ("Works at Acme." for "No longer works at Acme.").
    :param same_as: other wordings that say this and no more ("I live in Oslo." for "Lives in Oslo.").
    :param within: wordings that say more than this, or a part of it; a verdict on one is a verdict on this.
    :param valid_from: when it begins to hold, ISO 8601; by default when it was observed.
    :param valid_to: when it ends; a date alone means the end of that day.
    :param expires_at: from when it is no longer recalled, whatever its status.
    :param idempotency_key: the writer's own name for this write: a retry with it is the same write.
    :param key_said: its key follows from what was said; else an agent chose it, and it ends nothing the person said.
    :param triple: what it says to the knowledge graph, which holds it while the memory is in force.
    """

    content: str
    kind: Kind
    explicit: bool
    confidence: float | None
    confidence_source: str | None = None
    fact_key: str | None = None
    key_said: bool = True
    retracts: str | None = None
    same_as: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    privacy: Privacy = Privacy.NORMAL
    type: Type = Type.SEMANTIC
    scope_type: Scope = "global"
    scope_key: str = ""
    tags: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    observed_at: str | None = None
    importance: int = 50
    idempotency_key: str | None = None
    batch_id: str | None = None
    source_agent: str | None = None
    source_session: str | None = None
    source_message_ids: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    triple: Triple | None = None


@dataclass(frozen=True)
class Proposal:
    """What became of a candidate.

    :param outcome: created, seen_again (the same statement was known), repeated (this write was done before),
        dropped (below the review floor), rejected_before (the person ruled against it), erased_before.
    :param changed: names of the columns that a statement which was known changed.
    """

    outcome: Literal["created", "seen_again", "repeated", "dropped", "rejected_before", "erased_before"]
    memory_id: str | None = None
    status: Status | None = None
    review_reason: Reason | None = None
    superseded: tuple[str, ...] = field(default=())
    changed: tuple[str, ...] = ()


def row_dict(row: sqlite3.Row) -> dict[str, Any]:
    """A row as a plain dictionary, in column order."""
    return dict(zip(row.keys(), tuple(row), strict=True))
