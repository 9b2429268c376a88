"""Gemini: the recordings of its CLI, the prompts of AI Studio, the activities of Takeout."""

from __future__ import annotations

import json
import zipfile
from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sessions.rows import check_full_text, stored, take, tally, write
from tests.sessions.test_claude_ai import CLAUDE, HARNESS, USER, export, spoil, told
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import discover, importers, store
from workbench.sessions.canonical import read_header
from workbench.sessions.importers import ai_studio, gemini_cli, gemini_dates, gemini_html, gemini_takeout
from workbench.sessions.importers.lines import Counts

SESSION = "5f0c1a2b-0000-4000-8000-000000000001"
KEY = f"gemini-cli:{SESSION}"
TIMES = {"startTime": "2026-03-01T09:00:00.000Z", "lastUpdated": "2026-03-01T09:00:00.000Z"}
META = {"sessionId": SESSION, "projectHash": "ab12", **TIMES, "kind": "main"}
CONTEXT = "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n</session_context>"


def row(name: str, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    """A message as the CLI records it."""
    return {"id": name, "timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "content": content, **fields}


def user(name: str, text: str, **fields: Any) -> dict[str, Any]:
    return row(name, "user", [{"text": text}], **fields)


def gemini(name: str, text: str, **fields: Any) -> dict[str, Any]:
    return row(name, "gemini", text, **fields)


def response(call: str, output: str) -> dict[str, Any]:
    return {"functionResponse": {"id": call, "name": "read_file", "response": {"output": output}}}


def called(call: str, output: str | None) -> dict[str, Any]:
    """A call as ``toolCalls`` has it, with what came of it."""
    result = None if output is None else [response(call, output)]
    made = {"id": call, "name": "read_file", "args": {"file_path": "ä.py"}, "status": "success", "displayName": "Read"}
    return {**made, "result": result, "timestamp": "2026-03-01T10:00:05.000Z"}


TALK = [user("u1", "I prefer tabs"), gemini("g1", "Noted."), user("u2", "and dark mode"), gemini("g2", "Done.")]
SAID = [(*USER, "I prefer tabs"), (*CLAUDE, "Noted."), (*USER, "and dark mode"), (*CLAUDE, "Done.")]


def test_a_document_and_the_rows_it_becomes_are_one_session(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / ".gemini/tmp/engine/chats"
    document = export(folder / "session-2026-03-01T09-00-5f0c1a2b.json", {**META, "messages": TALK})
    (folder.parent / ".project_root").write_text("/home/ada/engine\n", "utf-8")
    (source,) = take(home, document).sources
    assert told(home, KEY) == SAID
    assert [source[name] for name in ("format", "read", "kept", "skipped", "quarantined")] == ["gemini-cli", 4, 4, 0, 0]
    before = stored(home)

    later = [
        META,
        *TALK,
        {"$set": {"summary": "Tabs", "lastUpdated": "2026-03-01T11:00:00.000Z"}},
        user("u3", "thanks"),
    ]
    report = take(home, write(document.with_suffix(".jsonl"), later))
    assert (report.new, report.updated) == (1, 0)
    assert [row["id"] for row in stored(home)][:4] == [row["id"] for row in before]
    assert told(home, KEY) == [*SAID, (*USER, "thanks")]
    (entry,) = store.canonical_files(home)
    described = read_header(Path(entry.path))["metadata"]
    assert (described["title"], described["project"]) == ("Tabs", "/home/ada/engine")


def test_an_answer_is_recorded_again_and_again_and_heard_once(home: Home, tmp_path: Path) -> None:
    thoughts = [{"subject": "Planning", "description": "Read it first.", "timestamp": "x"}, {"subject": "Only"}, None]
    tokens = {"input": 120, "output": 8, "cached": 100, "thoughts": 5, "tool": 0, "total": 133}
    first = gemini("g1", "I will look.", thoughts=thoughts, tokens=tokens, model="gemini-3")
    again = {**first, "toolCalls": [called("c1", "the file"), called("c2", None) | {"resultDisplay": "cancelled"}]}
    answers = row("u2", "user", [response("c1", "the file")])
    path = write(tmp_path / "s.jsonl", [META, user("u1", "go"), first, again, answers, gemini("g2", "ok")])
    (source,) = take(home, path).sources
    assert told(home) == [
        (*USER, "go"),
        (*CLAUDE, "I will look."),
        ("tool", "tool", "active", "the file"),
        ("tool", "tool", "active", "cancelled"),
        (*CLAUDE, "ok"),
    ]
    assert [source[name] for name in ("read", "kept", "skipped")] == [6, 4, 2]
    answer, found, cancelled = stored(home)[1:4]
    assert answer["thinking"] == "Planning\nRead it first.\n\nOnly"
    assert [call["function"]["name"] for call in json.loads(answer["tool_calls"])] == ["read_file", "read_file"]
    assert [found[name] for name in ("identity", "tool_call_id", "name")] == ["g1#c1", "c1", "read_file"]
    assert (found["timestamp"], cancelled["identity"]) == ("2026-03-01T10:00:05.000Z", "g1#c2")
    (entry,) = store.canonical_files(home)
    lines = [json.loads(line) for line in Path(entry.path).read_bytes().splitlines()]
    assert (lines[2]["model"], lines[2]["usage"]) == (
        "gemini-3",
        {"input": 120, "output": 8, "cache_read": 100, "reasoning": 5},
    )


def test_growth_of_a_recording(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [META, user("u1", "go"), gemini("g1", "I look")])
    take(home, path)
    ids = [message["id"] for message in stored(home)]
    write(path, [META, user("u1", "go"), gemini("g1", "I look"), gemini("g1", "I look", toolCalls=[called("c1", "x")])])
    with path.open("ab") as out:
        out.write(b'{"id":"torn","ty')
    report = take(home, path)
    assert (report.new, report.updated, report.sources[0]["quarantined"]) == (1, 1, 0)
    assert [message["id"] for message in stored(home)][:2] == ids
    check_full_text(home)


LEFT = ("withdrawn", "compacted")
SHOWN = {"$set": {"messages": [user("s1", "<state_snapshot>tabs</state_snapshot>"), *TALK[2:]]}}
REPLAYS: dict[str, tuple[list[Any], dict[str, str]]] = {
    "a message taken back": (
        [*TALK, {"$rewindTo": "u2"}, user("u3", "and light mode")],
        {"u2": LEFT[0], "g2": LEFT[0]},
    ),
    "one that is not there": (
        [*TALK, {"$rewindTo": "?"}, user("u3", "3")],
        dict.fromkeys(("u1", "g1", "u2", "g2"), LEFT[0]),
    ),
    "taken back twice": (
        [*TALK, {"$rewindTo": "u2"}, user("u3", "3"), {"$rewindTo": "u3"}, user("u4", "4")],
        {"u2": LEFT[0], "g2": LEFT[0], "u3": LEFT[0]},
    ),
    "compacted": ([*TALK, SHOWN, user("u3", "3")], {"u1": LEFT[1], "g1": LEFT[1]}),
    "removed by a patch": ([*TALK, {"$patch": {"removeIds": ["u1", "?", 5], "orderIds": ["g1"]}}], {"u1": LEFT[1]}),
    "a notice is not compacted": ([row("i1", "info", "hello"), *TALK, SHOWN], {"u1": LEFT[1], "g1": LEFT[1]}),
    "shown again": ([*TALK, SHOWN, {"$set": {"messages": TALK}}], {"s1": LEFT[1], "u1": LEFT[1], "g1": LEFT[1]}),
    "no messages to show": ([*TALK, {"$set": {"messages": []}}], {}),
}


@pytest.mark.parametrize("name", REPLAYS)
def test_what_was_taken_back_and_what_was_compacted(name: str, home: Home, tmp_path: Path) -> None:
    rows, states = REPLAYS[name]
    take(home, write(tmp_path / "s.jsonl", [META, *rows]))
    left = {message["identity"]: message["state"] for message in stored(home) if message["state"] != "active"}
    assert left == states
    own = {each["id"] for each in rows if "id" in each}
    assert own <= {message["identity"] for message in stored(home)}


def test_turns_that_are_recorded_again_under_other_names_are_not_heard_twice(home: Home, tmp_path: Path) -> None:
    """Masking writes every turn anew, an output among them in a few words; the first to say it stays."""
    talk = [
        user("u1", "go"),
        gemini("g1", "", toolCalls=[called("c1", "long output")]),
        row("r1", "user", [response("c1", "long output")]),
    ]
    call = {"functionCall": {"id": "c1", "name": "read_file", "args": {}}}
    copies = [user("x1", "go "), row("y1", "gemini", [call]), row("z1", "user", [response("c1", "<masked>")])]
    path = write(tmp_path / "s.jsonl", [META, *talk, *copies])
    take(home, path)
    assert len(stored(home)) == 5
    write(path, [META, *talk, *copies, {"$set": {"messages": copies}}, {"$rewindTo": "y1"}])
    report = take(home, path)
    assert report.removed == 2
    assert [(m["identity"], m["state"], m["content"]) for m in stored(home)] == [
        ("u1", "active", "go"),
        ("g1", "withdrawn", ""),
        ("g1#c1", "withdrawn", "long output"),
    ]


def test_a_recording_that_is_nothing_but_lists(home: Home, tmp_path: Path) -> None:
    lists = [{"$set": {"messages": TALK[:number]}} for number in (1, 2, 4)]
    nameless = [{"$set": {"messages": [{"type": "user", "content": "no id"}, None, *TALK]}}]
    (source,) = take(home, write(tmp_path / "s.jsonl", [META, *lists, *nameless])).sources
    assert told(home) == [(*USER, "no id"), *SAID]
    assert source["quarantined"] == 1


FILES = "\n--- Content from referenced files ---\nContent from @a.py:\nx = 1\n--- End of content ---"
CONTENTS: dict[str, tuple[dict[str, Any], list[tuple[str, str, str, str]]]] = {
    "a string": (row("m", "user", "tabs"), [(*USER, "tabs")]),
    "strings": (row("m", "user", ["ta", "bs"]), [(*USER, "tabs")]),
    "one part": (row("m", "user", {"text": "緑茶 🍵"}), [(*USER, "緑茶 🍵")]),
    "pieces": (row("m", "gemini", [{"text": "I "}, {"text": "see"}]), [(*CLAUDE, "I see")]),
    "a picture": (
        row(
            "m", "user", [{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}, {"text": "there"}]
        ),
        [(*USER, "look\n\n[image: image/png]\n\nthere")],
    ),
    "a file": (
        row("m", "user", [{"fileData": {"mimeType": "application/pdf", "displayName": "a [1].pdf"}}]),
        [(*USER, "[file: a (1).pdf]")],
    ),
    "files that a prompt names": (
        user("m", f"Sum up @a.py{FILES}"),
        [(*USER, "Sum up @a.py"), ("user", "harness", "active", FILES.strip())],
    ),
    "the same, shown": (
        user("m", f"Sum up @a.py{FILES}", displayContent=[{"text": "Sum up @a.py"}]),
        [(*USER, "Sum up @a.py"), ("user", "harness", "active", FILES.strip())],
    ),
    "a command that becomes a prompt": (
        user("m", "You are an expert…", displayContent="/expert"),
        [(*USER, "/expert"), ("user", "harness", "active", "You are an expert…")],
    ),
    "the context": (user("m", CONTEXT), [("user", "harness", "active", CONTEXT)]),
    "the editor": (
        user("m", "Here is the user's editor context as a JSON object."),
        [("user", "harness", "active", "Here is the user's editor context as a JSON object.")],
    ),
    "a shell command": (
        user("m", "I ran the following shell command:\n```sh\nls\n```"),
        [("user", "harness", "active", "I ran the following shell command:\n```sh\nls\n```")],
    ),
    "an answer by the CLI": (
        gemini("m", "Got it. Thanks for the context!"),
        [("assistant", "harness", "active", "Got it. Thanks for the context!")],
    ),
    "notices": (row("m", "ERROR", "quota"), [(*HARNESS, "quota")]),
    "thoughts among the parts": (
        row("m", "gemini", [{"text": "hm", "thought": True}, {"text": "ok"}]),
        [(*CLAUDE, "ok")],
    ),
    "code": (
        row("m", "gemini", [{"executableCode": {"code": "1+1"}}, {"codeExecutionResult": {"outcome": "OUTCOME_OK"}}]),
        [(*CLAUDE, ""), ("tool", "tool", "active", "OUTCOME_OK")],
    ),
    "a failed call": (
        row("m", "user", [{"functionResponse": {"name": "x", "response": {"error": "no such file"}}}]),
        [("tool", "tool", "active", "no such file")],
    ),
    "a result of another kind": (
        row(
            "m",
            "user",
            [{"functionResponse": {"response": {"a": 1}, "parts": [{"inlineData": {"mimeType": "audio/mp3"}}]}}],
        ),
        [("tool", "tool", "active", '{"a":1}\n\n[audio: audio/mp3]')],
    ),
    "null": (row("m", "user", None), []),
    "nothing": (gemini("m", "", thoughts=[], tokens=None, toolCalls=None), []),
    "half a character": (user("m", "half \ud83d"), [(*USER, "half \ufffd")]),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_content(name: str, home: Home, tmp_path: Path) -> None:
    message, expected = CONTENTS[name]
    take(home, write(tmp_path / "s.jsonl", [META, message, gemini("end", "bye")]))
    assert told(home) == [*expected, (*CLAUDE, "bye")]


def test_a_subagent_is_not_the_person(home: Home, tmp_path: Path) -> None:
    meta = {**META, "sessionId": "sub", "kind": "subagent", "directories": ["/home/ada/engine"]}
    rows = [user("u1", "Describe it"), gemini("g1", "", toolCalls=[called("c1", "x")]), row("i", "info", "done")]
    take(home, write(tmp_path / "sub.jsonl", [meta, *rows]))
    assert tally(home) == {"user/subagent": 1, "assistant/subagent": 1, "tool/subagent": 1, "system/harness": 1}
    (entry,) = store.canonical_files(home)
    assert read_header(Path(entry.path))["metadata"]["project"] == "/home/ada/engine"


TURNS = [
    {"role": "user", "parts": [{"text": CONTEXT}]},
    {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]},
    {"role": "user", "parts": [{"text": "Plan it"}]},
    {"role": "model", "parts": [{"text": "hm", "thought": True}, {"functionCall": {"name": "read_file", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "read_file", "response": {"output": "x = 1"}}}]},
    {"role": "model", "parts": [{"text": "Two steps."}]},
]


def test_a_checkpoint(home: Home, tmp_path: Path) -> None:
    path = export(tmp_path / "checkpoint-before%20tea.json", {"history": TURNS[:4], "authType": "oauth-personal"})
    take(home, path)
    assert [message["origin"] for message in stored(home)] == ["harness", "harness", "user", "assistant"]
    again = export(tmp_path / "elsewhere" / "shared.json", [*TURNS, {"role": "robot"}, None])
    report = take(home, again)
    assert (report.new, report.updated, report.sources[0]["quarantined"]) == (2, 0, 1)
    assert told(home)[2:] == [
        (*USER, "Plan it"),
        (*CLAUDE, ""),
        ("tool", "tool", "active", "x = 1"),
        (*CLAUDE, "Two steps."),
    ]
    assert [message["name"] for message in stored(home)][4] == "read_file"
    (entry,) = store.canonical_files(home)
    header = read_header(Path(entry.path))
    assert header["key"].startswith("gemini-cli:checkpoint-")
    assert header["metadata"]["title"] == "before tea"
    other = [*TURNS[:2], {"role": "user", "parts": [{"text": "Something else"}]}]
    take(home, export(tmp_path / "checkpoint-x.json", {"history": other}))
    assert len(list(store.canonical_files(home))) == 2


def test_where_recordings_lie(home: Home, tmp_path: Path) -> None:
    chats = tmp_path / "elsewhere/.gemini/tmp/engine/chats"
    paths = [
        export(chats / "session-a.json", {}),
        write(chats / "session-b.jsonl", []),
        write(chats / "id/sub.jsonl", []),
    ]
    export(chats.parent / "logs.json", [])
    export(chats.parent / "checkpoint-x.json", [])
    for environ, user_home in (
        ({"GEMINI_CLI_HOME": str(tmp_path / "elsewhere")}, tmp_path),
        ({}, tmp_path / "elsewhere"),
    ):
        found = [source for source in discover.find(environ, user_home) if source.format == "gemini-cli"]
        assert sorted(source.path for source in found) == sorted(paths)


def test_bad_rows_cost_themselves(home: Home, tmp_path: Path) -> None:
    rows = [
        META,
        user("u1", "first"),
        b"{broken\n",
        5,
        [1],
        {"silly": 1},
        row("x", "robot", "?"),
        {"$set": 5},
        {"$rewindTo": 5},
    ]
    rows += [row("l", "user", "a" * 9_000_000), user("u2", "last", timestamp=5, displayContent=7)]
    (source,) = take(home, write(tmp_path / "s.jsonl", rows)).sources
    assert told(home)[0] == (*USER, "first")
    assert [source[name] for name in ("kept", "quarantined")] == [3, 8]


PROMPT = {
    "runSettings": {"model": "models/gemini-2.5-pro", "temperature": 1.0},
    "systemInstruction": {"parts": [{"text": "Answer in "}, {"text": "German."}]},
    "chunkedPrompt": {
        "chunks": [
            {"text": "I prefer tabs", "role": "user", "tokenCount": 4, "createTime": "2026-03-01T10:00:00Z"},
            {"text": "hm", "role": "model", "isThought": True, "tokenCount": 9},
            {"text": "Gut.", "role": "model", "finishReason": "STOP", "tokenCount": 2, "parts": [{"text": "Gut."}]},
        ],
        "pendingInputs": [{"text": "not sent", "role": "user"}],
    },
}


def prompt(*chunks: Any, **fields: Any) -> dict[str, Any]:
    return {**PROMPT, "chunkedPrompt": {"chunks": [*PROMPT["chunkedPrompt"]["chunks"], *chunks]}, **fields}


def test_a_prompt_of_ai_studio(home: Home, tmp_path: Path) -> None:
    (source,) = take(home, export(tmp_path / "Tabs v1.2", PROMPT)).sources
    assert told(home) == [(*HARNESS, "Answer in German."), (*USER, "I prefer tabs"), (*CLAUDE, ""), (*CLAUDE, "Gut.")]
    assert (source["format"], source["kept"]) == ("ai-studio", 4)
    assert stored(home)[2]["thinking"] == "hm"
    (entry,) = store.canonical_files(home)
    assert read_header(Path(entry.path))["metadata"]["title"] == "Tabs v1.2"
    lines = [json.loads(line) for line in Path(entry.path).read_bytes().splitlines()]
    assert [(line.get("model"), line.get("usage")) for line in lines[2:]] == [
        (None, None),
        ("models/gemini-2.5-pro", {"reasoning": 9}),
        ("models/gemini-2.5-pro", {"output": 2}),
    ]

    grown = prompt({"text": "and dark mode", "role": "user"}, {"text": "", "role": "model", "errorMessage": "x"})
    report = take(home, export(tmp_path / "elsewhere" / "Tabs (1).json", grown))
    assert (report.new, report.updated, report.sources[0]["skipped"]) == (1, 0, 1)
    assert told(home)[4:] == [(*USER, "and dark mode")]


def test_a_branch_is_a_prompt_of_its_own(home: Home, tmp_path: Path) -> None:
    origin = {"promptId": "prompts/1", "displayName": "Tabs"}
    branch = prompt({"text": "spaces?", "role": "user", "branchParent": origin})
    take(home, export(tmp_path / "a.json", PROMPT), export(tmp_path / "b.json", branch))
    headers = [read_header(Path(entry.path)) for entry in store.canonical_files(home)]
    assert sorted(str(header["metadata"].get("branch_of")) for header in headers) == ["None", "Tabs"]


CHUNKS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a document": ({"role": "user", "driveDocument": {"id": "d1"}}, ["user [file: d1]"]),
    "a picture": ({"role": "user", "driveImage": {"id": "i1"}}, ["user [image: i1]"]),
    "a voice": ({"role": "user", "inlineFile": {"mimeType": "audio/mp3", "data": "AA"}}, ["user [audio: audio/mp3]"]),
    "a video": ({"role": "user", "youtubeVideo": {"id": "v1"}}, ["user [video: v1]"]),
    "a nameless one": ({"role": "user", "inlineImage": {}}, ["user [image]"]),
    "text in parts": ({"role": "model", "text": "", "parts": [{"text": "a"}, {"text": "b"}]}, ["assistant ab"]),
    "a thought in parts": ({"role": "model", "isThought": True, "parts": [{"text": "hm"}]}, ["assistant "]),
    "code": (
        {"role": "model", "text": "So:", "executableCode": {"code": "1"}, "codeExecutionResult": {"output": "1\n"}},
        ["assistant So:", "tool 1\n"],
    ),
    "junk": ({"role": "model", "text": 5, "parts": 5, "driveDocument": 5}, []),
    "a capital role": ({"role": "USER", "text": "hi"}, ["user hi"]),
    "versions": ({"role": "model", "text": "new", "id": "c2", "branchParent": {"id": "u"}}, ["assistant new"]),
}


@pytest.mark.parametrize("name", CHUNKS)
def test_chunks(name: str, home: Home, tmp_path: Path) -> None:
    chunk, expected = CHUNKS[name]
    take(home, export(tmp_path / "x.json", prompt(chunk)))
    assert [f"{message['role']} {message['content']}" for message in stored(home)][4:] == expected


def test_of_versions_of_a_turn_the_last_is_seen(home: Home, tmp_path: Path) -> None:
    versions = [{"role": "model", "text": str(n), "id": f"c{n}", "branchParent": {"id": "u"}} for n in range(3)]
    take(home, export(tmp_path / "x.json", prompt(*versions, None, 5, {"role": "robot"})))
    assert [message["state"] for message in stored(home)][4:] == ["withdrawn", "withdrawn", "active"]


def activity(title: str, time: str | None, *answers: str, **fields: Any) -> dict[str, Any]:
    """One entry of ``MyActivity.json``."""
    entry = {"header": "Gemini Apps", "title": title, "time": time, "products": ["Gemini Apps"]}
    items = {"safeHtmlItem": [{"html": html} for html in answers]} if answers else {}
    return {**entry, "activityControls": ["Gemini Apps Activity"], **items, **fields}


LINK = "https://gemini.google.com/app/7b00aa00cc11dd22"
LOG = [
    activity(
        "Prompted and the sauce?", "2026-03-02T10:05:00.100Z", "<p>With <em>lemon</em>.</p>", titleUrl=f"{LINK}?hl=en"
    ),
    activity("Selected preferred draft", "2026-03-02T10:04:00.000Z"),
    activity("Prompted third", "2026-03-02T10:03:00.000Z", "<p>3</p>"),
    activity("Prompted a cake", "2026-03-02T10:00:00.568Z", "<p>Eggs.</p>", details=[{"name": "x", "url": LINK}]),
    activity("Prompted second", "2026-03-02T09:00:00.000Z"),
    activity("Prompted first", "2026-03-01T23:59:59.999Z", "<p>1</p>", "<p>one</p>"),
]
DAY, CAKE = "gemini-takeout:2026-03-02", "gemini-takeout:7b00aa00cc11dd22"


def test_a_log_of_activities(home: Home, tmp_path: Path) -> None:
    (source,) = take(home, export(tmp_path / "MyActivity.json", LOG)).sources
    assert told(home, CAKE) == [
        (*USER, "a cake"),
        (*CLAUDE, "Eggs."),
        (*USER, "and the sauce?"),
        (*CLAUDE, "With lemon."),
    ]
    assert told(home, DAY) == [(*USER, "second"), (*USER, "third"), (*CLAUDE, "3")]
    assert told(home, "gemini-takeout:2026-03-01") == [(*USER, "first"), (*CLAUDE, "1"), (*CLAUDE, "one")]
    assert [source[name] for name in ("format", "sessions", "kept", "skipped")] == ["gemini-takeout", 3, 5, 1]
    first = stored(home, CAKE)[0]
    assert (first["identity"], first["timestamp"]) == ("2026-03-02T10:00:00Z#0", "2026-03-02T10:00:00.568Z")


def test_a_later_export_adds_what_is_new(home: Home, tmp_path: Path) -> None:
    take(home, export(tmp_path / "a.json", LOG[3:]))
    before = {message["identity"]: message["id"] for message in stored(home)}
    newer = activity("Prompted of the same second", "2026-03-02T10:03:00.500Z")
    report = take(home, export(tmp_path / "b.json", [LOG[0], newer, *LOG[1:]]))
    assert (report.new, report.updated) == (5, 0)
    after = {message["identity"]: message["id"] for message in stored(home)}
    assert before.items() <= after.items()
    assert told(home, DAY) == [(*USER, "second"), (*USER, "third"), (*CLAUDE, "3"), (*USER, "of the same second")]


TITLES: dict[str, tuple[dict[str, Any], list[tuple[str, str, str, str]]]] = {
    title: (activity(title, "2026-03-02T10:00:00Z", *answers), expected)
    for title, answers, expected in (
        ("Prompted Prompt: tabs", (), [(*USER, "Prompt: tabs")]),
        ("Prompted\xa0two\nlines", (), [(*USER, "two\nlines")]),
        ("Asked Bard: tabs", (), [(*USER, "tabs")]),
        ("Said tabs", (), [(*USER, "tabs")]),
        ("Eingegebener Prompt: Tabs", (), [(*USER, "Tabs")]),
        ("Prompt\xa0: des tabulations", (), [(*USER, "des tabulations")]),
        ("Has dicho: tabuladores", (), [(*USER, "tabuladores")]),
        ("Hiciste la petición tabuladores", (), [(*USER, "tabuladores")]),
        ("Hai chiesto:\xa0tabulazioni", (), [(*USER, "tabulazioni")]),
        ("Você disse: tabulações", (), [(*USER, "tabulações")]),
        ("送信したメッセージ: タブ", (), [(*USER, "タブ")]),
        ("Spurte om tabulatorer", ("<p>Ja.</p>",), [(*USER, "Spurte om tabulatorer"), (*CLAUDE, "Ja.")]),
        ("Spurte om mellomrom", (), []),
        ("Prompted", ("<p>Hi.</p>",), [(*CLAUDE, "Hi.")]),
        ("Prompted", (), []),
        ("Used Gemini Apps", (), []),
        (
            "Created Gemini Canvas titled Tea",
            ("<h1>Tea</h1>",),
            [(*HARNESS, "Created Gemini Canvas titled Tea"), (*CLAUDE, "# Tea")],
        ),
        ("Gave feedback: Good response", (), []),
        (
            "Prompted <memory-workbench>x</memory-workbench>",
            (),
            [("user", "harness", "active", "<memory-workbench>x</memory-workbench>")],
        ),
    )
}


@pytest.mark.parametrize("title", TITLES)
def test_titles(title: str, home: Home, tmp_path: Path) -> None:
    entry, expected = TITLES[title]
    take(home, export(tmp_path / "x.json", [activity("Prompted last", "2026-03-02T11:00:00Z"), entry]))
    assert told(home) == [*expected, (*USER, "last")]


def test_what_is_attached_to_an_activity(home: Home, tmp_path: Path) -> None:
    subtitles = [
        {"name": "Attached 1 file."},
        {"name": "-\xa0 cat.png", "url": "cat-1e98.png"},
        {"name": "x", "url": LINK},
        None,
    ]
    files = {"subtitles": subtitles, "imageFile": "cat-1e98.png", "attachedFiles": ["a.pdf", {"name": "b.txt"}, 5]}
    entries = [activity("Prompted look", None, **files), activity("Prompted", None, imageFile="dog.webp")]
    take(home, export(tmp_path / "x.json", entries))
    assert told(home, "gemini-takeout:undated") == [
        (*USER, "[image: dog.webp]"),
        (*USER, "look\n\n[image: cat.png]\n\n[file: a.pdf]\n\n[file: b.txt]"),
    ]


def card(main: str, header: str = "Gemini Apps", link: str = "") -> str:
    """One activity of ``MyActivity.html``."""
    details = f'<b>Details:</b><br>&emsp;<a href="{link}">{link}</a><br>' if link else ""
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">'
        f'<div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">{header}<br></p></div>'
        f'<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">{main}</div>'
        '<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div>'
        f'<div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>{header}'
        f"<br>{details}<b>Why is this here?</b></div></div></div>"
    )


def page(*cards: str, style: str = "body{}") -> str:
    head = f'<html><head><title>My Activity History</title><style type="text/css">{style}</style></head>'
    return f'{head}<body><div class="mdl-grid">{"".join(cards)}</div></body></html>'


def saved(path: Path, html: str) -> Path:
    path.write_text(html, "utf-8")
    return path


def test_a_page_of_activities_is_the_log(home: Home, tmp_path: Path) -> None:
    """The page of the same activities, with dates in the zone of the account: nothing is new."""
    take(home, export(tmp_path / "MyActivity.json", LOG))
    before = told(home)
    cards = [
        card(
            "Prompted&nbsp;and the sauce?<br>Mar 2, 2026, 5:05:00\u202fAM EST<br><p>With <em>lemon</em>.</p>", link=LINK
        ),
        card("Selected preferred draft<br>Mar 2, 2026, 5:04:00\u202fAM EST<br>"),
        card("Prompted&nbsp;third<br>Mar 2, 2026, 5:03:00\u202fAM EST<br><p>3</p>"),
        card("Prompted&nbsp;a cake<br>Mar 2, 2026, 5:00:00\u202fAM EST<br><p>Eggs.</p>", link=LINK),
        card("Prompted&nbsp;second<br>Mar 2, 2026, 4:00:00\u202fAM EST<br>"),
        card("Prompted&nbsp;first<br>Mar 1, 2026, 6:59:59\u202fPM EST<br><p>1</p>"),
    ]
    (source,) = take(home, saved(tmp_path / "MyActivity.html", page(*cards))).sources
    assert [source[name] for name in ("format", "kept", "skipped", "quarantined")] == ["gemini-takeout", 5, 1, 0]
    assert told(home) == before


def test_the_cells_of_a_card(home: Home, tmp_path: Path) -> None:
    code = "<pre><code>def f():\n\n\n    return '&lt;div class=\"outer-cell\"&gt;'</code></pre>"
    asked = escape('is <b> & "x" ok?')
    cards = [
        card(f"Prompted&nbsp;{asked}<br>17 de fev. de 2026, 15:08:20 BRT<br><p>Ja:</p>{code}"),
        card(
            'Prompted&nbsp;sum up\nall<br>Attached 2 files.<br>-&nbsp; <a href="spec-1.md">spec.md</a><br>-&nbsp; '
            '<a href="b-1.png">b.png</a><br>16 de fev. de 2026, 15:08:20 BRT<br><div><p>Sum.</p></div>'
        ),
        card(
            "Prompted&nbsp;draw a cat<br>1 generated image.<br>15 de fev. de 2026, 15:08:20 BRT<br>"
            "<p><img src='c.png' alt='cat'></p>"
        ),
        card(
            "Prompted&nbsp;when?<br>Feb 3, 2026, 3:00:00 PM EST<br>it was<br>14 de fev. de 2026, 15:08:20 BRT<br>"
            "<p>Then.</p>"
        ),
        card("Prompted&nbsp;undated<br>2 Smarch 2026, 25:99 XYZ<br><p>So.</p>"),
        card("Searched for gemini<br>13 de fev. de 2026, 15:08:20 BRT<br>", header="Search"),
        card(""),
    ]
    (source,) = take(home, saved(tmp_path / "x.html", page(*cards))).sources
    assert told(home) == [
        (*USER, "when?\nFeb 3, 2026, 3:00:00 PM EST\nit was"),
        (*CLAUDE, "Then."),
        (*USER, "draw a cat"),
        (*CLAUDE, "[image: cat]"),
        (*USER, "sum up\nall\n\n[file: spec.md]\n\n[image: b.png]"),
        (*CLAUDE, "Sum."),
        (*USER, 'is <b> & "x" ok?'),
        (*CLAUDE, "Ja:\n\n```\ndef f():\n\n\n    return '<div class=\"outer-cell\">'\n```"),
        (*USER, "undated\n2 Smarch 2026, 25:99 XYZ"),
        (*CLAUDE, "So."),
    ]
    assert (source["kept"], source["skipped"]) == (5, 2)


def test_a_large_page_is_read_bit_by_bit(home: Home, tmp_path: Path) -> None:
    answer = f"<p>{'Tee ä ' * 1_000}</p>"
    cards = [card(f"Prompted&nbsp;{n}<br>01.03.2026, 10:{n // 60:02}:{n % 60:02} MEZ<br>{answer}") for n in range(300)]
    path = saved(tmp_path / "x.html", page(*cards, style=".mdl-x{color:red}" * 10_000))
    (source,) = take(home, path).sources
    assert (source["sessions"], source["messages"]) == (1, 600)
    answers = {message["content"] for message in stored(home) if message["role"] == "assistant"}
    assert answers == {("Tee ä " * 1_000).strip()}


DATES = {
    "Feb 17, 2026, 3:08:20\u202fPM EST": "2026-02-17T20:08:20Z",
    "Feb 17, 2026, 12:08:20 AM UTC": "2026-02-17T00:08:20Z",
    "Mar 23, 2026, 1:22:13 AM GMT-03:00": "2026-03-23T04:22:13Z",
    "17 Feb 2026, 15:08:20 GMT": "2026-02-17T15:08:20Z",
    "18.04.2026, 17:38:51 MESZ": "2026-04-18T15:38:51Z",
    "17. März 2026, 15:08:20 MEZ": "2026-03-17T14:08:20Z",
    "2 sept. 2026, 09:00:00 UTC+02:00": "2026-09-02T07:00:00Z",
    "28 févr. 2026, 22:30:00 CET": "2026-02-28T21:30:00Z",
    "14 juil. 2026, 09:00:00 CEST": "2026-07-14T07:00:00Z",
    "14 juin 2026, 09:00:00 CEST": "2026-06-14T07:00:00Z",
    "10 abr 2026, 19:55:59 CEST": "2026-04-10T17:55:59Z",
    "1 ene 2026, 1:02:03 a.\xa0m. CET": "2026-01-01T00:02:03Z",
    "2 ago 2026, 09:00:00 CEST": "2026-08-02T07:00:00Z",
    "5 mag 2026, 09:00:00 CEST": "2026-05-05T07:00:00Z",
    "17 de fev. de 2026, 15:08:20 BRT": "2026-02-17T18:08:20Z",
    "9 de out. de 2026, 15:08:20 WEST": "2026-10-09T14:08:20Z",
    "2026/02/02 16:24:02 JST": "2026-02-02T07:24:02Z",
    "2026年2月2日 16:24:02 GMT+8": "2026-02-02T08:24:02Z",
    "Feb 17, 2026, 3:08:20 PM XYZT": "2026-02-17T15:08:20",
    "Feb 17, 2026, 3:08:20 PM": "2026-02-17T15:08:20",
    "30 Feb 2026, 15:08:20 GMT": None,
    "2 Smarch 2026, 09:00:00 GMT": None,
    "1 Jan 0001, 00:00:00 GMT+14": None,
    "I met her on Feb 17, 2026, at 3:08:20 PM in Jena": None,
    "at 3:08:20 PM": None,
    "": None,
}


@pytest.mark.parametrize("line", DATES)
def test_dates(line: str) -> None:
    assert gemini_dates.read(line) == DATES[line]


HTML = {
    "<p>One</p><p>two <b>three</b>\n four</p>": "One\n\ntwo three four",
    "a<br>b<br/><br>c": "a\nb\n\nc",
    "<h2>Title</h2><ul><li><p>one</p></li><li>two<ol><li>x</li><li>y</li></ol></li></ul><p>end</p>": (
        "## Title\n- one\n- two\n  1. x\n  2. y\n\nend"
    ),
    "<ol><li>a</li><li>b</li></ol>": "1. a\n2. b",
    "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>": "A | B\n1 | 2",
    'see <a href="https://tea.example/?a=1&amp;b=2">tea</a>, <a href="javascript:x()">not</a>': (
        "see [tea](https://tea.example/?a=1&b=2), not"
    ),
    "use <code>a &lt; b</code>": "use `a < b`",
    "<pre>  x\n\n\n  y</pre>z": "```\n  x\n\n\n  y\n```\n\nz",
    "<script>alert(1)</script><style>p{}</style>seen<svg><text>not</text></svg>": "seen",
    "&#x41;&nbsp;&amp;amp; &#xd800;": "A &amp; \ufffd",
    "</p></li></ul></a></pre>x": "x",
    "": "",
}


@pytest.mark.parametrize("html", HTML)
def test_html_as_text(html: str) -> None:
    assert gemini_html.text_of(html) == HTML[html]


def test_an_archive_of_takeout(home: Home, tmp_path: Path) -> None:
    search = [
        {"header": "Search", "title": "Searched for gemini", "titleUrl": "https://www.google.com/search?q=gemini"}
    ]
    path = tmp_path / "takeout-001.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "Takeout/archive_browser.html", "<html><head><title>Takeout</title></head><body>x</body></html>"
        )
        archive.writestr("Takeout/My Activity/Search/MyActivity.json", json.dumps(search))
        archive.writestr("Takeout/Meine Aktivitäten/Gemini-Apps/MeineAktivitäten.json", json.dumps(LOG))
        archive.writestr("Takeout/My Activity/YouTube/MyActivity.html", page(card("Watched x", "YouTube")))
        archive.writestr("Takeout/Drive/Google AI Studio/Tabs", json.dumps(PROMPT))
        archive.writestr("tmp/engine/chats/session-1.jsonl", "\n".join(map(json.dumps, [META, *TALK])))
    report = take(home, path)
    keys = {message["session_key"] for message in stored(home)}
    assert keys >= {CAKE, DAY, KEY} and len(keys) == 5
    assert report.sources[0]["quarantined"] == 0
    assert "3 of its files are no conversations" in report.skipped_files[0]


