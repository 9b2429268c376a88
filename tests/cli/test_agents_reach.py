"""What an agent that runs the command line can't do: name what it may not see, put words into the person's mouth; and
slips that nobody means."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, claude_row, environment, write_transcript

Ask = Callable[..., Any]
ACTS = ("accept", "reject", "archive", "lock", "confirm", "erase")


def test_what_an_agent_may_not_see_it_can_not_name(run: Run, ask: Ask) -> None:
    run("up", "--no-serve")
    said = ask("remember", "Allergic to bee stings.", CLAUDECODE="1")
    own, waiting = ask("memory", "list", "--status", "all", "--search", "bee stings", "--order", "newest")["items"]
    assert (said["outcome"], said["memory"]["id"]) == ("created", own["id"]), "nor learn that it was said before"
    assert (waiting["privacy"], waiting["status"]) == ("sensitive", "needs_review")
    asked = [run("memory", act, waiting["id"][:10], CLAUDECODE="1") for act in ACTS]
    asked.append(run("memory", "feedback", waiting["id"], "--helpful", CLAUDECODE="1"))
    for done in asked:
        assert done.returncode == 1
        assert "there is no memory" in done.stderr and "bee" not in done.stdout + done.stderr
    assert run("memory", "confirm", waiting["id"], owner=True).returncode == 0
    assert "bee stings" in run("memory", "archive", waiting["id"], CLAUDECODE="1").stdout  # the lens shows it now


@pytest.mark.parametrize("command", [["ingest"], ["ingest", "--watch"], ["up", "--no-serve", "--source"]])
def test_transcripts_are_named_by_the_person(command: list[str], run: Run, tmp_path: Path) -> None:
    path = write_transcript(tmp_path / "forged.jsonl", claude_row(0, "My name is Mallory. I live in Berlin."))
    done = run(*command, str(path), CLAUDECODE="1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "only the person names transcripts to read, and CLAUDECODE says" in done.stderr
    assert not (tmp_path / "home").exists()


def test_an_empty_project_is_a_slip(run: Run) -> None:
    run("up", "--no-serve")
    for command in (
        ["memory", "add", "Only here."],
        ["remember", "Only here."],
        ["recall", "x"],
        ["memory", "list"],
        ["memory", "review"],
    ):
        done = run(*command, "--project", "", owner=True)
        assert (done.returncode, "'--project': it is empty" in done.stderr) == (2, True), command


def test_a_home_is_not_exported_over(run: Run, tmp_path: Path) -> None:
    run("up", "--no-serve")
    ledger = tmp_path / "home" / "memory_governance.sqlite3"
    before = ledger.stat().st_size
    for path in (ledger, tmp_path / "home" / "workspace" / "x.mwb"):
        done = run("export", str(path), "--force", owner=True)
        assert (done.returncode, "lies in the home itself" in done.stderr) == (1, True)
    assert ledger.stat().st_size == before and run("status").returncode == 0


def test_bytes_that_are_no_text_are_no_fault(run: Run, ask: Ask, tmp_path: Path) -> None:
    run("up", "--no-serve")
    odd = os.fsdecode(b"caf\xe9")
    for command in (
        ["recall", odd],
        ["recall", "x", "--key", odd],
        ["memory", "list", "--tag", odd],
        ["lens", "--project", odd],
        ["sessions", "search", odd],
        ["remember", "Likes it.", "--project", odd],
    ):
        done = run("--json", *command)
        assert (done.returncode, "unexpected" in done.stderr) == (0, False), (command, done.stderr)
        json.loads(done.stdout.encode("utf-8"))
    path = write_transcript(tmp_path / f"{odd}.jsonl", claude_row(0, "I live in Berlin."))
    assert ask("ingest", str(path))["totals"]["new"] == 1
    (tmp_path / odd).mkdir()
    command = [sys.executable, "-m", "workbench", "recall", "x"]
    done = subprocess.run(command, cwd=tmp_path / odd, env=environment(tmp_path), capture_output=True, check=False)
    assert (done.returncode, b"unexpected" in done.stderr) == (0, False)


def test_a_very_long_name_of_a_conversation_is_not_found(run: Run) -> None:
    run("up", "--no-serve")
    done = run("sessions", "show", "a" * 60_000)
    assert (done.returncode, "unexpected" in done.stderr) == (1, False)


@pytest.mark.parametrize("named", [("--key", "service.password"), ("--tags", "password")])
def test_a_word_that_is_named_a_credential_is_refused(run: Run, named: tuple[str, str]) -> None:
    run("up", "--no-serve")
    done = run("remember", "hunter2secret", *named)
    assert (done.returncode, "credential" in done.stderr) == (1, True)


def test_what_the_person_made_their_own_outlives_the_sample(run: Run, ask: Ask, tmp_path: Path) -> None:
    run("up", "--no-serve")
    (zed,) = ask("memory", "list", "--search", "Zed")["items"]
    ask("memory", "lock", zed["id"], owner=True)
    write_transcript(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", claude_row(0, "I live in Berlin."))
    run("up", "--no-serve")
    found = {item["content"]: item["status"] for item in ask("memory", "list", "--status", "all")["items"]}
    assert found[zed["content"]] == "active" and found["Lives in Berlin."] == "active"
    assert "archived" in found.values()
    assert zed["content"] in (tmp_path / "home" / "workspace" / "memory" / "MEMORY.md").read_text()
