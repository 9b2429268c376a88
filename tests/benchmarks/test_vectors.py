"""The nearest of 100,000 and of 1,000,000 vectors, warm, cold and after a change; how fast vectors are made and stored.

Times are of this process's processor, each the best of three, so that a busy machine changes little.
"""

from __future__ import annotations

import functools
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.benchmarks import generate
from tests.benchmarks.test_search import questions
from workbench import db
from workbench.home import Home
from workbench.index import embed, memory_vectors
from workbench.index.vectors import Among, Matrix, pack
from workbench.sessions import search, vectors
from workbench.sessions.discover import expand
from workbench.sessions.filters import ANY
from workbench.sessions.index import SCHEMA
from workbench.sessions.ingest import ingest

np = pytest.importorskip("numpy")

COUNT, DIMENSION = 100_000, 384
COLD = """
import numpy
from pathlib import Path
from workbench.home import Home
from workbench.index.memory_vectors import nearest
query = numpy.ones({dimension}, numpy.float32)
assert len(nearest(Home(Path({root!r})), query, "clusters", 10)) == 10
"""


class Clusters:
    """Vectors that look like those of a model, from nothing: 50 texts are about one thing. What is measured is the
    store."""

    model_id = "clusters"
    dimension = DIMENSION
    remote = False

    def __init__(self, things: int = COUNT // 50, seed: int = 5) -> None:
        self._chance = np.random.default_rng(seed)
        self._things = np.random.default_rng(1).standard_normal((things, DIMENSION), dtype=np.float32) + 0.3

    def reads(self, text: str) -> bool:
        return True

    def embed(self, texts: Sequence[str]):
        about = self._chance.integers(0, len(self._things), len(texts))
        rows = self._things[about] + 0.7 * self._chance.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Noise(Clusters):
    """Vectors of which none is about what another is: the worst that can be."""

    def embed(self, texts: Sequence[str]):
        rows = self._chance.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def wanted() -> dict[str, str]:
    return {f"m_{number:024x}": f"Statement number {number}" for number in range(COUNT)}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, wanted: dict[str, str]) -> Home:
    home = Home(tmp_path_factory.mktemp("vectors")).prepare()
    started = time.perf_counter()
    memory_vectors.sync(home, Clusters(), wanted)
    took = time.perf_counter() - started
    size = home.memory_index.stat().st_size
    print(f"\nsync: {COUNT / took:,.0f} vectors/s stored (embedding apart); {size / COUNT:,.0f} bytes a vector")
    return home


def milliseconds(act: Callable[[], object], runs: int = 30) -> list[float]:
    """Of the processor, the least first."""
    taken = []
    for _ in range(runs):
        started = time.process_time()
        act()
        taken.append((time.process_time() - started) * 1000)
    return sorted(taken)


def times(act: Callable[[], object], runs: int = 30) -> str:
    taken = milliseconds(act, runs)
    return f"median {statistics.median(taken):.1f} ms, p95 {taken[int(runs * 0.95)]:.1f} ms"


def matrix_of(embedder: Clusters, count: int) -> Matrix:
    rows, lengths = np.empty((count, DIMENSION), np.int8), np.empty(count, np.float32)
    for start in range(0, count, 50_000):
        part = slice(start, min(start + 50_000, count))
        rows[part] = pack(embedder.embed([""] * (part.stop - start)))
        lengths[part] = np.linalg.norm(rows[part].astype(np.float32), axis=1)
    return Matrix(np.arange(count), np.arange(count), rows, lengths)