FORMATS: dict[str, tuple[Any, str]] = {
    "a document of the CLI": ({**META, "messages": TALK}, "gemini-cli"),
    "one without messages": ({**META, "messages": []}, "gemini-cli"),
    "rows of the CLI": ([META, *TALK], "gemini-cli"),
    "rows without the first": ([{"$set": {"lastUpdated": "x"}}, *TALK], "gemini-cli"),
    "a checkpoint": ({"history": TURNS}, "gemini-cli"),
    "an old checkpoint": (TURNS, "gemini-cli"),
    "the log of prompts": ([{"sessionId": "s", "messageId": 0, "type": "user", "message": "hi", "timestamp": "x"}], ""),
    "messages of another agent": ([{"role": "user", "parts": [{"type": "text", "text": "hi"}]}], ""),
    "a prompt": (PROMPT, "ai-studio"),
    "chunks alone": ({"chunks": PROMPT["chunkedPrompt"]["chunks"]}, "ai-studio"),
    "chunks of something else": ({"chunks": [{"id": 1, "text": "x"}]}, ""),
    "what applets did": ({"applets": [{"name": "x", "accessTime": "y"}]}, ""),
    "activities": (LOG, "gemini-takeout"),
    "activities of bard": ([{**LOG[0], "header": "Bard", "products": ["Bard"], "titleUrl": None}], "gemini-takeout"),
    "a search for gemini": (
        [{"header": "Search", "title": "Searched for gemini", "products": ["Search"], "time": "x"}],
        "",
    ),
}


