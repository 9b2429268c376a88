"""Where transcripts are looked for."""

from __future__ import annotations

from pathlib import Path

from tests.sessions.rows import user, write
from workbench.sessions.discover import Source, find

HELLO = [user("hello", "u1")]


def test_find(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "ada", tmp_path / "flowly-home"
    claude = write(home / ".claude/projects/-home-ada/s.jsonl", HELLO)
    agent = write(home / ".claude/projects/-home-ada/s/subagents/agent-1.jsonl", HELLO)
    write(home / ".claude/history.jsonl", HELLO)
    main = write(home / ".flowly/sessions/cli_x.jsonl", HELLO)
    profile = write(home / ".flowly/profiles/work/sessions/cli_x.jsonl", HELLO)
    other = write(elsewhere / "sessions/cli_y.jsonl", HELLO)
    configured = write(tmp_path / "cfg/projects/p/t.jsonl", HELLO)

    found = find({"FLOWLY_HOME": str(elsewhere), "CLAUDE_CONFIG_DIR": str(tmp_path / "cfg")}, home)

    assert found == sorted(
        [Source(path, "claude-code") for path in (claude, agent, configured)]
        + [Source(path, "flowly") for path in (main, profile, other)],
        key=lambda source: source.path,
    )
    assert find({}, tmp_path / "nobody") == []


def test_loops_are_walked_once(tmp_path: Path) -> None:
    path = write(tmp_path / ".claude/projects/p/s.jsonl", HELLO)
    (path.parent / "again").symlink_to(tmp_path / ".claude")
    (path.parent / "dead.jsonl").symlink_to(tmp_path / "gone")
    assert [source.path for source in find({}, tmp_path)] == [path]