@pytest.mark.parametrize(("count", "limit"), [(100_000, 8.0), (1_000_000, 70.0)])
@pytest.mark.parametrize("kind", [Clusters, Noise])
def test_time_and_recall(kind: type[Clusters], count: int, limit: float) -> None:
    """Against all rows, one by one."""
    embedder = kind(count // 50)
    matrix = matrix_of(embedder, count)
    asked = embedder.embed([""] * 30)
    matrix.nearest(asked[0], 10)
    each = [milliseconds(lambda query=query: matrix.nearest(query, 10), 3)[0] for query in asked]
    exact = [milliseconds(lambda query=query: matrix.cosines(query), 3)[0] for query in asked[:3]]
    found = sum(
        len({name for name, _ in matrix.nearest(query, 10)} & set(np.argsort(-matrix.cosines(query))[:10].tolist()))
        for query in asked
    )
    recall = found / (10 * len(asked))
    print(
        f"\n{count:,} {kind.__name__.lower()}: median {statistics.median(each):.1f} ms, worst {max(each):.1f} ms,"
        f" one by one {min(exact):.1f} ms; recall@10 {recall:.3f}"
    )
    assert recall >= 0.98
    assert statistics.median(each) <= limit


def test_nearest(home: Home, wanted: dict[str, str]) -> None:
    queries = iter(Clusters().embed([""] * 200))

    def asked(among: Among | None = None) -> list[tuple[str, float]]:
        return memory_vectors.nearest(home, next(queries), "clusters", 10, among)

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
    (query,) = Clusters().embed([""])
    taken = {"an addition": [], "a removal": []}
    for number, memory_id in enumerate(wanted):
        if number == 10:
            break
        for name, change in {
            "a removal": lambda gone=memory_id: memory_vectors.remove(home, [gone]),
            "an addition": lambda: memory_vectors.sync(home, Clusters(), wanted),
        }.items():
            change()
            started = time.perf_counter()
            memory_vectors.nearest(home, query, "clusters", 10)
            taken[name].append((time.perf_counter() - started) * 1000)
    print()
    for name, runs in taken.items():
        print(f"first query after {name}: median {statistics.median(runs):.1f} ms")


def test_cold_process(home: Home) -> None:
    """From the start of the interpreter to the answer; no model is read."""
    program, runs = COLD.format(dimension=DIMENSION, root=str(home.root)), []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", program], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"\na new process: {min(runs) * 1000:.0f} ms at best, median {statistics.median(runs) * 1000:.0f} ms")
    assert min(runs) <= 0.5


def test_unchanged_sync(home: Home, wanted: dict[str, str]) -> None:
    memory_vectors.sync(home, Clusters(), wanted)
    print(f"\nsync of {COUNT:,} unchanged: {times(lambda: memory_vectors.sync(home, Clusters(), wanted), 5)}")


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
    home, embedder = Home(tmp_path / "home"), Clusters()
    ingest(home, expand(generate.write(tmp_path / "talk.jsonl", COUNT, 200)))
    monkeypatch.setattr(embed, "load", lambda home: embedder)
    started = time.perf_counter()
    made = vectors.sync(home, embedder).embedded
    print(f"\n{made:,} messages: {made / (time.perf_counter() - started):,.0f} a second stored (embedding apart)")
    print(f"sync of unchanged ones: {times(lambda: vectors.sync(home, embedder), 5)}")
    asked = questions(generate.vocabulary())
    assert search.discover(home, asked[0])["vector_enabled"]
    both = statistics.median(milliseconds(lambda q=q: search.discover(home, q), 3)[0] for q in asked)
    near = statistics.median(milliseconds(lambda q=q: nearness(home, q), 3)[0] for q in asked[:20])
    monkeypatch.setattr(embed, "load", lambda home: None)
    words = statistics.median(milliseconds(lambda q=q: search.discover(home, q), 3)[0] for q in asked)
    print(f"by words and vectors, the model apart: median {both:.1f} ms; by words alone {words:.1f} ms")
    print(f"the vectors by themselves: {near:.1f} ms")
    assert both <= 2 * words + 10


def nearness(home: Home, question: str) -> object:
    near, _ = vectors.near(home, question)
    assert near is not None
    with db.read(home.session_index, SCHEMA) as connection:
        return near.among(connection, ANY)
