"""From statements to memories: each becomes a candidate, and the ledger's one write function decides.

The messages of a batch count as learned in the same transaction as what was learned from them, so whatever
crashes, each message is processed exactly once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench import guard
from workbench.dreaming import facts, wordings
from workbench.dreaming.extract import Heard, Statement
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import doubt, gate, quota, store, supersede, write
from workbench.ledger.change import Change
from workbench.ledger.gate import Checked
from workbench.ledger.model import DREAMER, Actor, Candidate, Evidence, Proposal, SourceType, Status
from workbench.ledger.time import observed
from workbench.sessions import spoken

EXCERPT = 600


def commit(
    home: Home,
    run_id: str,
    heard: Sequence[Heard],
    statements: Sequence[Statement],
    policy: write.Policy,
) -> Counter[str]:
    """Write a batch: its statements through the ledger, its messages as learned.

    :returns: how many statements had each outcome, ``messages`` for the messages newly learned from, and ``taken_back``
        for the memories that wait because the person took back what they said.
    """
    by_id = {message.message_id: message for message in heard}
    counts: Counter[str] = Counter()
    # Scanned before the transaction, so that nobody waits for it.
    checked = [(statement, _check(statement, by_id)) for statement in _in_time(statements, by_id)]
    taken_back = _taken_back(home, heard)
    with store.writing(home) as connection:
        fresh = by_id.keys() - {
            key
            for key in by_id
            if connection.execute("SELECT 1 FROM learned WHERE message_id = ?", (key,)).fetchone() is not None
        }
        for statement, candidate in checked:
            if fresh.issuperset(statement.evidence):
                counts["statements"] += 1
                found_by = Actor("dreamer", statement.found_by)
                counts.update(_propose(Change(connection, found_by), candidate, policy))
        for each in taken_back:
            if each.message.message_id in fresh:
                counts["taken_back"] += _disavow(Change(connection, DREAMER), each)
        connection.executemany("INSERT INTO learned VALUES (?, ?)", [(key, run_id) for key in fresh])
    counts["messages"] = len(fresh)
    return counts


@dataclass(frozen=True)
class _TakenBack:
    """What a message of the person takes back.

    :param before: the message before it, as evidence names it; None where it does not take that back.
    :param named: statements that it names, as the rules word them.
    """

    message: Heard
    before: str | None
    named: Sequence[str]


def _taken_back(home: Home, heard: Sequence[Heard]) -> list[_TakenBack]:
    """What these messages take back; of the one before them only what was meant, where somebody answered in between."""
    found = []
    for message in heard:
        if message.role != "user":
            continue
        said_in = None
        if wordings.takes_back(message.text, directly=True):
            before = spoken.neighbour(home, message.message_id)
            if before is not None and wordings.takes_back(message.text, directly=before[1]):
                said_in = f"{message.session_key}#{before[0].id}"
        named = wordings.denied(message.text)
        if said_in or named:
            found.append(_TakenBack(message, said_in, named))
    return found


def _disavow(change: Change, taken: _TakenBack) -> int:
    """Put before the person what they took back; returns how many memories wait from now on."""
    scopes = [("global", ""), *([("project", taken.message.project)] if taken.message.project else [])]
    stated = (supersede.stating(change.connection, *scope, said) for said in taken.named for scope in scopes)
    ids = [row["id"] for row in stated if row is not None]
    if taken.before is not None:
        ids += doubt.resting_on(change.connection, taken.before)
    by = _evidence(taken.message, "")
    return sum(doubt.disavow(change, memory_id, by) for memory_id in dict.fromkeys(ids))


def _in_time(statements: Sequence[Statement], by_id: dict[int, Heard]) -> list[Statement]:
    """The statements in the order they were said; one without a time stays behind the one before it."""
    at = ""
    keyed: list[tuple[str, int, Statement]] = []
    for statement in statements:
        at = observed(by_id[statement.evidence[0]].timestamp) or at
        keyed.append((at, len(keyed), statement))
    return [statement for _, _, statement in sorted(keyed, key=lambda item: item[:2])]


def _check(statement: Statement, by_id: dict[int, Heard]) -> Checked | None:
    """The statement as a checked candidate; None where it can't be one (a credential, an over-long text)."""
    try:
        candidate = _candidate(facts.settle(statement), by_id)
        said = [by_id[key].text for key in statement.evidence if by_id[key].role == "user"]
        return gate.check(wordings.named(candidate, said))
    except WorkbenchError:
        return None


def _propose(change: Change, candidate: Checked | None, policy: write.Policy) -> dict[str, int]:
    if candidate is None:
        return {"refused": 1}
    try:
        with change.attempt():
            proposal = write.propose(change, _begun(change, candidate), policy)
    except quota.QuotaExceeded:
        return {"refused": 1}
    return {_outcome(proposal): 1, "superseded": len(proposal.superseded)}


def _begun(change: Change, checked: Checked) -> Checked:
    """The candidate without a time from which it holds that lies before what it replaces: ``I've lived in Rome since
    2019`` after ``I live in Oslo`` is no history, it is what holds from when it was said."""
    candidate = checked.candidate
    if candidate.valid_from is None:
        return checked
    scope = (candidate.scope_type, candidate.scope_key)
    if candidate.retracts is not None:
        held = supersede.stating(change.connection, *scope, candidate.retracts)
    else:
        held = supersede.holder(change.connection, *scope, candidate.fact_key)
    if held is None or held["valid_from"] is None or held["valid_from"] <= candidate.valid_from:
        return checked
    return replace(checked, candidate=replace(candidate, valid_from=None), stated={})


def _outcome(proposal: Proposal) -> str:
    if proposal.outcome != "created":
        return proposal.outcome
    return {Status.ACTIVE: "activated", Status.SUPERSEDED: "historic"}.get(proposal.status or Status.ACTIVE, "waiting")


def _candidate(statement: Statement, by_id: dict[int, Heard]) -> Candidate:
    first = by_id[statement.evidence[0]]
    in_project = statement.scope == "project" and first.project
    return Candidate(
        content=statement.content,
        kind=statement.kind,
        explicit=statement.explicit,
        confidence=statement.confidence,
        confidence_source=statement.found_by,
        fact_key=statement.fact_key,
        retracts=statement.retracts,
        privacy=statement.privacy,
        scope_type="project" if in_project else "global",
        scope_key=first.project or "" if in_project else "",
        observed_at=first.timestamp,
        valid_from=statement.valid_from,
        source_agent=first.session_key.partition(":")[0],
        source_session=first.session_key,
        source_message_ids=statement.evidence,
        evidence=tuple(_evidence(by_id[key], statement.content) for key in statement.evidence),
    )


def _evidence(message: Heard, content: str) -> Evidence:
    return Evidence(
        source_type=SourceType.SESSION,
        source_ref=f"{message.session_key}#{message.message_id}",
        excerpt=excerpt(message.text, content),
        observed_at=message.timestamp,
    )


def excerpt(message: str, content: str) -> str:
    """The message, or where it is long the 600 characters around the statement's most telling word."""
    if len(message) <= EXCERPT:
        return message
    # A credential cut in two would no longer be known for one: masked first.
    message = guard.mask(message)
    lowered = message.casefold()
    words = sorted((word.strip(".,:;!?") for word in content.casefold().split()), key=len, reverse=True)
    found = next((lowered.find(word) for word in words if word in lowered), 0)
    start = max(0, min(found - EXCERPT // 2, len(message) - EXCERPT))
    return ("…" if start else "") + message[start : start + EXCERPT] + ("…" if start + EXCERPT < len(message) else "")
