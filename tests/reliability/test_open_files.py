"""A database is never opened with plain file calls: closing such a descriptor would drop SQLite's locks."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import claude_row, environment, write_transcript
from workbench.home import Home
from workbench.operations import memories

# Python announces every open(), os.open(), shutil and zipfile access of a file as the audit event "open".
WATCH = """
import json, sys
opened = []
def hook(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)):
        name = args[0].decode() if isinstance(args[0], bytes) else args[0]
        base = name.rsplit("/", 1)[-1]
        if not base.startswith(".") and (".sqlite" in base) and not base.endswith(".lock"):
            opened.append(name)
sys.addaudithook(hook)
from workbench.cli import main
sys.argv[0] = "workbench"
try:
    main()
finally:
    print(json.dumps(opened), file=sys.stderr)
"""

COMMANDS = (
    ["up", "--no-serve"],
    ["status"],
    ["ingest"],
    ["rebuild"],
    ["migrate"],
    ["sessions", "list"],
    ["sessions", "search", "berlin"],
    ["memory", "list"],
    ["memory", "review"],
    ["memory", "dream"],
    ["memory", "refresh"],
    ["memory", "history"],
    ["memory", "audit", "--verify"],
    ["memory", "add", "Likes coffee."],
    ["memory", "undo"],
    ["remember", "Likes cocoa."],
    ["recall", "berlin"],
    ["lens"],
    ["bootstrap"],
    ["maintain"],
    ["export", "OUT"],
    ["import-bundle", "OUT"],
    ["memory", "erase", "ID", "--yes"],
    ["memory", "why", "ID"],
    ["search", "berlin"],
    ["get", "MEMORY.md"],
)


def watched(tmp_path: Path, code: str, *args: str) -> list[str]:
    env = environment(tmp_path, WORKBENCH_ACT_AS="owner")
    done = subprocess.run([sys.executable, "-c", code, *args], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stderr.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with a home that was used, of which each test has a copy."""
    folder = tmp_path_factory.mktemp("used")
    write_transcript(
        folder / ".claude" / "projects" / "p" / "s1.jsonl", claude_row(0, "My name is Dana. I live in Berlin.")
    )
    assert watched(folder, WATCH, "up", "--no-serve") == []
    assert watched(folder, WATCH, "memory", "add", "Likes tea.") == []
    return folder


@pytest.fixture
def used_home(pattern: Path, tmp_path: Path) -> Path:
    return shutil.copytree(pattern, tmp_path / "user")


@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_no_command_opens_a_database_file(used_home: Path, args: list[str]) -> None:
    out = str(used_home / "out")
    if args[0] == "import-bundle":
        assert watched(used_home, WATCH, "export", out) == []
    tea = next(m.id for m in memories.list_memories(Home(used_home / "home")).items if m.content == "Likes tea.")
    assert watched(used_home, WATCH, *({"OUT": out, "ID": tea}.get(word, word) for word in args)) == []


def test_the_watch_sees_what_it_watches_for(used_home: Path) -> None:
    database = used_home / "home" / "memory_governance.sqlite3"
    code = WATCH.replace("from workbench.cli import main", f"open({str(database)!r}, 'rb').close()\nmain = int")
    assert watched(used_home, code) == [str(database)]
