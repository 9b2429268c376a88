"""The export of Claude.ai: conversations and their branches, projects, memories."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sessions.rows import stored, take
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import importers, store
from workbench.sessions.canonical import read_header
from workbench.sessions.importers import claude_ai
from workbench.sessions.importers.lines import Counts

KEY = "claude-ai:c0ffee00-0000-4000-8000-000000000001"
ROOT = "00000000-0000-4000-8000-000000000000"


def text(said: str) -> dict[str, Any]:
    return {"start_timestamp": None, "stop_timestamp": None, "type": "text", "text": said, "citations": []}


def message(uuid: str, sender: str, said: Any, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    """One of ``chat_messages``, with a text as the export has it: once as ``text``, once as a block."""
    content = [text(said)] if isinstance(said, str) else said
    flat = said if isinstance(said, str) else "\n\n".join(block.get("text", "") for block in said or [])
    row = {"uuid": uuid, "sender": sender, "text": flat, "content": content, "attachments": [], "files": []}
    row["created_at"] = row["updated_at"] = "2026-03-01T10:00:00.000000Z"
    return row | ({"parent_message_uuid": parent} if parent else {}) | fields


def human(uuid: str, said: Any, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    return message(uuid, "human", said, parent, **fields)


def claude(uuid: str, said: Any, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    return message(uuid, "assistant", said, parent, **fields)


def conversation(*rows: Any, uuid: str = KEY.partition(":")[2], **fields: Any) -> dict[str, Any]:
    times = {"created_at": "2026-03-01T09:59:00.000000Z", "updated_at": "2026-03-01T10:05:00.000000Z"}
    base = {"uuid": uuid, "name": "Tea", "summary": "", "account": {"uuid": "acc-1"}, **times}
    return {**base, "chat_messages": list(rows), **fields}


def export(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def told(home: Home, key: str | None = None) -> list[tuple[str, str, str, str]]:
    """(role, origin, state, content) of each message."""
    return [(row["role"], row["origin"], row["state"], row["content"]) for row in stored(home, key)]


USER, CLAUDE = ("user", "user", "active"), ("assistant", "assistant", "active")


def test_a_conversation(home: Home, tmp_path: Path) -> None:
    rows = [human("u1", "I prefer 緑茶 🍵", ROOT), claude("a1", "Noted.", "u1", model="claude-x")]
    (source,) = take(home, export(tmp_path / "conversations.json", [conversation(*rows)])).sources
    assert told(home) == [(*USER, "I prefer 緑茶 🍵"), (*CLAUDE, "Noted.")]
    assert [source[name] for name in ("format", "sessions", "read", "kept", "quarantined")] == ["claude-ai", 1, 2, 2, 0]
    first, second = stored(home)
    assert [first[name] for name in ("session_key", "identity", "parent")] == [KEY, "u1", None]
    assert [second[name] for name in ("identity", "parent", "timestamp")] == ["a1", "u1", "2026-03-01T10:00:00.000000Z"]
    (entry,) = store.canonical_files(home)
    header = read_header(Path(entry.path))
    assert (header["metadata"]["title"], header["created_at"]) == ("Tea", "2026-03-01T09:59:00.000000Z")
    assert b'"model":"claude-x"' in Path(entry.path).read_bytes()


TOOL = {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "sencha"}, "message": "Searching"}
FOUND = {
    "type": "tool_result",
    "tool_use_id": "t1",
    "name": "web_search",
    "content": [
        {
            "type": "knowledge",
            "title": "Sencha",
            "url": "https://tea.example/s",
            "text": "A green tea.",
            "metadata": {},
        },
        {"type": "knowledge", "title": "Nothing", "url": None, "text": None},
        {"type": "text", "text": "2 results"},
    ],
}
SHOT = {"type": "tool_result", "name": "repl", "content": [{"type": "image", "file_uuid": "f1"}], "is_error": True}
CITED = text("It is green.") | {
    "citations": [{"uuid": "x", "details": {"type": "web", "url": "https://tea.example/s"}}]
}
NOT_SHOWN = "\n```\nThis block is not supported on your current device yet.\n```\n"

CONTENTS: dict[str, tuple[dict[str, Any], list[tuple[str, str, str, str]]]] = {
    "text without blocks": (human("m", "tabs", content=[]), [(*USER, "tabs")]),
    "blocks without text": (human("m", "tabs", text=None), [(*USER, "tabs")]),
    "text that is not the same is not heard twice": (human("m", "tabs", text="tabs "), [(*USER, "tabs")]),
    "two blocks": (claude("m", [text("one"), text("two")]), [(*CLAUDE, "one\n\ntwo")]),
    "capital types": (claude("m", [{"type": "Text", "text": "hi"}]), [(*CLAUDE, "hi")]),
    "nulls": (human("m", None, text=None, attachments=None, files=None), []),
    "empty": (human("m", "", content=[text("")]), []),
    "a reminder": (
        human("m", "<system-reminder>be brief</system-reminder>"),
        [("user", "harness", "active", "<system-reminder>be brief</system-reminder>")],
    ),
    "of the system": (message("m", "system", "You are…"), [("system", "harness", "active", "You are…")]),
    "capital sender": (message("m", "Human", "hi"), [(*USER, "hi")]),
    "thinking alone": (claude("m", [{"type": "thinking", "thinking": "hm"}], text="hm"), [(*CLAUDE, "")]),
    "what the app could not show": (
        claude("m", [], text=f"Let me look.{NOT_SHOWN}Done."),
        [(*CLAUDE, "Let me look.\n\nDone.")],
    ),
    "nothing but that": (claude("m", [TOOL], text=NOT_SHOWN), [(*CLAUDE, "")]),
    "a search": (
        claude("m", [{"type": "thinking", "thinking": "hm"}, TOOL, FOUND, CITED]),
        [
            (*CLAUDE, "It is green."),
            ("tool", "tool", "active", "Sencha\nhttps://tea.example/s\nA green tea.\n\nNothing\n\n2 results"),
        ],
    ),
    "a picture as a result": (claude("m", [SHOT]), [("tool", "tool", "active", "[image]")]),
    "results that are no lists": (
        claude("m", [{"type": "tool_result", "content": "plain"}, {"type": "tool_result", "content": None}]),
        [("tool", "tool", "active", "plain"), ("tool", "tool", "active", "")],
    ),
    "a voice note": (
        human("m", [{"type": "voice_note", "title": "Note", "text": "good morning"}]),
        [(*USER, "[audio]\ngood morning")],
    ),
    "a transcript of one": (human("m", [{"type": "voice_note", "transcript": "hello"}]), [(*USER, "[audio]\nhello")]),
    "a voice note without words": (human("m", [{"type": "voice_note"}]), [(*USER, "[audio]")]),
    "what nobody said": (claude("m", [{"type": "token_budget", "remaining": 5}, {"type": "flag"}]), []),
    "a block of the future": (claude("m", [{"type": "hologram"}]), [(*CLAUDE, "[hologram]")]),
    "an attachment": (
        human(
            "m",
            "read this",
            attachments=[{"file_name": "a [1].md", "extracted_content": "# Plan"}],
            files=[{"file_name": "a [1].md"}],
        ),
        [(*USER, "read this\n\n[attachment: a (1).md]\n# Plan")],
    ),
    "a paste": (
        human("m", "", attachments=[{"file_name": "", "extracted_content": "long"}]),
        [(*USER, "[attachment]\nlong")],
    ),
    "files": (
        human(
            "m",
            "",
            files=[{"file_name": "a.pdf"}, {"file_name": "b.png", "file_kind": "image"}, {"file_uuid": "x"}, None],
        ),
        [(*USER, "[file: a.pdf]\n\n[image: b.png]")],
    ),
    "half a character": (human("m", "half \ud83d"), [(*USER, "half \ufffd")]),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_content(name: str, home: Home, tmp_path: Path) -> None:
    row, expected = CONTENTS[name]
    take(home, export(tmp_path / "conversations.json", [conversation(row, claude("end", "ok"))]))
    assert told(home) == [*expected, (*CLAUDE, "ok")]


def test_calls_and_results(home: Home, tmp_path: Path) -> None:
    artifact = {"type": "tool_use", "name": "artifacts", "input": {"id": "tea", "content": "# Tea"}}
    blocks = [{"type": "thinking", "thinking": "hm"}, text("Searching."), TOOL, FOUND, artifact, SHOT]
    take(home, export(tmp_path / "c.json", [conversation(claude("a1", blocks, "u1"))]))
    answer, found, shot = stored(home)
    assert (answer["content"], answer["thinking"]) == ("Searching.", "hm")
    calls = json.loads(answer["tool_calls"])
    assert [(call["id"], call["function"]["name"]) for call in calls] == [("t1", "web_search"), ("", "artifacts")]
    assert json.loads(calls[1]["function"]["arguments"]) == {"id": "tea", "content": "# Tea"}
    named = [[row[name] for name in ("identity", "tool_call_id", "name")] for row in (answer, found, shot)]
    assert named == [["a1", None, None], ["a1#1", "t1", "web_search"], ["a1#2", None, "repl"]]


TALK = [human("u1", "1", ROOT), claude("a1", "1", "u1"), human("u2", "2", "a1"), claude("a2", "2", "u2")]
BRANCHES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "none": (conversation(*TALK), set()),
    "a message edited": (conversation(*TALK, human("u3", "3", "a1"), claude("a3", "3", "u3")), {"u2", "a2"}),
    "an answer asked for again": (conversation(*TALK, claude("a4", "4", "u2")), {"a2"}),
    "the first message edited": (
        conversation(*TALK, human("u5", "5", ROOT), claude("a5", "5", "u5")),
        {"u1", "a1", "u2", "a2"},
    ),
    "another leaf is shown": (
        conversation(*TALK, human("u3", "3", "a1"), claude("a3", "3", "u3"), current_leaf_message_uuid="a2"),
        {"u3", "a3"},
    ),
    "a leaf that is not there": (conversation(*TALK, claude("a4", "4", "u2"), current_leaf_message_uuid="x"), {"a2"}),
    "no parents": (conversation(human("u1", "1"), claude("a1", "1"), human("u2", "2")), set()),
    "all below the root": (conversation(human("u1", "1", ROOT), human("u2", "2", ROOT)), set()),
    "a parent that is gone": (conversation(human("u1", "1", "gone"), *TALK[2:]), set()),
    "two beginnings": (conversation(human("u0", "0"), human("u1", "1"), *TALK[1:]), set()),
    "a circle": (conversation(human("u1", "1", "a1"), claude("a1", "1", "u1")), set()),
    "a circle beside the chain": (conversation(human("x", "x", "y"), human("y", "y", "x"), *TALK), set()),
    "its own parent": (conversation(human("u1", "1", "u1"), claude("a1", "1", "u1")), set()),
    "below what was left": (
        conversation(*TALK, human("u6", "6", "a2"), claude("a4", "4", "u2"), human("u7", "7", "a4")),
        {"a2", "u6"},
    ),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches(name: str, home: Home, tmp_path: Path) -> None:
    value, withdrawn = BRANCHES[name]
    take(home, export(tmp_path / "c.json", [value]))
    assert {row["identity"] for row in stored(home) if row["state"] == "withdrawn"} == withdrawn
    assert len(stored(home)) == len(value["chat_messages"])


def test_a_long_branch_that_was_left_costs_no_more_than_its_length() -> None:
    rows = [human("u", "u", ROOT), *(claude(f"x{n}", "x", f"x{n - 1}" if n else "u") for n in range(20_000))]
    left = claude_ai._withdrawn([*rows, claude("end", "end", "u")], None)
    assert left == {f"x{n}" for n in range(20_000)}


def test_an_export_that_has_grown(home: Home, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", [conversation(*TALK)])
    take(home, path)
    before = [(row["id"], row["identity"]) for row in stored(home)]
    edited = [human("u3", "3", "a1"), claude("a3", "3", "u3")]
    other = conversation(human("m", "hello"), uuid="other")
    again = export(tmp_path / "later" / "data.json", [other, conversation(*TALK, *edited, name="Green tea")])
    report = take(home, again)
    assert (report.new, report.updated) == (3, 2)
    assert [(row["id"], row["identity"]) for row in stored(home, KEY)][:4] == before
    assert told(home, KEY) == [
        (*USER, "1"),
        (*CLAUDE, "1"),
        ("user", "user", "withdrawn", "2"),
        ("assistant", "assistant", "withdrawn", "2"),
        (*USER, "3"),
        (*CLAUDE, "3"),
    ]
    assert take(home, again).new == 0


PROJECT = {
    "uuid": "p1",
    "name": "Tea shop",
    "description": "Selling tea.",
    "is_starter_project": False,
    "prompt_template": "Answer in German.",
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-02T00:00:00Z",
    "docs": [
        {"uuid": "d1", "filename": "plan.md", "content": "# Plan", "created_at": "2026-01-03T00:00:00Z"},
        {"uuid": "d2", "filename": "empty.pdf", "content": None},
        {"filename": None, "content": "loose"},
        None,
    ],
}
MEMORY = {
    "account_uuid": "acc-1",
    "conversations_memory": "Ada sells tea.",
    "project_memories": {"p1": "The shop is in Jena.", "p2": None},
    "memory_files": [{"path": "/profile.md", "content": "- lives in Jena"}],
}
HARNESS = ("system", "harness", "active")


@pytest.mark.parametrize("value", [[PROJECT], PROJECT], ids=["projects.json", "a file of its own"])
def test_projects_are_found_and_not_learned_from(value: Any, home: Home, tmp_path: Path) -> None:
    (source,) = take(home, export(tmp_path / "p.json", value)).sources
    assert told(home, "claude-ai:project:p1") == [
        (*HARNESS, "Selling tea."),
        (*HARNESS, "Answer in German."),
        (*HARNESS, "[file: plan.md]\n# Plan"),
        (*HARNESS, "[file: empty.pdf]"),
        (*HARNESS, "[file]\nloose"),
    ]
    assert [row["identity"] for row in stored(home)][:4] == ["description", "instructions", "d1", "d2"]
    assert (source["kept"], source["skipped"]) == (5, 1)


def test_the_memory_takes_the_place_of_an_earlier_one(home: Home, tmp_path: Path) -> None:
    take(home, export(tmp_path / "memories.json", [MEMORY]))
    assert told(home, "claude-ai:memory:acc-1") == [
        (*HARNESS, "Ada sells tea."),
        (*HARNESS, "The shop is in Jena."),
        (*HARNESS, "[file: /profile.md]\n- lives in Jena"),
    ]
    report = take(home, export(tmp_path / "new.json", [{**MEMORY, "conversations_memory": "Ada sold the shop."}]))
    assert (report.new, report.updated) == (0, 1)
    assert told(home)[0] == (*HARNESS, "Ada sold the shop.")


def test_a_zip_archive(home: Home, tmp_path: Path) -> None:
    users = [{"uuid": "acc-1", "full_name": "Ada", "email_address": "ada@example.org"}]
    files = {"conversations.json": [conversation(*TALK)], "projects/p1.json": PROJECT, "memories.json": [MEMORY]}
    path = tmp_path / "data-2026.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in (files | {"users.json": users}).items():
            archive.writestr(name, json.dumps(value))
    report = take(home, path)
    assert {row["session_key"] for row in stored(home)} == {KEY, "claude-ai:project:p1", "claude-ai:memory:acc-1"}
    assert report.skipped_files == [f"{path}: 1 of its files are no conversations: users.json"]


SNIFFED: dict[str, tuple[Any, bool]] = {
    "conversations": ([conversation(*TALK)], True),
    "one conversation": (conversation(*TALK), True),
    "an empty one first": ([conversation(), conversation(*TALK)], True),
    "projects": ([PROJECT], True),
    "memories": ([MEMORY], True),
    "users": ([{"uuid": "u", "full_name": "Ada", "email_address": "a@b.c", "verified_phone_number": None}], False),
    "logins": ([{"ip": "192.0.2.1", "user_agent": "x"}], False),
    "a design chat": ({"uuid": "d", "project": {}, "messages": [{"uuid": "m", "role": "user", "content": {}}]}, False),
    "messages of another program": ([{"chat_messages": [{"role": "user", "content": "hi"}]}], False),
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", SNIFFED)
def test_what_is_taken_for_an_export(name: str, indent: int | None, tmp_path: Path) -> None:
    value, expected = SNIFFED[name]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value, indent=indent), "utf-8")
    try:
        found = importers.choose(path).name
    except WorkbenchError:  # it is of no format
        found = ""
    assert (found == "claude-ai") is expected


def test_a_conversation_a_line(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(json.dumps(conversation(*TALK, uuid=name)) for name in ("a", "b")), "utf-8")
    (source,) = take(home, path).sources
    assert (source["format"], source["sessions"], source["messages"]) == ("claude-ai", 2, 8)


def test_a_conversation_that_is_too_long_to_look_at_whole(home: Home, tmp_path: Path) -> None:
    long = human("u9", "y" * 17 * 1024 * 1024, "a2")
    take(home, export(tmp_path / "x.json", conversation(*TALK, long)))
    assert len(stored(home)) == 5


def test_bad_rows_cost_themselves(home: Home, tmp_path: Path) -> None:
    rows = [human("u1", "first"), None, 5, {"uuid": "x", "sender": "robot"}, {"sender": "human", "text": "no id"}]
    rows += [
        human("u1", "the same id"),
        {"uuid": ["x"], "sender": "human", "text": {}, "content": 5},
        human("u2", "last"),
    ]
    values = [
        conversation(*rows),
        [1],
        {"uuid": "x"},
        conversation(uuid="none"),
        conversation(uuid="null", chat_messages=None),
    ]
    values += [{"chat_messages": [human("u", "nameless")], "uuid": None, "name": None, "created_at": None}]
    (source,) = take(home, export(tmp_path / "x.json", values)).sources  # fmt: skip
    assert [content for _, _, _, content in told(home, KEY)] == ["first", "no id", "5", "last"]
    assert [source[name] for name in ("kept", "skipped", "quarantined", "sessions")] == [5, 3, 5, 2]


def test_an_export_that_is_cut_off(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([conversation(*TALK), conversation(*TALK, uuid="lost")])[:-40], "utf-8")
    (source,) = take(home, path).sources
    assert [source[name] for name in ("sessions", "kept", "quarantined")] == [1, 4, 1]


def test_nothing_said_is_said(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, export(tmp_path / "x.json", [conversation()]))


PUBLIC = {
    "polylogue__schemas__providers__claude-ai__representatives__sample-00.json": 3,
    "polylogue__schemas__providers__claude-ai__representatives__sample-01.json": 6,
    "tests__fixtures__origin-capability__claude-ai-export.json": 1,
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_files(name: str, home: Home, shared_data: Path) -> None:
    (source,) = take(home, shared_data / "transcripts/polylogue" / name).sources
    counted = [source[key] for key in ("format", "sessions", "messages", "read", "kept", "quarantined")]
    assert counted == ["claude-ai", 1, PUBLIC[name], PUBLIC[name], PUBLIC[name], 0]


def test_no_other_public_file_passes_for_an_export(shared_data: Path) -> None:
    files = [path for path in shared_data.glob("transcripts/*/*.json*") if path.name not in PUBLIC]
    assert len(files) > 80
    for path in files:
        assert not claude_ai.sniff(importers.sample(path)), path


FIELDS = (
    "uuid", "name", "chat_messages", "sender", "text", "content", "type", "tool_result", "attachments", "files", "docs",
    "parent_message_uuid", "input", "created_at", "prompt_template", "conversations_memory", "memory_files", "human",
)  # fmt: skip


def spoil(data: st.DataObject, value: Any, names: tuple[str, ...]) -> None:
    """Put junk in up to four places of ``value``, made of such fields among others."""
    plain = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
    junk = st.recursive(
        plain | st.sampled_from([2**70, *names]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(names), inner, max_size=4),
        max_leaves=8,
    )
    for _ in range(data.draw(st.integers(1, 4))):
        place = value
        while True:
            key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else list(range(len(place)))))
            if not place[key] or not isinstance(place[key], dict | list) or data.draw(st.booleans()):
                place[key] = data.draw(junk)
                break
            place = place[key]


@given(data=st.data())
def test_reading_never_fails(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Junk in any place of an export costs what it stands in."""
    values = json.loads(json.dumps([conversation(*TALK), PROJECT, MEMORY]))
    spoil(data, values, FIELDS)
    values.append(conversation(*TALK, uuid="good"))
    path = export(tmp_path_factory.mktemp("junk") / "x.json", values)
    claude_ai.sniff(importers.sample(path))
    counts = Counts()
    sessions = {found.session.key: list(found.messages) for found in claude_ai.read(path, counts)}
    assert len(sessions["claude-ai:good"]) == 4
    for messages in sessions.values():
        names = [message.identity for message in messages]
        assert all(names) and len(set(names)) == len(names)
