"""The main job killed at any moment: the next run ends where an uninterrupted one does."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.conftest import claude_row, environment, write_transcript
from workbench.home import Home
from workbench.operations import conversations, memories

KILLS = 12
CONVERSATIONS = 12
ROWS = 120


def transcripts(folder: Path) -> None:
    """Conversations in which a person keeps moving, and states preferences."""
    for session in range(CONVERSATIONS):
        rows = []
        for number in range(ROWS):
            when = f"2026-{session + 1:02}-01T{number // 60:02}:{number % 60:02}:00Z"
            said = f"I live in Town{session}x{number}." if number % 3 else f"I prefer tool{session} to thing{number}."
            rows.append(claude_row(number, said, sessionId=f"s{session}", timestamp=when))
        write_transcript(folder / ".claude" / "projects" / "p" / f"s{session}.jsonl", *rows)


def state(home: Home) -> dict[str, Any]:
    """What a home holds, without random ids and times of writing."""
    page = memories.list_memories(home, status=None, limit=10_000)
    shown = [conversations.show(home, f"claude-code:s{n}", limit=1_000) for n in range(CONVERSATIONS)]
    return {
        "memories": sorted((m.content, m.status, m.valid_from, m.valid_to or "", m.seen_count) for m in page.items),
        "messages": [[(m.id, m.seq, m.content) for m in conversation.messages] for conversation in shown],
        "files": {path.name: path.read_bytes().split(b"\n", 1)[1] for path in home.sessions.glob("*.jsonl")},
        "notes": home.memory_md.read_bytes(),
        "audit": memories.verify_audit(home).problems,
    }


def up(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "workbench", "up", "--no-serve"]
    return subprocess.Popen(command, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(folder: Path) -> Home:
    child = up(folder)
    _, errors = child.communicate()
    assert child.returncode == 0, errors
    return Home(folder / "home")


def test_a_killed_run_converges(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        transcripts(folder)
    expected = state(finished(whole))
    assert len(expected["memories"]) > 500
    dice = random.Random(42)
    for _ in range(KILLS):
        child = up(broken)
        try:
            child.wait(timeout=dice.uniform(0.4, 4))
        except subprocess.TimeoutExpired:
            child.kill()
        _, errors = child.communicate()
        assert "unexpected" not in errors
    found = state(finished(broken))
    for name, value in expected.items():
        assert found[name] == value, name
