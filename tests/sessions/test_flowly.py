"""Flowly files, and our own canonical ones, which are of the same kind."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.homes import fresh_home
from tests.sessions.rows import assistant, said, stored, take, tally, user, write
from workbench.home import Home
from workbench.sessions import store

META = {"_type": "metadata", "created_at": "2026-01-01T00:00:00", "updated_at": "2026-01-02T00:00:00", "metadata": {}}
HELLO = {"role": "user", "content": "hello", "timestamp": "2026-01-01T00:00:00", "_event_id": "e1"}

KEYS = {
    "telegram_12345.jsonl": (META, "telegram:12345"),
    "telegram_a_b.jsonl": (META, "telegram:a_b"),
    "notes.jsonl": (META, "notes"),
    "wrong_name.jsonl": ({**META, "key": "cli:direct"}, "cli:direct"),
    "profiles/work/sessions/cli_direct.jsonl": (META, "cli:direct@work"),
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


def test_lines_without_metadata_and_bad_lines(home: Home, tmp_path: Path) -> None:
    lines = [
        {"role": "user", "content": "a"},
        b"{broken\n",
        {"role": "robot", "content": "?"},
        {"role": "user", "content": "a"},
    ]
    (source,) = take(home, write(tmp_path / "cli_x.jsonl", lines)).sources
    assert said(home) == [("user", "user", "a")] * 2
    assert (source["read"], source["kept"], source["quarantined"]) == (4, 2, 2)


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
