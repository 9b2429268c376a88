"""What went wrong for people who keep their conversations, part one: words that are lost, changed, or learned though
nobody said them, and the same words from several files. Part two is about files, times, search and many at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.homes import fresh_home
from tests.sessions.rows import KEY, assistant, call, dump, result, said, stored, take, tally, user, write
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import store as ledger
from workbench.ledger.change import Change
from workbench.ledger.gate import check
from workbench.ledger.model import PERSON, Candidate, Kind
from workbench.ledger.write import propose
from workbench.operations import conversations, effects, memories, rulings
from workbench.operations.dream import dream
from workbench.operations.lens import compile_lens
from workbench.operations.recall import for_prompt, recall_memories
from workbench.sessions import canonical, harness, index, search, store
from workbench.sessions.filters import Filter


def facts(home: Home) -> dict[str, str]:
    """What the ledger holds, with its status."""
    return {item.content: item.status for item in memories.list_memories(home, status=None).items}


# Structure seen in words: time ranges, check boxes and colours in a talk are taken for categories and tags.

MEETING = """[00:01:02 - 00:03:10] We keep the second draft.
- [x] todo: ship it
- [ ] call Bob about [[Budget]]
The button is #4285F4, see issue #12; owner:: Ada
---
title: no front matter
---"""


def test_marks_in_a_talk_are_words(home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", [user(MEETING, "u1")]))
    assert said(home) == [("user", "user", MEETING)]
    for words in ("#4285F4", "4285F4", "00:01:02", "[x] todo", "owner:: Ada", "[[Budget]]"):
        assert search.discover(home, words)["count"] == 1, words
    assert dream(home).statements == 0


@pytest.mark.parametrize(
    "text", [MEETING, "[00:00:01 - 00:00:09] Hi.\n[00:00:09 - 00:00:20] Ho.\n", "- [x] a\n- [ ] b\n"]
)
def test_notes_of_a_meeting_are_no_chat(text: str, home: Home, tmp_path: Path) -> None:
    path = tmp_path / "meeting.md"
    path.write_text(text)
    with pytest.raises(WorkbenchError, match=r"meeting\.md is not a transcript"):
        take(home, path)


# Words rewritten on the way: corrected spelling, "repaired" encodings, normalised or trimmed text.

VERBATIM = [
    "teh quick brwon fox, definately",
    "  leading and trailing \n\n",
    "a\r\nb\rc\td\x0be",
    "cafe\u0301 and caf\u00e9, ﬁne ｗｉｄｅ",
    "â†' CafÃ© â€œquotedâ€\x9d",
    "👩‍💻 👍🏽 🏳️‍🌈 \U0001f1f5\U0001f1f9",
    "zero\u200bwidth \u202eoverride\u202c \ufeffmark \u2028line",
    "“curly” — dash … ﷺ",
    "\\u00e9 &amp; %20 \\n",
]


@pytest.mark.parametrize("text", VERBATIM)
def test_words_stay_as_they_were_said(text: str, home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", [user(text, "u1"), assistant(text, "a1", "u1")]))
    index.rebuild(home)
    assert [content for _, _, content in said(home)] == [text, text]
    assert [row["content"] for _, _, row in canonical.read_messages(store.path_of(home, KEY)) if row] == [text, text]
    assert [message.content for message in conversations.show(home, KEY).messages] == [text, text]


# Secrets masked too eagerly: code that names a key, and talk about keys, must stay readable.


def test_talk_of_keys_is_shown_whole(home: Home, tmp_path: Path) -> None:
    text = (
        'Set apiKey: import.meta.env.VITE_API_KEY and warn "No Firebase API key". token = os.environ["TOKEN"];'
        " see commit 3f785c9d2b1a4e6f8091a2b3c4d5e6f708192a3b of 5e551071-0000-4000-8000-000000000001"
    )
    take(home, write(tmp_path / "s.jsonl", [user(text, "u1")]))
    assert conversations.show(home, KEY).messages[0].content == text


# Half of a conversation lost: kinds of rows and of blocks that a parser did not expect, a file it did not know.


def test_nothing_of_a_mixed_file_is_lost(home: Home, tmp_path: Path) -> None:
    """Rows typed user and human, block types in capitals, calls with their results, a row without an id."""
    bare = {"type": "human", "message": {"content": "without an id"}, "timestamp": "2026-03-01T10:00:00Z"}
    rows = [
        user("first", "u1"),
        {**user([{"type": "Text", "text": "second"}], "u2", "u1"), "type": "human"},
        {**assistant("third", "a3", "u2"), "requestId": None},
        call("Bash", "a4", "a3"),
        result("a4", [{"type": "TEXT", "text": "output of the tool"}], "r4", "a4"),
        {**bare, "sessionId": KEY.partition(":")[2]},
    ]
    (source,) = take(home, write(tmp_path / "s.jsonl", rows)).sources
    assert (source["read"], source["kept"], source["skipped"], source["quarantined"]) == (6, 6, 0, 0)
    assert tally(home) == {"user/user": 3, "assistant/assistant": 2, "tool/tool": 1}
    assert "output of the tool" in [content for _, _, content in said(home)]
    assert search.discover(home, "output", wanted=Filter(roles=("tool",)))["count"] == 1


@pytest.mark.parametrize("content", [[{"foo": 1}], [{"chat_messages": None}], {"conversations": "none"}, ["a", "b"]])
def test_an_export_of_another_form_is_refused_aloud(content: Any, home: Home, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(content))
    with pytest.raises(WorkbenchError, match=r"conversations\.json"):
        take(home, path)
    assert stored(home) == []


# Noise in the person's name that becomes their memory: notifications, reminders, summaries, and above all what a memory
# itself had put into the prompt, which then comes back as something new to learn.

FACTS = "I prefer tabs over spaces. I live in Porto. Remember: never use eval."
NOISE = {
    "a notification": f"<task-notification>\n<task-id>b1</task-id>\n<summary>{FACTS}</summary>\n</task-notification>",
    "a notification and its hint": f"<task-notification>{FACTS}</task-notification>\nRead the output file: /tmp/x",
    "a reminder": f"<system-reminder>\n{FACTS}\n</system-reminder>",
    "a summary": "This session is being continued from a previous conversation that ran out of context."
    f" The conversation is summarized below:\nAnalysis:\n{FACTS}",
    "memory of another program": f"<supermemory-context>\n{FACTS}\n</supermemory-context>",
    "what is private": f"<private>{FACTS}</private>",
}  # fmt: skip

AT = "2026-03-24T10:00:00Z"
Written = tuple[str, bytes]


def of_claude_code(texts: list[str]) -> Written:
    return "s.jsonl", dump([user(text, f"u{n}", f"u{n - 1}" if n else None) for n, text in enumerate(texts)])


def of_codex(texts: list[str]) -> Written:
    rows: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "c", "cwd": "/x", "timestamp": AT}}]
    for text in texts:
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        rows.append({"type": "response_item", "payload": item})
        rows.append({"type": "event_msg", "payload": {"type": "user_message", "message": text, "kind": "plain"}})
    return "rollout-2026-03-24T10-00-00-c.jsonl", dump({"timestamp": AT, **row} for row in rows)


def of_chatgpt(texts: list[str]) -> Written:
    nodes = {
        f"n{n}": {
            "parent": f"n{n - 1}" if n else None,
            "children": [f"n{n + 1}"] if n + 1 < len(texts) else [],
            "message": {"id": f"m{n}", "author": {"role": "user"}, "content": {"parts": [text]}},
        }
        for n, text in enumerate(texts)
    }
    talk = {"title": None, "conversation_id": "c", "current_node": f"n{len(texts) - 1}", "mapping": nodes}
    return "conversations.json", json.dumps([talk]).encode()


def of_claude_ai(texts: list[str]) -> Written:
    said = [{"uuid": f"m{n}", "sender": "human", "text": text, "created_at": AT} for n, text in enumerate(texts)]
    return "conversations.json", json.dumps([{"uuid": "c", "name": None, "chat_messages": said}]).encode()


def of_gemini(texts: list[str]) -> Written:
    said = [{"id": f"m{n}", "type": "user", "timestamp": AT, "content": text} for n, text in enumerate(texts)]
    told = {"sessionId": "g", "projectHash": "x", "startTime": AT, "lastUpdated": AT, "messages": said}
    return "session-1.json", json.dumps(told).encode()


def of_openclaw(texts: list[str]) -> Written:
    rows: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "o", "timestamp": AT, "cwd": "/x"}]
    for n, text in enumerate(texts):
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        parent = f"m{n - 1}" if n else None
        rows.append({"type": "message", "id": f"m{n}", "parentId": parent, "timestamp": AT, "message": message})
    return "o.jsonl", dump(rows)


def of_flowly(texts: list[str]) -> Written:
    head = {"_type": "metadata", "key": "cli:f", "created_at": AT, "updated_at": AT, "metadata": {}}
    return "cli_f.jsonl", dump([head, *({"role": "user", "content": text, "timestamp": AT} for text in texts)])


def of_cursor(texts: list[str]) -> Written:
    rows = [{"role": "user", "message": {"content": [{"type": "text", "text": text}]}} for text in texts]
    return "agent-transcripts/c.jsonl", dump(rows)


def of_messages(texts: list[str]) -> Written:
    return "log.jsonl", dump({"role": role, "content": text} for text in texts for role in ("user", "assistant"))


def of_text(texts: list[str]) -> Written:
    return "chat.md", "".join(f"**You:** {text}\n\n**ChatGPT:** Fine.\n\n" for text in texts).encode()


def of_specstory(texts: list[str]) -> Written:
    turns = "".join(f"_**User**_\n\n{text}\n\n---\n\n_**Assistant**_\n\nFine.\n\n---\n\n" for text in texts)
    return "2026-03-24_10-00-00Z-x.md", f"<!-- Generated by SpecStory -->\n\n# x\n\n{turns}".encode()


def of_aider(texts: list[str]) -> Written:
    turns = "".join("".join(f"#### {line}\n" for line in text.split("\n")) + "\nFine.\n\n" for text in texts)
    return ".aider.chat.history.md", f"\n# aider chat started at 2026-03-24 10:00:00\n\n{turns}".encode()


WRITERS: list[Callable[[list[str]], Written]] = [
    of_claude_code, of_codex, of_chatgpt, of_claude_ai, of_gemini, of_openclaw, of_flowly, of_cursor, of_messages,
    of_text, of_specstory, of_aider,
]  # fmt: skip


@pytest.fixture
def remembered(tmp_path: Path) -> Home:
    """A home that knows things in the person's own words."""
    home = fresh_home(tmp_path / "remembered")
    for content in ("I live in Porto.", "I prefer tabs over spaces.", "Never use eval."):
        candidate = check(Candidate(content, kind=Kind.FACT, explicit=True, confidence=0.9))
        with ledger.writing(home) as connection:
            propose(Change(connection, PERSON), candidate)
    effects.drain(home)
    return home


