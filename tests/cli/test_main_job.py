"""The main job through the command line: transcripts in, verdicts made, notes out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, claude_row, write_transcript

Ask = Callable[..., Any]


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file of a home that is not a database or its company."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".sqlite" not in path.name and not path.name.endswith(".lock")
    }


def contents(page: dict[str, Any]) -> set[str]:
    return {item["content"] for item in page["items"]}


def test_up_without_transcripts_uses_the_sample_and_a_second_run_changes_nothing(
    run: Run, ask: Ask, tmp_path: Path
) -> None:
    first = run("up", "--no-serve")
    assert first.returncode == 0, first.stderr
    assert "bundled sample" in first.stderr
    lines = first.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["sessions", "messages", "memories", "notes", "look"]
    status = ask("status")
    assert status["sessions"] == 3
    assert status["active"] >= 8
    assert status["waiting"] >= 3
    assert status["backlog"] == status["outbox"] == 0
    before, memories = snapshot(tmp_path / "home"), ask("memory", "list", "--status", "all")
    second = run("up", "--no-serve")
    assert second.returncode == 0, second.stderr
    assert snapshot(tmp_path / "home") == before
    assert ask("memory", "list", "--status", "all") == memories
    assert ask("status") == status


def test_the_sample_makes_way_for_real_conversations(run: Run, ask: Ask, tmp_path: Path) -> None:
    ask("up", "--no-serve")
    sample = contents(ask("memory", "list"))
    assert "Lives in Porto." in sample
    write_transcript(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", claude_row(0, "My name is Mira."))
    done = run("up", "--no-serve")
    assert "of the sample went to the archive" in done.stderr
    assert contents(ask("memory", "list")) == {"Name is Mira."}
    assert ask("memory", "review")["total"] == 0
    assert [item["key"] for item in ask("sessions", "list")["items"]] == ["claude-code:s1"]
    assert sample <= contents(ask("memory", "list", "--status", "archived"))
    assert "archived" not in run("up", "--no-serve").stderr


def test_up_finds_transcripts_learns_and_writes_notes(ask: Ask, transcript: Path, tmp_path: Path) -> None:
    result = ask("up", "--no-serve")
    assert result["ingest"]["totals"]["messages"] == 6
    assert result["status"]["sessions"] == 1
    active = contents(ask("memory", "list"))
    assert {"Name is Dana.", "Lives in Munich.", "Prefers tabs over spaces."} <= active
    assert contents(ask("memory", "list", "--status", "superseded")) == {"Lives in Berlin."}
    (waiting,) = ask("memory", "review")["items"]
    assert "dark themes" in waiting["memory"]["content"]
    assert waiting["reason"] == "inferred"
    assert waiting["evidence"][0]["session_key"] == "claude-code:s1"
    assert "I think I prefer dark themes" in waiting["evidence"][0]["excerpt"]
    notes = (tmp_path / "home" / "workspace" / "memory" / "MEMORY.md").read_text()
    assert "- Lives in Munich." in notes
    assert "Berlin" not in notes
    assert "dark" not in notes


def test_a_growing_transcript_gives_only_what_is_new(run: Run, ask: Ask, transcript: Path) -> None:
    ask("up", "--no-serve")
    with transcript.open("a") as handle:
        handle.write(json.dumps(claude_row(6, "I work at Acme.")) + "\n")
        handle.write('{"type": "user", "uuid": "torn')
    result = ask("up", "--no-serve")
    assert result["dream"]["messages"] == 1
    assert "Works at Acme." in contents(ask("memory", "list"))
    assert result["status"]["messages"] == 7


def test_verdicts_on_the_command_line(run: Run, ask: Ask, transcript: Path, tmp_path: Path) -> None:
    ask("up", "--no-serve")
    notes = tmp_path / "home" / "workspace" / "memory" / "MEMORY.md"
    (waiting,) = ask("memory", "review")["items"]
    memory_id = waiting["memory"]["id"]
    before = notes.read_bytes()
    accepted = run("memory", "accept", memory_id[:10], owner=True)
    assert (accepted.returncode, accepted.stdout.split()[0]) == (0, "accepted")
    assert b"dark themes" in notes.read_bytes()
    assert run("memory", "undo", owner=True).returncode == 0
    assert notes.read_bytes() == before
    corrected = ask("memory", "correct", memory_id, "Prefers dark themes at night.", owner=True)
    assert (corrected["memory"]["status"], corrected["memory"]["authority"]) == ("active", "confirmed")
    assert b"- Prefers dark themes at night." in notes.read_bytes()
    assert ask("memory", "reject", memory_id, owner=True)["memory"]["status"] == "rejected"
    assert b"dark" not in notes.read_bytes()
    actions = [event["action"] for event in ask("memory", "history", memory_id)]
    assert actions == ["rejected", "corrected", "undone", "accepted", "created"]
    audit = ask("memory", "audit", "--verify")
    assert (audit["ok"], audit["problems"]) == (True, [])


@pytest.mark.parametrize("verb", [["accept"], ["reject"], ["correct", "x"], ["undo"]])
def test_nobody_in_a_shell_without_a_terminal_rules(run: Run, ask: Ask, transcript: Path, verb: list[str]) -> None:
    ask("up", "--no-serve")
    (waiting,) = ask("memory", "review")["items"]
    refused = run("memory", verb[0], waiting["memory"]["id"], *verb[1:])
    assert refused.returncode == 1
    assert "only the person can" in refused.stderr
    assert ask("memory", "review")["items"] == [waiting]


def test_the_persons_own_notes_survive(run: Run, ask: Ask, transcript: Path, tmp_path: Path) -> None:
    notes = tmp_path / "home" / "workspace" / "memory" / "MEMORY.md"
    notes.parent.mkdir(parents=True)
    mine = "# Mine\r\n\r\n- keep me \u00e9\r\n".encode() + b"\xff odd byte\r\n"
    notes.write_bytes(mine)
    ask("up", "--no-serve")
    assert notes.read_bytes().startswith(mine)
    assert b"Munich" in notes.read_bytes()


def test_sessions_are_listed_shown_and_searched(run: Run, ask: Ask, transcript: Path) -> None:
    ask("ingest")
    (session,) = ask("sessions", "list")["items"]
    assert (session["key"], session["message_count"]) == ("claude-code:s1", 6)
    shown = ask("sessions", "show", "claude-code:s")
    assert [message["role"] for message in shown["messages"]] == ["user", "assistant"] * 2 + ["user", "user"]
    lines = run("sessions", "show", "s1").stdout.splitlines()
    assert [line.split()[0] for line in lines if line[:1].isdigit()] == [each["id"] for each in shown["messages"]]
    found = ask("sessions", "search", "where did dana move? munich!")
    assert (found["mode"], found["count"]) == ("discover", 1)
    assert ">>>Munich<<<" in found["results"][0]["snippet"]


@pytest.mark.parametrize(
    "query", ['"', "a AND", "NEAR(", "col:x", "-x", "*", "'; DROP TABLE messages --", "🎉", "雾凇", " "]
)
def test_any_query_is_safe(run: Run, transcript: Path, query: str) -> None:
    assert run("ingest").returncode == 0
    done = run("--json", "sessions", "search", "--", query)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"] == []


def test_a_garbage_conversation_is_said_and_read_again(run: Run, ask: Ask, transcript: Path, tmp_path: Path) -> None:
    ask("up", "--no-serve")
    canonical = tmp_path / "home" / "sessions" / "claude-code_s1.jsonl"
    before = canonical.read_bytes()
    canonical.write_bytes(b"\x00garbage\n" * 40)
    done = run("rebuild")
    assert done.returncode == 1
    assert "claude-code_s1.jsonl" in done.stderr
    again = run("up", "--no-serve")
    assert "claude-code_s1.jsonl" in again.stderr
    assert canonical.read_bytes() == before
    assert ask("status")["messages"] == 6
    canonical.unlink()
    assert run("up", "--no-serve").returncode == 0
    assert canonical.read_bytes() == before


def test_what_an_agent_says_is_not_learned(ask: Ask, tmp_path: Path) -> None:
    write_transcript(
        tmp_path / ".claude" / "projects" / "p" / "s1.jsonl",
        claude_row(0, "Go on."),
        claude_row(1, "I live in Paris and my name is Claude.", "assistant"),
        claude_row(2, "My name is Eve.", isSidechain=True),
        claude_row(3, "<system-reminder>My name is Mallory.</system-reminder>"),
        claude_row(4, "I live in Rome.", isMeta=True),
        claude_row(5, "", message={"role": "user", "content": [{"type": "tool_result", "content": "I live in Oslo."}]}),
        claude_row(6, "<!-- FLOWLY-GENERATED-START -->\nI live in Bonn.\n<!-- FLOWLY-GENERATED-END -->"),
    )
    result = ask("up", "--no-serve")
    assert result["dream"]["statements"] == 0
    assert ask("memory", "list", "--status", "all")["items"] == []


def test_rebuild_gives_the_same_messages(ask: Ask, transcript: Path, tmp_path: Path) -> None:
    ask("up", "--no-serve")
    before = ask("sessions", "show", "s1")
    (tmp_path / "home" / "session_index.sqlite").unlink()
    done = ask("rebuild")
    assert (done["sessions"], done["messages"], done["damaged"], done["backlog"]) == (1, 6, [], [])
    assert ask("sessions", "show", "s1") == before
    assert ask("memory", "dream")["messages"] == 0


def test_credentials_in_conversations_are_masked_wherever_they_are_shown(run: Run, ask: Ask, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    call = {
        "type": "tool_use",
        "id": "t",
        "name": "Bash",
        "input": {"command": f"git push https://x:{token}@git.example/r"},
    }
    write_transcript(
        tmp_path / "x.jsonl",
        claude_row(0, f"I live in Berlin. My login is {token} and zebra stripes are nice."),
        claude_row(1, "", "assistant", message={"role": "assistant", "content": [call]}),
    )
    ask("up", "--no-serve", "--source", str(tmp_path / "x.jsonl"))
    hidden = token[4:]
    for args in (["sessions", "show", "s1"], ["sessions", "list"], ["sessions", "search", "zebra"], ["memory", "show"]):
        named = [*args, ask("memory", "list")["items"][0]["id"]] if args == ["memory", "show"] else args
        for output in (run(*named).stdout, run("--json", *named).stdout):
            assert "Berlin" in output, args
            assert hidden not in output, args
            assert "[secret: " in output, args
    assert ask("sessions", "search", token)["results"][0]["snippet"].count("[secret: ") == 1
    assert token in (tmp_path / "home" / "sessions" / "claude-code_s1.jsonl").read_text()


@pytest.mark.parametrize(
    ("said", "active"),
    [
        (["I live in Munich.", "I no longer live in Berlin."], {"Lives in Munich.", "No longer lives in Berlin."}),
        (["I live in Munich.", "I no longer live in Munich."], {"No longer lives in Munich."}),
        (["I prefer tabs in Go.", "I prefer spaces in Python."], {"Prefers tabs in Go.", "Prefers spaces in Python."}),
        (
            ["I have a dog called Rex.", "I also have a dog called Bello."],
            {"Dog is called Rex.", "Dog is called Bello."},
        ),
        (["I love Chinese food.", "I hate Chinese food."], {"Dislikes Chinese food."}),
        (["I like coffee.", "I don't like coffee anymore."], {"No longer likes coffee."}),
        (["I use Docker for everything.", "I don't use Docker any more."], {"No longer uses Docker."}),
        (["My favourite language is Rust.", "My favorite language is Go."], {"Favorite language is Go."}),
        (["I work at Acme.", "My friend said: I work at Bosch."], {"Works at Acme."}),
    ],
)
def test_what_holds_after_somebody_said(ask: Ask, tmp_path: Path, said: list[str], active: set[str]) -> None:
    write_transcript(tmp_path / "x.jsonl", *[claude_row(number, words) for number, words in enumerate(said)])
    ask("up", "--no-serve", "--source", str(tmp_path / "x.jsonl"))
    assert contents(ask("memory", "list")) == active
