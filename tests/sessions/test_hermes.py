"""Hermes Agent: its database, its exports, its session files, and archives of them."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.sessions.rows import check_full_text, said, stored, take, tally, write
from tests.sessions.test_openclaw import consume, spoilt, told
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import discover, importers
from workbench.sessions.discover import Source
from workbench.sessions.importers import hermes
from workbench.sessions.importers.lines import Counts
from workbench.sessions.ingest import ingest

NAME = "20260301_100000_5a3e2ff1"
KEY = f"hermes:{NAME}"
START = 1_772_359_200.0  # 2026-03-01T10:00:00Z
CALL = {"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": '{"command":"ls"}'}}

SCHEMA = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, cwd TEXT, git_branch TEXT,
    title TEXT, last_activity_at REAL
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
    finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, observed INTEGER DEFAULT 0,
    _compressed_summary INTEGER DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT
);
"""


def row(role: str, content: Any, at: float = 0, **fields: Any) -> dict[str, Any]:
    """A message as every one of the formats holds it."""
    return {"role": role, "content": content, "timestamp": START + at, **fields}


CONVERSATION = [
    row("user", "What is in the büro 事務 🗂?", 1),
    row("assistant", "I will look.", 2, tool_calls=[CALL], reasoning="A listing will do.", token_count=41),
    row("tool", "a.md\nb.md", 3, tool_call_id="call_1", tool_name="terminal"),
    row("assistant", "Two notes.", 4),
]
TOLD = [
    ("user", "user", "active", "What is in the büro 事務 🗂?"),
    ("assistant", "assistant", "active", "I will look."),
    ("tool", "tool", "active", "a.md\nb.md"),
    ("assistant", "assistant", "active", "Two notes."),
]


def session(name: str = NAME, **fields: Any) -> dict[str, Any]:
    """A session as the database holds it."""
    return {"id": name, "source": "cli", "started_at": START, "model": "hermes-4", "title": None, **fields}


def insert(connection: sqlite3.Connection, table: str, values: dict[str, Any]) -> None:
    """A row; what is no scalar goes in as JSON."""
    values = {name: json.dumps(value) if isinstance(value, dict | list) else value for name, value in values.items()}
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values()))