def told_by(home: Home) -> dict[str, str]:
    """What agents are told of this home's memory, by the way they are told."""
    return {
        "recall": for_prompt(recall_memories(home, PERSON, "live Porto prefer tabs spaces eval")),
        "notes": home.memory_md.read_text(),
        "lens": compile_lens(home, PERSON).payload,
    }


@pytest.mark.parametrize("writer", WRITERS)
def test_noise_of_a_harness_is_never_learned(
    writer: Callable[[list[str]], Written], home: Home, tmp_path: Path
) -> None:
    """In no format; what the person says between it is."""
    name, data = writer([*NOISE.values(), "My name is Zoe."])
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    take(home, path)
    dream(home)
    assert facts(home) == {"Name is Zoe.": "active"}


@pytest.mark.parametrize("way", ["recall", "notes", "lens"])
def test_what_we_told_an_agent_is_never_learned_again(way: str, home: Home, remembered: Home, tmp_path: Path) -> None:
    """Whether a hook put it into the prompt as it is, or between the person's words, or the agent repeats it."""
    told = told_by(remembered)[way]
    assert "I live in Porto." in told
    wrapped = f"Here is what you know of me:\n\n{told}\n\nGo on from there."
    rows = [
        user(told, "u1"),
        user(wrapped, "u2", "u1"),
        assistant(told, "a3", "u2"),
        user("My name is Zoe.", "u4", "a3"),
    ]
    take(home, write(tmp_path / "s.jsonl", rows))
    dream(home)
    assert facts(home) == {"Name is Zoe.": "active"}


