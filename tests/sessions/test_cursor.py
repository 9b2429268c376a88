"""Cursor: lines that say who spoke and what, and nothing else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.sessions.rows import said, stored, take, write
from tests.sessions.test_openclaw import consume, spoilt
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import discover, importers
from workbench.sessions.importers import cursor
from workbench.sessions.importers.lines import Counts
from workbench.sessions.ingest import ingest

NAME = "7d0f1c7e-1111-4000-8000-000000000001"
QUERY = "<user_query>\nRename the büro 事務 🗂\n</user_query>"
CONTEXT = "<open_and_recently_viewed_files>\nnotes.md\n</open_and_recently_viewed_files>"
ENDED = {"type": "turn_ended", "status": "success"}


def line(role: Any, *texts: Any, **fields: Any) -> dict[str, Any]:
    """A line with these texts, or blocks."""
    blocks = [{"type": "text", "text": text} if isinstance(text, str) else text for text in texts]
    return {"role": role, "message": {"content": blocks}, **fields}


USE = {"type": "tool_use", "name": "Read", "input": {"path": "notes.md"}}
CONVERSATION = [
    line("user", f"{CONTEXT}\n{QUERY}"),
    line("assistant", {"type": "thinking", "thinking": "Which?"}, "I will look.", USE),
    line("assistant", "Renamed."),
    ENDED,
]


def test_a_conversation(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / f"{NAME}.jsonl", CONVERSATION)
    assert importers.choose(path).name == "cursor"
    (source,) = take(home, path).sources
    assert said(home, f"cursor:{NAME}") == [
        ("user", "user", f"{CONTEXT}\n{QUERY}"),
        ("assistant", "assistant", "I will look."),
        ("assistant", "assistant", "Renamed."),
    ]
    call = stored(home)[1]
    assert call["thinking"] == "Which?"
    assert json.loads(call["tool_calls"]) == [
        {"id": "", "type": "function", "function": {"name": "Read", "arguments": '{"path":"notes.md"}'}}
    ]
    assert [source[name] for name in ("read", "kept", "skipped", "quarantined")] == [4, 3, 1, 0]


LINES: dict[str, tuple[dict[str, Any], list[tuple[str, str, str]]]] = {
    "typed": (line("user", QUERY), [("user", "user", QUERY)]),
    "plain": (line("user", "rename it"), [("user", "user", "rename it")]),
    "content that is a text": ({"role": "user", "message": {"content": "hi"}}, [("user", "user", "hi")]),
    "the editor alone": (line("user", CONTEXT), [("user", "harness", CONTEXT)]),
    "nothing in the query": (
        line("user", "<user_query> </user_query>"),
        [("user", "harness", "<user_query> </user_query>")],
    ),
    "a block in another case": (line("ASSISTANT", {"type": "Text", "text": "hi"}), [("assistant", "assistant", "hi")]),
    "instructions": (line("system", "Be brief."), [("system", "harness", "Be brief.")]),
    "an image": (line("user", {"type": "image"}, QUERY), [("user", "user", f"[image]\n\n{QUERY}")]),
    "a result": (
        line("user", {"type": "tool_result", "tool_use_id": "t1", "content": "4"}),
        [("tool", "tool", "4")],
    ),
    "half a character": (line("user", "half \ud83d"), [("user", "user", "half \ufffd")]),
}


@pytest.mark.parametrize("name", LINES)
def test_who_speaks(name: str, home: Home, tmp_path: Path) -> None:
    row, expected = LINES[name]
    take(home, write(tmp_path / "x.jsonl", [row]))
    assert said(home) == expected


def test_a_subagent(home: Home, tmp_path: Path) -> None:
    path = tmp_path / f"projects/home-ada/agent-transcripts/{NAME}/subagents/9.jsonl"
    take(home, write(path, [line("user", QUERY), line("assistant", "Done.")]))
    assert [(m["session_key"], m["origin"]) for m in stored(home)] == [("cursor:9", "subagent")] * 2
    (found,) = cursor.read(path, Counts())
    assert found.session.metadata == {
        "agent": "cursor",
        "kind": "subagent",
        "parent_session": NAME,
        "workspace": "home-ada",
    }


def test_growth_adds_only_what_is_new(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [line("user", "yes"), line("assistant", "ok"), line("user", "yes")])
    take(home, path)
    before = [m["id"] for m in stored(home)]
    write(path, [line("user", "yes"), line("assistant", "ok"), line("user", "yes"), ENDED, line("assistant", "ok")])
    report = take(home, path)
    assert (report.new, report.updated) == (1, 0)
    assert [m["id"] for m in stored(home)][:3] == before
    assert [content for *_, content in said(home)] == ["yes", "ok", "yes", "ok"]


def test_times_where_they_are_written(tmp_path: Path) -> None:
    rows = [line("user", "a", timestamp="2026-03-02T10:00:00Z"), line("user", "b", timestamp="2026-03-01T10:00:00Z")]
    (found,) = cursor.read(write(tmp_path / "x.jsonl", [*rows, line("user", "c", timestamp=7)]), Counts())
    assert (found.session.created_at, found.session.updated_at) == ("2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z")
    assert [m.timestamp for m in found.messages] == ["2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z", None]


def test_junk_costs_itself(home: Home, tmp_path: Path) -> None:
    rows = [None, 5, [], {}, {"role": "user"}, {"role": "user", "message": "x"}, line(None, "x"), line("robot", "x")]
    (source,) = take(home, write(tmp_path / "x.jsonl", [line("user", "hi"), *rows, b"{broken\n", line("user")])).sources
    assert said(home) == [("user", "user", "hi")]
    assert [source[name] for name in ("read", "kept", "skipped", "quarantined")] == [11, 1, 1, 9]


def test_a_file_of_marks_alone_is_an_error(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / ".cursor/projects/p/agent-transcripts/x.jsonl", [ENDED])
    (source,) = [source for source in discover.find({}, tmp_path) if source.format == "cursor"]
    assert source.path == path
    with pytest.raises(WorkbenchError, match="holds no messages"):
        ingest(home, [source])


@settings(deadline=None)
@given(spoilt(CONVERSATION))
def test_reading_never_fails(rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x.jsonl", rows)
        cursor.sniff(importers.sample(path))
        assert consume(cursor.read, path).read == len(rows)


def test_no_shared_file_is_taken(shared_data: Path) -> None:
    for path in shared_data.glob("transcripts/*/*.json*"):
        assert not cursor.sniff(importers.sample(path)), path
