"""``workbench search`` and ``get``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.conftest import Run
from tests.homes import fresh_home

DAY = "# 2026-03-01\n\nMet Anna about the radish harvest.\nHer key is AKIAIOSFODNN7EXAMQLE.\n"


def test_notes_are_found_and_read(run: Run, ask: Callable[..., Any], tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    (home.memory / "2026-03-01.md").write_text(DAY)
    found = ask("search", "radish harvest")
    assert found.keys() == {"results", "provider", "vector_enabled", "vector_problem"}
    (hit,) = found["results"]
    assert (hit["path"], hit["lines"], hit["match_paths"]) == ("memory/2026-03-01.md", "L1-4", ["words"])
    assert "AKIA" not in hit["snippet"]
    assert ask("search", "zorblax quuxen") == {
        "results": [],
        "provider": "all-MiniLM-L6-v2-onnx-int8",
        "vector_enabled": False,
        "vector_problem": None,
    }
    said = run("search", "radish harvest").stdout
    assert said.startswith("memory/2026-03-01.md:L1-4  0.9")
    assert ask("get", "2026-03-01.md", "--from", "3", "--lines", "1") == {
        "path": "memory/2026-03-01.md",
        "from_line": 3,
        "text": "Met Anna about the radish harvest.",
        "total": 4,
    }
    (home.memory / "2026-03-01.md").unlink()
    gone = ask("get", "memory/2026-03-01.md", "--lines", "3")
    assert (gone["text"], gone["total"]) == (DAY[: DAY.index("\nHer")], None)
    (home.root / "config.json").write_text('{"agents": {"defaults": {"memorySearch": {"enabled": false}}}}')
    for command in (("search", "radish"), ("get", "MEMORY.md")):
        off = run(*command)
        assert (off.returncode, "memorySearch.enabled" in off.stderr) == (1, True)
    (home.root / "config.json").unlink()
    for path in ("../../config.md", "/etc/passwd.md", "memory/../../x.md", "config.json", ".hidden.md", "none.md"):
        refused = run("get", path)
        assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), path
        assert "there is no note" in refused.stderr
