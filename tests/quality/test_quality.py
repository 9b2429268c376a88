"""One table: how often each way of searching finds what answers a question, and what it costs."""

from __future__ import annotations

import re
import sqlite3
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED
from tests.quality import sets
from tests.quality.sets import Talk
from workbench import db, fts
from workbench.home import Home
from workbench.index import embed
from workbench.operations import embedding
from workbench.sessions import ranking, search, vectors
from workbench.sessions.filters import ANY
from workbench.sessions.index import SCHEMA

DEPTH = 100


@dataclass
class Store:
    """A home with conversations, opened for questions."""

    home: Home
    connection: sqlite3.Connection
    names: dict[int, tuple[str, str]]
    texts: list[tuple[int, str]] = field(repr=False)


@dataclass
class Found:
    """Messages by number, the best first, and conversations by key: in the order of their best messages where a method
    has no other."""

    messages: list[int]
    sessions: list[str] | None = None


Method = Callable[[Store, str], Found]


def by_grep(store: Store, question: str) -> Found:
    """Messages by how many of the question's words stand in them."""
    words = re.findall(r"\w+", question.lower())
    found = [(sum(word in text for word in words), -n) for n, text in store.texts]
    return Found([-n for count, n in sorted(found, reverse=True)[:DEPTH] if count])


def by_full_text(store: Store, question: str) -> Found:
    """FTS5 as it comes: every word of the question, the best by bm25."""
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
    rows = store.connection.execute(
        "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rank LIMIT ?", (words, DEPTH)
    )
    return Found([row[0] for row in rows])


def by_words(store: Store, question: str) -> Found:
    """Words, short messages read with their neighbours."""
    return _ranked(store, question)


def by_vectors(store: Store, question: str) -> Found:
    """The nearest by meaning, each message alone."""
    near = vectors.near(store.home, question)[0]
    return Found(list(near.among(store.connection, ANY).cosines) if near else [])


def by_all(store: Store, question: str) -> Found:
    """Both, as a search does it."""
    near = vectors.near(store.home, question)[0]
    return _ranked(store, question, near.among(store.connection, ANY) if near else None)


def _ranked(store: Store, question: str, near: ranking.Nearness | None = None) -> Found:
    hits = ranking.rank(store.connection, question, ANY, search.RANKED, near).hits
    return Found([hit.n for hit in hits], [hit.session_key for hit in ranking.conversations(hits)])


METHODS: dict[str, Method] = {
    "grep": by_grep,
    "plain FTS": by_full_text,
    "words with context": by_words,
    "vectors alone": by_vectors,
    "all": by_all,
}


