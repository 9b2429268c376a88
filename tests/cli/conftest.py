"""The command line as a user runs it, in a home and a user folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import command

Run = Callable[..., subprocess.CompletedProcess[str]]


def environment(tmp_path: Path, **extra: str) -> dict[str, str]:
    """An environment in which nothing of the real user is found."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(tmp_path), "WORKBENCH_HOME": str(tmp_path / "home"), **extra}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run ``workbench ARGS`` and give back what it said; ``owner=True`` runs it as the person."""

    def act(*args: str, owner: bool = False, stdin: str = "", **extra: str) -> subprocess.CompletedProcess[str]:
        env = environment(tmp_path, **({"WORKBENCH_ACT_AS": "owner"} if owner else {}), **extra)
        return command(env, *args, stdin=stdin)

    return act


@pytest.fixture
def ask(run: Run) -> Callable[..., Any]:
    """Run a command with ``--json`` and give back its document; it must succeed."""

    def act(*args: str, **extra: Any) -> Any:
        done = run("--json", *args, **extra)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return act


def claude_row(number: int, text: str, role: str = "user", **fields: Any) -> dict[str, Any]:
    """A row of a Claude Code transcript."""
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    return {
        "type": role,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": "s1",
        "timestamp": f"2026-05-01T10:{number:02}:00Z",
        "cwd": "/home/dana/projects/a",
        "isSidechain": False,
        "message": {"role": role, "content": content},
        **fields,
    }


def write_transcript(path: Path, *rows: dict[str, Any]) -> Path:
    """A transcript file of these rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A conversation in the place where Claude Code keeps them; the person states, hedges and corrects."""
    return write_transcript(
        tmp_path / ".claude" / "projects" / "-home-dana-projects-a" / "s1.jsonl",
        claude_row(0, "Hi! My name is Dana. I live in Berlin."),
        claude_row(1, "Nice to meet you, Dana.", "assistant"),
        claude_row(2, "I prefer tabs over spaces. Can you rename the file foo.py?"),
        claude_row(3, "Done: renamed.", "assistant"),
        claude_row(4, "Actually, I moved to Munich."),
        claude_row(5, "I think I prefer dark themes, I'm not sure."),
    )
