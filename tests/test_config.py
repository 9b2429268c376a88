"""Settings: each is read, documented with its default and range, and what is none is said; a file that can't be read
is kept, and makes the home cautious."""

from __future__ import annotations

import json
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.conftest import ROOT
from tests.homes import at_defaults
from workbench import config
from workbench.cli import cli
from workbench.config import SETTINGS, Config
from workbench.errors import WorkbenchError
from workbench.home import Home

SEARCH = "agents.defaults.memorySearch"


def nested(name: str, value: Any) -> dict[str, Any]:
    """``{"a": {"b": value}}`` for ``a.b``."""
    for key in reversed(name.split(".")):
        value = {key: value}
    return dict(value)


def kept(home: Home) -> list[Path]:
    """The settings that were put aside."""
    return sorted(home.root.glob("config.json.broken-*"))


def test_every_setting_is_read_and_said_with_what_it_takes(home: Home) -> None:
    for name, setting in SETTINGS.items():
        home.config.write_text(json.dumps(nested(name, setting.default)))
        assert config.load(home) == Config()
        home.config.write_text(json.dumps(nested(name, {"x": 1})))
        with pytest.raises(WorkbenchError, match=re.escape(f'{name} must be {setting.takes}, not {{"x": 1}}')):
            config.load(home)


def test_every_setting_is_documented_with_its_default_and_range() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    rows = re.findall(r"^\| `([\w.]+)` \| `([^`]*)` \| ([^|]+) \| \w", page, re.MULTILINE)
    assert [(name, json.loads(default), takes) for name, default, takes in rows] == [
        (setting.name, setting.default, setting.takes) for setting in SETTINGS.values()
    ]


@pytest.mark.parametrize(
    ("section", "values", "said"),
    [
        ("memorySearch", {"chunkTokens": 49}, "chunkTokens must be a whole number from 50 to 100,000,000, not 49"),
        ("memorySearch", {"maxResults": 51}, "maxResults must be a whole number from 1 to 50, not 51"),
        ("memorySearch", {"maxResults": True}, "maxResults must be a whole number from 1 to 50, not true"),
        ("memorySearch", {"maxResults": 6.0}, "maxResults must be a whole number from 1 to 50, not 6.0"),
        ("memorySearch", {"minScore": "0.5"}, 'minScore must be a number from 0 to 1, not "0.5"'),
        ("memorySearch", {"minScore": None}, "minScore must be a number from 0 to 1, not null"),
        ("memorySearch", {"extraPaths": ["/a", " "]}, 'extraPaths must be a list of texts, not ["/a", " "]'),
        ("memorySearch", {"extraPaths": ["a\0b"]}, "extraPaths must be a list of texts, not"),
        ("memorySearch", {"overlapTokens": 201}, r"overlapTokens (201) must be at most half of chunkTokens (400)"),
        ("memorySearch", {"vectorWeight": 0.5}, "vectorWeight (0.5) and textWeight (0.3) must make 1"),
        ("memorySearch", [], f"{SEARCH} must be an object, not []"),
        ("memoryDreaming", {"autoFloor": 0.5}, "reviewFloor (0.55) must not be above autoFloor (0.5)"),
        ("memoryDreaming", {"autoFloor": 2, "reviewFloor": -1}, "not 2 (and 1 other problem)"),
    ],
)
def test_what_can_not_be_is_said_with_key_value_and_range(home: Home, section: str, values: Any, said: str) -> None:
    home.config.write_text(text := json.dumps(at_defaults(section, values)))
    with pytest.raises(WorkbenchError, match=re.escape(said)):
        config.load(home)
    assert home.config.read_text() == text


def test_what_is_no_setting_is_said_and_stays(home: Home) -> None:
    document = {
        "ledger": {"agentWrite": "keep"},
        "mine": {"a": 1},
        "dreaming": {"autoFloor": 1},
        **at_defaults("compaction", {"keepRecent": {"tokens": 1}, "context_window": 8_000}),
    }
    home.config.write_text(json.dumps(document))
    assert config.unknown(home) == {
        "ledger.agentWrite": "ledger.agentWrites",
        "mine": None,
        "dreaming": None,
        "agents.defaults.compaction.keepRecent.tokens": "agents.defaults.compaction.keepRecent.minTokens",
        "agents.defaults.compaction.context_window": "agents.defaults.compaction.contextWindow",
    }
    assert config.meant("dreaming.autoFloor") == "agents.defaults.memoryDreaming.autoFloor"
    assert config.load(home) == Config()
    said = CliRunner().invoke(cli, ["--home", str(home.root), "memory", "status"])
    assert said.exit_code == 0
    line = f"workbench: {home.config}: ledger.agentWrite is no setting, and does nothing; is ledger.agentWrites meant?"
    assert line in said.stderr.splitlines()
    assert "agentWrite" not in CliRunner().invoke(cli, ["--home", str(home.root), "-q", "memory", "status"]).stderr
    assert json.loads(home.config.read_text()) == document


