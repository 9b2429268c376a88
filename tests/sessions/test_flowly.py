"""Flowly files, those of nanobot, and our own canonical ones, which are of the same kind."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.homes import fresh_home
from tests.sessions.rows import assistant, said, stored, take, tally, user, write
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import store
from workbench.sessions.canonical import read_header
from workbench.sessions.discover import Source, find
from workbench.sessions.importers import choose, flowly
from workbench.sessions.importers.lines import Counts
from workbench.sessions.ingest import ingest

META = {"_type": "metadata", "created_at": "2026-01-01T00:00:00", "updated_at": "2026-01-02T00:00:00", "metadata": {}}
HELLO = {"role": "user", "content": "hello", "timestamp": "2026-01-01T00:00:00", "_event_id": "e1"}

KEYS = {
    "telegram_12345.jsonl": (META, "telegram:12345"),
    "telegram_a_b.jsonl": (META, "telegram:a_b"),
    "notes.jsonl": (META, "notes"),
    "wrong_name.jsonl": ({**META, "key": "cli:direct"}, "cli:direct"),
    "profiles/work/sessions/cli_direct.jsonl": (META, "cli:direct@work"),
    "telegram_7.jsonl": ({**META, "last_consolidated": 0}, "nanobot:telegram:7"),
    "by_name.jsonl": ({**META, "key": "telegram:7", "last_consolidated": 12}, "nanobot:telegram:7"),
    ".nanobot/workspace/sessions/cli_direct.jsonl": (META, "nanobot:cli:direct"),
    "copied.jsonl": ({**META, "key": "nanobot:cli:direct", "last_consolidated": 0}, "nanobot:cli:direct"),
}


@pytest.mark.parametrize("name", KEYS)
def test_key(name: str, home: Home, tmp_path: Path) -> None:
    first, key = KEYS[name]
    take(home, write(tmp_path / name, [first, HELLO]))
    assert [message["session_key"] for message in stored(home)] == [key]


ORIGINS: dict[str, tuple[str, dict[str, Any], str]] = {
    "user": ("cli:x", HELLO, "user/user"),
    "assistant": ("cli:x", {"role": "assistant", "content": "hi"}, "assistant/assistant"),
    "tool": ("cli:x", {"role": "tool", "content": "1", "tool_call_id": "c"}, "tool/tool"),
    "system": ("cli:x", {"role": "system", "content": "You are…"}, "system/harness"),
    "a call without words": (
        "cli:x",
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]},
        "assistant/assistant",
    ),
    "recalled": ("cli:x", {"role": "user", "content": "<memory>likes tea</memory>"}, "user/harness"),
    "cron": ("cron:daily", HELLO, "user/automation"),
    "heartbeat": ("heartbeat:x", {"role": "assistant", "content": "hi"}, "assistant/automation"),
    "system channel": ("system:x", HELLO, "user/automation"),
    "subagent": ("subagent:7", HELLO, "user/subagent"),
    "compacted": ("cli:x", {**HELLO, "_archive_state": "compacted"}, "user/user/compacted"),
    "withdrawn": ("cli:x", {**HELLO, "_archive_state": "withdrawn"}, "user/user/withdrawn"),
    "hidden": ("cli:x", {**HELLO, "_archive_state": "internal_hidden"}, "user/user/hidden"),
    "a forged origin": ("cron:daily", {**HELLO, "origin": "user"}, "user/automation"),
    "a forged origin with an identity": (
        "heartbeat:x",
        {**HELLO, "identity": "x", "origin": "user"},
        "user/automation",
    ),
    "an automation cannot be a harness": ("cron:x", {**HELLO, "identity": "x", "origin": "harness"}, "user/automation"),
    "a tool as the person": ("cli:x", {"role": "tool", "content": "1", "identity": "x", "origin": "user"}, "tool/tool"),
    "an answer as the person's": (
        "cli:x",
        {"role": "assistant", "content": "1", "identity": "x", "origin": "user"},
        "assistant/assistant",
    ),
    "recalled, as the person's": (
        "cli:x",
        {"role": "user", "content": "<memory>x</memory>", "identity": "x", "origin": "user"},
        "user/harness",
    ),
    "a subagent as the person": ("subagent:7", {**HELLO, "identity": "x", "origin": "user"}, "user/subagent"),
    "lowered": ("cli:x", {**HELLO, "identity": "x", "origin": "automation"}, "user/automation"),
    "a result of a subagent": (
        "cli:x",
        {"role": "tool", "content": "1", "identity": "x", "origin": "subagent"},
        "tool/subagent",
    ),
    "no claim at all": ("cli:x", {**HELLO, "identity": "x", "origin": ["user"]}, "user/user"),
    "the heartbeat of nanobot": ("heartbeat", HELLO, "user/automation"),
    "a dream of nanobot": ("nanobot:dream:7", HELLO, "user/automation"),
    "cron of nanobot": ("nanobot:cron:7", {**HELLO, "origin": "user"}, "user/automation"),
    "a trigger that is not shown": ("cli:x", {**HELLO, "_display_hidden": True}, "user/harness/hidden"),
    "a trigger that is not hidden": ("cli:x", {**HELLO, "_display_hidden": False}, "user/user"),
    "hidden history": (
        "cli:x",
        {"role": "assistant", "content": "x", "_hidden_history": True},
        "assistant/harness/hidden",
    ),
    "a summary": ("cli:x", {**HELLO, "_archive_summary": True}, "user/harness"),
    "a result that was put in": (
        "cli:x",
        {"role": "assistant", "content": "done", "injected_event": "subagent_result"},
        "assistant/harness",
    ),
    "withdrawn, as active": (
        "cli:x",
        {**HELLO, "state": "active", "_archive_state": "withdrawn"},
        "user/user/withdrawn",
    ),
}


@pytest.mark.parametrize("name", ORIGINS)
def test_origin_and_state(name: str, home: Home, tmp_path: Path) -> None:
    key, line, expected = ORIGINS[name]
    take(home, write(tmp_path / "x.jsonl", [{**META, "key": key}, line]))
    assert tally(home) == {expected: 1}


LINES: list[Any] = [
    {"role": "user", "content": "a"},
    b"{broken\n",
    {"role": "robot", "content": "?"},
    {"role": "user", "content": "a"},
]


def test_lines_without_metadata_and_bad_lines(home: Home, tmp_path: Path) -> None:
    """Where they lie in their place, which says what they are."""
    (source,) = ingest(home, [Source(write(tmp_path / "cli_x.jsonl", LINES), "flowly")]).sources
    assert said(home) == [("user", "user", "a")] * 2
    assert (source["read"], source["kept"], source["quarantined"]) == (4, 2, 2)
    assert {message["session_key"] for message in stored(home)} == {"cli:x"}


CLAIMED: dict[str, tuple[list[Any], str]] = {
    "metadata": ([META, HELLO], "flowly"),
    "metadata of nanobot": ([{**META, "last_consolidated": 0}, {"role": "user", "content": "a"}], "flowly"),
    "bad lines first": ([b"{broken\n", META], "flowly"),
    "events": ([HELLO], "flowly"),
    "states": ([{"role": "user", "content": "a", "_archive_state": "active"}], "flowly"),
    "our own without its first line": ([{**HELLO, "identity": "x", "origin": "user"}], "flowly"),
    "messages alone": (LINES, "generic"),
    "messages with an identity": ([{"role": "user", "content": "a", "identity": "x"}] * 2, "generic"),
}


@pytest.mark.parametrize("name", CLAIMED)
def test_what_is_known_by_its_content(name: str, tmp_path: Path) -> None:
    rows, expected = CLAIMED[name]
    assert choose(write(tmp_path / "cli_x.jsonl", rows)).name == expected


def test_places(tmp_path: Path) -> None:
    places = [
        ".flowly/sessions/cli_a.jsonl",
        ".flowly/profiles/work/sessions/cli_b.jsonl",
        ".nanobot/workspace/sessions/cli_c.jsonl",
        ".nanobot/sessions/cli_d.jsonl",
    ]
    paths = [write(tmp_path / "ada" / place, [META, HELLO]) for place in places]
    moved = write(tmp_path / "bots/workspace/sessions/cli_e.jsonl", [META, HELLO])
    found = find({"NANOBOT_HOME": str(tmp_path / "bots")}, tmp_path / "ada")
    assert found == [Source(path, "flowly") for path in sorted([*paths, moved])]


def test_what_is_kept_of_a_session_and_its_messages(tmp_path: Path) -> None:
    counted = {"prompt_tokens": 90, "completion_tokens": 12, "cache_read_tokens": 40, "total_tokens": 102}
    metadata = {
        "title": "Tabs", "token_totals": {**counted, "turn_count": 1}, "turn_count": 3, "last_turn_usage": counted,
        "_full_log_count": 7, "turns_since_review": 2, "goal": {"text": "x" * 9_999},
    }  # fmt: skip
    rows = [
        {**META, "metadata": metadata, "last_consolidated": 2},
        {**HELLO, "usage": "much", "model": 7},
        {"role": "assistant", "content": "hi", "model": "m-1", "usage": counted, "reasoning_content": "hm"},
        {"role": "assistant", "content": "ho", "usage": {"input": 5, "output": 0, "reasoning": True}, "thinking": "so"},
    ]
    (found,) = flowly.read(write(tmp_path / "cli_x.jsonl", rows), Counts())
    assert found.session.metadata == {
        "agent": "nanobot", "token_totals": {**counted, "turn_count": 1}, "turn_count": 3, "last_turn_usage": counted,
    }  # fmt: skip
    assert (found.session.title, found.session.updated_at) == ("Tabs", "2026-01-02T00:00:00")
    assert [(m.model, m.usage, m.thinking) for m in found.messages] == [
        (None, None, None),
        ("m-1", {"input": 90, "output": 12, "cache_read": 40}, "hm"),
        (None, {"input": 5, "output": 0}, "so"),
    ]


def test_rows_that_are_no_messages(home: Home, tmp_path: Path) -> None:
    rows = [META, HELLO, {"_type": "provider_state", "state": {}}, {"_type": None, "x": 1}, 7]
    (source,) = take(home, write(tmp_path / "cli_x.jsonl", rows)).sources
    assert (source["kept"], source["skipped"], source["quarantined"]) == (2, 1, 2)


NANOBOT = {"user/user": 92, "assistant/assistant": 67, "tool/tool": 5, "system/harness": 2, "user/harness/hidden": 1}


def test_public_lines_of_nanobot(home: Home, shared_data: Path, tmp_path: Path) -> None:
    items = json.loads((shared_data / "transcripts/nanobot/session_lines_from_tests.json").read_bytes())
    rows = [item["line"] for item in items]
    first = next(row for row in rows if row.get("key") == "chan:chat")
    path = write(tmp_path / "x.jsonl", [first, *(row for row in rows if row.get("_type") != "metadata")])
    (source,) = take(home, path).sources
    assert tally(home) == NANOBOT
    assert (source["format"], source["kept"], source["skipped"], source["quarantined"]) == ("flowly", 168, 1, 0)
    assert {message["session_key"] for message in stored(home)} == {"nanobot:chan:chat"}


def test_growth(home: Home, tmp_path: Path) -> None:
    rows: list[Any] = [META]
    for turn in range(4):
        rows.append({"role": "user", "content": "again", "timestamp": "2026-01-01T00:00:00"})
        rows[0] = {**META, "updated_at": f"2026-01-02T00:00:0{turn}"}
        assert take(home, write(tmp_path / "cli_x.jsonl", rows)).new == 1
    assert take(home, write(tmp_path / "elsewhere/cli_x.jsonl", rows)).new == 0


def test_no_messages(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, write(tmp_path / "cli_x.jsonl", [{**META, "last_consolidated": 0}]))


def test_archives_are_left_out_and_said(home: Home, tmp_path: Path) -> None:
    archive = write(tmp_path / "cli_x.full.jsonl", [{"_type": "archive_state"}])
    report = take(home, write(tmp_path / "cli_x.jsonl", [META, HELLO]), archive)
    assert len(report.sources) == 1
    assert report.errors == []
    assert report.skipped_files == [f"{archive}: an archive of events, the conversation is in the file beside it"]


def test_canonical_files_round_trip(home: Home, tmp_path: Path) -> None:
    """A canonical file read into another home gives the same bytes: ids, origins, states, parents."""
    lines = [user("1", "u1"), assistant("1", "a1", "u1"), user("old", "u2", "a1"), user("new", "u3", "a1", isMeta=True)]
    take(home, write(tmp_path / "s.jsonl", [*lines, user("new", "u4", "a1")]))
    (entry,) = store.canonical_files(home)
    copied = tmp_path / "elsewhere" / entry.name
    copied.parent.mkdir()
    shutil.copyfile(entry.path, copied)

    other = fresh_home(tmp_path / "other")
    take(other, copied)

    def plain(where: Home) -> list[dict[str, Any]]:
        return [{name: value for name, value in message.items() if name != "n"} for message in stored(where)]

    assert plain(other) == plain(home)
    assert [message["state"] for message in stored(other)] == ["active", "active", "withdrawn", "active", "active"]


def test_what_is_known_of_a_session_outlives_its_copy(home: Home, tmp_path: Path) -> None:
    """The first line of a canonical file says of any agent's session what its source said."""
    rows = [{**META, "metadata": {"title": "Tabs", "turn_count": 3}, "last_consolidated": 0}, HELLO]
    take(home, write(tmp_path / "cli_x.jsonl", rows))
    (entry,) = store.canonical_files(home)
    copied = tmp_path / "elsewhere" / entry.name
    copied.parent.mkdir()
    shutil.copyfile(entry.path, copied)
    other = fresh_home(tmp_path / "other")
    take(other, copied)
    (again,) = store.canonical_files(other)
    before, after = (read_header(Path(file.path)) for file in (entry, again))
    assert after["key"] == "nanobot:cli:x"
    assert after["metadata"] == {**before["metadata"], "source": str(copied)}
    assert {"agent": "nanobot", "turn_count": 3, "title": "Tabs"}.items() <= after["metadata"].items()


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "content", "key", "source", "title", "input"]), inner)
    ),
    max_leaves=12,
)
FIELDS = (
    "key", "metadata", "created_at", "last_consolidated", "role", "content", "timestamp", "_event_id", "_archive_state",
    "tool_calls", "usage", "model", "name", "origin", "_type", "thinking", "parent",
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4), JSON)
def test_junk_is_no_exception(tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Any], content: Any) -> None:
    path = tmp_path_factory.mktemp("f") / "cli_x.jsonl"
    rows = [{**META, **fields}, HELLO, {**HELLO, **fields}, {"role": "user", "content": content}, content]
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    counts = Counts()
    (found,) = flowly.read(path, counts)
    assert "hello" in [message.content for message in found.messages]
    assert counts.read == len(rows)
