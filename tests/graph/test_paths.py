"""Ways between entities: the shortest, in either direction, along what holds."""

from __future__ import annotations

import sqlite3
from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.conftest import day, empty, fact, memory
from workbench.graph import paths
from workbench.graph.state import apply

NOW = day(100)
EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] != pair[1]), max_size=14)


def build(edges: list[tuple[int, int]]) -> sqlite3.Connection:
    connection = empty()
    apply(connection, {memory(n): fact(f"N{a}", "knows", f"N{b}") for n, (a, b) in enumerate(edges)})
    return connection


def distance(edges: list[tuple[int, int]], source: int, target: int) -> int | None:
    """The fewest edges between two nodes, by the book."""
    seen, front = {source: 0}, deque([source])
    while front:
        node = front.popleft()
        for pair in edges:
            if node in pair and (other := pair[0] if pair[1] == node else pair[1]) not in seen:
                seen[other] = seen[node] + 1
                front.append(other)
    return seen.get(target)


@given(EDGES, st.integers(1, 6))
@settings(max_examples=40)
def test_the_way_found_is_a_shortest_one(edges: list[tuple[int, int]], most: int) -> None:
    connection = build(edges)
    known = {row["id"]: {row["subject"], row["object"]} for row in connection.execute("SELECT * FROM triples")}
    for target in (1, 5, 9):
        found = paths.shortest(connection, "n0", f"n{target}", most, NOW)
        expected = distance(edges, 0, target)
        assert len(found) == (expected if expected is not None and expected <= most else 0)
        here = "n0"
        for triple in found:
            (here,) = known[triple] - {here}
        assert here == (f"n{target}" if found else "n0")


def test_a_way_leads_along_what_holds_then(graph: sqlite3.Connection) -> None:
    apply(
        graph,
        {
            memory(1): fact("Ada", "knows", "Bob", day(1), day(5)),
            memory(2): fact("Cy", "knows", "Bob", day(1)),
            memory(3): fact("Ada", "note", "Cy", day(1)),
        },
    )
    assert len(paths.shortest(graph, "ada", "cy", 4, day(4))) == 2
    assert paths.shortest(graph, "ada", "cy", 4, day(5)) == []


def test_the_nearest_come_first_and_each_once(graph: sqlite3.Connection) -> None:
    pairs = [("Ada", "Bob"), ("Bob", "Cy"), ("Cy", "Ada"), ("Cy", "Dee")]
    apply(graph, {memory(n): fact(a, "knows", b) for n, (a, b) in enumerate(pairs)})
    steps = paths.around(graph, "bob", 2, NOW, 10)
    assert [(step.entity, step.distance, step.came_from) for step in steps] == [
        ("ada", 1, "bob"),
        ("cy", 1, "bob"),
        ("dee", 2, "cy"),
    ]
    assert len(paths.around(graph, "bob", 2, NOW, 2)) == 2
