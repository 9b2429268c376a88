"""Finding conversations again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.rows import KEY, assistant, call, result, stored, take, user, write
from workbench import fts
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.sessions import browse, index, ranking, search, spoken, store
from workbench.sessions.filters import Filter
from workbench.sessions.model import Message, Session, State

TALK = [
    user("How do I deploy the engine with docker?", "u1", timestamp="2026-03-01T10:00:00Z"),
    assistant("Use docker compose up.", "a1", "u1"),
    user("What about kubernetes?", "u2", "a1"),
    assistant("Use kubectl apply.", "a2", "u2"),
    call("Bash", "a3", "a2"),
    result("a3", "docker: command not found", "r3", "a3"),
    user("<system-reminder>docker docker docker</system-reminder>", "h1", "r3"),
    user("Thanks, docker it is", "u4", "h1", timestamp="2026-03-01T11:00:00Z"),
]


@pytest.fixture
def filled(home: Home, tmp_path: Path) -> Home:
    other = [user(f"docker number {number}", f"o{number}", sessionId="other", cwd="/other") for number in range(9)]
    old = [user("x", "w1"), user("docker taken back", "w2", "w1"), user("y", "w3", "w1")]
    old = [{**row, "sessionId": "withdrawn"} for row in old]
    paths = (write(tmp_path / f"{name}.jsonl", rows) for name, rows in (("a", TALK), ("b", other), ("c", old)))
    take(home, *paths)
    return home


def test_discover(filled: Home) -> None:
    found = search.discover(filled, "kubernetes?", current=KEY)
    assert (found["mode"], found["query"], found["count"]) == ("discover", "kubernetes?", 1)
    assert found["next_action"]
    (hit,) = found["results"]
    assert set(hit) == {
        "session_key", "anchor_id", "date", "role", "snippet", "context", "messages_in_session", "current_session",
        "state", "event_id", "bookend_start", "bookend_end", "score", "words", "cosine", "source",
        "title", "project", "file", "line",
    }  # fmt: skip
    assert (hit["session_key"], hit["role"], hit["event_id"], hit["state"]) == (KEY, "user", "u2", "active")
    assert (hit["snippet"], hit["messages_in_session"]) == ("What about >>>kubernetes<<<?", 8)
    assert hit["current_session"] is True
    assert [item["event_id"] for item in hit["context"]] == ["u1", "a1", "u2", "a2", "u4"]
    assert [item["event_id"] for item in hit["bookend_start"]] == ["u1", "a1", "u2"]
    assert [item["event_id"] for item in hit["bookend_end"]] == ["u2", "a2", "u4"]
    assert set(hit["context"][0]) == {"id", "event_id", "role", "content", "timestamp"}


def test_one_result_a_conversation_and_nothing_hidden(filled: Home) -> None:
    hits = search.discover(filled, "docker", limit=5)["results"]
    assert sorted(hit["session_key"] for hit in hits) == [KEY, "claude-code:other"]
    assert search.discover(filled, "docker", limit=1)["count"] == 1
    assert search.discover(filled, "taken back")["count"] == 0
    assert search.discover(filled, "command not found")["count"] == 0
    (hit,) = search.discover(filled, "command not found", wanted=Filter(roles=("tool",)))["results"]
    assert hit["role"] == "tool"


@pytest.mark.parametrize("query", ["", "???", "🎉", "zebra", '"', "NEAR(", "x" * 1_000_000, "\x00", "\ud800"])
def test_any_query_is_answered(query: str, filled: Home) -> None:
    assert search.discover(filled, query)["results"] == []


def test_long_messages_are_cut_in_context(home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", [user("zebra " + "word " * 500, "u1")]))
    (hit,) = search.discover(home, "zebra")["results"]
    assert len(hit["context"][0]["content"]) == 300
    assert hit["snippet"].startswith(">>>zebra<<< word word") and hit["snippet"].endswith("word…")
    assert len(hit["snippet"]) <= 247


def test_a_large_store_is_narrowed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the common words' rows over the limit, a rare word decides what is ranked; the result is the same."""
    for session in range(3):
        messages = [Message(f"m{n}", "user", "user", f"common text {n}") for n in range(40)]
        messages.append(Message("rare", "user", "user", f"common zebra{session} text"))
        store.merge(home, Session(f"x:{session}"), messages)
    index.sync(home)
    whole = search.discover(home, "common zebra1")
    assert whole["results"][0]["session_key"] == "x:1"
    monkeypatch.setattr(fts, "LARGE_STORE", 10)
    monkeypatch.setattr(ranking, "MOST_RANKED", 20)
    narrowed = search.discover(home, "common zebra1")
    assert narrowed["results"][0] == whole["results"][0]
    assert narrowed["count"] == 1
    assert search.discover(home, "common")["count"] == 3


