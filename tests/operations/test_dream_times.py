"""Since when what was learned holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import claude_row, write_transcript
from workbench.home import Home
from workbench.ledger.time import instant
from workbench.operations import dream
from workbench.operations.memories import list_memories
from workbench.operations.models import MemoryOut
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest


def learned(home: Home, tmp_path: Path, *said: tuple[str, str]) -> dict[str, MemoryOut]:
    """Memories by their content, learned from messages said at these times."""
    rows = [claude_row(number, text) | {"timestamp": at} for number, (at, text) in enumerate(said)]
    ingest(home, expand(write_transcript(tmp_path / "s1.jsonl", *rows)))
    dream.dream(home)
    return {item.content: item for item in list_memories(home, status=None).items}


def test_what_is_said_to_have_begun_ends_what_was_before_then(home: Home, tmp_path: Path) -> None:
    found = learned(
        home,
        tmp_path,
        ("2026-01-05T12:00:00Z", "I live in Berlin."),
        ("2026-03-05T12:00:00Z", "Ich bin letzte Woche nach Bonn gezogen."),
    )
    berlin, bonn = found["Lives in Berlin."], found["Wohnt in Bonn."]
    assert (berlin.status, bonn.status) == ("superseded", "active")
    assert bonn.valid_from == berlin.valid_to == instant("2026-02-23")


@pytest.mark.parametrize(
    "second", ["I've been living in Bonn since 2019.", "Ich wohne seit 2019 in Bonn.", "I moved to Bonn last year."]
)
def test_a_beginning_before_what_it_replaces_makes_it_no_history(home: Home, tmp_path: Path, second: str) -> None:
    found = learned(home, tmp_path, ("2026-01-05T12:00:00Z", "I live in Berlin."), ("2026-03-05T12:00:00Z", second))
    berlin, bonn = found.pop("Lives in Berlin."), next(iter(found.values()))
    assert (berlin.status, bonn.status) == ("superseded", "active")
    assert bonn.valid_from == berlin.valid_to == "2026-03-05T12:00:00.000000Z"


def test_an_end_before_the_beginning_is_when_it_was_said(home: Home, tmp_path: Path) -> None:
    found = learned(
        home,
        tmp_path,
        ("2026-03-04T12:00:00Z", "Ich benutze Docker."),
        ("2026-03-05T12:00:00Z", "Seit letzter Woche benutze ich Docker nicht mehr."),
    )
    assert found["Benutzt Docker."].status == "superseded"
    assert found["Benutzt Docker nicht mehr."].status == "active"
