"""The connection that a process keeps between its writes: opening one, and closing it, cost more than most writes.

There is one at most, to the database written last. It is used and closed only under the file lock of that database, as
every connection that can write: to close the last one brings the log home.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path

from workbench import files
from workbench.errors import Busy


@dataclass(frozen=True)
class _Kept:
    path: Path
    file: tuple[int, int]
    connection: sqlite3.Connection


_mutex = threading.Lock()
_slot: _Kept | None = None
# A child must neither use nor close what it inherits: these are never let go.
_inherited: list[_Kept] = []


def take(path: Path) -> sqlite3.Connection | None:
    """The connection kept to the file that is at ``path`` now; the caller holds its lock."""
    global _slot
    with _mutex:
        kept = _slot
        if kept is None or kept.path != path:
            return None
        _slot = None
    if kept.file == _file(path):
        return kept.connection
    kept.connection.close()  # SQLite sees that the file was moved, and touches nothing under its old name
    return None


def keep(path: Path, connection: sqlite3.Connection) -> None:
    """Keep a connection for the next write, or close it where another one is kept; the caller holds its lock."""
    global _slot
    file = _file(path)
    with _mutex:
        if _slot is None and file is not None:
            _slot = _Kept(path, file, connection)
            return
    connection.close()


def release(other_than: Path | None = None) -> None:
    """Close what is kept, unless it is to ``other_than``; the caller holds no lock.

    :raises Busy: when another process holds its lock for too long.
    """
    kept = _slot
    if kept is None or kept.path == other_than:
        return
    # Of a file that is gone nobody needs the lock, and its folder is not made again.
    gone = _file(kept.path) is None
    with contextlib.nullcontext() if gone else files.lock(files.lock_of(kept.path)):
        connection = take(kept.path)
        if connection is not None:
            connection.close()


def _file(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _forked() -> None:
    global _slot, _mutex
    _mutex = threading.Lock()
    if _slot is not None:
        _inherited.append(_slot)
        _slot = None


def _release_at_exit() -> None:
    with contextlib.suppress(Busy, OSError, sqlite3.Error):
        release()


os.register_at_fork(after_in_child=_forked)
atexit.register(_release_at_exit)
