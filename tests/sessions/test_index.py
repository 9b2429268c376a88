"""The index is made from the canonical files, and can be made again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.sessions.rows import KEY, assistant, check_full_text, dump, stored, take, user, write
from workbench import db, kept
from workbench.errors import SchemaMismatch
from workbench.home import Home
from workbench.sessions import browse, index, store
from workbench.sessions.model import Message, Session

MIXED = [
    user("I prefer tabs", "u1"),
    assistant("我会修改youer服务端", "a1", "u1"),
    user("old", "u2", "a1"),
    user("café", "u3", "a1"),
]


def rows_of(home: Home) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "n"} for row in stored(home)]


@pytest.fixture
def filled(home: Home, tmp_path: Path) -> Home:
    take(home, write(tmp_path / "s.jsonl", MIXED), write(tmp_path / "t.jsonl", [user("x", "x", sessionId="two")]))
    return home


def damage(home: Home) -> None:
    kept.release()
    path = home.session_index
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 40_000)


def lose(home: Home) -> None:
    kept.release()
    for suffix in ("", "-wal", "-shm"):
        home.session_index.with_name(home.session_index.name + suffix).unlink(missing_ok=True)


@pytest.mark.parametrize("harm", [lambda home: None, damage, lose])
def test_rebuild_gives_the_same_rows(harm: Any, filled: Home) -> None:
    before, sessions = rows_of(filled), browse.list_sessions(filled)["results"]
    harm(filled)
    done = index.rebuild(filled)
    assert (done.rows, done.backlog) == (5, [])
    assert rows_of(filled) == before
    assert browse.list_sessions(filled)["results"] == sessions
    check_full_text(filled)


GARBAGE: dict[str, bytes] = {
    "text": b"garbage",
    "lines": b"{broken\n" * 60,
    "zeros": bytes(5_000),
    "a torn line alone": b'{"id": 5, "ident',
}


@pytest.mark.parametrize("name", GARBAGE)
def test_a_file_that_holds_nothing_readable_is_said_and_left(name: str, filled: Home) -> None:
    """The index keeps what it had of it; made anew, it says what it could not read."""
    path = store.path_of(filled, KEY)
    path.write_bytes(GARBAGE[name])
    said = [f"nothing in {path} can be read; `workbench ingest` reads it from its source again"]
    assert index.sync(filled).damaged == said
    assert len(stored(filled, KEY)) == 4
    done = index.rebuild(filled)
    assert (done.rows, done.damaged, done.backlog) == (1, said, [])
    assert stored(filled, KEY) == []
    assert browse.status(filled)["backlog"] == 1
    assert path.read_bytes() == GARBAGE[name]
    check_full_text(filled)


def test_a_file_that_cannot_be_read_is_said(filled: Home) -> None:
    path = store.path_of(filled, KEY)
    path.unlink()
    path.mkdir()
    done = index.rebuild(filled)
    assert (done.rows, done.damaged) == (1, [f"cannot read {path}: it is no plain file; it is left as it is"])


def test_a_file_with_more_bad_lines_than_good_ones_is_said(filled: Home) -> None:
    path = store.path_of(filled, KEY)
    with path.open("ab") as out:
        out.write(b"{broken\n" * 51)
    assert index.rebuild(filled).damaged == [f"{path} is damaged (51 unreadable lines, 4 good ones)"]
    assert len(stored(filled, KEY)) == 4


def test_a_foreign_file_is_left_alone(home: Home, tmp_path: Path) -> None:
    import sqlite3

    lose(home)
    connection = sqlite3.connect(home.session_index)
    connection.execute("CREATE TABLE precious (x)")
    connection.close()
    with pytest.raises(SchemaMismatch, match="not made by this program"):
        index.rebuild(home)
    report = take(home, write(tmp_path / "s.jsonl", MIXED))
    assert report.new == 4 and report.backlog
    connection = sqlite3.connect(home.session_index)
    assert [row[0] for row in connection.execute("SELECT name FROM sqlite_master")] == ["precious"]
    connection.close()


def test_sync_follows_the_files(filled: Home) -> None:
    """A file changed by hand, one gone, one copied: the index says what is there, and what it can't take."""
    path = store.path_of(filled, KEY)
    text = path.read_text()
    path.write_text(text.replace("I prefer tabs", "I prefer spaces"))
    store.path_of(filled, "claude-code:two").unlink()
    shutil.copyfile(path, filled.sessions / "copy.jsonl")

    done = index.sync(filled)

    assert stored(filled)[0]["content"] == "I prefer spaces"
    assert len(stored(filled)) == 4
    assert len(done.backlog) == 1 and "hold the same conversation" in done.backlog[0]
    assert browse.status(filled)["backlog"] == 1
    check_full_text(filled)
    (filled.sessions / "copy.jsonl").unlink()
    assert index.sync(filled).backlog == []
    assert browse.status(filled)["backlog"] == 0


