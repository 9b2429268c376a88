"""Where transcripts are looked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sessions.rows import user, write
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import discover
from workbench.sessions.discover import Source, find
from workbench.sessions.ingest import ingest

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


# Permissions mean nothing to root, so nobody takes the look; all that is needed is imported before that.
CHILD = """
import json, os, sys, tempfile
from pathlib import Path
from tests.sessions.rows import user, write
from workbench.sessions import discover, importers
importers.registry()
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
with tempfile.TemporaryDirectory() as folder:
    root = Path(folder)
    write(root / ".claude/projects/open/s.jsonl", [user("hello", "u1")])
    shut = root / sys.argv[1]
    write(shut / "inner/t.jsonl", [user("hidden", "u2")])
    write(shut / "t.jsonl", [user("hidden", "u3")])
    shut.chmod(int(sys.argv[2], 8))
    try:
        found = discover.find({}, root) if sys.argv[3] == "find" else discover.expand(root)
        try:
            named = str(discover.expand(shut / "t.jsonl"))
        except Exception as error:
            named = f"{type(error).__name__}: {error}"
        said = json.dumps([[[str(source.path), source.problem] for source in found], named])
        print(said.replace(folder, ""))
    finally:
        shut.chmod(0o700)
"""


@pytest.mark.parametrize("how", ["find", "expand"])
@pytest.mark.parametrize("mode", ["000", "444"])
@pytest.mark.parametrize("place", [".claude/projects/shut", ".flowly/profiles"])
def test_a_folder_without_permission_is_named_and_the_rest_is_found(place: str, mode: str, how: str) -> None:
    command = [sys.executable, "-c", CHILD, place, mode, how]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found, named = json.loads(done.stdout)
    problems = [[path, problem] for path, problem in found if problem]
    assert [path for path, problem in found if not problem] == ["/.claude/projects/open/s.jsonl"]
    assert problems == [[f"/{place}", f"cannot read /{place}: Permission denied; check its permissions"]]
    assert named == f"WorkbenchError: cannot read /{place}/t.jsonl: Permission denied; check its permissions"


def test_a_folder_without_permission_is_reported_with_the_sources(home: Home, tmp_path: Path) -> None:
    shut = Source(tmp_path / "shut", None, f"cannot read {tmp_path}/shut: Permission denied; check its permissions")
    report = ingest(home, [shut, Source(write(tmp_path / "s.jsonl", HELLO))])
    assert (report.new, report.errors) == (1, [shut.problem])
    with pytest.raises(WorkbenchError, match="shut: Permission denied"):
        ingest(home, [shut])


def test_what_is_broken_in_a_named_folder_is_said(tmp_path: Path) -> None:
    """What is of no transcript's kind is passed by; what may have been one, and can't be read, is not."""
    talk = write(tmp_path / "s.jsonl", [user("hi", "u1")])
    (tmp_path / "export.json").write_text('[{"id": 1')
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "picture.png").symlink_to(tmp_path / "gone.png")
    (tmp_path / "old.jsonl").symlink_to(tmp_path / "gone.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    found = {source.path.name: source.problem for source in discover.expand(tmp_path)}
    assert found == {
        "s.jsonl": None,
        "export.json": f"{tmp_path}/export.json is no JSON that can be read; nothing of it was read",
        "old.jsonl": f"{tmp_path}/old.jsonl is a link to nothing; it was not read",
        "pipe.jsonl": f"{tmp_path}/pipe.jsonl is no plain file; it was not read",
    }
    folder = tmp_path / ".claude/projects"
    folder.mkdir(parents=True)
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    write(tmp_path / "elsewhere/t.jsonl", [user("hi", "u1")])
    (folder / "gone.jsonl").symlink_to(tmp_path / "gone.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    assert [source.path for source in discover.find({}, tmp_path)] == [folder / "linked/t.jsonl"]  # links are followed
    assert talk in [source.path for source in discover.expand(tmp_path)]


def test_names_do_not_matter_where_agents_keep_transcripts(tmp_path: Path) -> None:
    names = [".gemini/tmp/p/chats/renamed.json", ".gemini/tmp/p/chats/a.jsonl", ".codex/sessions/2026/copy.jsonl"]
    for name in names:
        write(tmp_path / name, [b"{}\n"])
    assert sorted(str(source.path.relative_to(tmp_path)) for source in discover.find({}, tmp_path)) == sorted(names)
