"""How a memory stands, as the person decides: locked or not, core or not, put away and brought back."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from workbench import dates, text
from workbench.ledger import lifecycle, placing, review, revisions, supersede
from workbench.ledger.change import Change
from workbench.ledger.model import Authority, Reason, Status


def lock(change: Change, memory_id: str, *, confirm_locked: bool = False) -> tuple[str, ...]:
    """Make a memory the person's own and pin it; what held its key is superseded.

    :returns: ids of the memories that it replaced.
    :raises NeedsConfirmation: as ``review.accept`` does.
    """
    lifecycle.require_person(change.actor, "lock")
    row = review.open_row(change, memory_id, "locked")
    return review.endorse(change, row, "locked", Authority.LOCKED, confirm_locked)


def unlock(change: Change, memory_id: str) -> None:
    """Take the pin off; the memory stays the person's.

    :raises InvalidTransition: when it is not locked.
    """
    lifecycle.require_person(change.actor, "unlock")
    row = review.open_row(change, memory_id, "unlocked")
    if row["authority"] != Authority.LOCKED:
        raise lifecycle.InvalidTransition(f"{memory_id} is {row['authority']}, not locked; nothing changed")
    _stand(change, row, "unlocked", authority=Authority.CONFIRMED)


def set_core(change: Change, memory_id: str, core: bool = True) -> None:
    """Put a memory among the few that are always shown first, or take it out of them.

    :raises InvalidTransition: when nobody endorsed it.
    """
    lifecycle.require_person(change.actor, "make core")
    row = review.open_row(change, memory_id, "made core")
    if row["authority"] not in supersede.ENDORSED and core:
        raise lifecycle.InvalidTransition(
            f"{memory_id} is {row['authority']}, and only what you endorsed is core;"
            f" `workbench memory confirm {memory_id}` endorses it"
        )
    tier = "core" if core else "normal"
    if row["tier"] != tier:
        _stand(change, row, f"made_{tier}", tier=tier)


def archive(change: Change, memory_id: str) -> None:
    """Put a memory away: out of every use, but neither wrong nor replaced; it can be restored."""
    lifecycle.require_person(change.actor, "archive")
    put_away(change, memory_id)


def put_away(change: Change, memory_id: str, action: str = "archived", **details: object) -> None:
    """Archive a memory, whoever asks: the caller has made sure that they may.

    :raises InvalidTransition: when it was ruled wrong or erased.
    """
    row = review.there(change, memory_id)
    if not lifecycle.check(memory_id, row["status"], Status.ARCHIVED):
        return
    gone = {"status": Status.ARCHIVED, "review_reason": None, "retired_at": change.at}
    _stand(change, row, action, details, **gone)
    supersede.settle(change, memory_id)


def restore(change: Change, memory_id: str) -> None:
    """Bring back what was put away: into use, or into the inbox where it waited before, or is a guess.

    :raises InvalidTransition: when it is not archived, was replaced before it was, is a request that was granted, or
        its time has passed.
    :raises KeyHeld: when another memory is in force for its fact key.
    """
    lifecycle.require_person(change.actor, "restore")
    row = review.there(change, memory_id)
    if row["status"] != Status.ARCHIVED:
        remedy = "there is nothing to restore"
        if row["status"] == Status.REJECTED:
            remedy = f"`workbench memory undo {memory_id}` takes the verdict back"
        raise lifecycle.InvalidTransition(f"{memory_id} is {row['status']}, not archived; {remedy}")
    if row["superseded_by"]:
        raise lifecycle.InvalidTransition(
            f"{memory_id} was replaced by {row['superseded_by']} before it was archived, and can't be restored;"
            f" `workbench memory undo {memory_id}` takes the archiving back"
        )
    if _was_granted(change.connection, row):
        raise lifecycle.InvalidTransition(
            f"{memory_id} asked you for an act, and was settled; there is nothing to restore"
        )
    was = before(change.connection, memory_id, Status.ARCHIVED)
    if was is not None:
        # What was forgotten as expired was ended with that.
        row["valid_to"] = was["valid_to"]
    reason = _waited_for(row, was)
    ends = min(filter(None, (row["valid_to"], row["expires_at"])), default=None)
    if reason is None and ends is not None and ends <= change.at:
        raise lifecycle.InvalidTransition(
            f"{memory_id} ended at {dates.local(ends)}, and would not be in force if it were restored;"
            f" `workbench memory undo {memory_id}` takes the archiving back"
        )
    if reason is None:
        refuse_held(change, row, row["fact_key"])
        review.refuse_double(change, row, row["fingerprint"])
    status = Status.ACTIVE if reason is None else Status.NEEDS_REVIEW
    lifecycle.check(memory_id, row["status"], status)
    begins = row["valid_from"] if reason else placing.begins_again(change, row)
    _stand(
        change,
        row,
        "restored",
        status=status,
        review_reason=reason,
        retired_at=None,
        valid_from=begins,
        valid_to=row["valid_to"],
    )
    for other in supersede.contradicting(change.connection, [memory_id])[memory_id]:
        if reason is not None and other["status"] == Status.ACTIVE:
            supersede.challenge(change, other["id"], by=memory_id)


def refuse_held(change: Change, row: dict[str, Any], key: str | None) -> None:
    """Refuse a key that another memory of the scope of ``row`` holds.

    :raises KeyHeld: naming it.
    """
    held = supersede.holder(change.connection, row["scope_type"], row["scope_key"], key)
    if held is not None and held["id"] != row["id"]:
        raise lifecycle.KeyHeld(
            f"{held['id']} holds the key {key}: {text.one_line(held['content'])}; archive it, or give it another key",
            held["id"],
        )


def before(connection: sqlite3.Connection, memory_id: str, status: Status) -> dict[str, Any] | None:
    """How a memory was before it last became ``status``; None where its history does not say."""
    events = connection.execute(
        "SELECT p.payload FROM memory_events e JOIN event_payloads p USING (seq) WHERE e.memory_id = ?"
        " ORDER BY e.seq DESC",
        (memory_id,),
    )
    for event in events:
        images = [image for image in json.loads(event["payload"])["images"] if image["id"] == memory_id]
        was, became = (images[0]["before"], images[-1]["after"]) if images else (None, None)
        if was and became and was["status"] != became["status"] == status:
            return dict(was)
    return None


def _was_granted(connection: sqlite3.Connection, row: dict[str, Any]) -> bool:
    """Whether an archived memory is a request that was put away because what it asked for was done, or can't be."""
    last = connection.execute(
        "SELECT action FROM memory_events WHERE memory_id = ? AND action IN ('granted', 'closed', 'archived')"
        " ORDER BY seq DESC LIMIT 1",
        (row["id"],),
    ).fetchone()
    return bool(last and last["action"] != "archived")


def _waited_for(row: dict[str, Any], was: dict[str, Any] | None) -> str | None:
    """Why an archived memory waited when it was put away, as it ``was`` before; a guess always waits."""
    if was is not None and was["status"] in (Status.NEEDS_REVIEW, Status.CANDIDATE):
        return str(was["review_reason"])
    return Reason.INFERRED if row["authority"] == Authority.INFERRED else None


def _stand(
    change: Change, row: dict[str, Any], action: str, details: dict[str, object] | None = None, /, **fields: object
) -> None:
    revisions.keep_endorsed(change, row)
    change.update("memories", row["id"], **fields, updated_at=change.at)
    supersede.refresh_trust(change, row["id"])
    change.record(action, row["id"], **(details or {}))
    change.enqueue("memory_md")
