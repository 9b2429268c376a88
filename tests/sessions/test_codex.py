"""Rollouts of OpenAI Codex, one small transcript for each rule."""

from __future__ import annotations

import copy
import itertools
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sessions.rows import check_full_text, dump, stored, take, tally, write
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import discover, importers, store
from workbench.sessions.canonical import read_header
from workbench.sessions.importers import codex
from workbench.sessions.importers.lines import Counts

# UUIDs of version 7: the time they were made is in them.
PARENT = "019a0000-0000-7000-8000-00000000000a"
CHILD = "019b0000-0000-7000-8000-00000000000b"
OLD_TURN, OWN_TURN = "019a0000-0001-7000-8000-000000000001", "019b0000-0001-7000-8000-000000000002"


def line(kind: str, payload: Any, second: int = 0) -> dict[str, Any]:
    """A row of a rollout."""
    return {"timestamp": f"2026-03-01T10:00:{second:02}.000Z", "type": kind, "payload": payload}


def meta(thread: str = PARENT, **fields: Any) -> dict[str, Any]:
    """The first row of a rollout."""
    known = {"id": thread, "cwd": "/home/ada/engine", "originator": "codex_cli_rs", "source": "cli"}
    return line("session_meta", {**known, **fields})


def spoken(role: str, *texts: str, second: int = 1) -> dict[str, Any]:
    """A message as the model saw it."""
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return line("response_item", {"type": "message", "role": role, "content": content}, second)


def shown(role: str, text: str, second: int = 1, **fields: Any) -> dict[str, Any]:
    """A message as the screen showed it."""
    kind = "agent_message" if role == "assistant" else "user_message"
    return line("event_msg", {"type": kind, "message": text, **fields}, second)


def completed(role: str, text: str, block: str = "Text", second: int = 1) -> dict[str, Any]:
    """A message as the newest versions show it."""
    kind = "AgentMessage" if role == "assistant" else "UserMessage"
    item = {"type": kind, "id": "item-1", "content": [{"type": block, "text": text}]}
    return line("event_msg", {"type": "item_completed", "turn_id": "1", "item": item}, second)


def event(kind: str, **fields: Any) -> dict[str, Any]:
    """Another event."""
    return line("event_msg", {"type": kind, **fields})


def item(kind: str, **fields: Any) -> dict[str, Any]:
    """Another item."""
    return line("response_item", {"type": kind, **fields})


def heard(home: Home, key: str | None = None) -> list[tuple[str, str, str, str]]:
    """(role, origin, state, content) of each message."""
    return [tuple(m[name] for name in ("role", "origin", "state", "content")) for m in stored(home, key)]


def gist(home: Home) -> list[str]:
    """What was said, each with its state where it is not active, and its origin where it is not that of its role."""
    notes = []
    for role, origin, state, content in heard(home):
        marks = [*([origin] if origin != role else []), *([state] if state != "active" else [])]
        notes.append(" ".join([content, *(f"({mark})" for mark in marks)]))
    return notes


def identities(home: Home) -> list[str]:
    """The identities of all messages."""
    return [message["identity"] for message in stored(home)]


def rollout(folder: Path, thread: str = PARENT) -> Path:
    """Where Codex would keep a thread."""
    return folder / "sessions/2026/03/01" / f"rollout-2026-03-01T10-00-00-{thread}.jsonl"


