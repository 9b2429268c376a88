"""Facts are governed: each is a memory, and the graph holds it exactly while that is in force."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from workbench import db
from workbench.errors import NotFound, WorkbenchError
from workbench.graph import store as graphs
from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.gate import SecretRefused
from workbench.ledger.model import PERSON, Actor, Candidate, Kind
from workbench.ledger.time import BadPeriod
from workbench.operations import doctor, erase, facts, graph, graph_effects, memories, rulings
from workbench.operations.facts import Said
from workbench.operations.remember import remember

CLAUDE = Actor("agent", "claude")


def add(home: Home, subject: str, predicate: str, object_: str, actor: Actor = PERSON, **fields: str | None):
    return facts.add(home, actor, Said(subject, predicate, object_, **fields))


def told(home: Home, name: str, **options: str) -> list[tuple[str, str, str]]:
    return [(fact.subject, fact.predicate, fact.object) for fact in graph.query(home, name, **options)]


def rows(home: Home) -> dict[str, list[tuple]]:
    with graphs.reading(home) as connection:
        return {
            table: sorted(map(tuple, connection.execute(f"SELECT * FROM {table}")), key=repr)
            for table in ("entities", "triples", "aliases")
        }


def test_what_the_person_says_holds_and_leads_to_its_memory(home: Home) -> None:
    said = add(home, "Ada Lovelace", "Works At", "Acme", subject_type="person")
    (fact,) = graph.query(home, "ada lovelace")
    assert said.message == f"Fact added: Ada Lovelace → works_at → Acme (id: {fact.id})"
    assert (fact.id, fact.memory_id, fact.current) == (said.fact_id, said.memory.id, True)
    assert (said.memory.content, said.memory.authority) == ("Ada Lovelace works at Acme", "confirmed")
    assert (fact.direction, fact.valid_from, fact.valid_to, fact.source) == ("outgoing", None, None, "person:owner")
    assert told(home, "acme", direction="outgoing") == []
    assert told(home, "acme", as_of="2020-01-01") == [("Ada Lovelace", "works_at", "Acme")]


def test_what_an_agent_says_is_not_in_the_graph_before_the_verdict(home: Home) -> None:
    said = add(home, "Ada", "works_at", "Acme", CLAUDE, confidence=0.9)
    assert (said.fact_id, said.memory.status) == (None, "needs_review")
    assert said.message.startswith(f"Proposed: Ada → works_at → Acme (id: {said.memory.id}); it waits for the person")
    assert graph.stats(home).triples == 0
    rulings.accept(home, PERSON, said.memory.id)
    (fact,) = graph.query(home, "Ada")
    assert (fact.memory_id, fact.confidence, fact.source) == (said.memory.id, 0.9, "claude")
    rulings.undo(home, PERSON)
    assert graph.stats(home).triples == graph.stats(home).entities == 0
    rulings.reject(home, PERSON, said.memory.id)
    assert graph.stats(home).triples == 0
    assert "ruled that this is wrong" in add(home, "Ada", "works_at", "Acme", CLAUDE).message


def test_a_second_employer_ends_the_first_and_undo_opens_it_again(home: Home) -> None:
    add(home, "Ada", "works_at", "Acme", valid_from="2020-01-01T00:00Z")
    before = rows(home)
    second = add(home, "Ada", "works_at", "Initech", valid_from="2024-01-01T00:00Z")
    assert "in place of m_" in second.message
    windows = {fact.object: (fact.valid_from, fact.valid_to, fact.current) for fact in graph.query(home, "Ada")}
    start, change = "2020-01-01T00:00:00.000000Z", "2024-01-01T00:00:00.000000Z"
    assert windows == {"Acme": (start, change, False), "Initech": (change, None, True)}
    assert told(home, "Ada", as_of="2023-12-31T23:59Z") == [("Ada", "works_at", "Acme")]
    assert told(home, "Ada", as_of="2024-01-01T00:00Z") == [("Ada", "works_at", "Initech")]
    rulings.undo(home, PERSON)
    assert rows(home) == before


def test_a_second_editor_ends_nothing_nor_does_another_subject(home: Home) -> None:
    for subject, object_ in (("Ada", "Vim"), ("Ada", "Emacs"), ("Bob", "Vim")):
        assert add(home, subject, "uses", object_).superseded == []
    add(home, "Ada", "works_at", "Acme")
    assert add(home, "ada", "works_at", "Initech").superseded != []
    assert add(home, "Ada L", "works_at", "Acme").superseded == []
    assert graph.stats(home).current_facts == 5


def test_an_earlier_employer_said_later_is_history(home: Home) -> None:
    add(home, "Ada", "works_at", "Initech", valid_from="2024-01-01T00:00Z")
    add(home, "Ada", "works_at", "Acme", valid_from="2020-01-01T00:00Z")
    windows = [(fact.object, fact.valid_from, fact.valid_to) for fact in graph.timeline(home, "Ada")]
    start, change = "2020-01-01T00:00:00.000000Z", "2024-01-01T00:00:00.000000Z"
    assert windows == [("Acme", start, change), ("Initech", change, None)]


def test_an_identical_open_fact_is_seen_again_and_disjoint_ones_are_kept_apart(home: Home) -> None:
    first = add(home, "Ada", "uses", "Vim", valid_from="2024-01-01T00:00Z")
    again = add(home, "ada", "uses", "vim", valid_from="2025-01-01T00:00Z")
    assert (again.outcome, again.fact_id) == ("seen_again", first.fact_id)
    add(home, "Ada", "uses", "Vim", valid_from="2010-01-01T00:00Z", valid_to="2012-01-01T00:00Z")
    assert [(fact.valid_from[:4], fact.valid_to and fact.valid_to[:4]) for fact in graph.timeline(home)] == [
        ("2010", "2012"),
        ("2024", None),
    ]


def test_an_invalidated_fact_stays_as_history_and_may_hold_again(home: Home) -> None:
    add(home, "Ada", "uses", "Vim")
    before = rows(home)
    (ended,) = facts.invalidate(home, PERSON, "ada", "uses", "vim", ended="2025-06-30T12:00Z")
    assert ended.memory.content == "ada no longer uses vim"
    (fact,) = graph.query(home, "Ada")
    assert (fact.valid_to, fact.current) == ("2025-06-30T12:00:00.000000Z", False)
    assert told(home, "Ada", as_of="2025-06-30T11:59Z") and not told(home, "Ada", as_of="2025-06-30T12:00Z")
    with pytest.raises(NotFound, match="No active fact found: Ada → uses → Vim"):
        facts.invalidate(home, PERSON, "Ada", "uses", "Vim")
    rulings.undo(home, PERSON)
    assert rows(home) == before
    rulings.undo(home, PERSON, change_id=memories.history(home)[0].change_id)
    add(home, "Ada", "uses", "Vim", valid_from="2025-08-01T00:00Z")
    assert [fact.current for fact in graph.timeline(home, "Ada")] == [True, False]


def test_what_an_agent_would_end_stays_until_the_person_says_so(home: Home) -> None:
    add(home, "Ada", "works_at", "Acme")
    (asked,) = facts.invalidate(home, CLAUDE, "Ada", "works_at", "Acme")
    assert asked.message.startswith("Proposed") and [fact.current for fact in graph.query(home, "Ada")] == [True]
    rulings.accept(home, PERSON, asked.memory.id)
    assert [fact.current for fact in graph.query(home, "Ada")] == [False]


@pytest.mark.parametrize(
    ("fact", "why"),
    [
        (Said("Ada, Bob", "knows", "Cy"), "ONE entity per subject"),
        (Said("Ada", "knows", "Bob, Cy"), "ONE entity per object"),
        (Said("", "knows", "Cy"), "'subject' required"),
        (Said("Ada", " ", "Cy"), "'predicate' required"),
        (Said("Ada", "knows", "\u200b"), "'object' required"),
        (Said("Ada", "knows", "ADA"), "relates two things"),
        (Said("Ada", "same_as", "Bob"), "graph merge"),
        (Said("Ada", "knows", "Cy", valid_from="2026-02-30"), "is not a date"),
        (Said("Ada", "knows", "Cy", valid_from="2026-03-02", valid_to="2026-03-01"), "turn them round"),
        (Said("Ada", "knows", "Cy", subject_type="robot"), "no type of entity"),
        (Said("Ada", "knows", "x" * 201), "at most 200 characters"),
    ],
)
def test_what_is_no_fact_is_refused(home: Home, fact: Said, why: str) -> None:
    with pytest.raises(WorkbenchError, match=why):
        facts.add(home, PERSON, fact)
    assert memories.list_memories(home, status=None).total == 0


def test_a_credential_is_refused_and_a_comma_may_stand_in_an_address(home: Home) -> None:
    with pytest.raises(SecretRefused):
        add(home, "Ada", "note", "her password: hunter2-hunter2")
    add(home, "Ada", "address", "12 Mill Lane, Oslo")
    assert told(home, "Ada") == [("Ada", "address", "12 Mill Lane, Oslo")]


def test_an_end_before_the_beginning_is_refused(home: Home) -> None:
    add(home, "Ada", "uses", "Vim", valid_from="2024-01-01T00:00Z")
    with pytest.raises(BadPeriod, match="before it begins"):
        facts.invalidate(home, PERSON, "Ada", "uses", "Vim", ended="2023-12-31T00:00Z")


def test_nothing_is_guessed_and_what_is_alike_is_named(home: Home) -> None:
    add(home, "Ada Lovelace", "uses", "Engine")
    with pytest.raises(NotFound, match=r"No exact match for 'ada'\. Did you mean: 'Ada Lovelace'"):
        graph.query(home, "ada")
    with pytest.raises(NotFound, match=r"No facts found for 'Zoe'\. Entity does not exist"):
        graph.query(home, "Zoe")


def test_a_merge_and_an_alias_and_both_taken_back(home: Home) -> None:
    add(home, "Bob S.", "works_at", "Acme", valid_from="2020-01-01T00:00Z")
    add(home, "Bob Stone", "uses", "Vim")
    before = rows(home)
    asked = facts.merge(home, CLAUDE, "Bob S.", "Bob Stone")
    assert (asked.memory.status, rows(home)) == ("needs_review", before)
    merged = facts.merge(home, PERSON, "Bob S.", "Bob Stone")
    assert (merged.memory.id, merged.memory.content) == (asked.memory.id, "Bob S. is the same as Bob Stone")
    assert told(home, "bob s.") == [("Bob Stone", "works_at", "Acme"), ("Bob Stone", "uses", "Vim")]
    after_merge = rows(home)
    facts.alias(home, PERSON, "Bob Stone", "Bobby")
    assert told(home, "bobby") == told(home, "Bob Stone")
    assert add(home, "Bobby", "uses", "VIM", CLAUDE).outcome == "seen_again"
    with pytest.raises(WorkbenchError, match="'Bobby' stands for 'Bob Stone' already"):
        facts.alias(home, PERSON, "Acme", "Bobby")
    with pytest.raises(WorkbenchError, match="are one entity already"):
        facts.merge(home, PERSON, "Bobby", "bob s.")
    add(home, "Bobby", "works_at", "Initech", valid_from="2024-01-01T00:00Z")
    assert {fact.object: fact.current for fact in graph.query(home, "Bob Stone")} == {
        "Acme": False,
        "Initech": True,
        "Vim": True,
    }
    for expected in (None, after_merge, before):
        rulings.undo(home, PERSON)
        assert expected is None or rows(home) == expected


def test_a_corrected_fact_is_another_fact_and_one_that_is_none_any_more_goes(home: Home) -> None:
    said = add(home, "Ada", "uses", "Vim")
    rulings.correct(home, PERSON, said.memory.id, "Ada uses Emacs.")
    assert told(home, "Ada") == [("Ada", "uses", "Emacs")]
    assert add(home, "Ada", "uses", "Emacs").outcome == "seen_again"
    assert add(home, "Ada", "uses", "Vim").outcome == "created"
    rulings.correct(home, PERSON, said.memory.id, "Ada is fond of Emacs.")
    assert told(home, "Ada") == [("Ada", "uses", "Vim")]


def test_what_is_erased_leaves_no_trace_in_the_file(home: Home) -> None:
    said = add(home, "Zebedee Quux", "works_at", "Wombat Works")
    kept = add(home, "Ada", "uses", "Vim")
    erase.erase(home, PERSON, [said.memory.id])
    assert [fact.memory_id for fact in graph.timeline(home)] == [kept.memory.id]
    for path in home.root.glob("knowledge_graph.sqlite3*"):
        assert b"ebedee" not in path.read_bytes() and b"ombat" not in path.read_bytes()


def test_what_is_private_no_agent_is_shown(home: Home) -> None:
    said = add(home, "Ada", "was treated for", "depression", CLAUDE)
    assert said.memory.privacy == "sensitive"
    with store.writing(home) as connection:
        connection.execute("UPDATE memories SET status = 'active', review_reason = NULL")
    graph_effects.follow_anew(home)
    assert [fact.object for fact in graph.query(home, "Ada")] == ["depression"]
    for name in ("Ada", "depress"):
        with pytest.raises(NotFound, match="Entity does not exist"):
            graph.query(home, name, private=False)
    rulings.accept(home, PERSON, said.memory.id)
    assert [fact.object for fact in graph.query(home, "Ada", private=False)] == ["depression"]


def test_the_same_words_said_before_become_a_fact(home: Home) -> None:
    plain = remember(home, PERSON, Candidate("Ada uses Vim", Kind.FACT, explicit=True, confidence=None))
    assert graph.stats(home).triples == 0
    said = add(home, "Ada", "uses", "Vim")
    assert (said.memory.id, told(home, "Ada")) == (plain.memory.id, [("Ada", "uses", "Vim")])


def test_a_lost_or_stale_graph_is_made_again_from_the_ledger(home: Home, tmp_path: Path) -> None:
    add(home, "Ada", "works_at", "Acme")
    add(home, "Ada", "works_at", "Initech")
    add(home, "Bob", "uses", "Vim")
    facts.alias(home, PERSON, "Bob", "Bobby")
    before = rows(home)
    with graphs.writing(home) as connection:
        connection.execute("UPDATE meta SET value = '1 elsewhere'")
        connection.execute("DELETE FROM triples")
    graph_effects.follow(home, {})
    assert rows(home) == before
    graph_effects.follow(home, {})
    assert rows(home) == before


def test_an_effect_that_failed_is_carried_out_by_the_next(home: Home) -> None:
    graph.stats(home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_effects.state, "apply", _fail)
        said = add(home, "Ada", "uses", "Vim")
    assert said.backlog == 1
    add(home, "Ada", "uses", "Emacs")
    assert graph.stats(home).triples == 2


def _fail(*_: object) -> None:
    raise WorkbenchError("the disk is full")


def test_the_graph_is_a_database_of_ours(home: Home) -> None:
    with sqlite3.connect(home.graph) as connection:
        assert db.is_ours(connection)
    assert db.integrity(home.graph, graphs.SCHEMA) == []


def test_what_held_until_a_day_may_have_held_since_ever(home: Home) -> None:
    add(home, "Ada", "works_at", "Acme", valid_to="2020-12-31T00:00Z")
    add(home, "Ada", "works_at", "Initech", valid_from="2024-01-01T00:00Z")
    windows = [(fact.object, fact.valid_from, fact.valid_to) for fact in graph.timeline(home, "Ada")]
    assert windows == [
        ("Initech", "2024-01-01T00:00:00.000000Z", None),
        ("Acme", None, "2020-12-31T00:00:00.000000Z"),
    ]
    with pytest.raises(BadPeriod, match="holds; say from when it held, too"):
        add(home, "Ada", "works_at", "Hooli", valid_to="2022-12-31T00:00Z")


def test_the_doctor_finds_what_the_ledger_does_not_know_and_mends_it(home: Home) -> None:
    add(home, "Ada", "works_at", "Acme")
    facts.alias(home, PERSON, "Ada", "Countess")
    before = rows(home)
    assert doctor.examine(home).ok
    for change in (
        "INSERT INTO triples (id, subject, predicate, object, source, recorded_at, memory_id)"
        " VALUES (1, 'eve', 'owns', 'acme', 'x', 'x', 'm_0')",
        "DELETE FROM triples",
        "UPDATE triples SET object = 'initech'",
        "UPDATE triples SET stated_to = '2021-01-01T00:00:00.000000Z'",
        "DELETE FROM aliases",
        "INSERT INTO aliases VALUES ('eve', 'Eve', 'ada', 'ada', 'm_0', 'x')",
    ):
        with graphs.writing(home) as connection:
            connection.execute(change)
        (bad,) = [health for health in doctor.examine(home).files if health.problem]
        assert bad.path == str(home.graph) and (bad.problem or "").startswith("facts of the graph: 1 ")
        assert doctor.examine(home, repair=True).ok
        assert (rows(home), doctor.examine(home).ok) == (before, True)


def test_which_predicates_take_one_value_is_said_and_taken_back(home: Home) -> None:
    add(home, "Ada", "uses", "Vim", valid_from="2020-01-01T00:00Z")
    add(home, "Ada", "uses", "Emacs", valid_from="2024-01-01T00:00Z")
    before = rows(home)
    assert facts.declare(home, CLAUDE, "uses", single=True).memory.status == "needs_review" and rows(home) == before
    said = facts.declare(home, PERSON, "uses", single=True)
    assert said.message.startswith("Known already: uses → one value at a time")
    assert [fact.valid_to and fact.valid_to[:4] for fact in graph.timeline(home, "Ada")] == ["2024", None]
    assert add(home, "Ada", "uses", "Ed", valid_from="2025-01-01T00:00Z").outcome == "created"
    assert [fact.current for fact in graph.timeline(home, "Ada")] == [False, False, True]
    graph_effects.follow_anew(home)
    assert doctor.examine(home).ok
    rulings.undo(home, PERSON)
    rulings.undo(home, PERSON)
    assert rows(home) == before
    facts.declare(home, PERSON, "works_at", single=True)
    assert facts.declare(home, PERSON, "works_at", single=False).superseded != []
    assert doctor.examine(home).ok
    add(home, "Ada", "works_at", "Acme")
    add(home, "Ada", "works_at", "Initech")
    assert [fact.current for fact in graph.search(home, "works_at")] == [True, True]
