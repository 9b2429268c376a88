"""Taking back the end of a conversation: the last answer, or the last turn. It stays, in the state ``withdrawn``, and
what was taken back last can be brought back."""

from __future__ import annotations

from pathlib import Path

from workbench.errors import NotFound
from workbench.home import Home
from workbench.sessions import canonical, states, store, turns
from workbench.sessions.turns import Row

# What the metadata of a conversation says of what was taken back stands under this name.
MARK = "withdrawn"


def withdraw(home: Home, key: str, *, turn: bool) -> list[Row]:
    """Take back the last message of the person and all that answers it (``turn``), or only the answers.

    :returns: what was taken back, as it was.
    :raises NotFound: when there is no such conversation, or nothing in it to take back.
    :raises Changed: when another process changed the conversation meanwhile.
    :raises WorkbenchError: when it can't be read or written.
    """
    path = store.path_of(home, key)
    if not path.is_file():
        raise NotFound(f"there is no conversation {key}")
    rows = states.rows_of(path)
    last = turns.last_turn(turns.history(rows))
    found = _active_from(rows, last[0]["id"])[0 if turn else 1 :] if last else []
    if not found:
        what = "turn" if turn else "answer"
        compacted = any(row["state"] == "compacted" for row in rows)
        why = "; what was said before is compacted" if compacted else ""
        raise NotFound(f"there is no {what} in {key} to take back{why}")
    ids = [row["id"] for row in found]
    states.restate(home, key, ids, "withdrawn", metadata={MARK: [*_taken_back(path), ids]})
    return found


def restore(home: Home, key: str) -> list[Row]:
    """Bring back what was taken back here last, and not brought back yet.

    :returns: what came back.
    :raises NotFound: when there is no such conversation, or nothing was taken back in it.
    :raises Changed: when another process changed the conversation meanwhile.
    :raises WorkbenchError: when it can't be read or written.
    """
    path = store.path_of(home, key)
    taken = _taken_back(path) if path.is_file() else []
    if not taken:
        raise NotFound(f"nothing was taken back in {key}")
    *earlier, last = taken
    states.reactivate(home, key, last, "withdrawn", {MARK: earlier})
    return [row for row in states.rows_of(path) if row["id"] in last]


def _taken_back(path: Path) -> list[list[int]]:
    """The ids of what was taken back, one list each time."""
    described = canonical.read_header(path).get("metadata")
    taken = described.get(MARK) if isinstance(described, dict) else None
    return [ids for ids in taken if isinstance(ids, list)] if isinstance(taken, list) else []


def _active_from(rows: list[Row], first: int) -> list[Row]:
    """What is in the context from a message on, what its subagents said with it."""
    start = next(number for number, row in enumerate(rows) if row["id"] == first)
    return [row for row in rows[start:] if row["state"] == "active" and not canonical.is_summary(row)]
