"""What the person ruled on does not come back in another dress, in other words, or from before they ruled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from workbench.home import Home
from workbench.ledger import erase, gate, merging, review, standing, store, write
from workbench.ledger.change import Change
from workbench.ledger.model import PERSON, Actor, Candidate, Kind, Proposal
from workbench.ledger.wording import spellings

BELIEVED = write.Policy(agents_wait=False)
AGENT, OTHER, DREAMER = Actor("agent", "a"), Actor("agent", "b"), Actor("dreamer", "rules")
SAID = Candidate("Deploys go to staging first.", Kind.FACT, explicit=False, confidence=None)
MARCH, LATER = "2026-03-01T09:00:00Z", "2999-01-01T00:00:00Z"


def put(home: Home, actor: Actor, content: str, **fields: object) -> Proposal:
    candidate = replace(SAID, content=content, **fields)  # type: ignore[arg-type] - a field each
    with store.writing(home) as connection:
        return write.propose(Change(connection, actor), gate.check(candidate), BELIEVED)


def rule(home: Home, act: Callable[..., object], *arguments: object) -> None:
    with store.writing(home) as connection:
        act(Change(connection, PERSON), *arguments)


def remove(home: Home, memory_id: str) -> None:
    with store.writing(home) as connection:
        erase.erase(connection, PERSON, erase.plan(connection, [memory_id]))


DRESSED = [
    "deploys go to STAGING first!",
    "• Deploys go to staging first",
    "- Deploys go to staging first.",
    "1. Deploys go to staging first.",
    '"Deploys go to staging first."',
    "**Deploys** go to `staging` first",
    "Deploys go, to staging, first…",
    "Deploys-go-to-staging-first",
    "Deploys go to staging first 👍",
    "Dеploys gо to staging first.",  # with Cyrillic letters
]


@pytest.mark.parametrize("fields", [{}, {"scope_type": "project", "scope_key": "/srv"}, {"fact_key": "deploy.order"}])
@pytest.mark.parametrize("verdict", ["rejected_before", "erased_before"])
def test_no_dress_brings_back_what_was_ruled_out(home: Home, verdict: str, fields: dict[str, str]) -> None:
    memory_id = put(home, AGENT, SAID.content).memory_id
    assert memory_id is not None
    if verdict == "rejected_before":
        rule(home, review.reject, memory_id)
    else:
        remove(home, memory_id)
    assert {said: put(home, OTHER, said, **fields).outcome for said in DRESSED} == dict.fromkeys(DRESSED, verdict)


def test_a_dressed_statement_that_is_known_is_the_same_memory(home: Home) -> None:
    known = put(home, AGENT, SAID.content).memory_id
    assert {put(home, AGENT, said).memory_id for said in DRESSED} == {known}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The temperature is 5.", "The temperature is -5."),
        ("Writes C.", "Writes C++."),
        ("Writes C.", "Writes C#."),
        ("The port is 8.080.", "The port is 8080."),
        ("The share is 5%.", "The share is 5."),
        ("The build uses .NET.", "The build uses NET."),
        ("Deploys go to staging first.", "Deploys go to staging first?"),
        ("用 PostgreSQL。", "用 MySQL。"),
    ],
)
def test_what_says_something_else_is_no_other_spelling(one: str, other: str) -> None:
    def forms(said: str) -> set[str]:
        return {gate.fingerprint(spelt, "global", "") for spelt in spellings(said)}

    assert forms(one).isdisjoint(forms(other))


def _reject(home: Home, memory_id: str) -> None:
    rule(home, review.reject, memory_id)


def _correct(home: Home, memory_id: str) -> None:
    rule(home, review.correct, memory_id, "Production is reached by hand.")


def _archive(home: Home, memory_id: str) -> None:
    rule(home, standing.archive, memory_id)


def _replace(home: Home, memory_id: str) -> None:
    put(home, PERSON, "Production is reached by hand.", fact_key="deploy.order")


def _merge(home: Home, memory_id: str) -> None:
    keep = put(home, PERSON, "Production is reached by hand.").memory_id
    rule(home, merging.merge, keep, [memory_id])


@pytest.mark.parametrize("verdict", [_reject, _correct, _archive, _replace, _merge])
@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ("Note: deploys go to staging first", True),
        ("Deploys go first to staging.", True),
        ("A deploy goes to the staging first.", True),
        ("Deploys do not go to staging first.", False),
        ("Deploys go to the moon first.", False),
    ],
)
def test_in_other_words_it_waits(home: Home, verdict: Callable[[Home, str], None], said: str, waits: bool) -> None:
    memory_id = put(home, AGENT, SAID.content, fact_key="deploy.order").memory_id
    assert memory_id is not None
    assert put(home, OTHER, "Deploys need two reviewers.").status == "active"
    verdict(home, memory_id)
    assert put(home, OTHER, said).status == ("needs_review" if waits else "active")


def test_every_wording_that_a_memory_had_stays_ruled_on(home: Home) -> None:
    memory_id = put(home, AGENT, "Our tests run on Jenkins nightly.").memory_id
    for wording in ("Our tests run on Drone nightly.", "Our tests run on Buildkite nightly."):
        rule(home, review.correct, memory_id, wording)
    rule(home, review.reject, memory_id)
    for name in ("Jenkins", "Drone", "Buildkite"):
        assert put(home, OTHER, f'"Our tests run on {name}, nightly!"').outcome == "rejected_before"
        assert put(home, OTHER, f"Our tests run nightly on {name}.").status == "needs_review"
    assert put(home, OTHER, "Our tests run on Travis nightly.").status == "active"


@pytest.mark.parametrize(
    ("actor", "at", "status"),
    [
        (DREAMER, MARCH, "needs_review"),
        (DREAMER, LATER, "active"),
        (AGENT, MARCH, "needs_review"),
        (AGENT, LATER, "active"),
    ],
)
def test_what_was_put_away_comes_back_only_when_the_person_says_it_again(
    home: Home, actor: Actor, at: str, status: str
) -> None:
    first = put(home, DREAMER, SAID.content, explicit=True, confidence=0.9, observed_at=MARCH)
    assert (first.status, first.memory_id is not None) == ("active", True)
    rule(home, standing.archive, first.memory_id)
    again = put(home, actor, SAID.content, explicit=True, confidence=0.9, observed_at=at)
    assert (again.outcome, again.status) == ("created", status)


def test_what_maintenance_put_away_may_come_back(home: Home) -> None:
    memory_id = put(home, AGENT, SAID.content).memory_id
    with store.writing(home) as connection:
        standing.put_away(Change(connection, Actor("system", "maintenance")), str(memory_id), "archived")
    assert put(home, AGENT, SAID.content).status == "active"
