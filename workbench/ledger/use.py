"""How often memories are used: gathered in memory and written in batches, outside undo and the chain of events.

Losing the last second is allowed; a recall never fails or waits because its count could not be written.
"""

from __future__ import annotations

import atexit
import contextlib
import sqlite3
import threading
from collections.abc import Iterable
from typing import Literal

from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import store

# Found by a question; handed out unasked, by a lens or at the start of a session.
Use = Literal["recalls", "injections"]

_SECOND = 1.0
_gathered: dict[Home, dict[tuple[str, Use], tuple[int, str]]] = {}
_lock = threading.Lock()
_writing = threading.Lock()
_timer: threading.Timer | None = None


def count(home: Home, memory_ids: Iterable[str], use: Use, at: str) -> None:
    """Count one use of each of these memories; it is written within a second, or when the process ends."""
    global _timer
    with _lock:
        counts = _gathered.setdefault(home, {})
        for memory_id in memory_ids:
            number, _ = counts.get((memory_id, use), (0, at))
            counts[memory_id, use] = (number + 1, at)
        if _timer is None and counts:
            _timer = threading.Timer(_SECOND, flush)
            _timer.daemon = True
            _timer.start()


def flush() -> None:
    """Write what was gathered; what another thread is writing is written when this returns. Where a home can't be
    written, its counts are lost, and nothing else."""
    global _timer
    with _writing:
        with _lock:
            gathered, _timer = dict(_gathered), None
            _gathered.clear()
        for home, counts in gathered.items():
            _write(home, counts)


def _write(home: Home, counts: dict[tuple[str, Use], tuple[int, str]]) -> None:
    if not db.exists(home.ledger):
        return
    with contextlib.suppress(WorkbenchError, OSError, sqlite3.Error), store.writing(home) as connection:
        for (memory_id, use), (number, at) in counts.items():
            add(connection, [memory_id], use, at, number)


def add(connection: sqlite3.Connection, memory_ids: Iterable[str], use: Use, at: str, number: int = 1) -> None:
    """Write uses inside the caller's transaction; of what was erased meanwhile nothing is kept."""
    connection.executemany(
        f"INSERT INTO memory_use (memory_id, {use}, last_used_at)"
        " SELECT id, :number, :at FROM memories WHERE id = :id AND status <> 'erased'"
        f" ON CONFLICT (memory_id) DO UPDATE SET {use} = {use} + :number, last_used_at = max(:at,"
        " coalesce(last_used_at, ''))",
        [{"id": memory_id, "number": number, "at": at} for memory_id in memory_ids],
    )


atexit.register(flush)
