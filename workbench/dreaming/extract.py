"""What an extractor is: it reads messages and returns statements; it touches no store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from workbench.ledger.model import Kind, Privacy


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


class Extractor(Protocol):
    """Anything that turns messages into statements."""

    name: str

    def extract(self, messages: Sequence[Heard]) -> list[Statement]:
        """The statements of these messages, in the order they were said.

        :raises WorkbenchError: when it could not read them; then nothing counts as learned.
        """
        ...
