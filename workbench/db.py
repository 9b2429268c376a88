"""The one module that opens databases of ours, and the one way to write to them (``foreign_db`` reads others).

A write takes the file lock ``<db>.lock``, begins immediately, commits, and only then reports success; everybody else
opens read-only. Whatever can write is closed under the lock, too (``kept``). This keeps the checkpoint race of SQLite
3.7.0–3.51.2 (sqlite.org/wal.html, "the WAL-reset bug") out of reach, whatever version Python links.
"""

from __future__ import annotations

import contextlib
import importlib
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from workbench import files, kept
from workbench.errors import Busy, Corrupt, NotFound, ReadOnly, SchemaMismatch, StorageFull, WorkbenchError

if TYPE_CHECKING:
    from sqlite_utils import Migrations

APPLICATION_ID = 0x4D574231
BUSY_TIMEOUT_MS = 30_000
CHECKPOINT_BYTES = 4 * 1024 * 1024

_thread = threading.local()


@dataclass(frozen=True)
class Schema:
    """What a database file of ours must look like.

    :param name: the set of migrations, and the word used in messages ("ledger").
    :param version: how many migrations there are; kept in ``PRAGMA user_version``.
    :param migrations: ``"module:attribute"`` of the ``sqlite_utils.Migrations``, imported only when needed.
    :param durable: a truth file (synchronous=FULL, secure_delete) or a derived one (NORMAL).
    """

    name: str
    version: int
    migrations: str
    durable: bool

    def load(self) -> Migrations:
        """Import the migrations of this schema."""
        module, _, attribute = self.migrations.partition(":")
        loaded: Migrations = getattr(importlib.import_module(module), attribute)
        return loaded


def now() -> str:
    """The present instant as this project stores it: UTC, microseconds, ``…Z``."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def exists(path: Path) -> bool:
    """Whether there is a database at ``path`` (an empty file does not count)."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def create(path: Path, schema: Schema) -> bool:
    """Make the database when it is missing; it appears whole under its name, or not at all.

    :returns: whether it was made now.
    """
    if exists(path):
        return False
    with _locked(path):
        if exists(path):
            return False
        try:
            files.remove_leftovers(path)
            with files.os_errors(path), files.temporary_beside(path) as (_, temporary):
                _build(temporary, path, schema)
                temporary.replace(path)
                files.sync_dir(path.parent)
        finally:
            files.remove_leftovers(path)
    return True


def _build(temporary: Path, path: Path, schema: Schema) -> None:
    """Fill a new file. WAL comes last: what a checkpoint failed to bring home (at close, without a word, on a full
    disk) would stay in a log of the temporary name and be missing from the file."""
    connection = _open(temporary, "rw", path)
    try:
        with _translated(path, schema):
            connection.execute("PRAGMA synchronous=FULL")
            _apply(connection, schema)
            connection.execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()
    if exists(temporary.with_name(temporary.name + "-wal")):
        raise StorageFull(f"disk full while writing {path}; nothing of this step is stored, free some space")


@contextlib.contextmanager
def read(path: Path, schema: Schema) -> Iterator[sqlite3.Connection]:
    """A read-only connection that sees every committed write; rows come as ``sqlite3.Row``.

    :raises NotFound: when there is no database yet.
    :raises SchemaMismatch: when the file is foreign, older or newer.
    """
    if not exists(path):
        raise NotFound(f"there is no {schema.name} at {path} yet; run `workbench up` first")
    with _translated(path, schema):
        connection = _open(path, "ro", path)
        try:
            connection.execute("PRAGMA query_only=ON")
            _check(connection, path, schema)
            connection.execute("BEGIN")
            yield connection
        finally:
            connection.close()


@contextlib.contextmanager
def write(path: Path, schema: Schema) -> Iterator[sqlite3.Connection]:
    """One transaction: committed and durable when the block ends, rolled back when it raises.

    No model call, embedding, network or second lock may happen inside.
    """
    kept.release(other_than=path)
    with _locked(path), _translated(path, schema):
        if not exists(path):
            raise NotFound(f"there is no {schema.name} at {path} yet; run `workbench up` first")
        again = kept.take(path)
        connection = again or _open(path, "rw", path)
        try:
            _check(connection, path, schema)
            if again is None:
                _configure_writer(connection, schema)
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            with contextlib.suppress(sqlite3.Error):
                connection.close()
            raise
        _checkpoint_if_large(connection, path)
        kept.keep(path, connection)


def migrate(path: Path, schema: Schema, backups: Path) -> int:
    """Bring an existing database of ours to this program's schema, after a backup into ``backups``.

    :returns: how many migrations ran; 0 when it is current already.
    :raises SchemaMismatch: when the file is foreign or newer.
    """
    with _locked(path), _translated(path, schema):
        connection = _open(path, "rw", path)
        try:
            found = _version(connection, path, schema)
            if found == schema.version:
                return 0
            if found > schema.version:
                raise _newer(path, schema, found)
            files.private_dir(backups)
            stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
            connection.execute("VACUUM INTO ?", (str(backups / f"{path.stem}-v{found}-{stamp}{path.suffix}"),))
            _configure_writer(connection, schema)
            _apply(connection, schema)
            return schema.version - found
        finally:
            connection.close()


