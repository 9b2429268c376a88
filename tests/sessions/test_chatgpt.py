"""Exports of ChatGPT, one small conversation for each rule."""

from __future__ import annotations

import copy
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sessions.rows import check_full_text, stored, take, tally
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import importers
from workbench.sessions.importers import chatgpt
from workbench.sessions.importers.lines import Counts

T0 = 1772359200  # 2026-03-01T10:00:00Z


def node(
    name: str, parent: str | None, role: str = "user", said: Any = None, second: float = 0, /, **fields: Any
) -> dict[str, Any]:
    """A node of a tree; what is said is a text, or a whole content. ``fields`` are of the message, ``name`` and
    ``real_author`` of its author."""
    author = {
        "role": role,
        "name": fields.pop("name", None),
        "metadata": {"real_author": fields.pop("real_author", None)},
    }
    content = said if isinstance(said, dict | list) or said is None else {"content_type": "text", "parts": [said]}
    message = {
        "id": f"m-{name}",
        "author": author,
        "create_time": T0 + second,
        "content": content,
        "status": "finished_successfully",
        "recipient": "all",
        "metadata": {},
        **fields,
    }
    return {"id": name, "parent": parent, "children": [], "message": message}


def root() -> dict[str, Any]:
    """The empty node that every tree begins with."""
    return {"id": "root", "parent": None, "children": [], "message": None}


def conversation(*nodes: dict[str, Any], current: Any = ..., **fields: Any) -> dict[str, Any]:
    """A conversation of these nodes, the last of them the current one."""
    mapping = {each["id"]: copy.deepcopy(each) for each in nodes}
    for each in nodes:
        if isinstance(each["parent"], str) and each["parent"] in mapping:
            mapping[each["parent"]]["children"].append(each["id"])
    known = {"title": "The mill", "create_time": T0 + 0.5, "update_time": T0 + 9, "conversation_id": "c1", "id": "c1"}
    return {**known, "mapping": mapping, "current_node": nodes[-1]["id"] if current is ... else current, **fields}


def export(folder: Path, *conversations: Any, name: str = "conversations.json") -> Path:
    """An export of these conversations."""
    path = folder / name
    path.write_text(json.dumps(list(conversations)))
    return path


def heard(home: Home, key: str | None = None) -> list[tuple[str, str, str, str]]:
    """(role, origin, state, content) of each message."""
    return [tuple(m[name] for name in ("role", "origin", "state", "content")) for m in stored(home, key)]


def gist(home: Home) -> list[str]:
    """What was said, with its state where it is not active."""
    return [content if state == "active" else f"{content} ({state})" for _, _, state, content in heard(home)]


def read(path: Path) -> tuple[list[importers.Found], list[Any], Counts]:
    """What the importer makes of a file."""
    counts, messages, conversations = Counts(), [], []
    for found in chatgpt.read(path, counts):
        conversations.append(found)
        messages += found.messages
    return conversations, messages, counts