SESSION = [
    meta(git={"branch": "main"}, cli_version="0.99.0"),
    event("task_started", turn_id="1"),
    spoken("developer", "<permissions instructions>ask</permissions instructions>"),
    spoken("user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nUse tabs\n</INSTRUCTIONS>"),
    spoken("user", "<environment_context>\n  <cwd>/home/ada/engine</cwd>\n</environment_context>"),
    line("turn_context", {"cwd": "/home/ada/engine", "model": "gpt-5-codex", "turn_id": "1"}),
    spoken("user", "Why does the mill stop?", second=2),
    shown("user", "Why does the mill stop?", second=2),
    event("agent_reasoning", text="**Looking**"),
    item("reasoning", summary=[{"type": "summary_text", "text": "**Looking**"}], content=None, encrypted_content="gAA"),
    item("function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="call_1"),
    item("function_call_output", call_id="call_1", output="mill.py\n"),
    shown("assistant", "A card is bent.", second=5),
    spoken("assistant", "A card is bent.", second=6),
    event("token_count", info={"last_token_usage": {
        "input_tokens": 90, "cached_input_tokens": 40, "output_tokens": 7, "reasoning_output_tokens": 3,
        "total_tokens": 97}}),
    event("task_complete", turn_id="1", last_agent_message="A card is bent."),
]  # fmt: skip


def test_a_conversation(home: Home, tmp_path: Path) -> None:
    report = take(home, write(rollout(tmp_path), SESSION))

    assert heard(home, f"codex:{PARENT}") == [
        ("system", "harness", "active", "<permissions instructions>ask</permissions instructions>"),
        ("user", "harness", "active", SESSION[3]["payload"]["content"][0]["text"]),
        ("user", "harness", "active", SESSION[4]["payload"]["content"][0]["text"]),
        ("user", "user", "active", "Why does the mill stop?"),
        ("assistant", "assistant", "active", ""),
        ("assistant", "assistant", "active", ""),
        ("tool", "tool", "active", "mill.py\n"),
        ("assistant", "assistant", "active", "A card is bent."),
    ]
    *_, question, thought, call, result, answer = stored(home)
    assert thought["thinking"] == "**Looking**"
    assert json.loads(call["tool_calls"]) == [
        {"id": "call_1", "type": "function", "function": {"name": "exec_command", "arguments": '{"cmd":"ls"}'}}
    ]
    assert (result["tool_call_id"], result["name"]) == ("call_1", "exec_command")
    assert [m["timestamp"] for m in (question, answer)] == ["2026-03-01T10:00:02.000Z", "2026-03-01T10:00:05.000Z"]
    (source,) = report.sources
    counted = {key: source[key] for key in ("format", "sessions", "messages", "read", "kept", "skipped", "quarantined")}
    assert counted == {
        "format": "codex", "sessions": 1, "messages": 8, "read": 16, "kept": 10, "skipped": 6, "quarantined": 0
    }  # fmt: skip
    check_full_text(home)


def read(path: Path) -> tuple[importers.Found, list[Any], Counts]:
    """What the importer makes of a file."""
    counts = Counts()
    (found,) = codex.read(path, counts)
    return found, list(found.messages), counts


def test_model_tokens_and_what_the_session_is(tmp_path: Path) -> None:
    named = event("thread_name_updated", thread_name="The mill")
    found, messages, _ = read(write(rollout(tmp_path), [*SESSION, named]))

    assert {message.model for message in messages if message.role == "assistant"} == {"gpt-5-codex"}
    assert {message.model for message in messages if message.role != "assistant"} == {None}
    assert [message.usage for message in messages if message.usage] == [
        {"input": 90, "output": 7, "cache_read": 40, "reasoning": 3}
    ]
    session = found.session
    assert (session.key, session.title, session.project) == (f"codex:{PARENT}", "The mill", "/home/ada/engine")
    assert (session.created_at, session.updated_at) == ("2026-03-01T10:00:00.000Z", "2026-03-01T10:00:06.000Z")
    assert session.metadata == {
        "agent": "codex",
        "model": "gpt-5-codex",
        "originator": "codex_cli_rs",
        "version": "0.99.0",
        "git_branch": "main",
    }


def test_a_count_told_again_is_not_the_next_answers(tmp_path: Path) -> None:
    first, second = ({"last_token_usage": {"output_tokens": n}} for n in (1, 2))
    rows = [
        spoken("assistant", "one"),
        event("token_count", info=first),
        spoken("assistant", "two"),
        event("token_count", info=first),
        event("token_count", info=second),
        event("token_count", info=None),
        event("token_count", info=second),
    ]
    _, messages, _ = read(write(rollout(tmp_path), [meta(), *rows]))
    assert [message.usage for message in messages] == [{"output": 1}, {"output": 2}]


# Ways to tell one question and one answer.
WAYS = {"model": spoken, "screen": shown, "item": completed}


@pytest.mark.parametrize("order", [way for n in (1, 2, 3) for way in itertools.permutations(WAYS, n)])
def test_an_utterance_counts_once_whichever_way_it_is_told_first(
    order: tuple[str, ...], home: Home, tmp_path: Path
) -> None:
    told = [WAYS[way](role, text) for role, text in (("user", "Hello 你好"), ("assistant", "Hi 🙂")) for way in order]
    path = write(rollout(tmp_path), [meta()])
    before: list[str] = []
    for row in told:  # the file grows row by row
        path.write_bytes(path.read_bytes() + dump([row]))
        take(home, path)
        assert identities(home)[: len(before)] == before
        before = identities(home)
    assert heard(home) == [("user", "user", "active", "Hello 你好"), ("assistant", "assistant", "active", "Hi 🙂")]
    assert before == [  # the same in every order
        "3e8fd7cfba78f39990fbbd2ccb60ba58:0",
        "11253789a8b92388d80f3b8f73b721dd:0",
    ]


def test_the_same_said_twice_is_two_messages(home: Home, tmp_path: Path) -> None:
    again = [spoken("user", "go on"), shown("user", "go on"), shown("assistant", "ok"), spoken("assistant", "ok")]
    take(home, write(rollout(tmp_path), [meta(), *again, *again, shown("user", "go on"), spoken("user", "go on")]))
    assert gist(home) == ["go on", "ok", "go on", "ok", "go on"]
    assert len(set(identities(home))) == 5


def test_white_space_between_the_ways_of_telling_does_not_matter(home: Home, tmp_path: Path) -> None:
    rows = [spoken("user", "one", "two"), shown("user", "onetwo"), shown("user", " one\ntwo ")]
    take(home, write(rollout(tmp_path), [meta(), *rows]))
    assert gist(home) == ["one\n\ntwo", " one\ntwo "]


def test_codex_goes_on_in_an_old_folder(home: Home, tmp_path: Path) -> None:
    """A rollout lies where its first day was; what comes later is appended there."""
    path = tmp_path / "cfg/sessions/2024/03/24/rollout-2024-03-24T09-00-00-abc.jsonl"
    moved = tmp_path / "cfg/archived_sessions" / path.name
    write(path, SESSION)
    assert discover.find({"CODEX_HOME": str(tmp_path / "cfg")}, tmp_path) == [discover.Source(path, "codex")]
    take(home, path)
    before = identities(home)

    path.write_bytes(path.read_bytes() + dump([spoken("user", "And now?"), shown("user", "And now?")]))
    report = take(home, path)

    assert (report.new, report.updated, identities(home)[:-1]) == (1, 0, before)
    moved.parent.mkdir()
    path.rename(moved)
    report = take(home, moved)
    assert (report.new, report.updated, len(stored(home))) == (0, 0, 9)
    assert discover.find({}, tmp_path) == []
    assert [found.path for found in discover.find({"CODEX_HOME": str(tmp_path / "cfg")}, tmp_path)] == [moved]


REPLY = [spoken("user", "one"), spoken("assistant", "1"), spoken("user", "two"), spoken("assistant", "2")]
SUMMARY = "Another language model started to solve this problem and produced a summary of it:\nwe counted"


@pytest.mark.parametrize(
    ("compacted", "expected"),
    {
        "nothing is left": ({"message": "we counted"}, [*("one", "1", "two", "2"), "we counted"]),
        "some are left": (
            {"message": "", "replacement_history": [REPLY[2]["payload"], spoken("user", SUMMARY)["payload"]]},
            ["one", "1", "=two", "2", SUMMARY],
        ),
        "all is secret": (
            {"message": None, "replacement_history": [None, {"type": "compaction", "encrypted_content": "gAAA"}]},
            [*("one", "1", "two", "2"), "Conversation compacted"],
        ),
    }.values(),
)
def test_compaction(compacted: dict[str, Any], expected: list[str], home: Home, tmp_path: Path) -> None:
    take(home, write(rollout(tmp_path), [meta(), *REPLY, line("compacted", compacted), spoken("user", "three")]))
    *before, summary = expected
    assert gist(home) == [
        *(text[1:] if text.startswith("=") else f"{text} (compacted)" for text in before),
        f"{summary} (harness)",
        "three",
    ]


def test_a_second_compaction_takes_the_first_summary_too(home: Home, tmp_path: Path) -> None:
    first, second = line("compacted", {"message": "first"}), line("compacted", {"message": "second"})
    take(home, write(rollout(tmp_path), [meta(), spoken("user", "one"), first, spoken("user", "two"), second]))
    assert gist(home) == ["one (compacted)", "first (harness) (compacted)", "two (compacted)", "second (harness)"]


def test_what_was_left_may_go_later(home: Home, tmp_path: Path) -> None:
    searches = [item("web_search_call", action={"query": query}) for query in ("tea", "milk")]
    first = {"message": "first", "replacement_history": [REPLY[2]["payload"], searches[1]["payload"]]}
    rows = [*REPLY, *searches, line("compacted", first), line("compacted", {"message": "second"})]
    states = [[message.state for message in read(write(rollout(tmp_path), [meta(), *rows[:n]]))[1]] for n in (7, 8)]
    assert states == [
        ["compacted", "compacted", "active", "compacted", "compacted", "active", "active"],
        ["compacted"] * 7 + ["active"],
    ]


def test_the_summary_as_an_answer_is_of_the_harness(home: Home, tmp_path: Path) -> None:
    rows = [spoken("user", "one"), spoken("assistant", "we counted"), line("compacted", {"message": SUMMARY})]
    take(home, write(rollout(tmp_path), [meta(), *rows]))
    assert gist(home) == ["one (compacted)", "we counted (harness) (compacted)", f"{SUMMARY} (harness)"]


def test_compaction_while_the_file_grows_changes_states_in_place(home: Home, tmp_path: Path) -> None:
    path = write(rollout(tmp_path), [meta(), *REPLY])
    take(home, path)
    before = identities(home)
    path.write_bytes(path.read_bytes() + dump([line("compacted", {"message": "we counted"})]))
    report = take(home, path)
    assert (report.new, report.updated, identities(home)[:-1]) == (1, 4, before)
    assert {message["state"] for message in stored(home)[:-1]} == {"compacted"}


def back(turns: Any) -> dict[str, Any]:
    """The last turns are taken back."""
    return event("thread_rolled_back", num_turns=turns)


STARTED = event("task_started")
GONE = " (withdrawn)"


@pytest.mark.parametrize(
    ("rows", "expected"),
    {
        "one": ([*REPLY, back(1), spoken("user", "three")], ["one", "1", "two" + GONE, "2" + GONE, "three"]),
        "both": ([*REPLY, back(2)], ["one" + GONE, "1" + GONE, "two" + GONE, "2" + GONE]),
        "one and one": ([*REPLY, back(1), back(1)], ["one" + GONE, "1" + GONE, "two" + GONE, "2" + GONE]),
        "more than there are": ([*REPLY, back(9)], ["one" + GONE, "1" + GONE, "two" + GONE, "2" + GONE]),
        "none": ([*REPLY, back(0), back(-1), back(None), back("1"), back(True)], ["one", "1", "two", "2"]),
        "before anything": ([back(1), *REPLY], ["one", "1", "two", "2"]),
        "the same again": (
            [*REPLY, back(1), REPLY[2], shown("user", "two"), REPLY[3]],
            ["one", "1", "two" + GONE, "2" + GONE, "two", "2"],
        ),
        "what was added while it worked goes with it": (
            [STARTED, REPLY[0], shown("user", "one"), REPLY[1], STARTED, *REPLY[2:], spoken("user", "quick"), back(1)],
            ["one", "1", "two" + GONE, "2" + GONE, "quick" + GONE],
        ),
        "context is no turn": (
            [*REPLY, spoken("user", "<environment_context>x</environment_context>"), back(1)],
            ["one", "1", "two" + GONE, "2" + GONE, "<environment_context>x</environment_context> (harness)" + GONE],
        ),
        "files put back are not the conversation": (
            [*REPLY, event("undo_completed", success=True)],
            ["one", "1", "two", "2"],
        ),
    }.values(),
)
def test_rollback(rows: list[Any], expected: list[str], home: Home, tmp_path: Path) -> None:
    take(home, write(rollout(tmp_path), [meta(), *rows]))
    assert gist(home) == expected


CONTEXTS = {
    "environment": "<environment_context>\nCurrent working directory: /x\n</environment_context>",
    "instructions": "<user_instructions>\nUse tabs\n</user_instructions>",
    "AGENTS.md": "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\n# Rules\nUse <b>tabs</b>\n</INSTRUCTIONS>",
    "aborted": "<turn_aborted>\n  <turn_id>1</turn_id>\n  <reason>interrupted</reason>\n</turn_aborted>",
    "skill": "<skill>\n<name>x</name>\n<path>/x</path>\nDo it\n</skill>",
    "shell": "<user_shell_command>\n<command>ls</command>\n<result>a</result>\n</user_shell_command>",
    "subagent": '<subagent_notification>\n{"status":"done"}\n</subagent_notification>',
    "goal": '<codex_internal_context source="goal">\ngo on\n</codex_internal_context>',
    "hook": '<hook_prompt hook_run_id="1">Run the tests</hook_prompt>',
    "review": "<user_action>\n  <context>review</context>\n</user_action>",
    "summary": SUMMARY,
    "summary wanted": "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.",
    "warning": "Warning: The maximum number of unified exec processes you can keep open is 60.",
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_what_codex_says_in_the_persons_name(name: str, home: Home, tmp_path: Path) -> None:
    text = CONTEXTS[name]
    take(home, write(rollout(tmp_path), [meta(), spoken("user", text), spoken("user", text, "And hello")]))
    assert heard(home) == [
        ("user", "harness", "active", text),
        ("user", "user", "active", f"{text}\n\nAnd hello"),
    ]


def test_context_beside_the_persons_words_is_no_other_utterance(home: Home, tmp_path: Path) -> None:
    rows = [spoken("user", CONTEXTS["environment"], "hello"), shown("user", "hello")]
    take(home, write(rollout(tmp_path), [meta(), *rows]))
    assert gist(home) == [f"{CONTEXTS['environment']}\n\nhello"]


def test_an_event_of_another_kind_is_context(home: Home, tmp_path: Path) -> None:
    rows = [shown("user", "be brief", kind="user_instructions"), shown("user", "hello", kind="plain")]
    take(home, write(rollout(tmp_path), [meta(), *rows]))
    assert gist(home) == ["be brief (harness)", "hello"]


def test_what_the_screen_never_showed_is_not_the_persons(home: Home, tmp_path: Path) -> None:
    """Of a turn in which the person's words are shown, other words in the person's name are put in."""
    rows = [
        spoken("user", "of an older version"),
        spoken("assistant", "yes"),
        STARTED,
        spoken("user", "Plugins you could use: none"),
        spoken("user", "hello"),
        completed("user", "hello", block="text"),
        spoken("assistant", "hi"),
        spoken("user", "Keep going until the goal is reached"),
        spoken("assistant", "going"),
        STARTED,
        spoken("user", "of a version that shows nothing"),
        spoken("assistant", "yes"),
        STARTED,
        shown("user", "last"),
        spoken("user", "not answered yet"),
    ]
    take(home, write(rollout(tmp_path), [meta(), *rows]))
    assert [text for text in gist(home) if "harness" in text] == [
        "Plugins you could use: none (harness)",
        "Keep going until the goal is reached (harness)",
    ]
    assert len(heard(home)) == 11


@pytest.mark.parametrize(
    "rows",
    {
        "shown after the answer began": [
            *(STARTED, shown("user", "a"), spoken("user", "b"), spoken("assistant", "1"), shown("user", "b"))
        ],
        "of a turn that was not answered": [
            *(STARTED, spoken("user", "a"), STARTED, shown("user", "b"), spoken("assistant", "1"))
        ],
    }.values(),
)
def test_what_the_screen_shows_late_or_never_began_to_is_the_persons(
    rows: list[Any], home: Home, tmp_path: Path
) -> None:
    take(home, write(rollout(tmp_path), [meta(), *rows]))
    assert sorted(gist(home)) == ["1", "a", "b"]


IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
CONTENTS: dict[str, tuple[Any, str | None]] = {
    "a string": ("hello", "hello"),
    "capitals": ([{"type": "Text", "text": "hello"}], "hello"),
    "an image": ([IMAGE, {"type": "input_text", "text": "this?"}], "[image]\n\nthis?"),
    "an image alone": ([IMAGE], "[image]"),
    "an image by address": ([{**IMAGE, "image_url": "https://a.example/b/cat.png?size=1"}], "[image: cat.png]"),
    "an image with a name": (
        [
            {"type": "input_text", "text": "<image name=[Image #1]>"},
            IMAGE,
            {"type": "input_text", "text": "</image>"},
            {"type": "input_text", "text": "look at [Image #1]"},
        ],
        "[image: (Image #1)]\n\nlook at [Image #1]",
    ),
    "a file": ([{"type": "input_file", "filename": "a.pdf", "file_data": "AAAA"}], "[file: a.pdf]"),
    "audio": ([{"type": "input_audio", "data": "AAAA"}], "[audio]"),
    "a skill": ([{"type": "skill", "name": "deploy", "path": "/x"}], "[skill: deploy]"),
    "a refusal": ([{"type": "refusal", "refusal": "No."}], "No."),
    "an unknown block with text": ([{"type": "hologram", "text": "boo"}], "boo"),
    "a secret": ([{"type": "encrypted_content", "encrypted_content": "gAAA"}], None),
    "one block": ({"type": "input_text", "text": "hello"}, "hello"),
    "a surrogate": ([{"type": "input_text", "text": "half \ud83d"}], "half \ufffd"),
    "null": (None, None),
    "blank": ([{"type": "input_text", "text": " \n"}], None),
    "junk": ([None, 5, [], {"type": None, "text": {}}, {"type": 5, "text": "kept"}], "kept"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_content(name: str, home: Home, tmp_path: Path) -> None:
    content, expected = CONTENTS[name]
    row = line("response_item", {"type": "message", "role": "user", "content": content})
    take(home, write(rollout(tmp_path), [meta(), row, spoken("assistant", "ok")]))
    assert heard(home)[:-1] == ([("user", "user", "active", expected)] if expected else [])


def test_images_of_events(home: Home, tmp_path: Path) -> None:
    local = {"images": ["data:image/png;base64,AAAA"], "local_images": ["/tmp/a/cat.png", "C:\\x\\dog.png"]}
    echo = spoken("user", "see")
    echo["payload"]["content"].insert(0, IMAGE)
    take(home, write(rollout(tmp_path), [meta(), shown("user", "see", **local), echo]))
    assert gist(home) == ["see\n\n[image]\n\n[image: cat.png]\n\n[image: dog.png]"]


# Items of tools: the call as (id, name, arguments), or the result as (id, name, text).
TOOLS: dict[str, tuple[dict[str, Any], tuple[str | None, str | None, str]]] = {
    "function": (
        {"type": "function_call", "name": "f", "arguments": '{"a":1}', "call_id": "c"},
        ("c", "f", '{"a":1}'),
    ),
    "arguments as an object": (
        {"type": "function_call", "name": "f", "arguments": {"a": "ä"}, "call_id": "c"},
        ("c", "f", '{"a":"ä"}'),
    ),
    "namespace": (
        {"type": "function_call", "name": "f", "namespace": "mcp", "arguments": "{}", "call_id": "c"},
        ("c", "mcp.f", "{}"),
    ),
    "custom": (
        {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch", "call_id": "c"},
        ("c", "apply_patch", "*** Begin Patch"),
    ),
    "shell": (
        {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}},
        ("c", "local_shell", '{"type":"exec","command":["ls"]}'),
    ),
    "search": (
        {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "tea"}},
        ("", "web_search", '{"type":"search","query":"tea"}'),
    ),
    "tool search": (
        {"type": "tool_search_call", "call_id": "c", "arguments": {"q": 1}},
        ("c", "tool_search", '{"q":1}'),
    ),
    "nothing known": ({"type": "function_call"}, ("", "function", "{}")),
    "output": ({"type": "function_call_output", "call_id": "c", "output": "done"}, ("c", None, "done")),
    "output of custom": ({"type": "custom_tool_call_output", "call_id": "c", "output": "done"}, ("c", None, "done")),
    "output in parts": (
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "done"}, IMAGE]},
        ("c", None, "done\n\n[image]"),
    ),
    "output of a failure": (
        {"type": "function_call_output", "call_id": "c", "output": {"content": "failed", "success": False}},
        ("c", None, "failed"),
    ),
    "output as an object": (
        {"type": "mcp_tool_call_output", "call_id": "c", "result": {"Ok": [1]}},
        ("c", "mcp_tool", '{"Ok":[1]}'),
    ),
    "tools found": (
        {"type": "tool_search_output", "call_id": "c", "tools": [{"name": "f"}]},
        ("c", "tool_search", '[{"name":"f"}]'),
    ),
    "no output": ({"type": "function_call_output", "call_id": None, "output": None}, (None, None, "")),
}  # fmt: skip