def truncate_log(path: Path, schema: Schema) -> None:
    """Bring the write-ahead log home and empty it: nothing that was deleted lives on in it.

    :raises Busy: when a reader holds an older state for longer than the busy timeout.
    """
    with _locked(path), _translated(path, schema):
        connection = _open(path, "rw", path)
        try:
            _check(connection, path, schema)
            held = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            connection.close()
    if held:
        raise Busy(f"a reader keeps the log of {path} from being emptied; try again when it is done")


def compact(path: Path, schema: Schema) -> None:
    """Write the file anew, and empty its log: of what was deleted nothing stays in either.

    What is freed is overwritten (secure_delete), but not the copies left where SQLite moved rows to other pages.

    :raises Busy: when a reader holds an older state for longer than the busy timeout; the file is written anew, its log
        is not emptied: call again.
    """
    with _locked(path), _translated(path, schema):
        connection = _open(path, "rw", path)
        try:
            _check(connection, path, schema)
            _configure_writer(connection, schema)
            connection.execute("VACUUM")
        finally:
            connection.close()
    truncate_log(path, schema)


def copy(path: Path, schema: Schema, target: Path) -> None:
    """Write a consistent copy of a database to ``target``, which must not exist yet."""
    with _translated(path, schema):
        connection = _open(path, "ro", path)
        try:
            _check(connection, path, schema)
            connection.execute("VACUUM INTO ?", (str(target),))
        finally:
            connection.close()


def is_ours(connection: sqlite3.Connection) -> bool:
    """Whether this program made the database."""
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)


def set_aside(path: Path, schema: Schema) -> None:
    """Keep a damaged database, or one of another version, under another name, so that a new one can be made.

    :raises SchemaMismatch: when the file was not made by this program.
    """
    with contextlib.suppress(Corrupt):
        version(path, schema)
    kept.release()
    with files.lock(files.lock_of(path)), files.os_errors(path):
        stamp = now().replace(":", "")
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(path.with_name(f"{path.name}.damaged-{stamp}{suffix}"))


def version(path: Path, schema: Schema) -> int:
    """The schema version of an existing file of ours; a foreign file raises."""
    with _translated(path, schema):
        connection = _open(path, "ro", path)
        try:
            return _version(connection, path, schema)
        finally:
            connection.close()


def integrity(path: Path, schema: Schema) -> list[str]:
    """What ``PRAGMA integrity_check`` finds; empty when the file is sound."""
    with read(path, schema) as connection:
        rows = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    return [] if rows == ["ok"] else rows


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    if getattr(_thread, "holds", None):
        raise RuntimeError(f"a write to {path} was begun inside a write to {_thread.holds}: never two locks at once")
    with files.lock(files.lock_of(path)):
        _thread.holds = path
        try:
            yield
        finally:
            _thread.holds = None


def _open(path: Path, mode: str, shown: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?mode={mode}",
            uri=True,
            timeout=BUSY_TIMEOUT_MS / 1000,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise ReadOnly(f"cannot open {shown}: {error}; check its permissions") from error
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


def _configure_writer(connection: sqlite3.Connection, schema: Schema) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("PRAGMA journal_size_limit=0")  # a log that was brought home begins anew, as a short file
    connection.execute(f"PRAGMA synchronous={'FULL' if schema.durable else 'NORMAL'}")
    if schema.durable:
        connection.execute("PRAGMA secure_delete=ON")


def _apply(connection: sqlite3.Connection, schema: Schema) -> None:
    import sqlite_utils

    schema.load().apply(sqlite_utils.Database(connection))
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={schema.version}")


def _version(connection: sqlite3.Connection, path: Path, schema: Schema) -> int:
    if not is_ours(connection):
        raise SchemaMismatch(f"{path} was not made by this program; move it away, nothing was written to it")
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def _check(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    found = _version(connection, path, schema)
    if found > schema.version:
        raise _newer(path, schema, found)
    if found < schema.version:
        raise SchemaMismatch(
            f"{path} has {schema.name} schema {found}, this program needs {schema.version}; run `workbench migrate`"
        )


def _newer(path: Path, schema: Schema, found: int) -> SchemaMismatch:
    return SchemaMismatch(
        f"{path} has {schema.name} schema {found}, newer than this program's {schema.version}; upgrade the program"
    )


def _checkpoint_if_large(connection: sqlite3.Connection, path: Path) -> None:
    # The write is committed: a checkpoint that fails costs nothing and must not unsay it.
    with contextlib.suppress(OSError, sqlite3.Error):
        if path.with_name(path.name + "-wal").stat().st_size > CHECKPOINT_BYTES:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


@contextlib.contextmanager
def _translated(path: Path, schema: Schema) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _translate(error, path, schema) from error


def _translate(error: sqlite3.DatabaseError, path: Path, schema: Schema) -> Exception:
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Busy(f"{path} is busy; try again")
    if primary == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_SHMSIZE:  # no room for the index of the log
        return StorageFull(f"disk full while writing {path}; nothing of this step is stored, free some space")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return ReadOnly(f"cannot open {path} for this: {error}; check its permissions and its folder's")
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        remedy = "restore it from a backup, unless `workbench doctor` can mend it"
        remedy = remedy if schema.durable else "run `workbench rebuild`, it is derived"
        return Corrupt(f"{path} is damaged ({error}) and kept as it is; {remedy}")
    if primary == sqlite3.SQLITE_IOERR:
        return WorkbenchError(f"cannot read or write {path}: {error}; check the disk")
    return error
