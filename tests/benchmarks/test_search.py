"""How long a search in conversations takes, by words: in 100,000 and in 1,000,000 messages of 24 words, and in 100,000
long ones."""

from __future__ import annotations

import random
import statistics
import time
from pathlib import Path

import pytest

from tests.benchmarks import chats, generate
from workbench.home import Home
from workbench.index import embed
from workbench.sessions import search
from workbench.sessions.discover import Source, expand
from workbench.sessions.ingest import ingest

QUESTIONS = 60


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "load", lambda home: None)


def talks(folder: Path, messages: int) -> Home:
    """A home with so many messages, 500 a conversation."""
    home = Home(folder / "home")
    folder.mkdir(parents=True, exist_ok=True)
    paths = [chats.write(folder / f"{n}.jsonl", 500, session=n) for n in range(messages // 500)]
    assert ingest(home, [Source(path) for path in paths]).new == messages
    return home


def questions(words: list[str]) -> list[str]:
    """Of 3 to 8 words, common and rare ones mixed."""
    chance = random.Random(3)
    ranks = (150, 400, 1_000, 4_000, 12_000)
    return [
        " ".join(words[int(chance.choice(ranks) * chance.uniform(0.9, 1.6))] for _ in range(chance.randint(3, 8)))
        for _ in range(QUESTIONS)
    ]


def measured(home: Home, asked: list[str]) -> tuple[float, float]:
    """(median, 95th percentile) of the CPU seconds of a search, each the best of three."""
    search.discover(home, asked[0])
    each = []
    for question in asked:
        took = []
        for _ in range(3):
            began = time.process_time()
            assert search.discover(home, question)["count"] > 0
            took.append(time.process_time() - began)
        each.append(min(took))
    return statistics.median(each), statistics.quantiles(each, n=20)[-1]


def test_search_in_short_messages(tmp_path: Path) -> None:
    asked, found = questions(chats.vocabulary()), []
    for messages in (100_000, 1_000_000):
        found.append(measured(talks(tmp_path / f"{messages}", messages), asked))
        print(f"\nsearch in {messages:,} messages: median {found[-1][0] * 1e3:.0f} ms, p95 {found[-1][1] * 1e3:.0f} ms")
    (small, _), (large, worst) = found
    assert large <= 4 * small
    assert small <= 0.03 and large <= 0.15 and worst <= 0.4


def test_search_in_long_messages(tmp_path: Path) -> None:
    """Four times as long; at most four times as dear."""
    home = Home(tmp_path / "home")
    ingest(home, expand(generate.write(tmp_path / "talk.jsonl", 100_000, 200)))
    median, worst = measured(home, questions(generate.vocabulary()))
    print(f"\nsearch in 100,000 long messages: median {median * 1e3:.0f} ms, p95 {worst * 1e3:.0f} ms")
    assert median <= 4 * 0.03
