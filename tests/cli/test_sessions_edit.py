"""``sessions compact``, ``retry``, ``undo`` as a person and an agent run them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, claude_row, write_transcript
from tests.homes import at_defaults
from workbench.cli.context import HARNESSES

KEY = "claude-code:s1"
Ask = Callable[..., Any]


@pytest.fixture
def talk(tmp_path: Path, ask: Ask) -> Path:
    """Forty turns, read into the home."""
    rows = []
    for number in range(80):
        said = "I prefer tabs over spaces.\n\n" if number == 4 else ""
        rows.append(claude_row(number, f"{said}Turn {number}. " + "word " * 40, ["user", "assistant"][number % 2]))
    path = write_transcript(tmp_path / "talk.jsonl", *rows)
    ask("ingest", str(path))
    return path


def states(ask: Ask) -> list[str]:
    return [message["state"] for message in ask("sessions", "show", "s1", "--limit", "1000")["messages"]]


def test_compact(talk: Path, run: Run, ask: Ask) -> None:
    said = run("sessions", "compact", "s1")
    assert said.returncode == 0
    assert said.stdout.startswith(f"{KEY}  ") and "\nnot needed yet: " in said.stdout
    would = ask("sessions", "compact", "s1", "--window", "4000", "--dry-run")
    assert would["dry_run"] and would["compacted"] + would["kept"] == 80 and set(states(ask)) == {"active"}
    done = run("sessions", "compact", "s1", "--window", "4000")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "compacted above 2,600 of a window of 4,000" in lines[0]
    assert lines[1].startswith("learned first from ") and "1 statement, 1 in force, 0 waiting" in lines[1]
    assert lines[2].startswith(f"{would['compacted']} messages compacted, {would['kept']} stay; ")
    assert lines[3] == "  [Previous conversation summary]" and "  ## Exact Identifiers" in lines
    assert states(ask) == ["compacted"] * would["compacted"] + ["active"] * (1 + would["kept"])
    assert ask("sessions", "search", "Turn 4")["results"][0]["session_key"] == KEY
    again = ask("sessions", "compact", "s1", "--window", "4000", "--force")
    assert (again["compacted"], again["learned"]) == (0, None)
    talk.touch()
    ask("ingest", str(talk))
    assert states(ask).count("compacted") == would["compacted"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nobody"], "there is no conversation 'nobody'; `workbench sessions list` shows them"),
        (["s1", "--window", "500"], "a context window of 500 tokens leaves no room beside the 512 of the answer"),
    ],
)
def test_what_can_not_be_compacted_is_one_line(talk: Path, run: Run, args: list[str], said: str) -> None:
    done = run("sessions", "compact", *args)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"workbench: {said}\n")


def test_a_setting_that_can_not_be_is_said(talk: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "home" / "config.json").write_text(json.dumps(at_defaults("compaction", {"contextWindow": 8_000})))
    done = run("sessions", "compact", "s1")
    assert done.returncode == 1 and "reserveTokensFloor (20000) must be smaller than" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_retry_and_undo(talk: Path, run: Run, ask: Ask) -> None:
    done = run("sessions", "retry", "s1", owner=True)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"{KEY}  1 message taken back")
    assert done.stdout.splitlines()[1].startswith("  assistant: Turn 79. word")
    assert ask("sessions", "undo", "s1", owner=True)["role"] == "user"
    assert states(ask) == ["active"] * 78 + ["withdrawn"] * 2
    talk.touch()
    ask("ingest", str(talk))
    assert states(ask) == ["active"] * 78 + ["withdrawn"] * 2
    assert run("sessions", "search", "Turn 78").stdout.split()[:1] != [] and "Turn 78" not in run(
        "sessions", "search", '"Turn 78"'
    ).stdout.replace(">>>", "").replace("<<<", "")
    assert len(ask("sessions", "restore", "s1", owner=True)["withdrawn"]) == 1
    assert states(ask) == ["active"] * 78 + ["active", "withdrawn"]
    assert run("sessions", "restore", "s1", owner=True).stdout.splitlines()[0] == f"{KEY}  1 message brought back"
    talk.touch()
    ask("ingest", str(talk))
    assert states(ask) == ["active"] * 80
    none = run("sessions", "restore", "s1", owner=True)
    assert (none.returncode, none.stderr) == (1, f"workbench: nothing was taken back in {KEY}\n")


@pytest.mark.parametrize("command", ["retry", "undo", "restore"])
def test_an_agent_takes_nothing_back(talk: Path, run: Run, ask: Ask, command: str) -> None:
    name = next(iter(HARNESSES))
    for extra, why in (({name: "1"}, f"{name} says an agent runs this"), ({}, "run this in a terminal, or set")):
        done = run("sessions", command, "s1", **extra)
        assert done.returncode == 1 and done.stdout == ""
        assert (
            done.stderr.startswith("workbench: only the person can ")
            and "back what was said in a conversation" in done.stderr
        )
        assert why in done.stderr and len(done.stderr.splitlines()) == 1
    assert set(states(ask)) == {"active"}


def test_help_names_them(run: Run) -> None:
    listed = run("sessions", "--help").stdout
    for name in ("compact", "retry", "undo", "restore", "list", "show", "search"):
        assert f"\n  {name} " in listed
    for name in ("compact", "retry", "undo", "restore"):
        assert all(len(line) <= 80 for line in run("sessions", name, "--help").stdout.splitlines())
