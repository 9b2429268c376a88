"""The one door to databases."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from workbench import db, files, foreign_db
from workbench.errors import Busy, Corrupt, NotFound, ReadOnly, SchemaMismatch, StorageFull, WorkbenchError
from workbench.home import Home
from workbench.ledger import store

SCHEMA = store.SCHEMA


def test_only_two_modules_open_databases() -> None:
    offenders = [
        str(path.relative_to(ROOT))
        for folder in ("workbench", "plugins")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"sqlite3\.connect|apsw|sqlite_utils\.Database\(\s*[\"'p]", path.read_text())
    ]
    assert sorted(offenders) == ["workbench/db.py", "workbench/foreign_db.py"]


def test_a_new_database_is_ours_private_and_in_wal(home: Home) -> None:
    with store.reading(home) as connection:
        pragmas = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version", "journal_mode", "foreign_keys", "trusted_schema")
        }
    assert pragmas == {
        "application_id": db.APPLICATION_ID,
        "user_version": SCHEMA.version,
        "journal_mode": "wal",
        "foreign_keys": 1,
        "trusted_schema": 0,
    }
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in home.root.iterdir() if path.is_file()}
    assert set(modes.values()) == {"0o600"}
    assert home.root.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("schema", ["workbench.ledger.store", "workbench.sessions.index", "workbench.access"])
def test_the_version_counts_the_migrations(schema: str) -> None:
    import importlib

    found = importlib.import_module(schema).SCHEMA
    assert found.version == len(found.load()._migrations)


def test_writers_are_durable(home: Home) -> None:
    with store.writing(home) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert connection.execute("PRAGMA wal_autocheckpoint").fetchone()[0] == 0
        assert connection.execute("PRAGMA secure_delete").fetchone()[0] == 1


def test_a_reader_cannot_write(home: Home) -> None:
    with pytest.raises(ReadOnly, match="memory_governance"), store.reading(home) as connection:
        connection.execute("DELETE FROM memories")


def test_an_error_rolls_everything_back(home: Home) -> None:
    with pytest.raises(ZeroDivisionError), store.writing(home) as connection:
        connection.execute("INSERT INTO meta VALUES ('a', '1')")
        _ = 1 / 0
    with store.reading(home) as connection:
        assert connection.execute("SELECT count(*) FROM meta").fetchone()[0] == 0


def test_two_writes_inside_one_another_are_a_programming_error(home: Home) -> None:
    with pytest.raises(RuntimeError, match="never two locks"), store.writing(home), store.writing(home):
        pass
    with store.writing(home):
        pass


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("PRAGMA application_id=1", "not made by this program"),
        ("PRAGMA user_version=99", "upgrade the program"),
        ("PRAGMA user_version=0", "workbench migrate"),
    ],
)
def test_a_file_of_another_kind_is_never_written(home: Home, statement: str, named: str) -> None:
    with closing(sqlite3.connect(home.ledger)) as raw, raw:
        raw.execute(statement)
    for door in (store.reading, store.writing):
        with pytest.raises(SchemaMismatch, match=named), door(home):
            pass


def test_migrate_backs_up_and_runs_what_is_missing(tmp_path: Path) -> None:
    old = db.Schema("old", 1, "tests.test_db:one_step", durable=True)
    new = db.Schema("old", 2, "tests.test_db:two_steps", durable=True)
    path = tmp_path / "x.sqlite3"
    db.create(path, old)
    with db.write(path, old) as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(SchemaMismatch, match="migrate"), db.write(path, new):
        pass
    assert db.migrate(path, new, tmp_path / "backups") == 1
    assert db.migrate(path, new, tmp_path / "backups") == 0
    with db.read(path, new) as connection:
        assert connection.execute("SELECT a, b FROM t").fetchall()[0][:] == (1, None)
    (backup,) = (tmp_path / "backups").iterdir()
    with closing(sqlite3.connect(backup)) as raw:
        assert raw.execute("SELECT * FROM t").fetchall() == [(1,)]
    with pytest.raises(SchemaMismatch, match="upgrade"), db.read(path, old):
        pass


def _steps(count: int) -> object:
    from sqlite_utils import Migrations

    migrations = Migrations("old")

    @migrations()
    def m001_create(database: object) -> None:
        database.execute("CREATE TABLE t (a)")  # type: ignore[attr-defined]

    if count > 1:

        @migrations()
        def m002_add_b(database: object) -> None:
            database.execute("ALTER TABLE t ADD COLUMN b")  # type: ignore[attr-defined]

    return migrations


one_step, two_steps = _steps(1), _steps(2)


def test_a_damaged_file_is_named_and_kept(home: Home) -> None:
    data = bytearray(home.ledger.read_bytes())
    data[100:4096] = b"\xff" * 3996
    home.ledger.write_bytes(bytes(data))
    with pytest.raises(Corrupt, match="kept as it is; restore it"), store.writing(home) as connection:
        connection.execute("INSERT INTO meta VALUES ('a', '1')")
    assert home.ledger.read_bytes() == bytes(data)


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="workbench up"), db.read(tmp_path / "none.sqlite3", SCHEMA):
        pass


@pytest.mark.parametrize(
    ("pragma", "error"), [("PRAGMA max_page_count=1", StorageFull), ("PRAGMA query_only=ON", ReadOnly)]
)
def test_sqlite_errors_become_one_line(home: Home, pragma: str, error: type[Exception]) -> None:
    with pytest.raises(error), store.writing(home) as connection:
        connection.execute(pragma)
        connection.execute("CREATE TABLE big (x)")
        connection.executemany("INSERT INTO big VALUES (?)", [("y" * 4000,)] * 500)


def test_a_lock_held_by_somebody_else_is_busy_not_damage(home: Home) -> None:
    path = home.ledger.with_name(home.ledger.name + ".lock")
    with files.lock(path), pytest.raises(Busy, match="another process holds"), files.lock(path, timeout=0.05):
        pass


def test_what_a_killed_creation_left_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    for left in (".x.sqlite3.0a1b.tmp", ".x.sqlite3.0a1b.tmp-wal", ".y.sqlite3.0a1b.tmp"):
        (tmp_path / left).write_text("half")
    assert db.create(path, SCHEMA)
    assert not db.create(path, SCHEMA)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".y.sqlite3.0a1b.tmp", "x.sqlite3", "x.sqlite3.lock"]


@pytest.mark.parametrize(
    ("there", "swapped"),
    [
        ([""], ""),
        (["", "-wal", "-shm"], ""),
        (["", "-wal", "-shm"], "-wal"),
        (["", "-wal", "-shm"], "-shm"),
        (["", "-wal"], "-wal"),
        (["", "-journal"], "-journal"),
    ],
)
def test_what_becomes_a_pipe_after_it_was_looked_at_is_not_waited_for(
    there: list[str], swapped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(tmp_path / "live.db")) as live:
        live.execute("PRAGMA journal_mode=" + ("WAL" if "-wal" in there else "DELETE"))
        live.execute("CREATE TABLE x (y)")
        live.execute("BEGIN IMMEDIATE")
        live.execute("INSERT INTO x VALUES (1)")
        for end in there:
            shutil.copyfile(f"{tmp_path}/live.db{end}", f"{path}{end}")
    file = Path(f"{path}{swapped}")

    def swapping(function: Callable[..., Any]) -> Callable[..., Any]:
        def swapped_first(*given: object) -> object:
            if file.is_file():
                file.unlink()
                os.mkfifo(file)
            return function(*given)

        return swapped_first

    monkeypatch.setattr(foreign_db, "_never_waiting", swapping(foreign_db._never_waiting))
    monkeypatch.setattr(files, "opened", swapping(files.opened))
    # Without its index a log is read by itself.
    refused = nullcontext() if swapped == "-shm" else pytest.raises(WorkbenchError, match=r"cannot read .*theirs")
    with refused, foreign_db.read(path) as connection:
        assert connection.execute("SELECT * FROM x").fetchall() == []
