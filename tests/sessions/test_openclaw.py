"""OpenClaw and pi: trees of entries, compactions, and turns that no person began."""

from __future__ import annotations

import copy
import json
import sqlite3
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sessions.rows import check_full_text, dump, stored, write
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import archives, discover, importers
from workbench.sessions.discover import Source
from workbench.sessions.importers import openclaw
from workbench.sessions.importers.lines import Counts
from workbench.sessions.ingest import ingest
from workbench.sessions.report import IngestReport

SESSION = "0c5b6f6e-1111-4000-8000-000000000001"
KEY = f"openclaw:{SESSION}"
HEADER = {
    "type": "session",
    "version": 3,
    "id": SESSION,
    "timestamp": "2026-03-01T09:00:00.000Z",
    "cwd": "/home/ada/engine",
}
TIME = "2026-03-01T10:00:00.000Z"
Told = list[tuple[str, str, str, str]]


def entry(kind: str, name: str | None, parent: str | None, /, **fields: Any) -> dict[str, Any]:
    """An entry as the second and third versions write it."""
    ids = {"id": name, "parentId": parent} if name else {}
    return {"type": kind, **ids, "timestamp": TIME, **fields}


def message(role: str, content: Any, name: str | None, parent: str | None, /, **fields: Any) -> dict[str, Any]:
    """An entry with a message; ``fields`` are the message's."""
    return entry("message", name, parent, message={"role": role, "content": content, "timestamp": 1, **fields})