CONTEXT = {"content_type": "user_editable_context", "user_profile": "I am Ada", "user_instructions": "Be brief"}
THOUGHTS = {"content_type": "thoughts", "thoughts": [{"summary": "Cards", "content": "One is bent"}, {"content": "So"}]}
MODEL = {"model_slug": "gpt-5"}
TALK = conversation(
    root(),
    node("s", "root", "system", ""),
    node("c", "s", "user", CONTEXT, metadata={"is_visually_hidden_from_conversation": True}),
    node("u", "c", "user", "Why does the mill stop?", 1),
    node("t", "u", "assistant", THOUGHTS, 2, metadata=MODEL),
    node("q", "t", "assistant", '{"query":"mill"}', 3, recipient="web.search", metadata=MODEL),
    node("r", "q", "tool", {"content_type": "execution_output", "text": "a card"}, 4, name="web.search"),
    node("p", "r", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 2s"}, 5, metadata=MODEL),
    node("a", "p", "assistant", "A card is bent.", 6.25, metadata=MODEL),
    default_model_slug="gpt-5",
    gizmo_id="g-1",
    conversation_template_id="g-p-2",
    is_archived=True,
)


def test_a_conversation(home: Home, tmp_path: Path) -> None:
    report = take(home, export(tmp_path, TALK))

    assert heard(home, "chatgpt:c1") == [
        ("user", "harness", "hidden", "I am Ada\nBe brief"),
        ("user", "user", "active", "Why does the mill stop?"),
        ("assistant", "assistant", "active", ""),
        ("assistant", "assistant", "active", ""),
        ("tool", "tool", "active", "a card"),
        ("assistant", "assistant", "active", ""),
        ("assistant", "assistant", "active", "A card is bent."),
    ]
    _, question, thoughts, call, result, recap, answer = stored(home)
    assert [m["identity"] for m in stored(home)] == ["m-c", "m-u", "m-t", "m-q", "m-r", "m-p", "m-a"]
    assert [m["parent"] for m in stored(home)] == [None, "m-c", "m-u", "m-t", "m-q", "m-r", "m-p"]
    assert (thoughts["thinking"], recap["thinking"]) == ("Cards\nOne is bent\n\nSo", "Thought for 2s")
    function = {"name": "web.search", "arguments": '{"query":"mill"}'}
    assert json.loads(call["tool_calls"]) == [{"id": "m-q", "type": "function", "function": function}]
    assert (result["tool_call_id"], result["name"]) == ("m-q", "web.search")
    assert [m["timestamp"] for m in (question, answer)] == [
        "2026-03-01T10:00:01.000000Z",
        "2026-03-01T10:00:06.250000Z",
    ]
    (source,) = report.sources
    counted = {key: source[key] for key in ("format", "sessions", "messages", "read", "kept", "skipped", "quarantined")}
    assert counted == {
        "format": "chatgpt", "sessions": 1, "messages": 7, "read": 9, "kept": 7, "skipped": 2, "quarantined": 0
    }  # fmt: skip
    check_full_text(home)


def test_what_the_session_is(tmp_path: Path) -> None:
    (found,), messages, _ = read(export(tmp_path, TALK))
    session = found.session
    assert (session.key, session.title, session.project) == ("chatgpt:c1", "The mill", None)
    assert (session.created_at, session.updated_at) == ("2026-03-01T10:00:00.500000Z", "2026-03-01T10:00:09.000000Z")
    assert session.metadata == {
        "agent": "chatgpt",
        "model": "gpt-5",
        "gizmo": "g-1",
        "project": "g-p-2",
        "is_archived": True,
    }
    assert [message.model for message in messages] == [None, None, "gpt-5", "gpt-5", None, "gpt-5", "gpt-5"]


QUESTION = [root(), node("u", "root", "user", "Tea?", 1)]
OLD = [node("a", "u", "assistant", "No.", 2), node("v", "a", "user", "Why?", 3)]
NEW = [node("b", "u", "assistant", "Yes.", 4), node("w", "b", "user", "Thanks", 5)]
GONE = " (withdrawn)"
SHOWN_OLD = ["Tea?", "Yes." + GONE, "Thanks" + GONE, "No.", "Why?"]
SHOWN_NEW = ["Tea?", "No." + GONE, "Why?" + GONE, "Yes.", "Thanks"]


@pytest.mark.parametrize(
    ("current", "expected"),
    {
        "w": SHOWN_NEW,
        "v": SHOWN_OLD,
        "a": ["Tea?", "Yes." + GONE, "Thanks" + GONE, "No.", "Why?" + GONE],
        "root": ["Tea?" + GONE, "No." + GONE, "Why?" + GONE, "Yes." + GONE, "Thanks" + GONE],
        None: SHOWN_NEW,  # the newest leaf
        "nowhere": SHOWN_NEW,
        5: SHOWN_NEW,
    }.items(),
)
@pytest.mark.parametrize("links", ["both", "parents", "children"])
def test_branches(current: Any, expected: list[str], links: str, home: Home, tmp_path: Path) -> None:
    talk = conversation(*QUESTION, *OLD, *NEW, current=current)
    for each in talk["mapping"].values():
        if links == "parents":
            del each["children"]
        elif links == "children":
            each["parent"] = None
    take(home, export(tmp_path, talk))
    assert gist(home) == expected


def test_alternatives_come_in_the_order_of_their_parent(home: Home, tmp_path: Path) -> None:
    talk = conversation(*QUESTION, OLD[0], node("z", "u", "assistant", "Maybe."), NEW[0])
    talk["mapping"] = dict(reversed(talk["mapping"].items()))
    take(home, export(tmp_path, talk))
    assert gist(home) == ["Tea?", "No." + GONE, "Maybe." + GONE, "Yes."]


def test_of_several_newest_leaves_the_last_is_shown(home: Home, tmp_path: Path) -> None:
    old, new = ({**each, "message": {**each["message"], "create_time": None}} for each in (OLD[0], NEW[0]))
    take(home, export(tmp_path, conversation(*QUESTION, old, new, current=None)))
    assert gist(home) == ["Tea?", "No." + GONE, "Yes."]


def test_a_later_export_of_a_conversation_that_went_on(home: Home, tmp_path: Path) -> None:
    take(home, export(tmp_path, conversation(*QUESTION, *OLD)))
    before = {message["identity"]: message["id"] for message in stored(home)}
    report = take(home, export(tmp_path, conversation(*QUESTION, *OLD, *NEW), name="later.json"))

    assert (report.new, report.updated) == (2, 2)  # two said, two edited away
    assert gist(home) == ["Tea?", "No." + GONE, "Why?" + GONE, "Yes.", "Thanks"]
    assert {message["identity"]: message["id"] for message in stored(home)[:3]} == before
    report = take(home, export(tmp_path, conversation(*QUESTION, *OLD, *NEW), name="again.json"))
    assert (report.new, report.updated) == (0, 0)


def linked(**parents: str | None) -> dict[str, Any]:
    """A conversation of nodes that say their names, by what each names as its parent; ``e`` is current."""
    nodes = [node(name, parent, "user", name) for name, parent in parents.items()]
    return {**conversation(*nodes), "current_node": "e", "mapping": {each["id"]: each for each in nodes}}


@pytest.mark.parametrize(
    ("talk", "expected"),
    {
        "an orphan": (linked(a="gone", e=None), ["e", "a" + GONE]),
        "the line begins nowhere": (linked(a="gone", b="a", e="b", x=None), ["a", "b", "e", "x" + GONE]),
        "its own parent": (linked(a="a", e="a"), ["a", "e"]),
        "a cycle below": (linked(e=None, a="b", b="a"), ["e", "a" + GONE, "b" + GONE]),
        "a cycle above": (linked(a="b", b="a", e="a"), ["b", "a", "e"]),
        "all in a cycle": (linked(a="e", b="a", e="b"), ["a", "b", "e"]),
        "two roots": (linked(a=None, b=None, e="b"), ["b", "e", "a" + GONE]),
    }.values(),
)
def test_broken_trees(talk: dict[str, Any], expected: list[str], home: Home, tmp_path: Path) -> None:
    take(home, export(tmp_path, talk))
    assert gist(home) == expected


def parts(*pieces: Any, kind: str = "multimodal_text") -> dict[str, Any]:
    """A content of several parts."""
    return {"content_type": kind, "parts": list(pieces)}


IMAGE = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1", "width": 8}
SOUND = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_2", "format": "wav"}
WORDS = {"content_type": "audio_transcription", "text": "Hello there", "direction": "in"}
VIDEO = {"content_type": "video_container_asset_pointer", "asset_pointer": "sediment://file_3"}
LIVE = {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": SOUND}
# (role, content), and the (origin, content) that comes of it, if any.
CONTENTS: dict[str, tuple[str, Any, tuple[str, str] | None]] = {
    "text": ("user", "hello", ("user", "hello")),
    "several texts": ("user", parts("a", "", "b", kind="text"), ("user", "a\n\nb")),
    "verbatim": ("user", " a\n\tb \n", ("user", " a\n\tb \n")),
    "unicode": ("user", "你好 🙂 half \ud83d nul\x00", ("user", "你好 🙂 half \ufffd nul")),
    "capitals": ("user", parts("hello", kind="Text"), ("user", "hello")),
    "no type": ("user", {"parts": ["hello"]}, ("user", "hello")),
    "a bare string": ("user", ["hello"], ("user", "hello")),
    "an image": ("user", parts(IMAGE, "this?"), ("user", "[image: file_1]\n\nthis?")),
    "an image without an id": ("user", parts({**IMAGE, "asset_pointer": None}), ("user", "[image]")),
    "an image as the content": ("assistant", IMAGE, ("assistant", "[image: file_1]")),
    "voice": ("user", parts(WORDS, SOUND), ("user", "Hello there\n\n[audio]")),
    "live": ("user", parts(LIVE, VIDEO), ("user", "[audio]\n\n[video]")),
    "canvas": (
        "assistant",
        parts({"name": "doc", "type": "text/plain", "content": "hi"}, kind="text"),
        ("assistant", "[file: doc]\nhi"),
    ),
    "an unknown part": ("user", parts({"content_type": "hologram"}), ("user", "[hologram]")),
    "junk parts": ("user", parts(None, 5, [], {}, {"text": None}, "x"), ("user", "[attachment]\n\nx")),
    "code": ("assistant", {"content_type": "code", "language": "py", "text": "1+1"}, ("assistant", "1+1")),
    "output": ("tool", {"content_type": "execution_output", "text": "2"}, ("tool", "2")),
    "quote": (
        "tool",
        {"content_type": "tether_quote", "url": "https://a.example", "title": "Tea", "text": "hot", "tether_id": 1},
        ("tool", "Tea\nhttps://a.example\nhot"),
    ),
    "browsing": (
        "tool",
        {"content_type": "tether_browsing_display", "result": "found", "summary": "", "assets": []},
        ("tool", "found"),
    ),
    "web page": ("tool", {"content_type": "sonic_webpage", "url": "https://b.example", "text": "t"}, (
        "tool", "https://b.example\nt")),
    "custom instructions": ("user", CONTEXT, ("harness", "I am Ada\nBe brief")),
    "memory": (
        "assistant",
        {"content_type": "model_editable_context", "model_set_context": "1. Likes tea", "repo_summary": None},
        ("harness", "1. Likes tea"),
    ),
    "no memory": ("assistant", {"content_type": "model_editable_context", "model_set_context": ""}, None),
    "error of a tool": ("tool", {"content_type": "system_error", "name": "Timeout", "text": "late"}, (
        "tool", "Timeout\nlate")),
    "error": ("assistant", {"content_type": "system_error", "text": "late"}, ("harness", "late")),
    "unknown with a text": ("user", {"content_type": "hologram", "text": "boo"}, ("user", "boo")),
    "unknown with a result": ("tool", {"content_type": "hologram", "result": "boo"}, ("tool", "boo")),
    "unknown with parts": ("user", {"content_type": "hologram", "parts": ["p"], "text": "t"}, ("user", "p")),
    "unknown and silent": ("user", {"content_type": "hologram", "x": 1}, None),
    "system": ("system", "You are…", ("harness", "You are…")),
    "an unknown role": ("critic", "Bad.", ("harness", "Bad.")),
    "recalled": ("user", "<memory>likes tea</memory>", ("harness", "<memory>likes tea</memory>")),
    "null": ("user", None, None),
    "empty": ("user", "", None),
    "blank": ("user", " \n", None),
    "no parts": ("user", {"content_type": "text", "parts": []}, None),
    "parts that are none": ("user", {"content_type": "text", "parts": "hello"}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_content(name: str, home: Home, tmp_path: Path) -> None:
    role, said, expected = CONTENTS[name]
    take(home, export(tmp_path, conversation(*QUESTION, node("x", "u", role, said))))
    role = "system" if role == "critic" else role
    assert heard(home)[1:] == ([(role, expected[0], "active", expected[1])] if expected else [])


def test_thoughts_in_parts(tmp_path: Path) -> None:
    _, messages, _ = read(
        export(tmp_path, conversation(*QUESTION, node("t", "u", "assistant", parts("hm", kind="thoughts"))))
    )
    assert [(message.content, message.thinking) for message in messages] == [("Tea?", None), ("", "hm")]


def test_attachments_by_name(home: Home, tmp_path: Path) -> None:
    files = [{"id": "file_1", "name": "cat [1].png"}, {"id": "file_9", "name": "a.pdf"}, {"id": None}, None]
    question = node("u", None, "user", parts(IMAGE, "these?"), metadata={"attachments": files})
    alone = node("v", "u", "user", "", metadata={"attachments": [{"name": "b.txt"}]})
    take(home, export(tmp_path, conversation(question, alone)))
    assert gist(home) == ["[image: cat (1).png]\n\nthese?\n\n[file: a.pdf]\n\n[file]\n\n[file]", "[file: b.txt]"]


# The fields of an answer, and the (origin, state) that they make of it.
FIELDS: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "hidden": ({"metadata": {"is_visually_hidden_from_conversation": True}}, ("assistant", "hidden")),
    "not hidden": ({"metadata": {"is_visually_hidden_from_conversation": False}}, ("assistant", "active")),
    "junk for hidden": ({"metadata": {"is_visually_hidden_from_conversation": "no"}}, ("assistant", "active")),
    "of the system": ({"metadata": {"is_user_system_message": True}}, ("harness", "active")),
    "of a tool": ({"real_author": "tool:web"}, ("tool", "active")),
    "null metadata": ({"metadata": None}, ("assistant", "active")),
    "no recipient": ({"recipient": None}, ("assistant", "active")),
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields(name: str, home: Home, tmp_path: Path) -> None:
    fields, expected = FIELDS[name]
    take(home, export(tmp_path, conversation(*QUESTION, node("a", "u", "assistant", "Yes.", **fields))))
    assert heard(home)[1:] == [("assistant", *expected, "Yes.")]


def test_hidden_on_another_branch_stays_hidden(home: Home, tmp_path: Path) -> None:
    hidden = node("h", "u", "assistant", "?", metadata={"is_visually_hidden_from_conversation": True})
    take(home, export(tmp_path, conversation(*QUESTION, hidden, *NEW)))
    assert gist(home) == ["Tea?", "? (hidden)", "Yes.", "Thanks"]


def test_calls_of_tools(home: Home, tmp_path: Path) -> None:
    code = {"content_type": "code", "language": "python", "text": "print(1)"}
    document = parts({"name": "doc", "type": "document", "content": "hi"}, kind="text")
    talk = conversation(
        *QUESTION,
        node("a", "u", "assistant", code, recipient="python"),
        node("b", "a", "tool", {"content_type": "execution_output", "text": "1"}, name="python"),
        node("c", "b", "tool", parts(IMAGE), name="python"),
        node("d", "c", "assistant", document, recipient="canmore.create_textdoc"),
        node("e", "d", "tool", "made", name="canmore.create_textdoc"),
        node("f", "e", "assistant", "", recipient="bio"),
        node("g", "f", "assistant", "Done."),
        node("h", "g", "tool", "late"),
        node("i", "h", "user", "To you", recipient="python"),
    )
    take(home, export(tmp_path, talk))
    calls = [json.loads(m["tool_calls"])[0] for m in stored(home) if m["tool_calls"]]
    assert [(call["id"], *call["function"].values()) for call in calls] == [
        ("m-a", "python", "print(1)"),
        ("m-d", "canmore.create_textdoc", '{"name":"doc","type":"document","content":"hi"}'),
        ("m-f", "bio", ""),
    ]
    assert [(m["tool_call_id"], m["name"], m["content"]) for m in stored(home) if m["role"] == "tool"] == [
        ("m-a", "python", "1"),
        ("m-a", "python", "[image: file_1]"),
        ("m-d", "canmore.create_textdoc", "made"),
        (None, None, "late"),
    ]
    assert heard(home)[-1] == ("user", "user", "active", "To you")


def test_identities_without_ids_and_with_doubled_ones(tmp_path: Path) -> None:
    nodes = [node(name, above, "user", "same") for name, above in (("a", None), ("b", "a"), ("c", "b"), ("", "c"))]
    for each, identity in zip(nodes, ("x", "x", None, None), strict=True):
        each["message"]["id"] = identity
    _, messages, counts = read(export(tmp_path, conversation(*nodes)))
    *named, last = (message.identity for message in messages)
    assert (named, last.startswith("derived:")) == (["x", "b", "c"], True)
    assert [message.parent for message in messages] == [None, "x", "b", "c"]
    assert counts.kept == 4


def test_times_that_are_numbers_texts_or_none(tmp_path: Path) -> None:
    nodes = [node(str(n), str(n - 1), "user", "x", create_time=time) for n, time in enumerate(TIMES)]
    (found,), messages, _ = read(export(tmp_path, conversation(*nodes, create_time=None, update_time="soon")))
    assert [message.timestamp for message in messages] == list(TIMES.values())
    assert (found.session.created_at, found.session.updated_at) == ("2026-03-01T10:00:00.000000Z", "soon")


TIMES = {
    T0: "2026-03-01T10:00:00.000000Z",
    T0 * 1000 + 250: "2026-03-01T10:00:00.250000Z",
    f"{T0}.5": "2026-03-01T10:00:00.500000Z",
    "2026-03-01T10:00:00Z": "2026-03-01T10:00:00Z",
    None: None,
    0: None,
    1e300: None,
    float("nan"): None,
    "": None,
    True: None,
}

# Conversations that are odd, and the session key and texts that come of each; None where it can't be used.
ODD: dict[str, tuple[Any, tuple[str, list[str]] | None]] = {
    "null": (None, None),
    "no object": ([1], None),
    "no mapping": ({"id": "x", "title": "x"}, None),
    "null mapping": (conversation(*QUESTION, mapping=None), None),
    "null title": (conversation(*QUESTION, title=None), ("chatgpt:c1", ["Tea?"])),
    "null times": (conversation(*QUESTION, create_time=None, update_time=None), ("chatgpt:c1", ["Tea?"])),
    "no conversation_id": (conversation(*QUESTION, conversation_id=None, id="c2"), ("chatgpt:c2", ["Tea?"])),
    "no id at all": (conversation(*QUESTION, conversation_id=None, id=5), ("chatgpt:root", ["Tea?"])),
    "null nodes": (
        conversation(*QUESTION, mapping={"a": None, "b": 5, "c": {"message": 5}, "u": QUESTION[1]}),
        ("chatgpt:c1", ["Tea?"]),
    ),
    "junk links": (
        conversation({**root(), "children": None}, {**QUESTION[1], "parent": {}, "children": [None, 5, "u", "gone"]}),
        ("chatgpt:c1", ["Tea?"]),
    ),
    "null author": (conversation(*QUESTION, node("a", "u", "user", "?", author=None)), ("chatgpt:c1", ["Tea?", "?"])),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_an_odd_conversation_costs_itself_alone(name: str, home: Home, tmp_path: Path) -> None:
    odd, expected = ODD[name]
    good = conversation(*QUESTION, *NEW, conversation_id="good")
    report = take(home, export(tmp_path, odd, good))
    assert [content for *_, content in heard(home, "chatgpt:good")] == ["Tea?", "Yes.", "Thanks"]
    keys = {message["session_key"] for message in stored(home)} - {"chatgpt:good"}
    assert keys == ({expected[0]} if expected else set())
    if expected:
        assert [content for *_, content in heard(home, expected[0])] == expected[1]
    assert report.sources[0]["quarantined"] == (0 if expected or odd is None else 1)


def test_a_broken_conversation_costs_itself_alone(home: Home, tmp_path: Path) -> None:
    good = [json.dumps(conversation(*QUESTION, conversation_id=name)) for name in ("g1", "g2")]
    path = tmp_path / "conversations.json"
    path.write_text(f'[{good[0]},{{"mapping":{{"a":tru}}}},{good[1]}]')
    (source,) = take(home, path).sources
    assert {message["session_key"] for message in stored(home)} == {"chatgpt:g1", "chatgpt:g2"}
    assert (source["sessions"], source["kept"], source["quarantined"]) == (2, 2, 1)


def test_one_conversation_twice_in_a_file_is_one(home: Home, tmp_path: Path) -> None:
    first, second = conversation(*QUESTION, OLD[0]), conversation(*QUESTION, OLD[0], *NEW)
    report = take(home, export(tmp_path, first, second))
    assert gist(home) == ["Tea?", "No." + GONE, "Yes.", "Thanks"]
    assert report.new == 4


def whole(folder: Path) -> Path:
    """An export as it is downloaded."""
    path = folder / "export.zip"
    files = {
        "chat.html": "<html>jsonData = " + json.dumps([TALK]) + "</html>",
        "conversations-000.json": json.dumps([TALK]),
        "conversations-001.json": json.dumps([conversation(*QUESTION, conversation_id="c2")]),
        "user.json": json.dumps({"id": "user-1", "email": "ada@example.org"}),
        "message_feedback.json": json.dumps([{"conversation_id": "c1", "rating": "thumbs_up", "content": "{}"}]),
        "shared_conversations.json": json.dumps([{"id": "s", "conversation_id": "c1", "title": "The mill"}]),
        "group_chats.json": json.dumps({"chats": []}),
        "export_manifest.json": json.dumps({"files": ["conversations-000.json"]}),
        "file-1-cat.png": "\x89PNG",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_the_whole_export(home: Home, tmp_path: Path) -> None:
    path = whole(tmp_path)
    report = take(home, path)
    (source,) = report.sources
    assert (source["format"], source["sessions"], source["messages"], source["quarantined"]) == ("chatgpt", 2, 8, 0)
    assert len(heard(home, "chatgpt:c1")) == 7
    assert gist(home)[-1] == "Tea?"
    assert report.errors == []
    assert report.skipped_files == [
        f"{path}: 7 of its files are no conversations: chat.html, export_manifest.json, file-1-cat.png …"
    ]


def test_nothing_said_is_an_error(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, export(tmp_path, conversation(root())))


PRETTY = json.dumps([conversation(*QUESTION, *OLD)], indent=2)
DEEPSEEK = {"id": "1", "title": "x", "inserted_at": "2026-03-01", "mapping": {
    "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
    "1": {"id": "1", "parent": "root", "children": [], "message": {"model": "x", "fragments": []}}}}  # fmt: skip
SNIFFED: dict[str, tuple[Any, bool]] = {
    "an export": ([TALK], True),
    "a conversation": (TALK, True),
    "wrapped": ({"conversations": [TALK]}, True),
    "behind junk": ([None, {"title": "x"}, TALK], True),
    "an empty conversation": ([conversation(root())], True),
    "printed on many lines": (PRETTY, True),
    "over the sample": ([conversation(*QUESTION, node("l", "u", "user", "x" * 17_000_000))], True),
    "of another service": ([DEEPSEEK], False),
    "of another service, on many lines": (json.dumps([DEEPSEEK], indent=2), False),
    "deeper down": ([{"source": "test.py", "conversation": TALK}], False),
    "deeper down, on many lines": (json.dumps([{"source": "x", "conversation": TALK}], indent=2), False),
    "messages of Claude": ([{"uuid": "1", "name": "x", "chat_messages": [{"sender": "human", "text": "x"}]}], False),
    "mapping of no nodes": ([{"mapping": {"a": 1}, "title": "x"}], False),
    "mapping that is none": ([{"mapping": [], "current_node": "x"}], False),
    "nothing": ([], False),
    "feedback": ([{"conversation_id": "c1", "rating": "thumbs_up"}], False),
    "group chats": ({"chats": []}, False),
    "a number": (5, False),
    "a page": ("<html>" + json.dumps(TALK), False),
}


@pytest.mark.parametrize("name", SNIFFED)
def test_sniff(name: str, tmp_path: Path) -> None:
    held, known = SNIFFED[name]
    path = tmp_path / "x.json"
    path.write_text(held if isinstance(held, str) else json.dumps(held))
    assert chatgpt.sniff(importers.sample(path)) is known
    if known:
        assert importers.choose(path).name == "chatgpt"


def test_every_shape_of_file_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    given = []
    for held in ([TALK], TALK, {"conversations": [TALK]}):
        for indent in (None, 2):
            path.write_text("\ufeff" + json.dumps(held, indent=indent))
            given.append(read(path)[1])
    assert len(given[0]) == 7
    assert all(messages == given[0] for messages in given)


PUBLIC: dict[str, tuple[dict[str, int], tuple[int, int, int]]] = {
    "chatgpt-export-parser/tests__example-conversation.json": (
        {"user/user": 2, "user/user/withdrawn": 1, "assistant/assistant": 2},
        (5, 1, 0),
    ),
    "polylogue/polylogue__schemas__providers__chatgpt__representatives__sample-00.json": (
        {"user/user": 2, "assistant/assistant/withdrawn": 1},
        (3, 0, 0),
    ),
    "polylogue/polylogue__schemas__providers__chatgpt__representatives__sample-01.json": (
        {"user/user": 1, "assistant/assistant": 2, "user/user/withdrawn": 1},
        (4, 0, 0),
    ),
    "polylogue/tests__fixtures__chatgpt__native-conversation-v1.json": (
        {
            "system/harness": 1,
            "user/user": 1,
            "assistant/assistant": 4,
            "assistant/assistant/withdrawn": 1,
            "tool/tool": 1,
        },
        (8, 1, 0),
    ),
    "polylogue/tests__fixtures__origin-capability__chatgpt-export.json": ({"user/user": 1}, (1, 0, 0)),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_export(name: str, home: Home, shared_data: Path) -> None:
    expected, counts = PUBLIC[name]
    (source,) = take(home, shared_data / "transcripts" / name).sources
    assert tally(home) == expected
    assert (source["format"], source["sessions"]) == ("chatgpt", 1)
    assert (source["kept"], source["skipped"], source["quarantined"]) == counts


def test_public_conversations_taken_from_tests(home: Home, shared_data: Path, tmp_path: Path) -> None:
    held = json.loads((shared_data / "transcripts/convoviz/chatgpt_conversations_from_tests.json").read_bytes())
    take(home, export(tmp_path, *(each["conversation"] for each in held)))
    assert heard(home) == [
        ("system", "harness", "withdrawn", "Custom instructions"),
        ("assistant", "assistant", "active", ""),
    ]


def test_public_contents(shared_data: Path, tmp_path: Path) -> None:
    held = json.loads((shared_data / "transcripts/convoviz/chatgpt_content_parts_from_tests.json").read_bytes())
    nodes = [node(str(n), str(n - 1), "user", each["content"]) for n, each in enumerate(held)]
    _, messages, counts = read(export(tmp_path, conversation(*nodes)))
    texts = [message.content for message in messages]
    assert (len(held), len(texts), counts.skipped) == (19, 18, 1)
    assert [text for text in texts if text.startswith("[")] == ["[file: doc]\nhi", "[image: file-123]"]
    assert "Claim 【1†source】." in texts


def test_only_exports_pass_for_exports(shared_data: Path) -> None:
    folder = shared_data / "transcripts"
    claimed = set()
    for path in folder.rglob("*"):
        if path.is_file() and chatgpt.sniff(importers.sample(path)):
            assert importers.choose(path).name == "chatgpt"
            claimed.add(str(path.relative_to(folder)))
    assert claimed == set(PUBLIC)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["\ud83d", "root", "u", "thoughts", "tether_quote", "file_1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["parts", "text", "content_type", "id", "parent"]), inner, max_size=3)
    ),
    max_leaves=6,
)
EVERYTHING = [
    TALK,
    conversation(*QUESTION, *OLD, *NEW, *(node(name, "w", *CONTENTS[name][:2]) for name in CONTENTS)),
    linked(a="b", b="a", e="a"),
]


def places(value: Any) -> Iterable[tuple[Any, Any]]:
    """Every place in a JSON value, as a container and a key."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from places(value[key])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_whatever_an_export_holds_nothing_raises(data: st.DataObject, tmp_path: Path) -> None:
    held = copy.deepcopy(EVERYTHING)
    for _ in range(data.draw(st.integers(1, 6))):
        container, key = data.draw(st.sampled_from(list(places(held))))
        container[key] = data.draw(VALUES)
    path = export(tmp_path, *held)
    chatgpt.sniff(importers.sample(path))
    conversations, messages, counts = read(path)
    assert counts.kept == len(messages)
    for found in conversations:
        assert found.session.key.startswith("chatgpt:")
    named = [message.identity for message in messages]
    assert all(isinstance(name, str) and name for name in named)
