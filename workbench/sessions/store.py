"""Canonical conversations: one JSONL file each, complete, kept for ever; the truth that the index is made from."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, get_args

import orjson

from workbench import db, files
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.sessions import canonical, times, versions
from workbench.sessions.importers.lines import ends_whole, read_lines
from workbench.sessions.model import Message, Session, State, message_id
from workbench.text import storable

MAX_BAD_LINES = 50
_LOCKS = 64
_ASIDE_IN_MEMORY = 8 * 1024 * 1024
_LEFTOVER = re.compile(r"\.(.+\.jsonl)\.[0-9a-f]{16}\.tmp")
_BUFFER = 1 << 20
_MASK = (1 << 64) - 1
_STATES = frozenset(get_args(State))


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did to a canonical file.

    :param file: its name; empty when there is none.
    :param aside: the name under which a file is kept that stood in its place and held nothing readable.
    """

    new: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    file: str = ""
    aside: str | None = None


@dataclass(slots=True)
class _Known:
    """What a canonical file holds, by id and hashes only.

    :param lines: message id → (hash of the line, hash of the identity) in one integer.
    :param erased: ids of messages whose text a person had erased.
    :param aside: ids of messages of subagents.
    :param marked: ids of messages that were given a state here, with that state.
    :param size: bytes up to the end of the last whole line.
    """

    header: dict[str, Any] = field(default_factory=dict)
    lines: dict[int, int] = field(default_factory=dict)
    erased: set[int] = field(default_factory=set)
    aside: set[int] = field(default_factory=set)
    marked: dict[int, State] = field(default_factory=dict)
    size: int = 0
    needs_newline: bool = False
    bad: int = 0

    @property
    def described(self) -> dict[str, Any]:
        """The inner metadata of the header."""
        return described(self.header)


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
        known = _scan(path, session.key) if path.exists() else None
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
        return replace(_update(path, session, _Known(header, size=stamp[0]), messages, (), False), file=path.name)


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
        known = _scan(path, key)
        if path.stat().st_size == known.size and not known.needs_newline:
            with _Merge(Session(key, updated_at=updated_at), known) as merging:
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
        with _Merge(Session(key, metadata=dict(metadata or {})), _scan(path, key)) as merging:
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
    with files.temporary_beside(path) as (handle, temporary), _Merge(session, _Known()) as merge:
        merge.append(handle, _header_line(session, {}), messages)
        if not merge.new:
            return Merged()
        if merge.changed:
            merge.rewrite(temporary, path)
        else:
            os.fsync(handle)
            temporary.replace(path)
            files.sync_dir(path.parent)
        return merge.result()


def _is_garbage(known: _Known) -> bool:
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
    known: _Known,
    messages: Iterable[Message],
    dropped: Collection[str],
    quiet: bool,
) -> Merged:
    handle = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
    try:
        if os.fstat(handle).st_size != known.size:
            os.ftruncate(handle, known.size)  # the torn tail of a crash
        with _Merge(session, known, dropped) as merge:
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


class _Merge:
    """One merge into one file: new lines go out as they come, changed ones aside; ids and hashes stay in memory."""

    def __init__(self, session: Session, known: _Known, dropped: Collection[str] = ()) -> None:
        self.session, self.known = session, known
        self.changed: dict[int, tuple[int, int]] = {}
        self._told: set[int] = set()  # those of the changed ones that the source tells otherwise
        self.new = self.unchanged = 0
        self.removed = {number for identity in dropped if (number := self._number(identity)) in known.lines}
        self._aside = SpooledTemporaryFile(_ASIDE_IN_MEMORY)  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> _Merge:
        return self

    def __exit__(self, *_: object) -> None:
        self._aside.close()

    def append(self, handle: int, start: bytes, messages: Iterable[Message]) -> None:
        """Write the new messages to ``handle``, after ``start``; keep the changed ones aside."""
        lines, key = self.known.lines, self.session.key
        out, size = [start], 0
        for message in messages:
            mark = hash(message.identity) & _MASK
            number = message_id(key, message.identity)
            old = lines.get(number)
            if old is not None and old & _MASK != mark:
                number = self._number(message.identity)
                old = lines.get(number)
            line = canonical.encode(message, number, self.known.marked.get(number))
            now = (hash(line) & _MASK) << 64 | mark
            # A subagent's replay of what was said never takes its place.
            replay = old is not None and message.origin == "subagent" and number not in self.known.aside
            if old == now or replay or number in self.known.erased or self._is_version(message, number):
                self.unchanged += 1
                continue
            lines[number] = now
            if old is None:
                self.new += 1
                if message.origin == "subagent":
                    self.known.aside.add(number)
                out.append(line)
                size += len(line)
                if size > _BUFFER:
                    files.write_all(handle, b"".join(out))
                    out, size = [], 0
            else:
                self.set_aside(number, line)
                self._told.add(number)
        if self.new:
            files.write_all(handle, b"".join(out))

    def set_aside(self, number: int, line: bytes) -> None:
        """Keep the line that is to take the place of a message's."""
        self.changed[number] = (self._aside.tell(), len(line))
        self._aside.write(line)

    def must_rewrite(self, quiet: bool) -> bool:
        """Whether more than an append is needed."""
        told, header = self.known.described, self.known.header
        return bool(
            self.changed
            or self.removed
            or not self.known.header
            or (self.session.title and self.session.title != told.get("title"))
            or (self.session.project and not told.get("project"))
            or _source(self.session, told.get("source")) != told.get("source")
            or (quiet and times.latest(header.get("updated_at"), self.session.updated_at) != header.get("updated_at"))
        )

    def rewrite(self, source: Path, path: Path) -> None:
        """Replace ``path`` by the lines of ``source`` with the changed ones in their places, the removed ones gone."""
        self.removed = versions.repeated(self.removed, lambda: self._texts(source))
        with files.temporary_beside(path) as (handle, temporary):
            out = [_header_line(self.session, self.known.header)]
            size = 0
            for end, line, row in canonical.read_messages(source):
                number = row["id"] if row else None
                if number in self.removed:
                    continue
                later = self._line_aside(number) if number in self.changed else line + b"\n"
                if row and number in self._told and end <= self.known.size:
                    later = versions.settled(line, row, later, self._new_number)
                out.append(later)
                size += len(out[-1])
                if size > _BUFFER:
                    files.write_all(handle, b"".join(out))
                    out, size = [], 0
            files.write_all(handle, b"".join(out))
            os.fsync(handle)
            temporary.replace(path)
            files.sync_dir(path.parent)

    def result(self) -> Merged:
        """What was done."""
        return Merged(self.new, len(self.changed), len(self.removed), self.unchanged)

    def _line_aside(self, number: int) -> bytes:
        offset, size = self.changed[number]
        self._aside.seek(offset)
        return self._aside.read(size)

    def _texts(self, source: Path) -> Iterator[tuple[int, str]]:
        """(id, text) of each message, as it is told now; of one that is to go as it was kept."""
        for _, _, row in canonical.read_messages(source):
            if row is not None:
                told = row["id"] in self.changed and row["id"] not in self.removed
                yield row["id"], (orjson.loads(self._line_aside(row["id"])) if told else row)["content"]

    def _is_version(self, message: Message, number: int) -> bool:
        """Whether what the source tells of a known message is kept beside it already."""
        if number not in self.known.lines:
            return False
        return self._new_number(versions.identity_of(message, self.known.marked.get(number))) is None

    def _new_number(self, identity: str) -> int | None:
        number = self._number(identity)
        return None if number in self.known.lines else number

    def _number(self, identity: str) -> int:
        """The id of ``identity``, past those that another identity of the session has already."""
        lines, mark = self.known.lines, hash(identity) & _MASK
        number = message_id(self.session.key, identity)
        taken: set[int] = set()
        while (found := lines.get(number)) is not None and found & _MASK != mark:
            taken.add(number)
            number = message_id(self.session.key, identity, taken)
        return number


