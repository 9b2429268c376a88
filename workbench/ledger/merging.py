"""Fact keys and duplicates, as the person sorts them: merge, give another key, split off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench import guard, text
from workbench.errors import WorkbenchError
from workbench.ledger import evidence, gate, lifecycle, placing, review, revisions, standing, supersede
from workbench.ledger.change import Change
from workbench.ledger.model import Authority, Evidence, Privacy, SourceType, Status


def merge(change: Change, keep: str, others: Sequence[str], *, confirm_locked: bool = False) -> tuple[str, ...]:
    """Keep one of several memories that say the same; the others are superseded by it, and it gets their evidence.

    It stands as the best of them stood: no lock, pin, key or mark of privacy is lost with a double.

    :returns: ids of the others.
    :raises NeedsConfirmation: when one of them is locked and ``confirm_locked`` is not said.
    :raises WorkbenchError: when they are of different scopes, or the wrong one would be kept.
    """
    lifecycle.require_person(change.actor, "merge")
    kept = review.open_row(change, keep, "merged")
    rows = [review.open_row(change, other, "merged") for other in dict.fromkeys(others)]
    if not rows:
        raise WorkbenchError("name the memories that say the same as the one to keep")
    for row in rows:
        _refuse_merge(kept, row)
        lifecycle.ask_about_locked(row, confirm_locked)
    for row in rows:
        supersede.retire(change, row, by=keep, at=_ends(change, kept, row))
        supersede.relate(change, keep, row["id"], "supersedes")
        evidence.add(change, keep, _evidence(change, row["id"]))
    revisions.keep_endorsed(change, kept)
    change.update(
        "memories",
        keep,
        seen_count=kept["seen_count"] + sum(row["seen_count"] for row in rows),
        explicit=max(row["explicit"] for row in (kept, *rows)),
        last_seen_at=max(row["last_seen_at"] or "" for row in (kept, *rows)) or None,
        supersedes=kept["supersedes"] or rows[0]["id"],
        **_best(change, kept, rows),
        updated_at=change.at,
    )
    supersede.refresh_trust(change, keep)
    change.record("merged", keep, merged=[row["id"] for row in rows])
    for row in rows:
        supersede.settle(change, row["id"])
    change.enqueue("memory_md")
    return tuple(row["id"] for row in rows)


def rekey(change: Change, memory_id: str, key: str, *, replace: bool = False) -> tuple[str, ...]:
    """Give a memory another fact key; how it stands does not change, unless it replaces another.

    :param replace: the person said that what holds the key may be superseded, locked or not.
    :returns: ids of the memories that it replaced.
    :raises NeedsConfirmation: when another one holds the key and ``replace`` is not said.
    """
    lifecycle.require_person(change.actor, "give another key to")
    row, key = review.open_row(change, memory_id, "given another key"), _key(key)
    if key == row["fact_key"]:
        return ()
    revisions.keep_endorsed(change, row)
    retired: tuple[str, ...] = ()
    fields: dict[str, Any] = {"fact_key": key}
    # What waits, or is a guess, holds no key; it contests it when it is accepted.
    if row["status"] == Status.ACTIVE and row["authority"] != Authority.INFERRED:
        if not placing.is_over(row, change.at):
            _ask_about_holder(change, row, key, replace)
        retired, place = review.take_place(change, {**row, **fields}, confirm_locked=True)
        fields |= place
    if retired:
        fields["authority"] = max(row["authority"], Authority.CONFIRMED, key=list(Authority).index)
    change.update("memories", memory_id, **fields, updated_at=change.at)
    supersede.refresh_trust(change, memory_id)
    change.record("rekeyed", memory_id, key=key, was=row["fact_key"])
    change.enqueue("memory_md")
    return retired


def split(change: Change, memory_id: str, key: str) -> None:
    """Say that a memory was not replaced, but is another fact: it is in force again, as the person's, under a new key.

    It ends when it was to end before it was replaced.

    :raises InvalidTransition: when it is not superseded.
    :raises KeyHeld: when another memory is in force for the new key.
    """
    lifecycle.require_person(change.actor, "split off")
    row, key = review.there(change, memory_id), _key(key)
    if row["status"] != Status.SUPERSEDED:
        raise lifecycle.InvalidTransition(f"{memory_id} is {row['status']}, not superseded; rekey gives it another key")
    if key == row["fact_key"]:
        raise WorkbenchError(f"{memory_id} has the key {key} already, as what replaced it has; give it a new one")
    lifecycle.check(memory_id, row["status"], Status.ACTIVE)
    standing.refuse_held(change, row, key)
    review.refuse_double(change, row, row["fingerprint"])
    revisions.keep_endorsed(change, row)
    _unlink(change, memory_id)
    was = standing.before(change.connection, memory_id, Status.SUPERSEDED)
    change.update(
        "memories",
        memory_id,
        status=Status.ACTIVE,
        authority=max(row["authority"], Authority.CONFIRMED, key=list(Authority).index),
        fact_key=key,
        valid_from=placing.begins_again(change, {**row, "fact_key": key}),
        superseded_by=None,
        valid_to=was["valid_to"] if was else None,
        retired_at=None,
        updated_at=change.at,
    )
    supersede.refresh_trust(change, memory_id)
    change.record("split", memory_id, key=key, was=row["fact_key"])
    supersede.settle(change, memory_id)
    change.enqueue("memory_md")


def _refuse_merge(kept: dict[str, Any], row: dict[str, Any]) -> None:
    one, other = kept["id"], row["id"]
    if one == other:
        raise WorkbenchError(f"{one} can't be merged into itself; name another")
    if (kept["scope_type"], kept["scope_key"]) != (row["scope_type"], row["scope_key"]):
        raise WorkbenchError(f"{other} holds in another scope than {one}; only memories of one scope are merged")
    if row["authority"] in supersede.ENDORSED and kept["authority"] not in supersede.ENDORSED:
        raise WorkbenchError(f"{other} is {row['authority']} and {one} is not: keep {other}, or confirm {one} first")
    if row["status"] == Status.ACTIVE and kept["status"] != Status.ACTIVE:
        raise WorkbenchError(f"{other} is in force and {one} is {kept['status']}: keep {other}, or accept {one} first")


def _best(change: Change, kept: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The standing of the one kept, from all of them: called when the others are retired."""
    every = (kept, *rows)
    best = {
        "authority": max((row["authority"] for row in every), key=list(Authority).index),
        "tier": "core" if any(row["tier"] == "core" for row in every) else kept["tier"],
        "privacy": max((row["privacy"] for row in every), key=list(Privacy).index),
        "importance": max(row["importance"] for row in every),
    }
    keys = {row["fact_key"] for row in rows if row["fact_key"]}
    key = kept["fact_key"] or (keys.pop() if len(keys) == 1 else None)
    held = supersede.holder(change.connection, kept["scope_type"], kept["scope_key"], key)
    if held is not None and held["id"] != kept["id"]:
        # The fact is another's: a guess that is merged stays one, and a memory without a key stays without.
        return best | ({"authority": kept["authority"]} if kept["fact_key"] else {})
    if kept["status"] == Status.ACTIVE and best["authority"] != Authority.INFERRED:
        placing.take_key(change, {**kept, "fact_key": key}, confirm_locked=True)
    return best | {"fact_key": key}


