"""What an extractor is: it reads messages and returns statements; it touches no store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from workbench.errors import WorkbenchError
from workbench.ledger.model import Kind, Privacy

RULES = "rules"


class ExtractionFailed(WorkbenchError):
    """An extractor could not read its messages: nothing counts as learned, and the next run reads them again.

    :param unread: so many messages it failed on, from the first on, others may still be read; 0 where it failed
        whatever the messages.
    """

    def __init__(self, why: str, unread: int = 0) -> None:
        super().__init__(why)
        self.unread = unread


@dataclass(frozen=True)
class Heard:
    """One message as an extractor sees it: only what the person or the assistant themselves said.

    :param text: without harness blocks and without our own recall.
    """

    message_id: int
    session_key: str
    role: Literal["user", "assistant"]
    text: str
    timestamp: str | None = None
    project: str | None = None


@dataclass(frozen=True)
class Statement:
    """One atomic statement found in messages.

    :param explicit: the person said it in so many words (not hedged, not inferred).
    :param confidence: 0–1, how sure the extractor is that the person meant it as lasting.
    :param scope: ``project`` when it holds for the project the session was about.
    :param retracts: the content of the statement that this one ends, for "no longer …".
    :param evidence: ids of the messages it stands in; never empty.
    :param valid_from: when it began to hold, ISO 8601, where the person said so; else it holds since it was said.
    :param found_by: the name of the extractor, as provenance shows it.
    """

    content: str
    kind: Kind
    explicit: bool
    confidence: float
    evidence: tuple[int, ...]
    fact_key: str | None = None
    privacy: Privacy = Privacy.NORMAL
    scope: Literal["global", "project"] = "global"
    retracts: str | None = None
    valid_from: str | None = None
    found_by: str = RULES


@dataclass(frozen=True)
class Reading:
    """What an extractor made of messages.

    :param statements: in the order they were said.
    :param read: so many of the messages, from the first on, were read in full; never 0. The others come again.
    :param dropped: how many statements were left out, by why: ``invalid`` or ``ungrounded``.
    """

    statements: Sequence[Statement]
    read: int
    dropped: Counter[str] = field(default_factory=Counter)


class Extractor(Protocol):
    """Anything that turns messages into statements."""

    @property
    def name(self) -> str:
        """What it is called in provenance."""
        ...

    def read(self, messages: Sequence[Heard]) -> Reading:
        """The statements of the first of these messages, of as many as it can take at once.

        :raises ExtractionFailed: when it could not read them; then nothing counts as learned.
        """
        ...
