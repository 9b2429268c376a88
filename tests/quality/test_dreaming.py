"""What is learned from public conversations without a model: how much, and a sample for a reader to judge."""

from __future__ import annotations

import random

from tests.conftest import SHARED
from tests.quality import sets
from workbench.dreaming.extract import Heard, Statement
from workbench.dreaming.rules import RulesExtractor
from workbench.sessions.model import Message

SAMPLE = 100
# A session has two friends in it, and each is heard as the person once.
LEAST = 0.5


def learned(messages: list[Message], person: str) -> list[tuple[Statement, str]]:
    """Each statement with the message it was found in."""
    heard = [
        Heard(number, "locomo", "user" if message.role == person else "assistant", message.content, message.timestamp)
        for number, message in enumerate(messages)
    ]
    return [(each, heard[each.evidence[0]].text) for each in RulesExtractor().extract(heard)]


def test_candidates_a_session() -> None:
    """As measured: 136 in 272 sessions, of which a reader found none untrue of whoever said it.

    The rules for hobbies were written with these conversations at hand: it is no fresh measure.
    """
    found: list[tuple[Statement, str]] = []
    sessions = 0
    for talk in sets.locomo(SHARED / "data"):
        for _, messages in talk.sessions:
            sessions += 1
            found += learned(messages, "user") + learned(messages, "assistant")
    print(f"\n{len(found)} statements in {sessions} sessions, {len(found) / sessions:.2f} a session")
    for statement, said in random.Random(7).sample(found, min(SAMPLE, len(found))):
        print(f"{'' if statement.explicit else '?'} {statement.content}\n    {' '.join(said.split())[:150]}")
    assert len(found) / sessions >= LEAST