def _ends(change: Change, kept: dict[str, Any], row: dict[str, Any]) -> str:
    """Where a duplicate ends: where the one kept begins. What was never in force has held for no moment."""
    if row["status"] == Status.ACTIVE and kept["valid_from"]:
        return str(kept["valid_from"])
    return str(row["valid_from"] or change.at)


def _evidence(change: Change, memory_id: str) -> tuple[Evidence, ...]:
    rows = change.connection.execute(
        "SELECT source_type, source_ref, excerpt, observed_at FROM memory_evidence WHERE memory_id = ? ORDER BY id",
        (memory_id,),
    )
    return tuple(Evidence(SourceType(row[0]), row[1], row[2], row[3]) for row in rows)


def _ask_about_holder(change: Change, row: dict[str, Any], key: str, replace: bool) -> None:
    held = supersede.holder(change.connection, row["scope_type"], row["scope_key"], key)
    if held is not None and not replace:
        raise lifecycle.NeedsYes(
            f"this replaces {held['id']}, which holds the key {key}: {text.one_line(held['content'])}"
        )


def _unlink(change: Change, memory_id: str) -> None:
    """Take away that anything replaced this memory."""
    relations = change.connection.execute(
        "SELECT id, memory_id FROM memory_relations WHERE related_id = ? AND type = 'supersedes'", (memory_id,)
    ).fetchall()
    for relation in relations:
        change.delete("memory_relations", relation["id"])
    successors = change.connection.execute("SELECT id FROM memories WHERE supersedes = ?", (memory_id,)).fetchall()
    for successor in successors:
        change.update("memories", successor["id"], supersedes=None, updated_at=change.at)


def _key(key: str) -> str:
    """A fact key in its normal form.

    :raises WorkbenchError: when it is none, or holds a credential.
    """
    normal = gate.fact_key(key)
    # As it was given: the normal form of a credential is none, and still gives it away.
    gate.refuse_secrets(guard.inspect(key).secrets, "the key")
    return normal
