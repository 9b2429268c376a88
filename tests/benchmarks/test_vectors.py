"""The nearest of 100,000 vectors, warm, cold and after a change; how fast vectors are made and stored."""

from __future__ import annotations

import functools
import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.benchmarks import generate
from workbench.home import Home
from workbench.index import embed, memory_vectors
from workbench.index.vectors import Among
from workbench.sessions import search, vectors
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest

np = pytest.importorskip("numpy")

COUNT, DIMENSION = 100_000, 384
COLD = """
import sys, time, numpy
from pathlib import Path
from workbench.home import Home
from workbench.index.memory_vectors import nearest
query = numpy.ones({dimension}, numpy.float32)
started = time.perf_counter()
assert len(nearest(Home(Path({root!r})), query, "random", 10)) == 10
print(time.perf_counter() - started)
"""


class Random:
    """Vectors that look like those of a model, from nothing: what is measured is the store."""

    model_id = "random"
    dimension = DIMENSION
    remote = False

    def __init__(self) -> None:
        self._chance = np.random.default_rng(5)

    def embed(self, texts: Sequence[str]):
        vectors = self._chance.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def wanted() -> dict[str, str]:
    return {f"m_{number:024x}": f"Statement number {number}" for number in range(COUNT)}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, wanted: dict[str, str]) -> Home:
    home = Home(tmp_path_factory.mktemp("vectors")).prepare()
    started = time.perf_counter()
    memory_vectors.sync(home, Random(), wanted)
    took = time.perf_counter() - started
    size = home.memory_index.stat().st_size
    print(f"\nsync: {COUNT / took:,.0f} vectors/s stored (embedding apart); {size / COUNT:,.0f} bytes a vector")
    return home


def milliseconds(act: Callable[[], object], runs: int = 30) -> list[float]:
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        act()
        taken.append((time.perf_counter() - started) * 1000)
    return sorted(taken)


def times(act: Callable[[], object], runs: int = 30) -> str:
    taken = milliseconds(act, runs)
    return f"median {statistics.median(taken):.1f} ms, p95 {taken[int(runs * 0.95)]:.1f} ms"


def test_nearest(home: Home, wanted: dict[str, str]) -> None:
    queries = iter(Random().embed([""] * 200))

    def asked(among: Among | None = None) -> list[tuple[str, float]]:
        return memory_vectors.nearest(home, next(queries), "random", 10, among)

    started = time.perf_counter()
    asked()
    print(f"\n{COUNT:,} x {DIMENSION}: first query {(time.perf_counter() - started) * 1000:.0f} ms")
    print(f"warm: {times(asked)}")
    plain, query = np.ones((COUNT, DIMENSION), np.float32), np.ones(DIMENSION, np.float32)
    ratio = milliseconds(asked)[0] / milliseconds(lambda: plain @ query)[0]
    print(f"warm, at best: {ratio:.2f} times the product of a float32 matrix four times the size")
    half, few = list(wanted)[::2], list(wanted)[:20]
    for name, among in {
        "20": few,
        "every other one": half,
        "every other one, asked": frozenset(half).intersection,
        "20, asked": frozenset(few).intersection,
    }.items():
        print(f"warm, among {name}: {times(functools.partial(asked, among))}")


def test_nearest_after_a_change(home: Home, wanted: dict[str, str]) -> None:
    (query,) = Random().embed([""])
    taken = {"an addition": [], "a removal": []}
    for number, memory_id in enumerate(wanted):
        if number == 10:
            break
        for name, change in {
            "a removal": lambda gone=memory_id: memory_vectors.remove(home, [gone]),
            "an addition": lambda: memory_vectors.sync(home, Random(), wanted),
        }.items():
            change()
            started = time.perf_counter()
            memory_vectors.nearest(home, query, "random", 10)
            taken[name].append((time.perf_counter() - started) * 1000)
    print()
    for name, runs in taken.items():
        print(f"first query after {name}: median {statistics.median(runs):.1f} ms")


def test_cold_process(home: Home) -> None:
    program = COLD.format(dimension=DIMENSION, root=str(home.root))
    runs = [
        float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout)
        for _ in range(5)
    ]
    print(f"\nin a new process: {min(runs) * 1000:.0f} ms at best, median {statistics.median(runs) * 1000:.0f} ms")


def test_unchanged_sync(home: Home, wanted: dict[str, str]) -> None:
    memory_vectors.sync(home, Random(), wanted)
    print(f"\nsync of {COUNT:,} unchanged: {times(lambda: memory_vectors.sync(home, Random(), wanted), 5)}")


def test_offline_embedder(tmp_path: Path) -> None:
    home = Home(tmp_path).prepare()
    embedder = embed.load(home)
    if embedder is None:
        pytest.skip("the vectors extra is not installed")
    started = time.perf_counter()
    embedder.embed(["warm up"])
    print(f"\n{embedder.model_id}: first text {(time.perf_counter() - started) * 1000:.0f} ms")
    print(f"one question: {times(lambda: embedder.embed(['Where did she say that she wants to live next year?']))}")
    short = "She said that the billing service moved from MySQL to PostgreSQL in March and asked for a runbook. "
    for name, text, count in (("short", short, 200), ("long", short * 16, 24)):
        wanted = {f"m_{number}": f"{number} {text}" for number in range(count)}
        started = time.perf_counter()
        memory_vectors.sync(home, embedder, wanted)
        print(f"sync of {name} texts ({len(text)} characters): {count / (time.perf_counter() - started):.1f} a second")


def test_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searching 100,000 messages, three quarters of which have a vector."""
    home, embedder = Home(tmp_path / "home"), Random()
    ingest(home, expand(generate.write(tmp_path / "talk.jsonl", COUNT, 200)))
    monkeypatch.setattr(embed, "load", lambda home: embedder)
    started = time.perf_counter()
    made = vectors.sync(home, embedder).embedded
    print(f"\n{made:,} messages: {made / (time.perf_counter() - started):,.0f} a second stored (embedding apart)")
    print(f"sync of unchanged ones: {times(lambda: vectors.sync(home, embedder), 5)}")
    asked = itertools.cycle(queries())
    started = time.perf_counter()
    assert search.discover(home, next(asked))["vector_enabled"]
    print(f"first search {(time.perf_counter() - started) * 1000:.0f} ms")
    print(f"by words and vectors, the model apart: {times(lambda: search.discover(home, next(asked)))}")
    monkeypatch.setattr(embed, "load", lambda home: None)
    print(f"by words alone: {times(lambda: search.discover(home, next(asked)))}")
