"""Remembering a statement: an agent proposes, the person states."""

from __future__ import annotations

import re
from dataclasses import replace

from pydantic import BaseModel

from workbench import config, dates, db, text
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.ledger import gate, read, write
from workbench.ledger import time as times
from workbench.ledger.change import Change
from workbench.ledger.hidden import hidden_from
from workbench.ledger.model import Actor, Candidate, Evidence, Proposal, Reason, SourceType
from workbench.operations import convert, effects
from workbench.operations.models import MemoryOut
from workbench.operations.review import REASONS
from workbench.sessions import harness, spoken

_NAMED = re.compile(r"(?P<key>.+?)(?:#| +#?)(?P<number>[0-9]{1,19})", re.DOTALL)


class Remembered(BaseModel):
    """What became of a statement.

    :param outcome: created, seen_again, repeated (the same write was done before), rejected_before, erased_before.
    :param memory: as it stands now; None where nothing is kept, or it is not for this agent any more.
    :param superseded: ids of the memories it replaced.
    :param backlog: effects outside the ledger still to be carried out.
    """

    outcome: str
    memory: MemoryOut | None
    superseded: list[str]
    change_id: str | None
    backlog: int
    message: str


def remember(
    home: Home,
    actor: Actor,
    candidate: Candidate,
    *,
    heard_in: tuple[str, ...] = (),
    confirm_locked: bool = False,
) -> Remembered:
    """Put one statement through the ledger's rules.

    What the person says is confirmed; what an agent says on its own waits, unless a message of the person, named as
    its evidence, says the same.

    :param heard_in: messages that are its evidence, each ``"<session key>#<message id>"``.
    :raises SecretRefused: when a credential stands in any field.
    :raises WorkbenchError: when it is empty, too long, or its times contradict each other.
    """
    policy = write.Policy.of(config.load(home))
    checked = checked_as(home, actor, candidate, heard_in)
    with effects.writing(home) as (connection, after):
        change = Change(connection, actor)
        proposal = write.propose(change, checked, policy, confirm_locked=confirm_locked)
        row = read.memory(connection, proposal.memory_id) if proposal.memory_id else None
        recorded = change.recorded
    # Of an own write that the person has made private since, an agent is told no more than that it was done.
    memory = convert.memory_out(row) if row and not hidden_from(actor, row) else None
    return Remembered(
        outcome=proposal.outcome,
        memory=memory,
        superseded=list(proposal.superseded),
        change_id=change.id if recorded else None,
        backlog=after.backlog,
        message=_message(proposal, memory, checked.candidate, bool(heard_in)),
    )


def checked_as(home: Home, actor: Actor, candidate: Candidate, heard_in: tuple[str, ...] = ()) -> gate.Checked:
    """A statement as its writer may make it, fit to be written; ``heard_in`` and what it raises as in ``remember``."""
    candidate = replace(candidate, evidence=(*candidate.evidence, *_quote(home, heard_in)))
    if actor.kind == "agent":
        candidate = replace(_weighed(home, candidate), source_agent=actor.name)
    elif actor.kind == "person":
        candidate = replace(candidate, explicit=True)
    return gate.check(candidate)


def _quote(home: Home, references: tuple[str, ...]) -> list[Evidence]:
    """Evidence from messages of the conversations that are here.

    :param references: each ``"<session key>#<message id>"``, or with a space as a search prints it; the key may be cut
        to its beginning.
    :raises NotFound: when there is no such message, or it was taken back.
    """
    from workbench.dreaming.reconcile import excerpt

    asked = {reference: _NAMED.fullmatch(reference) for reference in references}
    ids = [int(found["number"]) for found in asked.values() if found]
    rows = {row.id: row for row in (spoken.by_id(home, ids) if ids else [])}
    quoted: dict[str, Evidence] = {}
    for reference, found in asked.items():
        row = rows.get(int(found["number"])) if found else None
        if found is None or row is None or not row.session_key.startswith(found["key"]):
            raise NotFound(f"there is no message {text.quoted(reference, 80)}; `workbench sessions search` names them")
        name = f"{row.session_key}#{row.id}"
        quoted[name] = Evidence(SourceType.SESSION, name, excerpt(row.content, ""), row.timestamp)
    return list(quoted.values())


