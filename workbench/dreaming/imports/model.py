"""What readers of other stores return, and how they read rows that may hold anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

import orjson

from workbench import text
from workbench.errors import WorkbenchError
from workbench.ledger import gate
from workbench.ledger.model import Candidate, Evidence, Kind, Scope, SourceType, Type

_Word = TypeVar("_Word", bound=StrEnum)
# Of each reason so many ids are named; of a store where everything has a reason of its own, so many reasons.
_EXAMPLES = 5
_REASONS = 100
_OTHER = "for another reason"
_SCOPES: tuple[Scope, ...] = ("global", "workspace", "project", "agent")


class Standing(StrEnum):
    """What a store says of a memory of its own: a claim, until the person says that the store is theirs."""

    ENDORSED = "endorsed"
    IN_FORCE = "in_force"
    WAITING = "waiting"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    PUT_AWAY = "put_away"


@dataclass(frozen=True)
class Link:
    """A resource that a memory is linked to; checked when it is written."""

    resource_type: str
    reference: str
    type: str


@dataclass(frozen=True)
class Memory:
    """A memory of another store.

    :param ref: its id there.
    :param successor: the id there of what replaced it.
    :param wordings: how it read before it was changed, oldest first.
    """

    ref: str
    candidate: Candidate
    standing: Standing = Standing.WAITING
    successor: str | None = None
    links: tuple[Link, ...] = ()
    wordings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Relation:
    """A relation between two memories of another store; it comes after both."""

    ref: str
    related_ref: str
    type: str


Item = Memory | Relation


@dataclass
class LeftOut:
    """Why some of a store was not taken over, how many, and the first of them."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class Notes:
    """What a reader found, and what of it has no place here.

    :param found: how much there is, by dataset.
    :param left_out: (dataset, reason) → what was left out for it.
    """

    found: Counter[str] = field(default_factory=Counter)
    left_out: dict[tuple[str, str], LeftOut] = field(default_factory=dict)

    def leave(self, what: str, why: str, ref: str = "", count: int = 1) -> None:
        """Count something that is not taken over; nothing is counted where ``count`` is 0."""
        if not count:
            return
        if (what, why) not in self.left_out and len(self.left_out) >= _REASONS:
            why = _OTHER
        left = self.left_out.setdefault((what, why), LeftOut())
        left.count += count
        if ref and len(left.examples) < _EXAMPLES:
            left.examples.append(ref[:128])


class Unfit(WorkbenchError):
    """A row of another store that is not what it should be."""


class Row:
    """A row of another store: any field may be missing, or of any type."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def text(self, name: str, default: str = "") -> str:
        """A field as text."""
        value = self._fields.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise Unfit(f"its {name} is no text")
        return value

    def optional(self, name: str) -> str | None:
        """A field as text; None where there is none."""
        return self.text(name) or None

    def number(self, name: str, default: float | None, low: float, high: float) -> float | None:
        """A field as a number in ``[low, high]``."""
        value = self._fields.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise Unfit(f"its {name} is no number from {low:g} to {high:g}")
        return value

    def word(self, name: str, words: type[_Word], default: _Word) -> _Word:
        """A field as one of the words of an enumeration."""
        value = self.text(name) or default
        if value not in list(words):
            raise Unfit(f"its {name} is not one that is known here")
        return words(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A field as a list of texts; it may be one, or JSON of one."""
        value = self._fields.get(name) or []
        try:
            value = orjson.loads(value) if isinstance(value, str) else value
        except orjson.JSONDecodeError:
            value = None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Unfit(f"its {name} are no list of texts")
        return tuple(value)

    def scope(self) -> tuple[Scope, str]:
        """``scope_type`` and ``scope_key``."""
        scope_type = self.text("scope_type", "global")
        for known in _SCOPES:
            if known == scope_type:
                return known, "" if known == "global" else self.text("scope_key")
        raise Unfit("its scope_type is not one that is known here")

    def observed_at(self) -> str | None:
        """When it was observed, else written."""
        return self.optional("observed_at") or self.optional("created_at")

    def get(self, name: str) -> Any:  # noqa: ANN401 - whatever is there
        """A field as it is."""
        return self._fields.get(name)


def candidate(row: Row) -> Candidate:
    """The candidate of a row whose fields are named as ours are; nothing in it speaks of authority."""
    scope_type, scope_key = row.scope()
    return Candidate(
        content=row.text("content"),
        kind=row.word("kind", Kind, Kind.FACT),
        type=row.word("type", Type, Type.SEMANTIC),
        explicit=False,
        confidence=None,
        fact_key=text.fact_key(row.text("fact_key")) or None,
        scope_type=scope_type,
        scope_key=scope_key,
        tags=row.texts("tags"),
        valid_from=row.optional("valid_from"),
        valid_to=row.optional("valid_to"),
        expires_at=row.optional("expires_at"),
        observed_at=row.observed_at(),
        importance=int(row.number("importance", 50, 0, 100) or 0),
        source_agent=row.optional("source_agent"),
    )


def evidence(notes: Notes, origin: str, ref: str, excerpt: str, observed_at: str | None = None) -> tuple[Evidence, ...]:
    """Evidence of a memory that came from another store: at most one item, none where it is not fit to be kept.

    :param origin: the place in the other store, without the place in it: two of one origin are one sighting.
    """
    try:
        item = Evidence(SourceType.IMPORT, f"{origin}#{ref}", excerpt, observed_at)
        return (gate.quoted(item),)
    except WorkbenchError as error:
        notes.leave("evidence", str(error), ref)
        return ()