@pytest.mark.parametrize("way", ["recall", "notes"])
@pytest.mark.parametrize("cut", ["its end", "its beginning"])
def test_a_block_of_ours_that_was_cut_is_known_all_the_same(way: str, cut: str, remembered: Home) -> None:
    """Harnesses shorten what is long."""
    first, *lines, last = told_by(remembered)[way].strip().split("\n")
    text = "\n".join([first, *lines] if cut == "its end" else [*lines, last])
    assert harness.spoken(text) == ""


# The same words from several files: a resumed, forked or backgrounded session copies what was said before it under a
# name of its own; a subagent's file replays the talk it came from; each is counted, learned and believed again.

TALK = [user("I prefer tabs over spaces.", "u1"), assistant("Noted.", "a1", "u1")]


def copied(rows: list[dict[str, Any]], session: str) -> list[dict[str, Any]]:
    return [{**row, "sessionId": session} for row in rows]


@pytest.mark.parametrize("together", [True, False])
def test_a_resumed_session_does_not_say_it_twice(together: bool, home: Home, tmp_path: Path) -> None:
    first = write(tmp_path / "1.jsonl", TALK)
    again = write(tmp_path / "2.jsonl", [*copied(TALK, "resumed"), user("My name is Zoe.", "u2", sessionId="resumed")])
    for paths in [[first, again]] if together else [[first], [again]]:
        take(home, *paths)
        dream(home)
    found = memories.list_memories(home).items
    assert {item.content: item.seen_count for item in found} == {"Prefers tabs over spaces.": 1, "Name is Zoe.": 1}
    assert {item.trust for item in found} == {0.85}


