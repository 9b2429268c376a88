"""Public conversations with questions about them, as homes of this program.

LoCoMo (snap-research/LoCoMo): turns of friends' chats; LongMemEval (xiaowu0162/LongMemEval): long messages of chats
with assistants. Both are read where they lie.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from workbench.home import Home
from workbench.sessions import index, store
from workbench.sessions.model import Message, Session


@dataclass(frozen=True)
class Question:
    """A question and what answers it.

    :param evidence: identities of messages, or keys of sessions.
    """

    text: str
    evidence: frozenset[str]
    category: str


@dataclass(frozen=True)
class Talk:
    """Conversations of one person, each with its messages, and questions about them."""

    name: str
    sessions: list[tuple[Session, list[Message]]]
    questions: list[Question]


def locomo(data: Path) -> list[Talk]:
    """The ten conversations; evidence are turns, categories 1 to 4."""
    document = json.loads((data / "locomo" / "locomo10.json").read_bytes())
    return [_locomo(f"c{number}", each) for number, each in enumerate(document)]


def _locomo(name: str, document: dict[str, Any]) -> Talk:
    talk, known = document["conversation"], set[str]()
    sessions = []
    for number in range(1, 100):
        turns = talk.get(f"session_{number}")
        if not turns:
            continue
        day = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").isoformat() + "Z"
        messages = [
            Message(
                f"{name}:{turn['dia_id']}",
                "user" if turn["speaker"] == talk["speaker_a"] else "assistant",
                "user" if turn["speaker"] == talk["speaker_a"] else "assistant",
                " ".join(filter(None, [turn["text"], turn.get("blip_caption")])),
                day,
                name=turn["speaker"],
            )
            for turn in turns
        ]
        known.update(message.identity for message in messages)
        sessions.append((Session(f"locomo:{name}-{number}", created_at=day, updated_at=day), messages))
    questions = []
    for each in document["qa"]:
        # Written as D8:6; D9:17 or D30:05, too.
        turns = [(int(s), int(t)) for item in each["evidence"] for s, t in re.findall(r"D:?(\d+):(\d+)", item)]
        named = {f"{name}:D{session}:{turn}" for session, turn in turns}
        if each["category"] != 5 and named & known:
            questions.append(Question(each["question"], frozenset(named & known), str(each["category"])))
    return Talk(name, sessions, questions)


def longmemeval(data: Path) -> list[Talk]:
    """Three stores of long messages; evidence are sessions."""
    document = json.loads((data / "longmemeval" / "three_haystacks.json").read_bytes())
    return [_longmemeval(f"h{number}", each) for number, each in enumerate(document)]


def _longmemeval(name: str, document: dict[str, Any]) -> Talk:
    sessions = []
    for key, date, turns in zip(
        document["haystack_session_ids"], document["haystack_dates"], document["haystack_sessions"], strict=True
    ):
        day = datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M").isoformat() + "Z"
        messages = [
            Message(f"{key}:{number}", turn["role"], turn["role"], turn["content"], day)
            for number, turn in enumerate(turns)
        ]
        sessions.append((Session(f"chat:{key}", created_at=day, updated_at=day), messages))
    questions = [
        Question(question, frozenset(f"chat:{key}" for key in keys), document["question_type"])
        for question, keys in zip(document["questions"], document["answer_session_ids"], strict=True)
    ]
    return Talk(name, sessions, questions)


def fill(home: Home, talks: Iterable[Talk]) -> Home:
    """Put conversations into a home, as ingest does."""
    home.prepare()
    for session, messages in _all(talks):
        store.merge(home, session, messages)
    done = index.sync(home)
    assert (done.damaged, done.backlog) == ([], [])
    return home


def _all(talks: Iterable[Talk]) -> Iterator[tuple[Session, list[Message]]]:
    for talk in talks:
        yield from talk.sessions
