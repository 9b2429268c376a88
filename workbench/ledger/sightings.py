"""Another sighting of a statement that is known: more evidence, more trust; the person's word does more than that."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from workbench import dates, text
from workbench.ledger import evidence, lifecycle, placing, supersede
from workbench.ledger.change import Change
from workbench.ledger.model import Authority, Candidate, Kind, Proposal, Reason, Status, Type, most_private
from workbench.ledger.time import BadPeriod, observed

# What an explicit, confident sighting may settle without the person: only that it was not explicit before.
STRENGTHENED = (Reason.INFERRED, Reason.MID_CONFIDENCE, Reason.UNREVIEWED_AUTONOMOUS_WRITE)
# What a memory says besides its text, which a restatement changes only where it says something else than the default.
_DEFAULTS = {"kind": Kind.FACT, "type": Type.SEMANTIC, "importance": Candidate.importance}
# What is told of a memory that was known and is another now.
TOLD = ("status", "authority", "fact_key", "tags", *_DEFAULTS, "valid_from", "valid_to", "expires_at", "privacy")


def said_at(change: Change, candidate: Candidate) -> str:
    """When a candidate was said: when its source says so, else now."""
    return observed(candidate.observed_at) or change.at


def answer(outcome: Any, row: dict[str, Any], retired: tuple[str, ...]) -> Proposal:  # noqa: ANN401 - one of Proposal's
    """What is said of a memory that was there already."""
    reason = Reason(row["review_reason"]) if row["review_reason"] else None
    return Proposal(outcome, row["id"], Status(row["status"]), reason, retired)


def again(
    change: Change, known: dict[str, Any], candidate: Candidate, reason: Reason | None, confirm_locked: bool = False
) -> Proposal:
    """Another sighting: more evidence, more trust; an explicit one settles a memory that waited only for that."""
    memory_id = known["id"]
    # What an agent says on its own, or a foreign store, is no sighting, however often it says it.
    counts = change.actor.kind in ("person", "dreamer") or (change.actor.kind == "agent" and candidate.explicit)
    if not counts and known["authority"] in supersede.ENDORSED:
        return answer("seen_again", known, ())
    independent = counts and evidence.independent(change.connection, memory_id, candidate.evidence)
    seen_at = said_at(change, candidate)
    fields, retired = _promotion(change, known, candidate, reason, seen_at, confirm_locked)
    # Nor does a message that an agent names, and that does not say it, become a source of what the user did say.
    vouched = counts or change.actor.kind != "agent" or not known["explicit"]
    fresh = evidence.add(change, memory_id, candidate.evidence) if vouched else 0
    if not (fresh or fields or (counts and not candidate.evidence)):
        return answer("seen_again", known, ())
    changed = tuple(name for name in fields if name in TOLD and fields[name] != known[name])
    fields["explicit"] = int(known["explicit"] or candidate.explicit)
    fields["seen_count"] = known["seen_count"] + (1 if independent else 0)
    if counts and (candidate.explicit or not known["explicit"]):
        fields["last_seen_at"] = max(seen_at, known["last_seen_at"] or "")
    change.update("memories", memory_id, **fields, updated_at=change.at)
    for other in retired:
        supersede.relate(change, memory_id, other, "supersedes")
    supersede.refresh_trust(change, memory_id)
    change.record("strengthened" if "status" in fields else "restated" if changed else "seen", memory_id)
    if "status" in fields:
        change.enqueue("memory_md")
    return replace(answer("seen_again", {**known, **fields}, retired), changed=changed)


def _restated(change: Change, known: dict[str, Any], candidate: Candidate) -> dict[str, Any]:
    """What a statement that is known says anew of its key, its kind, its tags, its time and its weight.

    :raises BadPeriod: when that makes it end before it begins.
    """
    fields: dict[str, Any] = {}
    if change.actor.kind == "person":
        stated = {name: getattr(candidate, name) for name in ("fact_key", "valid_from", "valid_to", "expires_at")}
        stated["tags"] = json.dumps(list(candidate.tags), ensure_ascii=False) if candidate.tags else None
        stated |= {name: said for name, default in _DEFAULTS.items() if (said := getattr(candidate, name)) != default}
        fields = {name: value for name, value in stated.items() if value is not None and value != known[name]}
    elif change.actor.kind == "dreamer" and known["fact_key"] is None and known["status"] == Status.NEEDS_REVIEW:
        fields = {"fact_key": candidate.fact_key} if candidate.fact_key else {}
    privacy = most_private(candidate.privacy, known["privacy"])
    if privacy != known["privacy"] and (change.actor.kind == "person" or known["authority"] not in supersede.ENDORSED):
        fields["privacy"] = privacy
    # The same words said to the graph, too; what the person confirmed, the person adds to.
    may_add = change.actor.kind == "person" or known["authority"] not in supersede.ENDORSED
    if candidate.triple is not None and known["predicate"] is None and may_add:
        fields |= asdict(candidate.triple)
    row = {**known, **fields}
    for limit in filter(None, (row["valid_to"], row["expires_at"])):
        if row["valid_from"] is not None and limit <= row["valid_from"]:
            raise BadPeriod(
                f"{known['id']} says this already, from {dates.local(row['valid_from'])}; it can't end before that"
            )
    return fields


def _promotion(
    change: Change,
    known: dict[str, Any],
    candidate: Candidate,
    reason: Reason | None,
    seen_at: str,
    confirm_locked: bool,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a sighting changes in standing: (fields, retired ids); the person's always does."""
    if known["status"] == Status.SUPERSEDED:
        return {}, ()
    fields = _restated(change, known, candidate)
    by_person = change.actor.kind == "person"
    waits_for_this = known["status"] == Status.NEEDS_REVIEW and known["review_reason"] in STRENGTHENED
    if by_person and known["authority"] in supersede.ENDORSED and known["status"] == Status.ACTIVE and not fields:
        return {}, ()
    if not by_person and not (waits_for_this and reason is None and candidate.explicit):
        return fields, ()
    if by_person and fields and known["authority"] == Authority.LOCKED and not confirm_locked:
        raise lifecycle.NeedsYes(f"you locked {known['id']}, and this changes it: {text.clause(known['content'])}")
    row = {**known, **fields}
    held = supersede.holder(change.connection, row["scope_type"], row["scope_key"], row["fact_key"])
    if held is not None and held["id"] != known["id"]:
        if not by_person and not (supersede.agent_may_replace(held) and seen_at >= (held["last_seen_at"] or "")):
            return fields, ()
        if not by_person and held["explicit"] and not (candidate.key_said and candidate.fact_key == row["fact_key"]):
            return fields, ()
        if "valid_from" not in fields and not placing.is_over(row, seen_at):
            fields["valid_from"] = row["valid_from"] = seen_at
    locked = known["authority"] == Authority.LOCKED
    fields |= {
        "status": Status.ACTIVE,
        "review_reason": None,
        "authority": known["authority"] if locked else Authority.CONFIRMED if by_person else Authority.OBSERVED,
        "confidence": candidate.confidence,
    }
    retired = placing.take_key(change, row, confirm_locked)
    return fields | ({"supersedes": retired[0]} if retired else {}), retired
