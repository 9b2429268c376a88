"""The one way a memory comes to be: a checked candidate is routed, and written with its events.

Nothing here trusts what a candidate says about itself: authority comes from the actor, the fingerprint, trust and
review reason are computed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from workbench import fts, text
from workbench.config import Config
from workbench.errors import WorkbenchError
from workbench.ledger import contradiction, evidence, keys, placing, quota, sightings, supersede, trust, verdicts
from workbench.ledger.change import Change, new_id
from workbench.ledger.gate import Checked
from workbench.ledger.hidden import hidden_from
from workbench.ledger.model import Authority, Candidate, Privacy, Proposal, Reason, Status, row_dict
from workbench.ledger.time import BadPeriod, observed

# Statuses in which the same statement counts as known.
KNOWN = (Status.ACTIVE, Status.NEEDS_REVIEW, Status.CANDIDATE)
# Reasons that say more than that something confirmed would be replaced.
_GRAVER = (Reason.INJECTION_FLAGGED, Reason.SCANNER_UNAVAILABLE, Reason.IMPORTED)


class Conflict(WorkbenchError):
    """Two writes contradict each other in a way only their writer can settle."""


@dataclass(frozen=True)
class Policy:
    """What a home has decided about writing.

    :param auto: confidence, in [0, 1], from which a plain statement becomes active by itself.
    :param review: confidence below which the dreamer's guesses are dropped.
    :param agents_wait: whether what an agent says on its own waits for the person.
    :param max_memories: how many may be in use; None for any number.
    :param max_waiting: how many of one writer's may wait; None for any number, where the person brings them in.
    :param dormant_days: how long unused a memory must be to sink when the ledger is full.
    """

    auto: float = 0.80
    review: float = 0.55
    agents_wait: bool = True
    max_memories: int | None = None
    max_waiting: int | None = 10_000
    dormant_days: int = 90

    @classmethod
    def of(cls, config: Config) -> Policy:
        """The policy that the settings of a home say."""
        ledger = config.ledger
        return cls(
            auto=config.memory_dreaming.auto_floor,
            review=config.memory_dreaming.review_floor,
            agents_wait=ledger.agent_writes == "wait",
            max_memories=ledger.max_memories,
            max_waiting=ledger.max_waiting_per_writer,
            dormant_days=ledger.dormant_days,
        )


def propose(
    change: Change,
    checked: Checked,
    policy: Policy = Policy(),
    *,
    must_wait: Reason | None = None,
    confirm_locked: bool = False,
) -> Proposal:
    """Write one candidate by the rules, inside the caller's change.

    :param must_wait: why it waits whatever it says, for instance because it was imported.
    :param confirm_locked: the person was asked once more whether something locked may be replaced.
    :raises Conflict: when its idempotency key was used for something else.
    :raises QuotaExceeded: when there is no room for it.
    :raises NeedsConfirmation: when the person's statement would replace something locked.
    """
    candidate, connection = checked.candidate, change.connection
    by_person = change.actor.kind == "person"
    if repeated := _repeated(change, checked):
        return repeated
    if change.actor.kind == "dreamer" and candidate.confidence is not None and candidate.confidence < policy.review:
        return Proposal("dropped")
    if not by_person and verdicts.disowned(connection, candidate):
        must_wait = must_wait or Reason.CONTRADICTS
        if change.actor.kind == "agent":
            candidate = replace(candidate, explicit=False)
            checked = replace(checked, candidate=candidate)
    reason = None if by_person else must_wait or _reason(change, checked, policy)
    known, veiled = _known(change, verdicts.prints(checked))
    if known is not None:
        _name_write(change, checked, known["id"])
        return sightings.again(change, known, candidate, reason, confirm_locked)
    if veiled:
        reason = reason or Reason.UNREVIEWED_AUTONOMOUS_WRITE  # two in force must not say the same
    if not by_person:
        if verdicts.erased(connection, checked):
            return Proposal("erased_before")
        ruled, said_at = verdicts.rejected_at(connection, checked), sightings.said_at(change, candidate)
        if ruled is not None:
            if not verdicts.may_return(ruled, said_at):
                return Proposal("rejected_before")
            reason = reason or Reason.CONTRADICTS
        elif change.actor.kind == "agent" and verdicts.rejected_elsewhere(connection, candidate, change.at):
            return Proposal("rejected_before")
        elif verdicts.put_away(connection, checked, said_at):
            reason = reason or Reason.CONTRADICTS
    if not by_person:  # the person's tags are topics, and never retire what they said before
        candidate = replace(candidate, fact_key=keys.reuse(change, candidate))
    quota.make_room(change, policy.max_memories, policy.dormant_days)
    return _create(change, replace(checked, candidate=candidate), reason, policy, confirm_locked)


def _repeated(change: Change, checked: Checked) -> Proposal | None:
    """The answer to a write that was done before, by its writer's own name for it."""
    key = checked.candidate.idempotency_key
    if key is None:
        return None
    row = change.connection.execute(
        "SELECT w.fingerprint AS written, m.* FROM writes w JOIN memories m ON m.id = w.memory_id"
        " WHERE w.writer = ? AND w.idempotency_key = ?",
        (str(change.actor), key),
    ).fetchone()
    if row is None:
        return None
    if row["written"] != checked.fingerprint:
        raise Conflict(
            f"idempotency key {key!r} stands for {row['id']}, which says something else; give this write its own"
        )
    return sightings.answer("repeated", row_dict(row), ())


