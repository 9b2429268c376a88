"""The person's rulings: accept, reject, correct. Each is one act with one change set."""

from __future__ import annotations

import json
from typing import Any

from workbench import fts, guard, text
from workbench.errors import NotFound, WorkbenchError
from workbench.ledger import lifecycle, supersede
from workbench.ledger.change import Change, fetch, new_id
from workbench.ledger.gate import fingerprint, refuse_secrets, wording
from workbench.ledger.model import Authority, Status

# What a revision keeps beside the content: how the memory stood before it was changed.
SNAPSHOT = (
    *("kind", "type", "scope_type", "scope_key", "fact_key", "tags", "tier", "authority", "status"),
    *("review_reason", "importance", "confidence", "privacy", "valid_from", "valid_to"),
)


MAX_REASON = 500


def accept(change: Change, memory_id: str, *, confirm_locked: bool = False) -> tuple[str, ...]:
    """Make a waiting (or observed) memory the person's own; what held its key is superseded.

    :returns: ids of the memories that it replaced.
    :raises NeedsConfirmation: when the one replaced is locked and ``confirm_locked`` is not said.
    """
    lifecycle.require_person(change.actor, "accept")
    row = _row(change, memory_id)
    _require_open(row, "accepted")
    if row["status"] == Status.ACTIVE and row["authority"] in supersede.ENDORSED and row["review_reason"] is None:
        return ()
    retired = _take_key(change, row, confirm_locked)
    _refuse_double(change, row, row["fingerprint"])
    change.update("memories", memory_id, **_endorsed(row), supersedes=_supersedes(row, retired), updated_at=change.at)
    return _closed(change, "accepted", memory_id, retired)


def correct(change: Change, memory_id: str, content: str, *, confirm_locked: bool = False) -> tuple[str, ...]:
    """Put the person's wording in place of a memory's; the old one stays as a revision.

    :returns: ids of the memories that it replaced.
    :raises SecretRefused: when the new wording holds a credential.
    """
    lifecycle.require_person(change.actor, "correct")
    row = _row(change, memory_id)
    content = wording(content)
    refuse_secrets(guard.inspect(content).secrets)
    _require_open(row, "corrected")
    print_ = fingerprint(content, row["scope_type"], row["scope_key"])
    retired = _take_key(change, row, confirm_locked)
    _refuse_double(change, row, print_)
    change.insert(
        "memory_revisions",
        id=new_id("v"),
        memory_id=memory_id,
        content=row["content"],
        snapshot=json.dumps({name: row[name] for name in SNAPSHOT}, ensure_ascii=False),
        actor=str(change.actor),
        created_at=change.at,
    )
    change.update(
        "memories",
        memory_id,
        **_endorsed(row),
        content=content,
        cjk=fts.cjk_bigrams(content),
        fingerprint=print_,
        supersedes=_supersedes(row, retired),
        updated_at=change.at,
    )
    if print_ != row["fingerprint"]:
        _remember_wrong(change, row, "corrected")
    return _closed(change, "corrected", memory_id, retired)


def reject(change: Change, memory_id: str, reason: str | None = None) -> None:
    """Say that a memory is wrong: it leaves every use, and the same statement is not proposed again."""
    lifecycle.require_person(change.actor, "reject")
    row = _row(change, memory_id)
    if not lifecycle.check(memory_id, row["status"], Status.REJECTED):
        return
    reason = text.storable(reason).strip() if reason else None
    if reason and len(reason) > MAX_REASON:
        raise WorkbenchError(f"a reason holds at most {MAX_REASON} characters, this has {len(reason):,}; shorten it")
    if reason:
        refuse_secrets(guard.inspect(reason).secrets, "the reason")
    change.update(
        "memories",
        memory_id,
        status=Status.REJECTED,
        review_reason=None,
        retired_at=change.at,
        updated_at=change.at,
    )
    _remember_wrong(change, row, reason)
    change.record("rejected", memory_id, reason=reason)
    supersede.settle(change, memory_id)
    change.enqueue("memory_md")


def archive(change: Change, memory_id: str) -> None:
    """Put a memory away: out of every use, but neither wrong nor replaced; it can be restored."""
    row = _row(change, memory_id)
    if not lifecycle.check(memory_id, row["status"], Status.ARCHIVED):
        return
    change.update(
        "memories",
        memory_id,
        status=Status.ARCHIVED,
        review_reason=None,
        retired_at=change.at,
        updated_at=change.at,
    )
    change.record("archived", memory_id)
    supersede.settle(change, memory_id)
    change.enqueue("memory_md")


def _require_open(row: dict[str, Any], verb: str) -> None:
    """A memory that is in force or waits can be ruled on; what is retired comes back by undo alone."""
    if row["status"] not in (Status.ACTIVE, Status.NEEDS_REVIEW, Status.CANDIDATE, Status.STALE):
        raise lifecycle.InvalidTransition(
            f"{row['id']} is {row['status']} and can't be {verb}; `workbench memory undo {row['id']}` takes that back"
        )


def _remember_wrong(change: Change, row: dict[str, Any], reason: str | None) -> None:
    """Keep that this wording was ruled wrong, so that it is not learned again."""
    change.insert(
        "rejections",
        id=new_id("n"),
        memory_id=row["id"],
        fingerprint=row["fingerprint"],
        scope_type=row["scope_type"],
        scope_key=row["scope_key"],
        fact_key=row["fact_key"],
        reason=reason,
        created_at=change.at,
    )


def _row(change: Change, memory_id: str) -> dict[str, Any]:
    row = fetch(change.connection, "memories", memory_id)
    if row is None:
        raise NotFound(f"there is no memory {memory_id}; `workbench memory list` shows them")
    return row


def _endorsed(row: dict[str, Any]) -> dict[str, Any]:
    """The standing of what the person ruled right; a lock stays, a pin is never gained."""
    locked = row["authority"] == Authority.LOCKED
    return {
        "status": Status.ACTIVE,
        "review_reason": None,
        "authority": Authority.LOCKED if locked else Authority.CONFIRMED,
        "retired_at": None,
    }


def _supersedes(row: dict[str, Any], retired: tuple[str, ...]) -> str | None:
    return retired[0] if retired else row["supersedes"]


def _take_key(change: Change, row: dict[str, Any], confirm_locked: bool) -> tuple[str, ...]:
    """Retire whatever else holds the key of ``row``."""
    held = supersede.holder(change.connection, row["scope_type"], row["scope_key"], row["fact_key"])
    if held is None or held["id"] == row["id"]:
        return ()
    lifecycle.ask_about_locked(held, confirm_locked)
    supersede.retire(change, held, by=row["id"], at=row["valid_from"] or change.at)
    supersede.relate(change, row["id"], held["id"], "supersedes")
    return (held["id"],)


def _refuse_double(change: Change, row: dict[str, Any], print_: str) -> None:
    other = change.connection.execute(
        "SELECT id FROM memories WHERE fingerprint = ? AND status = 'active' AND id <> ?", (print_, row["id"])
    ).fetchone()
    if other:
        raise WorkbenchError(f"{other[0]} says this already; reject {row['id']} instead")


def _closed(change: Change, action: str, memory_id: str, retired: tuple[str, ...]) -> tuple[str, ...]:
    supersede.refresh_trust(change, memory_id)
    change.record(action, memory_id)
    supersede.settle(change, memory_id)
    change.enqueue("memory_md")
    return retired
