"""The connection kept between the writes of a process."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.homes import fresh_home
from workbench import db, kept
from workbench.home import Home
from workbench.ledger import store


def note(home: Home, key: str) -> sqlite3.Connection:
    """One write; returns the connection it used."""
    with store.writing(home) as connection:
        connection.execute("INSERT INTO meta VALUES (?, '')", (key,))
    return connection


def notes(home: Home) -> set[str]:
    with store.reading(home) as connection:
        return {row[0] for row in connection.execute("SELECT key FROM meta WHERE value = ''")}


def log(home: Home) -> Path:
    return home.ledger.with_name(home.ledger.name + "-wal")


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    kept.release()


def test_writes_of_one_database_share_a_connection(home: Home) -> None:
    first = note(home, "a")
    assert note(home, "b") is first
    assert log(home).stat().st_size > 0
    kept.release()
    assert not log(home).exists()
    assert notes(home) == {"a", "b"}
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        first.execute("SELECT 1")


def test_a_write_elsewhere_lets_it_go(home: Home, tmp_path: Path) -> None:
    other = fresh_home(tmp_path / "other")
    note(home, "a")
    note(other, "b")
    assert (log(home).exists(), log(other).exists()) == (False, True)
    assert (notes(home), notes(other)) == ({"a"}, {"b"})


def test_an_error_lets_it_go(home: Home) -> None:
    first = note(home, "a")
    with pytest.raises(ZeroDivisionError), store.writing(home) as connection:
        assert connection is first
        connection.execute("INSERT INTO meta VALUES ('lost', '')")
        _ = 1 / 0
    assert note(home, "b") is not first
    assert notes(home) == {"a", "b"}


def test_a_file_made_anew_is_opened_anew(home: Home) -> None:
    first = note(home, "old")
    shutil.rmtree(home.root)
    fresh_home(home.root)
    with db.read(home.ledger, store.SCHEMA):  # its log is there, and must survive the end of the old connection
        assert note(home, "new") is not first
        assert notes(home) == {"new"}
    assert notes(home) == {"new"}


def test_a_folder_that_is_gone_stays_gone(home: Home) -> None:
    note(home, "a")
    shutil.rmtree(home.root)
    kept.release()
    assert not home.root.exists()


def test_a_forked_child_opens_its_own(home: Home) -> None:
    first = note(home, "parent")
    child = os.fork()
    if child == 0:
        failed = 1
        try:
            failed = int(note(home, "child") is first)
            kept.release()
        finally:
            os._exit(failed)
    assert os.waitpid(child, 0)[1] == 0
    assert note(home, "parent again") is first
    assert notes(home) == {"parent", "child", "parent again"}
    assert db.integrity(home.ledger, store.SCHEMA) == []


def test_threads_of_two_databases_lose_nothing(home: Home, tmp_path: Path) -> None:
    homes = [home, fresh_home(tmp_path / "other")]

    def work(name: int) -> None:
        for number in range(25):
            note(homes[(name + number) % 2], f"{name}-{number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert notes(homes[0]) | notes(homes[1]) == {f"{name}-{number}" for name in range(4) for number in range(25)}
    assert [db.integrity(each.ledger, store.SCHEMA) for each in homes] == [[], []]


def test_a_process_that_ends_brings_its_log_home(home: Home) -> None:
    code = "import sys; from pathlib import Path; from workbench.home import Home; from workbench.ledger import store\n"
    code += "with store.writing(Home(Path(sys.argv[1]))) as c: c.execute(\"INSERT INTO meta VALUES ('a', '')\")"
    subprocess.run([sys.executable, "-c", code, str(home.root)], check=True)
    assert not log(home).exists()
    assert notes(home) == {"a"}


def test_the_log_does_not_stay_large(home: Home) -> None:
    with store.writing(home) as connection:
        connection.execute("INSERT INTO meta VALUES ('large', ?)", ("x" * 2 * db.CHECKPOINT_BYTES,))
    assert log(home).stat().st_size > db.CHECKPOINT_BYTES
    note(home, "a")
    assert log(home).stat().st_size < 100_000
    with closing(sqlite3.connect(f"file:{home.ledger}?mode=ro", uri=True)) as raw:
        assert raw.execute("SELECT length(value) FROM meta WHERE key = 'large'").fetchone() == (
            2 * db.CHECKPOINT_BYTES,
        )
