"""llm's log, of both generations, and a conversation that began in one and goes on in the other."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.sessions.rows import check_full_text, stored, take
from tests.sessions.test_openclaw import consume, spoilt, told
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import archives, discover, importers
from workbench.sessions.discover import Source
from workbench.sessions.importers import llm_logs
from workbench.sessions.importers.lines import Counts

TIME = "2026-03-01T10:00:0{}.000000+00:00"
FILES = """
CREATE TABLE attachments (id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB);
CREATE TABLE fragments (id INTEGER PRIMARY KEY, hash TEXT, content TEXT, datetime_utc TEXT, source TEXT);
"""
# What llm first made, in 2023, and what it added until 0.31.
FIRST = """
CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, prompt_json TEXT, options_json TEXT,
    response TEXT, response_json TEXT, conversation_id TEXT, duration_ms INTEGER, datetime_utc TEXT);
"""
LATER = f"""
{
    FIRST.replace(
        "datetime_utc TEXT);",
        '''datetime_utc TEXT, input_tokens INTEGER, output_tokens INTEGER,
    token_details TEXT, schema_id TEXT, resolved_model TEXT, reasoning TEXT);''',
    )
}
{FILES}
CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER,
    PRIMARY KEY (response_id, attachment_id));
CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER,
    PRIMARY KEY (response_id, fragment_id, "order"));
CREATE TABLE system_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER,
    PRIMARY KEY (response_id, fragment_id, "order"));
CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER, name TEXT, arguments TEXT,
    tool_call_id TEXT);
CREATE TABLE tool_results (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER, name TEXT, output TEXT,
    tool_call_id TEXT, instance_id INTEGER, exception TEXT);
"""
TREE = """
CREATE TABLE messages (hash TEXT PRIMARY KEY, parent_hash TEXT, role TEXT, provider_metadata TEXT);
CREATE TABLE parts (id INTEGER PRIMARY KEY, message_hash TEXT, position INTEGER, type TEXT, tool_name TEXT, text TEXT,
    payload TEXT);
CREATE UNIQUE INDEX part_places ON parts (message_hash, position);
CREATE TABLE threads (id TEXT PRIMARY KEY, name TEXT, tip_message_hash TEXT, forked_from TEXT, datetime_utc TEXT);
CREATE TABLE turns (id TEXT PRIMARY KEY, thread_id TEXT, parent_message_hash TEXT, tip_message_hash TEXT, model TEXT,
    resolved_model TEXT, options_json TEXT, schema_id TEXT, input_tokens INTEGER, output_tokens INTEGER,
    token_details TEXT, duration_ms INTEGER, datetime_utc TEXT, response_json TEXT);
