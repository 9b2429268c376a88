"""Recall: the four paths, who may see what, what held when, how it is ranked."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ledger.conftest import BASE
from workbench import db, fts
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.index import embed, memory_vectors
from workbench.ledger import badges, fusion, recall, review, store, supersede, use
from workbench.ledger.change import Change
from workbench.ledger.filters import Reader
from workbench.ledger.gate import check
from workbench.ledger.model import DREAMER, PERSON, Actor, Kind, Privacy, Proposal, Reason, Type
from workbench.ledger.recall import Question, Recalled
from workbench.ledger.time import stamp
from workbench.ledger.write import propose

AGENT = Actor("agent", "codex")
READER = Reader("codex", "/p/a", "w")
NOW = "2026-06-01T00:00:00.000000Z"
Say = Callable[..., Proposal]
Ask = Callable[..., Recalled]


@pytest.fixture
def ask(home: Home) -> Ask:
    """Ask as an agent in a project, by default about now; no vectors unless they are given."""

    def act(text: str = "", near: recall.Nearest | None = None, **fields: Any) -> Recalled:
        question = Question(text, fields.pop("at", db.now()), fields.pop("actor", AGENT), READER)
        with store.reading(home) as connection:
            return recall.search(connection, replace(question, **fields), near)

    return act


def said(found: Recalled) -> list[str]:
    return [hit.row["content"] for hit in found.hits]


def relate(home: Home, start: str, end: str, kind: str) -> None:
    with store.writing(home) as connection:
        change = Change(connection, PERSON)
        supersede.relate(change, start, end, kind)
        change.record("related", start)


def alter(home: Home, memory_id: str, **fields: Any) -> None:
    with store.writing(home) as connection:
        change = Change(connection, PERSON)
        change.update("memories", memory_id, **fields)
        change.record("altered", memory_id)


# Words


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("database", ["The database is PostgreSQL."]),
        ("DATABASES?", ["The database is PostgreSQL."]),
        ('"database is" postgresql', ["The database is PostgreSQL."]),
        ("postg*", ["The database is PostgreSQL."]),
        ("東京", ["東京に住んでいる。"]),
        ("cafe", ["Meets at the Café."]),
        ("xyzzy", []),
        ("xyzzy plugh frobnicate", []),
        ("!!! ??", []),
        ("", []),
        ('" OR 1=1 --', []),
        ("content : database NEAR(", ["The database is PostgreSQL."]),
        ("data\x00base", []),
    ],
)
def test_words(say: Say, ask: Ask, asked: str, found: list[str]) -> None:
    for content in ("The database is PostgreSQL.", "東京に住んでいる。", "Meets at the Café."):
        say(content)
    assert said(ask(asked)) == found


def test_nothing_is_cut_off_before_it_is_filtered(say: Say, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others fill the best ranks with does not hide what the reader may see."""
    monkeypatch.setattr(recall, "POOL", 5)
    for number in range(12):
        say(f"zebra zebra zebra {number}", scope_type="project", scope_key="/p/other")
        say(f"zebra zebra zebra zebra {number}", privacy=Privacy.SECRET, actor=PERSON)
    say("Once saw a zebra behind a fence in the far east of the garden.")
    assert said(ask("zebra")) == ["Once saw a zebra behind a fence in the far east of the garden."]