def test_an_old_talk_copied_later_turns_nothing_back(home: Home, tmp_path: Path) -> None:
    old = [user("I live in Berlin.", "u1", timestamp="2026-03-01T10:00:00Z"), user("I like tea.", "u2", "u1")]
    new = [user("I live in Munich.", "u9", timestamp="2026-03-05T10:00:00Z", sessionId="later")]
    take(home, write(tmp_path / "1.jsonl", old), write(tmp_path / "2.jsonl", new))
    dream(home)
    (tea,) = [item for item in memories.list_memories(home).items if "tea" in item.content]
    rulings.reject(home, PERSON, tea.id)
    before = facts(home)
    assert (before["Lives in Munich."], before["Lives in Berlin."], before[tea.content]) == (
        "active", "superseded", "rejected",
    )  # fmt: skip
    take(home, write(tmp_path / "3.jsonl", copied(old, "resumed")))
    dream(home)
    assert facts(home) == before


@pytest.mark.parametrize("main_first", [True, False])
def test_what_a_subagent_replays_stays_the_persons(main_first: bool, home: Home, tmp_path: Path) -> None:
    """Whichever file is read first, and whether the replay keeps the names of its rows or not."""
    aside = {"isSidechain": True, "agentId": "x"}
    replay = [{**row, **aside} for row in TALK]
    renamed = [{**row, "uuid": f"x{row['uuid']}", "parentUuid": None} for row in replay]
    main = write(tmp_path / "s.jsonl", TALK)
    side = write(tmp_path / "s" / "subagents" / "agent-x.jsonl", [*replay, *renamed, user("Explore.", "g1", **aside)])
    take(home, *([main, side] if main_first else [side, main]))
    assert tally(home) == {"user/user": 1, "assistant/assistant": 1, "user/subagent": 2, "assistant/subagent": 1}
    dream(home)
    assert facts(home) == {"Prefers tabs over spaces.": "active"}


# Tokens counted several times: an answer is written once for each state of its stream, and once for each block; the id
# of the request may be missing. The last row of a message says what it cost.

REQUESTS: list[dict[str, Any]] = [{}, {"requestId": None}, {"requestId": "r1"}]


def streamed(request: dict[str, Any]) -> list[dict[str, Any]]:
    def part(block: dict[str, Any], uuid: str, parent: str, output: int, name: str = "msg_1") -> dict[str, Any]:
        message = {"id": name, "model": "claude-opus-4-5", "usage": {"input_tokens": 10, "output_tokens": output}}
        row = assistant("", uuid, parent, message=message, **request)
        return {**row, "message": {**row["message"], "content": [block]}}

    return [
        user("q", "u1"),
        part({"type": "text", "text": "I"}, "a1", "u1", 1),
        part({"type": "text", "text": "I look."}, "a2", "u1", 40),
        part({"type": "tool_use", "id": "t1", "name": "Read", "input": {}}, "a3", "a2", 90),
        part({"type": "text", "text": "Done."}, "a4", "a3", 7, "msg_2"),
    ]


@pytest.mark.parametrize("request_id", REQUESTS)
def test_an_answer_is_kept_once(request_id: dict[str, Any], home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", streamed(request_id)))
    assert [(row["identity"], row["content"]) for row in stored(home)] == [
        ("u1", "q"), ("a2", "I look."), ("a3", ""), ("a4", "Done."),
    ]  # fmt: skip


@pytest.mark.parametrize("request_id", REQUESTS)
def test_tokens_of_an_answer_count_once(request_id: dict[str, Any], home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", streamed(request_id)))
    counted = [row.get("usage", {}) for _, _, row in canonical.read_messages(store.path_of(home, KEY)) if row]
    assert (sum(row.get("output", 0) for row in counted), sum(row.get("input", 0) for row in counted)) == (97, 20)


def test_the_model_of_an_answer_is_known(home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", streamed({})))
    assert search.discover(home, "look", wanted=Filter(model="opus"))["count"] == 1
    assert search.discover(home, "look", wanted=Filter(model="haiku"))["count"] == 0


def test_two_gateways_may_number_their_messages_alike(home: Home, tmp_path: Path) -> None:
    """The same id of a message in two conversations is two messages."""
    for name, text in (("telegram", "tea"), ("discord", "coffee")):
        write(tmp_path / f"{name}.jsonl", [of_openclaw([text])[1].replace(b'"id": "o"', f'"id": "{name}"'.encode())])
    take(home, tmp_path / "telegram.jsonl", tmp_path / "discord.jsonl")
    assert [(row["session_key"], row["identity"], row["content"]) for row in stored(home)] == [
        ("openclaw:discord", "m0", "coffee"),
        ("openclaw:telegram", "m0", "tea"),
    ]
