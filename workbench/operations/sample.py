"""The bundled conversations: something to look at on a machine without transcripts, out of the way on any other."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from workbench.home import Home
from workbench.ledger import read, standing, store, supersede
from workbench.ledger.change import Change
from workbench.ledger.model import Actor, Status
from workbench.operations import effects
from workbench.sessions import store as sessions

CLEANER = Actor("system", "sample")
_IN_USE = (Status.ACTIVE, Status.NEEDS_REVIEW)


def folder() -> Path:
    """Where the conversations lie in the package."""
    return Path(str(resources.files("workbench") / "sample"))


def session_keys() -> set[str]:
    """The keys their sessions get: each file is named by its session."""
    return {f"claude-code:{path.stem}" for path in folder().rglob("*.jsonl")}


def retire(home: Home) -> int:
    """Archive what was learned from the sample, as one change that can be undone, and put its conversations away
    (the package keeps them); returns how many memories."""
    with store.reading(home) as connection:
        if not read.from_sessions(connection, session_keys(), _IN_USE):
            return 0
    with store.writing(home) as connection:
        change = Change(connection, CLEANER)
        learned = read.from_sessions(connection, session_keys(), _IN_USE)
        # What the person made their own stays.
        ids = [each for each in learned if read.memory(connection, each)["authority"] not in supersede.ENDORSED]
        for memory_id in ids:
            standing.put_away(change, memory_id)
    for key in session_keys():
        sessions.path_of(home, key).unlink(missing_ok=True)
    effects.drain(home)
    return len(ids)
