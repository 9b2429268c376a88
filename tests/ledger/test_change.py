"""A part of a change that fails alone leaves nothing: no row, no index, no event, no effect."""

from __future__ import annotations

import sqlite3

import pytest

from tests.ledger.acts import insert
from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, read, store
from workbench.ledger.change import Change
from workbench.ledger.model import PERSON


def problems(home: Home) -> list[str]:
    audit.anchor(home, at=db.now())
    return audit.verify(home).problems


def effects(home: Home) -> list[str]:
    with store.reading(home) as connection:
        return [row[0] for row in connection.execute("SELECT kind FROM outbox ORDER BY id")]


def found(home: Home, word: str) -> int:
    with store.reading(home) as connection:
        return len(connection.execute("SELECT 1 FROM memories_fts WHERE memories_fts MATCH ?", (word,)).fetchall())


@pytest.mark.parametrize("recorded", [False, True], ids=["before its event", "after its event"])
def test_what_fails_in_an_attempt_is_as_if_it_had_not_been_tried(home: Home, recorded: bool) -> None:
    with store.writing(home) as connection:
        change = Change(connection, PERSON)
        kept = insert(change, "Has a cat.")
        change.update("memories", kept, importance=70)
        before = change.recorded
        with pytest.raises(WorkbenchError, match="no"), change.attempt():
            lost = insert(change, "Has a dragon.")
            change.update("memories", kept, importance=1, content="Has a tiger.")
            if recorded:
                change.record("weighed", kept)
            change.enqueue("memory_md")
            raise WorkbenchError("no")
        assert change.recorded == before
        change.record("weighed", kept)
    with store.reading(home) as connection:
        assert read.memory(connection, kept)["importance"] == 70
        assert [row["id"] for row in connection.execute("SELECT id FROM memories")] == [kept]
        weighed = connection.execute(
            "SELECT p.payload FROM memory_events e JOIN event_payloads p USING (seq) WHERE e.action = 'weighed'"
        ).fetchall()
    assert lost not in weighed[0][0]
    assert len(weighed) == 1
    assert (found(home, "cat"), found(home, "dragon"), found(home, "tiger"), effects(home)) == (1, 0, 0, [])
    assert problems(home) == []


def test_what_succeeds_in_an_attempt_stays_and_one_inside_another_fails_alone(home: Home) -> None:
    with store.writing(home) as connection:
        change = Change(connection, PERSON)
        with change.attempt():
            outer = insert(change, "Has a cat.")
            with pytest.raises(sqlite3.IntegrityError), change.attempt():
                change.insert("memories", id=outer)
            change.enqueue("memory_md")
    assert (found(home, "cat"), effects(home)) == (1, ["memory_md"])
    assert problems(home) == []


def test_an_end_of_the_whole_transaction_is_told_as_what_it_was(home: Home) -> None:
    with pytest.raises(sqlite3.OperationalError, match="disk is full"), store.writing(home) as connection:
        change = Change(connection, PERSON)
        with change.attempt():
            connection.execute("ROLLBACK")  # as SQLite does by itself then
            raise sqlite3.OperationalError("database or disk is full")
