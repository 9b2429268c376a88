"""Notes indexed as they are saved: real files, real folders, a real thread; tests wait for what is told."""

from __future__ import annotations

import json
import queue
import shutil
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.sessions.test_watch import image, spawn
from workbench import config
from workbench.errors import Busy
from workbench.home import Home
from workbench.index import store
from workbench.index.notes import Synced
from workbench.operations import note_watch, notes

DEADLINE = 30.0
EXTRA = "agents.defaults.memorySearch.extraPaths"


@dataclass
class Watching:
    """A watch in a thread, and what it told."""

    home: Home
    reports: queue.Queue[Synced] = field(default_factory=queue.Queue)
    ready: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)
    looked: threading.Condition = field(default_factory=threading.Condition)
    looks: int = 0

    def told(self) -> Synced:
        """What is told next."""
        return self.reports.get(timeout=DEADLINE)

    def until(self, *paths: str) -> None:
        """Wait until just these notes are in the index."""
        while indexed(self.home) != sorted(paths):
            self.told()

    def after_looks(self, count: int) -> None:
        """Wait until it has looked so often again."""
        with self.looked:
            wanted = self.looks + count
            assert self.looked.wait_for(lambda: self.looks >= wanted, DEADLINE)

    def nothing_told(self) -> None:
        """Some looks later nothing was told."""
        self.after_looks(4)
        assert self.reports.empty(), self.reports.get()


Start = Callable[[], AbstractContextManager[Watching]]


@pytest.fixture
def start(home: Home, monkeypatch: pytest.MonkeyPatch) -> Start:
    @contextmanager
    def started() -> Iterator[Watching]:
        watching = Watching(home)
        look = note_watch._Watch._look

        def counted(self: Any, changed: Any) -> bool:
            moved = look(self, changed)
            with watching.looked:
                watching.looks += 1
                watching.looked.notify_all()
            return moved

        with monkeypatch.context() as patched:
            patched.setattr(note_watch._Watch, "_look", counted)
            with note_watch.in_background(home, watching.reports.put, lambda _: watching.ready.set()):
                assert watching.ready.wait(DEADLINE)
                yield watching

    return started


@pytest.fixture
def vault(home: Home, tmp_path: Path) -> Path:
    """A further folder of notes, named in the settings."""
    folder = tmp_path / "vault"
    folder.mkdir()
    config.change(home, {EXTRA: [str(folder)]})
    return folder


def indexed(home: Home) -> list[str]:
    """The notes of the index that say something."""
    with store.reading(home) as connection:
        return [row[0] for row in connection.execute("SELECT DISTINCT path FROM chunks ORDER BY path")]


def said(home: Home, path: str) -> list[str]:
    with store.reading(home) as connection:
        return [row[0] for row in connection.execute("SELECT text FROM chunks WHERE path = ? ORDER BY n", (path,))]


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_save_is_indexed_within_a_second(start: Start, home: Home) -> None:
    put(home.memory / "2026-03-01.md", "Day 0")
    with start() as watching:
        assert said(home, "memory/2026-03-01.md") == ["Day 0"]
        seconds = []
        for number in range(1, 6):
            began = time.monotonic()
            put(home.memory / "2026-03-01.md", f"Day {number}")
            assert watching.told() == Synced(files=1, read=1, chunked=1)
            seconds.append(time.monotonic() - began)
            assert said(home, "memory/2026-03-01.md") == [f"Day {number}"]
    print(f"\na note is indexed {statistics.median(seconds):.2f} s after its save, at most {max(seconds):.2f} s")
    assert statistics.median(seconds) < 1


def test_nothing_is_written_when_nothing_changes(start: Start, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home.memory / "a.md", "radishes")
    monkeypatch.setattr(note_watch, "_EVERYTHING", 0.0)
    with start() as watching:
        watching.after_looks(2)
        before = image(home)
        watching.nothing_told()
        assert image(home) == before


