"""The person's verdicts: accept, reject, correct. Each is one act with one change set.

A verdict is final: what was ruled wrong, replaced or put away is not ruled on again, undo apart. What was replaced but
holds until a time to come is still in force: it can be confirmed and corrected, and keeps its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench import dates, fts, guard, text
from workbench.errors import NotFound, WorkbenchError
from workbench.ledger import lifecycle, placing, revisions, supersede, triples
from workbench.ledger.change import Change, fetch, new_id
from workbench.ledger.gate import fingerprint, refuse_secrets, wording
from workbench.ledger.model import Authority, Status, is_asked_in, most_private

MAX_REASON = 500


class SaidAlready(WorkbenchError):
    """Another memory in force says the same.

    :param other: its id.
    """

    def __init__(self, message: str, other: str) -> None:
        super().__init__(message)
        self.other = other


OPEN = (Status.ACTIVE, Status.NEEDS_REVIEW, Status.CANDIDATE, Status.STALE)


def accept(change: Change, memory_id: str, *, confirm_locked: bool = False) -> tuple[str, ...]:
    """Make a waiting, a guessed or an observed memory the person's own; what held its key is superseded.

    :returns: ids of the memories that it replaced.
    :raises NeedsConfirmation: when the one replaced is locked and ``confirm_locked`` is not said.
    """
    lifecycle.require_person(change.actor, "accept")
    row = ruled_on(change, memory_id, "accepted")
    return endorse(change, row, "accepted", Authority.CONFIRMED, confirm_locked)


def endorse(
    change: Change, row: dict[str, Any], action: str, authority: Authority, confirm_locked: bool
) -> tuple[str, ...]:
    """Give a memory the standing of what the person ruled right; a lock stays, a pin is never gained by itself."""
    fields = _standing(row) | ({"authority": authority} if authority is Authority.LOCKED else {})
    if all(row[name] == value for name, value in fields.items()):
        return ()
    retired, place = take_place(change, row, confirm_locked)
    refuse_double(change, row, row["fingerprint"])
    revisions.keep_endorsed(change, row)
    change.update("memories", row["id"], **(fields | place), updated_at=change.at)
    _closed(change, action, row)
    return retired


def correct(change: Change, memory_id: str, content: str, *, confirm_locked: bool = False) -> tuple[str, ...]:
    """Put the person's wording in place of a memory's; the old one stays as a revision.

    It may be more private than the old one was; it is never less.

    :returns: ids of the memories that it replaced.
    :raises SecretRefused: when the new wording holds a credential.
    """
    lifecycle.require_person(change.actor, "correct")
    content = wording(content)
    verdict = guard.inspect(content)
    refuse_secrets(verdict.secrets)
    row = ruled_on(change, memory_id, "corrected")
    print_ = fingerprint(content, row["scope_type"], row["scope_key"])
    retired, place = take_place(change, row, confirm_locked)
    refuse_double(change, row, print_)
    revisions.keep(change, row)
    change.update(
        "memories",
        memory_id,
        **(_standing(row) | place),
        **triples.corrected(row, content),
        content=content,
        cjk=fts.cjk_bigrams(content),
        fingerprint=print_,
        privacy=most_private(row["privacy"], verdict.privacy),
        updated_at=change.at,
    )
    if print_ != row["fingerprint"]:
        _remember_wrong(change, row, "corrected")
    _closed(change, "corrected", row)
    return retired


def reject(change: Change, memory_id: str, reason: str | None = None) -> None:
    """Say that a memory is wrong: it leaves every use, and the same statement is not proposed again."""
    lifecycle.require_person(change.actor, "reject")
    reason = remark(reason, "the reason")
    row = there(change, memory_id)
    if row["status"] in (Status.SUPERSEDED, Status.ARCHIVED, Status.ERASED):
        raise closed_already(change, row, "rejected")
    if not lifecycle.check(memory_id, row["status"], Status.REJECTED):
        return
    revisions.keep_endorsed(change, row)
    change.update(
        "memories",
        memory_id,
        status=Status.REJECTED,
        review_reason=None,
        retired_at=change.at,
        updated_at=change.at,
    )
    _remember_wrong(change, row, reason)
    change.record("rejected", memory_id, reason=reason, **_answers(row))
    supersede.settle(change, memory_id)
    change.enqueue("memory_md")


def remark(said: str | None, what: str) -> str | None:
    """What a person adds to an act, as it is stored; None when it is empty.

    :raises WorkbenchError: when it is over 500 characters or holds a credential.
    """
    said = text.storable(said).strip() if said else None
    if said and len(said) > MAX_REASON:
        raise WorkbenchError(f"{what} holds at most {MAX_REASON} characters, this has {len(said):,}; shorten it")
    if said:
        refuse_secrets(guard.inspect(said).secrets, what)
    return said or None


def there(change: Change, memory_id: str) -> dict[str, Any]:
    """The row of a memory.

    :raises NotFound: when there is none.
    """
    row = fetch(change.connection, "memories", memory_id)
    if row is None:
        raise NotFound(f"there is no memory {memory_id}; `workbench memory list` shows them")
    return row


def open_row(change: Change, memory_id: str, verb: str) -> dict[str, Any]:
    """The row of a memory that is in use or waits.

    :param verb: what would be done to it ("locked"), for the refusal.
    :raises InvalidTransition: when it was ruled wrong, replaced or put away.
    """
    row = there(change, memory_id)
    if row["status"] not in OPEN:
        raise closed_already(change, row, verb)
    if is_request(row):
        raise WorkbenchError(f"{memory_id} asks you for an act on another memory; accept or reject it")
    return row


def ruled_on(change: Change, memory_id: str, verb: str) -> dict[str, Any]:
    """The row of a memory that can be confirmed or corrected: as ``open_row``, or replaced, but not ended yet."""
    row = there(change, memory_id)
    if row["status"] == Status.SUPERSEDED and row["valid_to"] > change.at:
        return row
    return open_row(change, memory_id, verb)


def is_request(row: Mapping[str, Any]) -> bool:
    """Whether a memory waits that asks for an act on another one."""
    waits = row["status"] in (Status.NEEDS_REVIEW, Status.CANDIDATE)
    return waits and is_asked_in(row["batch_id"])


def refuse_double(change: Change, row: dict[str, Any], print_: str) -> None:
    """Refuse to let two memories in force say the same.

    :raises SaidAlready: naming the other one.
    """
    other = change.connection.execute(
        "SELECT id FROM memories WHERE fingerprint = ? AND status = 'active' AND id <> ?", (print_, row["id"])
    ).fetchone()
    if other:
        raise SaidAlready(f"{other[0]} says this already; reject or merge {row['id']} instead", other[0])


def closed_already(change: Change, row: dict[str, Any], verb: str) -> lifecycle.InvalidTransition:
    """Why a memory that is out of use is not ruled on, and what can be done."""
    memory_id, undo = row["id"], f"`workbench memory undo {row['id']}` takes that back"
    remedies = {
        Status.REJECTED: f"a verdict is final; {undo}",
        Status.ARCHIVED: f"`workbench memory restore {memory_id}` brings it back",
        Status.ERASED: "an erase is final",
        Status.SUPERSEDED: f"`workbench memory split {memory_id} KEY` makes it a fact of its own; {undo}",
    }
    if row["status"] == Status.SUPERSEDED and row["valid_to"] > change.at:
        remedies[Status.SUPERSEDED] = f"it ends at {dates.local(row['valid_to'])}; archive it to end it now"
    return lifecycle.InvalidTransition(
        f"{memory_id} is {row['status']} and can't be {verb}; {remedies[Status(row['status'])]}"
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


def _standing(row: dict[str, Any]) -> dict[str, Any]:
    """The standing of what the person ruled right; what was replaced keeps its end."""
    locked = row["authority"] == Authority.LOCKED
    standing = {"review_reason": None, "authority": Authority.LOCKED if locked else Authority.CONFIRMED}
    return standing if row["status"] == Status.SUPERSEDED else standing | {"status": Status.ACTIVE, "retired_at": None}


def take_place(change: Change, row: dict[str, Any], confirm_locked: bool) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Give a memory its place among those of its fact: (ids of the memories replaced, what that changes in its row).

    What began before the holder and is over replaces nothing that is in force: it is history.

    :raises NeedsConfirmation: as ``placing.ask`` does, when ``confirm_locked`` is not said.
    """
    if row["status"] == Status.SUPERSEDED:
        return (), {}
    held = supersede.holder(change.connection, row["scope_type"], row["scope_key"], row["fact_key"])
    earlier = held is not None and held["id"] != row["id"] and (row["valid_from"] or "") < (held["valid_from"] or "")
    fields: dict[str, Any] = {}
    if held is not None and earlier:
        if row["valid_from"] and placing.is_over(row, change.at):
            supersede.relate(change, held["id"], row["id"], "supersedes")
            return (), placing.place_in_history(change, row, held)
        if row["valid_from"] is None or (supersede.is_endorsed(held) and held["valid_from"] < change.at):
            # What the person confirmed has held until they ruled otherwise: the other one holds from now.
            fields["valid_from"] = change.at
    retired = placing.take_key(change, {**row, **fields}, confirm_locked)
    for gone in retired:
        supersede.relate(change, row["id"], gone, "supersedes")
    return retired, fields | ({"supersedes": retired[0]} if retired else {})


def _answers(row: dict[str, Any]) -> dict[str, str]:
    """For the record of a verdict: what the memory waited for, so that a spot check counts as one."""
    return {"answers": row["review_reason"]} if row["review_reason"] else {}


def _closed(change: Change, action: str, row: dict[str, Any]) -> None:
    supersede.refresh_trust(change, row["id"])
    change.record(action, row["id"], **_answers(row))
    supersede.settle(change, row["id"])
    change.enqueue("memory_md")