def test_a_large_ledger_is_narrowed_but_not_for_those_who_see_little(
    say: Say, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        say(f"common text {number}")
    for number in range(20):
        say(f"rare zebra {number}", scope_type="project", scope_key="/p/other")
    whole = ask("common zebra", limit=5)
    monkeypatch.setattr(fts, "LARGE_STORE", 10)
    monkeypatch.setattr(recall, "RANKED", 40)
    assert said(ask("common zebra", limit=5)) == said(whole)
    assert len(whole.hits) == 5
    other = ask("common zebra", limit=5, reader=Reader("codex", "/p/other"))
    assert all(content.startswith("rare zebra") for content in said(other))


def test_of_a_common_word_the_newest_that_may_be_seen_are_ranked(
    say: Say, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others wrote since counts for nothing; an old memory with a rare word of the question is found all the
    same."""
    monkeypatch.setattr(fts, "LARGE_STORE", 10)
    monkeypatch.setattr(recall, "RANKED", 5)
    say("zebra first of all")
    for number in range(8):
        say(f"zebra {number}")
    for number in range(30):
        say(f"zebra hidden {number}", scope_type="project", scope_key="/p/other")
    assert set(said(ask("zebra", limit=50))) == {f"zebra {number}" for number in range(3, 8)}
    both = said(ask("zebra first", limit=50))
    assert both[0] == "zebra first of all"
    assert set(both[1:]) == {f"zebra {number}" for number in range(3, 8)}


# Keys


def test_an_exact_key_comes_first(say: Say, ask: Ask) -> None:
    for number in range(5):
        say(f"The project database was discussed, database database {number}.")
    key = say("PostgreSQL 15.", fact_key="project.database").memory_id
    for found in (ask("database", key="Project.Database"), ask("project.database")):
        assert found.hits[0].row["id"] == key
        assert found.hits[0].score >= 10 > found.hits[1].score
        assert found.hits[0].parts["key"] == 10
    assert ask("database").hits[0].row["id"] != key
    assert said(ask(key="project.database")) == ["PostgreSQL 15."]
    assert said(ask(key="project.nothing")) == []


@pytest.mark.parametrize("asked", ["Project.Database", "project database", "the project.database"])
def test_a_question_that_is_no_key_in_normal_form_is_a_question(say: Say, ask: Ask, asked: str) -> None:
    say("PostgreSQL 15.", fact_key="project.database")
    assert said(ask(asked)) == []


def test_a_key_in_each_scope(say: Say, ask: Ask) -> None:
    scopes = [("global", ""), ("project", "/p/a"), ("workspace", "w"), ("agent", "codex"), ("project", "/p/b")]
    for scope_type, scope_key in (*scopes, ("agent", "other"), ("workspace", "v")):
        say(f"In {scope_type} {scope_key}.", fact_key="x.y", scope_type=scope_type, scope_key=scope_key)
    expected = {f"In {scope_type} {scope_key}." for scope_type, scope_key in scopes}
    assert set(said(ask(key="x.y", other_project="/p/b", actor=PERSON))) == expected
    assert set(said(ask(key="x.y"))) == expected - {"In project /p/b."}
    assert said(ask(key="x.y", reader=Reader())) == ["In global ."]


# Who may see what


@pytest.mark.parametrize(
    ("actor", "seen"),
    [
        (AGENT, {"normal observed", "normal confirmed", "normal locked", "sensitive confirmed", "sensitive locked"}),
        (DREAMER, {"normal observed", "normal confirmed", "normal locked", "sensitive confirmed", "sensitive locked"}),
        (PERSON, {f"{level} {word}" for level in Privacy for word in ("observed", "confirmed", "locked")}),
    ],
)
def test_privacy(home: Home, say: Say, ask: Ask, actor: Actor, seen: set[str]) -> None:
    """An agent is shown nothing secret, and what is sensitive only where the person endorsed it, on every path."""
    names = [f"{level} {word}" for level in Privacy for word in ("observed", "confirmed", "locked")]
    start = str(say("a start", actor=PERSON).memory_id)
    for name in names:
        level, word = name.split()
        memory_id = str(
            say(f"zebra {name}", actor=PERSON, privacy=Privacy(level), fact_key=f"{level}.{word}").memory_id
        )
        alter(home, memory_id, authority=word)
        relate(home, start, memory_id, "supports")
    expected = {f"zebra {name}" for name in seen} | {"a start"}
    assert set(said(ask("zebra", actor=actor, limit=50))) == expected
    assert {content for name in names for content in said(ask(key=name.replace(" ", "."), actor=actor))} == expected
    assert set(said(ask("start", actor=actor, limit=50))) == expected


def test_what_is_not_in_force(home: Home, say: Say, ask: Ask) -> None:
    say("zebra active")
    say("zebra waiting", explicit=False)
    say("zebra old", fact_key="zebra.name", observed_at="2026-01-01T00:00:00Z")
    say("zebra new", fact_key="zebra.name", observed_at="2026-02-01T00:00:00Z")
    say("zebra expired", observed_at="2019-01-01T00:00:00Z", expires_at="2020-01-01")
    rejected, archived = say("zebra rejected").memory_id, say("zebra archived").memory_id
    with store.writing(home) as connection:
        review.reject(Change(connection, PERSON), str(rejected))
    alter(home, str(archived), status="archived")
    assert set(said(ask("zebra"))) == {"zebra active", "zebra new"}
    assert set(said(ask("zebra", include_inferred=True))) == {"zebra active", "zebra new", "zebra waiting"}
    assert set(said(ask("zebra", include_superseded=True))) == {"zebra active", "zebra new", "zebra old"}
    assert set(said(ask("zebra", at="2026-01-15T00:00:00.000000Z"))) == {"zebra old"}
    assert said(ask("zebra", at="2025-01-15T00:00:00.000000Z", include_superseded=True)) == []


def test_an_active_memory_is_recalled_whatever_is_open_about_it(home: Home, say: Say, ask: Ask) -> None:
    memory_id = str(say("zebra rule", actor=PERSON, kind=Kind.CONSTRAINT).memory_id)
    alter(home, memory_id, authority="locked", review_reason=Reason.EVIDENCE_STALE)
    (hit,) = ask("zebra").hits
    badge = badges.badge(hit.row, NOW)
    assert badge.word == "locked"
    assert badge.why.endswith("its source is gone or changed")


def test_kinds_and_types(say: Say, ask: Ask) -> None:
    say("zebra decided", kind=Kind.DECISION)
    say("zebra seen", kind=Kind.EVENT, type=Type.EPISODIC)
    say("zebra liked", kind=Kind.PREFERENCE)
    assert set(said(ask("zebra", kinds=(Kind.DECISION, Kind.EVENT)))) == {"zebra decided", "zebra seen"}
    assert said(ask("zebra", types=(Type.EPISODIC,))) == ["zebra seen"]
    assert said(ask("zebra", kinds=(Kind.DECISION,), types=(Type.EPISODIC,))) == []


# Relations


@pytest.mark.parametrize(
    ("kind", "followed"),
    [
        ("supports", True),
        ("depends_on", True),
        ("part_of", True),
        ("related_to", False),
        ("contradicts", False),
        ("derived_from", False),
    ],
)
@pytest.mark.parametrize("outgoing", [True, False])
def test_one_hop(home: Home, say: Say, ask: Ask, kind: str, followed: bool, outgoing: bool) -> None:
    hit, near, far = (str(say(content).memory_id) for content in ("zebra", "near by", "far off"))
    relate(home, *((hit, near) if outgoing else (near, hit)), kind)
    relate(home, near, far, "supports")
    found = ask("zebra")
    assert said(found) == (["zebra", "near by"] if followed else ["zebra"])
    if followed:
        assert found.hits[1].paths == ("relations",)
        assert found.hits[1].parts["relations"] == 0.5


def test_relations_lead_nowhere_the_reader_may_not_go(home: Home, say: Say, ask: Ask) -> None:
    hit = str(say("zebra").memory_id)
    for number, fields in enumerate(
        (
            {"scope_type": "project", "scope_key": "/p/b"},
            {"privacy": Privacy.SECRET},
            {"expires_at": "2020-01-01", "observed_at": "2019-01-01T00:00:00Z"},
        )
    ):
        relate(home, hit, str(say(f"hidden {number}", actor=PERSON, **fields).memory_id), "supports")
    assert said(ask("zebra")) == ["zebra"]


def test_five_candidates_and_twenty_related(home: Home, say: Say, ask: Ask) -> None:
    for number in range(6):
        hit = str(say("zebra " * (9 - number) + str(number)).memory_id)
        for other in range(5):
            relate(home, hit, str(say(f"near {number} {other}").memory_id), "part_of")
    found = [hit.row["content"] for hit in ask("zebra", limit=50).hits if hit.paths == ("relations",)]
    assert len(found) == 20
    assert {content.split()[1] for content in found} == {"0", "1", "2", "3"}


# Vectors


class Letters:
    """An embedder whose vectors count letters."""

    model_id = "letters"
    dimension = 26
    remote = False

    def reads(self, text: str) -> bool:
        return True

    def embed(self, texts: Sequence[str]) -> Any:
        np = pytest.importorskip("numpy")
        return np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)


def test_vectors_of_what_may_be_seen(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "load", lambda home: Letters())
    wanted = {}
    for content, fields in (
        ("abab", {}),
        ("baba", {"scope_type": "project", "scope_key": "/p/b"}),
        ("aabb", {"expires_at": "2020-01-01", "observed_at": "2019-01-01T00:00:00Z"}),
        ("qqqq", {}),
    ):
        wanted[str(say(content, **fields).memory_id)] = content
    memory_vectors.sync(home, Letters(), wanted)
    found = recall.recall(home, Question("bbaa", db.now(), AGENT, READER))
    assert found.vector_enabled
    assert [(hit.row["content"], hit.paths) for hit in found.hits] == [("abab", ("vectors",))]
    both = recall.recall(home, Question("abab", db.now(), AGENT, READER))
    assert both.hits[0].paths == ("words", "vectors")
    # What is far is nothing, and what is no word is not asked.
    assert recall.recall(home, Question("zzzz", db.now(), AGENT, READER)).hits == []
    assert not recall.recall(home, Question("!!!", db.now(), AGENT, READER)).vector_enabled


def test_without_vectors_words_answer_and_it_is_said(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    say("zebra")
    question = Question("zebra", db.now(), AGENT, READER)
    monkeypatch.setattr(embed, "load", lambda home: None)
    assert (said(recall.recall(home, question)), recall.recall(home, question).vector_enabled) == (["zebra"], False)
    monkeypatch.setattr(embed, "load", lambda home: Letters())
    assert not recall.recall(home, question).vector_enabled, "there is no file of vectors yet"


class Costly(Letters):
    """An embedder that must not be asked."""

    def embed(self, texts: Sequence[str]) -> Any:
        raise AssertionError("the model was read")


def test_no_model_is_read_where_no_vector_is_its_own(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id, question = str(say("zebra").memory_id), Question("zebra", db.now(), AGENT, READER)
    monkeypatch.setattr(embed, "load", lambda home: Costly())
    for wanted in ({}, {memory_id: "zebra"}):
        other = Letters()
        other.model_id = "another"  # type: ignore[misc]
        memory_vectors.sync(home, other, wanted)
        found = recall.recall(home, question)
        assert (said(found), found.vector_enabled) == (["zebra"], False)
    home.memory_index.write_bytes(b"no database" * 100)
    assert said(recall.recall(home, question)) == ["zebra"]


def test_vectors_that_cannot_be_read_are_left_out(say: Say, ask: Ask) -> None:
    def broken(allowed: recall.Allowed) -> list[tuple[str, float]]:
        raise WorkbenchError("damaged")

    say("zebra")
    found = ask("zebra", broken)
    assert (said(found), found.vector_enabled) == (["zebra"], False)


def test_the_real_model_finds_a_paraphrase_and_no_nonsense(home: Home, say: Say) -> None:
    embedder = embed.load(home)
    if embedder is None:
        pytest.skip("the vectors extra is not installed")
    contents = ["Lives in Berlin.", "The production database is PostgreSQL 15.", "Has two cats called Miso and Tofu."]
    wanted = {str(say(content).memory_id): content for content in contents}
    memory_vectors.sync(home, embedder, wanted)

    def found(asked: str) -> list[str]:
        return said(recall.recall(home, Question(asked, db.now(), AGENT, READER)))

    assert found("which SQL server do we run in prod") == ["The production database is PostgreSQL 15."]
    assert found("pets") == ["Has two cats called Miso and Tofu."]
    for nonsense in ("xyzzy", "asdf qwer", "frobnicate the quux", "blorptang", "\U0001f984\U0001f984"):
        assert found(nonsense) == []


# Ranking


@pytest.mark.parametrize(
    ("scored", "ranks"),
    [
        ([], {}),
        ([("a", 3.0), ("b", 2.0), ("c", 1.0)], {"a": 1, "b": 2, "c": 3}),
        ([("a", 3.0), ("b", 3.0), ("c", 1.0)], {"a": 1, "b": 1, "c": 3}),
        ([("a", 1.0), ("b", 1.0), ("c", 1.0)], {"a": 1, "b": 1, "c": 1}),
    ],
)
def test_equals_share_a_rank(scored: list[tuple[str, float]], ranks: dict[str, int]) -> None:
    assert fusion.ranked(scored) == ranks


ROW = {
    "authority": "observed",
    "trust": 0.8,
    "type": "semantic",
    "kind": "fact",
    "observed_at": None,
    "valid_from": NOW,
    "created_at": NOW,
    "last_seen_at": NOW,
}


@pytest.mark.parametrize(
    ("ranks", "fields", "score"),
    [
        ({"words": 1}, {}, 0.8),
        ({"words": 1, "vectors": 1}, {}, 1.6),
        ({"words": 2}, {}, 11 / 12 * 0.8),
        ({"relations": 1}, {}, 0.4),
        ({"words": 1}, {"authority": "locked"}, 1.2),
        ({"words": 1}, {"authority": "confirmed"}, 0.96),
        ({"words": 1}, {"authority": "inferred"}, 0.64),
        ({"words": 1}, {"trust": 0.5}, 0.5),
        ({"key": 1}, {}, 10.0),
        ({"key": 1, "words": 1}, {}, 10.8),
        # Only an episode ages: from when it was observed, else from when it began; by half at most.
        ({"words": 1}, {"valid_from": "2020-01-01T00:00:00.000000Z"}, 0.8),
        ({"words": 1}, {"type": "episodic", "valid_from": "2026-03-20T00:00:00.000000Z"}, 0.8 * (1 - 73 / 365)),
        ({"words": 1}, {"type": "episodic", "observed_at": "2026-03-20T00:00:00.000000Z"}, 0.8 * (1 - 73 / 365)),
        ({"words": 1}, {"type": "episodic", "valid_from": "2020-01-01T00:00:00.000000Z"}, 0.4),
        ({"words": 1}, {"type": "episodic", "valid_from": "2027-01-01T00:00:00.000000Z"}, 0.8),
    ],
)
def test_what_a_score_is_made_of(ranks: fusion.Ranks, fields: dict[str, Any], score: float) -> None:
    parts = fusion.parts({**ROW, **fields}, ranks, NOW)
    assert fusion.score(parts) == pytest.approx(score, abs=1e-3)


def test_nothing_reaches_an_exact_key() -> None:
    best = {**ROW, "authority": "locked", "trust": 1.0}
    worst = {**ROW, "authority": "inferred", "trust": 0.0, "type": "episodic"}
    everything = fusion.parts(best, {"words": 1, "vectors": 1, "relations": 1}, NOW)
    assert fusion.score(everything) < fusion.score(fusion.parts(worst, {"key": 1}, NOW))


def test_age_is_counted_at_the_instant_asked_about(say: Say, ask: Ask) -> None:
    say("zebra", type=Type.EPISODIC, kind=Kind.EVENT, observed_at="2026-01-01T00:00:00Z")
    early, late = (ask("zebra", at=at).hits[0] for at in ("2026-01-01T00:00:01.000000Z", "2026-03-15T00:00:00.000000Z"))
    assert early.parts["decay"] == 1
    assert late.parts["decay"] == pytest.approx(0.8)


def test_ties_go_by_id_every_time(say: Say, ask: Ask) -> None:
    for number in range(20):
        say(f"zebra number {number}", observed_at="2026-01-01T00:00:00Z")
    found = [hit.row["id"] for hit in ask("zebra").hits]
    assert found == [hit.row["id"] for hit in ask("zebra").hits]
    everything = [hit.row["id"] for hit in ask("zebra", limit=50).hits]
    assert everything == sorted(everything)
    assert everything[:8] == found


def test_authority_outranks_what_is_alike(home: Home, say: Say, ask: Ask) -> None:
    say("zebra seen one")
    confirmed, locked = (str(say(f"zebra said {n}", actor=PERSON).memory_id) for n in ("two", "six"))
    alter(home, locked, authority="locked")
    assert [hit.row["id"] for hit in ask("zebra").hits[:2]] == [locked, confirmed]


@pytest.mark.parametrize(
    ("fields", "word", "why"),
    [
        ({}, "observed", "found in"),
        ({"authority": "locked"}, "locked", "the user fixed it"),
        ({"authority": "confirmed", "review_reason": "contradicts"}, "confirmed", "contested"),
        ({"status": "needs_review", "review_reason": "inferred"}, "waiting", "(inferred)"),
        (
            {"status": "superseded", "valid_to": "2026-05-01T00:00:00.000000Z", "superseded_by": "m_1"},
            "replaced",
            "replaced by m_1",
        ),
        ({"status": "superseded", "valid_to": "2026-07-01T00:00:00.000000Z"}, "observed", "found in"),
    ],
)
def test_badges(fields: dict[str, Any], word: str, why: str) -> None:
    row = {**ROW, "status": "active", "review_reason": None, "valid_to": None, "superseded_by": None, **fields}
    badge = badges.badge(row, NOW)
    assert badge.word == word
    assert why in badge.why


# Use


def uses(home: Home) -> dict[str, tuple[int, int, str]]:
    with store.reading(home) as connection:
        rows = connection.execute("SELECT memory_id, recalls, injections, last_used_at FROM memory_use")
        return {row[0]: tuple(row)[1:] for row in rows}


def test_uses_are_gathered_and_written_together(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use, "_SECOND", 3_600)
    use.flush()
    first, second = (str(say(content).memory_id) for content in ("one", "two"))
    use.count(home, [first, second], "recalls", "2026-01-01T00:00:00.000000Z")
    use.count(home, [first], "recalls", "2026-01-02T00:00:00.000000Z")
    use.count(home, [first, "m_gone"], "injections", "2026-01-03T00:00:00.000000Z")
    assert uses(home) == {}
    use.flush()
    use.flush()
    assert uses(home) == {
        first: (2, 1, "2026-01-03T00:00:00.000000Z"),
        second: (1, 0, "2026-01-01T00:00:00.000000Z"),
    }
    with store.writing(home) as connection:
        use.add(connection, [first], "recalls", "2025-01-01T00:00:00.000000Z")
        assert connection.execute("SELECT count(*) FROM memory_events").fetchone()[0] == 2, "outside the chain"
    assert uses(home)[first] == (3, 1, "2026-01-03T00:00:00.000000Z")


def test_uses_are_written_by_themselves(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    use.flush()
    monkeypatch.setattr(use, "_SECOND", 0)
    memory_id = str(say("one").memory_id)
    use.count(home, [memory_id], "recalls", NOW)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) and thread.function is use.flush:
            thread.join(60)
    assert uses(home) == {memory_id: (1, 0, NOW)}


def test_a_flush_waits_for_the_one_that_is_under_way(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = str(say("Zebra one.").memory_id)
    use.flush()
    taken, go_on, write = threading.Event(), threading.Event(), use._write

    def slowly(*given: Any) -> None:
        taken.set()
        go_on.wait(60)
        write(*given)

    monkeypatch.setattr(use, "_write", slowly)
    use.count(home, [memory_id], "recalls", NOW)
    first, second = threading.Thread(target=use.flush), threading.Thread(target=use.flush)
    first.start()
    assert taken.wait(60)
    second.start()
    second.join(0.2)
    assert second.is_alive(), "it came back before the count was written"
    go_on.set()
    second.join(60)
    with store.reading(home) as connection:
        assert [tuple(row) for row in connection.execute("SELECT memory_id, recalls FROM memory_use")] == [
            (memory_id, 1)
        ]
    first.join(60)


def test_counts_that_cannot_be_written_are_let_go(home: Home, tmp_path: Any) -> None:
    use.count(Home(tmp_path / "nowhere"), ["m_1"], "recalls", NOW)
    use.flush()
    assert uses(home) == {}
    assert not (tmp_path / "nowhere").exists()


# What held when: compared with a model of plain Python


_START = datetime(2026, 1, 1, tzinfo=UTC)
_KEYS = itertools.count()


@dataclass
class Said:
    """A statement of the model: what is said of a fact, and when it holds by itself."""

    content: str
    begins: int
    ends: int | None
    expires: int | None
    person: bool

    def holds(self, hour: int) -> bool:
        return all(limit is None or hour < limit for limit in (self.ends, self.expires))


class Model:
    """One fact: of what has begun the last counts, whether or not it still holds; equal beginnings: the later told.

    What was observed can't replace what the person said, whenever that begins, nor end what goes on when it is over
    itself (all these times are past). What began before a time that is over, and goes on, holds from its end.
    """

    def __init__(self) -> None:
        self.said: list[Said] = []

    def tell(self, statement: Said) -> None:
        latest = max((one.begins for one in self.said), default=None)
        held = next((one for one in reversed(self.said) if one.begins == latest), None)
        if held is not None and not statement.person:
            goes_on = held.ends is None or statement.ends is None or held.ends > statement.ends
            if held.person or (statement.begins >= held.begins and statement.ends is not None and goes_on):
                return
        if held is not None and held.ends is not None and statement.ends is None and statement.begins < held.begins:
            statement.begins = held.ends
        self.said.append(statement)

    def at(self, hour: int) -> set[str]:
        begun = [one for one in self.said if one.begins <= hour]
        latest = max((one.begins for one in begun), default=None)
        last = [one for one in begun if one.begins == latest][-1:]
        return {one.content for one in last if one.holds(hour)}


def at(hour: int) -> str:
    return stamp(_START + timedelta(hours=hour))


_statement = st.fixed_dictionaries(
    {
        "key": st.integers(0, 2),
        "observed": st.integers(0, 60),
        "ahead": st.one_of(st.just(0), st.integers(1, 40)),
        "ends": st.one_of(st.none(), st.integers(1, 50)),
        "expires": st.one_of(st.none(), st.integers(1, 50)),
        "person": st.integers(0, 4).map(lambda n: n == 0),
        "corrects": st.booleans(),
    }
)


def _tell(change: Change, model: Model, content: str, key: str, told: dict[str, Any]) -> None:
    begins = told["observed"] + told["ahead"]
    ends, expires = (begins + told[name] if told[name] else None for name in ("ends", "expires"))
    candidate = replace(
        BASE,
        content=content,
        fact_key=key,
        observed_at=at(told["observed"]),
        valid_from=at(begins) if told["ahead"] else None,
        valid_to=at(ends) if ends else None,
        expires_at=at(expires) if expires else None,
    )
    propose(change, check(candidate), confirm_locked=True)
    model.tell(Said(content, begins, ends, expires, change.actor.kind == "person"))


def _correct(change: Change, model: Model, key: str) -> None:
    """The person puts another wording in place of the one that holds the key."""
    held = supersede.holder(change.connection, "global", "", key)
    if held is None:
        return
    content = held["content"] + " corrected"
    review.correct(change, held["id"], content, confirm_locked=True)
    statement = next(one for one in model.said if one.content == held["content"])
    statement.content, statement.person = content, True


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Home:
    from tests.homes import fresh_home

    return fresh_home(tmp_path_factory.mktemp("time") / "home")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told=st.lists(_statement, min_size=1, max_size=8), hours=st.lists(st.integers(-5, 160), min_size=8, max_size=8))
def test_what_held_when(ledger: Home, told: list[dict[str, Any]], hours: list[int]) -> None:
    """At every instant that recall by key is asked about, it finds what the model says: at each boundary, an hour
    around it, and at random; 32 and more instants of three facts for each of 120 histories, 11,520 at least."""
    names = [f"fact-{next(_KEYS)}.k" for _ in range(3)]
    models = {name: Model() for name in names}
    with store.writing(ledger) as connection:
        for number, one in enumerate(told):
            name = names[one["key"]]
            change = Change(connection, PERSON if one["person"] else DREAMER)
            _tell(change, models[name], f"{name} says {number}", name, one)
            if one["corrects"] and one["person"]:
                _correct(Change(connection, PERSON), models[name], name)
        limits = {one.begins for model in models.values() for one in model.said}
        limits |= {
            limit for model in models.values() for one in model.said for limit in (one.ends, one.expires) if limit
        }
        instants = {hour + near for hour in limits for near in (-1, 0, 1)} | set(hours)
        instants |= set(range(0, 160, 7))
        for hour, name in itertools.product(sorted(instants), names):
            question = Question("", at(hour), AGENT, READER, key=name)
            found = recall.search(connection, question)
            assert set(said(found)) == models[name].at(hour), (name, hour)
            assert len(found.hits) <= 1
