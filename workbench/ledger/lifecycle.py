"""Which status may follow which; everything else is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench import text
from workbench.errors import NotFound, WorkbenchError
from workbench.ledger.model import Actor, Authority, Status

S = Status
ALLOWED: dict[Status, frozenset[Status]] = {
    S.CANDIDATE: frozenset({S.ACTIVE, S.NEEDS_REVIEW, S.REJECTED, S.SUPERSEDED, S.ARCHIVED}),
    S.NEEDS_REVIEW: frozenset({S.ACTIVE, S.REJECTED, S.STALE, S.SUPERSEDED, S.ARCHIVED}),
    S.ACTIVE: frozenset({S.SUPERSEDED, S.STALE, S.NEEDS_REVIEW, S.REJECTED, S.ARCHIVED}),
    S.STALE: frozenset({S.ACTIVE, S.SUPERSEDED, S.REJECTED, S.ARCHIVED}),
    S.SUPERSEDED: frozenset({S.ACTIVE, S.ARCHIVED}),
    # What waited, or is a guess, goes back to the inbox.
    S.ARCHIVED: frozenset({S.ACTIVE, S.NEEDS_REVIEW}),
    S.REJECTED: frozenset(),
    S.ERASED: frozenset(),
}


class InvalidTransition(WorkbenchError):
    """A memory can't go from its status to the one asked for."""


class PersonOnly(WorkbenchError):
    """Only the person may do this; an agent can propose."""


class NeedsConfirmation(WorkbenchError):
    """What was asked for would retire something locked, or much at once; ask once more."""


class NeedsYes(NeedsConfirmation):
    """A yes is enough.

    :param question: what would happen, as a sentence without its end.
    """

    def __init__(self, question: str, remedy: str = "say --yes to go on") -> None:
        super().__init__(f"{question}; {remedy}")
        self.question = question


class KeyHeld(WorkbenchError):
    """Another memory is in force for the fact key.

    :param other: its id.
    """

    def __init__(self, message: str, other: str) -> None:
        super().__init__(message)
        self.other = other


class ChangedMeanwhile(WorkbenchError):
    """A memory is not as it was when the person looked at it; they look again before they rule."""


class Ambiguous(NotFound):
    """An id prefix fits several memories."""


def check(memory_id: str, before: str, after: Status) -> bool:
    """Whether a change is needed: False when the memory is in that state already.

    :raises InvalidTransition: when the step is not allowed.
    """
    if before == after:
        return False
    if after is S.ERASED or after in ALLOWED[Status(before)]:
        return True
    remedy = "a verdict is final; `workbench memory undo` takes it back" if before == S.REJECTED else "nothing changed"
    raise InvalidTransition(f"{memory_id} is {before} and can't become {after}; {remedy}")


def require_person(actor: Actor, act: str) -> None:
    """Refuse everybody but the person.

    :raises PersonOnly: with what to do instead.
    """
    if actor.kind != "person":
        raise PersonOnly(f"only the person can {act} a memory, not {actor}; run it in a terminal of your own")


def ask_about_locked(held: Mapping[str, Any], confirmed: bool) -> None:
    """Ask once more before something locked is retired.

    :raises NeedsYes: when it was not confirmed.
    """
    if held["authority"] == Authority.LOCKED and not confirmed:
        raise NeedsYes(f"this replaces {held['id']}, which you locked: {text.clause(held['content'])}")
