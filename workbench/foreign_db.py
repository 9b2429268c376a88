"""Somebody else's databases: opened for reading alone, with nothing in them trusted and nothing beside them made."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from workbench import db, files
from workbench.errors import WorkbenchError

# No value that we want is longer.
VALUE_BYTES = 4 * 1024 * 1024
_LOOKED_AFTER_SECONDS = 0.1


@contextlib.contextmanager
def read(path: Path) -> Iterator[sqlite3.Connection]:
    """A database, of which nothing is trusted and nothing written, not even a file beside it.

    What its program wrote last and did not bring home yet is read too. Text that is no UTF-8 is read as U+FFFD.

    :raises WorkbenchError: when it can't be read as a database.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        uri, connection = _uri(path, Path(folder)), None
        try:
            with _never_waiting(_files_of(path)):
                connection = sqlite3.connect(uri, uri=True, isolation_level=None)
                connection.row_factory = sqlite3.Row
                connection.text_factory = lambda value: value.decode("utf-8", "replace")
                for setting in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0"):
                    connection.execute(f"PRAGMA {setting}")
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
                yield connection
        except sqlite3.Error as error:
            raise WorkbenchError(f"cannot read {path} as a database: {error}") from error
        finally:
            if connection is not None:
                connection.close()


def _files_of(path: Path) -> tuple[Path, ...]:
    """A database and what SQLite keeps beside it: the log, its index, the journal."""
    return (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")))


@contextlib.contextmanager
def _never_waiting(paths: Sequence[Path]) -> Iterator[None]:
    """SQLite waits for whoever writes to a pipe when it opens one, and it may open files at any query. One that was
    replaced by a pipe after it was looked at is let go at once: SQLite reads its end, and says that it is no database.
    """
    over = threading.Event()

    def let_go() -> None:
        while not over.wait(_LOOKED_AFTER_SECONDS):
            for path in paths:
                with contextlib.suppress(OSError):
                    if stat.S_ISFIFO(path.stat().st_mode):
                        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))

    looking = threading.Thread(target=let_go, daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()


def _uri(path: Path, folder: Path) -> str:
    """How SQLite reads a file without making or changing a file beside it (``mode=ro`` alone makes two).

    :raises WorkbenchError: when a file of it is a pipe or the like, which SQLite would wait for.
    """
    _, log, index, journal = _files_of(path)
    for file in (path, log, index, journal):
        if file.exists() and not file.is_file():
            raise WorkbenchError(f"cannot read {file}: it is no plain file")
    options = "mode=ro&immutable=1"
    if index.exists():
        options = "mode=ro&readonly_shm=1"
    elif db.exists(log):
        # Nobody has it open, and its log needs an index that must not be made there: a copy is read.
        for file in (path, log):
            _copy(file, folder / file.name)
        path, options = folder / path.name, "mode=rw"
    elif db.exists(journal):
        options = "mode=ro"
    return f"file:{quote(str(path.absolute()))}?{options}"


def _copy(file: Path, target: Path) -> None:
    try:
        source = files.opened(file)
    except OSError as error:
        raise WorkbenchError(f"cannot read {file}: {error.strerror or error}") from error
    with source, files.os_errors(target), target.open("wb") as copy:
        shutil.copyfileobj(source, copy)
