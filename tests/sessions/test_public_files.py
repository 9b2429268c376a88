"""Real and published transcripts; the counts were found by reading the files."""

from __future__ import annotations

import contextlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.sessions.rows import check_full_text, stored, take, tally, write
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import importers
from workbench.sessions.discover import Source
from workbench.sessions.ingest import ingest

CLAUDE = {
    "daaain_claude-code-log/test_test_data_edge_cases.jsonl": (
        {"user/user": 4, "assistant/assistant": 4, "tool/tool": 1, "user/harness": 3},
        {"sessions": 2, "read": 19, "kept": 13, "skipped": 2, "quarantined": 4},
    ),
    "daaain_claude-code-log/test_test_data_representative_messages.jsonl": (
        {"user/user": 4, "assistant/assistant": 5, "tool/tool": 2},
        {"sessions": 1, "read": 12, "kept": 12, "skipped": 0, "quarantined": 0},
    ),
    "daaain_claude-code-log/test_test_data_session_b.jsonl": (
        {"user/user": 2, "assistant/assistant": 1},
        {"sessions": 1, "read": 3, "kept": 3, "skipped": 0, "quarantined": 0},
    ),
    "daaain_claude-code-log/test_test_data_todowrite_examples.jsonl": (
        {"user/user": 2, "assistant/assistant": 6, "tool/tool": 3},
        {"sessions": 1, "read": 12, "kept": 12, "skipped": 0, "quarantined": 0},
    ),
    "daaain_newer/dag_compact_after_rewind.jsonl": (
        {
            "user/user": 4,
            "assistant/assistant": 4,
            "user/user/withdrawn": 1,
            "assistant/assistant/withdrawn": 1,
            "system/harness": 1,
            "user/harness": 1,
        },
        {"sessions": 1, "read": 12, "kept": 12, "skipped": 0, "quarantined": 0},
    ),
    "daaain_newer/session_id_steering_order.jsonl": (
        {"user/user": 3, "assistant/assistant": 2},
        {"sessions": 1, "read": 5, "kept": 5, "skipped": 0, "quarantined": 0},
    ),
    "polylogue/tests__fixtures__claude-code__claude-normalization-main.jsonl": (
        {"user/user": 2, "assistant/assistant": 3, "assistant/subagent": 1, "tool/tool": 2, "user/harness": 4},
        {"sessions": 2, "read": 13, "kept": 12, "skipped": 1, "quarantined": 0},
    ),
    "polylogue/tests__fixtures__claude-code__normalization-agent.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        {"sessions": 1, "read": 2, "kept": 2, "skipped": 0, "quarantined": 0},
    ),
    "polylogue/tests__fixtures__claude-code__normalization-lineage-acompact.jsonl": (
        {"user/user": 1, "assistant/assistant": 1, "system/harness": 1},
        {"sessions": 1, "read": 3, "kept": 3, "skipped": 0, "quarantined": 0},
    ),
    "polylogue/tests__fixtures__claude-code__normalization-lineage-parent.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        {"sessions": 1, "read": 2, "kept": 2, "skipped": 0, "quarantined": 0},
    ),
    "polylogue/tests__fixtures__claude-code__normalization-lineage-subagent-acompact.jsonl": (
        {"user/subagent": 1, "assistant/subagent": 1, "system/harness": 1},
        {"sessions": 1, "read": 3, "kept": 3, "skipped": 0, "quarantined": 0},
    ),
    "polylogue/tests__fixtures__origin-capability__claude-code-session.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        {"sessions": 1, "read": 2, "kept": 2, "skipped": 0, "quarantined": 0},
    ),
    "agentsview/internal__parser__testdata__claude__valid_session.jsonl": (
        {"user/user": 2, "assistant/assistant": 2},
        {"sessions": 1, "read": 4, "kept": 4, "skipped": 0, "quarantined": 0},
    ),
}

# By the file the lines were taken from: messages by role and origin.
FLOWLY = {
    "tests/test_codex_session_tool.py": {"assistant/assistant": 3, "tool/tool": 1},
    "tests/test_session_archive_integrity.py": {"user/user": 1, "assistant/assistant": 1},
    "tests/test_session_disk_roundtrip.py": {"user/user": 3, "assistant/assistant": 4, "tool/tool": 3},
    "tests/test_session_media_assets.py": {"assistant/assistant": 4},
    "tests/test_session_reset.py": {"user/user": 1},
    "tests/test_session_search_modes.py": {
        "user/user": 4,
        "user/user/compacted": 1,
        "assistant/assistant": 3,
        "assistant/assistant/compacted": 1,
        "system/harness": 1,
    },
    "tests/test_session_title.py": {"assistant/assistant": 1},
    "tests/test_session_tool_persistence.py": {"user/user": 12, "assistant/assistant": 19, "tool/tool": 14},
}


@pytest.mark.parametrize("name", CLAUDE)
def test_claude_code_file(name: str, home: Home, shared_data: Path) -> None:
    expected, counts = CLAUDE[name]
    path = shared_data / "transcripts" / name
    before = path.read_bytes()

    report = take(home, path)

    assert tally(home) == expected
    (source,) = report.sources
    assert {key: source[key] for key in counts} == counts
    assert (source["format"], source["messages"]) == ("claude-code", sum(expected.values()))
    assert path.read_bytes() == before
    check_full_text(home)


@pytest.mark.parametrize("name", FLOWLY)
def test_flowly_lines(name: str, home: Home, shared_data: Path, tmp_path: Path) -> None:
    lines: dict[str, list[Any]] = defaultdict(list)
    for item in json.loads((shared_data / "transcripts/flowly/session_lines_from_tests.json").read_bytes()):
        lines[item["source"].split(":")[0]].append(item["line"])

    report = ingest(home, [Source(write(tmp_path / "cli_direct.jsonl", lines[name]), "flowly")])

    assert tally(home) == FLOWLY[name]
    assert report.sources[0]["quarantined"] == 0
    assert {message["session_key"] for message in stored(home)} == {"cli:direct"}


def test_files_of_other_agents_do_not_pass_for_these_formats(shared_data: Path) -> None:
    folder = shared_data / "transcripts"
    paths = [
        *folder.glob("codex-transcripts/*.jsonl"),
        *folder.glob("*/*codex*.jsonl"),
        *folder.glob("*/*hermes*.json*"),
    ]
    assert len(paths) > 10
    for path in paths:
        with contextlib.suppress(WorkbenchError):  # no format fits: that is said, and nothing is read
            assert importers.choose(path).name not in ("claude-code", "flowly"), path
