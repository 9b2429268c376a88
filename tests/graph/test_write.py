"""What the graph makes of facts, whatever the order in which it hears of them."""

from __future__ import annotations

import random as randoms
import sqlite3

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.conftest import day, empty, fact, memory, rows
from workbench.graph import queries
from workbench.graph.state import apply
from workbench.graph.write import Fact

NAMES = st.sampled_from(["Ada", "Bob", "Cy", "Acme", "Initech", "Vim"])
SAID = st.tuples(NAMES, st.sampled_from(["works_at", "uses", "role"]), NAMES, st.integers(1, 40)).map(
    lambda said: fact(said[0], said[1], said[2], day(said[3]), recorded_at=day(said[3]))
)
MERGES = st.tuples(NAMES, NAMES).map(lambda pair: fact(pair[0], "same_as", pair[1], recorded_at=day(50)))


def shown(connection: sqlite3.Connection, name: str, at: str | None = None) -> list[tuple[str, str, str]]:
    entity = queries.find(connection, name)
    assert entity is not None
    return [(row["subject"], row["predicate"], row["object"]) for row in queries.about(connection, entity.id, at=at)]


def test_a_second_employer_ends_the_first_and_a_second_editor_does_not(graph: sqlite3.Connection) -> None:
    said = [
        fact("Ada", "works_at", "Initech", day(20)),
        fact("Ada", "works_at", "Acme", day(10)),
        fact("Ada", "uses", "Vim", day(10)),
        fact("Ada", "uses", "Emacs", day(20)),
        fact("Bob", "works_at", "Acme", day(5)),
    ]
    for number, each in enumerate(said):
        apply(graph, {memory(number): each})
    windows = {(row["subject"], row["object"]): (row["valid_from"], row["valid_to"]) for row in queries.timeline(graph)}
    assert windows[("Ada", "Acme")] == (day(10), day(20))
    assert windows[("Ada", "Initech")] == (day(20), None)
    assert windows[("Ada", "Vim")] == (day(10), None)
    assert windows[("Bob", "Acme")] == (day(5), None)
    at_day_20 = shown(graph, "Ada", day(20))
    assert ("Ada", "works_at", "Initech") in at_day_20 and ("Ada", "works_at", "Acme") not in at_day_20


def test_a_value_keeps_its_text_and_is_no_entity(graph: sqlite3.Connection) -> None:
    apply(
        graph, {memory(1): fact("Ada", "role", "Senior  Engineer"), memory(2): fact("Ada", "note", "Loves Bob's Café")}
    )
    assert {row["object"] for row in queries.timeline(graph)} == {"Senior  Engineer", "Loves Bob's Café"}
    assert [entity.name for entity in queries.entities(graph)] == ["Ada"]


def test_a_fact_with_an_end_to_come_is_current(graph: sqlite3.Connection) -> None:
    apply(graph, {memory(1): fact("Ada", "uses", "Vim", day(1), "2999-01-01T00:00:00.000000Z")})
    apply(graph, {memory(2): fact("Ada", "uses", "Ed", day(1), day(2))})
    assert [row["current"] for row in queries.timeline(graph)] == [True, False]
    assert queries.stats(graph)["current_facts"] == 1


def test_what_is_taken_back_leaves_nothing(graph: sqlite3.Connection) -> None:
    apply(graph, {memory(1): fact("Ada", "works_at", "Acme", day(1))})
    before = rows(graph)
    apply(graph, {memory(2): fact("Ada", "works_at", "Initech", day(9), subject_type="person")})
    apply(graph, {memory(2): None})
    assert rows(graph) == before


def test_a_type_is_the_first_that_was_stated(graph: sqlite3.Connection) -> None:
    apply(graph, {memory(1): fact("Mercury", "is_near", "Venus", recorded_at=day(1))})
    apply(graph, {memory(3): fact("Mercury", "is_near", "Sol", recorded_at=day(3), subject_type="place")})
    apply(graph, {memory(2): fact("Mercury", "uses", "Lead", recorded_at=day(2), subject_type="project")})
    assert queries.find(graph, "mercury") == queries.Entity("mercury", "Mercury", "project")
    apply(graph, {memory(2): None})
    assert queries.find(graph, "mercury") == queries.Entity("mercury", "Mercury", "place")


def test_a_merge_moves_facts_hides_loops_and_doubles_and_leaves_others_alone(graph: sqlite3.Connection) -> None:
    said = [
        fact("Bob S.", "uses", "Vim", day(1)),
        fact("Bob Stone", "uses", "Vim", day(1)),
        fact("Bob S.", "knows", "Bob Stone", day(1)),
        fact("Cy", "knows", "Bob S.", day(1)),
        fact("Cy", "uses", "Vim", day(1), day(5)),
        fact("Dee", "uses", "Vim", day(1), day(5)),
        fact("Bobby", "same_as", "Bob S."),
    ]
    apply(graph, {memory(number): each for number, each in enumerate(said)})
    before = rows(graph)
    apply(graph, {memory(99): fact("Bob S.", "same_as", "Bob Stone", recorded_at=day(2))})
    assert shown(graph, "bobby") == [("Bob Stone", "uses", "Vim"), ("Cy", "knows", "Bob Stone")]
    assert queries.stats(graph) | {"relationship_types": []} == {
        "entities": 4,
        "triples": 4,
        "current_facts": 2,
        "expired_facts": 2,
        "hidden": 2,
        "aliases": 2,
        "relationship_types": [],
    }
    apply(graph, {memory(99): None})
    assert rows(graph) == before


@given(st.lists(SAID | MERGES, max_size=9), st.integers(0, 1000))
@settings(max_examples=40)
def test_the_order_of_facts_and_merges_does_not_matter(said: list[Fact], seed: int) -> None:
    facts = {memory(number): each for number, each in enumerate(said)}
    in_order, shuffled = empty(), empty()
    for key, each in facts.items():
        apply(in_order, {key: each})
    keys = list(facts)
    randoms.Random(seed).shuffle(keys)
    for key in keys:
        apply(shuffled, {key: facts[key]})
    apply(shuffled, facts)
    assert rows(shuffled)["triples"] == rows(in_order)["triples"]
    assert rows(shuffled) == rows(in_order)


@given(st.lists(SAID | MERGES, max_size=8), SAID | MERGES)
@settings(max_examples=40)
def test_to_take_a_fact_or_a_merge_back_is_the_identity(said: list[Fact], last: Fact) -> None:
    connection = empty()
    apply(connection, {memory(number): each for number, each in enumerate(said)})
    before = rows(connection)
    apply(connection, {memory(99): last})
    apply(connection, {memory(99): None})
    assert rows(connection) == before