def user(text: Any, name: str | None, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    """Something the person wrote."""
    return message("user", text, name, parent, **fields)


def assistant(text: str, name: str | None, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    """An answer of one text block."""
    return message("assistant", [{"type": "text", "text": text}], name, parent, **fields)


def take(home: Home, *paths: Path) -> IngestReport:
    """Ingest files that are known to be of this format by their place."""
    return ingest(home, [Source(path, "openclaw") for path in paths])


def told(home: Home, key: str | None = None) -> Told:
    """(role, origin, state, content) of each message."""
    return [(m["role"], m["origin"], m["state"], m["content"]) for m in stored(home, key)]


def run(home: Home, tmp_path: Path, *rows: Any, name: str = f"{SESSION}.jsonl") -> Told:
    """What a session of these entries tells."""
    take(home, write(tmp_path / name, [HEADER, *rows]))
    return told(home)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8) | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def spoilt(draw: st.DrawFn, value: Any) -> Any:
    """``value`` with junk in place of a few things in it."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 4))):
        where = value
        while True:
            inside = list(where) if isinstance(where, dict) else list(range(len(where)))
            if not inside:
                break
            place = draw(st.sampled_from(inside))
            if not isinstance(where[place], dict | list) or draw(st.integers(0, 3)) == 0:
                where[place] = draw(JUNK)
                break
            where = where[place]
    return value


def consume(read: Any, file: Path) -> Counts:
    """Read everything in a file: identities come once in a session, and every row is counted."""
    counts = Counts()
    for found in read(file, counts):
        assert found.session.key.strip()
        identities = [message.identity for message in found.messages]
        assert "" not in identities
        assert len(identities) == len(set(identities))
    return counts


CALL = {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "notes.md"}}
USAGE = {"input": 12, "output": 30, "cacheRead": 400, "cacheWrite": 0, "totalTokens": 442, "cost": {"total": 0.1}}
CONVERSATION = [
    user("Which notes are open?", "a1"),
    entry("model_change", "m1", "a1", provider="anthropic", modelId="claude-sonnet-4-5"),
    message(
        "assistant",
        [{"type": "thinking", "thinking": "Look first."}, {"type": "text", "text": "I will look."}, CALL],
        "a2",
        "m1",
        model="claude-sonnet-4-5",
        usage=USAGE,
        stopReason="toolUse",
    ),
    message(
        "toolResult",
        [{"type": "text", "text": "- büro 事務"}, {"type": "image", "mimeType": "image/png", "data": "AAAA"}],
        "a3",
        "a2",
        toolCallId="call_1",
        toolName="read",
        isError=False,
    ),
    assistant("One: the office. 🗂", "a4", "a3"),
    entry("session_info", "i1", "a4", name="Open notes"),
]


def test_a_conversation(home: Home, tmp_path: Path) -> None:
    assert run(home, tmp_path, *CONVERSATION) == [
        ("user", "user", "active", "Which notes are open?"),
        ("assistant", "assistant", "active", "I will look."),
        ("tool", "tool", "active", "- büro 事務\n\n[image: image/png]"),
        ("assistant", "assistant", "active", "One: the office. 🗂"),
    ]
    _, calls, result, _ = messages = stored(home, KEY)
    assert [m["identity"] for m in messages] == ["a1", "a2", "a3", "a4"]
    assert (calls["thinking"], calls["timestamp"]) == ("Look first.", TIME)
    assert json.loads(calls["tool_calls"]) == [
        {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path":"notes.md"}'}}
    ]
    assert (result["tool_call_id"], result["name"]) == ("call_1", "read")
    check_full_text(home)


def test_what_the_session_is_called_and_counts(tmp_path: Path) -> None:
    counts = Counts()
    (found,) = openclaw.read(write(tmp_path / "x.jsonl", [HEADER, *CONVERSATION]), counts)
    answer = list(found.messages)[1]
    assert (answer.model, answer.usage) == ("claude-sonnet-4-5", {"input": 12, "output": 30, "cache_read": 400})
    session = found.session
    assert (session.key, session.title, session.project) == (KEY, "Open notes", "/home/ada/engine")
    assert (session.created_at, session.updated_at) == ("2026-03-01T09:00:00.000Z", TIME)
    assert (session.metadata["agent"], session.metadata["model"]) == ("openclaw", "claude-sonnet-4-5")
    assert (counts.kept, counts.skipped, counts.quarantined) == (6, 1, 0)


def test_growth_adds_only_what_is_new(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [HEADER, *CONVERSATION])
    take(home, path)
    before = {m["identity"]: m["id"] for m in stored(home)}
    write(path, [HEADER, *CONVERSATION, user("And the other?", "b1", "i1")])
    moved = tmp_path / "elsewhere" / "y.jsonl"
    moved.parent.mkdir()
    path.rename(moved)
    report = take(home, moved)
    assert (report.new, report.updated) == (1, 0)
    assert {m["identity"]: m["id"] for m in stored(home) if m["identity"] in before} == before
    assert [m["identity"] for m in stored(home)] == ["a1", "a2", "a3", "a4", "b1"]


def test_the_first_version_names_nothing_and_grows_all_the_same(home: Home, tmp_path: Path) -> None:
    header = {key: value for key, value in HEADER.items() if key != "version"}
    rows = [header, user("yes", None), assistant("ok", None), user("yes", None)]
    path = write(tmp_path / "x.jsonl", rows)
    take(home, path)
    names = [m["identity"] for m in stored(home)]
    write(path, [*rows, assistant("done", None)])
    assert take(home, path).new == 1
    assert [m["identity"] for m in stored(home)][:3] == names
    assert [content for *_, content in told(home)] == ["yes", "ok", "yes", "done"]


BRANCHES: dict[str, tuple[list[Any], dict[str, str]]] = {
    "a prompt taken back, with its answer": (
        [
            user("1", "u1"),
            assistant("1", "a1", "u1"),
            user("old", "u2", "a1"),
            assistant("old", "a2", "u2"),
            user("new", "u3", "a1"),
        ],
        {"u2": "withdrawn", "a2": "withdrawn"},
    ),
    "the first prompt taken back": ([user("old", "u1"), user("new", "u2", None)], {"u1": "withdrawn"}),
    "a branch that was summed up": (
        [
            user("1", "u1"),
            user("old", "u2", "u1"),
            entry("branch_summary", "s1", "u1", fromId="u2", summary="They tried."),
            user("new", "u3", "s1"),
        ],
        {"u2": "withdrawn"},
    ),
    "a label is no step back": (
        [user("1", "u1"), entry("label", "l1", "u1", targetId="u1", label="here"), user("2", "u2", "l1")],
        {},
    ),
    "moved to an earlier entry, nothing said since": (
        [user("1", "u1"), user("2", "u2", "u1"), entry("leaf", "x1", "u2", targetId="u1")],
        {"u2": "withdrawn"},
    ),
    "moved, then on behind the mark": (
        [user("1", "u1"), user("2", "u2", "u1"), entry("leaf", "x1", "u2", targetId="u1"), user("3", "u3", "x1")],
        {"u2": "withdrawn"},
    ),
    "moved before everything": (
        [user("1", "u1"), entry("leaf", "x1", "u1", targetId=None)],
        {"u1": "withdrawn"},
    ),
    "moved to what is not there": (
        [user("1", "u1"), entry("leaf", "x1", "u1", targetId="zz"), user("2", "u2", "x1")],
        {},
    ),
    "moved, and written on at another place": (
        [
            user("1", "u1"),
            user("2", "u2", "u1"),
            entry("leaf", "x1", "u2", targetId="u1", appendParentId="u2"),
            user("3", "u3", "u2"),
        ],
        {"u2": "withdrawn"},
    ),
    "behind what an extension keeps": (
        [user("1", "u1"), entry("of-an-extension", "e1", "u1"), user("2", "u2", "e1")],
        {},
    ),
    "an aside": (
        [user("1", "u1"), {**user("by the way", "s1", "u1"), "appendMode": "side"}, user("2", "u2", "u1")],
        {"s1": "withdrawn"},
    ),
    "a parent whose line is broken": (
        [user("1", "u1"), b"{broken\n", user("3", "u3", "u2")],
        {},
    ),
    "a circle": ([user("1", "u1", "u2"), user("2", "u2", "u1")], {}),
    "its own parent": ([user("1", "u1", "u1")], {}),
    "no parent said": ([user("1", "u1"), {k: v for k, v in user("2", "u2").items() if k != "parentId"}], {}),
    "compacted": (
        [
            user("1", "u1"),
            assistant("1", "a1", "u1"),
            user("2", "u2", "a1"),
            entry("compaction", "c1", "u2", summary="They spoke.", firstKeptEntryId="u2", tokensBefore=9),
            user("3", "u3", "c1"),
        ],
        {"u1": "compacted", "a1": "compacted"},
    ),
    "compacted twice": (
        [
            user("1", "u1"),
            entry("compaction", "c1", "u1", summary="A", firstKeptEntryId="u1"),
            user("2", "u2", "c1"),
            entry("compaction", "c2", "u2", summary="B", firstKeptEntryId="u2"),
        ],
        {"u1": "compacted", "c1": "compacted"},
    ),
    "compacted, the rest told again in the entry": (
        [user("1", "u1"), entry("compaction", "c1", "u1", summary="A", retainedTail=[{"role": "user"}])],
        {"u1": "compacted"},
    ),
    "compacted on a branch that was left": (
        [user("1", "u1"), entry("compaction", "c1", "u1", summary="A"), user("2", "u2", "u1")],
        {"c1": "withdrawn"},
    ),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches_and_compactions(name: str, home: Home, tmp_path: Path) -> None:
    rows, states = BRANCHES[name]
    run(home, tmp_path, *rows)
    assert {m["identity"]: m["state"] for m in stored(home) if m["state"] != "active"} == states
    said = [row for row in rows if isinstance(row, dict) and (row["type"] == "message" or "summary" in row)]
    assert [m["identity"] for m in stored(home)] == [row["id"] for row in said]


def test_a_compaction_of_the_first_version_counts_entries(home: Home, tmp_path: Path) -> None:
    rows = [user("1", None), user("2", None), entry("compaction", None, None, summary="A", firstKeptEntryIndex=2)]
    assert run(home, tmp_path, *rows) == [
        ("user", "user", "compacted", "1"),
        ("user", "user", "active", "2"),
        ("system", "harness", "active", "A"),
    ]


def test_a_prompt_taken_back_after_it_was_stored(home: Home, tmp_path: Path) -> None:
    rows = [HEADER, user("1", "u1"), user("old", "u2", "u1")]
    path = write(tmp_path / "x.jsonl", rows)
    take(home, path)
    write(path, [*rows, user("new", "u3", "u1")])
    report = take(home, path)
    assert (report.new, report.updated) == (1, 1)
    assert [state for _, _, state, _ in told(home)] == ["active", "withdrawn", "active"]


HEARTBEAT = "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly."
ENVELOPE = 'Conversation info (untrusted metadata):\n```json\n{"sender": "Ada"}\n```'
NOTE = "System: [2026-03-01 10:00:00 UTC] Node connected."
SPEAKERS: dict[str, tuple[list[Any], Told]] = {
    "a heartbeat, and the person after it": (
        [
            user(HEARTBEAT, "h1"),
            assistant("The mail waits.", "h2", "h1"),
            user("Thanks", "u1", "h2"),
            assistant("Welcome", "a1", "u1"),
        ],
        [
            ("user", "automation", "active", HEARTBEAT),
            ("assistant", "automation", "active", "The mail waits."),
            ("user", "user", "active", "Thanks"),
            ("assistant", "assistant", "active", "Welcome"),
        ],
    ),
    "a heartbeat of the person's own words": (
        [user("<system-reminder>poll</system-reminder>", "h1"), assistant("**HEARTBEAT_OK**", "h2", "h1")],
        [
            ("user", "harness", "active", "<system-reminder>poll</system-reminder>"),
            ("assistant", "automation", "active", "**HEARTBEAT_OK**"),
        ],
    ),
    "a job": (
        [user("[cron:7f mail] Sum up the mail", "c1"), assistant("Three mails.", "c2", "c1")],
        [
            ("user", "automation", "active", "[cron:7f mail] Sum up the mail"),
            ("assistant", "automation", "active", "Three mails."),
        ],
    ),
    "a job by its number": (
        [user("Sum up the mail", "c1", provenance={"kind": "internal_system", "jobId": "7f"})],
        [("user", "automation", "active", "Sum up the mail")],
    ),
    "a subagent": (
        [
            user("[Sun 2026-03-01 10:00 UTC] [Subagent Context] You are one.\n\n[Subagent Task]: count", "s1"),
            message("toolResult", "4", "s2", "s1"),
            assistant("Four.", "s3", "s2"),
        ],
        [
            (
                "user",
                "subagent",
                "active",
                "[Sun 2026-03-01 10:00 UTC] [Subagent Context] You are one.\n\n[Subagent Task]: count",
            ),
            ("tool", "subagent", "active", "4"),
            ("assistant", "subagent", "active", "Four."),
        ],
    ),
    "what describes the sender is not said": (
        [user(f"{NOTE}\n\n{ENVELOPE}\n\nBuy milk", "u1")],
        [("user", "user", "active", "Buy milk"), ("user", "harness", "active", f"{NOTE}\n\n{ENVELOPE}")],
    ),
    "nothing but a note of the gateway": ([user(NOTE, "u1")], [("user", "harness", "active", NOTE)]),
    "another session": (
        [user("[Inter-session message] isUser=false\nDone.", "u1")],
        [("user", "harness", "active", "[Inter-session message] isUser=false\nDone.")],
    ),
    "a report of a subagent": (
        [user("The count is 4.", "u1", provenance={"kind": "inter_session", "sourceTool": "subagent_announce"})],
        [("user", "harness", "active", "The count is 4.")],
    ),
    "a person, and it says so": (
        [user("Count them.", "u1", provenance={"kind": "external_user"})],
        [("user", "user", "active", "Count them.")],
    ),
    "a command of the person": (
        [message("bashExecution", None, "b1", None, command="ls", output="a.md", exitCode=0)],
        [("tool", "tool", "active", "$ ls\na.md")],
    ),
    "an extension": (
        [
            entry("custom_message", "x1", None, customType="memory", content="Ada likes tea.", display=True),
            entry(
                "custom_message", "x2", "x1", customType="memory", content=[(TEXT := {"type": "Text", "text": "hi"})]
            ),
            message("hookMessage", [TEXT], "x3", "x2", display=False),
            entry("custom", "x4", "x3", data={"n": 1}),
        ],
        [
            ("user", "harness", "active", "Ada likes tea."),
            ("user", "harness", "active", "hi"),
            ("user", "harness", "hidden", "hi"),
        ],
    ),
    "summaries as messages": (
        [
            message("branchSummary", None, "s1", None, summary="They tried."),
            message("system", "Be kind.", "s2", "s1"),
            message("compactionSummary", None, "s3", "s2"),
        ],
        [("system", "harness", "active", "They tried."), ("system", "harness", "active", "Be kind.")],
    ),
    "a result inside of a result": (
        [message("toolResult", [{"type": "toolResult", "content": [{"type": "text", "text": "4"}]}], "t1", None)],
        [("tool", "tool", "active", "4")],
    ),
    "roles and blocks in another case": (
        [message("User", [TEXT], "u1", None), message("ASSISTANT", [TEXT], "a1", "u1")],
        [("user", "user", "active", "hi"), ("assistant", "assistant", "active", "hi")],
    ),
    "an answer that failed": (
        [user("hi", "u1"), assistant("", "a1", "u1", stopReason="error")],
        [("user",) * 2 + ("active", "hi")],
    ),
}


@pytest.mark.parametrize("name", SPEAKERS)
def test_who_speaks(name: str, home: Home, tmp_path: Path) -> None:
    rows, expected = SPEAKERS[name]
    assert run(home, tmp_path, *rows) == expected


KEYS = {
    "agent:main:main": "user",
    "agent:main:telegram:group:7": "user",
    "agent:main:cron:7f:run:1": "automation",
    "cron:7f": "automation",
    "hook:7f": "automation",
    "agent:main:main:heartbeat": "automation",
    "agent:main:subagent:7f": "subagent",
    "subagent:7f": "subagent",
}


@pytest.mark.parametrize("key", KEYS)
def test_the_list_of_sessions_tells_who_began_one(key: str, home: Home, tmp_path: Path) -> None:
    listed = {"x": None, key: {"sessionId": SESSION, "displayName": "Milk"}, "y": {"sessionId": 5}}
    (tmp_path / "sessions.json").write_text(json.dumps(listed))
    assert run(home, tmp_path, user("Buy milk", "u1")) == [("user", KEYS[key], "active", "Buy milk")]
    (found,) = openclaw.read(tmp_path / f"{SESSION}.jsonl", Counts())
    assert (found.session.title, found.session.metadata["session_key"]) == ("Milk", key)


def test_archives_and_copies_of_a_session(home: Home, tmp_path: Path) -> None:
    reset = write(tmp_path / "a.jsonl.reset.2026-03-01T10-00-00.000Z", [user("kept", "u1")])
    deleted = write(tmp_path / "b.jsonl.deleted.2026-03-01T10-00-00.000Z", [user("gone", "u1")])
    main = write(tmp_path / "c.jsonl", [user("told", "u1")])
    copied = write(tmp_path / "c.checkpoint.6a1e0b9a-1111-4000-8000-00000000000a.jsonl", [user("told", "u1")])
    report = take(home, reset, deleted, main, copied)
    assert [(m["session_key"], m["state"]) for m in stored(home)] == [
        ("openclaw:a", "active"),
        ("openclaw:b", "hidden"),
        ("openclaw:c", "active"),
    ]
    assert report.errors == [f"{copied} is a copy from before a compaction; the conversation is in c.jsonl beside it"]


def database(path: Path, events: list[tuple[str, int, Any]], keys: dict[str, str]) -> Path:
    """A database of an agent, as OpenClaw makes it."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL)")
        connection.execute(
            "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB,"
            " created_at INTEGER, PRIMARY KEY (session_id, seq))"
        )
        connection.executemany("INSERT INTO session_windows VALUES (?, ?)", keys.items())
        rows = [
            (name, seq, json.dumps(event) if event else None, b"\x28\xb5" * (not event), 1)
            for name, seq, event in events
        ]
        connection.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    return path