@pytest.mark.parametrize("name", TOOLS)
def test_tools(name: str, tmp_path: Path) -> None:
    payload, (identity, called, text) = TOOLS[name]
    _, (message,), counts = read(write(rollout(tmp_path), [meta(), line("response_item", payload)]))
    if payload["type"].endswith("_output"):
        assert (message.role, message.origin) == ("tool", "tool")
        assert (message.tool_call_id, message.name, message.content) == (identity, called, text)
    else:
        function = {"name": called, "arguments": text}
        assert (message.role, message.origin, message.content) == ("assistant", "assistant", "")
        assert message.tool_calls == [{"id": identity, "type": "function", "function": function}]
    assert (counts.kept, counts.quarantined) == (2, 0)


def test_calls_with_one_id_are_told_apart(home: Home, tmp_path: Path) -> None:
    pair = [item("function_call", name="f", call_id="c"), item("function_call_output", call_id="c", output="1")]
    take(home, write(rollout(tmp_path), [meta(), *pair, *pair]))
    assert [message["name"] for message in stored(home)] == [None, "f", None, "f"]
    assert len(set(identities(home))) == 4


def test_generated_images_and_what_says_nothing(home: Home, tmp_path: Path) -> None:
    rows = [
        item("image_generation_call", id="ig", status="completed", revised_prompt="a cat", result="AAAA"),
        item("ghost_snapshot", ghost_commit={"id": "abc"}),
        item("compaction", encrypted_content="gAAA"),
        item("reasoning", summary=[], encrypted_content="gAAA"),
        event("exec_command_end", call_id="c", aggregated_output="mill.py"),
        event("turn_aborted", reason="interrupted"),
        event("item_completed", item={"type": "CommandExecution", "id": "c", "command": ["ls"]}),
    ]
    (source,) = take(home, write(rollout(tmp_path), [meta(), *rows])).sources
    assert heard(home) == [("assistant", "assistant", "active", "[image]")]
    assert '"arguments":"a cat"' in stored(home)[0]["tool_calls"]
    assert (source["kept"], source["skipped"], source["quarantined"]) == (2, 6, 0)


