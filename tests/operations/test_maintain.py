"""``workbench maintain``: one run does all that is due, a second does nothing, and a killed one is finished."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.index.hashing import Hashing
from tests.ledger.conftest import BASE, column, rows, say  # noqa: F401 - a fixture
from workbench import db, files
from workbench.cli import cli
from workbench.home import Home
from workbench.index import embed, memory_vectors
from workbench.ledger import audit, evidence, outbox, store
from workbench.ledger.change import Change, new_id
from workbench.ledger.gate import check
from workbench.ledger.model import DREAMER, PERSON, Evidence, Proposal, SourceType
from workbench.ledger.time import stamp
from workbench.ledger.write import propose
from workbench.operations import effects, maintain, memory_md, rulings
from workbench.operations.evidence import Swept
from workbench.operations.recall import recall_memories

Say = Callable[..., Proposal]
NOW = "2026-06-03T10:00:00.000000Z"
WAITS: dict[str, Any] = {"explicit": False, "confidence": 0.7}


def ago(days: float) -> str:
    return stamp(datetime.fromisoformat(NOW) - timedelta(days=days))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Set the clock; it stands still."""
    return lambda instant: monkeypatch.setattr(db, "now", lambda: instant)


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> Hashing:
    """A small embedder in place of the model."""
    small = Hashing()
    monkeypatch.setattr(embed, "load", lambda home: small)
    return small


def vectors(home: Home) -> set[str]:
    with sqlite3.connect(f"file:{home.memory_index}?mode=ro", uri=True) as connection:
        return {row[0] for row in connection.execute("SELECT memory_id FROM memory_vectors")}


def everything(home: Home) -> dict[str, Any]:
    """All that a run could change: every table of the ledger, and the bytes of the plain files."""
    with store.reading(home) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: [tuple(row) for row in connection.execute(f"SELECT * FROM {name}")] for name in tables}
    plain = [path for path in home.root.rglob("*") if path.is_file() and "sqlite" not in path.name]
    return found | {str(path): path.read_bytes() for path in plain} | {"vectors": vectors(home)}


def fill(home: Home, say: Say, clock: Callable[[str], None], tmp_path: Path) -> dict[str, str]:  # noqa: F811
    """Something for every step; the ids by what is to become of them."""
    clock(ago(100))
    gone = Evidence(SourceType.FILE, str(tmp_path / "gone"), "words")
    ids = {
        "expires": say("A guess.", **WAITS).memory_id,
        "sinks": say("Runs Debian.").memory_id,
        "confirmed": say("Confirmed.", evidence=(gone,)).memory_id,
        "ends": say("Until May.", valid_to="2026-05-01", valid_from="2026-01-01").memory_id,
    }
    rulings.accept(home, PERSON, ids["confirmed"] or "")
    rulings.accept(home, PERSON, ids["ends"] or "")
    with store.writing(home) as connection:
        change = Change(connection, PERSON)
        for number in range(60):
            change.insert(
                "memory_revisions",
                id=new_id("v"),
                memory_id=ids["confirmed"],
                content=f"Wording {number}.",
                snapshot="{}",
                actor="person:owner",
                created_at=ago(90 - number),
            )
        change.record("corrected", ids["confirmed"])
        connection.executemany(
            "INSERT INTO lens_archive (id, payload, included, truncated, created_at) VALUES (?, 'x', '[]', '[]', ?)",
            [(f"l_{n}", ago(n)) for n in range(203)],
        )
    memory_md.refresh(home)
    clock(ago(1))
    ids["stays"] = say("Fresh.", evidence=(replace(gone, source_ref=str(tmp_path / "x")),)).memory_id
    ids["plain"] = say("Plain.").memory_id
    (tmp_path / "x").write_text("other")
    clock(NOW)
    return {name: memory_id or "" for name, memory_id in ids.items()}


