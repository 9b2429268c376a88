"""The one way a memory comes to be: a candidate is checked, routed, and written with its events.

Nothing here trusts what a candidate says about itself: authority comes from the actor, the fingerprint, trust and
review reason are computed.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from typing import Any

from workbench import fts, guard, text
from workbench.errors import WorkbenchError
from workbench.ledger import supersede, trust
from workbench.ledger.change import Change, new_id
from workbench.ledger.model import (
    MAX_CONTENT,
    Authority,
    Candidate,
    Evidence,
    Kind,
    Privacy,
    Proposal,
    Reason,
    Status,
    row_dict,
)
from workbench.ledger.time import instant, observed

# Statuses in which the same statement counts as known.
KNOWN = (Status.ACTIVE, Status.NEEDS_REVIEW, Status.CANDIDATE)
# What an explicit, confident sighting may settle without the person: only that it was not explicit before.
STRENGTHENED = (Reason.INFERRED, Reason.MID_CONFIDENCE)
# Kinds that tell agents what to do: they count only when the person means them to.
ORDERS = (Kind.CONSTRAINT, Kind.PROCEDURE)
_PRIVACY_ORDER = list(Privacy)


class SecretRefused(WorkbenchError):
    """The text holds a credential; credentials are never stored."""


@dataclass(frozen=True)
class Floors:
    """Confidence thresholds of routing, each in [0, 1]."""

    auto: float = 0.80
    review: float = 0.55


def fingerprint(content: str, scope_type: str, scope_key: str) -> str:
    """SHA-256 of the statement's normal form and its scope: equal for two spellings of one statement."""
    return text.sha256(f"{scope_type}\x1f{scope_key}\x1f{text.normal_form(content)}")


def propose(change: Change, candidate: Candidate, floors: Floors = Floors()) -> Proposal:
    """Write one candidate by the rules, inside the caller's change.

    :raises SecretRefused: when it holds a credential.
    :raises WorkbenchError: when it is empty or over 4,000 characters.
    """
    candidate, verdict = _checked(candidate)
    if change.actor.kind != "person" and candidate.confidence is not None and candidate.confidence < floors.review:
        return Proposal("dropped")
    print_ = fingerprint(candidate.content, candidate.scope_type, candidate.scope_key)
    known = _known(change.connection, print_)
    reason = None if change.actor.kind == "person" else _reason(candidate, verdict, floors)
    if known is not None:
        return _seen_again(change, known, candidate, reason)
    if change.actor.kind != "person" and _rejected_before(change.connection, print_):
        return Proposal("rejected_before")
    return _create(change, candidate, print_, reason)


def _checked(candidate: Candidate) -> tuple[Candidate, guard.Verdict]:
    content = text.storable(candidate.content).replace("\r\n", "\n").strip()
    if not content:
        raise WorkbenchError("a memory can't be empty; say what should be remembered")
    if len(content) > MAX_CONTENT:
        raise WorkbenchError(
            f"a memory holds at most {MAX_CONTENT:,} characters, this has {len(content):,}; shorten it"
        )
    key = text.fact_key(candidate.fact_key) if candidate.fact_key else None
    verdict = guard.inspect("\n".join([content, key or "", *candidate.tags]))
    if verdict.secrets:
        raise SecretRefused(f"this holds a credential ({', '.join(verdict.secrets)}); it was not stored, take it out")
    privacy = max(candidate.privacy, Privacy(verdict.privacy), key=_PRIVACY_ORDER.index)
    return replace(candidate, content=content, fact_key=key or None, privacy=privacy), verdict


def _reason(candidate: Candidate, verdict: guard.Verdict, floors: Floors) -> Reason | None:
    """Why this candidate of an agent must wait; None when it may become active at once."""
    if verdict.failed:
        return Reason.SCANNER_UNAVAILABLE
    if verdict.flags:
        return Reason.INJECTION_FLAGGED
    if verdict.instruction or candidate.kind in ORDERS:
        return Reason.INSTRUCTION
    if candidate.privacy is not Privacy.NORMAL:
        return Reason.SENSITIVE
    if not candidate.explicit:
        return Reason.INFERRED
    if candidate.confidence is None or candidate.confidence < floors.auto:
        return Reason.MID_CONFIDENCE
    return None


def _rejected_before(connection: sqlite3.Connection, print_: str) -> bool:
    return bool(connection.execute("SELECT 1 FROM rejections WHERE fingerprint = ? LIMIT 1", (print_,)).fetchone())


def _known(connection: sqlite3.Connection, print_: str, statuses: tuple[Status, ...] = KNOWN) -> dict[str, Any] | None:
    marks = ", ".join("?" * len(statuses))
    row = connection.execute(
        f"SELECT * FROM memories WHERE fingerprint = ? AND status IN ({marks}) ORDER BY seq LIMIT 1",
        (print_, *statuses),
    ).fetchone()
    return row_dict(row) if row else None