"""


class Log:
    """A ``logs.db`` that is being written as llm writes it."""

    def __init__(self, path: Path, schema: str = LATER + TREE) -> None:
        self.path = path
        self.connection = sqlite3.connect(path)
        self.connection.executescript("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY;" + schema)

    def insert(self, table: str, **values: Any) -> None:
        """A row; what is no scalar goes in as JSON."""
        scalars = [json.dumps(value) if isinstance(value, dict | list) else value for value in values.values()]
        names = ", ".join(f'"{name}"' for name in values)
        self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", scalars)

    def response(self, name: str, prompt: Any, response: Any, at: int, **fields: Any) -> None:
        """A row of the first generation."""
        values = {"conversation_id": "c1", "model": "gpt-4o", "datetime_utc": TIME.format(at), **fields}
        self.insert("responses", id=name, prompt=prompt, response=response, **values)

    def message(self, name: str, parent: str | None, role: str, *parts: Any) -> str:
        """A message of the second generation; a text stands for a part of text."""
        self.insert("messages", hash=name, parent_hash=parent, role=role)
        for place, part in enumerate(parts):
            row = {"type": "text", "text": part} if isinstance(part, str) else part
            self.insert("parts", message_hash=name, position=place, **row)
        return name

    def turn(self, name: str, thread: str, parent: str | None, tip: str | None, at: int, **fields: Any) -> None:
        """A turn; the thread is made, or moves to its end."""
        self.insert(
            "turns", id=name, thread_id=thread, parent_message_hash=parent, tip_message_hash=tip,
            **{"model": "echo-1", "datetime_utc": TIME.format(at), **fields},
        )  # fmt: skip
        self.connection.execute("INSERT OR IGNORE INTO threads (id, name) VALUES (?, 'Notes')", (thread,))
        self.connection.execute("UPDATE threads SET tip_message_hash = ? WHERE id = ?", (tip, thread))

    def done(self) -> Path:
        """The database, whole."""
        self.connection.commit()
        self.connection.close()
        return self.path


CALL = {"id": "call_1", "type": "function", "function": {"name": "wc", "arguments": '{"text": "a b"}'}}


def test_responses(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db", LATER)
    log.insert("conversations", id="c1", name="Count", model="gpt-4o")
    log.insert("fragments", id=1, content="A novel.", source="novel.txt", hash="x")
    log.insert("attachments", id="a1", type="image/png", path="/home/ada/plan.png", content=b"PNG")
    details = {"completion_tokens_details": {"reasoning_tokens": 4}, "prompt_tokens_details": {"cached_tokens": 5}}
    log.response("r2", "", "Two.", 2, system="Be brief.", resolved_model="gpt-4o-2026", input_tokens=9)
    log.response(
        "r1", "Count the words. 事務 🗂", "I will.", 1, system="Be brief.", reasoning="Hm.", input_tokens=12,
        output_tokens=3, token_details=details,
    )  # fmt: skip
    log.insert("prompt_fragments", response_id="r1", fragment_id=1, order=0)
    log.insert("prompt_attachments", response_id="r1", attachment_id="a1", order=0)
    log.insert("tool_calls", response_id="r1", name="wc", arguments='{"text": "a b"}', tool_call_id="call_1")
    log.insert("tool_results", response_id="r2", name="wc", output="2", tool_call_id="call_1")
    path = log.done()
    assert importers.choose(path).name == "llm"
    (source,) = take(home, path).sources
    asked = "[file: novel.txt]\nCount the words. 事務 🗂\n[image: plan.png]"
    assert told(home, "llm:c1") == [
        ("system", "harness", "active", "Be brief."),
        ("user", "user", "active", asked),
        ("user", "harness", "active", "[file: novel.txt]\nA novel."),
        ("assistant", "assistant", "active", "I will."),
        ("tool", "tool", "active", "2"),
        ("assistant", "assistant", "active", "Two."),
    ]
    messages = stored(home)
    assert [m["identity"] for m in messages] == [
        "r1#system", "r1#prompt", "r1#prompt#fragments", "r1", "r2#result0", "r2",
    ]  # fmt: skip
    assert (messages[3]["thinking"], json.loads(messages[3]["tool_calls"])) == ("Hm.", [CALL])
    assert (messages[4]["tool_call_id"], messages[4]["name"]) == ("call_1", "wc")
    assert [m["timestamp"] for m in messages] == [TIME.format(1)] * 4 + [TIME.format(2)] * 2
    assert [source[name] for name in ("sessions", "read", "kept")] == [1, 2, 2]
    check_full_text(home)

    for found in llm_logs.read(path, Counts()):
        answers = [m for m in found.messages if m.role == "assistant"]
        session = found.session
    assert [m.model for m in answers] == ["gpt-4o", "gpt-4o-2026"]
    assert [m.usage for m in answers] == [{"input": 12, "output": 3, "cache_read": 5, "reasoning": 4}, {"input": 9}]
    assert (session.title, session.metadata["model"]) == ("Count", "gpt-4o")
    assert (session.created_at, session.updated_at) == (TIME.format(1), TIME.format(2))


def test_the_oldest_tables(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db", FIRST)
    log.response("r1", "hi", "hello", 1, conversation_id=None)
    log.response("r2", None, None, 2)
    log.response("r3", "<memory>tea</memory>", "x", 3, system="  ")
    (source,) = take(home, log.done()).sources
    assert [(m["session_key"], m["origin"], m["content"]) for m in stored(home)] == [
        ("llm:c1", "harness", "<memory>tea</memory>"),
        ("llm:c1", "assistant", "x"),
        ("llm:r1", "user", "hi"),
        ("llm:r1", "assistant", "hello"),
    ]
    assert [source[name] for name in ("kept", "skipped", "quarantined")] == [2, 1, 0]


def test_a_system_prompt_is_told_when_it_changes(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db", LATER)
    log.insert("fragments", id=1, content="Rules.", source="rules.md", hash="x")
    for number, system in enumerate(["A", "A", "B", None, "B"]):
        log.response(f"r{number}", f"{number}", None, number, system=system)
    log.insert("system_fragments", response_id="r4", fragment_id=1, order=0)
    take(home, log.done())
    systems = [(m["identity"], m["content"]) for m in stored(home) if m["role"] == "system"]
    assert systems == [("r0#system", "A"), ("r2#system", "B"), ("r4#system", "Rules.\n\nB")]


def with_turns(log: Log) -> None:
    """Two turns with a tool between them."""
    log.insert("fragments", id=1, content="A novel.", source="novel.txt", hash="x")
    log.insert("attachments", id="a1", type="audio/wav", url="https://a.example/x/hum.wav?y=1")
    log.message("s", None, "system", "Be brief.")
    woven = {"text_ref": [{"fragment": 1}, {"literal": "\nCount them. 事務 🗂"}]}
    log.message(
        "u1", "s", "user", {"type": "text", "payload": woven},
        {"type": "attachment", "payload": {"attachment": {"id": "a1"}}},
    )  # fmt: skip
    call = {"name": "wc", "arguments": {"text": "a b"}, "tool_call_id": "call_1"}
    log.message(
        "a1", "u1", "assistant", {"type": "reasoning", "text": "Hm."}, "I will.",
        {"type": "tool_call", "tool_name": "wc", "payload": call},
    )  # fmt: skip
    results = [{"name": "wc", "output": "2", "tool_call_id": "call_1"}, {"name": "wc", "output": "", "exception": "no"}]
    log.message("t1", "a1", "tool", *({"type": "tool_result", "tool_name": "wc", "payload": r} for r in results))
    log.message("a2", "t1", "assistant", "Two.")
    log.turn("n1", "th1", "u1", "a1", 1, input_tokens=12, output_tokens=3, token_details={"thoughtsTokenCount": 4})
    log.turn("n2", "th1", "t1", "a2", 2, resolved_model="echo-1-2026", token_details="no json")


TURNS_TOLD = [
    ("system", "harness", "active", "Be brief."),
    ("user", "user", "active", "[file: novel.txt]\nCount them. 事務 🗂\n\n[audio: hum.wav]"),
    ("user", "harness", "active", "[file: novel.txt]\nA novel."),
    ("assistant", "assistant", "active", "I will."),
    ("tool", "tool", "active", "2"),
    ("tool", "tool", "active", "\nno"),
    ("assistant", "assistant", "active", "Two."),
]


def test_turns(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db", FILES + TREE)
    with_turns(log)
    path = log.done()
    assert importers.choose(path).name == "llm"
    (source,) = take(home, path).sources
    assert told(home, "llm:th1") == TURNS_TOLD
    messages = stored(home)
    assert [m["identity"] for m in messages] == ["s", "u1", "u1#fragments", "a1", "t1", "t1#1", "a2"]
    calls = json.loads(messages[3]["tool_calls"])
    assert (messages[3]["thinking"], calls[0]["id"], calls[0]["function"]["name"]) == ("Hm.", "call_1", "wc")
    assert [m["tool_call_id"] for m in messages[4:6]] == ["call_1", None]
    assert [source[name] for name in ("sessions", "read", "kept")] == [1, 2, 2]
    for found in llm_logs.read(path, Counts()):
        answers = [m for m in found.messages if m.role == "assistant"]
    assert [(m.model, m.usage) for m in answers] == [
        ("echo-1", {"input": 12, "output": 3, "reasoning": 4}),
        ("echo-1-2026", None),
    ]


def test_growth_adds_only_what_is_new(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db")
    with_turns(log)
    log.response("r1", "hi", "hello", 1)
    log.connection.commit()
    take(home, log.path)
    before = {m["identity"]: m["id"] for m in stored(home)}
    log.message("u2", "a2", "user", "Thanks")
    log.message("a3", "u2", "assistant", "Welcome")
    log.turn("n3", "th1", "u2", "a3", 3)
    log.response("r2", "more", "yes", 2)
    report = take(home, log.done())
    assert (report.new, report.updated) == (4, 0)
    assert {m["identity"]: m["id"] for m in stored(home) if m["identity"] in before} == before
    assert [content for *_, content in told(home, "llm:th1")][-2:] == ["Thanks", "Welcome"]


def test_a_conversation_that_goes_on_in_the_new_tables(home: Home, tmp_path: Path) -> None:
    """There its beginning stands again, under other names; it is told once."""
    log = Log(tmp_path / "logs.db")
    log.insert("conversations", id="c1", name="Old", model="gpt-4o")
    log.response("r1", "hi", "hello", 1, system="Be kind.")
    log.connection.commit()
    take(home, log.path)
    names = ["s", "u1", "a1", "u2", "a2"]
    texts = ["Be kind.", "hi", "hello", "and now?", "now"]
    for name, parent, text in zip(names, [None, *names], texts, strict=False):
        role = {"s": "system", "u": "user", "a": "assistant"}[name[0]]
        log.message(name, parent, role, text)
    log.turn("n1", "c1", "u2", "a2", 2)
    assert take(home, log.done()).new == 2
    assert [(m["identity"], m["content"]) for m in stored(home, "llm:c1")] == [
        ("r1#system", "Be kind."),
        ("r1#prompt", "hi"),
        ("r1", "hello"),
        ("u2", "and now?"),
        ("a2", "now"),
    ]


def test_threads_share_messages(home: Home, tmp_path: Path) -> None:
    """The same question twice is two conversations; a fork, and a client that sends the whole history with every
    request, tell what is new in them."""
    log = Log(tmp_path / "logs.db")
    log.message("u1", None, "user", "hi")
    log.message("a1", "u1", "assistant", "hello")
    log.message("u2", "a1", "user", "more")
    log.message("a2", "u2", "assistant", "yes")
    log.turn("n1", "th1", "u1", "a1", 1)
    log.turn("n2", "th2", "u1", "a1", 2)
    log.turn("n3", "th3", "u2", "a2", 3)
    log.insert("threads", id="th4", name="Fork", tip_message_hash="a1", forked_from="th1")
    log.message("u9", None, "user", "from elsewhere")
    log.message("a9", "u9", "assistant", "said elsewhere")
    log.message("u8", "a9", "user", "here")
    log.turn("n4", "th5", "u8", None, 4)
    log.insert("threads", id="th6", tip_message_hash="a9", datetime_utc=TIME.format(7))
    take(home, log.done())
    assert [(m["session_key"], m["content"]) for m in stored(home)] == [
        ("llm:th1", "hi"),
        ("llm:th1", "hello"),
        ("llm:th2", "hi"),
        ("llm:th2", "hello"),
        ("llm:th3", "more"),
        ("llm:th3", "yes"),
        ("llm:th5", "from elsewhere"),
        ("llm:th5", "said elsewhere"),
        ("llm:th5", "here"),
        ("llm:th6", "from elsewhere"),
        ("llm:th6", "said elsewhere"),
    ]


def test_a_turn_that_its_thread_left_is_withdrawn(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db")
    log.message("u1", None, "user", "hi")
    log.message("a1", "u1", "assistant", "hello")
    for name, text in ("2", "old"), ("3", "new"):
        log.message(f"u{name}", "a1", "user", text)
        log.message(f"a{name}", f"u{name}", "assistant", text)
    log.turn("n1", "th1", "u1", "a1", 1)
    log.turn("n2", "th1", "u2", "a2", 2)
    log.turn("n3", "th1", "u3", "a3", 3)
    take(home, log.done())
    assert [(state, content) for _, _, state, content in told(home)] == [
        ("active", "hi"),
        ("active", "hello"),
        ("withdrawn", "old"),
        ("withdrawn", "old"),
        ("active", "new"),
        ("active", "new"),
    ]


def test_a_prompt_that_got_no_answer(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db")
    log.message("u1", None, "user", "hi")
    for number in (1, 2):
        log.turn(f"n{number}", f"th{number}", "u1", "u1", number)
    take(home, log.done())
    assert [(m["session_key"], m["timestamp"]) for m in stored(home)] == [
        ("llm:th1", TIME.format(1)),
        ("llm:th2", TIME.format(2)),
    ]


def test_what_is_in_the_log_beside_it_is_read_too(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db")
    log.connection.execute("PRAGMA journal_mode=WAL")
    log.response("r1", "hi", "hello", 1)
    log.connection.commit()
    assert (tmp_path / "logs.db-wal").stat().st_size
    before = [(tmp_path / name).read_bytes() for name in ("logs.db", "logs.db-wal")]
    take(home, log.path)
    assert [(tmp_path / name).read_bytes() for name in ("logs.db", "logs.db-wal")] == before
    log.done()
    assert [content for *_, content in told(home)] == ["hi", "hello"]


def test_circles_and_what_is_missing(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db")
    log.message("u1", "u2", "user", "1")
    log.message("u2", "u1", "user", "2")
    log.message("a1", "nowhere", "assistant", "3")
    log.message("x1", "a1", "robot", "4")
    log.turn("n1", "th1", "u1", "u2", 1)
    log.turn("n2", "th2", "gone", "a1", 2)
    log.turn("n3", "th3", None, "x1", 3)
    log.turn("n4", "th4", None, None, 4)
    (source,) = take(home, log.done()).sources
    assert [(m["session_key"], m["role"], m["origin"], m["content"]) for m in stored(home)] == [
        ("llm:th1", "user", "user", "2"),
        ("llm:th1", "user", "user", "1"),
        ("llm:th2", "assistant", "assistant", "3"),
        ("llm:th3", "assistant", "assistant", "3"),
        ("llm:th3", "system", "harness", "4"),
    ]
    assert (source["kept"], source["skipped"]) == (3, 1)


def test_a_value_that_is_too_long_costs_its_response(home: Home, tmp_path: Path) -> None:
    log = Log(tmp_path / "logs.db")
    log.response("r1", "hi", "hello", 1)
    log.response("r2", "x" * (4 * 1024 * 1024 + 1), "too much", 2)
    log.response("r3", "bye", "bye", 3, response_json="x" * (4 * 1024 * 1024 + 1))
    (source,) = take(home, log.done()).sources
    assert [content for *_, content in told(home)] == ["hi", "hello", "bye", "bye"]
    assert [source[name] for name in ("kept", "skipped", "quarantined")] == [2, 0, 1]


def test_a_log_without_conversations_is_an_error(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, Log(tmp_path / "logs.db").done())


def test_a_database_in_an_archive_is_said_to_need_unpacking(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        file.write(Log(tmp_path / "logs.db").done(), "logs.db")
    with archives.opened(tmp_path / "x.zip") as (member,), pytest.raises(WorkbenchError, match="unpack it first"):
        list(llm_logs.read(member, Counts()))


def test_other_databases_are_not_taken(tmp_path: Path) -> None:
    for number, schema in enumerate(
        ("CREATE TABLE messages (hash, role)", "CREATE TABLE responses (id, prompt)", FILES)
    ):
        path = tmp_path / f"{number}.db"
        connection = sqlite3.connect(path)
        connection.executescript(schema)
        connection.close()
        assert not llm_logs.sniff(importers.sample(path))


def test_places(tmp_path: Path) -> None:
    places = [
        ".config/io.datasette.llm/logs.db",
        "Library/Application Support/io.datasette.llm/logs.db",
        "moved/logs.db",
    ]
    for place in places:
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_bytes(b"")
    found = discover.find({"LLM_USER_PATH": str(tmp_path / "moved")}, tmp_path)
    assert found == sorted((Source(tmp_path / place, "llm") for place in places), key=lambda source: source.path)


TABLES = {
    "responses": [{"id": "r1", "prompt": "hi", "response": "hello", "conversation_id": "c1", "token_details": "{}"}],
    "tool_calls": [{"id": 1, "response_id": "r1", "name": "wc", "arguments": "{}"}],
    "prompt_fragments": [{"response_id": "r1", "fragment_id": 1, "order": 0}],
    "messages": [{"hash": "u1", "parent_hash": None, "role": "user"}, {"hash": "a1", "parent_hash": "u1", "role": "x"}],
    "parts": [
        {"id": 1, "message_hash": "u1", "position": 0, "type": "text", "payload": '{"text_ref": [{"fragment": 1}]}'},
        {"id": 2, "message_hash": "a1", "position": 0, "type": "tool_result", "payload": '{"output": "x"}'},
    ],
    "threads": [{"id": "th1", "name": "x", "tip_message_hash": "a1"}],
    "turns": [{"id": "n1", "thread_id": "th1", "parent_message_hash": "u1", "tip_message_hash": "a1"}],
}


@pytest.mark.parametrize("conversation", ["c1", "", None])
def test_a_response_without_an_id_is_said(conversation: str | None, tmp_path: Path) -> None:
    log, counts = Log(tmp_path / "logs.db"), Counts()
    for name in ("", "r2"):
        row = {**TABLES["responses"][0], "id": name, "conversation_id": conversation}
        log.insert("responses", **row)
    found = [
        (each.session.key, [said.identity for said in each.messages]) for each in llm_logs.read(log.done(), counts)
    ]
    assert found == [(f"llm:{conversation or 'r2'}", ["r2#prompt", "r2"])]
    assert counts.bad == [(0, "a row of responses without an id")]


@settings(deadline=None, max_examples=60)
@given(spoilt(TABLES))
def test_reading_never_fails(tables: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = Log(Path(folder) / "logs.db")
        for table, rows in tables.items():
            for row in rows if isinstance(rows, list) else ():
                try:
                    log.insert(table, **row)
                except Exception:
                    continue  # no database would hold that
        consume(llm_logs.read, log.done())
        assert llm_logs.sniff(importers.sample(log.path))
