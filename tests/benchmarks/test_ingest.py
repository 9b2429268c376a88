"""How fast and in how much memory a large transcript is read: figures of one run, beside a bare floor in that run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.benchmarks import floor, generate
from workbench.home import Home
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest

MESSAGES = 100_000
SESSIONS = 100
CHILD = """
import json, resource, sys, time
from pathlib import Path
from workbench.home import Home
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest
started = time.perf_counter()
report = ingest(Home(Path(sys.argv[1])), expand(Path(sys.argv[2])))
seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": seconds, "peak": peak, "messages": report.totals["messages"]}))
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate.write(tmp_path_factory.mktemp("source") / "talk.jsonl", MESSAGES, SESSIONS)


def test_rate_against_the_floor(source: Path, tmp_path: Path) -> None:
    """Half the rate of a program that only parses, stores and indexes the same rows; the better of three runs each."""
    ours, floors, again = [], [], []
    for number in range(3):
        folder = tmp_path / f"floor{number}"
        folder.mkdir()
        started = time.perf_counter()
        assert floor.ingest(source, folder) == MESSAGES
        floors.append(time.perf_counter() - started)
        shutil.rmtree(folder)
        home = Home(tmp_path / f"home{number}")
        started = time.perf_counter()
        assert ingest(home, expand(source)).new == MESSAGES
        ours.append(time.perf_counter() - started)
        started = time.perf_counter()
        assert ingest(home, expand(source)).new == 0
        again.append(time.perf_counter() - started)
        shutil.rmtree(home.root)
    ratio, second = min(floors) / min(ours), min(again) / min(ours)
    print(f"\ningest: {MESSAGES / min(ours):,.0f} messages/s, floor {MESSAGES / min(floors):,.0f}/s, ratio {ratio:.2f}")
    print(f"second run with nothing new: {second:.4f} of the first")
    assert ratio >= 0.5
    assert second <= 0.02


def test_memory_does_not_follow_the_size_of_a_file(tmp_path: Path) -> None:
    """One conversation in one file, and one of twice the size: at most 300 MB for both."""
    for messages in (MESSAGES, 2 * MESSAGES):
        path = generate.write(tmp_path / f"{messages}.jsonl", messages)
        size = path.stat().st_size / 1024 / 1024
        command = [sys.executable, "-c", CHILD, str(tmp_path / f"home{messages}"), str(path)]
        measured = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"\n{messages:,} messages in one file of {size:.0f} MB: peak {measured['peak']:.0f} MB")
        assert measured["messages"] == messages
        assert measured["peak"] <= 300


def test_a_line_of_a_gigabyte(tmp_path: Path) -> None:
    """Quarantined without being held: at most 256 MB and 30 s."""
    path = tmp_path / "talk.jsonl"
    with path.open("wb") as out:
        out.write(b'{"type":"user","sessionId":"s","uuid":"u1","message":{"content":"first"}}\n')
        out.truncate(out.tell() + 1024**3)
        out.seek(0, 2)
        out.write(b'\n{"type":"user","sessionId":"s","uuid":"u2","message":{"content":"last"}}\n')
    command = [sys.executable, "-c", CHILD, str(tmp_path / "home"), str(path)]
    measured = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(f"\na line of 1 GB: {measured['seconds']:.1f} s, peak {measured['peak']:.0f} MB")
    assert measured["messages"] == 2
    assert measured["seconds"] <= 30
    assert measured["peak"] <= 256


def test_growth_costs_what_is_read_again(source: Path, tmp_path: Path) -> None:
    """One more message in a large file: everything is compared, one line is written."""
    path = tmp_path / "talk.jsonl"
    shutil.copyfile(source, path)
    home = Home(tmp_path / "home")
    started = time.perf_counter()
    ingest(home, expand(path))
    first = time.perf_counter() - started
    with path.open("ab") as out:
        out.write(b'{"type":"user","sessionId":"new","uuid":"u1","message":{"content":"one more"}}\n')
    started = time.perf_counter()
    assert ingest(home, expand(path)).new == 1
    share = (time.perf_counter() - started) / first
    print(f"\none more message after {MESSAGES:,}: {share:.2f} of the first run")
    assert share <= 0.8
