"""Messages with a role and a content, of no tool that is known, and what every format has in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.sessions.rows import check_full_text, dump, said, stored, take, write
from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import index
from workbench.sessions.importers import choose, generic_lines, registry, sample
from workbench.sessions.importers.lines import Counts

Said = list[tuple[str, str, str]]


def message(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **fields}


TALK = [message("user", "use tabs"), message("assistant", "Noted.")]
TOLD: Said = [("user", "user", "use tabs"), ("assistant", "assistant", "Noted.")]
SHAREGPT = [{"from": "human", "value": "use tabs"}, {"from": "gpt", "value": "Noted."}]
SHAPES: dict[str, bytes] = {
    "lines": dump(TALK),
    "an array": json.dumps(TALK).encode(),
    "an array, indented": json.dumps(TALK, indent=2).encode(),
    "an object": json.dumps({"messages": TALK}).encode(),
    "an object, indented": json.dumps({"model": "gpt-4o", "messages": TALK, "n": 1}, indent=2).encode(),
    "lines that are values": json.dumps({"tags": ["a", "b"], "n": [1, 2], "messages": TALK}, indent=1).encode(),
    "an object in an array": json.dumps([{"messages": TALK}]).encode(),
    "an object in a line": dump([{"messages": TALK}]),
    "ShareGPT": json.dumps([{"conversations": SHAREGPT}], indent=1).encode(),
    "ShareGPT in a line": dump([{"conversations": SHAREGPT}]),
    "a BOM": b"\xef\xbb\xbf" + json.dumps(TALK).encode(),
    "capitals": dump([message("User", "use tabs"), message("ASSISTANT", "Noted.")]),
    "items of responses": dump(
        [
            message("user", [{"type": "input_text", "text": "use tabs"}], type="message"),
            message("assistant", [{"type": "output_text", "text": "Noted."}], type="message"),
        ]
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "chat.json", [SHAPES[shape]])
    assert choose(path).name == "generic"
    (source,) = take(home, path).sources
    assert said(home) == TOLD
    assert (source["sessions"], source["read"], source["kept"]) == (1, 2, 2)
    check_full_text(home)


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path":"ä.py"}'}}
USE = {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "ä.py"}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "x = 1"}]}
ROWS: dict[str, tuple[dict[str, Any], Said]] = {
    "parts": (
        message("user", [{"type": "text", "text": "look"}, IMAGE, {"type": "Text", "text": "here"}]),
        [("user", "user", "look\n\n[image]\n\nhere")],
    ),
    "media": (
        message(
            "user",
            [
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                {"type": "file", "file": {"filename": "plan [1].pdf", "file_data": "AAAA"}},
                {"type": "input_file", "filename": "a.txt"},
                {"type": "input_image", "image_url": "https://a.example/x.png"},
            ],
        ),
        [("user", "user", "[audio]\n\n[file: plan (1).pdf]\n\n[file: a.txt]\n\n[image]")],
    ),
    "an image of Anthropic": (
        message("user", [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]),
        [("user", "user", "[image: image/png]")],
    ),
    "a call": (message("assistant", None, tool_calls=[CALL]), [("assistant", "assistant", "")]),
    "a call of old": (
        message("assistant", None, function_call={"name": "read", "arguments": "{}"}),
        [("assistant", "assistant", "")],
    ),
    "a result": (message("tool", "x = 1", tool_call_id="c1", name="read"), [("tool", "tool", "x = 1")]),
    "a result of old": (message("function", "x = 1", name="read"), [("tool", "tool", "x = 1")]),
    "a result in parts": (message("tool", [{"type": "text", "text": "x"}, IMAGE]), [("tool", "tool", "x\n\n[image]")]),
    "a use": (
        message("assistant", [{"type": "text", "text": "I look."}, USE]),
        [("assistant", "assistant", "I look.")],
    ),
    "a result of Anthropic": (
        message("user", [{"type": "text", "text": "and?"}, RESULT]),
        [("tool", "tool", "x = 1"), ("user", "user", "and?")],
    ),
    "thinking": (
        message("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "so"}]),
        [("assistant", "assistant", "so")],
    ),
    "a refusal": (message("assistant", [{"type": "refusal", "refusal": "No."}]), [("assistant", "assistant", "No.")]),
    "an instruction": (message("developer", "Be brief."), [("system", "harness", "Be brief.")]),
    "recalled memory": (
        message("user", "<memory>likes tea</memory>"),
        [("user", "harness", "<memory>likes tea</memory>")],
    ),
    "a whole message as content": (
        message("user", {"role": "user", "content": "hi", "timestamp": "2026-01-02T10:00:00Z"}),
        [("user", "user", "hi")],
    ),
    "ShareGPT's call": (
        {"from": "function_call", "value": '{"name": "read", "arguments": {"path": "a"}}'},
        [("assistant", "assistant", "")],
    ),
    "ShareGPT's result": ({"from": "observation", "value": "x = 1"}, [("tool", "tool", "x = 1")]),
    "ShareGPT's instruction": ({"from": "system", "value": "Be brief."}, [("system", "harness", "Be brief.")]),
    "no words": (message("user", None), []),
    "blanks": (message("user", " \n"), []),
    "a number": (message("user", 42), [("user", "user", "42")]),
    "a surrogate": (message("user", "half \ud83d"), [("user", "user", "half \ufffd")]),
    "CJK": (message("user", "タブを使う 😀"), [("user", "user", "タブを使う 😀")]),
    "junk parts": (message("user", [None, 5, [], "a", {"type": None}, {"type": ["x"]}, {}]), [
        ("user", "user", "5\n\n[]\n\na\n\n[block]\n\n[['x']]\n\n[block]"),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str, home: Home, tmp_path: Path) -> None:
    row, expected = ROWS[name]
    (source,) = take(home, write(tmp_path / "chat.jsonl", [row, *TALK])).sources
    assert said(home) == [*expected, *TOLD]
    assert (source["kept"], source["skipped"], source["quarantined"]) == (2 + bool(expected), not expected, 0)


def test_what_is_kept_of_a_message(tmp_path: Path) -> None:
    rows = [
        message("user", "a", id="m1", timestamp="2026-01-02T10:00:00+02:00"),
        message("assistant", [{"type": "thinking", "thinking": "hm"}, USE], id="m2", created=1767348000, model="gpt-4o",
                usage={"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2},
                       "completion_tokens_details": {"reasoning_tokens": 1}, "total_tokens": 10}),
        message("user", [RESULT, {"type": "text", "text": "b"}], id="m3", timestamp=1767348000123),
        message("assistant", "c", id=4, reasoning_content="hm", tool_calls=[CALL],
                usage={"input_tokens": 7, "output_tokens": True, "cache_creation_input_tokens": 9}),
        message("tool", "d", tool_call_id="c1", name="read", id="m1"),
        {"from": "function_call", "value": '{"name": "read", "arguments": {"path": "a"}}'},
        {"from": "function_call", "value": "{broken"},
    ]  # fmt: skip
    (found,) = generic_lines.read(write(tmp_path / "chat.jsonl", rows), Counts())
    a, b, result, said_b, c, d, called, broken = found.messages
    assert [m.identity for m in (a, b, result, said_b, c, d)] == ["m1", "m2", "m3", "m3#1", "4", "m1~1"]
    assert [m.timestamp for m in (a, b, result, said_b, c)] == [
        "2026-01-02T10:00:00+02:00", "2026-01-02T10:00:00.000000Z", *["2026-01-02T10:00:00.123000Z"] * 2, None,
    ]  # fmt: skip
    assert (b.thinking, b.model, b.usage) == (
        "hm", "gpt-4o", {"input": 7, "output": 3, "cache_read": 2, "reasoning": 1},
    )  # fmt: skip
    assert b.tool_calls == c.tool_calls == [CALL]
    assert (c.thinking, c.usage) == ("hm", {"input": 7, "cache_write": 9})
    assert (result.role, result.tool_call_id, d.tool_call_id, d.name) == ("tool", "c1", "c1", "read")
    assert called.tool_calls == [
        {"id": "", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}
    ]
    assert broken.tool_calls == [{"id": "", "type": "function", "function": {"name": "", "arguments": "{broken"}}]


def sessions(home: Home) -> list[dict[str, Any]]:
    with db.read(home.session_index, index.SCHEMA) as connection:
        return [dict(row) for row in connection.execute("SELECT * FROM sessions ORDER BY key")]


def test_conversations(home: Home, tmp_path: Path) -> None:
    """One an element, each with what it says of itself; a bad one costs itself."""
    first = {
        "id": "5e551071-0000-4000-8000-00000000000a", "title": "Tabs", "cwd": "/home/ada", "created_at": 1767348000,
        "updated_at": "2026-01-03", "model": "gpt-4o", "system": [{"type": "text", "text": "Be brief."}],
        "messages": TALK,
    }  # fmt: skip
    document = [first, {"messages": None}, 7, {"id": 3, "name": "Tea", "messages": [message("user", "tea?"), None]}]
    path = write(tmp_path / "chats.json", [json.dumps(document, indent=1).encode()])
    (source,) = take(home, path).sources
    assert (source["sessions"], source["kept"], source["quarantined"]) == (2, 4, 2)
    tea, tabs = sessions(home)
    assert (tabs["key"], tabs["title"], tabs["project"]) == (f"generic:{first['id']}", "Tabs", "/home/ada")
    assert (tea["key"][:10], tea["title"], tea["project"]) == ("generic:3-", "Tea", None)
    assert said(home, tabs["key"]) == [("system", "harness", "Be brief."), *TOLD]
    found, _ = generic_lines.read(path, Counts())
    assert (found.session.created_at, found.session.updated_at, found.session.metadata) == (
        "2026-01-02T10:00:00.000000Z", "2026-01-03", {"model": "gpt-4o"},
    )  # fmt: skip


def test_a_log_that_repeats_a_conversation_gives_it_once(home: Home, tmp_path: Path) -> None:
    more = [message("user", "and spaces?"), message("assistant", "No.")]
    log = [{"model": "m", "messages": [message("system", "Be brief."), *TALK, *more][:n]} for n in (2, 3, 4, 5)]
    report = take(home, write(tmp_path / "log.jsonl", log))
    assert said(home) == [
        ("system", "harness", "Be brief."), *TOLD, ("user", "user", "and spaces?"), ("assistant", "assistant", "No."),
    ]  # fmt: skip
    assert report.new == 5


def test_lines_of_several_sessions(home: Home, tmp_path: Path) -> None:
    """Each line says of which it is; one that does not belongs with its like."""
    one, two = "session-0000000000001", "session-0000000000002"
    rows = [
        message("user", "a", session_id=one),
        message("user", "b", session_id=two),
        b"{broken\n",
        message("assistant", "c", session_id=one),
        message("user", "d"),
        message("assistant", "e", session_id=two),
        message("assistant", "f", session_id=one),
    ]
    (source,) = take(home, write(tmp_path / "log.jsonl", rows)).sources
    assert [content for _, _, content in said(home, f"generic:{one}")] == ["a", "c", "f"]
    assert [content for _, _, content in said(home, f"generic:{two}")] == ["b", "e"]
    assert (source["sessions"], source["kept"], source["quarantined"]) == (3, 6, 1)


def ids(home: Home) -> list[tuple[str, int]]:
    return [(row["session_key"], row["id"]) for row in stored(home)]


@pytest.mark.parametrize("fields", [{}, {"session_id": "s1"}, {"timestamp": "2026-01-02T10:00:00Z"}])
def test_growth_and_moves(fields: dict[str, str], home: Home, tmp_path: Path) -> None:
    """From its first line on, as lines and as a document that is written anew."""
    rows = [{**row, **fields} for row in (*TALK, *TALK, message("user", "more"))]
    before: list[tuple[str, int]] = []
    for count in range(1, len(rows) + 1):
        report = take(home, write(tmp_path / "chat.jsonl", rows[:count]))
        assert report.new == 1
        assert ids(home)[: len(before)] == before
        before = ids(home)
    assert take(home, write(tmp_path / "moved/old.jsonl", rows)).new == 0
    for count in range(1, len(rows) + 1):
        assert take(home, write(tmp_path / "chat.json", [json.dumps(rows[:count]).encode()])).new == 0


def test_chats_that_begin_alike_but_for_the_time(home: Home, tmp_path: Path) -> None:
    for day in ("01", "02"):
        take(home, write(tmp_path / f"{day}.jsonl", [{**row, "created_at": f"2026-01-{day}"} for row in TALK]))
    assert len({key for key, _ in ids(home)}) == 2
    assert {session["created_at"] for session in sessions(home)} == {"2026-01-01", "2026-01-02"}


NOT: dict[str, list[Any]] = {
    "rows of something else": [{"some": "thing"}, {"role": "admin", "name": "Ada"}],
    "a role without a content": [{"role": "user", "name": "Ada"}],
    "a content without a role": [{"content": "hello"}],
    "wrapped messages": [{"type": "user", "message": TALK[0]}, {"type": "assistant", "message": TALK[1]}],
    "few messages among much else": [{"n": 1}, {"n": 2}, TALK[0], {"n": 3}],
    "empty conversations": [{"messages": []}, {"conversations": None}],
    "conversations of something else": [{"messages": [{"text": "hi"}]}],
    "values": [1, "a", None, [], {}],
}


@pytest.mark.parametrize("name", NOT)
def test_what_is_none(name: str, tmp_path: Path) -> None:
    for data in (dump(NOT[name]), json.dumps(NOT[name], indent=1).encode()):
        assert not generic_lines.sniff(sample(write(tmp_path / "x.json", [data])))


def test_nothing_said(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"holds no messages \(2 lines read, 0 of them unusable\)"):
        take(home, write(tmp_path / "x.jsonl", [message("user", None), message("assistant", "")]))


# What no other format of the public files knows; all others know theirs.
UNKNOWN = {
    "tests__fixtures__origin-capability__claude-design-session.json": [("user", "user", "Prove the parser claim.")]
}


def test_public_files(home: Home, shared_data: Path) -> None:
    files = [path for path in (shared_data / "transcripts").rglob("*") if path.is_file() and path.name != "LICENSE"]
    vague = {name for name, importer in registry().items() if importer.vague}
    claimed = {}
    for path in files:
        found = sample(path)
        names = [name for name, importer in registry().items() if importer.sniff(found)]
        if names and names[0] in vague:
            take(home, path)
            claimed[path.name] = said(home)
    assert len(files) > 90
    assert claimed == UNKNOWN


def test_nanobot_lines(home: Home, shared_data: Path, tmp_path: Path) -> None:
    """Lines of nanobot's own tests without a first line that says so: all but the two that are no messages."""
    items = json.loads((shared_data / "transcripts/nanobot/session_lines_from_tests.json").read_bytes())
    rows = [item["line"] for item in items if item["line"].get("_type") != "metadata"]
    (source,) = take(home, write(tmp_path / "lines.jsonl", rows)).sources
    assert (source["format"], source["read"], source["quarantined"]) == ("generic", 168, 1)
    assert source["messages"] == source["kept"]


