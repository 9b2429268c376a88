"""What goes to an embedding model that is elsewhere, what stays here, and what is said of both."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.index.hashing import Hashing
from tests.ledger.acts import put
from tests.sessions.test_ranking import fill
from workbench.home import Home
from workbench.index import embed, memory_vectors
from workbench.operations import embedding, overview
from workbench.sessions import search

KEY, HIDDEN = "ghp_" + "a1B2" * 9, "[secret: GitHub token]"
FALCON = "Project Falcon ends in May."
# What is private as each of these: a memory that somebody marked, what a scanner finds, what holds a marked memory.
PRIVATE = ("Falcon", "diabetes", "078-05-1120")


class Untold(Hashing):
    """A model that is elsewhere, and tells its dimension with its first vector."""

    def embed(self, texts: list[str]) -> np.ndarray:
        self.dimension = self.dimension or 64
        return super().embed(texts)


@pytest.fixture
def filled(home: Home) -> Home:
    put(home, "Lives in Berlin.")
    put(home, FALCON, privacy="sensitive")
    put(home, "My passport number is C01X00T47.", privacy="secret")
    put(home, "I have had diabetes since 2019.")
    home.memory.mkdir(parents=True, exist_ok=True)
    (home.memory / "a.md").write_text(f"# Keys {KEY}\n\nThe boat lies in the harbour. {KEY}\n")
    (home.memory / "b.md").write_text(f"# Plans\n\n- {FALCON.upper()}\n")
    (home.memory / "c.md").write_text("# Health\n\nHer diabetes is better.\n")
    fill(home, a=["We moved to a flat.", "My social security number is 078-05-1120.", f"{FALCON} Tell nobody."])
    return home


def there(monkeypatch: pytest.MonkeyPatch, embedder: Hashing) -> Hashing:
    monkeypatch.setattr(embed, "load", lambda home: embedder)
    return embedder


def test_what_is_private_is_not_given_to_a_model_elsewhere_and_counted(
    filled: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = there(monkeypatch, Untold(model_id="far", dimension=None, remote=True))
    before = overview.status(filled)
    assert (before.provider, before.not_embedded, before.withheld) == ("far", 5, 1), "notes are not read yet"
    done = embedding.embed_all(filled)
    assert (done.embedded, done.left) == (8, 0)
    assert sorted(elsewhere.seen) == [
        f"Keys {HIDDEN}: # Keys {HIDDEN}\n\nThe boat lies in the harbour. {HIDDEN}",
        "Lives in Berlin.",
        "We moved to a flat.",
    ]
    assert not any(word.lower() in text.lower() for text in elsewhere.seen for word in (*PRIVATE, KEY))
    status = overview.status(filled)
    assert (status.not_embedded, status.withheld) == (0, 6)
    elsewhere.seen.clear()
    assert embedding.embed_all(filled).embedded == 0, "what is withheld is not looked at again"
    assert elsewhere.seen == []
    assert search.discover(filled, "moved flat")["vector_enabled"]
    assert search.discover(filled, "social security number")["count"] == 1, "by its words"


def test_another_process_knows_the_dimension_from_the_vectors(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, Untold(model_id="far", dimension=None, remote=True))
    embedding.embed_all(filled)
    again = there(monkeypatch, Untold(model_id="far", dimension=None, remote=True))
    assert overview.status(filled).not_embedded == 0
    assert embedding.embed_all(filled).embedded == 0
    assert again.seen == []
    assert search.discover(filled, "moved flat")["vector_enabled"]
    there(monkeypatch, Untold(model_id="far", dimension=32, remote=True))
    assert not search.discover(filled, "moved flat")["vector_enabled"], "one of another dimension"
    assert overview.status(filled).not_embedded == 3
    assert embedding.embed_all(filled).embedded == 3
    assert search.discover(filled, "moved flat")["vector_enabled"]


def test_a_model_here_gets_all_of_it_again(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, Untold(model_id="far", dimension=None, remote=True))
    embedding.embed_all(filled)
    here = there(monkeypatch, Hashing())
    assert overview.status(filled).not_embedded == 9
    assert embedding.embed_all(filled).embedded == 9
    said = " ".join(here.seen)
    assert "diabetes" in said and "078-05-1120" in said and FALCON in said
    assert "C01X00T47" not in said, "what is secret is found by nothing"
    assert KEY not in said
    status = overview.status(filled)
    assert (status.not_embedded, status.withheld) == (0, 0)


def test_a_memory_that_becomes_private_loses_its_vector_elsewhere(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = put(home, "Lives in Berlin.")
    there(monkeypatch, Untold(model_id="far", dimension=None, remote=True))
    assert embedding.embed_memories(home).embedded == 1
    from workbench.ledger import store

    with store.writing(home) as connection:
        connection.execute("UPDATE memories SET privacy = 'sensitive' WHERE id = ?", (memory_id,))
    assert embedding.embed_memories(home).removed == 1
    assert overview.status(home).withheld == 1
    assert memory_vectors.nearest(home, np.ones(64, np.float32), "far", 5) == []


def test_what_hinders_the_background_is_said_once_and_it_goes_on(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = there(monkeypatch, Hashing())
    embedder.before = lambda: (_ for _ in ()).throw(embed.BadVectors("no vectors today"))
    monkeypatch.setattr(embedding, "_LOOK_AGAIN_SECONDS", 0.01)
    told: list[str] = []
    twice, tries = threading.Event(), [0]

    def failing() -> None:
        tries[0] += 1
        if tries[0] > 2:
            twice.set()
        raise embed.BadVectors("no vectors today")

    embedder.before = failing
    with embedding.in_background(filled, told.append):
        assert twice.wait(30)
        assert search.discover(filled, "moved flat")["count"] == 1, "by words, meanwhile"
        done = threading.Event()
        embedder.before = lambda: done.set()
        assert done.wait(30)
    assert told == ["no vectors today"]


def test_settings_that_name_what_is_missing(filled: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    filled.config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": {"provider": "frobnicate"}}}}))
    done = embedding.embed_all(filled)
    assert (done.vector_enabled, done.embedded) == (False, 0)
    status = overview.status(filled)
    assert (status.provider, status.not_embedded) == ("none", None)
    assert done.vector_problem == status.vector_problem is not None
    assert "frobnicate" in str(status.vector_problem)
    found = search.discover(filled, "flat")
    assert (found["provider"], found["vector_enabled"], found["vector_problem"]) == ("none", False, done.vector_problem)
    assert found["count"] == 1