class Remembering:
    """The offline model, which embeds a message of two homes once; questions each time, as they come."""

    remote = False

    def __init__(self, model: embed.Embedder) -> None:
        self.model_id, self.dimension, self.remote = model.model_id, model.dimension, model.remote
        self.reads = model.reads
        self._model = model
        self._known: dict[str, Any] = {}

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        if len(texts) == 1:
            return self._model.embed(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._model.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


@dataclass
class Result:
    """Means over the questions of a set; recall of messages (of sessions where those are the evidence)."""

    at_5: float
    at_10: float
    any_session_5: float
    milliseconds: float


def measure(stores: list[tuple[Store, list[Talk]]], method: Method) -> Result:
    scores = defaultdict[str, list[float]](list)
    for store, talks in stores:
        keys = dict(store.names.values())
        for question in (each for talk in talks for each in talk.questions):
            begun = time.perf_counter()
            found = method(store, question.text)
            scores["ms"].append((time.perf_counter() - begun) * 1_000)
            messages = [store.names[n][0] for n in found.messages]
            sessions = found.sessions or list(dict.fromkeys(store.names[n][1] for n in found.messages))
            of_sessions = not question.evidence & keys.keys()
            wanted = question.evidence if of_sessions else frozenset(keys[name] for name in question.evidence)
            ranked = sessions if of_sessions else messages
            for size in (5, 10):
                scores[str(size)].append(len(question.evidence & set(ranked[:size])) / len(question.evidence))
            scores["any"].append(float(bool(wanted & set(sessions[:5]))))
    return Result(*(statistics.mean(scores[name]) for name in ("5", "10", "any")), statistics.median(scores["ms"]))


def opened(home: Home, talks: list[Talk], connection: sqlite3.Connection) -> tuple[Store, list[Talk]]:
    rows = connection.execute("SELECT n, identity, session_key, content, coalesce(meta, '') FROM messages").fetchall()
    names = {row[0]: (row[1], row[2]) for row in rows}
    return Store(home, connection, names, [(row[0], f"{row[3]} {row[4]}".lower()) for row in rows]), talks


@pytest.fixture(scope="module")
def _embedder() -> Iterator[None]:
    model = embed.load(Home(Path("anywhere")))
    if model is None:
        pytest.skip("the vectors extra is not installed: nothing was measured")
    remembering = Remembering(model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embed, "load", lambda home: remembering)
        yield


@pytest.fixture(scope="module")
def tables(_embedder: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Result]]]:
    """Set → method → what it found."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"the public data set is not at {SHARED}: nothing was measured")
    talks, long = sets.locomo(SHARED / "data"), sets.longmemeval(SHARED / "data")
    found: dict[str, dict[str, Result]] = {}
    groups = {
        "LoCoMo, a home each": [[each] for each in talks],
        "LoCoMo, one home": [talks],
        "LongMemEval": [[each] for each in long],
    }
    for name, homes in groups.items():
        stores, connections = [], []
        for number, group in enumerate(homes):
            home = sets.fill(Home(tmp_path_factory.mktemp(f"q{number}") / "home"), group)
            begun, used = time.perf_counter(), time.process_time()
            made = embedding.embed_read(home).embedded
            print(
                f"\n{name}: {made} vectors, {made / (time.process_time() - used):.0f} a CPU second,"
                f" {time.perf_counter() - begun:.0f} s"
            )
            connections.append(db.read(home.session_index, SCHEMA))
            stores.append(opened(home, group, connections[-1].__enter__()))
        found[name] = {method: measure(stores, run) for method, run in METHODS.items()}
        for connection in connections:
            connection.__exit__(None, None, None)
    for name, results in found.items():
        print(f"\n{name:<22} {'R@5':>6} {'R@10':>6} {'any@5':>6} {'ms':>8}")
        for method, result in results.items():
            figures = f"{result.at_5:6.3f} {result.at_10:6.3f} {result.any_session_5:6.3f} {result.milliseconds:8.1f}"
            print(f"  {method:<20} {figures}")
    yield found


def test_turns_are_found(tables: dict[str, dict[str, Result]]) -> None:
    results = tables["LoCoMo, a home each"]
    assert results["words with context"].at_10 >= 0.73
    assert results["words with context"].at_10 > results["plain FTS"].at_10 > results["grep"].at_10
    assert results["all"].at_10 >= 0.76
    assert results["words with context"].any_session_5 >= 0.93
    assert results["all"].any_session_5 >= 0.95
    assert results["all"].at_10 > max(results[alone].at_10 for alone in ("words with context", "vectors alone"))
    assert tables["LoCoMo, one home"]["all"].at_10 >= 0.75


def test_sessions_of_long_messages_are_found(tables: dict[str, dict[str, Result]]) -> None:
    results = tables["LongMemEval"]
    assert results["words with context"].at_10 >= 0.96
    assert results["all"].at_10 >= results["words with context"].at_10
    assert results["all"].any_session_5 >= 0.95


def test_candidates_lose_little(
    tables: dict[str, dict[str, Result]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Scoring a hundred candidates finds nearly what scoring every message does."""
    talk = sets.locomo(SHARED / "data")[0]
    home = sets.fill(Home(tmp_path / "home"), [talk])
    with db.read(home.session_index, SCHEMA) as connection:
        stores = [opened(home, [talk], connection)]
        few = measure(stores, by_words)
        monkeypatch.setattr(ranking, "CANDIDATES", 1_000_000)
        every = measure(stores, by_words)
    assert fts.LARGE_STORE > 1_000
    assert few.at_10 >= every.at_10 - 0.01