def test_every_format_is_described() -> None:
    page = (ROOT / "docs/formats.md").read_text()
    assert [name for name in registry() if f"| `{name}` |" not in page] == []


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["user", "assistant", "tool", "text", "tool_use", "tool_result", "thinking", "function_call"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["role", "from", "value", "content", "type", "text", "id", "input", "tool_calls", "function", "name",
             "usage", "timestamp", "messages", "conversations", "session_id", "system", "arguments", "thinking"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


def rows_with(junk: Any) -> list[Any]:
    return [
        {**TALK[0], "id": "a"},
        {**TALK[1], **junk} if isinstance(junk, dict) else junk,
        {"role": "user", "content": junk},
        {"role": "assistant", "content": [junk, {"type": "text", "text": junk}], "tool_calls": junk, "usage": junk},
        {"messages": [*TALK, junk], "id": junk, "title": junk, "created_at": junk, "system": junk},
        {**TALK[0], "id": "b"},
    ]


@given(JSON, st.booleans())
def test_junk_is_no_exception(tmp_path_factory: pytest.TempPathFactory, junk: Any, lined: bool) -> None:
    path = tmp_path_factory.mktemp("g") / "x.json"
    rows = rows_with(junk)
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows) if lined else json.dumps(rows).encode())
    counts = Counts()
    contents = []
    for found in generic_lines.read(path, counts):
        messages = list(found.messages)
        contents += [message.content for message in messages]
        assert len({message.identity for message in messages}) == len(messages)
    assert contents.count("use tabs") >= 3
    assert counts.kept >= 4
