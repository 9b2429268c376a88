"""Effects: carried out once, kept while they fail, taken over from a process that died."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.ledger.acts import claim
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import outbox, store
from workbench.ledger.model import PERSON, Proposal
from workbench.operations import effects, memory_md, rulings

Say = Callable[..., Proposal]


def test_draining_writes_memory_md_and_leaves_nothing(home: Home, say: Say) -> None:
    say()
    assert outbox.backlog(home) == 1
    assert effects.drain(home) == 0
    assert "- Lives in Berlin." in home.memory_md.read_text()


def test_a_hundred_changes_ask_once(home: Home, say: Say) -> None:
    for number in range(100):
        say(f"Fact {number}.")
    assert outbox.backlog(home) == 1


def test_what_waits_is_not_in_memory_md(home: Home, say: Say) -> None:
    waiting = say(explicit=False, confidence=0.7)
    memory_md.refresh(home)
    assert "Berlin" not in home.memory_md.read_text()
    rulings.accept(home, PERSON, waiting.memory_id or "")
    assert "- Lives in Berlin." in home.memory_md.read_text()


def test_secret_memories_stay_out_of_memory_md(home: Home, say: Say) -> None:
    from workbench.ledger.model import Privacy

    secret = say(privacy=Privacy.SECRET)
    rulings.accept(home, PERSON, secret.memory_id or "")
    assert "Berlin" not in home.memory_md.read_text()


def test_a_failure_is_backlog_and_the_verdict_stands(home: Home, say: Say) -> None:
    waiting = say(explicit=False, confidence=0.7).memory_id or ""
    effects.drain(home)
    home.memory_md.unlink(missing_ok=True)
    home.memory_md.mkdir()
    ruling = rulings.accept(home, PERSON, waiting)
    assert (ruling.memory.status, ruling.backlog) == ("active", 1)
    home.memory_md.rmdir()
    assert effects.drain(home) == 0
    assert "- Lives in Berlin." in home.memory_md.read_text()


def test_a_running_lease_is_respected_and_a_dead_one_taken_over(home: Home, say: Say) -> None:
    say()
    (held,) = claim(home)
    assert claim(home) == []
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    with store.writing(home) as connection:
        connection.execute("UPDATE outbox SET lease_owner = ?", (f"{child.pid}-x",))
    (taken,) = claim(home)
    assert (taken.id, taken.attempts) == (held.id, 2)


@pytest.mark.parametrize("kind", ["from_the_future"])
def test_an_unknown_effect_is_kept_and_named(home: Home, kind: str) -> None:
    with store.writing(home) as connection:
        connection.execute("INSERT INTO outbox (kind, payload, created_at) VALUES (?, '{}', '2026')", (kind,))
    assert effects.drain(home) == 1
    with store.reading(home) as connection:
        assert kind in connection.execute("SELECT last_error FROM outbox").fetchone()[0]


def test_an_error_of_the_file_names_it(home: Home) -> None:
    home.memory_md.mkdir()
    with pytest.raises(WorkbenchError, match=r"MEMORY\.md"):
        memory_md.refresh(home)