def database(path: Path, *sessions: tuple[dict[str, Any], list[dict[str, Any]]]) -> Path:
    """A ``state.db`` with these sessions."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY;" + SCHEMA)
    for described, messages in sessions:
        insert(connection, "sessions", described)
        for message in messages:
            insert(connection, "messages", {"session_id": described["id"], **message})
    connection.commit()
    connection.close()
    return path


def test_a_database(home: Home, tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", (session(), CONVERSATION))
    assert importers.choose(path).name == "hermes"
    (source,) = take(home, path).sources
    assert told(home, KEY) == TOLD
    _, answer, result, _ = stored(home)
    assert (answer["thinking"], json.loads(answer["tool_calls"])) == ("A listing will do.", [CALL])
    assert answer["timestamp"] == "2026-03-01T10:00:02.000000Z"
    assert (result["tool_call_id"], result["name"]) == ("call_1", "terminal")
    assert [source[name] for name in ("sessions", "read", "kept")] == [1, 4, 4]
    check_full_text(home)


def test_what_a_session_says_of_itself(tmp_path: Path) -> None:
    described = session(title="Notes", cwd="/home/ada", git_branch="main", ended_at=START + 9)
    path = database(tmp_path / "state.db", (described, CONVERSATION))
    for found in hermes.read(path, Counts()):
        assert [m.usage for m in found.messages] == [None, {"output": 41}, None, None]
        session_ = found.session
    assert (session_.title, session_.project) == ("Notes", "/home/ada")
    assert (session_.created_at, session_.updated_at) == ("2026-03-01T10:00:00.000000Z", "2026-03-01T10:00:09.000000Z")
    assert {name: value for name, value in session_.metadata.items() if value is not None} == {
        "agent": "hermes",
        "model": "hermes-4",
        "source": "cli",
        "git_branch": "main",
    }


def test_what_is_in_the_log_of_a_database_is_read_too(home: Home, tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", (session(), CONVERSATION[:1]))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    insert(connection, "messages", {"session_id": NAME, **row("user", "in the log", 9)})
    connection.commit()
    take(home, path)
    connection.close()
    assert [content for *_, content in said(home)] == [TOLD[0][3], "in the log"]


STATES: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str, str, str]]]] = {
    "rewound": (
        [row("user", "old", 1, active=0), row("user", "new", 2)],
        [("user", "user", "withdrawn", "old"), ("user", "user", "active", "new")],
    ),
    "compacted, and what is kept written down again": (
        [
            row("user", "1", 1, active=0, compacted=1),
            row("user", "2", 2, active=0, compacted=1),
            row("user", "They said 1.", 3, _compressed_summary=1),
            row("user", "2", 2),
        ],
        [
            ("user", "user", "compacted", "1"),
            ("user", "user", "active", "2"),
            ("user", "harness", "active", "They said 1."),
        ],
    ),
    "the same words at another time": (
        [row("user", "yes", 1), row("user", "yes", 2)],
        [("user", "user", "active", "yes")] * 2,
    ),
    "scaffolding": (
        [row("user", "go on", 1, display_kind="hidden"), row("user", "done", 2, display_kind="auto_continue")],
        [("user", "harness", "hidden", "go on"), ("user", "harness", "active", "done")],
    ),
    "heard in a group": ([row("user", "[Bob] hi", 1, observed=1)], [("user", "harness", "active", "[Bob] hi")]),
    "a summary by its words": (
        [row("user", "[CONTEXT COMPACTION - REFERENCE ONLY] They said 1.", 1)],
        [("user", "harness", "active", "[CONTEXT COMPACTION - REFERENCE ONLY] They said 1.")],
    ),
    "a skill": (
        [row("user", '[IMPORTANT: The user has invoked the "tea" skill]', 1)],
        [("user", "harness", "active", '[IMPORTANT: The user has invoked the "tea" skill]')],
    ),
    "recalled": ([row("user", "<memory>tea</memory>")], [("user", "harness", "active", "<memory>tea</memory>")]),
    "a summary in the place of an answer": (
        [row("assistant", "They said 1.", _compressed_summary=1)],
        [("assistant", "harness", "active", "They said 1.")],
    ),
    "a system prompt": ([row("system", "Be kind.")], [("system", "harness", "active", "Be kind.")]),
    "parts": (
        [row("user", "\x00json:" + json.dumps([{"type": "text", "text": "look"}, {"type": "image_url"}]))],
        [("user", "user", "active", "look\n\n[image]")],
    ),
    "parts that are none": ([row("user", "\x00json:{broken")], [("user", "user", "active", "{broken")]),
    "null": ([row("user", None), row("user", "hi", 1)], [("user", "user", "active", "hi")]),
    "an empty result": ([row("tool", "", tool_call_id="c")], [("tool", "tool", "active", "")]),
}


@pytest.mark.parametrize("name", STATES)
def test_who_speaks_and_whether_it_is_still_told(name: str, home: Home, tmp_path: Path) -> None:
    rows, expected = STATES[name]
    take(home, database(tmp_path / "state.db", (session(), rows)))
    assert told(home) == expected


PARENT = session("p", ended_at=START + 100, end_reason="compression")
KINDS: dict[str, tuple[dict[str, Any], str]] = {
    "a person": (session(), "user"),
    "a job": (session(source="cron"), "automation"),
    "a job by its name": (session("cron_7f_20260301_100000"), "automation"),
    "a webhook": (session(source="webhook"), "automation"),
    "a subagent by its source": (session(source="subagent"), "subagent"),
    "a subagent by its mark": (
        session(parent_session_id="p", started_at=START + 200, model_config={"_delegate_from": "p"}),
        "subagent",
    ),
    "a subagent by its time": (session(parent_session_id="p", started_at=START + 50), "subagent"),
    "a mark that was passed on": (
        session(parent_session_id="p", started_at=START + 100, model_config={"_delegate_from": "q"}),
        "user",
    ),
    "what goes on behind a compaction": (session(parent_session_id="p", started_at=START + 100), "user"),
    "a branch": (
        session(parent_session_id="p", started_at=START + 50, model_config={"_branched_from": "p"}),
        "user",
    ),
    "a parent that is gone": (session(parent_session_id="q"), "user"),
}


@pytest.mark.parametrize("name", KINDS)
def test_who_began_a_session(name: str, home: Home, tmp_path: Path) -> None:
    described, origin = KINDS[name]
    rows = [row("user", "count", 1), row("assistant", "4", 2), row("tool", "4", 3, tool_call_id="c")]
    take(home, database(tmp_path / "state.db", (PARENT, []), (described, rows)))
    answer = "assistant" if origin == "user" else origin
    result = "subagent" if origin == "subagent" else "tool"
    assert [m["origin"] for m in stored(home, f"hermes:{described['id']}")] == [origin, answer, result]


def test_growth_and_a_database_whose_rows_were_numbered_anew(home: Home, tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", (session(), CONVERSATION))
    take(home, path)
    before = [m["id"] for m in stored(home)]
    database(path, (session("other"), [row("user", "x")]), (session(), [*CONVERSATION, row("user", "Thanks", 9)]))
    report = take(home, path)
    assert (report.new, report.updated) == (2, 0)
    assert [m["id"] for m in stored(home, KEY)][:4] == before
    assert told(home, KEY) == [*TOLD, ("user", "user", "active", "Thanks")]


EXPORT = session(messages=[{"id": n, "session_id": NAME, **message} for n, message in enumerate(CONVERSATION)])
FILE = {
    "session_id": NAME,
    "model": "hermes-4",
    "platform": "cli",
    "session_start": "2026-03-01T10:00:00.000001",
    "last_updated": "2026-03-01T10:00:04.000001",
    "messages": [{**m, "timestamp": "2026-03-01T10:00:01.5"} for m in CONVERSATION],
}
META = {"role": "session_meta", "model": "hermes-4", "platform": "cli", "timestamp": "2026-03-01T10:00:00.000001"}


def files(folder: Path) -> dict[str, Path]:
    """One session in every form that Hermes gives it."""
    indented = folder / f"session_{NAME}.json"
    indented.write_text(json.dumps(FILE, indent=2, ensure_ascii=False))
    array = folder / "all.json"
    array.write_text(json.dumps([EXPORT]))
    return {
        "database": database(folder / "state.db", (session(), CONVERSATION)),
        "an export of lines": write(folder / "export.jsonl", [EXPORT]),
        "an export as an array": array,
        "a session file": indented,
        "a session file of lines": write(folder / f"{NAME}.jsonl", [META, *CONVERSATION]),
        "what was compacted into one another": write(
            folder / "lineage.jsonl", [session("tip", messages=[*CONVERSATION, row("user", "x")], segments=[EXPORT])]
        ),
    }


FORMS = (
    "database",
    "an export of lines",
    "an export as an array",
    "a session file",
    "a session file of lines",
    "what was compacted into one another",
)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_tells_the_same(name: str, home: Home, tmp_path: Path) -> None:
    """And it is the same conversation: read from two places, nothing is told twice."""
    forms = files(tmp_path)
    ingest(home, [Source(forms[name], "hermes")])
    assert told(home, KEY) == TOLD
    assert len(stored(home)) == 4
    assert ingest(home, [Source(forms["database"], "hermes")]).new == 0
    assert told(home, KEY) == TOLD


@pytest.mark.parametrize("name", FORMS)
def test_its_own_files_are_known(name: str, tmp_path: Path) -> None:
    assert importers.choose(files(tmp_path)[name]).name == "hermes"


def test_one_bad_session_does_not_cost_the_others(home: Home, tmp_path: Path) -> None:
    lines = [
        b'{"id": "x", "messages": [\n',
        5,
        {"id": "y"},
        session("z", messages=[None, 7, row("user", "hi")]),
        EXPORT,
    ]
    (source,) = take(home, write(tmp_path / "export.jsonl", [EXPORT, *lines])).sources
    assert [m["session_key"] for m in stored(home)] == [KEY] * 4 + ["hermes:z"]
    assert [source[name] for name in ("read", "kept", "quarantined")] == [14, 9, 5]


def test_junk_between_lines(home: Home, tmp_path: Path) -> None:
    rows = [
        META,
        row("user", "hi"),
        None,
        {},
        row("robot", "?"),
        b"{broken\n",
        row("user", "half \ud83d"),
        row("user", ""),
    ]
    path = write(tmp_path / f"{NAME}.jsonl", rows)
    (source,) = ingest(home, [Source(path, "hermes")]).sources
    assert told(home) == [("user", "user", "active", "hi"), ("user", "user", "active", "half \ufffd")]
    assert [source[name] for name in ("read", "kept", "skipped", "quarantined")] == [8, 3, 1, 4]


ARCHIVE = {
    "schema_version": 1,
    "producer": "hermes/0.9.0",
    "session_id": NAME,
    "created_at": "2026-03-01T10:00:00Z",
    "parent_session_id": "before",
    "repository_cwd": "/home/ada",
    "messages": [
        {"message_id": "m0", "role": "user", "state": "rewound", "text": "old"},
        {"message_id": "m1", "role": "user", "state": "active", "text": "look", "timestamp": "2026-03-01T10:00:01Z"},
        {
            "message_id": "m2",
            "role": "assistant",
            "state": "compacted",
            "text": None,
            "reasoning": "A listing.",
            "tool_calls": [{"action_id": "c1", "tool_name": "ls", "arguments_json": '{"path": "."}'}],
        },
        {
            "message_id": "m3",
            "role": "tool",
            "state": "compacted",
            "text": None,
            "tool_results": [{"action_id": "c1", "output_preview": "a"}, {"action_id": "c2", "output_preview": None}],
        },
    ],
}


def test_an_archive(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ARCHIVE, indent=1))
    take(home, path)
    assert told(home, KEY) == [
        ("user", "user", "withdrawn", "old"),
        ("user", "user", "active", "look"),
        ("assistant", "assistant", "compacted", ""),
        ("tool", "tool", "compacted", "a"),
        ("tool", "tool", "compacted", ""),
    ]
    assert [m["identity"] for m in stored(home)] == ["m0", "m1", "m2", "m3", "m3#1"]
    assert [m["tool_call_id"] for m in stored(home)] == [None, None, None, "c1", "c2"]
    function = {"name": "ls", "arguments": '{"path": "."}'}
    assert json.loads(stored(home)[2]["tool_calls"]) == [{"id": "c1", "type": "function", "function": function}]


def test_names_that_meet(home: Home, tmp_path: Path) -> None:
    results = [{"output_preview": "a"}, {"output_preview": "b"}]
    messages = [
        {"message_id": "m", "role": "tool", "tool_results": results},
        {"message_id": "m#1", "role": "user", "text": "c"},
        {"message_id": "m", "role": "user", "text": "d"},
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**ARCHIVE, "messages": messages}))
    take(home, path)
    assert [(m["identity"], m["content"]) for m in stored(home)] == [("m", "a"), ("m#1", "b")]


def trajectory(agent: str) -> dict[str, Any]:
    """A run of an agent as ATIF tells it."""
    steps = [
        {"step_id": 1, "source": "system", "message": "Be kind."},
        {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "look"}], "is_copied_context": True},
        {"step_id": 3, "source": "user", "message": "look"},
        {
            "step_id": 4,
            "source": "agent",
            "message": "A listing.",
            "reasoning_content": "Hm.",
            "model_name": "hermes-4",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "ls", "arguments": {"path": "."}}],
            "observation": {"results": [{"source_call_id": "c1", "content": "a.md"}]},
            "metrics": {"prompt_tokens": 9, "completion_tokens": 7},
        },
        {"step_id": 5, "source": "<redacted>", "message": "<redacted>"},
    ]
    return {"schema_version": "ATIF-v1.7", "session_id": NAME, "agent": {"name": agent}, "steps": steps}


@pytest.mark.parametrize(
    ("agent", "person", "answer"), [("Hermes", "user", "assistant"), ("other", *["automation"] * 2)]
)
def test_a_trajectory(agent: str, person: str, answer: str, home: Home, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(trajectory(agent), indent=1))
    (source,) = take(home, path).sources
    assert told(home, KEY) == [
        ("system", "harness", "active", "Be kind."),
        ("user", person, "active", "look"),
        ("assistant", answer, "active", "A listing."),
        ("tool", "tool", "active", "a.md"),
    ]
    (found,) = hermes.read(path, Counts())
    said_by_the_agent = list(found.messages)[2]
    assert (said_by_the_agent.thinking, said_by_the_agent.model) == ("Hm.", "hermes-4")
    assert said_by_the_agent.usage == {"output": 7}
    assert (source["quarantined"], source["kept"]) == (1, 3)


def test_a_value_that_is_too_long_costs_its_row(home: Home, tmp_path: Path) -> None:
    rows = [row("user", "hi"), row("tool", "x" * (4 * 1024 * 1024 + 1), tool_call_id="c"), row("user", "bye", 1)]
    (source,) = take(home, database(tmp_path / "state.db", (session(), rows))).sources
    assert [content for *_, content in said(home)] == ["hi", "bye"]
    assert source["quarantined"] == 1


def test_an_empty_database_is_an_error(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, database(tmp_path / "state.db", (session(), [])))


def test_places(tmp_path: Path) -> None:
    for name in ("state.db", "profiles/work/state.db", f"sessions/{NAME}.jsonl", f"sessions/session_{NAME}.json"):
        write(tmp_path / ".hermes" / name, [META])
    write(tmp_path / ".hermes/sessions/sessions.json", [META])
    found = [source.path for source in discover.find({}, tmp_path) if source.format == "hermes"]
    assert [str(path.relative_to(tmp_path / ".hermes")) for path in found] == [
        "profiles/work/state.db",
        f"sessions/{NAME}.jsonl",
        f"sessions/session_{NAME}.json",
        "state.db",
    ]


@settings(deadline=None)
@given(spoilt([EXPORT, ARCHIVE, trajectory("Hermes"), FILE]))
def test_reading_never_fails(rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(json.dumps(rows))
        hermes.sniff(importers.sample(path))
        consume(hermes.read, path)


@settings(deadline=None)
@given(spoilt([META, *CONVERSATION]))
def test_reading_lines_never_fails(rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x.jsonl", rows)
        hermes.sniff(importers.sample(path))
        consume(hermes.read, path)


@given(
    spoilt([[session(), session("other", parent_session_id=NAME)], [{"session_id": NAME, **m} for m in CONVERSATION]])
)
def test_reading_a_database_never_fails(rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = database(Path(folder) / "state.db")
        connection = sqlite3.connect(path)
        for table, values in zip(("sessions", "messages"), rows, strict=True):
            for value in values if isinstance(values, list) else ():
                try:
                    insert(connection, table, value)
                except Exception:
                    continue  # no database would hold that
        connection.commit()
        connection.close()
        consume(hermes.read, path)


BLACKED_OUT = "tests__fixtures__hermes__atif__nemo_relay_atif_v1.7_real_redacted.json"
PUBLIC = {
    "tests__fixtures__hermes__archival_export__v1__example-session.json": [
        ("system", "harness", "active", "You are a helpful coding agent."),
        ("user", "user", "active", "Fix the failing test in parser.py"),
        ("assistant", "assistant", "compacted", "I'll look at the failing test first."),
        ("tool", "tool", "compacted", "def test_parse_empty(): ..."),
        ("assistant", "assistant", "withdrawn", "Applying an incorrect fix attempt (later rewound)."),
        ("assistant", "assistant", "active", "Applied the correct fix and reran the test suite; it passes."),
    ],
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_file(name: str, home: Home, shared_data: Path) -> None:
    path = shared_data / "transcripts/polylogue" / name
    (source,) = take(home, path).sources
    assert told(home, "hermes:hermes-session-example-001") == PUBLIC[name]
    assert (source["sessions"], source["kept"], source["quarantined"]) == (1, 6, 0)


def test_a_trajectory_whose_speakers_are_blacked_out(home: Home, shared_data: Path) -> None:
    """One of its six steps still says that the agent speaks: it called four tools."""
    (source,) = ingest(home, [Source(shared_data / "transcripts/polylogue" / BLACKED_OUT, "hermes")]).sources
    assert tally(home) == {"assistant/automation": 1, "tool/tool": 4}
    assert (source["kept"], source["quarantined"]) == (1, 5)


def test_no_other_shared_file_is_taken(shared_data: Path) -> None:
    taken = {path.name for path in shared_data.glob("transcripts/*/*.json*") if hermes.sniff(importers.sample(path))}
    assert taken - {BLACKED_OUT} == set(PUBLIC)
