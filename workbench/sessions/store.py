"""Canonical conversations: one JSONL file each, complete, kept for ever; the truth that the index is made from."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench import db, files
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.sessions import canonical, times, versions
from workbench.sessions.importers.lines import ends_whole
from workbench.sessions.merging import Known, Merge, Merged, header_line, scan
from workbench.sessions.model import Message, Session
from workbench.text import storable

_LOCKS = 64
_LEFTOVER = re.compile(r"\.(.+\.jsonl)\.[0-9a-f]{16}\.tmp")


def path_of(home: Home, key: str) -> Path:
    """Where the conversation ``key`` lies, or would lie; the key in a file's metadata decides, not its name."""
    name = canonical.name_of(key)
    path = home.sessions / f"{name}.jsonl"
    header: dict[str, Any] = {}
    with suppress(OSError):  # it is not there, or can't be read: then it is the one that is meant
        header = canonical.read_header(path)
    if header and header.get("key", key) != key:
        return home.sessions / f"{canonical.hashed_name(name, key)}.jsonl"
    return path


def canonical_files(home: Home) -> Iterator[os.DirEntry[str]]:
    """Every canonical file of ``home``, in no order."""
    with suppress(FileNotFoundError), os.scandir(home.sessions) as entries:
        for entry in entries:
            if entry.name.endswith(".jsonl") and not entry.name.endswith(".full.jsonl") and entry.name[0] != ".":
                yield entry


def merge(
    home: Home, session: Session, messages: Iterable[Message], dropped: Collection[str] = (), quiet: bool = False
) -> Merged:
    """Bring the canonical file of ``session`` up to what a source says, all or nothing, durably.

    Known messages keep their order and are updated in place (what was said stays: see ``versions``), new ones are
    appended, messages gone from the source stay; ``dropped`` identities go. Nothing is written when nothing changed. A
    file that holds nothing readable is kept under another name, and the conversation is written anew.

    :param quiet: the source rests, so that the metadata line is brought up to date, too.
    :raises WorkbenchError: when the file is damaged, or can't be written (disk full, permissions).
    """
    session = replace(session, key=storable(session.key))
    files.private_dir(home.sessions)
    path = path_of(home, session.key)
    with files.lock(_lock_path(home, path.name)), files.os_errors(path):
        if path.is_symlink():
            raise WorkbenchError(f"{path} is a symbolic link; replace it by a real file first")
        known = scan(path, session.key) if path.exists() else None
        if known is not None and not _is_garbage(known):
            done = _update(path, session, known, messages, dropped, quiet)
        else:
            aside = _set_aside(path) if known is not None and path.stat().st_size else None
            done = replace(_create(path, session, messages), aside=aside)
        return replace(done, file=path.name if path.exists() else "")


def append(home: Home, session: Session, messages: Iterable[Message], stamp: tuple[int, int, int]) -> Merged | None:
    """Append messages that a conversation does not hold yet, without reading what it holds; durably, all or nothing.

    :param stamp: (size, mtime_ns, inode) of its canonical file when it was known that it does not hold them.
    :returns: None when the file is another one by now, or can't be appended to: nothing was done then.
    :raises WorkbenchError: when it can't be written.
    """
    path = path_of(home, session.key)
    with files.lock(_lock_path(home, path.name)), files.os_errors(path):
        if path.is_symlink() or not path.is_file():
            return None
        found, header = path.stat(), canonical.read_header(path)
        if (found.st_size, found.st_mtime_ns, found.st_ino) != stamp or not header or not ends_whole(path, stamp[0]):
            return None
        return replace(_update(path, session, Known(header, size=stamp[0]), messages, (), False), file=path.name)


def renew(home: Home, name: str, updated_at: str | None) -> None:
    """Bring the time in the metadata line of the canonical file ``name`` up to that of its last message.

    :raises WorkbenchError: when it can't be written.
    """
    path = home.sessions / name
    with files.lock(_lock_path(home, name)), files.os_errors(path):
        if path.is_symlink() or not path.is_file():
            return
        header = canonical.read_header(path)
        key, before = header.get("key"), header.get("updated_at")
        if not isinstance(key, str) or before == times.latest(before, updated_at):
            return
        known = scan(path, key)
        if path.stat().st_size == known.size and not known.needs_newline:
            with Merge(Session(key, updated_at=updated_at), known) as merging:
                merging.rewrite(path, path)


