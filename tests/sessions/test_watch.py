"""Reading while it is written: real files, real folders, a real thread or process; tests wait for what is told."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import environment
from tests.sessions.rows import KEY, SESSION, assistant, dump, said, stored, take, user, write
from workbench import db
from workbench.errors import NotFound
from workbench.home import Home
from workbench.sessions import ingest, store, watch
from workbench.sessions.canonical import read_header
from workbench.sessions.places import Places
from workbench.sessions.report import IngestReport

DEADLINE = 30.0


@dataclass
class Watching:
    """A watch in a thread, and what it told.

    :param looks: how often it has looked; ``reads``: how often it read sources.
    """

    reports: queue.Queue[IngestReport] = field(default_factory=queue.Queue)
    ready: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)
    looked: threading.Condition = field(default_factory=threading.Condition)
    looks: int = 0
    reads: int = 0

    def told(self) -> IngestReport:
        """What is told next."""
        return self.reports.get(timeout=DEADLINE)

    def until(self, new: int) -> list[IngestReport]:
        """What is told until so many new messages were read."""
        found: list[IngestReport] = []
        while sum(report.new for report in found) < new:
            found.append(self.told())
        assert sum(report.new for report in found) == new
        return found

    def after_looks(self, count: int) -> None:
        """Wait until it has looked so often again."""
        with self.looked:
            wanted = self.looks + count
            assert self.looked.wait_for(lambda: self.looks >= wanted, DEADLINE)

    def nothing_told(self, looks: int = 4) -> None:
        """Some looks later nothing was told."""
        self.after_looks(looks)
        assert self.reports.empty(), self.reports.get()


Start = Callable[..., Any]


@pytest.fixture
def start(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """``with start(*paths) as watching``; without paths, the places of agents below ``tmp_path``."""

    @contextmanager
    def started(*paths: Path, wait: bool = True, **options: Any) -> Iterator[Watching]:
        watching = Watching()
        look, read = watch._Watch._look, ingest.ingest

        def counted_look(self: Any, changed: Any) -> None:
            look(self, changed)
            with watching.looked:
                watching.looks += 1
                watching.looked.notify_all()

        def counted_read(*args: Any) -> IngestReport:
            watching.reads += 1
            return read(*args)

        monkeypatch.setattr(watch._Watch, "_look", counted_look)
        monkeypatch.setattr(ingest, "ingest", counted_read)
        thread = threading.Thread(
            target=watch.watch,
            args=(home, paths),
            kwargs={
                "stop": watching.stop,
                "told": watching.reports.put,
                "ready": lambda _: watching.ready.set(),
                "environ": {},
                "user": tmp_path,
                **options,
            },
            daemon=True,
        )
        thread.start()
        try:
            if wait:
                assert watching.ready.wait(DEADLINE)
            yield watching
        finally:
            watching.stop.set()
            thread.join(DEADLINE)
            monkeypatch.setattr(watch._Watch, "_look", look)
            monkeypatch.setattr(ingest, "ingest", read)
        assert not thread.is_alive()

    yield started


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as out:
        out.write(data)


def line(number: int, **fields: Any) -> bytes:
    return dump([user(f"Line {number}", f"u{number}", f"u{number - 1}" if number else None, **fields)])


def image(home: Home) -> dict[str, tuple[int, int, bytes]]:
    """Each file of a home: its inode, time and bytes."""
    files = sorted(path for path in home.root.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_a_line_is_there_within_a_second(start: Start, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    with start(path.parent) as watching:
        assert watching.told().new == 1
        seconds = []
        for number in range(1, 8):
            began = time.monotonic()
            append(path, line(number))
            (report,) = watching.until(1)
            seconds.append(time.monotonic() - began)
            assert stored(home)[-1]["content"] == f"Line {number}"
            assert [row["path"] for row in report.sources] == [str(path)]
    print(f"\na line is indexed {statistics.median(seconds):.2f} s after it was written, at most {max(seconds):.2f} s")
    assert statistics.median(seconds) < 1


def test_nothing_is_written_when_nothing_changes(
    start: Start, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    write(tmp_path / "t" / "bad.jsonl", [b"no line of anything\n"])
    os.utime(path, (1, 1))
    monkeypatch.setattr(watch, "_EVERYTHING", 0.0)
    with start(path.parent) as watching:
        assert watching.told().new == 1
        watching.after_looks(2)
        before, reads = image(home), watching.reads
        watching.nothing_told(4)
        assert watching.reads >= reads + 3  # it did look at everything
        assert image(home) == before


def test_a_torn_line_waits_for_its_end(start: Start, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    with start(path.parent) as watching:
        watching.until(1)
        whole = line(1)
        append(path, whole[:40])
        watching.nothing_told()
        assert len(stored(home)) == 1
        append(path, whole[40:])
        watching.until(1)
        assert said(home)[-1] == ("user", "user", "Line 1")
    with db.read(home.session_index, ingest.index.SCHEMA) as connection:
        assert connection.execute("SELECT sum(quarantined) FROM sources").fetchone()[0] == 0


def test_a_burst_is_read_in_few_goes(start: Start, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    with start(path.parent) as watching:
        watching.until(1)
        for number in range(1, 301):
            append(path, line(number))
        reports = watching.until(300)
    assert len(reports) < 60
    assert [row["content"] for row in stored(home)] == [f"Line {number}" for number in range(301)]


def test_rotation_and_deletion(start: Start, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0), line(1)])
    with start(path.parent) as watching:
        watching.until(2)
        path.rename(path.with_name("s.jsonl.1"))
        write(path, [line(0, sessionId="other"), line(2, sessionId="other")])
        watching.until(2)
        append(path, line(3, sessionId="other"))
        watching.until(1)
        path.unlink()
        watching.nothing_told()
        write(path, [line(4, sessionId="other")])
        watching.until(1)
        new = path.with_name("new.jsonl.part")
        write(new, [line(5, sessionId="other")])
        new.rename(path)  # as editors and syncs replace a file
        watching.until(1)
    assert [row["content"] for row in stored(home, KEY)] == ["Line 0", "Line 1"]
    assert [row["content"] for row in stored(home, "claude-code:other")] == [f"Line {n}" for n in (0, 2, 3, 4, 5)]


def test_a_named_file_may_go_and_come(start: Start, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    with start(path) as watching:
        watching.until(1)
        append(path, line(1))
        watching.until(1)
        write(path.with_name("unnamed.jsonl"), [line(9, sessionId="unnamed")])
        path.rename(path.with_name("s.old"))
        watching.nothing_told()
        write(path, [line(2)])
        watching.until(1)
        shutil.rmtree(path.parent)
        watching.nothing_told()
        write(path, [line(3)])
        watching.until(1)
    assert [row["content"] for row in stored(home)] == [f"Line {number}" for number in range(4)]


def test_folders_come_and_go(start: Start, home: Home, tmp_path: Path) -> None:
    folder, other = tmp_path / "t", tmp_path / "outside"
    folder.mkdir()
    with start(folder) as watching:
        write(folder / "a" / "b" / "s.jsonl", [line(0, sessionId="deep")])
        watching.until(1)
        write(other / "x" / "s.jsonl", [line(0, sessionId="moved"), line(1, sessionId="moved")])
        (other / "x").rename(folder / "x")
        watching.until(2)
        append(folder / "x" / "s.jsonl", line(2, sessionId="moved"))
        watching.until(1)
        shutil.rmtree(folder)
        watching.nothing_told()
        write(folder / "again.jsonl", [line(0, sessionId="again")])
        watching.until(1)
        append(folder / "again.jsonl", line(1, sessionId="again"))
        watching.until(1)
        folder.rename(tmp_path / "elsewhere")
        (tmp_path / "fresh").mkdir()
        (tmp_path / "fresh").rename(folder)  # another folder of the same name
        write(folder / "s.jsonl", [line(0, sessionId="fresh")])
        watching.until(1)
    assert {row["session_key"] for row in stored(home)} == {
        f"claude-code:{name}" for name in ("deep", "moved", "again", "fresh")
    }


def test_places_of_agents_that_are_not_there_yet(start: Start, home: Home, tmp_path: Path) -> None:
    """Nobody has used an agent here; then they do, and then another one, and a profile of it."""
    with start() as watching:
        first = write(tmp_path / ".claude/projects/-home-ada/s.jsonl", [line(0)])
        watching.until(1)
        append(first, line(1))
        watching.until(1)
        flowly = [{"_type": "metadata", "metadata": {}}, {"role": "user", "content": "Hi", "_event_id": "1"}]
        write(tmp_path / ".flowly/sessions/cli_x.jsonl", flowly)
        watching.until(1)
        write(tmp_path / ".flowly/profiles/work/sessions/cli_x.jsonl", flowly)
        watching.until(1)
        write(tmp_path / ".claude/elsewhere/s.jsonl", [line(9)])
        watching.nothing_told()
    keys = {row["session_key"] for row in stored(home)}
    assert keys == {KEY, "cli:x", "cli:x@work"}


def test_what_was_written_meanwhile_is_read_at_the_next_start(start: Start, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    for number in range(1, 4):
        with start(path.parent) as watching:
            assert watching.told().new == 1
            append(path, b"")
        append(path, line(number))
    with start(path.parent) as watching:
        assert watching.told().new == 1
    assert [row["content"] for row in stored(home)] == [f"Line {number}" for number in range(4)]


def test_one_file_that_can_not_be_read_stops_nothing(
    start: Start, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault is told once, not each minute, and again when it came back."""
    good, bad = tmp_path / "t" / "good.jsonl", tmp_path / "t" / "bad.jsonl"
    write(good, [line(0)])
    write(bad, [b"no line of anything\n"])
    monkeypatch.setattr(watch, "_EVERYTHING", 0.0)
    with start(good.parent) as watching:
        report = watching.told()
        assert report.new == 1 and [str(bad) in error for error in report.errors] == [True]
        watching.nothing_told()
        append(good, line(1))
        watching.until(1)
        write(bad, [line(0, sessionId="mended")])
        watching.until(1)
        watching.after_looks(2)
        write(bad, [b"no line of anything\n" * 3])
        assert [str(bad) in error for error in watching.told().errors] == [True]