def test_thoughts_come_once_and_one_by_one(tmp_path: Path) -> None:
    summary = [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]
    rows = [
        event("agent_reasoning", text="a"),
        item("reasoning", summary=summary, content=[{"type": "reasoning_text", "text": "raw"}]),
        event("agent_reasoning", text="b"),
        event("agent_reasoning_raw_content", text="raw"),
        event("item_completed", item={"type": "Reasoning", "summary_text": ["a", "b"], "raw_content": ["raw", "c"]}),
        event("item_completed", item={"type": "Plan", "id": "p", "text": "1. Look"}),
    ]
    _, messages, _ = read(write(rollout(tmp_path), [meta(), *rows]))
    assert [(message.thinking, message.content) for message in messages] == [
        *((thought, "") for thought in ("a", "b", "raw", "c")),
        (None, "1. Look"),
    ]


OLDEST = [
    {"id": PARENT, "timestamp": "2025-05-07T17:24:21.597Z", "instructions": "Be brief", "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "role": "user", "id": None, "content": [
        {"type": "input_text", "text": "<environment_context>\n<cwd>/home/ada/engine</cwd>\n</environment_context>"}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c"},
    {"record_type": "state"},
    {"type": "function_call_output", "call_id": "c", "output": '{"output":"a","metadata":{"exit_code":0}}'},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
]  # fmt: skip


def test_the_oldest_kind(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "rollout-2025-05-07.jsonl", OLDEST)
    (source,) = take(home, path).sources
    assert heard(home, f"codex:{PARENT}") == [
        ("user", "harness", "active", OLDEST[2]["content"][0]["text"]),
        ("user", "user", "active", "hello"),
        ("assistant", "assistant", "active", ""),
        ("assistant", "assistant", "active", ""),
        ("tool", "tool", "active", '{"output":"a","metadata":{"exit_code":0}}'),
        ("assistant", "assistant", "active", "hi"),
    ]
    assert (source["format"], source["kept"], source["skipped"], source["quarantined"]) == ("codex", 7, 2, 0)
    found, *_ = read(path)
    assert found.session.project == "/home/ada/engine"
    assert found.session.created_at == "2025-05-07T17:24:21.597Z"
    assert found.session.metadata == {"agent": "codex", "git_branch": "main"}


def forked(*own: Any, **fields: Any) -> list[Any]:
    """A thread forked from that of ``SESSION``: all of it is repeated with new times, then it goes on."""
    turn = [event("task_started", turn_id=OWN_TURN), line("turn_context", {"turn_id": OWN_TURN, "model": "m"})]
    fields = {"forked_from_id": PARENT, **fields}
    repeated = [meta(PARENT), event("task_started", turn_id=OLD_TURN), *SESSION[2:]]
    return [meta(CHILD, **fields), *repeated, *(turn if own else []), *own]


NEW = [spoken("user", "Why does the mill stop?"), spoken("assistant", "Anew.")]


@pytest.mark.parametrize("folder", ["sessions/2026/02/28", "archived_sessions"])
def test_what_a_fork_repeats_is_left_to_its_parent(folder: str, home: Home, tmp_path: Path) -> None:
    parent = write(tmp_path / folder / f"rollout-2026-02-28T10-00-00-{PARENT}.jsonl", SESSION)
    child = write(rollout(tmp_path, CHILD), forked(*NEW))
    report = take(home, child, parent)

    assert len(heard(home, f"codex:{PARENT}")) == 8
    assert heard(home, f"codex:{CHILD}") == [
        ("user", "user", "active", "Why does the mill stop?"),
        ("assistant", "assistant", "active", "Anew."),
    ]
    assert [(row["sessions"], row["messages"], row["kept"], row["skipped"]) for row in report.sources] == [
        (1, 2, 6, 15),
        (1, 8, 10, 6),
    ]
    assert read(child)[0].session.metadata["forked_from"] == PARENT

    child.write_bytes(child.read_bytes() + dump([spoken("user", "More")]))
    report = take(home, child, parent)
    assert (report.new, report.updated, len(stored(home))) == (1, 0, 11)


def test_what_a_fork_repeats_is_kept_where_its_parent_is_gone(home: Home, tmp_path: Path) -> None:
    child = write(rollout(tmp_path, CHILD), forked(*NEW))
    take(home, child)
    assert [content for *_, content in heard(home, f"codex:{CHILD}")][3:] == [
        *("Why does the mill stop?", "", "", "mill.py\n", "A card is bent."),
        *("Why does the mill stop?", "Anew."),
    ]
    own = identities(home)[-2:]
    write(rollout(tmp_path), SESSION)
    _, messages, _ = read(child)
    assert [message.identity for message in messages] == own  # they do not depend on what is left out


@pytest.mark.parametrize(
    ("rows", "own"),
    {
        "it says nothing yet": (forked(), []),
        "no turn has an id": ([meta(CHILD), meta(PARENT), *SESSION[6:8], *NEW], ["Why does the mill stop?"] * 2),
        "its own row again": (
            [meta(CHILD), meta(PARENT), *SESSION[6:8], meta(CHILD), *NEW],
            ["Why does the mill stop?"],
        ),
        "no time in its own id": ([meta("x"), *forked(*NEW)[1:]], ["Why does the mill stop?"] * 2),
        "it repeats nothing": ([meta(CHILD, forked_from_id=PARENT), *NEW], ["Why does the mill stop?"]),
    }.values(),
)
def test_where_the_repeated_part_ends(rows: list[Any], own: list[str], tmp_path: Path) -> None:
    write(rollout(tmp_path), SESSION)
    _, messages, _ = read(write(rollout(tmp_path, CHILD), rows))
    assert [message.content for message in messages if message.origin == "user"] == own


def test_the_name_of_the_parent_is_not_the_forks(tmp_path: Path) -> None:
    rows = forked(*NEW)
    rows.insert(5, event("thread_name_updated", thread_name="The mill"))
    assert read(write(rollout(tmp_path, CHILD), rows))[0].session.title is None


SPAWNED = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
DRIVERS: dict[str, tuple[dict[str, Any], list[str], dict[str, Any]]] = {
    "a person": ({"source": "vscode"}, ["user", "assistant", "tool", "harness"], {}),
    "a person elsewhere": ({"source": {"custom": "app"}}, ["user", "assistant", "tool", "harness"], {}),
    "an agent": ({"source": SPAWNED}, ["subagent"] * 3 + ["harness"], {"kind": "subagent", "parent": PARENT}),
    "a review": ({"source": {"subagent": "review"}}, ["subagent"] * 3 + ["harness"], {"kind": "subagent"}),
    "an agent by its thread": (
        {"source": "cli", "thread_source": "subagent", "parent_thread_id": PARENT},
        ["subagent"] * 3 + ["harness"],
        {"kind": "subagent", "parent": PARENT},
    ),
    "a program": ({"source": "exec"}, ["automation", "automation", "tool", "harness"], {"kind": "automation"}),
    "a server": ({"source": "mcp"}, ["automation", "automation", "tool", "harness"], {"kind": "automation"}),
    "itself": (
        {"source": {"internal": "memory_consolidation"}},
        ["automation", "automation", "tool", "harness"],
        {"kind": "automation"},
    ),
    "nobody known": ({"source": ["?"]}, ["user", "assistant", "tool", "harness"], {}),
}


@pytest.mark.parametrize("name", DRIVERS)
def test_who_drives(name: str, tmp_path: Path) -> None:
    fields, origins, expected = DRIVERS[name]
    rows = [
        spoken("user", "Count"),
        spoken("assistant", "1"),
        item("function_call_output", call_id="c", output="2"),
        spoken("user", CONTEXTS["environment"]),
    ]
    found, messages, _ = read(write(rollout(tmp_path), [meta(**fields), *rows]))
    assert [message.origin for message in messages] == origins
    assert {
        key: found.session.metadata.get(key) for key in ("kind", "parent") if key in found.session.metadata
    } == expected


def test_another_agent_is_not_the_person(home: Home, tmp_path: Path) -> None:
    content = [{"type": "input_text", "text": "done"}]
    rows = [
        item("agent_message", author="/root/worker", recipient="/root", content=content),
        line("inter_agent_communication", {"author": "/root/other", "content": "found it"}),
        spoken("user", "thanks"),
    ]
    take(home, write(rollout(tmp_path), [meta(), *rows]))
    assert [(m["origin"], m["name"], m["content"]) for m in stored(home)] == [
        ("subagent", "/root/worker", "done"),
        ("subagent", "/root/other", "found it"),
        ("user", None, "thanks"),
    ]


# What stands between two good rows, and whether it is skipped (or else can't be used).
JUNK: dict[str, tuple[Any, bool]] = {
    "broken": (b"{broken\n", False),
    "a number": (5, False),
    "an array": ([], False),
    "nothing": ({}, False),
    "no payload": ({"type": "response_item"}, False),
    "null payload": (line("event_msg", None), False),
    "a list as payload": (line("response_item", [1]), False),
    "an unknown row": (line("hologram", {"x": 1}), True),
    "an unknown item": (item("hologram", x=1), True),
    "an unknown event": (event("hologram", x=1), True),
    "no type": (line("event_msg", {}), True),
    "no role": (line("response_item", {"type": "message", "content": "x"}), True),
    "no message": (event("user_message"), True),
    "no item": (event("item_completed", item=None), True),
    "junk counts": (event("token_count", info={"last_token_usage": {"input_tokens": "many"}}), True),
    "deep": (item("function_call", name="f", call_id="d", arguments=[[[[[[]]]]]] * 3), None),
}


@pytest.mark.parametrize("name", JUNK)
def test_a_bad_row_costs_itself(name: str, home: Home, tmp_path: Path) -> None:
    row, skipped = JUNK[name]
    (source,) = take(
        home, write(rollout(tmp_path), [meta(), spoken("user", "first"), row, shown("user", "last")])
    ).sources
    assert [content for *_, content in heard(home) if content] == ["first", "last"]
    expected = (4, 0, 0) if skipped is None else (3, 1, 0) if skipped else (3, 0, 1)
    assert (source["kept"], source["skipped"], source["quarantined"]) == expected


def test_times_that_are_numbers_or_none(tmp_path: Path) -> None:
    rows = [{**spoken("user", str(n)), "timestamp": time} for n, time in enumerate(TIMES)]
    found, messages, _ = read(write(rollout(tmp_path), rows))
    assert [message.timestamp for message in messages] == list(TIMES.values())
    assert (found.session.created_at, found.session.updated_at) == (
        "2026-03-01T10:00:00.000000Z",
        "2026-03-01T10:00:00.500000Z",
    )


TIMES = {
    1772359200: "2026-03-01T10:00:00.000000Z",
    1772359200.25: "2026-03-01T10:00:00.250000Z",
    1772359200500: "2026-03-01T10:00:00.500000Z",
    "2026-03-01T11:00:00+01:00": "2026-03-01T11:00:00+01:00",
    "yesterday": "yesterday",
    "": None,
    None: None,
    True: None,
    1e300: None,
    float("nan"): None,
}


@pytest.mark.parametrize(
    ("name", "key"),
    {
        f"rollout-2026-03-01T10-00-00-{CHILD}.jsonl": f"codex:{CHILD}",
        "anything.jsonl": "codex:anything",
    }.items(),
)
def test_a_rollout_without_its_first_row_is_named_by_its_file(name: str, key: str, home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / name, [spoken("user", "hello"), meta("")]))
    assert heard(home, key) == [("user", "user", "active", "hello")]