def test_one_run_does_all_and_a_second_nothing(
    home: Home,
    say: Say,  # noqa: F811
    clock: Callable[[str], None],
    tmp_path: Path,
) -> None:
    ids = fill(home, say, clock, tmp_path)
    (home.root / f".{home.ledger.name}.0123456789abcdef.tmp").write_text("left")
    (home.memory / ".MEMORY.md.0123456789abcdef.tmp").write_text("left")
    (home.sessions / ".x.jsonl.0123456789abcdef.tmp").write_text("left")
    planned = maintain.plan(home)
    assert planned.model_dump() == {
        "conjectures": 1,
        "faded": 0,
        "dormant": 1,
        "revisions": 1,
        "lenses": 3,
        "spot_checks": 4,
        "vectors": 5,
        "outbox": 1,
        "unanchored": planned.unanchored,
    }
    before = column(home, ids["confirmed"], "content", "authority", "status", "updated_at")
    done = maintain.run(home, chance=random.Random(1))
    assert done.evidence == Swept(checked=2, changed=1, gone=1, memories=2)
    assert (done.expired, done.sunk, done.folded, done.lenses, done.spot_checks) == (1, 1, 1, 3, 1)
    assert (done.embedded, done.reclaimed, done.memory_md, done.backlog) == (4 + 1, 0, True, 0), "MEMORY.md is a note"
    assert done.leftovers >= 2 and not list(home.root.rglob("*.tmp"))
    assert (done.problems, done.remarks, done.changed) == ([], [], True)
    assert column(home, ids["expires"], "status") == column(home, ids["sinks"], "status") == ("archived",)
    assert column(home, ids["confirmed"], "content", "authority", "status", "updated_at") == before
    assert column(home, ids["confirmed"], "review_reason") == ("evidence_stale",)
    assert column(home, ids["stays"], "status", "review_reason") == ("active", "evidence_stale")
    assert column(home, ids["plain"], "status", "review_reason") == ("active", "spot_check")
    assert vectors(home) == {ids["confirmed"], ids["stays"], ids["ends"], ids["plain"]}
    assert "Confirmed." in home.memory_md.read_text() and "Until May." not in home.memory_md.read_text()
    found = audit.verify(home)
    assert (found.problems, found.unanchored) == ([], 0)

    state = everything(home)
    again = maintain.run(home)
    assert (again.changed, again.problems) == (False, [])
    assert again == maintain.Maintained(evidence=Swept(checked=2))
    assert everything(home) == state
    assert set(maintain.plan(home).model_dump().values()) == {0}


def test_a_plan_writes_nothing(
    home: Home,
    say: Say,  # noqa: F811
    clock: Callable[[str], None],
    tmp_path: Path,
) -> None:
    fill(home, say, clock, tmp_path)
    memory_vectors.sync(home, Hashing(), {})
    state = everything(home)
    assert maintain.plan(home).conjectures == 1
    assert everything(home) == state


def test_an_undone_step_stays_undone(
    home: Home,
    say: Say,  # noqa: F811
    clock: Callable[[str], None],
    tmp_path: Path,
) -> None:
    fill(home, say, clock, tmp_path)
    before = rows(home)
    with store.reading(home) as connection:
        mark = connection.execute("SELECT max(seq) FROM memory_events").fetchone()[0]
    maintain.run(home)
    with store.reading(home) as connection:
        changes = connection.execute(
            "SELECT change_id FROM memory_events WHERE seq > ? GROUP BY change_id ORDER BY max(seq) DESC", (mark,)
        ).fetchall()
    for (change_id,) in changes:
        rulings.undo(home, PERSON, change_id=change_id)
    assert rows(home) == before
    again = maintain.run(home)
    assert (again.evidence.gone, again.evidence.changed, again.expired, again.sunk, again.spot_checks) == (0,) * 5
    assert again.folded == 1  # it loses nothing, and rows of one memory are not let grow without end


def test_what_time_ends_leaves_memory_md_and_the_vectors(
    home: Home,
    say: Say,  # noqa: F811
    clock: Callable[[str], None],
) -> None:
    """No row changes when a validity ends or begins."""
    clock(ago(10))
    ends = say("Until June.", valid_from="2026-01-01", valid_to=ago(1)).memory_id
    begins = say("From June.", valid_from=ago(2)).memory_id
    maintain.run(home)
    assert "Until June." in home.memory_md.read_text() and "From June." not in home.memory_md.read_text()
    assert vectors(home) == {ends, begins}
    before = rows(home)["memories"]
    clock(NOW)
    done = maintain.run(home)
    assert (done.memory_md, done.reclaimed, done.embedded) == (True, 1, 1), "MEMORY.md is a note, too"
    assert "Until June." not in home.memory_md.read_text() and "From June." in home.memory_md.read_text()
    assert vectors(home) == {ends, begins}
    then, now = (recall_memories(home, PERSON, "Until June.", as_of=at).items for at in (ago(2), None))
    assert (then[0].id, then[0].match_paths) == (ends, ["words", "vectors"])
    assert ends not in [item.id for item in now]
    unreviewed = [tuple(v for v in row if v != "spot_check") for row in rows(home)["memories"]]
    assert len(unreviewed) == len(before)


