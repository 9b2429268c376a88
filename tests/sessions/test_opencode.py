"""opencode: one conversation as files, as rows of a database, and as an export."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.sessions.rows import check_full_text, stored, take
from tests.sessions.test_openclaw import consume, spoilt, told
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import discover, importers
from workbench.sessions.discover import Source
from workbench.sessions.importers import documents, opencode
from workbench.sessions.importers.lines import Counts
from workbench.sessions.ingest import ingest

NAME = "ses_7d0f1c7e"
KEY = f"opencode:{NAME}"
START = 1_772_359_200_000  # 2026-03-01T10:00:00Z
INFO: dict[str, Any] = {
    "id": NAME,
    "projectID": "global",
    "directory": "/home/ada/engine",
    "title": "Notes",
    "version": "1.0.0",
    "time": {"created": START, "updated": START + 9_000},
}
Conversation = list[dict[str, Any]]


def message(name: str, role: str, *parts: Any, at: int = 0, **fields: Any) -> dict[str, Any]:
    """A message with its parts, as an export holds it."""
    info = {"id": name, "sessionID": NAME, "role": role, "time": {"created": START + at * 1000}, **fields}
    full = [{"id": f"prt_{name}_{n}", "messageID": name, "sessionID": NAME, **part} for n, part in enumerate(parts)]
    return {"info": info, "parts": full}


def text(said: Any, **fields: Any) -> dict[str, Any]:
    """A part that is text."""
    return {"type": "text", "text": said, **fields}


def user(name: str, said: str, at: int = 0, *more: Any) -> dict[str, Any]:
    """Something the person wrote."""
    return message(name, "user", text(said), *more, at=at)


def assistant(name: str, said: str, at: int = 0, *more: Any, **fields: Any) -> dict[str, Any]:
    """An answer."""
    return message(name, "assistant", text(said), *more, at=at, **fields)


TOOL = {
    "type": "tool",
    "callID": "call_1",
    "tool": "read",
    "state": {
        "status": "completed",
        "input": {"path": "notes.md"},
        "output": "- büro 事務",
        "time": {"start": START + 3_000, "end": START + 4_000},
        "attachments": [{"type": "file", "mime": "image/png", "filename": "plan.png", "url": "data:"}],
    },
}
TOKENS = {"input": 12, "output": 30, "reasoning": 4, "cache": {"read": 400, "write": 0}}
CONVERSATION = [
    user("msg_1", "Which notes are open?", 1, {"type": "file", "mime": "text/plain", "filename": "notes.md"}),
    assistant(
        "msg_2",
        "I will look.",
        2,
        {"type": "step-start"},
        {"type": "reasoning", "text": "Look first."},
        TOOL,
        {"type": "step-finish", "tokens": TOKENS, "cost": 0.1},
        {"type": "patch", "hash": "x", "files": ["a"]},
        parentID="msg_1",
        modelID="claude-sonnet-4-5",
        tokens=TOKENS,
    ),
    assistant("msg_3", "One: the office. 🗂", 5),
]
TOLD = [
    ("user", "user", "active", "Which notes are open?\n\n[file: notes.md]"),
    ("assistant", "assistant", "active", "I will look."),
    ("tool", "tool", "active", "- büro 事務\n\n[image: plan.png]"),
    ("assistant", "assistant", "active", "One: the office. 🗂"),
]


def as_files(root: Path, messages: Conversation, info: dict[str, Any] = INFO) -> Path:
    """A conversation in its folders; returns the file of the session."""
    storage = root / "opencode/storage"

    def put(path: Path, value: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2))
        return path

    for each in messages:
        put(storage / "message" / info["id"] / f"{each['info']['id']}.json", each["info"])
        for part in each["parts"]:
            put(storage / "part" / each["info"]["id"] / f"{part['id']}.json", part)
    return put(storage / "session" / "global" / f"{info['id']}.json", info)


def as_export(root: Path, messages: Conversation, info: dict[str, Any] = INFO) -> Path:
    """A conversation as ``opencode export`` prints it."""
    path = root / "export.json"
    path.write_text(json.dumps({"info": info, "messages": messages}))
    return path


def as_database(root: Path, messages: Conversation, info: dict[str, Any] = INFO) -> Path:
    """A conversation in ``opencode.db``."""
    path = root / "opencode.db"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        PRAGMA synchronous=OFF;
        PRAGMA journal_mode=MEMORY;
        CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
            revert TEXT, time_created INTEGER, time_updated INTEGER);
        CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
        CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
        """
    )
    revert = json.dumps(info["revert"]) if "revert" in info else None
    times = info["time"]["created"], info["time"]["updated"]
    values = (info["id"], "global", info.get("parentID"), info["directory"], info["title"], revert, *times)
    connection.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    for each in messages:
        name, data = each["info"]["id"], {k: v for k, v in each["info"].items() if k not in ("id", "sessionID")}
        connection.execute("INSERT INTO message VALUES (?, ?, 1, ?)", (name, info["id"], json.dumps(data)))
        for part in each["parts"]:
            data = {k: v for k, v in part.items() if k not in ("id", "sessionID", "messageID")}
            connection.execute("INSERT INTO part VALUES (?, ?, ?, 1, ?)", (part["id"], name, NAME, json.dumps(data)))
    connection.commit()
    connection.close()
    return path


