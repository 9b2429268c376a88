"""What the graph costs at a million facts: to state one, many, a file of them; to ask."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench import db
from workbench.graph import store as graphs
from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.model import PERSON
from workbench.operations import facts, graph, graph_transfer
from workbench.operations.facts import Said
from workbench.operations.home import open_home

TRIPLES, ENTITIES, HUB = 1_000_000, 500_000, 10_000
ROUNDS = 100
RATES: list[float] = []
# Some entities that are there.
KNOWN: list[str] = []
PREDICATES = ("knows", "uses", "works_at", "lives_in", "part_of", "mentions")


def lines(seed: int) -> list[str]:
    """A million facts: mean degree 4, a hub of 10,000, one in six of a predicate with one value at a time."""
    chance = random.Random(seed)
    found = ["subject,predicate,object,valid_from"]
    for number in range(TRIPLES - HUB):
        pair = chance.randrange(ENTITIES), chance.randrange(ENTITIES)
        day = f"20{chance.randrange(10, 26)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
        found.append(f"Person {pair[0]},{PREDICATES[number % 6]},Person {pair[1]},{day}")
    found += [f"Person {chance.randrange(ENTITIES)},knows,Hub,2020-01-01" for _ in range(HUB)]
    return found


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("graph")
    home = open_home(Home(folder / "home"))
    path = Path(folder / "facts.csv")
    path.write_text("\n".join(lines(1)), "utf-8")
    begun = time.perf_counter()
    done = graph_transfer.import_file(home, PERSON, path)
    seconds = time.perf_counter() - begun
    KNOWN.extend(line.partition(",")[0] for line in lines(1)[1 : TRIPLES : TRIPLES // (ROUNDS + 2)])
    RATES.append(done.taken / seconds)
    print(f"\nimport of {done.taken:,} facts: {seconds:.1f} s, {done.taken / seconds:,.0f}/s")
    print(f"the file has {home.graph.stat().st_size / 1e6:,.0f} MB")
    return home


def test_a_file_of_facts_comes_in_quickly(large: Home) -> None:
    assert RATES[0] >= 50_000


def percentiles(act: Callable[[int], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Median and 95th percentile of what an act takes, in milliseconds."""
    taken = []
    for number in range(rounds):
        begun = time.perf_counter()
        act(number)
        taken.append((time.perf_counter() - begun) * 1_000)
    return statistics.median(taken), statistics.quantiles(taken, n=20)[-1]


def test_to_state_one_fact_costs_little_more_than_its_two_commits(large: Home) -> None:
    def two_commits(number: int) -> None:
        for home_store, table in ((store, "meta"), (graphs, "meta")):
            with home_store.writing(large) as connection:
                connection.execute(f"INSERT INTO {table} VALUES (?, '') ON CONFLICT DO NOTHING", (f"bench {number}",))

    floor, _ = percentiles(two_commits)
    cost, worst = percentiles(lambda n: facts.add(large, PERSON, Said(f"Person {n}", "reads", f"Book {n}")))
    print(f"\none fact: {cost:.1f} ms (p95 {worst:.1f}), its two commits {floor:.1f} ms")
    assert cost - floor <= 4


def test_many_facts_in_one_change_are_quick(large: Home) -> None:
    said = [Said(f"Person {n}", "wrote", f"Page {n}") for n in range(1_000)]
    begun = time.perf_counter()
    facts.add_all(large, PERSON, said)
    seconds = time.perf_counter() - begun
    print(f"\n1,000 facts in one change: {1_000 / seconds:,.0f}/s")
    assert 1_000 / seconds >= 1_000


@pytest.mark.parametrize(
    ("name", "ask", "limit"),
    [
        ("an entity, past too", lambda home, n: graph.query(home, KNOWN[n]), 5),
        ("an entity as of a day", lambda home, n: graph.query(home, KNOWN[n], as_of="2020-06-01"), 10),
        ("a timeline of 1,000", lambda home, n: graph.timeline(home, limit=1_000), 20),
        ("a path of 4", lambda home, n: graph.path(home, KNOWN[n], KNOWN[n - 1]), 200),
        ("a path by the hub", lambda home, n: graph.path(home, KNOWN[n], "Hub"), 200),
    ],
)
def test_questions_are_quick(large: Home, name: str, ask: Callable[[Home, int], object], limit: float) -> None:
    middle, worst = percentiles(lambda n: ask(large, n + 1))
    print(f"\n{name}: {middle:.2f} ms (p95 {worst:.2f})")
    assert middle <= limit


def test_the_million_goes_with_one_undo_and_comes_back(large: Home) -> None:
    from workbench.operations import memories, rulings

    (change,) = [event.change_id for event in memories.history(large, limit=5_000) if event.action == "created"][-1:]
    for what in ("undo", "undo of the undo"):
        begun = time.perf_counter()
        rulings.undo(large, PERSON, change_id=change)
        print(f"\n{what}: {time.perf_counter() - begun:.1f} s")
        change = memories.history(large, limit=1)[0].change_id
    assert graph.stats(large).triples >= TRIPLES - HUB
    assert db.integrity(large.graph, graphs.SCHEMA) == []
