"""No answer to an agent that writes says that there is something which it is not shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.homes import fresh_home
from tests.ledger.acts import JANUARY, get, put
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger.filters import Reader
from workbench.ledger.lifecycle import NeedsYes
from workbench.ledger.model import PERSON, Actor, Candidate, Kind
from workbench.operations import linking, review, rulings
from workbench.operations.remember import remember

CODEX = Actor("agent", "codex")
SECRET = {"authority": "confirmed", "privacy": "secret"}
# What is there, and what an agent says.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "said, and secret": (SECRET, {}),
    "said, and private": ({"privacy": "sensitive"}, {}),
    "waits, and private": ({"privacy": "sensitive", "status": "needs_review"}, {}),
    "said to another agent": (
        {"scope_type": "agent", "scope_key": "claude"},
        {"scope_type": "agent", "scope_key": "claude"},
    ),
    "its key is held by a secret": (SECRET | {"fact_key": "door.code"}, {"content": "Blue.", "fact_key": "door.code"}),
    "its tag is the tail of a secret's key": (SECRET | {"fact_key": "door.code"}, {"tags": ("code",)}),
}


def told(home: Home, **said: Any) -> str:
    """What an agent is told, twice, without what differs between any two writes."""
    fields: dict[str, Any] = {"content": "Likes tea.", "kind": Kind.FACT, "explicit": False, "confidence": None} | said
    answers = [remember(home, CODEX, Candidate(**fields)).model_dump() for _ in range(2)]
    unlike = r'\b([mch]_)?[0-9a-f]{20,64}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|"seq": \d+'
    return re.sub(unlike, "#", json.dumps(answers))


@pytest.mark.parametrize("case", CASES)
def test_what_is_hidden_is_answered_like_what_is_new(home: Home, tmp_path: Path, case: str) -> None:
    there, said = CASES[case]
    hidden = put(home, "Likes tea.", **there)
    before = get(home, hidden)
    answer = told(home, **said)
    assert answer == told(fresh_home(tmp_path / "new"), **said)
    assert '"outcome": "created"' in answer and '"outcome": "seen_again"' in answer
    assert get(home, hidden) == before
    # Where agents are believed, two in force still do not say the same, nor hold one key.
    home.config.write_text(json.dumps({"ledger": {"agentWrites": "keep"}}))
    key = {"fact_key": "rum.code"} if "fact_key" in there else {}
    put(home, "Likes rum.", **there | key)
    told(home, **said | {name: key[name] for name in key if name in said} | {"content": "Likes rum."})


def test_the_person_sees_what_a_proposal_would_replace(home: Home) -> None:
    secret = put(home, "The code is blue.", fact_key="door.code", **SECRET)
    said = Candidate("The code is red.", Kind.FACT, explicit=False, confidence=None, fact_key="door.code")
    proposed = remember(home, CODEX, said).memory
    assert proposed and proposed.review_reason == "unreviewed_autonomous_write"
    (waits,) = review.inbox(home).items
    assert [other.id for other in waits.conflicts] == [secret]
    (waits,) = review.inbox(home, reader=Reader("codex")).items
    assert waits.conflicts == []


def test_a_request_tells_no_more(home: Home) -> None:
    secret = put(home, "The code is blue.", fact_key="door.code", valid_from=JANUARY, **SECRET)
    seen = put(home, "Likes tea.")
    for act, arguments in (("correct", {"content": "The code is blue."}), ("rekey", {"key": "door.code"})):
        asked = rulings.ask(home, CODEX, act, seen, **arguments)
        assert secret not in asked.model_dump_json(), act
        before = get(home, secret)
        problem = f"{secret} says this already" if act == "correct" else f"this replaces {secret}"
        with pytest.raises(WorkbenchError, match=problem):
            rulings.accept(home, PERSON, asked.request.id, confirm_locked=False)
        assert get(home, secret) == before
    assert rulings.accept(home, PERSON, asked.request.id, confirm_locked=True).superseded == [secret]


def test_a_retry_tells_no_more_than_that_it_was_done(home: Home) -> None:
    """The person has put words of their own in its place, and they are private."""
    said = Candidate("Likes tea.", Kind.FACT, explicit=False, confidence=None, idempotency_key="k")
    first = remember(home, CODEX, said).memory
    assert first
    done = linking.checkpoint(home, CODEX, "Worked.", [linking.Item(content="A.")], idempotency_key="c")
    for memory_id in (first.id, str(done.episode.memory and done.episode.memory.id)):
        rulings.correct(home, PERSON, memory_id, f"My SSN is 536-90-43{len(memory_id)}. {memory_id}")
    again = remember(home, CODEX, said)
    assert (again.outcome, again.memory, again.message) == ("repeated", None, "done before")
    part = linking.checkpoint(home, CODEX, "Worked.", [linking.Item(content="A.")], idempotency_key="c").episode
    assert (part.outcome, part.memory) == ("repeated", None)


def test_what_a_request_could_not_name_is_asked_about(home: Home) -> None:
    secret = put(home, "The code is blue.", fact_key="door.code", valid_from=JANUARY, **SECRET)
    said = Candidate("The code is red.", Kind.FACT, explicit=False, confidence=None, fact_key="door.code")
    proposed = remember(home, CODEX, said).memory
    assert proposed
    asked = rulings.ask(home, CODEX, "accept", proposed.id)
    assert secret not in asked.model_dump_json()
    with pytest.raises(NeedsYes, match=f"does not say that this replaces {secret} \\(The code is blue"):
        rulings.accept(home, PERSON, asked.request.id)
    assert get(home, secret)["status"] == "active"
    assert rulings.accept(home, PERSON, asked.request.id, confirm_locked=True).superseded == [secret]