def test_a_database(home: Home, tmp_path: Path) -> None:
    """Its rows are the same entries: what was read from a file before is not told twice."""
    take(home, write(tmp_path / "old.jsonl", [HEADER, user("1", "u1")]))
    events = [(SESSION, 2, user("2", "u2", "u1")), (SESSION, 0, HEADER), (SESSION, 1, user("1", "u1"))]
    events += [("other", 0, user("3", "u1")), ("other", 1, None)]
    path = database(tmp_path / "a.sqlite", events, {SESSION: "agent:main:main", "other": "agent:main:cron:7"})
    assert importers.choose(path).name == "openclaw"
    report = take(home, path)
    assert [(m["session_key"], m["origin"], m["content"]) for m in stored(home)] == [
        (KEY, "user", "1"),
        (KEY, "user", "2"),
        ("openclaw:other", "automation", "3"),
    ]
    assert (report.new, report.sources[0]["quarantined"], report.sources[0]["sessions"]) == (2, 1, 2)


def test_places(tmp_path: Path) -> None:
    kept = [
        tmp_path / f".openclaw/agents/main/sessions/{SESSION}.jsonl",
        tmp_path / f".openclaw/agents/main/sessions/{SESSION}-topic-5.jsonl",
        tmp_path / f".openclaw/agents/work/sessions/{SESSION}.jsonl.reset.2026-03-01T10-00-00.000Z",
        tmp_path / ".pi/agent/sessions/--home-ada--/2026_x.jsonl",
    ]
    left = [
        tmp_path / f".openclaw/agents/main/sessions/{SESSION}.trajectory.jsonl",
        tmp_path / f".openclaw/agents/main/sessions/{SESSION}.jsonl.lock",
        tmp_path / f".openclaw/agents/main/sessions/{SESSION}.jsonl.deleted.2026-03-01T10-00-00.000Z",
        tmp_path / ".openclaw/agents/main/sessions/sessions.json",
    ]
    for path in [*kept, *left]:
        write(path, [HEADER])
    found = [source.path for source in discover.find({}, tmp_path) if source.format == "openclaw"]
    assert found == sorted(kept)
    moved = discover.find({"OPENCLAW_STATE_DIR": str(tmp_path / ".openclaw")}, tmp_path / "nobody")
    assert [source.path for source in moved if source.format == "openclaw"] == sorted(kept[:3])


