"""How long a search takes in 100,000 messages, beside the same SQL in the sqlite3 shell in the same run."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks import generate
from workbench import db
from workbench.home import Home
from workbench.sessions import search
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest

MESSAGES = 100_000
SHELL = shutil.which("sqlite3")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("search")
    home = Home(folder / "home")
    ingest(home, expand(generate.write(folder / "talk.jsonl", MESSAGES, 200)))
    return home


def queries(number: int = 40) -> list[str]:
    """Questions of 1 to 8 words, common and rare ones mixed."""
    chance = random.Random(3)
    words = generate.vocabulary()
    ranks = (5, 40, 300, 2_000, 12_000)
    return [
        " ".join(words[int(chance.choice(ranks) * chance.uniform(1, 1.6))] for _ in range(chance.choice((1, 3, 3, 8))))
        for _ in range(number)
    ]


def statements(home: Home, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The SQL that these searches run, values filled in; the ranked one ends at its first five rows."""
    seen: list[str] = []
    original = db.read

    @contextlib.contextmanager
    def traced(path: Path, schema: db.Schema) -> Iterator[sqlite3.Connection]:
        with original(path, schema) as connection:
            connection.set_trace_callback(seen.append)
            yield connection

    with monkeypatch.context() as patch:
        patch.setattr(db, "read", traced)
        for query in asked:
            search.discover(home, query)
    mine = [sql for sql in seen if sql.startswith("SELECT") and '"main".' not in sql and "'main'." not in sql]
    return [sql + (" LIMIT 5" if sql.endswith("ORDER BY f.rank") else "") for sql in mine]


@pytest.mark.skipif(SHELL is None, reason="there is no sqlite3 shell on this machine: nothing to compare with")
def test_search_against_the_shell(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = queries()
    script = tmp_path / "searches.sql"
    script.write_text(";\n".join(statements(home, asked, monkeypatch)) + ";\n")

    def shell(text: str) -> float:
        started = time.perf_counter()
        command = [str(SHELL), "-batch", "-readonly", str(home.session_index), text]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started

    ours, theirs, each = [], [], []
    for _ in range(5):
        times = []
        for query in asked:
            started = time.perf_counter()
            assert search.discover(home, query)["count"] > 0
            times.append(time.perf_counter() - started)
        ours.append(sum(times))
        each = min(each, times, key=sum) if each else times
        theirs.append(shell(f".read {script}") - shell("SELECT 1"))
    ratio = min(ours) / min(theirs)
    ordered = sorted(each)
    print(
        f"\nsearch in {MESSAGES:,} messages: median {statistics.median(each) * 1000:.1f} ms, p95 "
        f"{ordered[int(len(ordered) * 0.95)] * 1000:.1f} ms; {ratio:.2f} times the same SQL in the shell"
    )
    assert ratio <= 1.5
