"""The doctor finds damaged pages, and makes again what is derived; rows of the ledger are never touched."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.index.hashing import Hashing
from tests.ledger.conftest import rows, say  # noqa: F401 - a fixture
from workbench import db, fts, kept
from workbench.cli import cli
from workbench.errors import Corrupt
from workbench.home import Home
from workbench.index import embed, memory_vectors
from workbench.index import store as vectors
from workbench.ledger import full_text, store
from workbench.ledger.model import Proposal
from workbench.operations import doctor, embedding, maintain, memories, memory_md
from workbench.sessions import index, search
from workbench.sessions import store as sessions
from workbench.sessions.model import Message, Session

Say = Callable[..., Proposal]
PAGE = 4096


@pytest.fixture
def filled(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> Home:  # noqa: F811
    """A home with memories, vectors and a conversation, which nobody has open."""
    monkeypatch.setattr(embed, "load", lambda _: Hashing())
    for number in range(40):
        say(f"Owns thing {number} of the colour {number * 13}.")
    sessions.merge(home, Session("claude:s1"), [Message("a", "user", "user", "I own a thing.")])
    index.sync(home)
    maintain.catch_up(home)
    assert embedding.embed_memories(home).embedded == 40
    kept.release()
    for path, schema in ((home.ledger, store.SCHEMA), (home.memory_index, vectors.SCHEMA)):
        db.truncate_log(path, schema)
    return home


def spoil(path: Path, tables: str, filling: bytes = b"\xff") -> None:
    """Overwrite the pages of the tables whose names begin so; nobody has the file open."""
    kept.release()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = [row[0] for row in raw.execute("SELECT pageno FROM dbstat WHERE name GLOB ?", (f"{tables}*",))]
    assert pages
    with path.open("r+b") as file:
        for number in pages:
            file.seek((number - 1) * PAGE)
            file.write(filling * PAGE)


def states(home: Home, repair: bool = False) -> dict[str, tuple[bool, bool]]:
    """(sound, made again) of each database, by name."""
    found = doctor.examine(home, repair=repair)
    assert found.ok == all(health.problem is None or health.repaired for health in found.files)
    return {Path(health.path).name: (health.problem is None, health.repaired) for health in found.files}


def words_problem(home: Home) -> str | None:
    return fts.problem(home.ledger, store.SCHEMA, full_text.NAME)


SOUND = (True, False)


@pytest.mark.parametrize(
    ("tables", "filling"), [("memories_fts", b"\xff"), ("memories_fts_data", b"\0"), ("memories_fts_config", b"\xff")]
)
def test_a_damaged_full_text_of_the_ledger_is_made_again(filled: Home, tables: str, filling: bytes) -> None:
    before = rows(filled)
    spoil(filled.ledger, tables, filling)
    assert states(filled)["memory_governance.sqlite3"] == (False, False)
    assert states(filled, repair=True)["memory_governance.sqlite3"] == (False, True)
    assert states(filled) == dict.fromkeys(states(filled), SOUND)
    assert rows(filled) == before
    assert db.integrity(filled.ledger, store.SCHEMA) == []
    (found,) = memories.list_memories(filled, q="338").items
    assert found.content == "Owns thing 26 of the colour 338."
    assert memories.verify_audit(filled).ok


def test_words_that_do_not_fit_the_rows_are_seen_and_rebuild_mends_them(filled: Home) -> None:
    with store.writing(filled) as connection:
        connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')")
    assert words_problem(filled)
    done = doctor.rebuild(filled)
    assert (done.sessions, done.messages, done.vectors, done.damaged, done.backlog) == (1, 1, 40, [], [])
    assert words_problem(filled) is None


def test_damaged_rows_are_kept_for_a_backup(filled: Home) -> None:
    spoil(filled.ledger, "memory_evidence")
    spoil(filled.ledger, "memories_fts_data")
    image = filled.ledger.read_bytes()
    (health, *_) = doctor.examine(filled, repair=True).files
    assert health.problem and "memory_evidence" in health.problem and "backup" in str(health.remedy)
    with pytest.raises(Corrupt, match="memory_evidence"):
        full_text.mend(filled)
    kept.release()
    assert filled.ledger.read_bytes() == image


@pytest.mark.parametrize("tables", ["memory_vectors", "chunks_fts", "sqlite_schema"])
@pytest.mark.parametrize("mend", ["doctor", "rebuild"])
def test_a_damaged_memory_index_is_made_again(filled: Home, tables: str, mend: str) -> None:
    spoil(filled.memory_index, tables)
    assert states(filled)["memory_index.sqlite"] == (False, False)
    if mend == "doctor":
        assert states(filled, repair=True)["memory_index.sqlite"] == (False, True)
    else:
        assert doctor.rebuild(filled, "notes").vectors == 40
    assert states(filled)["memory_index.sqlite"] == SOUND
    assert memory_vectors.there(filled, Hashing())
    assert list(filled.root.glob("memory_index.sqlite.damaged-*"))


@pytest.mark.parametrize("tables", ["messages_fts", "messages", "sqlite_schema"])
def test_a_damaged_session_index_is_made_again(filled: Home, tables: str) -> None:
    spoil(filled.session_index, tables)
    assert states(filled, repair=True)["session_index.sqlite"] == (False, True)
    assert states(filled)["session_index.sqlite"] == SOUND
    assert search.discover(filled, "thing")["count"] == 1


def test_the_command_says_what_is_damaged_and_what_helps(filled: Home) -> None:
    def run(*args: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["--home", str(filled.root), *args])
        return done.exit_code, done.output + (str(done.exception) if done.exception else "")

    assert run("doctor")[0] == 0 and f"SQLite     {sqlite3.sqlite_version}" in run("doctor")[1]
    spoil(filled.ledger, "memories_fts_data")
    code, said = run("doctor")
    assert code == 1 and "`workbench doctor --repair` makes it again" in said and "not everything is sound" in said
    assert run("doctor", "--repair")[0] == run("doctor")[0] == 0
    assert run("rebuild", "notes") == (0, "1 note indexed, 40 memories embedded, MEMORY.md brought up to date\n")


def test_notes_are_made_again_alone(filled: Home) -> None:
    memory_md.refresh(filled)
    filled.memory_md.unlink()
    done = doctor.rebuild(filled, "notes")
    assert (done.sessions, done.notes, done.vectors) == (None, 1, 40)
    assert "Owns thing 3 " in filled.memory_md.read_text()
