"""Facts by the file: an import is one memory, and comes, goes and comes back whole."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from xml.etree import ElementTree

import networkx
import pandas
import pytest

from tests.operations.test_facts import CLAUDE, add, rows, told
from workbench.errors import WorkbenchError
from workbench.graph import frames
from workbench.graph import store as graphs
from workbench.home import Home
from workbench.ledger.model import PERSON
from workbench.operations import bundle, doctor, erase, facts, graph, graph_effects, graph_transfer, rulings
from workbench.operations.home import open_home

CSV = """subject,predicate,object,valid_from,valid_to,subject_type
Ada,works_at,Acme,2020-01-01T00:00Z,,person
Ada,works_at,Initech,2024-01-01T00:00Z,,person
Ada,uses,Vim,,,person
Bob,role,Senior Engineer,,,
Bob,note,her password: hunter2-hunter2,,,
Cy,uses,Vim,2026-02-30,,
Cy,uses,Vim,2026-03-02T00:00Z,2026-03-01T00:00Z,
,uses,Vim,,,
"""
FLOWLY = """
CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT DEFAULT 'unknown',
    properties TEXT DEFAULT '{}', created_at TEXT);
CREATE TABLE triples (id TEXT PRIMARY KEY, subject TEXT, predicate TEXT, object TEXT, valid_from TEXT, valid_to TEXT,
    confidence REAL DEFAULT 1.0, source TEXT DEFAULT 'agent', extracted_at TEXT);
CREATE TABLE aliases (alias TEXT PRIMARY KEY, canonical_id TEXT);
INSERT INTO entities VALUES ('ada_lovelace', 'Ada Lovelace', 'person', '{"born": 1815}', '2026-01-01T10:00:00'),
    ('bobs_cafe', 'Bob''s Cafe', 'company', '{}', '2026-01-01T10:00:00'), ('vim', 'Vim', 'unknown', '{}', NULL),
    ('lonely', 'Lonely', 'project', '{}', NULL);
INSERT INTO triples VALUES
    ('t_1', 'ada_lovelace', 'works_at', 'bobs_cafe', '2025-01-01', NULL, 1.0, 'agent', '2026-01-01T10:00:00'),
    ('t_2', 'ada_lovelace', 'uses', 'vim', NULL, '2025-06-30', 0.9, 'agent', '2026-01-01T10:00:00'),
    ('t_3', 'ada_lovelace', 'role', 'senior_engineer', NULL, NULL, 1.0, 'agent', '2026-01-01T10:00:00');
INSERT INTO aliases VALUES ('ada', 'ada_lovelace');
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "facts.csv"
    path.write_text(CSV, "utf-8")
    return path


@pytest.fixture
def flowly(tmp_path: Path) -> Path:
    path = tmp_path / "knowledge_graph.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.executescript(FLOWLY)
    connection.close()
    return path


def test_an_import_is_one_memory_and_says_what_it_left_out(home: Home, file: Path) -> None:
    add(home, "Ada", "likes", "Tea")
    done = graph_transfer.import_file(home, PERSON, file)
    assert (done.read, done.taken, done.after.triples, done.entities) == (8, 4, 5, 1)
    assert sorted(done.left_out.values()) == [1, 1, 1, 1]
    assert done.left_out["a fact that holds a credential"] == 1
    assert "4 facts to the knowledge graph (SHA-256 " in done.memory.content
    windows = {fact.object: (fact.valid_to and fact.valid_to[:4], fact.current) for fact in graph.query(home, "ada")}
    assert windows == {"Acme": ("2024", False), "Initech": (None, True), "Vim": (None, True), "Tea": (None, True)}
    (fact,) = graph.query(home, "Bob")
    assert (fact.object, fact.memory_id, fact.batch_id) == ("Senior Engineer", done.memory.id, done.batch_id)