def test_list(filled: Home) -> None:
    listed = browse.list_sessions(filled, limit=2)
    assert (listed["mode"], listed["count"], listed["total"]) == ("browse", 2, 3)
    first = listed["results"][0]
    assert (first["session_key"], first["last_active"], first["messages"]) == (KEY, "2026-03-01T11:00:00Z", 8)
    assert first["preview"] == "How do I deploy the engine with docker?"
    assert first["project"] == "/home/ada/engine"
    assert len(browse.list_sessions(filled, limit=2, offset=2)["results"]) == 1
    only = browse.list_sessions(filled, wanted=Filter(project="/other"))["results"]
    assert [row["session_key"] for row in only] == ["claude-code:other"]


def test_show(filled: Home) -> None:
    shown = browse.show(filled, KEY, limit=3, offset=1)
    assert [message["event_id"] for message in shown["messages"]] == ["a1", "u2", "a2"]
    assert shown["session"]["key"] == KEY and "file_name" not in shown["session"]
    assert browse.show(filled, "claude-code:oth")["session"]["key"] == "claude-code:other"
    assert browse.show(filled, "oth")["session"]["key"] == "claude-code:other"


@pytest.mark.parametrize(
    ("key", "words"),
    [("nope", "there is no"), ("claude-code:", "fits several"), ("", "there is no"), ("%", "there is no")],
)
def test_show_what_is_not_there(key: str, words: str, filled: Home) -> None:
    with pytest.raises(WorkbenchError, match=words):
        browse.show(filled, key)


def test_of_keys_that_begin_alike_the_whole_one_is_meant(home: Home) -> None:
    for key in ("codex:grow-1", "codex:grow-10", "tg:CaseKey", "tg:casekey", "tg:a:Other", "tg:a_b", "tg:axb"):
        store.merge(home, Session(key), [Message("1", "user", "user", key)])
    index.sync(home)
    named = {
        "grow-1": "codex:grow-1",
        "GROW-1": "codex:grow-1",
        "codex:grow-1": "codex:grow-1",
        "grow-10": "codex:grow-10",
        "casekey": "tg:casekey",
        "CaseKey": "tg:CaseKey",
        "Case": "tg:CaseKey",
        "tg:cas": "tg:casekey",
        "oth": "tg:a:Other",
        "a_": "tg:a_b",
    }
    assert {name: browse.key_of(home, name) for name in named} == named
    for several in ("CASEKEY", "grow", "tg:"):
        with pytest.raises(WorkbenchError, match="fits several conversations, among them"):
            browse.key_of(home, several)


def test_scroll(filled: Home) -> None:
    middle = stored(filled, KEY)[3]["id"]
    seen = browse.scroll(filled, KEY, middle, window=2)
    assert [message["event_id"] for message in seen["messages"]] == ["a1", "u2", "a2", "a3", "r3"]
    assert [message.get("anchor", False) for message in seen["messages"]] == [False, False, True, False, False]
    assert (seen["messages_before"], seen["messages_after"], seen["window"]) == (1, 2, 2)
    assert browse.scroll(filled, KEY, middle, window=99)["window"] == 20
    with pytest.raises(NotFound, match=f"there is no message '5' in {KEY}; `workbench sessions show {KEY}` shows"):
        browse.scroll(filled, KEY, 5)


def test_new_messages(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what the person and the assistant said and did not take back, in the order it was indexed; page by page."""
    everything = list(spoken.new_messages(filled, set()))
    assert {row.role for row in everything} == {"user", "assistant"}
    texts = [row.content for row in everything]
    assert "docker taken back" not in texts and not any("system-reminder" in text for text in texts)
    assert len(texts) == 5 + 9 + 2
    assert everything[0].project == "/home/ada/engine"
    known = {row.id for row in everything[3:]}
    monkeypatch.setattr(spoken, "_PAGE", 2)
    assert list(spoken.new_messages(filled, known)) == everything[:3]


def test_what_is_learned_from_by_origin_and_state(home: Home) -> None:
    """A compacted message was said all the same; what was taken back or hidden, and automations, are left out."""
    store.merge(home, Session("cron:x"), [Message("1", "user", "automation", "run the report")])
    states: tuple[State, ...] = ("active", "compacted", "withdrawn", "hidden")
    store.merge(home, Session("cli:x"), [Message(state, "user", "user", state, state=state) for state in states])
    index.sync(home)
    assert [row.content for row in spoken.new_messages(home, set())] == ["active", "compacted"]
    assert spoken.count_new(home, set()) == 2


def test_status(filled: Home) -> None:
    status = browse.status(filled)
    assert status["sessions"] == 3 and status["messages"] == 20 and status["sources"] == 3
    assert status["by_origin"] == {"user": 15, "assistant": 3, "tool": 1, "harness": 1}
    assert (status["quarantined"], status["failed_sources"], status["backlog"]) == (0, 0, 0)