def edit(
    home: Home,
    key: str,
    change: Callable[[Iterator[tuple[bytes, dict[str, Any]]]], Mapping[int, bytes]],
    metadata: Mapping[str, Any] | None = None,
) -> int:
    """Put other lines in the places of messages, all or nothing, durably.

    :param change: is given (line without its end, row) of each message, and returns lines by the ids of the messages.
    :param metadata: what is put into the metadata of the conversation.
    :returns: how many messages got another line.
    :raises NotFound: when there is no such conversation.
    :raises WorkbenchError: when the file is damaged, or can't be written.
    """
    path = path_of(home, key)
    with files.lock(_lock_path(home, path.name)), files.os_errors(path):
        if path.is_symlink() or not path.is_file():
            raise NotFound(f"there is no conversation {key}")
        with Merge(Session(key, metadata=dict(metadata or {})), scan(path, key)) as merging:
            lines = ((line, row) for _, line, row in canonical.read_messages(path) if row is not None)
            for number, line in change(lines).items():
                merging.set_aside(number, line)
            if merging.changed or metadata:
                merging.rewrite(path, path)
            return len(merging.changed)


def erase(home: Home, key: str, ids: Collection[int]) -> int:
    """Put a placeholder in the place of what these messages say, for good: their source does not bring it back.

    A summary that stands behind one of them may quote it: it goes with them, and so does what their source said of it
    later.

    :returns: how many had not been erased before.
    :raises WorkbenchError: when the file is damaged, or can't be written.
    """
    gone: dict[int, bytes] = {}

    def emptied(messages: Iterator[tuple[bytes, dict[str, Any]]]) -> dict[int, bytes]:
        beside: dict[int, bytes] = {}
        names: set[str] = set()
        for _, row in messages:
            if row["id"] in ids:
                names.add(row["identity"])
            if row.get("erased"):
                continue
            if row["id"] in ids:
                gone[row["id"]] = canonical.erased(row)
            elif (gone and canonical.is_summary(row)) or (versions.is_later(row) and row.get("parent") in names):
                beside[row["id"]] = canonical.erased(row)
        return gone | beside

    with suppress(NotFound):
        edit(home, key, emptied)
    return len(gone)


def remove_leftovers(home: Home) -> int:
    """Delete temporary files that a killed process left in the sessions folder; returns how many."""
    removed = 0
    try:
        names = os.listdir(home.sessions)  # noqa: PTH208 - names only, thousands of them
    except FileNotFoundError:
        return 0
    for name in names:
        if match := _LEFTOVER.fullmatch(name):
            with files.lock(_lock_path(home, match[1])), suppress(FileNotFoundError):
                (home.sessions / name).unlink()
                removed += 1
    return removed


def _create(path: Path, session: Session, messages: Iterable[Message]) -> Merged:
    with files.temporary_beside(path) as (handle, temporary), Merge(session, Known()) as merge:
        merge.append(handle, header_line(session, {}), messages)
        if not merge.new:
            return Merged()
        if merge.changed:
            merge.rewrite(temporary, path)
        else:
            os.fsync(handle)
            temporary.replace(path)
            files.sync_dir(path.parent)
        return merge.result()


def _is_garbage(known: Known) -> bool:
    """Whether nothing in the file can be read; a torn tail behind good lines is not that, nor is a damaged file of
    which good lines are left."""
    return not known.header and not known.lines


def _set_aside(path: Path) -> str:
    """Keep a file under another name; returns that."""
    aside = path.with_name(f"{path.name}.damaged-{db.now().replace(':', '')}")
    path.rename(aside)
    files.sync_dir(path.parent)
    return aside.name


def _update(
    path: Path,
    session: Session,
    known: Known,
    messages: Iterable[Message],
    dropped: Collection[str],
    quiet: bool,
) -> Merged:
    handle = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
    try:
        if os.fstat(handle).st_size != known.size:
            os.ftruncate(handle, known.size)  # the torn tail of a crash
        with Merge(session, known, dropped) as merge:
            try:
                merge.append(handle, b"\n" if known.needs_newline else b"", messages)
                if merge.must_rewrite(quiet):
                    merge.rewrite(path, path)
                elif merge.new:
                    os.fsync(handle)
            except BaseException:
                os.ftruncate(handle, known.size)
                raise
            return merge.result()
    finally:
        os.close(handle)


def _lock_path(home: Home, file_name: str) -> Path:
    # A fixed number of lock files serves any number of sessions.
    stripe = hashlib.sha256(file_name.encode()).digest()[0] % _LOCKS
    return home.sessions / ".locks" / f"{stripe:02d}.lock"
