"""``workbench search``, ``get`` and ``append``."""

from __future__ import annotations

import json
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
    assert found.keys() == {"results", "provider", "vector_enabled"}
    (hit,) = found["results"]
    assert (hit["path"], hit["lines"], hit["match_paths"]) == ("memory/2026-03-01.md", "L1-4", ["words"])
    assert "AKIA" not in hit["snippet"]
    assert ask("search", "zorblax quuxen") == {
        "results": [],
        "provider": "all-MiniLM-L6-v2-onnx-int8",
        "vector_enabled": False,
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


def test_an_entry_is_appended_refused_and_found_both_ways(run: Run, ask: Callable[..., Any], tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    waiting = ask("append", "Prefers short answers, without a preamble.", "--agent", "codex")
    assert (waiting["outcome"], waiting["stored"], waiting["archived"]) == ("waiting", True, 0)
    assert waiting["memory"]["created_by"] == "agent:codex"
    twice = run("--json", "append", "prefers short answers, without  a preamble.")
    assert (twice.returncode, json.loads(twice.stdout)["outcome"]) == (1, "exact_duplicate")
    assert twice.stderr.startswith("workbench: Exact duplicate of what is there (m_")
    near = json.loads(run("--json", "append", "Prefers short answers without a preamble.").stdout)
    assert (near["outcome"], near["similarity"] > 0.75, near["memory"]["id"]) == (
        "near_duplicate",
        True,
        waiting["memory"]["id"],
    )
    mine = ask("append", "Drinks coffee.", "--kind", "fact", owner=True)
    assert (mine["outcome"], mine["memory"]["authority"], mine["memory"]["kind"]) == ("appended", "confirmed", "fact")
    assert home.memory_md.read_text().endswith(f"\n\n<!-- {mine['stamp']} -->\nDrinks coffee.\n")
    key = mine["memory"]["id"]
    (entry,) = ask("get", "MEMORY.md", "--entries", owner=True)
    assert (entry["text"], [each["id"] for each in entry["memories"]]) == ("Drinks coffee.", [key])
    promoted = ask("memory", "promote", key, owner=True)
    said = run("get", promoted["reference"].partition("#")[0], "--entries", owner=True).stdout
    assert said.splitlines()[1] == f"      {key} promoted_to this (active): Drinks coffee."
    (home.memory / "2026-03-01.md").write_text(DAY)
    recorded = ask("memory", "record", "2026-03-01.md#L3", "Knows Anna.", owner=True)
    assert (recorded["memory"]["content"], recorded["changed"]) == ("Knows Anna.", True)
    explained = run("memory", "why", recorded["memory"]["id"], owner=True).stdout
    assert "  derived_from note 2026-03-01.md#e-" in explained
    assert "> 2026-03-01.md:3  Met Anna about the radish harvest." in explained
    assert "AKIA" not in explained
    for refused in (("memory", "promote", key), ("memory", "record", "2026-03-01.md#L3")):
        assert "only the person can" in run(*refused).stderr


def test_what_a_search_could_not_read_is_said_beside_its_result(run: Run, tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    home.root.joinpath("config.json").write_text(
        json.dumps({"agents": {"defaults": {"memorySearch": {"extraPaths": [str(tmp_path / "unplugged")]}}}})
    )
    found = run("--json", "search", "radish")
    assert (found.returncode, json.loads(found.stdout)["results"]) == (0, [])
    said = f"workbench: {tmp_path / 'unplugged'} is no folder of notes that can be read\n"
    assert found.stderr.count(said) == run("search", "radish").stderr.count(said) == 1  # also when it was just looked


def test_an_entry_that_cannot_be_written_yet_is_not_said_to_stand_there(run: Run, tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    mine = "Größe: 42\n".encode("utf-16")
    home.memory_md.write_bytes(mine)
    done = run("append", "Drinks coffee.", owner=True)
    assert (done.returncode, "it is not in MEMORY.md yet" in done.stdout) == (0, True)
    assert "MEMORY.md is in UTF-16; save it as UTF-8" in done.stderr
    assert home.memory_md.read_bytes() == mine
    home.memory_md.write_text("Größe: 42\n")
    assert "appended to MEMORY.md" in run("append", "Lives in Ghent.", owner=True).stdout
    document = home.memory_md.read_text()
    assert document.startswith("Größe: 42\n")
    assert (document.count("Drinks coffee."), document.count("Lives in Ghent.")) == (1, 1)