def test_an_import_goes_and_comes_back_whole(home: Home, file: Path) -> None:
    add(home, "Ada", "works_at", "Hooli", valid_from="2022-01-01T00:00Z")
    add(home, "Ada", "knows", "Bob", object_type="project")
    empty = rows(home)
    done = graph_transfer.import_file(home, PERSON, file)
    full = rows(home)
    assert graph.stats(home).triples == 6
    assert told(home, "Ada", as_of="2023-01-01") == [
        ("Ada", "works_at", "Hooli"),
        ("Ada", "knows", "Bob"),
        ("Ada", "uses", "Vim"),
    ]
    rulings.undo(home, PERSON)
    assert rows(home) == empty
    rulings.undo(home, PERSON, change_id=_undo_of(home))
    assert rows(home) == full
    graph_effects.follow_anew(home)
    assert rows(home) == full
    again = graph_transfer.import_file(home, PERSON, file)
    assert (again.memory.id, again.message.split(" as ")[0]) == (
        done.memory.id,
        "4 facts of facts.csv were imported before",
    )
    erase.erase(home, PERSON, [done.memory.id])
    assert rows(home) == empty
    with graphs.reading(home) as connection:
        assert connection.execute("SELECT count(*) FROM batches").fetchone()[0] == 0
    assert b"Initech" not in home.graph.read_bytes()


def _undo_of(home: Home) -> str:
    from workbench.operations import memories

    return memories.history(home)[0].change_id


def test_what_an_agent_imports_waits_as_one(home: Home, file: Path) -> None:
    done = graph_transfer.import_file(home, CLAUDE, file)
    assert (done.memory.status, done.memory.review_reason, done.after.triples) == ("needs_review", "imported", 0)
    rulings.accept(home, PERSON, done.memory.id)
    assert graph.stats(home).triples == 4
    rulings.correct(home, PERSON, done.memory.id, "The facts of the old wiki.")
    assert graph.stats(home).triples == 4
    rulings.archive(home, PERSON, done.memory.id)
    assert graph.stats(home).triples == graph.stats(home).entities == 0


def test_what_is_said_of_an_imported_fact_counts(home: Home, file: Path) -> None:
    graph_transfer.import_file(home, PERSON, file)
    imported = rows(home)
    known = add(home, "ada", "uses", "vim", CLAUDE)
    assert (known.outcome, known.memory, rows(home)) == ("seen_again", None, imported)
    facts.invalidate(home, PERSON, "Ada", "uses", "Vim", ended="2026-06-30T00:00Z")
    assert {fact.object: fact.current for fact in graph.query(home, "Ada")} == {
        "Acme": False,
        "Initech": True,
        "Vim": False,
    }
    rulings.undo(home, PERSON)
    assert rows(home) == imported


