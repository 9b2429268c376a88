"""Conversations of some length for the tests of compaction, and canonical rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.sessions.rows import KEY, assistant, take, user, write
from workbench.config.model import Compaction, KeepRecent
from workbench.home import Home
from workbench.sessions import canonical, compaction, index, store
from workbench.sessions.states import rows_of

Rows = list[dict[str, Any]]
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
# A small window, of which 2,600 tokens may be filled and 650 stay.
WINDOW = 4_000
SMALL = Compaction(keep_recent=KeepRecent(min_tokens=100, min_messages=3))


def talk(count: int, start: int = 0, words: int = 40) -> Rows:
    """Turns of a question and an answer, some 100 tokens each."""
    found: Rows = []
    for number in range(start, start + count):
        before = f"a{number - 1}" if number else None
        at = f"2026-03-01T{10 + number // 60:02}:{number % 60:02}:00Z"
        found.append(user(f"Question {number}? " + "word " * words, f"q{number}", before, timestamp=at))
        found.append(assistant(f"Answer {number}. " + "more " * words, f"a{number}", f"q{number}", timestamp=at))
    return found


def source(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def held(home: Home, rows: Rows, tmp_path: Path) -> Path:
    """A home that holds this conversation; its canonical file."""
    take(home, write(source(tmp_path), rows))
    return store.path_of(home, KEY)


def compact(home: Home, **options: Any) -> compaction.Done:
    done = compaction.compact(home, KEY, SMALL, **{"window": WINDOW, **options})
    index.sync(home)
    return done


def states(home: Home) -> list[tuple[str, str]]:
    """(identity, state) of each message but summaries, in order."""
    return [(row["identity"], row["state"]) for row in rows_of(store.path_of(home, KEY)) if not is_summary(row)]


def is_summary(row: dict[str, Any]) -> bool:
    return canonical.is_summary(row)


def message(identity: int, role: str, content: str, **fields: Any) -> dict[str, Any]:
    """A canonical row."""
    base = {"id": identity, "identity": str(identity), "role": role, "origin": role, "state": "active"}
    return {**base, "content": content, "timestamp": None, **fields}