def named(path: Path) -> str:
    """The format of a file that is one of Gemini's, else nothing."""
    try:
        found = importers.choose(path).name
    except WorkbenchError:
        return ""
    return found if found in ("gemini-cli", "ai-studio", "gemini-takeout") else ""


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", FORMATS)
def test_what_a_file_is_taken_for(name: str, indent: int | None, tmp_path: Path) -> None:
    value, expected = FORMATS[name]
    if name.startswith("rows"):
        path = write(tmp_path / "x.jsonl", value)
    else:
        path = saved(tmp_path / "x.json", json.dumps(value, indent=indent))
    assert named(path) == expected


PAGES = {
    "of gemini": (page(card("Prompted x")), True),
    "in German": (page(card("x", "Gemini-Apps")), True),
    "with a long style sheet": (page(card("Prompted x"), style=".mdl-x{color:red}" * 10_000), True),
    "of a search": (page(card("Searched for gemini", "Search")), False),
    "of nothing": (page(), False),
    "of something else": ("<html><head><title>gemini</title></head><body>gemini mdl-</body></html>", False),
    "no page": ("gemini", False),
}


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_is_taken_for(name: str, tmp_path: Path) -> None:
    html, expected = PAGES[name]
    assert (named(saved(tmp_path / "x.html", html)) == "gemini-takeout") is expected


