"""Requests: an agent asks the person for an act on a memory, and the person decides.

A request is a waiting memory that says what is asked; what it is about stays untouched. Accepting it does the act as
the person and puts the request away, in one change set; rejecting it refuses the act. What is asked is read from the
event that filed it, which no import can forge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench import text
from workbench.errors import WorkbenchError
from workbench.ledger import gate, lifecycle, merging, review, sightings, standing, supersede, verdicts, write
from workbench.ledger.change import Change
from workbench.ledger.hidden import hidden_from
from workbench.ledger.model import (
    MAX_CONTENT,
    PERSON,
    REQUEST,
    Authority,
    Candidate,
    Kind,
    Privacy,
    Proposal,
    Reason,
    Status,
    Type,
    row_dict,
)

# What "… [4,000 characters not shown]" takes.
_CUT = 40


@dataclass(frozen=True)
class Act:
    """What the person can do to a memory, and an agent can ask for.

    :param run: takes the change, the memory's id, whether the person was asked once more about what is locked, and the
        act's own arguments; returns the ids of the memories replaced, or None.
    :param done: what was done, for messages.
    :param asks: the request as a sentence, with the memory's text as ``{text}`` and its id as ``{id}``.
    :param alters: it changes what the memory says or ends it, which the person is asked about once more when they
        locked it.
    """

    run: Callable[..., tuple[str, ...] | None]
    done: str
    asks: str
    alters: bool = False


ACTS: dict[str, Act] = {
    "accept": Act(lambda c, m, ok: review.accept(c, m, confirm_locked=ok), "accepted", "Accept: {text}"),
    "reject": Act(lambda c, m, ok, reason=None: review.reject(c, m, reason), "rejected", "Reject: {text}", True),
    "correct": Act(
        lambda c, m, ok, content: review.correct(c, m, content, confirm_locked=ok), "corrected", "{content}", True
    ),
    "lock": Act(lambda c, m, ok: standing.lock(c, m, confirm_locked=ok), "locked", "Lock: {text}"),
    "unlock": Act(lambda c, m, ok: standing.unlock(c, m), "unlocked", "Unlock: {text}"),
    "core": Act(lambda c, m, ok: standing.set_core(c, m), "made core", "Make core: {text}"),
    "uncore": Act(lambda c, m, ok: standing.set_core(c, m, False), "made normal", "Make no longer core: {text}"),
    "archive": Act(lambda c, m, ok: standing.archive(c, m), "archived", "Archive: {text}", True),
    "restore": Act(lambda c, m, ok: standing.restore(c, m), "restored", "Restore: {text}"),
    "split": Act(lambda c, m, ok, key: merging.split(c, m, key), "split off", "Split off as {key}: {text}", True),
    "rekey": Act(
        lambda c, m, ok, key: merging.rekey(c, m, key, replace=ok),
        "given another key",
        "Give the key {key}: {text}",
        True,
    ),
    "erase": Act(lambda c, m, ok: _wish_erased(c, m), "erased", "Erase for good: {text}"),
    "merge": Act(
        lambda c, m, ok, others: merging.merge(c, m, others, confirm_locked=ok), "kept", "Keep {id}: {text}", True
    ),
}


@dataclass(frozen=True)
class Done:
    """What an act of the person did.

    :param memory_id: the memory it was done to.
    :param act: what was done to it.
    :param retired: ids of the memories that were replaced by it.
    :param granted: the request that asked for it.
    """

    memory_id: str
    act: Act
    retired: tuple[str, ...] = ()
    granted: str | None = None


def carry_out(change: Change, act: str, memory_id: str, confirmed: bool = False, **arguments: Any) -> Done:  # noqa: ANN401 - the act's own
    """Do an act of the person. Where the memory is a request, accepting it does what it asks for.

    :param confirmed: the person was asked once more, where an act wants that.
    :param arguments: of the act, as ``ACTS`` names them; a request for a correction can be granted with other words.
    :raises NeedsYes: when something locked would be altered or replaced, and the person was not asked once more. What
        was tried is left to the caller's transaction to take back.
    """
    lifecycle.require_person(change.actor, act)
    row = review.there(change, memory_id)
    asked = _asked(change, row) if act in ("accept", "correct") else None
    if asked is None:
        _require_no_erase(act, memory_id)
        return Done(memory_id, ACTS[act], _do(change, act, memory_id, confirmed, **arguments))
    if act == "correct" and asked["act"] != "correct":
        raise WorkbenchError(f"{memory_id} asks you to {asked['act']} {asked['target']}; accept or reject it")
    target = asked["target"]
    _require_no_erase(asked["act"], target)
    retired = _do(change, asked["act"], target, confirmed, **{**asked["arguments"], **arguments})
    _ask_about_unnamed(change, set(retired).difference(asked.get("replaces", ())), confirmed)
    standing.put_away(change, memory_id, "granted", act=asked["act"], target=target)
    return Done(target, ACTS[asked["act"]], retired, memory_id)


def close_dead(change: Change, *memory_ids: str) -> list[str]:
    """Put away the requests about these memories that can't be granted any more, or ask for what is done; their ids.

    Who asked finds the reason in their history; nothing of it was ruled wrong.
    """
    others = {other for memory_id in memory_ids for other in supersede.contradicting_ids(change.connection, memory_id)}
    closed = []
    for request in sorted(others):
        asked = _asked(change, review.there(change, request))
        if asked is not None and (reason := _in_vain(change, asked)):
            standing.put_away(change, request, "closed", act=asked["act"], target=asked["target"], reason=reason)
            closed.append(request)
    return closed


def _in_vain(change: Change, asked: dict[str, Any]) -> str | None:
    """Why what is asked for can't be granted now; None where it can."""
    try:
        _try(change, asked["act"], asked["target"], asked["arguments"])
    except (lifecycle.NeedsConfirmation, lifecycle.KeyHeld, review.SaidAlready):
        return None  # what stands against it may go
    except WorkbenchError as error:
        return str(error)
    return None


