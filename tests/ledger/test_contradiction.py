"""What an agent is believed to say goes in force, but not against what the person confirmed."""

from __future__ import annotations

import pytest

from workbench.home import Home
from workbench.ledger import gate, store, write
from workbench.ledger.change import Change
from workbench.ledger.model import PERSON, Actor, Candidate, Kind, Proposal

BELIEVED = write.Policy(agents_wait=False)


def put(home: Home, actor: Actor, content: str, **fields: str) -> Proposal:
    candidate = Candidate(content, Kind.FACT, explicit=actor is PERSON, confidence=None, **fields)
    with store.writing(home) as connection:
        return write.propose(Change(connection, actor), gate.check(candidate), BELIEVED)


@pytest.mark.parametrize(
    ("confirmed", "said", "waits"),
    [
        ("I prefer tabs over spaces.", "I prefer spaces over tabs.", True),
        ("Deploys need two reviewers.", "Deploys need no reviewers.", True),
        ("Deploys need two reviewers.", "A deploy needs three reviewers.", True),
        ("The project cache is Memcached.", "The project cache is not Memcached.", True),
        ("The project cache is Memcached.", "The project cache is Redis.", True),
        ("I use PostgreSQL 15 for billing.", "I use MySQL 8 for billing.", True),
        ("I use PostgreSQL 15 for billing.", "It is false that I use PostgreSQL 15 for billing.", True),
        ("I use PostgreSQL 15 for billing.", "I hardly use PostgreSQL 15 for billing.", True),
        ("Ich nutze PostgreSQL 15.", "Dass ich PostgreSQL 15 nutze, ist falsch.", True),
        ("Deploys need two reviewers.", "Deploys need two reviewers on Fridays.", False),
        ("I prefer tabs over spaces.", "Prefers tabs over spaces.", False),
        ("Alice likes green tea.", "Bob likes black tea.", False),
        ("I use Vim.", "I use a standing desk.", False),
    ],
)
def test_what_speaks_against_the_persons_word_waits(home: Home, confirmed: str, said: str, waits: bool) -> None:
    held = put(home, PERSON, confirmed).memory_id
    agent = Actor("agent", "a")
    for scope in ({}, {"scope_type": "project", "scope_key": "/srv/app"}):
        done = put(home, agent, said, **scope)
        assert (done.status, done.review_reason) == (("needs_review", "contradicts") if waits else ("active", None))
        with store.reading(home) as connection:
            found = connection.execute(
                "SELECT related_id FROM memory_relations WHERE memory_id = ? AND type = 'contradicts'",
                (done.memory_id,),
            ).fetchall()
        assert [row[0] for row in found] == ([held] if waits else [])


def test_a_key_that_the_person_holds_everywhere_is_not_taken_in_a_project(home: Home) -> None:
    put(home, PERSON, "The database is SQLite.", fact_key="project.database")
    project = {"scope_type": "project", "scope_key": "/srv/app", "fact_key": "project.database"}
    done = put(home, Actor("agent", "a"), "We store rows in Oracle.", **project)
    assert (done.status, done.review_reason) == ("needs_review", "contradicts")
