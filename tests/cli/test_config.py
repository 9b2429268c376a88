"""``workbench config``: seen by all, changed by the person; what is lost is said, what is off is not listed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.conftest import Run
from tests.homes import at_defaults, fresh_home
from tests.test_config import SEARCH, kept
from workbench.config import SETTINGS
from workbench.operations import tools

Ask = Callable[..., Any]


def test_every_command_status_and_doctor_say_that_settings_are_lost(run: Run, ask: Ask, tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    home.config.write_text('{"ledger": {"agentWrites": "keep"}')
    done = run("-q", "remember", "The build needs Node 20.")
    assert (done.returncode, done.stderr.count("the settings are lost")) == (0, 1)
    assert str(kept(home)[0]) in done.stderr
    assert "waits" in done.stdout
    status = ask("status")
    assert "the settings are lost" in status["settings"]
    doctor = run("doctor")
    assert doctor.returncode == 1 and str(home.config) in doctor.stdout
    assert run("config", "set", "spotChecks", "1", owner=True).returncode == 0
    assert json.loads(home.config.read_text()) == {"ledger": {"spotChecks": 1}}
    assert ask("status")["settings"] is None
    assert run("doctor").returncode == 0
    assert kept(home)[0].read_text() == '{"ledger": {"agentWrites": "keep"}'


def test_get_set_and_show(run: Run, ask: Ask, tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    assert run("config", "get", "memorySearch.maxResults").stdout == "6\n"
    assert run("config", "set", "memorySearch.maxResults", "9", owner=True).stdout == f"{SEARCH}.maxResults is 9\n"
    assert run("config", "set", "vectorWeight", "0.5", "textWeight", "0.5", owner=True).returncode == 0
    assert run("config", "set", "compaction.model", "5", owner=True).returncode == 0
    assert run("config", "set", "extraPaths", '["~/vault"]', owner=True).returncode == 0
    assert json.loads(home.config.read_text())["agents"]["defaults"] == {
        "memorySearch": {"maxResults": 9, "vectorWeight": 0.5, "textWeight": 0.5, "extraPaths": ["~/vault"]},
        "compaction": {"model": "5"},
    }
    shown = {each["name"]: each for each in ask("config", "show")["settings"]}
    assert shown.keys() == SETTINGS.keys()
    assert shown[f"{SEARCH}.maxResults"] == {
        "name": f"{SEARCH}.maxResults",
        "value": 9,
        "default": 6,
        "takes": "a whole number from 1 to 50",
        "problem": None,
    }
    assert re.search(rf"^{SEARCH}.maxResults +9  \(default 6\)$", run("config", "show").stdout, re.MULTILINE)
    before = home.config.read_bytes()
    for key, value, said in (
        ("memorySearch.maxResults", "60", f"{SEARCH}.maxResults must be a whole number from 1 to 50, not 60"),
        ("maxResult", "6", f"there is no setting 'maxResult'; is {SEARCH}.maxResults meant?"),
        ("zzz", "6", "there is no setting 'zzz'; `workbench config show` lists them"),
        ("keepRecent", "true", "there is no setting 'keepRecent'"),
        ("agentWrites", "no", 'ledger.agentWrites must be "wait" or "keep", not "no"'),
    ):
        refused = run("config", "set", key, value, owner=True)
        assert refused.returncode == 1 and refused.stderr.startswith(f"workbench: {said}"), refused.stderr
    assert "'enabled' may be" in run("config", "get", "enabled").stderr
    assert run("config", "set", "spotChecks", "1").returncode == 1
    assert "CLAUDECODE" in run("config", "set", "spotChecks", "1", CLAUDECODE="1").stderr
    assert run("config", "set", "spotChecks", owner=True).returncode == 2
    assert home.config.read_bytes() == before
    home.config.write_text('{"ledger": {"spotChecks": "x"}}')
    assert "spotChecks must be a whole number" in run("config", "show").stderr
    assert "spotChecks must be" in ask("status")["settings"]


def test_tools_that_are_off_are_not_listed_and_are_refused(run: Run, tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    listed = run("--help").stdout
    assert re.findall(r"^  (search|get) ", listed, re.MULTILINE) == ["search", "get"]
    assert {"memory_search", "memory_get"} <= set(tools.available(home))
    home.config.write_text(json.dumps(at_defaults("memorySearch", {"enabled": False})))
    assert set(tools.ALL) - set(tools.available(home)) == {"memory_search", "memory_get"}
    for args in ((), ("--home", str(home.root))):
        listed = run(*args, "--help").stdout
        assert "recall" in listed and not re.findall(r"^  (search|get) ", listed, re.MULTILINE)
    for command in (("search", "x"), ("get", "MEMORY.md")):
        off = run(*command)
        assert off.returncode == 1
        assert "`workbench config set memorySearch.enabled true` switches it on" in off.stderr
