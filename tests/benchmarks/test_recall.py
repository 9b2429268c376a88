"""Recall and the lens in 100,000 memories of several scopes, with keys, history, relations and vectors."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.benchmarks.generate import vocabulary
from tests.benchmarks.ledger_rows import fill
from workbench import db
from workbench.home import Home
from workbench.index import memory_vectors
from workbench.index.vectors import MIN_COSINE
from workbench.ledger import bootstrap, lens, recall, store
from workbench.ledger.filters import Reader
from workbench.ledger.model import Actor
from workbench.ledger.recall import POOL, Question

np = pytest.importorskip("numpy")

MEMORIES = 100_000
DIMENSION = 384
# Milliseconds: what half of the answers may take at most.
RECALL, LENS = 30, 100
AGENT = Actor("agent", "codex")
READERS = {
    "a project": Reader("codex", "/home/someone/project-3"),
    "global only": Reader("codex"),
    "next to nothing": Reader("codex", "/home/someone/new"),
}


class _Random:
    """An embedder for its speed alone."""

    model_id = "random"
    dimension = DIMENSION
    remote = False

    def reads(self, text):
        return True

    def embed(self, texts):
        return np.random.default_rng(len(texts)).standard_normal((len(texts), DIMENSION)).astype(np.float32)


def questions(number: int = 60) -> list[str]:
    """Questions of 1 to 8 words, common and rare ones mixed."""
    chance = random.Random(3)
    words = vocabulary()
    ranks = (5, 40, 300, 2_000, 12_000)
    return [
        " ".join(words[int(chance.choice(ranks) * chance.uniform(1, 1.6))] for _ in range(chance.choice((1, 3, 3, 8))))
        for _ in range(number)
    ]


def milliseconds(home: Home, act: Callable[[Any], object], times: int = 1) -> list[float]:
    """How long ``act`` takes on a connection of its own, each time."""
    found = []
    for _ in range(times):
        started = time.perf_counter()
        with store.reading(home) as connection:
            act(connection)
        found.append((time.perf_counter() - started) * 1_000)
    return found


def say(what: str, times: list[float], limit: float | None = None) -> None:
    """Print the figures; the median is at most ``limit``."""
    print(
        f"{what}: p50 {statistics.median(times):.1f} ms, p95 {sorted(times)[int(len(times) * 0.95)]:.1f} ms,"
        f" least {min(times):.1f} ms"
    )
    assert limit is None or statistics.median(times) <= limit


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = fill(Home(tmp_path_factory.mktemp("recall") / "home"), MEMORIES, MEMORIES // 50)
    with store.reading(home) as connection:
        active = connection.execute("SELECT id, content FROM memories WHERE status = 'active'")
        wanted = {row["id"]: row["content"] for row in active}
    memory_vectors.sync(home, _Random(), wanted)
    return home


@pytest.mark.parametrize("vectors", [False, True], ids=["words", "words and vectors"])
@pytest.mark.parametrize("reader", READERS)
def test_recall(home: Home, reader: str, vectors: bool) -> None:
    vector = np.random.default_rng(1).standard_normal(DIMENSION).astype(np.float32)

    def near(allowed):
        return memory_vectors.nearest(home, vector, "random", POOL, allowed, MIN_COSINE)

    times = []
    for asked in questions():
        question = Question(asked, db.now(), AGENT, READERS[reader])
        # The better of two: what else the machine does is no part of the answer.
        times.append(min(milliseconds(home, lambda c, q=question: recall.search(c, q, near if vectors else None), 2)))
    say(f"\nrecall in {MEMORIES:,} as {reader}, {'words and vectors' if vectors else 'words'}", times, RECALL)


def test_recall_by_key(home: Home) -> None:
    times = []
    for number in range(3, 3_000, 60):
        question = Question("", db.now(), AGENT, READERS["a project"], key=f"topic-{number % 900}.k{number}")
        times += milliseconds(home, lambda c, q=question: recall.search(c, q))
    say(f"\nrecall by key in {MEMORIES:,}", times, RECALL)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("max_chars", [500, 6_000, 30_000])
def test_lens(home: Home, reader: str, max_chars: int) -> None:
    found = milliseconds(home, lambda c: lens.compiled(c, READERS[reader], db.now(), max_chars), 15)
    say(
        f"\nlens of {max_chars:,} characters in {MEMORIES:,} as {reader} (the first one loads the scanners)",
        found[1:],
        LENS,
    )


@pytest.mark.parametrize("reader", READERS)
def test_bootstrap(home: Home, reader: str) -> None:
    found = milliseconds(home, lambda c: bootstrap.bootstrap(c, READERS[reader], db.now()), 15)
    say(f"\nbootstrap in {MEMORIES:,} as {reader}", found)
