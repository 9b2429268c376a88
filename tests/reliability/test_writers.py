"""Many writers and sudden deaths: nothing acknowledged is lost, nothing is half there."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

from tests.homes import fresh_home
from workbench import db
from workbench.home import Home
from workbench.ledger import audit, read, store
from workbench.notes import entries
from workbench.notes.projection import END, START
from workbench.operations import effects, memories, memory_md

CHILD = Path(__file__).with_name("child.py")
KILLS = 100


def start(home: Home, tag: str, count: int, mode: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(CHILD), str(home.root), tag, str(count), mode]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def assert_sound(home: Home) -> None:
    """The file is whole, the chain verifies, rows and full text agree, MEMORY.md is complete."""
    assert db.integrity(home.ledger, store.SCHEMA) == []
    assert memories.verify_audit(home).problems == []
    with store.reading(home) as connection:
        rows = connection.execute("SELECT count(*) FROM memories").fetchone()[0]
        created = connection.execute("SELECT count(*) FROM memory_events WHERE action = 'created'").fetchone()[0]
        without = connection.execute(
            "SELECT count(*) FROM memories WHERE id NOT IN (SELECT memory_id FROM memory_events)"
        ).fetchone()[0]
        active = {row["content"] for row in read.projection(connection, db.now())}
    assert (rows, without) == (created, 0)
    with store.writing(home) as connection:
        connection.execute("INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)")
    effects.drain(home)
    lines = home.memory_md.read_text().splitlines()
    assert (lines[0], lines[-1]) == (START, END)
    shown = {line[2:] for line in lines if line.startswith("- ")}
    left = active - shown
    assert shown <= active
    assert not left or sum(map(len, shown)) + max(map(len, left)) > memory_md.ROOM
    memory_md.refresh(home)
    audit.anchor(home, at=db.now())
    assert [p.name for p in [*home.root.iterdir(), *home.memory.iterdir()] if ".tmp" in p.name] == []


def test_a_hundred_kills_lose_nothing(home: Home) -> None:
    said: dict[str, str] = {}
    dice = random.Random(20261130)
    for number in range(KILLS):
        child = start(home, f"k{number}", 1_000, "rule")
        assert child.stdout is not None
        lines = [child.stdout.readline()]
        try:
            child.wait(timeout=dice.uniform(0, 0.2))
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        lines += child.stdout.readlines()
        _, errors = child.communicate()
        assert errors == "", errors
        for status, memory_id in (line.split() for line in lines if line.endswith("\n")):
            said[memory_id] = status
    with store.reading(home) as connection:
        stored = dict(connection.execute("SELECT id, status FROM memories").fetchall())
    assert len(said) >= KILLS
    assert [key for key in said if key not in stored] == []
    # The last acknowledged standing may have been followed by one that was stored but not said.
    assert set(stored.values()) <= {"active", "needs_review"}
    assert_sound(home)


def test_eight_writers_make_one_chain(tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    children = [start(home, f"w{number}", 200, "write") for number in range(8)]
    ids = []
    for child in children:
        output, errors = child.communicate()
        assert (child.returncode, errors) == (0, "")
        ids += output.split()[1::2]
    assert len(set(ids)) == 1_600
    assert memories.list_memories(home, limit=1).total == 1_600
    with store.reading(home) as connection:
        events = connection.execute("SELECT count(*), min(seq), max(seq) FROM memory_events").fetchone()
    assert tuple(events) == (1_600, 1, 1_600)
    assert_sound(home)


def assert_entries(home: Home, said: dict[str, str]) -> None:
    """What was acknowledged stands as it was said, each entry once, in MEMORY.md or its archive; nothing else does."""
    memory_md.refresh(home)
    stands = [
        each.text
        for path in (home.memory_md, home.memory_archive)
        if path.exists()
        for each in entries.entries(path.read_bytes())
    ]
    with store.reading(home) as connection:
        rows = {row["id"]: row for row in connection.execute("SELECT id, content, status FROM memories")}
    assert [key for key in said if key not in rows] == []
    assert [key for key, status in said.items() if status == "rejected" and rows[key]["status"] == "active"] == []
    assert sorted(stands) == sorted(row["content"] for row in rows.values() if row["status"] == "active")
    before = home.memory_md.read_bytes()
    assert memory_md.refresh(home).changed is False
    assert home.memory_md.read_bytes() == before
    assert [path.name for path in home.memory.iterdir() if ".tmp" in path.name] == []


def test_eight_append_at_once_and_some_are_killed(tmp_path: Path) -> None:
    home = fresh_home(tmp_path / "home")
    home.config.write_text('{"ledger": {"agentWrites": "keep"}}')
    said: dict[str, str] = {}
    dice = random.Random(20260301)
    children = [start(home, f"a{number}", 6 if number % 2 else 1_000, "append") for number in range(8)]
    for number, child in enumerate(children):
        assert child.stdout is not None
        lines = [child.stdout.readline()]
        if number % 2 == 0:
            try:
                child.wait(timeout=dice.uniform(0, 0.2))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
        lines += child.stdout.readlines()
        _, errors = child.communicate()
        assert errors == "", errors
        said |= {key: status for status, key in (line.split() for line in lines if line.endswith("\n"))}
    assert len(said) >= 4 * 6 + 4
    assert_entries(home, said)
    assert memories.verify_audit(home).problems == []