def _name_write(change: Change, checked: Checked, memory_id: str) -> None:
    """Keep what a writer's own name for this write stands for; what it stood for may be undone."""
    key = checked.candidate.idempotency_key
    if key is not None:
        change.connection.execute(
            "INSERT INTO writes VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint,"
            " memory_id = excluded.memory_id",
            (str(change.actor), key, checked.fingerprint, memory_id),
        )


def _reason(change: Change, checked: Checked, policy: Policy) -> Reason | None:
    """Why this candidate of an agent must wait; None when it may become active at once."""
    candidate = checked.candidate
    if checked.unscanned:
        return Reason.SCANNER_UNAVAILABLE
    if checked.flags:
        return Reason.INJECTION_FLAGGED
    if checked.order:
        return Reason.INSTRUCTION
    if candidate.privacy is not Privacy.NORMAL:
        return Reason.SENSITIVE
    claimed = candidate.confidence
    if change.actor.kind == "agent":
        if not candidate.explicit and policy.agents_wait:
            return Reason.UNREVIEWED_AUTONOMOUS_WRITE
        return Reason.MID_CONFIDENCE if claimed is not None and claimed < policy.auto else None
    if not candidate.explicit:
        return Reason.INFERRED
    return Reason.MID_CONFIDENCE if claimed is None or claimed < policy.auto else None


def _known(
    change: Change, prints: tuple[str, ...], statuses: tuple[Status, ...] = KNOWN
) -> tuple[dict[str, Any] | None, bool]:
    """The memory that says this, and whether there is one that whoever writes must not learn of.

    :param prints: of its wordings; the one that was written before another.
    """
    found = change.connection.execute(
        "SELECT m.* FROM json_each(?) p CROSS JOIN memories m ON m.fingerprint = p.value"
        " WHERE m.status IN (SELECT value FROM json_each(?)) ORDER BY m.status <> 'active', p.key, m.seq",
        (json.dumps(prints), json.dumps(statuses)),
    )
    rows = [row_dict(row) for row in found]
    seen = [row for row in rows if not hidden_from(change.actor, row)]
    return (seen[0] if seen else None), len(seen) < len(rows)


