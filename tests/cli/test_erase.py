"""``workbench memory erase`` as the person runs it: shown, asked twice, and a number where it is much."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, environment
from tests.homes import fresh_home
from workbench.home import Home
from workbench.ledger import gate, store
from workbench.ledger.change import Change
from workbench.ledger.model import PERSON, Candidate, Kind
from workbench.ledger.write import propose

Ask = Callable[..., Any]


@pytest.fixture
def ids(tmp_path: Path) -> list[str]:
    """Thirty memories in the home that the commands use."""
    home = fresh_home(tmp_path / "home")
    with store.writing(home) as connection:
        done = [
            propose(Change(connection, PERSON), gate.check(Candidate(f"Owns book {number}.", Kind.FACT, True, None)))
            for number in range(30)
        ]
    return [proposal.memory_id or "" for proposal in done]


@pytest.fixture
def active(tmp_path: Path) -> Callable[[], int]:
    """Counts the memories in force."""

    def count() -> int:
        with store.reading(Home(tmp_path / "home")) as connection:
            return int(connection.execute("SELECT count(*) FROM memories WHERE status = 'active'").fetchone()[0])

    return count


@pytest.fixture
def typed(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``workbench ARGS`` as the person, who types the answers at a terminal and then ends the input."""

    def act(*args: str, answers: str) -> subprocess.CompletedProcess[str]:
        keyboard, terminal = os.openpty()
        try:
            os.write(keyboard, answers.encode() + b"\x04")
            return subprocess.run(
                [sys.executable, "-m", "workbench", *args],
                env=environment(tmp_path, WORKBENCH_ACT_AS="owner"),
                stdin=terminal,
                capture_output=True,
                text=True,
                timeout=100,
                check=False,
            )
        finally:
            os.close(keyboard)
            os.close(terminal)

    return act


Typed = Callable[..., subprocess.CompletedProcess[str]]


def test_it_shows_what_goes_and_asks_twice(typed: Typed, run: Run, active: Callable[[], int], ids: list[str]) -> None:
    done = typed("memory", "erase", ids[0][:16], answers="y\n1\n")
    assert done.returncode == 0, done.stderr
    assert f"{ids[0]}  Owns book 0." in done.stderr
    assert "goes: 1 memory, 1 event payload\n" in done.stderr
    assert f"erased for good: {ids[0]}" in done.stdout
    assert "not reached: backups" in done.stdout
    assert "Owns book 0." not in done.stdout
    assert active() == 29
    shown = run("memory", "show", ids[0])
    assert (shown.returncode, "erased" in shown.stdout, "book" in shown.stdout) == (0, True, False)


@pytest.mark.parametrize("answers", ["", "n\n", "y\n", "y\n2\n", "y\n0\n"])
def test_any_other_answer_erases_nothing(typed: Typed, active: Callable[[], int], ids: list[str], answers: str) -> None:
    assert typed("memory", "erase", ids[0], answers=answers).returncode != 0
    assert active() == 30


@pytest.mark.parametrize("answers", ["", "y\n1\n"])
def test_without_a_terminal_nothing_is_asked(run: Run, active: Callable[[], int], ids: list[str], answers: str) -> None:
    done = run("memory", "erase", ids[0], owner=True, stdin=answers)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert "say --yes" in line
    assert active() == 30


def test_yes_answers_both_but_not_where_it_is_much(
    run: Run, ask: Ask, active: Callable[[], int], ids: list[str]
) -> None:
    report = ask("memory", "erase", *ids[:3], "--yes", owner=True)
    assert (report["memory_ids"], report["counts"]["memories"], report["backlog"]) == (ids[:3], 3, 0)
    refused = run("memory", "erase", *ids[3:10], "--yes", owner=True)
    assert (refused.returncode, "--count 7" in refused.stderr) == (1, True)
    assert run("memory", "erase", *ids[3:10], "--yes", "--count", "6", owner=True).returncode == 1
    assert active() == 27
    assert run("memory", "erase", *ids[3:10], "--yes", "--count", "7", owner=True).returncode == 0
    assert active() == 20
    again = ask("memory", "erase", ids[0], owner=True)
    assert again["memory_ids"] == []
    assert ask("memory", "audit", "--verify")["ok"]


@pytest.mark.parametrize(
    ("args", "extra", "code"),
    [
        ((), {"owner": True}, 2),
        (("*", "--yes"), {"owner": True}, 1),
        (("", "--yes"), {"owner": True}, 1),
        (("ID", "--yes"), {}, 1),
    ],
)
def test_who_and_what_is_refused(
    run: Run, active: Callable[[], int], ids: list[str], args: tuple[str, ...], extra: dict[str, Any], code: int
) -> None:
    done = run("memory", "erase", *(ids[0] if arg == "ID" else arg for arg in args), **extra)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert active() == 30


def test_under_an_agents_harness_it_is_asked_for(run: Run, ask: Ask, active: Callable[[], int], ids: list[str]) -> None:
    done = run("memory", "erase", ids[0], "--yes", "--count", "1", CLAUDECODE="1")
    assert (done.returncode, active()) == (0, 30)
    assert "only the person rules on memories; nothing changed, it waits for them" in done.stderr
    (waiting,) = ask("memory", "review", owner=True)["items"]
    assert waiting["memory"]["content"] == "Erase for good: Owns book 0."


def test_an_erase_is_not_undone(run: Run, ids: list[str]) -> None:
    assert run("memory", "erase", ids[0], "--yes", owner=True).returncode == 0
    undone = run("memory", "undo", ids[0], owner=True)
    assert (undone.returncode, "Owns book 0" in undone.stdout + undone.stderr) == (1, False)
    asked = run("memory", "undo", owner=True)
    assert (asked.returncode, "an erase, which is final" in asked.stderr) == (1, True)
    before = run("memory", "undo", "--yes", owner=True)
    assert (before.returncode, ids[29] in before.stdout) == (0, True)
    assert "erased" in run("memory", "show", ids[0]).stdout