def test_a_session_in_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        file.writestr(f"{SESSION}.jsonl", dump([HEADER, *CONVERSATION]))
    with archives.opened(tmp_path / "x.zip") as (member,):
        (found,) = openclaw.read(member, Counts())
        assert [m.identity for m in found.messages] == ["a1", "a2", "a3", "a4"]


def test_junk_costs_itself(home: Home, tmp_path: Path) -> None:
    rows = [
        user("first", "u1"),
        None,
        5,
        [],
        "text",
        {},
        {"type": None},
        {"type": "message"},
        {"type": "message", "message": "x"},
        entry("message", "r1", "u1", message={"role": "robot", "content": "?"}),
        entry("from-the-future", "f1", "u1"),
        b"{broken\n",
        user("first again", "u1"),
        user(None, "n1", "u1"),
        user("half \ud83d", "u2", "u1"),
    ]
    (source,) = take(home, write(tmp_path / "x.jsonl", [HEADER, *rows])).sources
    assert [content for *_, content in told(home)] == ["first", "half \ufffd"]
    assert [source[name] for name in ("read", "kept", "skipped", "quarantined")] == [16, 3, 3, 10]


def test_a_file_of_no_messages_is_an_error(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, write(tmp_path / "x.jsonl", [HEADER, entry("model_change", "m1", None, modelId="x")]))