def _create(change: Change, checked: Checked, reason: Reason | None, policy: Policy, confirm_locked: bool) -> Proposal:
    candidate = checked.candidate
    said_at = sightings.said_at(change, candidate)
    held = supersede.holder(change.connection, candidate.scope_type, candidate.scope_key, candidate.fact_key)
    if candidate.retracts is not None:
        # "No longer X" ends X alone; what else holds the key stands, and is not contested.
        ended = supersede.stating(change.connection, candidate.scope_type, candidate.scope_key, candidate.retracts)
        if held is not None and (ended is None or ended["id"] != held["id"]):
            candidate = replace(candidate, fact_key=None)
        held = ended
    if held is not None and hidden_from(change.actor, held):
        # Answered as if nothing held the key; the person sees both when they rule.
        held, reason = None, reason or Reason.UNREVIEWED_AUTONOMOUS_WRITE
    # A fact of the graph that follows no other may have held since ever.
    undated = None if candidate.triple is not None and held is None else said_at
    if held is not None and candidate.valid_from is None and placing.is_over({"valid_to": candidate.valid_to}, said_at):
        raise BadPeriod(f"it ended at {candidate.valid_to}, and {held['id']} holds; say from when it held, too")
    period = {"valid_from": candidate.valid_from or undated, "valid_to": candidate.valid_to}
    if held is not None and placing.about_others(candidate.content, held["content"]):
        reason = _other_subject(change, candidate, held, reason)
    if held is not None:
        period["valid_from"] = placing.begins(period, held, change.at)
    reason, authority = _standing(change, candidate, held, period, reason)
    if reason is None and change.actor.kind == "agent":
        reason, held = _contradicted(change, candidate, held, said_at)
        authority = authority if reason is None else Authority.INFERRED
    if reason is not None and policy.max_waiting is not None:
        quota.refuse_flood(change, policy.max_waiting)
    row = _row(change, checked, candidate) | {
        **period,
        "authority": authority,
        "status": Status.ACTIVE if reason is None else Status.NEEDS_REVIEW,
        "review_reason": reason,
        "trust": trust.prior(
            explicit=candidate.explicit,
            seen_count=1,
            in_conflict=held is not None and reason is not None,
            authority=authority,
        ).value,
    }
    if reason is not None:
        return _insert(change, row, checked, contradicts=held)
    if held is None:
        placing.take_key(change, row)
        return _insert(change, row, checked)
    if _is_history(change, row, held, said_at):
        known, _ = _known(change, verdicts.prints(checked), (Status.SUPERSEDED,))
        if known is not None:
            return sightings.again(change, known, candidate, Reason.CONTRADICTS)
        return _insert(change, row | placing.place_in_history(change, row, held), checked, replaced_by=held)
    placing.ask(held, row, change.at, confirm_locked)
    supersede.retire(change, held, by=row["id"], at=row["valid_from"])
    placing.end_lasting(change, row, row["valid_from"])
    return _insert(change, row | {"supersedes": held["id"]}, checked, replaces=held)


def _contradicted(
    change: Change, candidate: Candidate, held: dict[str, Any] | None, said_at: str
) -> tuple[Reason | None, dict[str, Any] | None]:
    """(why an agent's statement waits, if it does; what it is put beside): what the person confirmed or ruled may speak
    against it."""
    against = contradiction.with_endorsed(change.connection, candidate)
    if against is not None:
        # As with a key: of a memory that is hidden from the agent it learns nothing.
        is_hidden = hidden_from(change.actor, against)
        return (Reason.UNREVIEWED_AUTONOMOUS_WRITE, None) if is_hidden else (Reason.CONTRADICTS, against)
    if contradiction.with_verdict(change.connection, candidate, said_at if candidate.explicit else None):
        # Which one it was is not for an agent to learn.
        return Reason.UNREVIEWED_AUTONOMOUS_WRITE, held
    return None, held


def _other_subject(change: Change, candidate: Candidate, held: dict[str, Any], reason: Reason | None) -> Reason:
    """Two facts with different subjects never retire each other, whatever key they were given.

    :raises Conflict: when the person says both: one key can't state both.
    """
    if change.actor.kind == "person":
        raise Conflict(
            f"{held['id']} has the key {candidate.fact_key} and is about somebody else"
            f" ({text.one_line(held['content'])}); give this one a key of its own"
        )
    return reason or Reason.CONTRADICTS