def test_lines_that_are_no_messages_are_left_out(filled: Home) -> None:
    """Whatever was written into a canonical file by hand: it is not indexed, it breaks nothing, a merge keeps it."""
    path = store.path_of(filled, KEY)
    good = {"id": 7, "identity": "x", "role": "user", "origin": "user", "state": "active", "content": "by hand"}
    odd = [
        {**good, "id": 1 << 63},
        {**good, "id": -1},
        {**good, "id": "7"},
        {**good, "role": "robot"},
        {**good, "content": {"a": 1}},
        {**good, "origin": None},
        {"identity": "x"},
        [1],
        {**good, "name": 5, "timestamp": {}, "thinking": [1], "tool_calls": 3},
    ]
    with path.open("ab") as out:
        out.write(dump(odd))
    assert index.sync(filled).backlog == []
    assert [row["content"] for row in stored(filled, KEY)][4:] == ["by hand"]
    store.merge(filled, Session(KEY), [Message("u1", "user", "user", "changed")])
    assert path.read_bytes().endswith(dump(odd))


def test_a_key_changed_in_the_file_moves_the_conversation(filled: Home) -> None:
    path = store.path_of(filled, KEY)
    path.write_bytes(path.read_bytes().replace(KEY.encode(), b"claude-code:renamed", 1))
    assert index.sync(filled).backlog == []
    assert stored(filled, KEY) == []
    assert len(stored(filled, "claude-code:renamed")) == 4
    check_full_text(filled)


def test_batches_do_not_change_the_result(
    home: Home, filled: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows_of(filled)
    monkeypatch.setattr(index, "_BATCH_ROWS", 2)
    index.rebuild(filled)
    assert rows_of(filled) == before
    messages = [Message(f"u{number}", "user", "user", f"again {number}") for number in range(1, 8)]
    store.merge(filled, Session(KEY), messages)
    index.sync(filled)
    again = rows_of(filled)
    index.rebuild(filled)
    assert rows_of(filled) == again
    assert [row["seq"] for row in stored(filled, KEY)] == list(range(11))
    check_full_text(filled)


def test_an_interrupted_sync_goes_on(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash between two batches of one rewritten file."""
    before = rows_of(filled)
    store.merge(filled, Session(KEY), [Message(f"u{n}", "user", "user", f"changed {n}") for n in range(1, 6)])
    monkeypatch.setattr(index, "_BATCH_ROWS", 1)
    original, calls = index._Writer.flush, []

    def crash(self: Any) -> None:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        original(self)

    monkeypatch.setattr(index._Writer, "flush", crash)
    with pytest.raises(KeyboardInterrupt):
        index.sync(filled)
    monkeypatch.setattr(index._Writer, "flush", original)
    assert index.sync(filled).backlog == []
    after = rows_of(filled)
    assert after != before
    index.rebuild(filled)
    assert rows_of(filled) == after
    check_full_text(filled)


def test_two_processes_do_not_index_twice(filled: Home) -> None:
    """A writer that started from an older state gives way."""
    store.merge(filled, Session(KEY), [Message("late", "user", "user", "late words")])
    (stale,) = index._changed(filled, index.Synced())
    assert index.sync(filled).rows == 1
    writer = index._Writer(filled)
    index._index(writer, stale, index.Synced())
    with pytest.raises(index._Raced):
        writer.flush()
    assert len(stored(filled, KEY)) == 5
    check_full_text(filled)


def test_only_this_module_changes_the_index() -> None:
    """Derived: losing it loses nothing, so it need not be durable; it says so."""
    assert not index.SCHEMA.durable
    assert index.SCHEMA.version == len(index.SCHEMA.load()._migrations)
    assert db.APPLICATION_ID == 0x4D574231