FORMS = {"files": as_files, "an export": as_export, "a database": as_database}


@pytest.mark.parametrize("form", FORMS)
def test_a_conversation(form: str, home: Home, tmp_path: Path) -> None:
    path = FORMS[form](tmp_path, CONVERSATION)
    assert importers.choose(path).name == "opencode"
    (source,) = take(home, path).sources
    assert told(home, KEY) == TOLD
    _, answer, result, _ = messages = stored(home)
    assert [m["identity"] for m in messages] == ["msg_1", "msg_2", "prt_msg_2_3", "msg_3"]
    assert [m["timestamp"][17:19] for m in messages] == ["01", "02", "04", "05"]
    assert (answer["thinking"], answer["parent"]) == ("Look first.", "msg_1")
    function = {"name": "read", "arguments": '{"path":"notes.md"}'}
    assert json.loads(answer["tool_calls"]) == [{"id": "call_1", "type": "function", "function": function}]
    assert (result["tool_call_id"], result["name"], result["parent"]) == ("call_1", "read", "msg_2")
    assert [source[name] for name in ("sessions", "read", "kept")] == [1, 3, 3]
    check_full_text(home)


@pytest.mark.parametrize("form", FORMS)
def test_what_a_session_says_of_itself(form: str, tmp_path: Path) -> None:
    for found in opencode.read(FORMS[form](tmp_path, CONVERSATION), Counts()):
        answer = list(found.messages)[1]
        session = found.session
    assert answer.model == "claude-sonnet-4-5"
    assert answer.usage == {"input": 12, "output": 30, "reasoning": 4, "cache_read": 400}
    assert (session.key, session.title, session.project) == (KEY, "Notes", "/home/ada/engine")
    assert (session.created_at, session.updated_at) == ("2026-03-01T10:00:00.000000Z", "2026-03-01T10:00:09.000000Z")


def test_the_forms_are_one_conversation_and_grow(home: Home, tmp_path: Path) -> None:
    """A later version brings the files into a database: nothing is told twice."""
    take(home, as_files(tmp_path, CONVERSATION[:2]))
    before = [m["id"] for m in stored(home)]
    report = take(home, as_database(tmp_path, CONVERSATION))
    assert (report.new, report.updated) == (1, 0)
    assert [m["id"] for m in stored(home)][:3] == before
    assert take(home, as_export(tmp_path, CONVERSATION)).new == 0


def test_an_answer_that_was_still_being_written(home: Home, tmp_path: Path) -> None:
    running = {**TOOL, "state": {"status": "running", "input": {"path": "notes.md"}}}
    started = [CONVERSATION[0], assistant("msg_2", "I will", 2, running)]
    path = as_export(tmp_path, started)
    take(home, path)
    assert [content for *_, content in told(home)] == [TOLD[0][3], "I will"]
    as_export(tmp_path, CONVERSATION)
    report = take(home, path)
    assert (report.new, report.updated) == (2, 1)
    assert told(home) == TOLD