def test_nothing_said_is_an_error(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, write(rollout(tmp_path), [meta(), event("token_count", info=None)]))


def test_the_canonical_file_says_what_the_session_is(home: Home, tmp_path: Path) -> None:
    take(home, write(rollout(tmp_path), SESSION))
    (entry,) = store.canonical_files(home)
    assert read_header(Path(entry.path))["key"] == f"codex:{PARENT}"


def test_a_long_rollout_is_not_held_in_memory(tmp_path: Path) -> None:
    output = "x" * 100_000
    rows = (item("function_call_output", call_id=f"c{n}", output=output) for n in range(200))
    path = write(rollout(tmp_path), [meta(), *rows])
    tracemalloc.start()
    try:
        (found,) = codex.read(path, Counts())
        assert sum(1 for _ in found.messages) == 200
        assert tracemalloc.get_traced_memory()[1] < path.stat().st_size / 2
    finally:
        tracemalloc.stop()


SNIFFED = {
    "a rollout": (SESSION, True),
    "the oldest kind": (OLDEST, True),
    "a fork": (forked(*NEW), True),
    "behind junk": ([b"{broken\n", 5, *SESSION], True),
    "a header alone": (OLDEST[:1], False),
    "items without a header": (OLDEST[2:], False),
    "rows of another program": ([{"type": "event_msg"}, {"type": "message", "payload": {}}], False),
    "a type that is no text": ([{"type": ["event_msg"], "payload": {}}], False),
}