def test_what_is_no_note_makes_it_compare_nothing(start: Start, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with start() as watching:
        watching.after_looks(2)
        synced: list[Home] = []
        monkeypatch.setattr(notes, "sync", lambda home: synced.append(home) or Synced())
        put(home.memory / ".a.md.swp", "no note")
        put(home.memory / "a.txt", "no note")
        watching.after_looks(4)
        assert synced == []


def test_saves_by_rename_deletion_and_emptying(start: Start, home: Home, vault: Path) -> None:
    note = put(vault / "a.md", "one")
    with start() as watching:
        put(vault / ".a.md.tmp", "two").rename(note)
        assert watching.told().chunked == 1
        assert said(home, "vault/a.md") == ["two"]
        note.rename(vault / "b.md")
        watching.until("vault/b.md")
        put(vault / "b.md", "")
        watching.until()
        put(vault / "b.md", "back")
        watching.until("vault/b.md")
        (vault / "b.md").unlink()
        watching.until()


def test_folders_come_and_go(start: Start, home: Home, vault: Path, tmp_path: Path) -> None:
    with start() as watching:
        put(vault / "x" / "y" / "a.md", "deep")
        watching.until("vault/x/y/a.md")
        put(vault / "x" / "y" / "b.md", "deep, too")
        watching.until("vault/x/y/a.md", "vault/x/y/b.md")
        put(tmp_path / "outside" / "c.md", "moved in")
        (tmp_path / "outside").rename(vault / "in")
        shutil.rmtree(vault / "x")
        watching.until("vault/in/c.md")
        put(vault / "in" / "c.md", "changed there")
        assert watching.told().chunked == 1
        shutil.rmtree(vault)
        assert watching.told().unreadable == [f"{vault} is no folder of notes that can be read"]
        watching.until()
        put(vault / "again.md", "again")
        watching.until("vault/again.md")
        put(vault / "again.md", "and again")
        assert watching.told().chunked == 1
        shutil.rmtree(home.memory)
        put(home.memory / "d.md", "the home's own folder")
        watching.until("memory/d.md", "vault/again.md")


def test_links_out_of_a_folder_and_hidden_ones_are_not_followed(start: Start, home: Home, vault: Path) -> None:
    outside = vault.with_name("outside")
    put(outside / "secret.md", "secret")
    (vault / "link").symlink_to(outside)
    (vault / "secret.md").symlink_to(outside / "secret.md")
    put(vault / ".obsidian" / "a.md", "hidden")
    with start() as watching:
        assert indexed(home) == []
        put(outside / "secret.md", "another secret")
        put(vault / ".obsidian" / "a.md", "still hidden")
        (vault / "late").symlink_to(outside)
        watching.nothing_told()
        put(vault / "a.md", "a note")
        watching.until("vault/a.md")
        with pytest.raises(Exception, match="is a link or lies behind one"):
            notes.memory_get(home, "vault/link/secret.md")


def test_a_folder_named_meanwhile_is_watched(start: Start, home: Home, tmp_path: Path) -> None:
    """An OpenClaw workspace beside a vault; both have a folder of the same name."""
    put(tmp_path / "claw" / "workspace" / "memory" / "2026-03-01.md", "claws")
    put(tmp_path / "workspace" / "b.md", "more")
    with start() as watching:
        config.change(home, {EXTRA: [str(tmp_path / "claw" / "workspace")]})
        watching.until("workspace/memory/2026-03-01.md")
        config.change(home, {EXTRA: [str(tmp_path / "claw" / "workspace"), str(tmp_path / "workspace")]})
        watching.until("workspace-2/b.md", "workspace/memory/2026-03-01.md")
        put(tmp_path / "workspace" / "b.md", "changed")
        assert watching.told().chunked == 1
        home.config.write_text('{"agents": {"defaults": {"memorySearch": {"extraPaths": 5}}}}')
        assert "extraPaths must be a list of texts, not 5" in watching.told().unreadable[0]
        config.change(home, {EXTRA: []})
        watching.until()


def test_what_changed_meanwhile_is_indexed_at_the_next_start(start: Start, home: Home) -> None:
    note = put(home.memory / "a.md", "0")
    for number in range(1, 4):
        with start():
            assert said(home, "memory/a.md") == [str(number - 1)]
        put(note, str(number))


def test_a_fault_is_told_once_and_ends_nothing(start: Start, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    sync, faults = notes.sync, iter([Busy("held"), Busy("held"), RecursionError("deep")])

    def faulty(home: Home) -> Synced:
        for fault in faults:
            raise fault
        return sync(home)

    monkeypatch.setattr(note_watch, "_REST", 0.0)
    with start() as watching:
        monkeypatch.setattr(notes, "sync", faulty)
        put(home.memory / "a.md", "radishes")
        told = [watching.told() for _ in range(3)]
    assert [each.unreadable for each in told] == [["held"], ["notes: RecursionError: deep"], []]
    assert said(home, "memory/a.md") == ["radishes"]


def test_without_a_way_to_be_told_it_looks_for_itself(
    start: Start, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    def none_left(*paths: str, **options: Any) -> Iterator[Any]:
        raise OSError("OS file watch limit reached")
        yield

    monkeypatch.setattr(watchfiles, "watch", none_left)
    with start() as watching:
        assert watching.told().unreadable == ["changes are looked for once a second: OS file watch limit reached"]
        put(home.memory / "a.md", "radishes")
        assert watching.told().chunked == 1


def test_the_command_indexes_notes_as_they_are_saved(tmp_path: Path) -> None:
    put(tmp_path / "vault" / "a.md", "radishes")
    home = Home(tmp_path / "home")
    put(home.config, json.dumps({"agents": {"defaults": {"memorySearch": {"extraPaths": ["~/vault"]}}}}))
    child = spawn(tmp_path, "ingest", "--watch")
    assert child.stdout is not None and child.stderr is not None
    assert {child.stderr.readline() for _ in range(2)} == {
        "watching: 0 transcripts read; Ctrl-C stops\n",
        "watching: 1 note\n",
    }
    put(tmp_path / "vault" / "b.md", "beetroot")
    assert child.stdout.readline() == "1 note indexed\n"
    (tmp_path / "vault" / "a.md").unlink()
    assert child.stdout.readline() == "1 note gone\n"
    child.terminate()
    out, err = child.communicate(timeout=DEADLINE)
    assert (child.returncode, out, err) == (0, "stopped: 0 new messages in 0 reads\n", "")
    assert indexed(home) == ["vault/b.md"]