def test_a_change_keeps_everything_else(home: Home) -> None:
    document = {"mine": {"ü": [1, None, "\ud800"]}, **at_defaults("model", "x"), "ledger": {"spotChecks": 3, "b": 1}}
    home.config.write_text(json.dumps(document))
    home.config.chmod(0o644)
    config.change(home, {f"{SEARCH}.maxResults": 9, "ledger.spotChecks": 4})
    assert json.loads(home.config.read_text()) == {
        "mine": {"ü": [1, None, "\ud800"]},
        "agents": {"defaults": {"model": "x", "memorySearch": {"maxResults": 9}}},
        "ledger": {"spotChecks": 4, "b": 1},
    }
    assert stat.S_IMODE(home.config.stat().st_mode) == 0o600
    found = config.load(home)
    assert (found.memory_search.max_results, found.ledger.spot_checks) == (9, 4)


def test_a_refused_change_writes_nothing_and_corrects_nothing_else(home: Home) -> None:
    home.config.write_text(text := json.dumps({"ledger": {"spotChecks": -1, "agentWrites": "no"}, "agents": []}))
    with pytest.raises(WorkbenchError, match=r'^ledger.agentWrites must be "wait" or "keep", not "maybe"$'):
        config.change(home, {"ledger.agentWrites": "maybe"})
    with pytest.raises(WorkbenchError, match="agents must be an object"):
        config.change(home, {f"{SEARCH}.maxResults": 9})
    assert home.config.read_text() == text
    home.config.write_text('{"mine": 1, "ledger": {}, "mine": 2}')
    with pytest.raises(WorkbenchError, match=r"can't be changed \('mine' stands twice in one object\)"):
        config.change(home, {"ledger.agentWrites": "wait"})
    home.config.write_text(text)
    config.change(home, {"ledger.agentWrites": "wait"})
    assert json.loads(home.config.read_text())["ledger"] == {"spotChecks": -1, "agentWrites": "wait"}


def test_changes_at_once_lose_none(home: Home) -> None:
    days = {f"ledger.{name}": number for number, name in enumerate(("conjectureDays", "dormantDays", "spotChecks"), 7)}
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda item: config.change(home, dict([item])), days.items()))
    assert json.loads(home.config.read_text()) == {"ledger": {"conjectureDays": 7, "dormantDays": 8, "spotChecks": 9}}


@pytest.mark.parametrize("data", [b'{"a": 1,', b"[1]", b"\xff\xfe{}", b'{"a": NaN}', b"[" * 100_000, b"9" * 5_000])
def test_a_file_that_can_not_be_read_is_kept_and_makes_cautious(home: Home, data: bytes) -> None:
    home.config.write_bytes(data)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: config.load(home), range(4)))
    (copy,) = kept(home)
    assert copy.read_bytes() == data and not home.config.exists()
    assert re.fullmatch(r"config\.json\.broken-\d{8}T\d{6}Z", copy.name)
    for each in (*found, config.load(home)):
        assert each.ledger.agent_writes == "wait"
        assert (each.ledger.conjecture_days, each.ledger.dormant_days) == (0, 0)
        assert (each.memory_dreaming.auto_floor, each.memory_dreaming.review_floor) == (1.0, 0.0)
        assert each.memory_search == Config().memory_search


def test_two_that_can_not_be_read_are_both_kept_and_one_that_can_ends_it(home: Home) -> None:
    for data in ("{1", "{2"):
        home.config.write_text(data)
        config.load(home)
    assert sorted(path.read_text() for path in kept(home)) == ["{1", "{2"]
    assert "is no JSON (" in (config.lost(home) or "")
    kept(home)[-1].write_text('{"ledger": {"agentWrites": "keep"}}')
    assert f"{kept(home)[-1]} can be read; correct it and move it to {home.config}" in (config.lost(home) or "")
    kept(home)[-1].rename(home.config)
    assert config.lost(home) is None
    assert config.load(home).ledger.agent_writes == "keep"
    assert config.load(home).ledger.conjecture_days == 14


def test_a_link_is_left_where_it_is(home: Home, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("{")
    home.config.symlink_to(tmp_path / "mine.json")
    assert config.load(home).ledger.conjecture_days == 0
    assert f"{home.config} is no JSON" in (config.lost(home) or "")
    assert home.config.is_symlink() and not kept(home)