REQUEST = {"type": "compaction", "auto": True}
STATES: dict[str, tuple[Conversation, dict[str, Any], list[tuple[str, str]]]] = {
    "taken back": (
        [user("m1", "1", 1), assistant("m2", "1", 2), user("m3", "old", 3), assistant("m4", "old", 4)],
        {"revert": {"messageID": "m3"}},
        [("m1", "active"), ("m2", "active"), ("m3", "withdrawn"), ("m4", "withdrawn")],
    ),
    "taken back from a part on": (
        [user("m1", "1", 1), assistant("m2", "1", 2), user("m3", "2", 3)],
        {"revert": {"messageID": "m2", "partID": "p"}},
        [("m1", "active"), ("m2", "active"), ("m3", "withdrawn")],
    ),
    "taken back to what is gone": ([user("m1", "1", 1)], {"revert": {"messageID": "x"}}, [("m1", "active")]),
    "compacted": (
        [
            user("m1", "1", 1),
            message("m2", "user", REQUEST, at=2),
            user("m4", "2", 4),
            assistant("m3", "They said 1.", 3, parentID="m2", summary=True),
        ],
        {},
        [("m1", "compacted"), ("m2#added", "active"), ("m3", "active"), ("m4", "active")],
    ),
    "compacted, the last of it kept": (
        [
            user("m1", "1", 1),
            user("m2", "2", 2),
            message("m3", "user", {**REQUEST, "tail_start_id": "m2"}, at=3),
            assistant("m4", "They said 1.", 4, parentID="m3", summary=True),
        ],
        {},
        [("m1", "compacted"), ("m2", "active"), ("m3#added", "active"), ("m4", "active")],
    ),
    "compacted as older versions did": (
        [user("m1", "1", 1), assistant("m2", "They said 1.", 2, parentID="m1", summary=True), user("m3", "2", 3)],
        {},
        [("m1", "compacted"), ("m2", "active"), ("m3", "active")],
    ),
    "a compaction that failed": (
        [
            user("m1", "1", 1),
            message("m2", "user", REQUEST, at=2),
            assistant("m3", "They", 3, parentID="m2", summary=True, error={"name": "MessageAbortedError"}),
        ],
        {},
        [("m1", "active"), ("m2#added", "active"), ("m3", "active")],
    ),
    "an old result that was let go": (
        [assistant("m1", "hi", 1, {**TOOL, "state": {**TOOL["state"], "time": {"end": START, "compacted": START}}})],
        {},
        [("m1", "active"), ("prt_m1_1", "compacted")],
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", STATES)
def test_what_is_still_told(name: str, form: str, home: Home, tmp_path: Path) -> None:
    messages, more, expected = STATES[name]
    take(home, FORMS[form](tmp_path, messages, {**INFO, **more}))
    assert [(m["identity"], m["state"]) for m in stored(home)] == expected


SPEAKERS: dict[str, tuple[dict[str, Any], list[tuple[str, str, str, str]]]] = {
    "what opencode puts beside the words": (
        user("m1", "look", 1, text("Called the Read tool", synthetic=True), text("note", ignored=True)),
        [("user", "user", "active", "look"), ("user", "harness", "active", "Called the Read tool\n\nnote")],
    ),
    "nothing but that": (
        message("m1", "user", text("The following tool was executed by the user", synthetic=True)),
        [("user", "harness", "active", "The following tool was executed by the user")],
    ),
    "a reminder": (
        user("m1", "<system-reminder>x</system-reminder>"),
        [("user", "harness", "active", "<system-reminder>x</system-reminder>")],
    ),
    "a summary": (
        assistant("m1", "They said 1.", summary=True),
        [("assistant", "harness", "active", "They said 1.")],
    ),
    "a title is no summary": (
        message("m1", "user", text("look"), summary={"title": "Look", "diffs": []}),
        [("user", "user", "active", "look")],
    ),
    "a task for another agent": (
        message("m1", "user", {"type": "subtask", "prompt": "Count.", "description": "counting", "agent": "x"}),
        [("user", "harness", "active", "[subtask: counting]\nCount.")],
    ),
    "a tool that failed": (
        message("m1", "assistant", {**TOOL, "state": {"status": "error", "input": {}, "error": "no such file"}}),
        [("assistant", "assistant", "active", ""), ("tool", "tool", "active", "no such file")],
    ),
    "half a character": (user("m1", "half \ud83d"), [("user", "user", "active", "half \ufffd")]),
    "a picture": (
        message("m1", "user", {"type": "file", "mime": "image/png"}),
        [("user", "user", "active", "[image]")],
    ),
    "nothing": (message("m1", "assistant", {"type": "step-start"}), []),
}


@pytest.mark.parametrize("name", SPEAKERS)
def test_who_speaks(name: str, home: Home, tmp_path: Path) -> None:
    said, expected = SPEAKERS[name]
    take(home, as_export(tmp_path, [said, user("m9", "end", 9)]))
    assert told(home) == [*expected, ("user", "user", "active", "end")]


@pytest.mark.parametrize("form", FORMS)
def test_a_session_under_another_is_a_subagents(form: str, home: Home, tmp_path: Path) -> None:
    take(home, FORMS[form](tmp_path, CONVERSATION, {**INFO, "parentID": "ses_x"}))
    assert [m["origin"] for m in stored(home)] == ["subagent"] * 4


def test_messages_come_in_the_order_of_their_times(home: Home, tmp_path: Path) -> None:
    take(
        home, as_export(tmp_path, [user("m3", "3", 3), user("m1", "1", 1), user("m2b", "2b", 2), user("m2a", "2a", 2)])
    )
    assert [content for *_, content in told(home)] == ["1", "2a", "2b", "3"]


def test_junk_costs_itself(home: Home, tmp_path: Path) -> None:
    path = as_files(tmp_path, CONVERSATION)
    storage = path.parent.parent.parent
    (storage / f"message/{NAME}/msg_0.json").write_text("{broken")
    (storage / f"message/{NAME}/msg_9.json").write_text('{"id": "msg_9", "role": "robot"}')
    (storage / "part/msg_3/prt_9.json").write_text("[")
    (source,) = take(home, path).sources
    assert told(home) == TOLD
    assert [source[name] for name in ("kept", "quarantined")] == [3, 4]  # a broken file is no message either


def test_a_part_that_is_too_long_costs_itself(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_DOCUMENT", 1_000)
    long = {"type": "reasoning", "text": "x" * 1_000}
    (source,) = take(home, as_files(tmp_path, [CONVERSATION[0], assistant("msg_2", "I will.", 2, long)])).sources
    assert [content for *_, content in told(home)] == [TOLD[0][3], "I will."]
    assert (source["kept"], source["quarantined"]) == (2, 1)


def test_nothing_outside_of_the_storage_is_read(home: Home, tmp_path: Path) -> None:
    (tmp_path / "opencode/storage/message").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "m1.json").write_text(json.dumps(user("m1", "secret")["info"]))
    path = as_files(tmp_path, [])
    path.write_text(json.dumps({**INFO, "id": "ses_/../../../../outside"}))
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, path)


def test_a_database_with_junk(home: Home, tmp_path: Path) -> None:
    path = as_database(tmp_path, CONVERSATION)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO message VALUES ('msg_0', ?, 1, 'no json')", (NAME,))
    connection.execute("INSERT INTO part VALUES ('prt_0', 'msg_1', ?, 1, ?)", (NAME, "x" * (4 * 1024 * 1024 + 1)))
    connection.execute("INSERT INTO session VALUES (NULL, NULL, NULL, NULL, NULL, 'x', 'y', NULL)")
    connection.commit()
    connection.close()
    (source,) = take(home, path).sources
    assert told(home) == TOLD
    assert [source[name] for name in ("kept", "quarantined")] == [3, 2]


def test_places(tmp_path: Path) -> None:
    paths = [as_files(tmp_path / ".local/share", CONVERSATION), tmp_path / ".local/share/opencode/opencode.db"]
    paths[1].write_bytes(b"")
    for environ, person in ({}, tmp_path), ({"XDG_DATA_HOME": str(tmp_path / ".local/share")}, tmp_path / "nobody"):
        found = discover.find(environ, person)
        assert found == [Source(path, "opencode") for path in sorted(paths)]


def test_one_bad_export_does_not_cost_the_others(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    export = {"info": INFO, "messages": CONVERSATION}
    path.write_text(json.dumps([{"info": INFO}, None, {**export, "info": {**INFO, "id": 7}}, export]))
    (source,) = ingest(home, [Source(path, "opencode")]).sources
    assert told(home, KEY) == TOLD
    assert (source["kept"], source["quarantined"]) == (3, 2)


@settings(deadline=None)
@given(spoilt([{"info": INFO, "messages": [*CONVERSATION, *STATES["compacted"][0], *STATES["taken back"][0]]}]))
def test_reading_never_fails(rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(json.dumps(rows))
        opencode.sniff(importers.sample(path))
        consume(opencode.read, path)


@settings(deadline=None, max_examples=50)
@given(spoilt([INFO, *(part for m in CONVERSATION for part in [m["info"], *m["parts"]])]))
def test_reading_files_never_fails(rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = as_files(Path(folder), CONVERSATION)
        files = [path, *sorted(path.parent.parent.parent.glob("[mp]*/*/*.json"))]
        for file, row in zip(files, rows, strict=False):
            file.write_text(json.dumps(row))
        consume(opencode.read, path)


@settings(deadline=None, max_examples=50)
@given(spoilt([*CONVERSATION]))
def test_reading_a_database_never_fails(rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = as_database(Path(folder), CONVERSATION)
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA synchronous=OFF")
        for name, row in zip(("msg_1", "msg_2", "msg_3"), rows, strict=False):
            connection.execute("UPDATE message SET data = ? WHERE id = ?", (json.dumps(row), name))
            connection.execute("UPDATE part SET data = ? WHERE message_id = ?", (json.dumps(row), name))
        connection.commit()
        connection.close()
        consume(opencode.read, path)


def test_no_shared_file_is_taken(shared_data: Path) -> None:
    for path in shared_data.glob("transcripts/*/*.json*"):
        assert not opencode.sniff(importers.sample(path)), path
