"""A page of the inbox and of every kind of list in a ledger of 100,000 memories, of which 10,000 wait."""

from __future__ import annotations

import statistics
import time
from typing import Any

import pytest

from tests.benchmarks.ledger_rows import fill
from workbench.home import Home
from workbench.operations import memories, review, why

MEMORIES, WAITING = 100_000, 10_000
LIMIT = 50
LISTS: dict[str, dict[str, Any]] = {
    "default": {},
    "page 500": {"offset": 50_000},
    "of any status": {"status": None},
    "rejected": {"status": "rejected"},
    "of a kind": {"kind": "fact"},
    "of a project": {"scope_type": "project", "scope_key": "/home/someone/project-3"},
    "of a fact": {"fact_key": "topic-33.k33333"},
    "with a tag nobody has": {"tag": "nobody"},
    "confirmed": {"authority": "confirmed"},
    "of an agent": {"source_agent": "codex"},
    "core, none": {"tier": "core"},
    "in force last June": {"status": None, "as_of": "2025-06-01T00:00:00.000000Z"},
    "written in January": {"until": "2025-02-01T00:00:00.000000Z"},
    "waiting": {"status": None, "waiting": True},
    "by trust": {"order": "trust"},
    "by importance": {"order": "importance"},
    "with two words": {"q": "bafi gra"},
}
INBOXES: dict[str, dict[str, Any]] = {
    "first page": {},
    "page 100": {"offset": 5_000},
    "of a reason": {"reason": "contradicts"},
    "of a source": {"source": "claude-code:s10"},
    "of a project": {"project": "/home/someone/project-3"},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return fill(Home(tmp_path_factory.mktemp("inbox") / "home"), MEMORIES, WAITING)


def took(what: str, act: Any, limit: float | None = None, runs: int = 15) -> None:
    wall, work = [], []
    for _ in range(runs):
        started, begun = time.perf_counter(), time.process_time()
        act()
        wall.append((time.perf_counter() - started) * 1000)
        work.append((time.process_time() - begun) * 1000)
    median = statistics.median(wall)
    print(f"{what:30} median {median:6.1f} ms, best {min(wall):6.1f} ms ({min(work):.1f} ms of processor)")
    assert limit is None or median <= limit, what


def test_pages(home: Home) -> None:
    print(f"\n{MEMORIES:,} memories, {WAITING:,} waiting; pages of 100, of the inbox of 50")
    for name, wanted in LISTS.items():
        took(f"list {name}", lambda wanted=wanted: memories.list_memories(home, **wanted), None if wanted else LIMIT)
    for name, wanted in INBOXES.items():
        took(f"inbox {name}", lambda wanted=wanted: review.inbox(home, **wanted), None if wanted else LIMIT)
    took("inbox by group", lambda: review.groups(home))
    newest = [item.id for item in memories.list_memories(home).items]
    took("short ids of a page", lambda: memories.short_ids(home, newest))
    took("why", lambda: why.why(home, newest[0]))
    took("status", lambda: memories.standing(home), runs=3)
