"""Recall and the lens in 100,000 memories of several scopes, with keys, history, relations and vectors."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.benchmarks.generate import vocabulary
from workbench import db
from workbench.home import Home
from workbench.index import memory_vectors
from workbench.ledger import bootstrap, lens, recall, store
from workbench.ledger.filters import Reader
from workbench.ledger.model import Actor, Kind
from workbench.ledger.recall import MIN_COSINE, POOL, Question
from workbench.ledger.time import stamp
from workbench.operations.home import open_home

np = pytest.importorskip("numpy")

MEMORIES = 100_000
PROJECTS = 20
DIMENSION = 384
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

    def embed(self, texts):
        return np.random.default_rng(len(texts)).standard_normal((len(texts), DIMENSION)).astype(np.float32)


def memories(number: int, shared: bool, seed: int = 7) -> list[dict[str, Any]]:
    """Rows of invented words (Zipf): half of them global unless nothing is ``shared``, the rest in projects."""
    chance = random.Random(seed)
    words = vocabulary(seed)
    pool = chance.choices(words, [1 / (rank + 3) for rank in range(len(words))], k=400_000)
    rows = []
    for seq in range(1, number + 1):
        start = chance.randrange(len(pool) - 40)
        at = stamp(datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=5 * seq))
        replaced, waits, locked = seq % 12 == 0, seq % 50 == 7, seq % 5_003 == 0
        in_project = not shared or chance.random() < 0.5
        status = "superseded" if replaced else "needs_review" if waits else "active"
        rows.append(
            {
                "seq": seq,
                "id": f"m_{chance.getrandbits(96):024x}",
                "content": " ".join(pool[start : start + chance.randint(6, 40)]),
                "kind": Kind.CONSTRAINT if locked else chance.choice(list(Kind)),
                "scope_type": "project" if in_project else "global",
                "scope_key": f"/home/someone/project-{chance.randrange(PROJECTS)}" if in_project else "",
                "fact_key": f"topic-{seq % 900}.k{seq}" if seq % 3 == 0 else None,
                "authority": "locked" if locked else "inferred" if waits else chance.choice(("observed", "confirmed")),
                "status": status,
                "review_reason": "inferred" if waits else None,
                "trust": round(chance.uniform(0.5, 1.0), 4),
                "importance": chance.choice((50, 50, 50, chance.randrange(101))),
                "valid_from": at,
                "valid_to": stamp(datetime(2025, 6, 1, tzinfo=UTC) + timedelta(days=500)) if replaced else None,
                "created_at": at,
                "updated_at": at,
                "created_by": "agent:codex",
                "fingerprint": f"{seq:064x}",
                "last_seen_at": at,
            }
        )
    return rows


def fill(home: Home, rows: list[dict[str, Any]]) -> Home:
    """Write such rows around the chain of events, which no reader looks at."""
    open_home(home)
    columns = ", ".join(rows[0])
    marks = ", ".join(f":{name}" for name in rows[0])
    with store.writing(home) as connection:
        connection.execute("PRAGMA cache_size=-400000")
        connection.executemany(f"INSERT INTO memories ({columns}) VALUES ({marks})", rows)
        connection.execute("INSERT INTO memories_fts (rowid, content) SELECT seq, content FROM memories")
        connection.execute(
            "INSERT INTO memory_relations SELECT 'r_' || m.seq, m.id, n.id, 'supports', 'agent:codex', m.created_at"
            " FROM memories m JOIN memories n ON n.seq = m.seq + 1 WHERE m.seq % 10 = 0"
        )
    return home


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


def say(what: str, times: list[float]) -> None:
    print(
        f"{what}: p50 {statistics.median(times):.1f} ms, p95 {sorted(times)[int(len(times) * 0.95)]:.1f} ms,"
        f" least {min(times):.1f} ms"
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    rows = memories(MEMORIES, shared=True)
    home = fill(Home(tmp_path_factory.mktemp("recall") / "home"), rows)
    memory_vectors.sync(home, _Random(), {row["id"]: row["content"] for row in rows if row["status"] == "active"})
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
        times += milliseconds(home, lambda c, q=question: recall.search(c, q, near if vectors else None))
    say(f"\nrecall in {MEMORIES:,} as {reader}, {'words and vectors' if vectors else 'words'}", times)


def test_recall_by_key(home: Home) -> None:
    times = []
    for number in range(3, 3_000, 60):
        question = Question("", db.now(), AGENT, READERS["a project"], key=f"topic-{number % 900}.k{number}")
        times += milliseconds(home, lambda c, q=question: recall.search(c, q))
    say(f"\nrecall by key in {MEMORIES:,}", times)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("max_chars", [500, 6_000, 30_000])
def test_lens(home: Home, reader: str, max_chars: int) -> None:
    found = milliseconds(home, lambda c: lens.compiled(c, READERS[reader], db.now(), max_chars), 15)
    say(f"\nlens of {max_chars:,} characters in {MEMORIES:,} as {reader} (the first one loads the scanners)", found[1:])


@pytest.mark.parametrize("reader", READERS)
def test_bootstrap(home: Home, reader: str) -> None:
    found = milliseconds(home, lambda c: bootstrap.bootstrap(c, READERS[reader], db.now()), 15)
    say(f"\nbootstrap in {MEMORIES:,} as {reader}", found)
