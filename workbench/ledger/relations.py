"""Relations between memories, and links from a memory to what lies outside: typed, and each written once.

``supersedes`` is never written by hand: what retires a memory (``supersede.retire``) writes it with both links and the
period. An agent that says two memories contradict each other settles nothing: it can take its own statement out of
force, and of another's it can only ask what the person says.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeVar

from workbench import guard, text
from workbench.errors import NotFound, WorkbenchError
from workbench.ledger import lifecycle, review, supersede
from workbench.ledger.change import Change, new_id
from workbench.ledger.gate import MAX_REFERENCE, SecretRefused
from workbench.ledger.model import LinkType, Reason, RelationType, ResourceType, Status

# What can be written by hand.
LINKABLE = tuple(kind for kind in RelationType if kind is not RelationType.SUPERSEDES)
# Said of one it is said of both, so once is enough.
_MUTUAL = (RelationType.CONTRADICTS, RelationType.RELATED_TO)
_OPEN = (Status.ACTIVE, Status.NEEDS_REVIEW, Status.CANDIDATE)
_Word = TypeVar("_Word", bound=StrEnum)


def link(change: Change, memory_id: str, related_id: str, kind: str) -> bool:
    """Relate one memory to another; returns False where that is written already.

    :param kind: one of ``LINKABLE``; ``contradicts`` by anybody but the person sends ``memory_id`` to the inbox: their
        own waits there, another's stays in force, and so does ``related_id``.
    :raises WorkbenchError: when the type is not known or not for hands, or both are the same memory.
    :raises PersonOnly: when an agent would make something the person endorsed contradict another.
    :raises InvalidTransition: when one of two that are said to contradict each other is not in use.
    """
    kind = _relation(kind)
    if memory_id == related_id:
        raise WorkbenchError(f"{memory_id} can't be related to itself; name two memories")
    row, related = _row(change, memory_id), _row(change, related_id)
    if _written(change, memory_id, related_id, kind):
        return False
    contradicts = kind is RelationType.CONTRADICTS
    if contradicts:
        _require_open(row, related)
    if contradicts and change.actor.kind != "person":
        _submit(change, row)
    supersede.relate(change, memory_id, related_id, kind)
    if contradicts:
        supersede.refresh_trust(change, memory_id)
    change.record("linked", memory_id, to=related_id, type=kind)
    if contradicts:
        supersede.challenge(change, related_id, by=memory_id)
    return True


def unlink(change: Change, memory_id: str, related_id: str, kind: str) -> None:
    """Take a relation away; only the person does.

    :raises NotFound: when there is no such relation.
    """
    lifecycle.require_person(change.actor, "unlink")
    kind = _relation(kind)
    found = _written(change, memory_id, related_id, kind)
    if found is None:
        raise NotFound(f"{memory_id} is not linked to {related_id} by {kind}; `workbench memory why` shows its links")
    change.delete("memory_relations", found)
    if kind is RelationType.CONTRADICTS:
        supersede.refresh_trust(change, memory_id)
        supersede.refresh_trust(change, related_id)
    change.record("unlinked", memory_id, to=related_id, type=kind)


def link_resource(change: Change, memory_id: str, resource_type: str, reference: str, kind: str) -> bool:
    """Link a memory to a note entry, conversation, file, page or commit; returns False where that is written already.

    :param kind: ``derived_from`` (it came from there), ``promoted_to`` (it was made into that), ``references``.
    :raises WorkbenchError: when a type is not known, or the reference is empty, too long or not plain text.
    :raises SecretRefused: when the reference holds a credential.
    """
    resource_type, kind = _word(ResourceType, resource_type), _word(LinkType, kind)
    reference = _reference(resource_type, reference)
    _row(change, memory_id)
    if _resource(change, memory_id, resource_type, reference, kind):
        return False
    change.insert(
        "resource_links",
        id=new_id("l"),
        memory_id=memory_id,
        resource_type=resource_type,
        resource_ref=reference,
        type=kind,
        created_at=change.at,
    )
    change.record("linked", memory_id, to=reference, type=kind)
    return True


def unlink_resource(change: Change, memory_id: str, resource_type: str, reference: str, kind: str) -> None:
    """Take a link to a resource away; only the person does.

    :raises NotFound: when there is no such link.
    """
    lifecycle.require_person(change.actor, "unlink")
    resource_type, kind = _word(ResourceType, resource_type), _word(LinkType, kind)
    found = _resource(change, memory_id, resource_type, reference.strip(), kind)
    if found is None:
        shown = text.one_line(reference, 80)
        raise NotFound(f"{memory_id} is not linked to {shown} by {kind}; `workbench memory why` shows its links")
    change.delete("resource_links", found)
    change.record("unlinked", memory_id, to=reference.strip(), type=kind)
    change.enqueue("memory_md")


def _submit(change: Change, row: dict[str, Any]) -> None:
    """Send the side an agent asserts to the inbox."""
    if not supersede.agent_may_replace(row):
        raise lifecycle.PersonOnly(
            f"{row['id']} is {row['authority']} by the person, and no agent puts it in doubt; link what speaks against"
            " it the other way round, or remember it"
        )
    if row["status"] != Status.ACTIVE:
        return  # it waits already, for a reason of its own
    if row["created_by"] == str(change.actor):
        change.update(
            "memories", row["id"], status=Status.NEEDS_REVIEW, review_reason=Reason.CONTRADICTS, updated_at=change.at
        )
        change.enqueue("memory_md")
    elif row["review_reason"] is None:
        # A badge is no new wording: what orders by updated_at stays as it is.
        change.update("memories", row["id"], review_reason=Reason.CONTRADICTS)


def _require_open(*rows: dict[str, Any]) -> None:
    for row in rows:
        if row["status"] not in _OPEN:
            raise lifecycle.InvalidTransition(
                f"{row['id']} is {row['status']}: only what is in use or waits can contradict, or be contradicted"
            )


def _row(change: Change, memory_id: str) -> dict[str, Any]:
    row = review.there(change, memory_id)
    if row["status"] == Status.ERASED:
        raise NotFound(f"{memory_id} was erased; nothing can be linked to it")
    return row


def _written(change: Change, memory_id: str, related_id: str, kind: RelationType) -> str | None:
    """The id of this relation, or of its mirror image where both mean the same."""
    row = change.connection.execute(
        "SELECT id FROM memory_relations WHERE type = :kind AND ((memory_id = :one AND related_id = :other)"
        " OR (:mutual AND memory_id = :other AND related_id = :one))",
        {"kind": kind, "one": memory_id, "other": related_id, "mutual": kind in _MUTUAL},
    ).fetchone()
    return str(row[0]) if row else None


def _resource(change: Change, memory_id: str, resource_type: str, reference: str, kind: str) -> str | None:
    row = change.connection.execute(
        "SELECT id FROM resource_links WHERE memory_id = ? AND resource_type = ? AND resource_ref = ? AND type = ?",
        (memory_id, resource_type, reference, kind),
    ).fetchone()
    return str(row[0]) if row else None


def _relation(kind: str) -> RelationType:
    found = _word(RelationType, kind)
    if found not in LINKABLE:
        raise WorkbenchError(
            f"{found} is not linked by hand: `workbench forget ID --reason superseded --by SUCCESSOR` retires a memory"
        )
    return found


def _word(words: type[_Word], given: str) -> _Word:
    if given not in list(words):
        raise WorkbenchError(f"{text.quoted(given, 40)} is not one of {', '.join(words)}")
    return words(given)


def _reference(resource_type: ResourceType, reference: str) -> str:
    """A reference fit to be stored and shown."""
    reference = text.storable(reference).strip()
    if not reference:
        raise WorkbenchError("a link must say what it leads to")
    if len(reference) > MAX_REFERENCE:
        raise WorkbenchError(
            f"a reference has at most {MAX_REFERENCE:,} characters, this has {len(reference):,}; shorten it"
        )
    if text.visible(reference) != reference or "\n" in reference or "\t" in reference:
        raise WorkbenchError("a reference holds no control or invisible characters; write it out as plain text")
    if resource_type is ResourceType.URL and not reference.lower().startswith(("https://", "http://")):
        raise WorkbenchError(f"{text.quoted(reference, 80)} is no page; its address begins with https://")
    if guard.mask(reference) != reference:
        raise SecretRefused("the reference holds a credential; it was not stored, take it out")
    return reference