@settings(deadline=None)
@given(spoilt([HEADER, *CONVERSATION, *BRANCHES["compacted twice"][0], *SPEAKERS["an extension"][0]]))
def test_reading_never_fails(rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x.jsonl", rows)
        openclaw.sniff(importers.sample(path))
        counts = consume(openclaw.read, path)
        assert counts.read == len(rows)


OTHERS = {
    "codex": {"type": "session_meta", "timestamp": TIME, "payload": {"id": SESSION, "cwd": "/"}},
    "claude": {"type": "user", "uuid": "u1", "parentUuid": None, "message": {"role": "user", "content": "hi"}},
    "cursor": {"role": "user", "message": {"content": [{"type": "text", "text": "hi"}]}},
    "a header alone": HEADER,
    "a message without a parent": {"type": "message", "message": {"role": "user"}},
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_not_taken(name: str, tmp_path: Path) -> None:
    assert not openclaw.sniff(importers.sample(write(tmp_path / "x.jsonl", [OTHERS[name]] * 3)))


@pytest.mark.parametrize("rows", [[HEADER, *CONVERSATION], [HEADER, user("1", None)], CONVERSATION])
def test_its_own_files_are_known(rows: list[Any], tmp_path: Path) -> None:
    assert openclaw.sniff(importers.sample(write(tmp_path / "x.jsonl", rows)))


def test_entries_without_a_header_are_no_other_format(tmp_path: Path) -> None:
    assert importers.choose(write(tmp_path / "x.jsonl", CONVERSATION)).name == "openclaw"


def test_no_shared_file_is_taken(shared_data: Path) -> None:
    for path in shared_data.glob("transcripts/*/*.json*"):
        assert not openclaw.sniff(importers.sample(path)), path


def test_a_header_with_a_folder_is_not_taken_for_another_agents(tmp_path: Path) -> None:
    rows = [
        {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-03-01T10:00:00Z", "cwd": "/home/ada"},
        {"type": "message", "id": "m1", "parentId": None, "message": {"role": "user", "content": "Hello."}},
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert importers.choose(path).name == "openclaw"
