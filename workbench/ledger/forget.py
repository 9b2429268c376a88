"""Forgetting: how an agent takes back what nobody endorsed. Nothing is erased, and the history keeps what it was."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from workbench import text
from workbench.errors import WorkbenchError
from workbench.ledger import lifecycle, review, standing, supersede
from workbench.ledger.change import Change
from workbench.ledger.model import Authority, Status


class ForgetReason(StrEnum):
    """Why a memory is not wanted any more."""

    INCORRECT = "incorrect"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    IRRELEVANT = "irrelevant"


def forget(change: Change, memory_id: str, reason: str, successor_id: str | None = None) -> Status:
    """Put a memory away that nobody endorsed; returns how it stands then.

    :param reason: ``superseded`` retires it in favour of ``successor_id``; ``expired`` also ends it now.
    :raises PersonOnly: when the person endorsed it, or it waits for their verdict on another's word.
    :raises InvalidTransition: when it is not in use any more.
    :raises WorkbenchError: when the successor is missing, not needed, or can't replace it.
    """
    if reason not in list(ForgetReason):
        raise WorkbenchError(f"{text.quoted(reason, 40)} is not one of {', '.join(ForgetReason)}")
    if (reason == ForgetReason.SUPERSEDED) != (successor_id is not None):
        raise WorkbenchError("what is superseded names its successor, and nothing else does; use --by with that reason")
    row = review.there(change, memory_id)
    _require_allowed(change, row)
    if row["status"] == Status.ARCHIVED:
        return Status.ARCHIVED
    if row["status"] in (Status.SUPERSEDED, Status.REJECTED, Status.ERASED):
        raise lifecycle.InvalidTransition(f"{memory_id} is {row['status']} already; there is nothing to forget")
    if successor_id is not None:
        _replace(change, row, review.there(change, successor_id))
        return Status.SUPERSEDED
    if reason == ForgetReason.EXPIRED:
        change.update("memories", memory_id, valid_to=supersede.ending(row, change.at))
    standing.put_away(change, memory_id, reason=reason)
    return Status.ARCHIVED


def _require_allowed(change: Change, row: dict[str, Any]) -> None:
    if not supersede.agent_may_replace(row):
        key = f" --key {row['fact_key']}" if row["fact_key"] else ""
        raise lifecycle.PersonOnly(
            f"{row['id']} is {row['authority']} by the person, who alone can put it away; propose what is true instead:"
            f" workbench remember TEXT{key}"
        )
    # What waits is the person's to rule on; its writer may still take it back.
    if row["review_reason"] is not None and row["created_by"] != str(change.actor):
        raise lifecycle.PersonOnly(
            f"{row['id']} waits for the person ({row['review_reason']}), and {change.actor} did not write it;"
            " leave it to them"
        )


def _replace(change: Change, row: dict[str, Any], successor: dict[str, Any]) -> None:
    _require_successor(row, successor)
    supersede.retire(change, row, by=successor["id"], at=successor["valid_from"] or change.at)
    if successor["supersedes"] is None and not supersede.is_endorsed(successor):
        change.update("memories", successor["id"], supersedes=row["id"])
    supersede.relate(change, successor["id"], row["id"], "supersedes")
    change.record("replaced", successor["id"], replaces=row["id"])
    supersede.settle(change, row["id"])
    change.enqueue("memory_md")


def _require_successor(row: dict[str, Any], successor: dict[str, Any]) -> None:
    """Only what is in force, speaks of the same fact and came later ends what was known."""
    one, other = row["id"], successor["id"]
    if one == other:
        raise WorkbenchError(f"{one} can't replace itself; name its successor")
    scopes = [(item["scope_type"], item["scope_key"]) for item in (row, successor)]
    keys = {item["fact_key"] for item in (row, successor) if item["fact_key"]}
    if row["status"] != Status.ACTIVE or successor["status"] != Status.ACTIVE:
        waiting = one if row["status"] != Status.ACTIVE else other
        raise WorkbenchError(f"{waiting} is not in force, so it neither replaces nor is replaced; nothing changed")
    if scopes[0] != scopes[1] or len(keys) > 1:
        raise WorkbenchError(f"{other} speaks of another fact or scope than {one}; say why it is not wanted instead")
    if successor["authority"] == Authority.INFERRED and row["authority"] != Authority.INFERRED:
        raise WorkbenchError(f"{other} is a guess, and a guess does not end {one}, which was observed")
    if successor["valid_from"] and row["valid_from"] and successor["valid_from"] < row["valid_from"]:
        raise WorkbenchError(f"{other} began to hold before {one} did, so it can't have replaced it")