def _standing(
    change: Change,
    candidate: Candidate,
    held: dict[str, Any] | None,
    period: dict[str, Any],
    reason: Reason | None,
) -> tuple[Reason | None, Authority]:
    """The supersession matrix: why the newcomer waits (None: it does not), and its authority."""
    if change.actor.kind == "person":
        return None, Authority.CONFIRMED
    if held is not None:
        if not supersede.agent_may_replace(held):
            return reason if reason in _GRAVER else Reason.SUPERSEDE_PROPOSAL, Authority.INFERRED
        unsure = (
            _undated(change, candidate)
            or (held["explicit"] and not candidate.key_said)
            or _dated_on(change, candidate, held)
            or placing.falls_into(period, held, change.at)
        )
        if reason in sightings.STRENGTHENED or (reason is None and unsure):
            # A guess, something said nobody knows when or before the holder was, or what is over by now, does not end
            # what is known; nor does an agent's idea of what a statement is about end what the person said.
            reason = Reason.CONTRADICTS
    # An agent that a home believes says what it saw: it holds the key until a newer word comes.
    believed = reason is None and change.actor.kind == "agent"
    return reason, Authority.OBSERVED if candidate.explicit or believed else Authority.INFERRED


def _undated(change: Change, candidate: Candidate) -> bool:
    """Whether nobody knows when a statement was said; an agent on its own says it now."""
    by_agent = change.actor.kind == "agent" and not candidate.explicit
    return not by_agent and not candidate.valid_from and observed(candidate.observed_at) is None


def _dated_on(change: Change, candidate: Candidate, held: dict[str, Any]) -> bool:
    """Whether an agent lets what a message said begin only after the holder was stated, which was later."""
    said, begins = observed(candidate.observed_at), candidate.valid_from
    if change.actor.kind != "agent" or said is None or begins is None:
        return False
    return bool(said < (held["last_seen_at"] or "") <= begins)


def _insert(
    change: Change,
    row: dict[str, Any],
    checked: Checked,
    *,
    replaces: dict[str, Any] | None = None,
    replaced_by: dict[str, Any] | None = None,
    contradicts: dict[str, Any] | None = None,
) -> Proposal:
    memory_id = row["id"]
    change.insert("memories", **row)
    _name_write(change, checked, memory_id)
    evidence.add(change, memory_id, checked.candidate.evidence)
    if replaces is not None:
        supersede.relate(change, memory_id, replaces["id"], "supersedes")
    if replaced_by is not None:
        supersede.relate(change, replaced_by["id"], memory_id, "supersedes")
    if contradicts is not None:
        supersede.relate(change, memory_id, contradicts["id"], "contradicts")
    details = {"flags": checked.flags, "stated": checked.stated}
    change.record(
        "created",
        memory_id,
        status=row["status"],
        reason=row["review_reason"],
        **{name: value for name, value in details.items() if value},
    )
    if contradicts is not None:
        supersede.challenge(change, contradicts["id"], by=memory_id)
    if row["status"] != Status.NEEDS_REVIEW:
        change.enqueue("memory_md")
    retired = (replaces["id"],) if replaces is not None else ()
    return Proposal("created", memory_id, Status(row["status"]), row["review_reason"], retired)


def _row(change: Change, checked: Checked, candidate: Candidate) -> dict[str, Any]:
    """The columns that follow from the candidate alone."""
    seen_at = observed(candidate.observed_at)
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
        "importance": candidate.importance,
        "privacy": candidate.privacy,
        "expires_at": candidate.expires_at,
        "observed_at": seen_at,
        "created_at": change.at,
        "updated_at": change.at,
        "created_by": str(change.actor),
        "source_agent": candidate.source_agent,
        "source_session": candidate.source_session,
        "source_message_ids": json.dumps(list(candidate.source_message_ids)),
        "batch_id": candidate.batch_id,
        "fingerprint": checked.fingerprint,
        "idempotency_key": candidate.idempotency_key,
        "last_seen_at": seen_at or change.at,
        **(asdict(candidate.triple) if candidate.triple is not None else {}),
    }


def _is_history(change: Change, row: dict[str, Any], held: dict[str, Any], said_at: str) -> bool:
    """Whether a newcomer leaves the holder in force; the person's word replaces what an agent says of times to come."""
    if change.actor.kind == "person" and supersede.agent_may_replace(held):
        return bool(row["valid_from"] < min(held["valid_from"] or "", change.at))
    return placing.is_history(row, held, said_at)