def test_a_clock_set_back_does_no_harm(
    home: Home,
    say: Say,  # noqa: F811
    clock: Callable[[str], None],
) -> None:
    clock(NOW)
    say("Plain.")
    say("A guess.", **WAITS)
    maintain.run(home)
    before = rows(home)["memories"]
    clock("1999-12-31T23:59:59.000000Z")
    done = maintain.run(home)
    assert (done.expired, done.sunk, done.spot_checks, done.problems) == (0, 0, 0, [])
    assert rows(home)["memories"] == before
    clock(ago(-1))
    maintain.run(home)
    assert "Plain." in home.memory_md.read_text()
    audit.anchor(home, at=db.now())
    assert audit.verify(home).problems == []


def test_batches(home: Home, clock: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch is a transaction and a change of its own."""
    monkeypatch.setattr(maintain, "BATCH", 4)
    clock(ago(200))
    with store.writing(home) as connection:
        change = Change(connection, DREAMER)
        for number in range(9):
            propose(change, check(replace(BASE, content=f"Guess {number}.", **WAITS)))
            propose(change, check(replace(BASE, content=f"Fact {number}.")))
    clock(NOW)
    done = maintain.run(home)
    assert (done.expired, done.sunk) == (9, 9)
    with store.reading(home) as connection:
        sizes = connection.execute(
            "SELECT count(*) FROM memory_events WHERE action = 'archived' GROUP BY change_id ORDER BY min(seq)"
        ).fetchall()
    assert [row[0] for row in sizes] == [4, 4, 1, 4, 4, 1]


def test_without_an_embedder_it_is_said(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(embed, "load", lambda home: None)
    say()
    assert maintain.plan(home).vectors is None
    done = maintain.run(home)
    assert "there is no embedding model" in done.remarks[0]
    assert (done.problems, db.exists(home.memory_index)) == ([], False)


def test_a_failure_outside_hinders_no_step_and_is_said(
    home: Home,
    say: Say,  # noqa: F811
    clock: Callable[[str], None],
    embedder: Hashing,
    tmp_path: Path,
) -> None:
    ids = fill(home, say, clock, tmp_path)
    home.memory_md.unlink()
    home.memory_md.mkdir()
    embedder.before = lambda: (_ for _ in ()).throw(embed.BadVectors("no vectors today"))
    done = maintain.run(home)
    assert (done.expired, done.sunk, done.backlog) == (1, 1, 1)
    assert len(done.problems) == 2 and "MEMORY.md" in done.problems[0] and "no vectors today" in done.problems[1]
    embedder.before = lambda: None
    home.memory_md.rmdir()
    again = maintain.run(home)
    assert (again.problems, again.backlog, again.embedded) == ([], 0, 4 + 1)
    assert column(home, ids["confirmed"], "status") == ("active",)


def test_a_log_is_emptied(home: Home, say: Say) -> None:  # noqa: F811
    """A reader in between keeps the log; it is emptied all the same, and nothing is lost."""
    with sqlite3.connect(home.ledger) as onlooker:
        onlooker.execute("SELECT count(*) FROM memories").fetchone()
        onlooker.commit()
        memory_id = say().memory_id
        log = home.ledger.with_name(home.ledger.name + "-wal")
        assert log.stat().st_size > 0
        done = maintain.run(home)
        assert home.ledger.name in done.logs
        assert log.stat().st_size == 0
    assert column(home, memory_id, "content") == ("Lives in Berlin.",)


def test_what_another_process_is_writing_is_no_leftover(home: Home) -> None:
    """A temporary file is removed only under the lock that its writer holds."""
    maintain.run(home)
    lock = home.memory_md.with_name(".MEMORY.md.lock")
    writing = home.memory / ".MEMORY.md.fedcba9876543210.tmp"
    holder = (
        "import sys, pathlib; from workbench import files\n"
        "with files.lock(pathlib.Path(sys.argv[1])):\n"
        "    pathlib.Path(sys.argv[2]).write_text('half'); print('held', flush=True); sys.stdin.readline()\n"
        "    pathlib.Path(sys.argv[2]).unlink()\n"
    )
    command = [sys.executable, "-c", holder, str(lock), str(writing)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout and child.stdout.readline() == "held\n"
        with pytest.raises(files.Busy), files.lock(lock, timeout=0):
            pass
        assert writing.exists()
        child.communicate("\n")
    assert maintain.run(home).leftovers == 0


KILLED = """
import sys
from pathlib import Path
from workbench.home import Home
from workbench.operations import evidence, maintain
maintain.BATCH = evidence.BATCH = 2
print("begun", flush=True)
maintain.run(Home(Path(sys.argv[1])))
"""


@pytest.mark.parametrize("events", [1, 12, 25])
def test_a_killed_run_is_finished_by_the_next(home: Home, tmp_path: Path, events: int) -> None:
    """Killed when some of its events are there, at whatever point that is."""
    with store.writing(home) as connection:
        change = Change(connection, DREAMER)
        ids = [
            propose(
                change,
                check(
                    replace(
                        BASE,
                        content=f"Fact {number}.",
                        evidence=(Evidence(SourceType.FILE, str(tmp_path / str(number)), "x"),),
                    )
                ),
            ).memory_id
            for number in range(40)
        ]
    effects.drain(home)
    with store.reading(home) as connection:
        begun = connection.execute("SELECT max(seq) FROM memory_events").fetchone()[0]
    with subprocess.Popen([sys.executable, "-c", KILLED, str(home.root)], stdout=subprocess.PIPE) as child:
        while child.poll() is None:
            with store.reading(home) as connection:
                if connection.execute("SELECT max(seq) FROM memory_events").fetchone()[0] >= begun + events:
                    child.send_signal(signal.SIGKILL)
                    break
            time.sleep(0.005)
    done = maintain.run(home)
    assert done.problems == []
    assert {column(home, memory_id, "status", "review_reason") for memory_id in ids} == {("active", "evidence_stale")}
    with store.reading(home) as connection:
        marked = connection.execute(
            "SELECT count(*), count(DISTINCT memory_id) FROM memory_events WHERE action = 'evidence_missing'"
        ).fetchone()
    assert tuple(marked) == (40, 40)
    assert outbox.backlog(home) == 0
    assert audit.verify(home).problems == []


def run_cli(home: Home, *args: str) -> Any:
    return CliRunner().invoke(cli, ["--home", str(home.root), *args])


def test_the_command(
    home: Home,
    say: Say,  # noqa: F811
    clock: Callable[[str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(home, say, clock, tmp_path)
    dry = run_cli(home, "maintain", "--dry-run")
    assert (dry.exit_code, "1  to archive: not answered in time" in dry.stdout) == (0, True)
    done = run_cli(home, "maintain")
    assert (done.exit_code, "1  archived: not answered in time" in done.stdout) == (0, True)
    assert all(len(line) <= 80 for line in (dry.stdout + done.stdout).splitlines())
    assert run_cli(home, "maintain").stdout == "there was nothing to do\n"
    assert run_cli(home, "maintain", "--dry-run").stdout == "nothing is due\n"
    document = json.loads(run_cli(home, "--json", "maintain").stdout)
    assert (document["expired"], document["evidence"]["checked"]) == (0, 2)
    assert set(json.loads(run_cli(home, "--json", "maintain", "--dry-run").stdout).values()) == {0}
    monkeypatch.setattr(embed, "load", lambda home: (_ for _ in ()).throw(embed.BadVectors("no\nvectors")))
    failed = run_cli(home, "maintain")
    assert (failed.exit_code, failed.stderr) == (1, "workbench: no vectors\n")


def test_a_sweep_marks_each_piece_once_whoever_runs(home: Home, say: Say, tmp_path: Path) -> None:  # noqa: F811
    """Two runs at once find the same; the second to write changes nothing."""
    memory_id = say(evidence=(Evidence(SourceType.FILE, str(tmp_path / "none"), "x"),)).memory_id
    with store.reading(home) as connection:
        (row,) = evidence.to_check(connection, "", 10)
    finding = {row["id"]: evidence.Finding.GONE}
    for expected in (1, 0):
        with store.writing(home) as connection:
            assert evidence.mark(Change(connection, maintain.MAINTENANCE), finding).gone == expected
    assert column(home, memory_id, "status", "review_reason") == ("active", "evidence_stale")