def _weighed(home: Home, candidate: Candidate) -> Candidate:
    """An agent's statement, with whether a message named as evidence says the same in the person's own prose and when
    it said so last, with its other wordings, and with the key of the fact it states."""
    from workbench.dreaming import wordings

    ids = [number for item in candidate.evidence if (number := _message_id(item)) is not None]
    try:
        rows = spoken.by_id(home, ids) if ids else []
    except WorkbenchError:
        rows = []  # the index, which is derived, can't be read: then nothing bears it out
    said = [row for row in rows if row.role == "user"]
    wanted = text.normal_form(candidate.content)
    # A sentence, whole: of "I no longer live in Berlin." a part would say the opposite.
    saying = [row for row in said if wanted in map(text.normal_form, wordings.meant_sentences(row.content))]
    saying = [row for row in saying if not _taken_back(home, row.id)]
    candidate = replace(candidate, explicit=bool(saying), key_said=False)
    candidate = wordings.named(candidate, (row.content for row in said))
    if not saying:
        return candidate
    # Said then, not now: what the person has said of the same fact since is the newer word.
    at = max((times.observed(row.timestamp) or "" for row in saying), default="")
    return replace(wordings.keyed(candidate), observed_at=at or None)


def _taken_back(home: Home, number: int) -> bool:
    """Whether the next thing that the person said takes back a message of theirs."""
    from workbench.dreaming import wordings

    after = spoken.neighbour(home, number, after=True)
    return after is not None and wordings.takes_back(harness.spoken(after[0].content), directly=after[1])


def _message_id(item: Evidence) -> int | None:
    number = item.source_ref.rpartition("#")[2]
    return int(number) if item.source_type is SourceType.SESSION and number.isdecimal() else None


def _message(proposal: Proposal, memory: MemoryOut | None, candidate: Candidate, heard: bool) -> str:
    if memory is None:
        why = {
            "repeated": "done before",
            "rejected_before": "the person ruled that this is wrong; it was not stored, nor is it for 30 days",
            "erased_before": "this was erased; it was not stored; only the person brings it back, with `memory add`",
        }
        return why.get(proposal.outcome, "it was not stored")
    said = {"created": "remembered", "seen_again": "known already", "repeated": "done before"}[proposal.outcome]
    waits = f"; it waits for the person: {_reason(memory.review_reason, heard)}" if memory.review_reason else ""
    if memory.status == "superseded":
        return f"{said} as {memory.id}: {text.clause(memory.content)}{_replaced(memory)}"
    replaced = f", in place of {', '.join(proposal.superseded)}" if proposal.superseded else ""
    restated = _restated(proposal, memory, candidate.content) if proposal.outcome == "seen_again" else ""
    follows = f"{restated}{waits}"
    stated = text.clause(memory.content) if follows else text.one_line(memory.content)
    return f"{said} as {memory.id}{replaced}: {stated}{follows}"


def _reason(reason: str, heard: bool) -> str:
    """Why a statement waits; of one that should have been heard, that it was not.

    :param heard: messages were named as its evidence.
    """
    if heard and reason == Reason.UNREVIEWED_AUTONOMOUS_WRITE:
        return "No message named as its source has a sentence of the person that says the same."
    return REASONS[Reason(reason)]


def _restated(proposal: Proposal, memory: MemoryOut, stated: str) -> str:
    """What a statement that was known changed in its memory, and what of it was left as it is."""
    changed = ", ".join(f"{convert.name_of(name)} {_told(name, getattr(memory, name))}" for name in proposal.changed)
    kept = "" if stated == memory.content else f"; its wording stays: `workbench memory correct {memory.id} TEXT`"
    return (f"; changed: {changed}" if changed else "") + kept


def _told(name: str, value: object) -> str:
    if isinstance(value, str) and name in ("valid_from", "valid_to", "expires_at"):
        return dates.local(value)
    return text.one_line(", ".join(value) if isinstance(value, list) else str(value))


def _replaced(memory: MemoryOut) -> str:
    """When a memory holds that has a successor already; that may be over, now, or still to come."""
    at, ends = db.now(), str(memory.valid_to)
    verb = "held" if ends <= at else "will hold" if memory.valid_from and memory.valid_from > at else "holds"
    since = f" from {dates.local(memory.valid_from)}" if memory.valid_from else ""
    return f" (it {verb}{since} to {dates.local(ends)}, then {memory.superseded_by} follows)"
