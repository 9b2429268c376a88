"""What it costs to remember: alone, in a large ledger, and with eight processes at once."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchmarks.ledger_rows import fill
from workbench import files
from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.model import PERSON, Actor, Candidate, Kind
from workbench.operations import effects, memories
from workbench.operations.home import open_home
from workbench.operations.remember import remember

SMALL, LARGE = 1_000, 100_000
WRITERS, EACH = 8, 1_000
ROUNDS = 150
CLAUDE = Actor("agent", "claude")


@pytest.fixture(scope="module", params=[SMALL, LARGE], ids=["1k", "100k"])
def sized(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Home]:
    home = fill(Home(tmp_path_factory.mktemp("ledger") / "home"), request.param)
    effects.drain(home)
    return request.param, home


def milliseconds(act: Callable[[int], object], number: int) -> float:
    """The time of an act."""
    begun = time.perf_counter()
    act(number)
    return (time.perf_counter() - begun) * 1_000


def cost_over(act: Callable[[int], object], floor: Callable[[int], object]) -> tuple[float, float]:
    """Medians of what an act takes over its floor, and of the floor; in turn, because a disk has its moods."""
    pairs = [(milliseconds(floor, number), milliseconds(act, number)) for number in range(ROUNDS)]
    return statistics.median(whole - least for least, whole in pairs), statistics.median(least for least, _ in pairs)


def statement(number: int, who: str) -> Candidate:
    """About 200 characters that no ledger knows yet."""
    text = f"The {who} parser number {number} reads lines of a kind that nobody described before. " * 2
    return Candidate(f"{text}It stops at byte {number * 13}.", Kind.FACT, explicit=False, confidence=None)


COSTS: dict[tuple[str, int], float] = {}


def test_a_create_costs_little_more_than_its_fsync(sized: tuple[int, Home]) -> None:
    count, home = sized

    def one_row(number: int) -> None:
        with store.writing(home) as connection:
            connection.execute("INSERT INTO meta VALUES (?, '') ON CONFLICT DO NOTHING", (f"bench {number}",))

    def active_floor(number: int) -> None:
        for _ in range(2):  # the memory with the lease of its effect, the end of that
            one_row(number)
        files.replace(home.root / "floor.md", b"x" * 20_000)

    for name, act, least in (
        ("waiting", lambda n: remember(home, CLAUDE, statement(n, "agent's")), one_row),
        ("active, and MEMORY.md", lambda n: remember(home, PERSON, statement(n, "person's")), active_floor),
    ):
        cost, floor = cost_over(act, least)
        COSTS[(name, count)] = cost
        print(f"\ncreate, {name}, at {count:,}: {cost:.1f} ms over the {floor:.1f} ms of its durable writes")
        assert cost <= 10


def test_a_create_costs_the_same_in_a_large_ledger(sized: tuple[int, Home]) -> None:
    if sized[0] != LARGE:
        pytest.skip("compared once both sizes were measured")
    for name in ("waiting", "active, and MEMORY.md"):
        ratio = COSTS[(name, LARGE)] / COSTS[(name, SMALL)]
        print(f"\ncreate, {name}: {LARGE:,} costs {ratio:.2f} of {SMALL:,}")
        assert ratio <= 1.5


WRITER = """
import sys, time
from pathlib import Path
from workbench.home import Home
from workbench.ledger.model import Actor, Candidate, Kind
from workbench.operations.remember import remember

home, tag, count = Home(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for number in range(count):
    begun = time.perf_counter()
    candidate = Candidate(f"Fact {number} that writer {tag} found out.", Kind.FACT, explicit=False, confidence=None)
    done = remember(home, Actor("agent", tag), candidate)
    print(done.memory.id, time.perf_counter() - begun)
"""


def test_eight_processes_remember_at_once(tmp_path: Path) -> None:
    home = open_home(Home(tmp_path / "home"))
    begun = time.perf_counter()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(home.root), f"w{number}", str(EACH)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    said = [child.communicate() for child in running]
    taken = time.perf_counter() - begun
    lines = [line.split() for out, _ in said for line in out.splitlines()]
    waits = sorted(float(seconds) * 1_000 for _, seconds in lines)
    p99 = waits[int(len(waits) * 0.99)]
    print(f"\n{WRITERS} × {EACH:,} remember: {taken:.1f} s, p50 {statistics.median(waits):.0f} ms, p99 {p99:.0f} ms,")
    print(f"longest {waits[-1]:.0f} ms")
    assert [err for _, err in said] == [""] * WRITERS
    assert len({memory_id for memory_id, _ in lines}) == WRITERS * EACH
    audit = memories.verify_audit(home)
    assert (audit.events, [p for p in audit.problems if "anchor" not in p]) == (WRITERS * EACH, [])
    assert memories.list_memories(home, status=None, limit=1).total == WRITERS * EACH
    assert p99 <= 500
    assert taken <= 60
