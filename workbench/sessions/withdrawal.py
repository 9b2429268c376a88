"""Taking back the end of a conversation: the last answer, or the last turn. It stays, in the state ``withdrawn``."""

from __future__ import annotations

from workbench.errors import NotFound
from workbench.home import Home
from workbench.sessions import canonical, states, store, turns
from workbench.sessions.turns import Row


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
    states.restate(home, key, [row["id"] for row in found], "withdrawn")
    return found


def _active_from(rows: list[Row], first: int) -> list[Row]:
    """What is in the context from a message on, what its subagents said with it."""
    start = next(number for number, row in enumerate(rows) if row["id"] == first)
    return [row for row in rows[start:] if row["state"] == "active" and not canonical.is_summary(row)]