def _seen_again(change: Change, known: dict[str, Any], candidate: Candidate, reason: Reason | None) -> Proposal:
    """Another sighting: more evidence, more trust; an explicit one settles a memory that waited only for that."""
    memory_id = known["id"]
    independent = _independent(change.connection, memory_id, candidate.evidence)
    fresh = _add_evidence(change, memory_id, candidate.evidence)
    seen_at = _observed(candidate) or change.at
    fields, retired = _promotion(change, known, candidate, reason, seen_at)
    if not (fresh or fields or not candidate.evidence):
        return _seen(known, ())
    fields["explicit"] = int(known["explicit"] or candidate.explicit)
    fields["seen_count"] = known["seen_count"] + (1 if independent else 0)
    if candidate.explicit or not known["explicit"]:
        fields["last_seen_at"] = max(seen_at, known["last_seen_at"] or "")
    change.update("memories", memory_id, **fields, updated_at=change.at)
    supersede.refresh_trust(change, memory_id)
    change.record("strengthened" if "status" in fields else "seen", memory_id)
    if "status" in fields:
        change.enqueue("memory_md")
    return _seen({**known, **fields}, retired)


def _independent(connection: sqlite3.Connection, memory_id: str, evidence: tuple[Evidence, ...]) -> bool:
    """Whether this is a sighting of its own: not in a session seen already, nor a copy of words seen already."""
    if not evidence:
        return True
    known = connection.execute(
        "SELECT source_ref, excerpt_hash, observed_at FROM memory_evidence WHERE memory_id = ?", (memory_id,)
    ).fetchall()
    sources = {_source(row["source_ref"]) for row in known}
    words = {(row["excerpt_hash"], row["observed_at"]) for row in known}
    return not any(
        _source(item.source_ref) in sources
        or (text.sha256(guard.mask(text.storable(item.excerpt))), observed(item.observed_at)) in words
        for item in evidence
    )


def _source(reference: str) -> str:
    """The session (or file) of a reference, without the place in it."""
    return reference.rpartition("#")[0] or reference


def _seen(row: dict[str, Any], retired: tuple[str, ...]) -> Proposal:
    reason = Reason(row["review_reason"]) if row["review_reason"] else None
    return Proposal("seen_again", row["id"], Status(row["status"]), reason, retired)


