"""A run over sources: what is read again, what is said, and what a failure leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.homes import fresh_home
from tests.sessions.rows import KEY, assistant, check_full_text, said, stored, take, user, write
from workbench import db, files
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.sessions import importers, index, search, spoken, store
from workbench.sessions import ingest as reading
from workbench.sessions.canonical import read_header
from workbench.sessions.discover import Source, expand
from workbench.sessions.ingest import ingest

TALK = [user("I prefer tabs", "u1"), assistant("Noted.", "a1", "u1")]


def image(home: Home) -> dict[str, tuple[int, bytes]]:
    """Each canonical file with its time and bytes."""
    entries = store.canonical_files(home)
    return {entry.name: (entry.stat().st_mtime_ns, Path(entry.path).read_bytes()) for entry in entries}


def test_ten_runs_are_one(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", TALK)
    first = take(home, path)
    files, rows = image(home), stored(home)
    assert first.totals == {
        "sources": 1,
        "sessions": 1,
        "messages": 2,
        "read": 2,
        "kept": 2,
        "skipped": 0,
        "quarantined": 0,
        "new": 2,
        "updated": 0,
        "removed": 0,
        "unchanged": 0,
        "errors": 0,
    }
    for number in range(9):
        if number % 3 == 0:
            os.utime(path)  # touched, not changed
        if number % 3 == 1:
            (home.session_index).unlink()  # what was read is forgotten, and read again
            for suffix in ("-wal", "-shm"):
                home.session_index.with_name(home.session_index.name + suffix).unlink(missing_ok=True)
        report = take(home, path)
        assert (report.new, report.updated, report.removed) == (0, 0, 0)
        assert image(home) == files
        assert [{**row, "n": 0} for row in stored(home)] == [{**row, "n": 0} for row in rows]


def test_an_unchanged_source_is_not_opened(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "s.jsonl", TALK)
    take(home, path)
    opened: list[str] = []
    original = files.opened
    monkeypatch.setattr(files, "opened", lambda path, *rest: opened.append(str(path)) or original(path, *rest))
    report = take(home, path)
    assert (report.unchanged, report.sources[0]["messages"], report.sources[0]["read"]) == (1, 2, 0)
    assert opened == []


def test_growth_appends(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", TALK)
    take(home, path)
    ((name, (_, before)),) = image(home).items()
    numbers = [row["n"] for row in stored(home)]
    write(path, [*TALK, user("and dark mode", "u2", "a1")])
    assert take(home, path).new == 1
    assert image(home)[name][1].startswith(before)
    assert [row["n"] for row in stored(home)][:2] == numbers
    assert search.discover(home, "dark mode")["count"] == 1
    check_full_text(home)


def test_a_rewritten_source_keeps_what_is_gone(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", TALK)
    take(home, path)
    write(path, [user("I prefer spaces", "u1"), user("new", "u2")])
    report = take(home, path)
    assert (report.new, report.updated) == (1, 1)
    assert [content for _, _, content in said(home)] == ["I prefer tabs", "I prefer spaces", "Noted.", "new"]
    assert [row["state"] for row in stored(home)] == ["active", "withdrawn", "active", "active"]
    assert search.discover(home, "tabs")["count"] == 1
    check_full_text(home)


def spoken_source(home: Home) -> str:
    """The source that the one conversation names."""
    return str(read_header(store.path_of(home, KEY))["metadata"]["source"])


def test_moved_and_copied_sources_give_nothing_new(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", TALK)
    take(home, path)
    before = image(home)
    copy = write(tmp_path / "elsewhere" / "renamed.jsonl", TALK)
    path.unlink()
    assert take(home, copy).new == 0
    assert [data.partition(b"\n")[2] for _, data in image(home).values()] == [
        data.partition(b"\n")[2] for _, data in before.values()
    ]
    assert spoken_source(home) == str(copy)  # where it was read last, for the first place is gone
    twin, after = write(tmp_path / "twin.jsonl", TALK), image(home)
    assert (take(home, twin).new, image(home) == after) == (0, True)


def test_our_own_recall_is_not_learned_again(home: Home, tmp_path: Path) -> None:
    """A transcript that holds the memory block an agent was given: nothing of it is the person's."""
    block = "<memory-workbench>\nThe user prefers tabs.\n</memory-workbench>"
    written = "<!-- FLOWLY-GENERATED-START -->\n- likes tea\n<!-- FLOWLY-GENERATED-END -->"
    take(home, write(tmp_path / "s.jsonl", [user(block, "u1"), user(written, "u2"), user("I like coffee", "u3")]))
    assert [row.content for row in spoken.new_messages(home, set())] == ["I like coffee"]


