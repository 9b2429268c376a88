"""Settings: each is read, documented with its default, and what is none is said."""

from __future__ import annotations

import json
import operator
import re
from dataclasses import fields
from typing import Any

import pytest
from click.testing import CliRunner

from tests.conftest import ROOT
from workbench import config
from workbench.cli import cli
from workbench.config import SETTINGS, Config
from workbench.errors import WorkbenchError
from workbench.home import Home


def nested(name: str, value: Any) -> dict[str, Any]:
    """``{"a": {"b": value}}`` for ``a.b``."""
    for key in reversed(name.split(".")):
        value = {key: value}
    return dict(value)


def test_every_setting_is_named_once_and_read(home: Home) -> None:
    there = {f"{name}.{each.name}" for name, part in vars(Config()).items() for each in fields(part)}
    assert sorted(SETTINGS.values()) == sorted(there)
    for name in SETTINGS:
        home.config.write_text(json.dumps(nested(name, {})))
        with pytest.raises(WorkbenchError, match=re.escape(name)):
            config.load(home)


def test_every_setting_is_documented_with_its_default() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| `([^`]*)` \| \w", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    assert [(name, json.loads(default)) for name, default in rows] == [
        (name, list(value) if isinstance(value := operator.attrgetter(field)(Config()), tuple) else value)
        for name, field in SETTINGS.items()
    ]


def test_what_is_no_setting_is_said_and_stays(home: Home) -> None:
    document = {"ledger": {"agentWrite": "keep"}, "mine": {"a": 1}, "compaction": {"keepRecent": {"tokens": 1}}}
    home.config.write_text(json.dumps(document))
    assert config.unknown(home) == {
        "ledger.agentWrite": "ledger.agentWrites",
        "mine": None,
        "compaction.keepRecent.tokens": "compaction.keepRecent.minTokens",
    }
    said = CliRunner().invoke(cli, ["--home", str(home.root), "memory", "status"])
    assert said.exit_code == 0
    line = f"workbench: {home.config}: ledger.agentWrite is no setting, and does nothing; is ledger.agentWrites meant?"
    assert line in said.stderr.splitlines()
    assert "agentWrite" not in CliRunner().invoke(cli, ["--home", str(home.root), "-q", "memory", "status"]).stderr
    assert json.loads(home.config.read_text()) == document
    home.config.write_text("[1, ")
    assert config.unknown(home) == {}
