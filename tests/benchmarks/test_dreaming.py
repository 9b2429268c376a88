"""How many messages a second are learned from without a model: read from the index, extracted, written down."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import orjson
import pytest

from tests.benchmarks import chats
from tests.homes import fresh_home
from workbench.home import Home
from workbench.operations import dream, memories
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest

MESSAGES = 100_000
SESSIONS = 100
LEAST = 5_000
# One prompt in fifty states something, in turns in these languages.
EVERY = 100
STATEMENTS = (
    "I use {} for everything.",
    "Mein Editor ist {}.",
    "J'utilise {} pour les notes.",
    "Prefiero {} a Java.",
    "我们决定用 {}。",
)


def rows() -> Iterator[dict[str, object]]:
    """Prompts and answers by turns in conversations of equal length."""
    forms = cycle(STATEMENTS)
    for session in range(SESSIONS):
        for number, row in enumerate(chats.rows(MESSAGES // SESSIONS, session=session)):
            if number % EVERY == 0:
                row["message"] = {"role": "user", "content": next(forms).format(f"Tool{session:03d}{number:04d}")}
            yield row


@pytest.fixture
def home(tmp_path: Path) -> Home:
    source = tmp_path / "talk.jsonl"
    source.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows()))
    home = fresh_home(tmp_path / "home")
    assert ingest(home, expand(source)).new == MESSAGES
    return home


def test_learning_without_a_model(home: Home) -> None:
    """The rate is that of this process alone: others on the machine do not count against it."""
    started, spent = time.perf_counter(), time.process_time()
    done = dream.dream(home)
    seconds, own = time.perf_counter() - started, time.process_time() - spent
    found = memories.list_memories(home, status=None, limit=1).total
    print(
        f"\ndreaming: {done.messages / own:,.0f} messages/s of processor time, {done.messages / seconds:,.0f}/s in all"
    )
    print(f"{done.statements} statements, {found} memories")
    assert (done.messages, done.statements) == (MESSAGES, MESSAGES // EVERY)
    assert done.messages / own >= LEAST
    started = time.perf_counter()
    assert dream.dream(home).messages == 0
    print(f"second run with nothing new: {time.perf_counter() - started:.2f} s")
