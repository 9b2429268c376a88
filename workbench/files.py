"""Private folders, file locks and atomic replacement: the only ways a plain file is written."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from workbench.errors import Busy, ReadOnly, StorageFull, WorkbenchError

LOCK_TIMEOUT = 60.0
_POLL_SECONDS = 0.003


@contextlib.contextmanager
def os_errors(path: Path) -> Iterator[None]:
    """Turn an OSError on ``path`` into one clear line of ours."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(f"disk full while writing {path}; free some space and run again") from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise ReadOnly(f"cannot write {path}: {error.strerror}; check its permissions") from error
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error


def private_dir(path: Path) -> Path:
    """Make ``path`` and missing parents with mode 0700; an existing folder keeps its mode."""
    if path.is_dir():
        return path
    with os_errors(path):
        if path.parent != path:
            private_dir(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        if not path.is_dir():
            raise WorkbenchError(f"{path} is not a folder; move it away or choose another home")
    return path


def lock_of(path: Path) -> Path:
    """The lock file of a file that must not be locked itself."""
    return path.with_name(path.name + ".lock")


@contextlib.contextmanager
def lock(path: Path, timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
    """Hold the advisory lock file ``path`` (mode 0600), shared by every process of this project.

    :raises Busy: when another process holds it for ``timeout`` seconds.
    """
    from filelock import FileLock, Timeout

    private_dir(path.parent)
    guard = FileLock(path, timeout=timeout, mode=0o600, poll_interval=_POLL_SECONDS)
    with os_errors(path):
        try:
            guard.acquire()
        except Timeout:
            raise Busy(f"another process holds {path} for over {timeout:.0f} s; try again when it is done") from None
    try:
        yield
    finally:
        guard.release()


def sync_dir(path: Path) -> None:
    """Make a rename in ``path`` survive a power cut (a no-op where folders can't be synced)."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def temporary_beside(path: Path) -> Iterator[tuple[int, Path]]:
    """A new 0600 file in the folder of ``path``: (descriptor, its path); removed if still there at the end."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(temporary, flags, 0o600)
    try:
        yield handle, temporary
    finally:
        with contextlib.suppress(OSError):
            os.close(handle)
        with contextlib.suppress(OSError):
            temporary.unlink()


def remove_leftovers(path: Path) -> int:
    """Delete temporary files of ``path`` that a killed process left; returns how many. The caller holds the lock
    under which they are made."""
    removed = 0
    for left in path.parent.glob(f".{path.name}.*.tmp*"):
        with contextlib.suppress(OSError):
            left.unlink()
            removed += 1
    return removed


def write_all(handle: int, data: bytes) -> None:
    """Write every byte of ``data`` to a descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def check_replaceable(path: Path) -> None:
    """Whatever is at ``path``, if anything, has to be a plain file that its owner did not write-protect: a rename
    would replace anything else, too.

    :raises WorkbenchError: when it is not.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISLNK(mode):
        raise WorkbenchError(f"{path} is a symbolic link; replace it by a real file first")
    if not stat.S_ISREG(mode):
        raise WorkbenchError(f"{path} is no plain file; move it away first")
    if not mode & stat.S_IWUSR:
        raise ReadOnly(f"{path} is write-protected; `chmod u+w` it first")


def opened(path: Path, follow: bool = True) -> BinaryIO:
    """A plain file, open for reading. Opening never waits, as a pipe would let it.

    :param follow: whether it may be a symbolic link to one.
    :raises OSError: when it is none, or can't be read.
    """
    link = 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | link)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no plain file", str(path))
    return os.fdopen(handle, "rb")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[int]:
    """A descriptor to write the new ``path`` to: when the block ends it is in place, durably; if it raises, never.

    :raises WorkbenchError: when ``path`` may not be replaced, or cannot be written.
    """
    private_dir(path.parent)
    check_replaceable(path)
    with os_errors(path), temporary_beside(path) as (handle, temporary):
        yield handle
        os.fsync(handle)
        temporary.replace(path)
        sync_dir(path.parent)


def replace(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data``, all or nothing, and durably. Raises what ``replacing`` does."""
    with replacing(path) as handle:
        write_all(handle, data)


def read_bytes(path: Path) -> bytes:
    """The bytes of ``path``; empty when it does not exist. Never call it on a database.

    :raises WorkbenchError: when it is no plain file, or can't be read.
    """
    try:
        with opened(path) as file:
            return file.read()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise WorkbenchError(f"cannot read {path}: {error.strerror or error}") from error


def read_regular(path: Path, limit: int) -> bytes | None:
    """The bytes of a file that somebody else named; None when nothing is there. It never waits, as a pipe would let
    it, and never follows a link.

    :raises WorkbenchError: when it is no regular file, is over ``limit`` bytes, or can't be read.
    """
    try:
        with opened(path, follow=False) as file:
            if os.fstat(file.fileno()).st_size > limit:
                raise WorkbenchError(f"{path} is over {limit:,} bytes; it was not read")
            return file.read(limit)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise WorkbenchError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def rewrite(path: Path, change: Callable[[bytes], bytes], before_replace: Callable[[], None] = lambda: None) -> bool:
    """Replace ``path`` by ``change(its bytes)``, never over an edit made meanwhile.

    The old file is held open: if anybody changed it between our read and the rename, in place or by a
    rename of their own, the change is computed again from what they wrote.

    :param before_replace: called just before the last check; a test edits the file there.
    :returns: whether the file's bytes changed.
    """
    changed = False
    while True:
        check_replaceable(path)
        old = read_bytes(path)
        new = change(old)
        if new == old:
            return changed
        before_replace()
        if read_bytes(path) != old:
            continue
        try:
            held = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            replace(path, new)
            return True
        except OSError as error:
            raise WorkbenchError(f"cannot read {path}: {error.strerror}; check its permissions") from error
        try:
            replace(path, new)
            changed = True
            late = _read_descriptor(held)
        finally:
            os.close(held)
        if late == old:
            return True
        replace(path, late)


def _read_descriptor(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    parts = []
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)
