"""Export, import and migrate as a user runs them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.conftest import Run
from tests.dreaming.foreign import flaremo, flowly

Ask = Callable[..., Any]


def test_a_ledger_moves_to_another_home(ask: Ask, run: Run, tmp_path: Path) -> None:
    ask("memory", "migrate", "--from", str(flaremo.export(tmp_path / "e.json")), "--trust-source", owner=True)
    file, other = str(tmp_path / "out"), str(tmp_path / "new")
    assert ask("export", file, owner=True)["counts"]["memories"] == 8
    again = run("export", file, owner=True)
    assert (again.returncode, again.stdout) == (1, "")
    assert "exists already" in again.stderr
    assert ask("--home", other, "import-bundle", file, "--own-backup", owner=True)["restored"]["memories"] == 8
    moved, kept = (ask("--home", home, "memory", "list") for home in (other, str(tmp_path / "home")))
    assert moved == kept
    assert ask("--home", other, "memory", "audit", "--verify")["ok"]
    asked = run("import-bundle", file, "--own-backup", owner=True)
    assert (asked.returncode, "say --yes" in asked.stderr) == (1, True)
    assert ask("import-bundle", file, "--own-backup", "--yes", owner=True)["restored"].get("memories", 0) == 0


def test_what_trusts_or_shows_all_is_the_persons(run: Run, ask: Ask, tmp_path: Path) -> None:
    source = str(flowly.home(tmp_path / "flowly"))
    for command in (
        ("memory", "migrate", "--from", source, "--trust-source"),
        ("memory", "migrate", "--from", source),
        ("import-bundle", str(tmp_path / "f"), "--own-backup"),
        ("import-bundle", str(tmp_path / "f")),
        ("export", str(tmp_path / "f")),
    ):
        refused = run(*command, CLAUDECODE="1")
        assert (refused.returncode, "only the person" in refused.stderr or "no home" in refused.stderr) == (1, True)
    assert not (tmp_path / "f").exists()
    assert ask("memory", "migrate", "--from", source, owner=True)["waiting"] == 15


def test_what_happened_is_said(run: Run, tmp_path: Path) -> None:
    dry = run("memory", "migrate", "--from", str(flowly.home(tmp_path / "flowly")), "--dry-run", owner=True).stdout
    assert "this is what would happen" in dry
    assert "     15 wait for you" in dry
    assert "`workbench graph import` brings the knowledge graph" in dry
    assert "undo" not in dry
    assert "the ledger held 0 memories before, and 15 after" in dry
    nothing = run("memory", "migrate", "--from", str(tmp_path / "none"), owner=True)
    assert (nothing.returncode, nothing.stderr.count("\n")) == (1, 1)