@pytest.mark.parametrize("name", SNIFFED)
def test_sniff(name: str, tmp_path: Path) -> None:
    rows, known = SNIFFED[name]
    path = write(tmp_path / "x.jsonl", rows)
    assert codex.sniff(importers.sample(path)) is known
    if known:
        assert importers.choose(path).name == "codex"


FOLDERS = ("agentsview", "codex-transcripts", "daaain_newer", "polylogue")
PUBLIC: dict[str, tuple[dict[str, int], tuple[int, int, int]]] = {
    "agentsview/internal__parser__testdata__codex__fc_args_1.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        (3, 0, 0),
    ),
    "agentsview/internal__parser__testdata__codex__fc_args_2.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        (3, 0, 0),
    ),
    "agentsview/internal__parser__testdata__codex__fc_stdin.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        (3, 0, 0),
    ),
    "agentsview/internal__parser__testdata__codex__function_calls.jsonl": (
        {"user/user": 1, "assistant/assistant": 2},
        (4, 0, 0),
    ),
    "agentsview/internal__parser__testdata__codex__standard_session.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        (3, 0, 0),
    ),
    "codex-transcripts/brucehart_session_current.jsonl": (
        {"user/user": 1, "assistant/assistant": 2, "tool/tool": 1},
        (5, 0, 0),
    ),
    "codex-transcripts/prateek_sample_rollout.jsonl": (
        {"user/user": 1, "assistant/assistant": 4, "tool/tool": 1},
        (8, 2, 0),
    ),
    "codex-transcripts/prateek_sample_rollout_known_event_types.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        (3, 2, 0),
    ),
    "codex-transcripts/prateek_sample_rollout_unknown_event.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        (3, 1, 0),
    ),
    "codex-transcripts/prateek_sample_rollout_unknown_response_item.jsonl": ({"user/user": 1}, (2, 1, 0)),
    "daaain_newer/codex_malformed_rollout-66666666.jsonl": ({"user/user": 1}, (2, 0, 1)),
    "polylogue/tests__data__codex_event_stream__functions_exec_multiple.jsonl": (
        {"assistant/assistant": 1, "tool/tool": 1},
        (3, 0, 0),
    ),
    "polylogue/tests__data__codex_event_stream__functions_exec_single.jsonl": (
        {"assistant/assistant": 1, "tool/tool": 1},
        (3, 0, 0),
    ),
    "polylogue/tests__data__codex_event_stream__interleaved_stream.jsonl": (
        {
            "user/user/compacted": 2,
            "assistant/assistant/compacted": 4,
            "tool/tool/compacted": 2,
            "system/harness": 1,
        },
        (12, 1, 0),
    ),
    "polylogue/tests__data__codex_event_stream__text_only_stream.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        (3, 1, 0),
    ),
    "polylogue/tests__data__codex_event_stream__tool_call_stream.jsonl": (
        {"user/user": 1, "assistant/assistant": 2, "tool/tool": 1},
        (5, 1, 0),
    ),
    "polylogue/tests__fixtures__origin-capability__codex-session.jsonl": (
        {"user/user": 1, "assistant/assistant": 1},
        (3, 0, 0),
    ),
}
EMPTY = "codex-transcripts/prateek_sample_rollout_unknown.jsonl"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_rollout(name: str, home: Home, shared_data: Path) -> None:
    expected, counts = PUBLIC[name]
    (source,) = take(home, shared_data / "transcripts" / name).sources
    assert tally(home) == expected
    assert (source["format"], source["sessions"]) == ("codex", 1)
    assert (source["kept"], source["skipped"], source["quarantined"]) == counts