def _do(change: Change, act: str, memory_id: str, confirmed: bool, **arguments: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Do an act; one that alters what the person locked is asked about once more, when it is known that it would.

    :returns: ids of the memories that were replaced.
    """
    row, recorded = review.there(change, memory_id), change.recorded
    asks = ACTS[act].alters and row["authority"] == Authority.LOCKED and not confirmed
    locked = f"you locked {memory_id}: {text.clause(row['content'])}"
    try:
        retired = ACTS[act].run(change, memory_id, confirmed, **arguments) or ()
    except lifecycle.NeedsYes as error:
        raise lifecycle.NeedsYes(f"{locked}; {error.question}") if asks else error from None
    if asks and change.recorded > recorded:
        raise lifecycle.NeedsYes(locked)
    return retired


def _ask_about_unnamed(change: Change, replaced: set[str], confirmed: bool) -> None:
    """Ask once more about what a request did not name, because who asked may not see it, or it is newer."""
    if replaced and not confirmed:
        told = (f"{key} ({text.clause(review.there(change, key)['content'])})" for key in sorted(replaced))
        raise lifecycle.NeedsYes(f"the request does not say that this replaces {', '.join(told)}")


def ask(change: Change, act: str, memory_id: str, policy: write.Policy, **arguments: Any) -> Proposal:  # noqa: ANN401
    """Ask the person for an act on a memory; asked again while it waits, it is the same request.

    :returns: the request; its ``outcome`` is ``seen_again`` when it waits already.
    :raises WorkbenchError: when the act could not be done, has nothing to do, or was refused before.
    """
    if change.actor.kind not in ("agent", "system"):
        raise lifecycle.PersonOnly(f"{change.actor} asks for nothing: the person rules, and an agent asks them to")
    target = review.there(change, memory_id)
    if review.is_request(target):
        raise lifecycle.PersonOnly(f"{memory_id} is a request itself: only the person can answer it")
    replaced = _try(change, act, memory_id, arguments)
    rows = [review.there(change, key) for key in replaced]
    if (asked_before := _asked_before(change, act, target, rows, arguments)) is not None:
        return sightings.answer("seen_again", asked_before, ())
    checked = gate.check(_candidate(act, target, rows, arguments))
    # A scanner's warning says more than that it would change something.
    reason = None if checked.flags or checked.unscanned else Reason.SUPERSEDE_PROPOSAL
    proposal = write.propose(change, checked, policy, must_wait=reason)
    if proposal.memory_id is None:
        raise _refused(memory_id)
    if proposal.outcome == "created":
        supersede.relate(change, proposal.memory_id, memory_id, "contradicts")
        # Named, so that what is quoted can be erased with what it is quoted from.
        quoted = {"replaces": list(replaced)} if replaced else {}
        change.record("requested", proposal.memory_id, act=act, target=memory_id, arguments=arguments, **quoted)
        return proposal
    asked = _asked(change, review.there(change, proposal.memory_id))
    if asked is None or (asked["act"], asked["target"]) != (act, memory_id):
        raise WorkbenchError(f"{proposal.memory_id} says this already; nothing was asked")
    return proposal


def _asked_before(
    change: Change, act: str, target: dict[str, Any], replaced: Sequence[dict[str, Any]], arguments: dict[str, Any]
) -> dict[str, Any] | None:
    """The request for the same that waits, whatever reason it gives; None where none does.

    :raises WorkbenchError: when the person refused one of late: another reason is no other request.
    """
    asks = _sentence(act, target, replaced, {name: said for name, said in arguments.items() if name != "reason"})
    earlier = change.connection.execute(
        "SELECT m.* FROM memory_relations r JOIN memories m ON m.id = r.memory_id WHERE r.related_id = ?"
        " AND r.type = 'contradicts' AND m.batch_id = ? AND (m.content = ? OR instr(m.content, ?) = 1)"
        " AND (m.status = 'needs_review' OR (m.status = 'rejected' AND m.retired_at > ?)) ORDER BY m.seq DESC",
        (target["id"], f"{REQUEST}{act}", asks, f"{asks} (because: ", verdicts.since(change.at)),
    ).fetchall()
    if any(row["status"] == Status.REJECTED for row in earlier):
        raise _refused(target["id"])
    return next((row for row in map(row_dict, earlier) if not hidden_from(change.actor, row)), None)


def _refused(memory_id: str) -> WorkbenchError:
    return WorkbenchError(f"the person refused this before; {memory_id} stays as it is")


def _require_no_erase(act: str, memory_id: str) -> None:
    """An erase shows first how far it goes and asks twice; a request for it goes with the memory."""
    if act == "erase":
        raise lifecycle.NeedsConfirmation(
            f"an erase is final: `workbench memory erase {memory_id}` shows how far it goes, and settles its request"
        )


def _wish_erased(change: Change, memory_id: str) -> None:
    """What a request for an erase comes to before the person does it: nothing, unless there is nothing to erase."""
    lifecycle.require_person(change.actor, "erase")
    if review.there(change, memory_id)["status"] != Status.ERASED:
        change.record("erase_wished", memory_id)


def _asked(change: Change, row: dict[str, Any]) -> dict[str, Any] | None:
    """Act, target and arguments of a request that waits; None for any other memory."""
    if not review.is_request(row):
        return None
    event = change.connection.execute(
        "SELECT json_extract(p.payload, '$.details') FROM memory_events e JOIN event_payloads p USING (seq)"
        " WHERE e.memory_id = ? AND e.action = 'requested'",
        (row["id"],),
    ).fetchone()
    return dict(json.loads(event[0])) if event else None


def _candidate(
    act: str, target: dict[str, Any], replaced: Sequence[dict[str, Any]], arguments: dict[str, Any]
) -> Candidate:
    return Candidate(
        content=_sentence(act, target, replaced, arguments),
        kind=Kind.CORRECTION,
        type=Type(target["type"]),
        explicit=False,
        confidence=None,
        privacy=Privacy(target["privacy"]),
        scope_type=target["scope_type"],
        scope_key=target["scope_key"],
        batch_id=f"{REQUEST}{act}",
    )


def _sentence(act: str, target: dict[str, Any], replaced: Sequence[dict[str, Any]], arguments: dict[str, Any]) -> str:
    """What is asked, with all that the person must read to decide: nothing of it may hide behind a cut."""
    reasons = [reason] if (reason := arguments.get("reason")) else []

    def worded(quoted: Sequence[str]) -> str:
        own, *others = quoted
        sentence = ACTS[act].asks.format(text=own, id=target["id"], **arguments)
        for row, other in zip(replaced, others, strict=False):
            sentence += f" (replaces {row['id']}: {other})"
        return sentence + "".join(f" (because: {reason})" for reason in others[len(replaced) :])

    texts = [target["content"], *(str(row["content"]) for row in replaced), *reasons]
    return worded(_fitted(texts, MAX_CONTENT - len(worded([""] * len(texts)))))


def _fitted(texts: Sequence[str], room: int) -> list[str]:
    """The texts, each on one line, in so many characters: short ones are whole, a longer one says how much is cut."""
    lines = [text.one_line(said, text.MAX_LINE) for said in texts]
    fitted = list(lines)
    for number, place in enumerate(sorted(range(len(lines)), key=lambda place: len(lines[place]))):
        shown = room // (len(lines) - number) - _CUT
        if len(lines[place]) > shown + _CUT:
            shown = max(shown, 0)
            fitted[place] = f"{lines[place][:shown]}… [{len(lines[place]) - shown:,} characters not shown]"
        room -= len(fitted[place])
    return fitted


def _try(change: Change, act: str, memory_id: str, arguments: dict[str, Any]) -> tuple[str, ...]:
    """Try the act as the person and take it back at once: what could not be granted is not asked for.

    What stands against it, or would be replaced, and is hidden from who asks, is found when the person answers.

    :returns: ids of the memories it would replace.
    """
    change.connection.execute("SAVEPOINT trial")
    try:
        trial = Change(change.connection, PERSON)
        replaced = ACTS[act].run(trial, memory_id, True, **arguments) or ()
        possible = trial.recorded > 0
    except (lifecycle.KeyHeld, review.SaidAlready) as error:
        if not hidden_from(change.actor, review.there(change, error.other)):
            raise
        replaced, possible = (), True
    finally:
        change.connection.execute("ROLLBACK TO trial")
        change.connection.execute("RELEASE trial")
    if not possible:
        raise WorkbenchError(f"{memory_id} is so already: there is nothing to ask for")
    return tuple(key for key in replaced if not hidden_from(change.actor, review.there(change, key)))