def test_the_graph_of_a_flowly_comes_in_as_it_is(home: Home, flowly: Path) -> None:
    before = flowly.read_bytes()
    done = graph_transfer.import_file(home, PERSON, flowly)
    assert (done.format, done.read, done.after.triples, done.after.entities, done.after.aliases) == (
        "flowly",
        3,
        3,
        4,
        1,
    )
    assert (done.lossy, done.left_out) == (["senior_engineer"], {})
    assert flowly.read_bytes() == before and sorted(flowly.parent.glob("knowledge*")) == [flowly]
    assert told(home, "ada", direction="outgoing") == [
        ("Ada Lovelace", "works_at", "Bob's Cafe"),
        ("Ada Lovelace", "uses", "Vim"),
        ("Ada Lovelace", "role", "senior_engineer"),
    ]
    assert told(home, "Ada", as_of="2025-06-30T12:00Z")[1:2] == [("Ada Lovelace", "uses", "Vim")]
    with graphs.reading(home) as connection:
        known = {tuple(row) for row in connection.execute("SELECT id, type, properties FROM entities")}
    assert known == {
        ("ada_lovelace", "person", '{"born": 1815}'),
        ("bobs_cafe", "company", "{}"),
        ("vim", "unknown", "{}"),
        ("lonely", "project", "{}"),
    }
    rulings.undo(home, PERSON)
    assert rows(home) == {"entities": [], "triples": [], "aliases": []}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("a,b\n1,2\n", "names no column subject, predicate, object"),
        ("{", "is no JSON"),
        ('{"facts": []}', 'no list "triples"'),
        ("[]", "holds no facts"),
        ("subject,predicate,object\n", "holds no facts"),
    ],
)
def test_what_is_no_file_of_facts_is_refused(home: Home, tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "facts.txt"
    path.write_text(content, "utf-8")
    with pytest.raises(WorkbenchError, match=why):
        graph_transfer.import_file(home, PERSON, path)


def test_what_is_exported_is_imported_alike(home: Home, file: Path, tmp_path: Path) -> None:
    graph_transfer.import_file(home, PERSON, file)
    facts.alias(home, PERSON, "Ada", "Countess")
    written = graph_transfer.export_file(home, tmp_path / "graph.json", "json")
    assert (written.triples, written.entities) == (4, 5)
    other = Home(tmp_path / "other")
    graph_transfer.import_file(open_home(other), PERSON, tmp_path / "graph.json")
    assert told(other, "Countess") == told(home, "Countess")
    assert json.loads((tmp_path / "graph.json").read_bytes())["triples"][0]["subject"] == "Ada"
    with pytest.raises(WorkbenchError, match="is there already"):
        graph_transfer.export_file(home, tmp_path / "graph.json", "json")
    graph_transfer.export_file(home, tmp_path / "graph.csv", "csv", as_of="2021-01-01")
    assert (tmp_path / "graph.csv").read_text("utf-8").splitlines()[1].startswith("Ada,works_at,Acme,2020-01-01")


def test_graphml_is_what_networkx_reads(home: Home, tmp_path: Path) -> None:
    add(home, "Ada & <Co>", "works_at", 'Ac"me\u0001', subject_type="person")
    add(home, "Ada & <Co>", "role", "R&D")
    graph_transfer.export_file(home, tmp_path / "graph.graphml", "graphml")
    ElementTree.parse(tmp_path / "graph.graphml")
    read = networkx.read_graphml(tmp_path / "graph.graphml")
    assert dict(read.nodes["ada_&_<co>"]) == {"name": "Ada & <Co>", "type": "person", "value.role": "R&D"}
    (edge,) = read.edges(data=True)
    assert (edge[0], edge[1], edge[2]["predicate"]) == ("ada_&_<co>", 'ac"me\ufffd', "works_at")


def test_the_graph_for_analysis(home: Home) -> None:
    add(home, "Ada", "works_at", "Acme", valid_from="2020-01-01T00:00Z", valid_to="2020-01-11T00:00Z")
    add(home, "Ada", "works_at", "Initech", valid_from="2024-01-01T00:00Z", subject_type="person")
    add(home, "Ada", "email", "ada@example.org")
    network = frames.to_networkx(home)
    assert network.nodes["ada"] == {"email": "ada@example.org", "name": "Ada", "type": "person"}
    assert sorted((a, b, data["current"]) for a, b, data in network.edges(data=True)) == [
        ("ada", "acme", False),
        ("ada", "initech", True),
    ]
    assert frames.to_networkx(home, "2020-01-02T00:00:00.000000Z").number_of_edges() == 1
    entities, known = frames.to_frames(home)
    assert (len(entities), len(known), known["valid_from"].dtype.tz is not None) == (3, 3, True)
    lasted = frames.timeline(home, "ADA")
    assert list(lasted["object"]) == ["Acme", "Initech", "ada@example.org"]
    assert lasted["days"].iloc[0] == 10 and pandas.isna(lasted["days"].iloc[2])
    assert len(frames.timeline(home, "nobody")) == 0 and len(frames.timeline(home)) == 3


def test_the_doctor_counts_what_an_import_brought(home: Home, file: Path) -> None:
    graph_transfer.import_file(home, PERSON, file)
    before = rows(home)
    with graphs.writing(home) as connection:
        connection.execute("DELETE FROM triples WHERE object = 'vim'")
    (bad,) = [health for health in doctor.examine(home).files if health.problem]
    assert "1 imports of them that are not whole" in bad.problem
    assert doctor.examine(home, repair=True).ok and rows(home) == before


def test_a_backup_brings_facts_back_and_an_import_once_more(home: Home, file: Path, tmp_path: Path) -> None:
    add(home, "Ada", "likes", "Tea")
    facts.alias(home, PERSON, "Ada", "Countess")
    done = graph_transfer.import_file(home, PERSON, file)
    before = rows(home)
    bundle.export(home, PERSON, tmp_path / "all.mwb")
    other = open_home(Home(tmp_path / "other"))
    bundle.import_own(other, PERSON, tmp_path / "all.mwb")
    assert told(other, "Countess") == [("Ada", "likes", "Tea")]
    (bad,) = [health for health in doctor.examine(other).files if health.problem]
    assert bad.problem == "facts of the graph: 1 missing that it states"
    again = graph_transfer.import_file(other, PERSON, file)
    assert (again.memory.id, rows(other), doctor.examine(other).ok) == (done.memory.id, before, True)