def _scan(path: Path, key: str) -> _Known:
    known = _Known(header=canonical.read_header(path))
    with files.opened(path) as handle:
        for offset, line, finished in read_lines(handle, limit=canonical.MAX_LINE):
            row = canonical.parse(line)
            if row is None and not finished and (line or b"")[:1] == b"{" and (known.lines or known.header):
                known.needs_newline = False  # torn in the middle of a write: it was never said to be there
                break
            known.size, known.needs_newline = offset + len(line or b"") + finished, not finished
            if row is None:
                known.bad += 1
            elif row.get("_type") != "metadata":
                known.lines[row["id"]] = (hash((line or b"") + b"\n") & _MASK) << 64 | hash(row["identity"]) & _MASK
                if row.get("erased"):
                    known.erased.add(row["id"])
                if row["origin"] == "subagent":
                    known.aside.add(row["id"])
                if row.get("marked") in _STATES:
                    known.marked[row["id"]] = row["marked"]
        else:
            known.size = handle.seek(0, os.SEEK_END)
            if known.size:
                handle.seek(-1, os.SEEK_END)
                known.needs_newline = handle.read(1) not in b"\r\n"
    if known.bad > MAX_BAD_LINES and len(known.lines) < known.bad and (known.header or known.lines):
        raise WorkbenchError(
            f"{path} is damaged ({known.bad} unreadable lines, {len(known.lines)} good ones); it is left as it is, "
            f"move it away to read {key} from its source again"
        )
    return known


def described(header: dict[str, Any]) -> dict[str, Any]:
    """The inner metadata of a metadata line."""
    found = header.get("metadata")
    return found if isinstance(found, dict) else {}


def is_there(source: str) -> bool:
    """Whether the source that a conversation names is still there; of a file in an archive, the archive."""
    path = Path(source)
    try:
        return path.exists() or any(folder.is_file() for folder in path.parents)
    except (OSError, ValueError):  # it may not be looked at
        return True


def _source(session: Session, before: object) -> str | None:
    """The source that a conversation names: the first one, until that is gone (moved, deleted)."""
    if not isinstance(before, str) or not before:
        return session.source
    if session.source in (None, before):
        return before
    return before if is_there(before) else session.source


def _header_line(session: Session, old: dict[str, Any]) -> bytes:
    before = described(old)
    known = (old.get("created_at"), old.get("updated_at"), session.created_at, session.updated_at)
    told = {
        **before,
        **session.metadata,
        "title": session.title or before.get("title"),
        "project": before.get("project") or session.project,
        "source": _source(session, before.get("source")),
    }
    return canonical.dump(
        {
            "_type": "metadata",
            "key": session.key,
            "created_at": times.earliest(*known),
            "updated_at": times.latest(*known),
            "metadata": {name: value for name, value in told.items() if value is not None},
        }
    )


def _lock_path(home: Home, file_name: str) -> Path:
    # A fixed number of lock files serves any number of sessions.
    stripe = hashlib.sha256(file_name.encode()).digest()[0] % _LOCKS
    return home.sessions / ".locks" / f"{stripe:02d}.lock"