REFUSED: dict[str, tuple[Any, str]] = {
    "not json": (b"this is not json\nat all\n", "is not a transcript"),
    "json of something else": ([{"some": "thing"}], "is not a transcript"),
    "no messages": ([{"type": "file-history-snapshot", "messageId": "m"}], "holds no messages"),
    "only metadata": ([{"_type": "metadata", "key": "cli:x", "metadata": {}}], "holds no messages"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_source_that_gives_nothing(name: str, home: Home, tmp_path: Path) -> None:
    """Alone it is an error; among others it is counted, and said again while it stays as it is (that it is empty
    once is enough)."""
    content, words = REFUSED[name]
    path = write(tmp_path / "odd.jsonl", [content] if isinstance(content, bytes) else content)
    with pytest.raises(WorkbenchError, match=words) as raised:
        take(home, path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert image(home) == {}
    good = write(tmp_path / "good.jsonl", TALK)
    for _ in range(2):
        report = take(home, good, path)
        assert [words in error for error in report.errors] == [True] * ("no messages" not in words)
        assert report.totals["messages"] == 2


def test_an_empty_file_is_no_error(home: Home, tmp_path: Path) -> None:
    report = take(home, write(tmp_path / "empty.jsonl", [b""]), write(tmp_path / "s.jsonl", TALK))
    assert report.errors == [] and report.totals["sources"] == 2


def test_a_missing_source_is_named(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"cannot read .*gone\.jsonl: No such file"):
        take(home, tmp_path / "gone.jsonl")


def test_a_mostly_broken_source_is_reported(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [*TALK, *[b"{broken\n"] * 60])
    report = take(home, path)
    assert report.damaged == [f"{path}: 60 unusable lines, 2 good ones"]
    assert len(said(home)) == 2


def test_a_damaged_canonical_file_is_left_alone(home: Home, tmp_path: Path) -> None:
    path, other = write(tmp_path / "s.jsonl", TALK), write(tmp_path / "o.jsonl", [user("x", "x", sessionId="other")])
    take(home, path)
    canonical = store.path_of(home, KEY)
    whole = canonical.read_bytes()
    damaged = whole + b"{broken\n" * 60
    canonical.write_bytes(damaged)
    for _ in range(2):
        report = take(home, path, other)
        assert len(report.errors) == 1 and "is damaged (60 unreadable lines, 2 good ones)" in report.errors[0]
        assert canonical.read_bytes() == damaged
    canonical.unlink()
    assert take(home, path, other).errors == []
    assert canonical.read_bytes() == whole


def lost(path: Path) -> None:
    path.unlink()


def garbage(path: Path) -> None:
    path.write_bytes(b"garbage" * 1_000)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def shortened(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def scribbled(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"Noted", b'"oted'))


@pytest.mark.parametrize("rebuilt", [False, True])
@pytest.mark.parametrize("harm", [lost, garbage, emptied, shortened, scribbled])
def test_a_conversation_that_is_gone_comes_back_from_its_source(
    harm: Callable[[Path], None], rebuilt: bool, home: Home, tmp_path: Path
) -> None:
    """Though the source stands as it was; and the other sources are not opened for it."""
    path, other = write(tmp_path / "s.jsonl", TALK), write(tmp_path / "o.jsonl", [user("x", "x", sessionId="other")])
    take(home, path, other)
    canonical, before = store.path_of(home, KEY), said(home)
    whole = canonical.read_bytes()
    harm(canonical)
    if rebuilt:
        index.rebuild(home)
    report = take(home, path, other)
    assert (report.unchanged, report.errors) == (1, [])
    assert said(home) == before
    assert canonical.read_bytes() == whole or harm is scribbled
    kept = list(home.sessions.glob("*.damaged-*"))
    assert [file.read_bytes() for file in kept] == ([b"garbage" * 1_000] if harm is garbage else [])
    assert [str(canonical) in line and kept[0].name in line for line in report.damaged] == [True] * len(kept)
    again = take(home, path, other)
    assert (again.unchanged, again.damaged, again.backlog) == (2, [], [])
    check_full_text(home)


def test_a_rebuild_says_what_a_cut_file_lost(home: Home, tmp_path: Path) -> None:
    """And where its source is still there, the next ingest brings it back."""
    path = write(tmp_path / "s.jsonl", [user(f"number {n}", f"u{n}") for n in range(8)])
    take(home, path)
    canonical = store.path_of(home, KEY)
    whole = canonical.read_bytes()
    canonical.write_bytes(b"".join(whole.splitlines(keepends=True)[:4])[:-9])
    said_of_it = f"{canonical} holds 2 of the 8 messages that were known; "
    assert index.rebuild(home).damaged == [f"{said_of_it}`workbench ingest` of {path} brings them back"]
    assert index.rebuild(home).damaged == []
    assert take(home, path).new == 6
    assert canonical.read_bytes() == whole
    path.unlink()
    shortened(canonical)
    (problem,) = index.rebuild(home).damaged
    assert "holds 7 of the 8" in problem and problem.endswith("; its source is gone; a backup may help")


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Swapped between the listing and the reading, before or after its format was told."""
    good = write(tmp_path / "good.jsonl", TALK)
    names = ("s.jsonl", "chat.txt", "d.json", "logs.db")
    for name in names:
        os.mkfifo(tmp_path / name)
    given = [Source(good), *(Source(tmp_path / name) for name in names)]
    given += [Source(tmp_path / "logs.db", kind) for kind in ("llm", "hermes", "openclaw", "opencode", "claude-code")]
    listed = reading._state(good, "claude-code")
    monkeypatch.setattr(reading, "_state", lambda *_: listed)
    report = ingest(home, given)
    assert len(report.errors) == 9 and all("it is no plain file" in error for error in report.errors)
    assert report.new == 2


def test_bad_rows_are_named(home: Home, tmp_path: Path) -> None:
    """By file, line and reason, the first five; and so are those that come later."""
    rows = [TALK[0], b"{broken\n", b"\n", b'{"type": "user", \n', *[b"junk\n"] * 5, TALK[1]]
    path = write(tmp_path / "s.jsonl", rows)
    (bad,) = take(home, path).bad
    assert (bad["file"], bad["count"]) == (str(path), 7)
    assert [row["line"] for row in bad["rows"]] == [2, 4, 5, 6, 7]
    assert all(row["reason"].startswith("not JSON: JSONDecodeError") for row in bad["rows"])
    write(path, [*rows, b"more junk\n", user("bye", "u2", "a1")])
    assert [(bad["count"], [row["line"] for row in bad["rows"]]) for bad in take(home, path).bad] == [(1, [11])]
    assert take(home, path).bad == []


def test_a_failure_that_may_pass_is_tried_again(home: Home, tmp_path: Path) -> None:
    path, other = write(tmp_path / "s.jsonl", TALK), write(tmp_path / "o.jsonl", [user("x", "x", sessionId="other")])
    canonical = store.path_of(home, KEY)
    canonical.mkdir()
    assert [str(canonical) in error for error in take(home, path, other).errors] == [True]
    canonical.rmdir()
    assert take(home, path, other).errors == []
    assert len(said(home, KEY)) == 2


def test_the_metadata_line_is_renewed_once_the_source_rests(home: Home, tmp_path: Path) -> None:
    """While a conversation goes on lines are appended; a minute after its last one the first line says its end."""
    path = write(tmp_path / "s.jsonl", TALK)
    take(home, path)
    write(path, [*TALK, user("more", "u2", "a1", timestamp="2026-03-02T10:00:00.000Z")])
    take(home, path)
    header = lambda: read_header(store.path_of(home, KEY))["updated_at"]  # noqa: E731
    assert header() == "2026-03-01T10:00:00.000Z"
    before = said(home)
    long_ago = path.stat().st_mtime - 61
    os.utime(path, (long_ago, long_ago))
    report = take(home, path)
    assert (report.unchanged, header()) == (1, "2026-03-02T10:00:00.000Z")
    assert said(home) == before
    files = image(home)
    assert take(home, path).unchanged == 1
    assert image(home) == files
    check_full_text(home)


def test_an_index_that_fails_does_not_fail_the_save(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", TALK)
    index_bytes = home.session_index
    for suffix in ("-wal", "-shm"):
        index_bytes.with_name(index_bytes.name + suffix).unlink(missing_ok=True)
    index_bytes.unlink()
    index_bytes.mkdir()  # nothing can be opened there
    report = take(home, path)
    assert report.new == 2
    assert report.backlog
    assert len(image(home)) == 1
    index_bytes.rmdir()
    assert take(home, path).backlog == []
    assert len(said(home)) == 2


def test_progress_and_the_report(home: Home, tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{number}.jsonl", [user("x", f"u{number}", sessionId=str(number))]) for number in range(3)
    ]
    seen: list[tuple[int, int]] = []
    report = ingest(home, [Source(path) for path in paths], lambda done, total: seen.append((done, total)))
    size = paths[0].stat().st_size
    assert seen == [(size, 3 * size), (2 * size, 3 * size), (3 * size, 3 * size)]
    document = report.as_dict()
    assert set(document["sources"][0]) == {
        "path", "format", "sessions", "messages", "read", "kept", "skipped", "quarantined",
    }  # fmt: skip
    assert document["totals"]["messages"] == 3


def test_every_session_of_a_folder(home: Home, tmp_path: Path) -> None:
    write(tmp_path / "t" / "a" / "1.jsonl", TALK)
    write(tmp_path / "t" / "b" / "2.jsonl", [user("x", "x", sessionId="two")])
    (tmp_path / "t" / "b" / "loop").symlink_to(tmp_path / "t")
    (tmp_path / "t" / "b" / "readme.txt").write_text("no transcript")
    sources = expand(tmp_path / "t")
    assert [source.path.name for source in sources] == ["1.jsonl", "2.jsonl"]
    assert ingest(home, sources).totals["sessions"] == 2


def test_what_expand_refuses(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        expand(tmp_path / "nowhere")
    with pytest.raises(WorkbenchError, match="holds no"):
        expand(tmp_path)
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(WorkbenchError, match="neither a file nor a folder"):
        expand(tmp_path / "pipe.jsonl")


CHILD = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from workbench.home import Home
from workbench.sessions import store
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest
left = int(sys.argv[3])
write = os.write
def counted(handle, data):
    global left
    left -= 1
    if left == 0:
        write(handle, bytes(data)[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    return write(handle, data)
os.write = counted
ingest(Home(Path(sys.argv[1])), expand(Path(sys.argv[2])))
"""


def test_killed_anywhere_the_next_run_converges(home: Home, tmp_path: Path) -> None:
    """Killed in the middle of each write of a file in turn; then one run gives what an undisturbed one does."""
    for number in range(3):
        rows = [user(f"{number} {turn}", f"u{turn}", sessionId=f"s{number}") for turn in range(5)]
        write(tmp_path / "t" / f"{number}.jsonl", rows)
    undisturbed = fresh_home(tmp_path / "undisturbed")
    ingest(undisturbed, expand(tmp_path / "t"))
    killed = 0
    for left in range(1, 10):
        command = [sys.executable, "-c", CHILD, str(home.root), str(tmp_path / "t"), str(left)]
        done = subprocess.run(command, check=False, capture_output=True, timeout=60)
        killed += done.returncode == -signal.SIGKILL
        if done.returncode == 0:
            break
    assert killed >= 2
    ingest(home, expand(tmp_path / "t"))
    assert {name: data for name, (_, data) in image(home).items()} == {
        name: data for name, (_, data) in image(undisturbed).items()
    }
    assert [(row["id"], row["seq"], row["content"]) for row in stored(home)] == [
        (row["id"], row["seq"], row["content"]) for row in stored(undisturbed)
    ]
    assert not list(home.sessions.glob("*.tmp")) and not list(home.sessions.glob(".*.tmp"))
    assert db.integrity(home.session_index, index.SCHEMA) == []
    check_full_text(home)


def test_what_is_read_with_a_source_is_watched_with_it(home: Home, tmp_path: Path) -> None:
    """A database grows in its log first, a session of opencode in the folder of its messages."""
    storage = tmp_path / "storage"
    session = storage / "session" / "p" / "ses_1.json"
    message = storage / "message" / "ses_1" / "msg_1.json"
    for path, value in (
        (session, {"id": "ses_1", "projectID": "p", "directory": "/x", "time": {"created": 1, "updated": 2}}),
        (message, {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}),
        (storage / "part" / "msg_1" / "prt_1.json", {"id": "prt_1", "type": "text", "text": "Hello."}),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    assert ingest(home, [Source(session)]).new == 1
    assert ingest(home, [Source(session)]).unchanged == 1
    reply = {"id": "msg_2", "sessionID": "ses_1", "role": "assistant", "time": {"created": 2, "completed": 3}}
    message.with_name("msg_2.json").write_text(json.dumps(reply))
    (storage / "part" / "msg_2").mkdir()
    (storage / "part" / "msg_2" / "prt_2.json").write_text('{"id": "prt_2", "type": "text", "text": "Hi."}')
    assert ingest(home, [Source(session)]).new == 1
    assert ingest(home, [Source(session)]).unchanged == 1


def test_what_no_importer_foresaw_costs_its_source_alone(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = write(tmp_path / "a.jsonl", [user("hello", "u1")])
    bad = write(tmp_path / "b.jsonl", [user("hello", "u2", sessionId="b")])
    read = importers.registry()["claude-code"].read

    def failing(file: Path, counts: Any) -> Any:
        if file == bad:
            raise KeyError("surprise")
        return read(file, counts)

    odd = replace(importers.registry()["claude-code"], read=failing)
    monkeypatch.setitem(importers.registry(), "claude-code", odd)
    report = ingest(home, [Source(bad), Source(good)])
    assert report.errors == [f"{bad} can't be read: KeyError 'surprise'"]
    assert report.new == 1