def _promotion(
    change: Change, known: dict[str, Any], candidate: Candidate, reason: Reason | None, seen_at: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a sighting changes in standing: (fields, retired ids); the person's always does."""
    if known["status"] == Status.SUPERSEDED:
        return {}, ()
    by_person = change.actor.kind == "person"
    waits_for_this = known["status"] == Status.NEEDS_REVIEW and known["review_reason"] in STRENGTHENED
    if by_person and known["authority"] in supersede.ENDORSED and known["status"] == Status.ACTIVE:
        return {}, ()
    if not by_person and not (waits_for_this and reason is None):
        return {}, ()
    fields: dict[str, Any] = {
        "status": Status.ACTIVE,
        "review_reason": None,
        "authority": Authority.CONFIRMED if by_person else Authority.OBSERVED,
        "confidence": candidate.confidence,
    }
    held = supersede.holder(change.connection, known["scope_type"], known["scope_key"], known["fact_key"])
    if held is None or held["id"] == known["id"]:
        return fields, ()
    if not by_person and (not supersede.agent_may_replace(held) or supersede.is_older(seen_at, held)):
        return {}, ()
    supersede.retire(change, held, by=known["id"], at=seen_at)
    return fields | {"valid_from": seen_at, "supersedes": held["id"]}, (held["id"],)


def _create(change: Change, candidate: Candidate, print_: str, reason: Reason | None) -> Proposal:
    valid_from = _instant(candidate.valid_from) or _observed(candidate) or change.at
    held = supersede.holder(change.connection, candidate.scope_type, candidate.scope_key, candidate.fact_key)
    if candidate.retracts is not None:
        # "No longer X" ends X alone; what else holds the key stands, and is not contested.
        ended = supersede.stating(change.connection, candidate.scope_type, candidate.scope_key, candidate.retracts)
        if held is not None and (ended is None or ended["id"] != held["id"]):
            candidate = replace(candidate, fact_key=None)
        held = ended
    reason, authority = _standing(change, candidate, held, reason)
    status = Status.ACTIVE if reason is None else Status.NEEDS_REVIEW
    row = _row(change, candidate, print_, valid_from) | {
        "authority": authority,
        "status": status,
        "review_reason": reason,
        "trust": trust.prior(
            explicit=candidate.explicit,
            seen_count=1,
            in_conflict=held is not None and reason is not None,
            authority=authority,
        ).value,
    }
    if held is None:
        return _insert(change, row, candidate)
    if reason is not None:
        return _insert(change, row, candidate, contradicts=held)
    if supersede.is_older(valid_from, held):
        known = _known(change.connection, print_, (Status.SUPERSEDED,))
        if known is not None:
            return _seen_again(change, known, candidate, Reason.CONTRADICTS)
        return _insert(change, row | supersede.place_in_history(change, row, held), candidate, replaced_by=held)
    supersede.retire(change, held, by=row["id"], at=valid_from)
    return _insert(change, row | {"supersedes": held["id"]}, candidate, replaces=held)


def _standing(
    change: Change, candidate: Candidate, held: dict[str, Any] | None, reason: Reason | None
) -> tuple[Reason | None, Authority]:
    """The supersession matrix: why the newcomer waits (None: it does not), and its authority."""
    if change.actor.kind == "person":
        return None, Authority.CONFIRMED
    if held is not None:
        if not supersede.agent_may_replace(held):
            kept = reason in (Reason.INJECTION_FLAGGED, Reason.SCANNER_UNAVAILABLE)
            return reason if kept else Reason.SUPERSEDE_PROPOSAL, Authority.INFERRED
        if reason in STRENGTHENED or (reason is None and not candidate.valid_from and _observed(candidate) is None):
            # A guess, or something said nobody knows when, does not end what is known.
            reason = Reason.CONTRADICTS
    return reason, Authority.OBSERVED if candidate.explicit else Authority.INFERRED


def _insert(
    change: Change,
    row: dict[str, Any],
    candidate: Candidate,
    *,
    replaces: dict[str, Any] | None = None,
    replaced_by: dict[str, Any] | None = None,
    contradicts: dict[str, Any] | None = None,
) -> Proposal:
    memory_id = row["id"]
    change.insert("memories", **row)
    _add_evidence(change, memory_id, candidate.evidence)
    if replaces is not None:
        supersede.relate(change, memory_id, replaces["id"], "supersedes")
    if replaced_by is not None:
        supersede.relate(change, replaced_by["id"], memory_id, "supersedes")
    if contradicts is not None:
        supersede.relate(change, memory_id, contradicts["id"], "contradicts")
    change.record("created", memory_id, status=row["status"], reason=row["review_reason"])
    if contradicts is not None:
        supersede.challenge(change, contradicts["id"], by=memory_id)
    if row["status"] == Status.ACTIVE:
        change.enqueue("memory_md")
    retired = (replaces["id"],) if replaces is not None else ()
    return Proposal("created", memory_id, Status(row["status"]), row["review_reason"], retired)


def _row(change: Change, candidate: Candidate, print_: str, valid_from: str) -> dict[str, Any]:
    """The columns that follow from the candidate alone."""
    observed = _observed(candidate)
    return {
        "id": new_id("m"),
        "content": candidate.content,
        "cjk": fts.cjk_bigrams(candidate.content),
        "kind": candidate.kind,
        "type": candidate.type,
        "tags": json.dumps(list(candidate.tags), ensure_ascii=False),
        "scope_type": candidate.scope_type,
        "scope_key": candidate.scope_key,
        "fact_key": candidate.fact_key,
        "confidence": candidate.confidence,
        "confidence_source": candidate.confidence_source,
        "explicit": int(candidate.explicit),
        "privacy": candidate.privacy,
        "valid_from": valid_from,
        "observed_at": observed,
        "created_at": change.at,
        "updated_at": change.at,
        "created_by": str(change.actor),
        "source_agent": candidate.source_agent,
        "source_session": candidate.source_session,
        "source_message_ids": json.dumps(list(candidate.source_message_ids)),
        "fingerprint": print_,
        "last_seen_at": observed or change.at,
    }


def _observed(candidate: Candidate) -> str | None:
    return observed(candidate.observed_at)


def _instant(stated: str | None) -> str | None:
    return instant(stated) if stated else None


def _add_evidence(change: Change, memory_id: str, evidence: tuple[Evidence, ...]) -> int:
    """Add what is not there yet; returns how many rows were new."""
    added = 0
    for item in evidence:
        there = change.connection.execute(
            "SELECT 1 FROM memory_evidence WHERE memory_id = ? AND source_type = ? AND source_ref = ?",
            (memory_id, item.source_type, item.source_ref),
        ).fetchone()
        if there:
            continue
        excerpt = guard.mask(text.storable(item.excerpt))
        change.insert(
            "memory_evidence",
            id=new_id("e"),
            memory_id=memory_id,
            source_type=item.source_type,
            source_ref=item.source_ref,
            excerpt=excerpt,
            excerpt_hash=text.sha256(excerpt),
            observed_at=observed(item.observed_at),
        )
        added += 1
    return added
