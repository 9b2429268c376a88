"""Vectors of messages: made of what may be found, kept while it is as it was, asked together with words."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from tests.index.hashing import Hashing
from tests.sessions.rows import stored
from tests.sessions.test_ranking import fill
from workbench import db, fts, kept
from workbench.home import Home
from workbench.index import embed
from workbench.index.embed import BadVectors
from workbench.operations import embedding, erase_effects, overview
from workbench.operations.home import migrate
from workbench.sessions import index, search, states, store, vectors
from workbench.sessions.filters import Filter
from workbench.sessions.index import SCHEMA
from workbench.sessions.model import Message, Session

DAY = "2026-03-01T10:00:00Z"
FLAT = Message("a0", "user", "user", "We moved to a flat by the harbour.", timestamp=DAY, name="Ada")
TALK = [
    FLAT,
    Message("a1", "assistant", "assistant", "Congratulations, my token is ghp_" + "a1B2" * 9),
    Message("t0", "tool", "tool", "apartment: command not found"),
    Message("h0", "user", "harness", "You moved to an apartment."),
    Message("w0", "user", "user", "An apartment, taken back.", state="withdrawn"),
    Message("e0", "assistant", "assistant", ""),
]
OTHERS = ["The billing database is MariaDB.", "Noted.", "Lunch was late."]


@dataclass
class Meaning(Hashing):
    """Knows that a flat is an apartment, and nothing of who spoke when; gives NaN where ``before`` gives anything."""

    dimension: int = 512

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.seen += texts
        if self.before():
            return np.full((len(texts), self.dimension), np.nan)
        said = [re.sub(r"^(\w+ )?\(.*?\): ", "", text).replace("flat", "apartment") for text in texts]
        said = [" ".join(word for word in text.split() if word.lower() not in fts.STOPWORDS) for text in said]
        return Hashing(dimension=self.dimension).embed(said)


@pytest.fixture
def meaning(monkeypatch: pytest.MonkeyPatch) -> Meaning:
    """The embedder of these tests."""
    embedder = Meaning()
    monkeypatch.setattr(embed, "load", lambda home: embedder)
    return embedder


@pytest.fixture
def filled(home: Home, meaning: Meaning) -> Home:
    fill(home, a=TALK, b=OTHERS)
    assert vectors.sync(home, meaning) == (5, 0, 0)
    return home


def vector_rows(home: Home) -> dict[str, tuple[str, int, str, int, bytes]]:
    """By the identity of the message, or its id where there is none any more."""
    names = {row["id"]: row["identity"] for row in stored(home)}
    with db.read(home.session_index, SCHEMA) as connection:
        found = connection.execute(
            "SELECT message_id, model, dimension, prefix, content_hash, vector FROM message_vectors"
        )
        return {names.get(row[0], str(row[0])): tuple(row)[1:] for row in found}


def found(home: Home, question: str, **chosen: str) -> list[str]:
    return [hit["event_id"] for hit in search.discover(home, question, wanted=Filter(**chosen))["results"]]


def change(home: Home, key: str, said: str, name: str = "a0") -> None:
    """The source has more of the message now."""
    store.merge(home, Session(key), [Message(name, "user", "user", said, timestamp=DAY, name="Ada")])
    index.sync(home)


def test_what_may_be_found_is_embedded_and_nothing_else(filled: Home, meaning: Meaning) -> None:
    texts = meaning.seen
    assert "Ada (1 March 2026): We moved to a flat by the harbour." in texts
    assert "The billing database is MariaDB." in texts and "Noted." in texts
    assert not any("apartment" in text for text in texts)
    assert not any("ghp_a1B2" in text for text in texts), "credentials are masked"
    digests = {row["identity"]: row["text_digest"] for row in stored(filled)}
    rows = vector_rows(filled)
    assert rows.keys() == {"a0", "a1", "b0", "b1", "b2"}
    for name, (model, dimension, prefix, digest, vector) in rows.items():
        assert (model, dimension, prefix) == ("hashing", 512, vectors.PREFIX)
        assert digest == digests[name]
        assert len(vector) == 512


def test_meaning_finds_what_words_do_not_and_it_is_said(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    hit = search.discover(filled, "apartment")["results"][0]
    assert (hit["event_id"], hit["words"]) == ("a0", 0)
    assert hit["cosine"] > 0.35 and hit["score"] > 0
    assert search.discover(filled, "apartment")["vector_enabled"] is True
    assert found(filled, "billing database")[0] == "b0"
    monkeypatch.setattr(embed, "load", lambda home: None)
    assert search.discover(filled, "apartment")["count"] == 0
    assert search.discover(filled, "apartment")["vector_enabled"] is False


def test_results_of_tools_are_found_by_words(filled: Home) -> None:
    """They have no vector, whoever asks for them."""
    assert found(filled, "apartment", roles=("tool",)) == ["t0"]
    assert found(filled, "flat", roles=("tool",)) == []
    assert found(filled, "apartment", roles=("tool", "user"))[0] == "t0"


@pytest.mark.parametrize("query", ["zyzzyva xylograph", "???", "", "x" * 100_000])
def test_nonsense_finds_nothing_in_any_mode(filled: Home, query: str) -> None:
    assert search.discover(filled, query)["results"] == []


def test_the_filter_goes_first(home: Home, meaning: Meaning) -> None:
    """The nearest of those that pass, however many others are nearer."""
    fill(home, a=["My flat, the flat."] * 300, b=["A flat once, among other things that were said."])
    vectors.sync(home, meaning)
    assert found(home, "apartment", session="x:b") == ["b0"]
    assert found(home, "apartment", channels=("codex",)) == []
    assert found(home, "apartment", roles=("tool",)) == []


def test_what_was_changed_or_taken_back_is_not_found_by_what_it_was(filled: Home, meaning: Meaning) -> None:
    change(filled, "x:a", f"{FLAT.content} And bought a boat.")
    assert found(filled, "apartment") == []
    assert vectors.backlog(filled, meaning) == 1
    assert vectors.sync(filled, meaning) == (1, 1, 0)
    assert found(filled, "apartment") == ["a0"]
    number = next(row["id"] for row in stored(filled) if row["identity"] == "a0")
    states.restate(filled, "x:a", [number], "withdrawn")
    index.sync(filled)
    assert found(filled, "apartment") == []
    assert vectors.sync(filled, meaning) == (0, 1, 0)
    assert vector_rows(filled).keys() == {"a1", "b0", "b1", "b2"}


def test_a_lost_conversation_takes_its_vectors_along(filled: Home, meaning: Meaning) -> None:
    store.path_of(filled, "x:b").unlink()
    index.sync(filled)
    assert vectors.sync(filled, meaning) == (0, 3, 0)
    assert vector_rows(filled).keys() == {"a0", "a1"}


def test_a_rebuild_keeps_them(filled: Home, meaning: Meaning) -> None:
    before, numbers = vector_rows(filled), {row["identity"]: row["n"] for row in stored(filled)}
    store.merge(filled, Session("x:0", created_at="2020-01-01T00:00:00Z"), [Message("z", "user", "user", "Older.")])
    index.rebuild(filled)
    assert {row["identity"]: row["n"] for row in stored(filled)} != numbers | {"z": 9}
    meaning.seen.clear()
    assert vectors.sync(filled, meaning) == (1, 0, 0)
    assert meaning.seen == ["Older."]
    assert {name: row for name, row in vector_rows(filled).items() if name != "z"} == before
    assert found(filled, "apartment") == ["a0"]


def test_a_lost_index_has_none_and_gets_them_again(filled: Home, meaning: Meaning) -> None:
    before = vector_rows(filled)
    kept.release()
    for suffix in ("", "-wal", "-shm"):
        filled.session_index.with_name(filled.session_index.name + suffix).unlink(missing_ok=True)
    index.rebuild(filled)
    assert not search.discover(filled, "apartment")["vector_enabled"]
    assert vectors.sync(filled, meaning) == (5, 0, 0)
    assert vector_rows(filled) == before
    assert found(filled, "apartment") == ["a0"]


def test_another_model_s_are_not_compared_and_give_way(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Meaning(model_id="other", dimension=256)
    monkeypatch.setattr(embed, "load", lambda home: other)
    assert not search.discover(filled, "apartment")["vector_enabled"]
    assert vectors.backlog(filled, other) == overview.status(filled).not_embedded == 5
    monkeypatch.setattr(vectors, "_BATCH", 2)
    assert vectors.sync(filled, other, limit_seconds=0) == (0, 0, 5)
    stop = threading.Event()
    assert vectors.sync(filled, other, lambda *_: stop.set(), stop=stop) == (2, 0, 3)
    assert sorted(row[0] for row in vector_rows(filled).values()) == ["hashing"] * 3 + ["other"] * 2
    told: list[tuple[int, int]] = []
    assert vectors.sync(filled, other, lambda *step: told.append(step)) == (3, 0, 0)
    assert told == [(2, 3), (3, 3)]
    assert {row[:2] for row in vector_rows(filled).values()} == {("other", 256)}
    assert found(filled, "apartment") == ["a0"]


@pytest.mark.parametrize("prefix", [vectors.PREFIX, "another: "])
def test_nor_are_those_of_another_dimension_or_prefix(
    filled: Home, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    longer = Meaning(dimension=512 + (prefix == vectors.PREFIX))
    monkeypatch.setattr(embed, "load", lambda home: longer)
    monkeypatch.setattr(vectors, "PREFIX", prefix)
    assert not search.discover(filled, "apartment")["vector_enabled"]
    assert vectors.sync(filled, longer) == (5, 0, 0)
    assert found(filled, "apartment") == ["a0"]


def test_what_is_no_vector_is_not_stored(filled: Home, meaning: Meaning) -> None:
    change(filled, "x:a", f"{FLAT.content} A flat again.")
    meaning.before = lambda: "NaN"
    with pytest.raises(BadVectors, match=r"hashing gave .*NaN"):
        vectors.sync(filled, meaning)
    assert vector_rows(filled).keys() == {"a1", "b0", "b1", "b2"}
    found_by_words = search.discover(filled, "flat")
    assert (found_by_words["count"], found_by_words["vector_enabled"]) == (1, False)
    with pytest.raises(sqlite3.IntegrityError), db.write(filled.session_index, SCHEMA) as connection:
        connection.execute("UPDATE message_vectors SET vector = x'00'")


def test_what_is_erased_while_it_is_embedded_does_not_come_back(home: Home, meaning: Meaning) -> None:
    fill(home, a=TALK, b=OTHERS)
    number = next(row["id"] for row in stored(home) if row["identity"] == "a0")
    meaning.before = lambda: erase_effects.erase_messages(home, {"session": "x:a", "ids": [number]})
    assert vectors.sync(home, meaning).embedded == 5
    assert "a0" not in vector_rows(home)
    assert found(home, "apartment") == []


def test_an_erased_message_leaves_no_byte_of_its_vector(filled: Home) -> None:
    def bytes_of() -> bytes:
        kept.release()
        return b"".join(path.read_bytes() for path in filled.root.glob("session_index.sqlite*"))

    gone, stays = (vector_rows(filled)[name][-1] for name in ("a0", "b0"))
    number = next(row["id"] for row in stored(filled) if row["identity"] == "a0")
    assert gone in bytes_of()
    erase_effects.erase_messages(filled, {"session": "x:a", "ids": [number]})
    assert gone not in bytes_of()
    assert stays in bytes_of()
    assert vector_rows(filled).keys() == {"a1", "b0", "b1", "b2"}


def test_of_a_long_message_the_beginning_is_embedded(home: Home, meaning: Meaning) -> None:
    fill(home, a=["apple " * 100_000, "short"])
    vectors.sync(home, meaning)
    assert [len(text) for text in meaning.seen] == [len("short"), 4_000]


def test_in_the_background_and_to_the_end(filled: Home, meaning: Meaning) -> None:
    fill(filled, c=["A new flat.", "Good."])
    started = threading.Event()
    meaning.before = started.set
    with embedding.in_background(filled):
        assert started.wait(30)
    meaning.before = lambda: None
    done = embedding.embed_read(filled)
    assert (done.left, done.vector_enabled) == (0, True)
    assert vector_rows(filled).keys() >= {"c0", "c1"}
    assert not any(thread.name == "embedding" for thread in threading.enumerate())


def test_what_fails_in_the_background_ends_nothing(filled: Home, meaning: Meaning) -> None:
    fill(filled, c=["A new flat."])
    failed = threading.Event()

    def fail() -> str:
        failed.set()
        return "NaN"

    meaning.before = fail
    with embedding.in_background(filled):
        assert failed.wait(30)
    assert overview.status(filled).not_embedded == 1


@pytest.mark.parametrize(
    ("question", "first"),
    [("which SQL server do we run", "b0"), ("pets", "c0"), ("frobnicate the quux", None)],
)
def test_the_real_model(home: Home, question: str, first: str | None) -> None:
    embedder = embed.load(home)
    if embedder is None:
        pytest.skip("the vectors extra is not installed: the offline model was not tested")
    fill(home, a=[FLAT.content], b=["The production database is PostgreSQL 15."], c=["Two cats, Miso and Tofu."])
    vectors.sync(home, embedder)
    assert found(home, question)[:1] == ([first] if first else [])


def test_what_was_only_compacted_is_not_embedded_again(filled: Home, meaning: Meaning) -> None:
    before, digests = vector_rows(filled), {row["identity"]: row["digest"] for row in stored(filled)}
    for key, names in (("x:a", {"a0"}), ("x:b", {"b0", "b1"})):
        states.restate(filled, key, [row["id"] for row in stored(filled) if row["identity"] in names], "compacted")
    index.sync(filled)
    changed = {row["identity"] for row in stored(filled) if row["digest"] != digests[row["identity"]]}
    assert changed == {"a0", "b0", "b1"}
    assert found(filled, "apartment") == ["a0"]
    meaning.seen.clear()
    assert vectors.sync(filled, meaning) == (0, 0, 0)
    assert (meaning.seen, vector_rows(filled)) == ([], before)


def test_vectors_of_an_earlier_program_are_kept(filled: Home, meaning: Meaning) -> None:
    """It knew a message by its whole line."""
    before = vector_rows(filled)
    with db.write(filled.session_index, SCHEMA) as connection:
        connection.execute(
            "UPDATE message_vectors SET content_hash = m.digest FROM messages m WHERE m.id = message_vectors.message_id"
        )
        connection.execute("ALTER TABLE messages DROP COLUMN text_digest")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name = 'm009_text_digest'")
        connection.execute("PRAGMA user_version=8")
    kept.release()
    migrate(filled)
    assert vector_rows(filled) == before
    assert vectors.sync(filled, meaning) == (0, 0, 0)