def test_a_fault_of_a_reader_is_told_and_hinders_no_other(
    start: Start, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = ingest._Run._one

    def faulty(self: Any, source: Any) -> None:
        if source.path.name == "s3.jsonl":
            raise RecursionError("too deep")
        read(self, source)

    monkeypatch.setattr(ingest._Run, "_one", faulty)
    for number in range(6):
        write(tmp_path / "t" / f"s{number}.jsonl", [line(0, sessionId=f"s{number}")])
    with start(tmp_path / "t") as watching:
        assert len(stored(home)) == 5
        errors: list[str] = []
        while not errors:
            errors = watching.told().errors
        assert errors == [f"{tmp_path / 't' / 's3.jsonl'}: RecursionError: too deep"]
        while not watching.reports.empty():
            assert watching.told().errors == []
        append(tmp_path / "t" / "s5.jsonl", line(1, sessionId="s5"))
        watching.until(1)
    assert len(stored(home)) == 6


def test_a_home_in_a_watched_folder_is_not_read_for_its_own_writing(start: Start, home: Home, tmp_path: Path) -> None:
    assert home.root.parent == tmp_path
    path = write(tmp_path / "s.jsonl", [line(0)])
    with start(tmp_path) as watching:
        watching.until(1)
        watching.after_looks(3)
        reads = watching.reads
        append(path, line(1))
        watching.until(1)
        watching.nothing_told(6)
        assert watching.reads == reads + 1
    assert {row["session_key"] for row in stored(home)} == {KEY}


def test_a_file_beside_that_is_none_is_looked_at_some_times_only(start: Start, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    with start(path.parent) as watching:
        watching.until(1)
        for number in range(8):
            append(path.parent / "app.log", b"something happened\n")
            watching.after_looks(2)
            if number == 4:
                reads = watching.reads
        assert watching.reads == reads
        append(path, line(1))
        watching.until(1)


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_a_name_that_is_no_text(start: Start, home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    with start(path.parent) as watching:
        watching.until(1)
        (path.parent / os.fsdecode(b"\xff\xfe.txt")).write_text("x")
        assert "changes are looked for once a second" in watching.told().backlog[0]
        append(path, line(1))
        watching.until(1)


def test_without_a_way_to_be_told_it_looks_for_itself(
    start: Start, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system has no watches left: that is said once, and everything is looked at each second."""
    import watchfiles

    def none_left(*paths: str, **options: Any) -> Iterator[Any]:
        raise OSError("OS file watch limit reached")
        yield

    monkeypatch.setattr(watchfiles, "watch", none_left)
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    with start(path.parent) as watching:
        report = watching.told()
        assert report.backlog == ["changes are looked for once a second: OS file watch limit reached"]
        watching.until(1)
        append(path, line(1))
        assert [report.backlog for report in watching.until(1)] == [[]]


def test_a_conversation_that_rests_gets_its_metadata(
    start: Start, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_EVERYTHING", 0.0)
    path = write(tmp_path / "t" / "s.jsonl", [line(0)])
    with start(path.parent) as watching:
        watching.until(1)
        append(path, line(1, timestamp="2026-03-01T11:00:00.000Z"))
        watching.until(1)
        assert read_header(store.path_of(home, KEY))["updated_at"] == "2026-03-01T10:00:00.000Z"
        monkeypatch.setattr(ingest, "_QUIET_SECONDS", 0)
        watching.after_looks(2)
        assert read_header(store.path_of(home, KEY))["updated_at"] == "2026-03-01T11:00:00.000Z"


def test_it_stops_between_two_sources(start: Start, home: Home, tmp_path: Path) -> None:
    for number in range(50):
        write(tmp_path / "t" / f"s{number:02}.jsonl", [line(0, sessionId=f"s{number:02}")])
    stop, read = threading.Event(), ingest._Run._one

    def one_and_stop(self: Any, source: Any) -> None:
        read(self, source)
        stop.set()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ingest._Run, "_one", one_and_stop)
        watch.watch(home, [tmp_path / "t"], stop=stop)
    assert len(stored(home)) == 1  # what was read is whole, and indexed
    assert take(home, *sorted((tmp_path / "t").iterdir())).new == 49
    watch.watch(home, [tmp_path / "t"], stop=stop)


def test_a_slip_in_a_name_is_an_error(home: Home, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nowhere does not exist"):
        watch.watch(home, [tmp_path / "nowhere"], stop=threading.Event())


def test_what_lies_in_a_shallow_place_is_looked_at(home: Home, tmp_path: Path) -> None:
    """A database, and its log, in a folder with much else below it: that is no folder to be told of."""
    folder = tmp_path / ".hermes"
    (folder / "venv" / "lib").mkdir(parents=True)
    places = Places(home, [], True, {}, tmp_path)
    assert str(folder) not in places.folders()
    before = places.stamps([])
    assert str(folder) in before
    (folder / "state.db").write_bytes(b"x")
    assert places.stamps([])[str(folder)] != before[str(folder)]
    sources = [source for source in places.sources() if source.path == folder / "state.db"]
    stamps = places.stamps(sources)
    assert {str(folder / "state.db"), str(folder / "state.db-wal")} <= stamps.keys()
    assert stamps[str(folder / "state.db-wal")] is None
    (folder / "state.db-wal").write_bytes(b"log")
    assert places.stamps(sources)[str(folder / "state.db-wal")] is not None


# The command


def spawn(tmp_path: Path, *args: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "workbench", *args]
    return subprocess.Popen(
        command, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_signal_ends_it_with_one_line(tmp_path: Path, number: signal.Signals, as_json: bool) -> None:
    path = write(tmp_path / "t" / "s.jsonl", [line(0), assistant("Yes", "a0", "u0")])
    child = spawn(tmp_path, *(["--json"] if as_json else []), "ingest", "--watch", str(path.parent))
    assert child.stdout is not None and child.stderr is not None
    if not as_json:
        assert child.stdout.readline() == "2 new messages: s.jsonl\n"
    assert child.stderr.readline() == "watching: 1 transcript read; Ctrl-C stops\n"
    append(path, line(2))
    if not as_json:
        assert child.stdout.readline() == "1 new message: s.jsonl\n"
    else:
        home = Home(tmp_path / "home")
        deadline = time.monotonic() + DEADLINE
        while len(stored(home)) < 3 and time.monotonic() < deadline:
            os.sched_yield()
    child.send_signal(number)
    out, err = child.communicate(timeout=DEADLINE)
    assert (child.returncode, err) == (0, "")
    if as_json:
        assert json.loads(out) == {"reads": 2, "new": 3, "updated": 0, "removed": 0, "notes": 0}
    else:
        assert out == "stopped: 3 new messages in 2 reads\n"


def test_the_command_with_nothing_there(tmp_path: Path) -> None:
    done = spawn(tmp_path, "ingest", "--watch", str(tmp_path / "nowhere"))
    out, err = done.communicate(timeout=DEADLINE)
    assert (done.returncode, out) == (1, "") and err.startswith("workbench: ") and "nowhere does not exist" in err


def test_a_killed_one_is_followed_by_the_next(tmp_path: Path) -> None:
    path = write(tmp_path / ".claude/projects/p" / f"{SESSION}.jsonl", [line(0)])
    for number in range(1, 3):
        child = spawn(tmp_path, "ingest", "--watch")
        assert child.stdout is not None
        assert child.stdout.readline().startswith("1 new message")
        child.kill()
        child.communicate(timeout=DEADLINE)
        append(path, line(number))
    child = spawn(tmp_path, "ingest", "--watch")
    assert child.stdout is not None and child.stdout.readline().startswith("1 new message")
    child.terminate()
    child.communicate(timeout=DEADLINE)
    assert [row["content"] for row in stored(Home(tmp_path / "home"))] == ["Line 0", "Line 1", "Line 2"]