def test_a_public_rollout_that_says_nothing(home: Home, shared_data: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"holds no messages \(2 lines read, 0 of them unusable\)"):
        take(home, shared_data / "transcripts" / EMPTY)


def test_only_rollouts_pass_for_rollouts(shared_data: Path) -> None:
    folder = shared_data / "transcripts"
    claimed = set()
    for path in folder.rglob("*"):
        if path.is_file() and codex.sniff(importers.sample(path)):
            assert importers.choose(path).name == "codex"
            claimed.add(str(path.relative_to(folder)))
    assert claimed == {*PUBLIC, EMPTY}


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["\ud83d", "Text"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id"]), inner, max_size=3)
    ),
    max_leaves=6,
)
EVERYTHING = [
    *forked(*NEW, *REPLY, completed("user", "x"), completed("assistant", "y")),
    line("compacted", {"message": SUMMARY, "replacement_history": [REPLY[0]["payload"]]}),
    back(1),
    *(line("response_item", payload) for payload, _ in TOOLS.values()),
    *OLDEST,
]  # fmt: skip


def places(value: Any) -> Iterable[tuple[Any, Any]]:
    """Every place in a JSON value, as a container and a key."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from places(value[key])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_whatever_a_rollout_holds_nothing_raises(data: st.DataObject, tmp_path: Path) -> None:
    rows = copy.deepcopy(EVERYTHING)
    for _ in range(data.draw(st.integers(1, 6))):
        container, key = data.draw(st.sampled_from(list(places(rows))))
        container[key] = data.draw(VALUES)
    path = write(rollout(tmp_path, CHILD), rows)
    codex.sniff(importers.sample(path))
    _, messages, counts = read(path)
    assert counts.read == len(rows)
    assert len({message.identity for message in messages}) == len(messages)
    assert all(isinstance(message.content, str) for message in messages)