def test_documents_that_are_too_long_to_look_at_whole(home: Home, tmp_path: Path) -> None:
    picture = {"role": "user", "inlineImage": {"mimeType": "image/png", "data": "A" * 17 * 1024 * 1024}}
    long = {**META, "messages": [*TALK, gemini("g3", "y" * 17 * 1024 * 1024)]}
    paths = [export(tmp_path / "a.json", prompt(picture)), saved(tmp_path / "b.json", json.dumps(long, indent=1))]
    assert [source["format"] for source in take(home, *paths).sources] == ["ai-studio", "gemini-cli"]
    assert len(stored(home)) == 10


EMPTY = {
    "a recording": ("x.jsonl", json.dumps(META)),
    "a prompt": ("x.json", json.dumps({"chunkedPrompt": {"chunks": [{"role": "user", "text": ""}]}})),
    "a log": ("x.json", json.dumps([LOG[1]])),
    "a page": ("x.html", page(card("Cleared previous feedback<br>Sep 2, 2026, 1:26:27 PM PDT<br>"))),
}


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_said_is_said(name: str, home: Home, tmp_path: Path) -> None:
    file, text = EMPTY[name]
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, saved(tmp_path / file, text))


PUBLIC = {
    "agentsview/internal__parser__testdata__gemini__standard_session.json": {"user/user": 2, "assistant/assistant": 2},
    "agentsview/internal__parser__testdata__gemini__system_messages.json": {"system/harness": 3},
    "agentsview/internal__parser__testdata__gemini__thinking_only.json": {"user/user": 1, "assistant/assistant": 1},
    "agentsview/internal__parser__testdata__gemini__tool_calls.json": {"user/user": 1, "assistant/assistant": 1},
    "polylogue/tests__fixtures__origin-capability__gemini-cli-session.json": {"user/user": 1, "assistant/assistant": 1},
    "polylogue/tests__fixtures__origin-capability__aistudio-drive.json": {"user/user": 1, "assistant/assistant": 1},
    "polylogue/tests__fixtures__origin-capability__aistudio-drive-hinted.json": {
        "user/user": 1,
        "assistant/assistant": 1,
    },
    "polylogue/tests__data__gemini_chunked_prompt__branching_session.json": {
        "user/user": 1,
        "assistant/assistant": 2,
        "assistant/assistant/withdrawn": 1,
    },
    "polylogue/tests__data__gemini_chunked_prompt__code_execution_prompt.json": {
        "user/user": 1,
        "assistant/assistant": 3,
        "tool/tool": 1,
    },
    "polylogue/tests__data__gemini_chunked_prompt__code_execution_session.json": {
        "user/user": 1,
        "assistant/assistant": 3,
        "tool/tool": 1,
    },
    "polylogue/tests__data__gemini_chunked_prompt__multi_turn_prompt.json": {"user/user": 2, "assistant/assistant": 3},
    "polylogue/tests__data__gemini_chunked_prompt__multimodal_session.json": {"user/user": 3, "assistant/assistant": 1},
    "polylogue/tests__data__gemini_chunked_prompt__text_only_prompt.json": {"user/user": 2, "assistant/assistant": 2},
    "polylogue/tests__data__gemini_chunked_prompt__text_only_session.json": {"user/user": 1, "assistant/assistant": 1},
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_files(name: str, home: Home, shared_data: Path) -> None:
    (source,) = take(home, shared_data / "transcripts" / name).sources
    assert tally(home) == PUBLIC[name]
    assert source["format"] == ("gemini-cli" if "gemini__" in name or "gemini-cli" in name else "ai-studio")
    assert (source["sessions"], source["quarantined"]) == (1, 0)


def test_no_other_public_file_passes_for_one_of_gemini(shared_data: Path) -> None:
    folder = shared_data / "transcripts"
    files = [path for path in folder.glob("*/*.json*") if str(path.relative_to(folder)) not in PUBLIC]
    assert len(files) > 70
    for path in files:
        sample = importers.sample(path)
        assert not any(module.sniff(sample) for module in (gemini_cli, ai_studio, gemini_takeout)), path


FIELDS = (
    "id", "type", "content", "text", "parts", "role", "user", "gemini", "model", "messages", "sessionId", "projectHash",
    "toolCalls", "thoughts", "result", "functionResponse", "functionCall", "inlineData", "$set", "$rewindTo", "$patch",
    "chunks", "branchParent", "title", "time", "safeHtmlItem", "html", "subtitles", "details", "url", "header", "u1",
)  # fmt: skip
ANSWERED = gemini("g3", "", thoughts=[{"subject": "x"}], toolCalls=[called("c1", "x")], tokens={"input": 1})
SPOILT: dict[str, tuple[Any, Any]] = {
    "rows": (gemini_cli, [META, *TALK, ANSWERED, SHOWN, {"$rewindTo": "u2"}, {"$patch": {"removeIds": ["u1"]}}]),
    "a document": (gemini_cli, {**META, "messages": [*TALK, ANSWERED]}),
    "a checkpoint": (gemini_cli, {"history": TURNS}),
    "a prompt": (ai_studio, prompt({"role": "user", "driveDocument": {"id": "x"}, "branchParent": {"id": "u"}})),
    "a log": (gemini_takeout, [*LOG, activity("Prompted", None, subtitles=[{"name": "x", "url": "y"}])]),
}


@given(data=st.data())
def test_reading_never_fails(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Junk in any place of a file costs what it stands in."""
    name = data.draw(st.sampled_from(list(SPOILT)))
    module, value = SPOILT[name]
    value = json.loads(json.dumps(value))
    spoil(data, value, FIELDS)
    folder = tmp_path_factory.mktemp("junk")
    path = write(folder / "x.jsonl", value) if name == "rows" else export(folder / "x.json", value)
    module.sniff(importers.sample(path))
    counts = Counts()
    for found in module.read(path, counts):
        names = [message.identity for message in found.messages]
        assert all(names) and len(set(names)) == len(names)


@given(
    pieces=st.lists(
        st.sampled_from(["<div>", "</div>", card("x"), "<p>", "<br>", "&", "< ", "Feb 3, 2026, 3:00:00 PM", '"', "é"])
    )
)
def test_pages_of_junk(pieces: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    html = page(card("Prompted first<br>"), *pieces, card("Prompted last<br>Mar 2, 2026, 5:05:00 AM EST<br><p>end</p>"))
    path = saved(tmp_path_factory.mktemp("junk") / "x.html", html)
    counts = Counts()
    told = [message.content for found in gemini_takeout.read(path, counts) for message in found.messages]
    assert {"first", "last", "end"} <= set(told)
    assert counts.kept == 2
