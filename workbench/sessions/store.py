"""Canonical conversations: one JSONL file each, complete, kept for ever; the truth that the index is made from.

First line ``{"_type":"metadata","key",…,"created_at","updated_at","metadata":{…}}``, then one message a line.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, get_args
from urllib.parse import quote, unquote

import orjson

from workbench import files
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions.importers.lines import clean, read_lines
from workbench.sessions.model import Message, Origin, Role, Session, State, message_id
from workbench.text import storable

MAX_NAME = 200
MAX_BAD_LINES = 50
# A canonical line may be longer than the line it was read from: arguments of tools are JSON within JSON.
MAX_LINE = 64 * 1024 * 1024
_LOCKS = 64
_ASIDE_IN_MEMORY = 8 * 1024 * 1024
_LEFTOVER = re.compile(r"\.(.+\.jsonl)\.[0-9a-f]{16}\.tmp")
_BUFFER = 1 << 20
_MASK = (1 << 64) - 1
_ROLES, _ORIGINS, _STATES = (frozenset(get_args(words)) for words in (Role, Origin, State))


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did to a canonical file."""

    new: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0


@dataclass(slots=True)
class _Known:
    """What a canonical file holds, by id and hashes only.

    :param lines: message id → (hash of the line, hash of the identity) in one integer.
    :param size: bytes up to the end of the last whole line.
    """

    header: dict[str, Any] = field(default_factory=dict)
    lines: dict[int, int] = field(default_factory=dict)
    size: int = 0
    needs_newline: bool = False
    bad: int = 0


def name_of(key: str) -> str:
    """The file name (without ``.jsonl``) of a session key: the first ``:`` becomes ``_``, ``_`` in the channel and
    whatever is not in ``[A-Za-z0-9._-]`` is percent-encoded; a name over 200 bytes ends in a hash."""
    channel, colon, chat = key.partition(":")
    name = _quoted(channel).replace("_", "%5F") + ("_" + _quoted(chat) if colon else "")
    if name.startswith("."):
        name = "%2E" + name[1:]
    if name.endswith(".full"):  # that ending marks another kind of file in a Flowly home
        name = name[:-5] + "%2Efull"
    if len(name) > MAX_NAME:
        return _hashed(name, key)
    return name


def key_of(name: str) -> str:
    """The session key of a file name; for a name with a hash only the metadata knows it."""
    channel, separator, chat = name.partition("_")
    decoded = unquote(channel, errors="surrogatepass")
    return decoded + ":" + unquote(chat, errors="surrogatepass") if separator else decoded


def path_of(home: Home, key: str) -> Path:
    """Where the conversation ``key`` lies, or would lie; the key in a file's metadata decides, not its name."""
    name = name_of(key)
    path = home.sessions / f"{name}.jsonl"
    header = read_header(path) if path.exists() else {}
    if header and header.get("key", key) != key:
        return home.sessions / f"{_hashed(name, key)}.jsonl"
    return path


def canonical_files(home: Home) -> Iterator[os.DirEntry[str]]:
    """Every canonical file of ``home``, in no order."""
    with suppress(FileNotFoundError), os.scandir(home.sessions) as entries:
        for entry in entries:
            if entry.name.endswith(".jsonl") and not entry.name.endswith(".full.jsonl") and entry.name[0] != ".":
                yield entry


def read_header(path: Path) -> dict[str, Any]:
    """The metadata line of a canonical file; empty when it has none."""
    with path.open("rb") as handle:
        line = handle.readline(_BUFFER)
    with suppress(orjson.JSONDecodeError):
        value = orjson.loads(line)
        if isinstance(value, dict) and value.get("_type") == "metadata":
            return value
    return {}


def encode(message: Message, number: int) -> bytes:
    """One canonical line, with its end."""
    row: dict[str, Any] = {
        "id": number,
        "identity": message.identity,
        "role": message.role,
        "content": message.content,
        "timestamp": message.timestamp,
        "origin": message.origin,
        "state": message.state,
    }
    if message.parent is not None:
        row["parent"] = message.parent
    if message.thinking is not None:
        row["thinking"] = message.thinking
    if message.tool_calls is not None:
        row["tool_calls"] = message.tool_calls
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    if message.name is not None:
        row["name"] = message.name
    return _dump(row)


def read_messages(path: Path, start: int = 0) -> Iterator[tuple[int, bytes, dict[str, Any] | None]]:
    """(end offset, line, row) for each whole message line from byte ``start`` on; the row is None for a line that is
    no message. A torn last line is left out.

    :raises WorkbenchError: when the file can't be read.
    """
    try:
        with path.open("rb") as handle:
            for offset, line, finished in read_lines(handle, start, limit=MAX_LINE):
                row = _row(line)
                if row is not None and row.get("_type") == "metadata":
                    continue
                if finished or row is not None:
                    yield offset + len(line or b"") + finished, line or b"", row
    except OSError as error:
        raise WorkbenchError(f"cannot read {path}: {error.strerror or error}") from error


def merge(home: Home, session: Session, messages: Iterable[Message], dropped: Collection[str] = ()) -> Merged:
    """Bring the canonical file of ``session`` up to what a source says, all or nothing, durably.

    Known messages keep their order and are updated in place, new ones are appended, messages gone from the source
    stay; ``dropped`` identities go. Nothing is written when nothing changed.

    :raises WorkbenchError: when the file is damaged, or can't be written (disk full, permissions).
    """
    session = replace(session, key=storable(session.key))
    files.private_dir(home.sessions)
    path = path_of(home, session.key)
    with files.lock(_lock_path(home, path.name)), files.os_errors(path):
        if path.is_symlink():
            raise WorkbenchError(f"{path} is a symbolic link; replace it by a real file first")
        if path.exists():
            return _update(path, session, messages, dropped)
        return _create(path, session, messages)


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


def _update(path: Path, session: Session, messages: Iterable[Message], dropped: Collection[str]) -> Merged:
    known = _scan(path, session.key)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
    try:
        if os.fstat(handle).st_size != known.size:
            os.ftruncate(handle, known.size)  # the torn tail of a crash
        with _Merge(session, known, dropped) as merge:
            try:
                merge.append(handle, b"\n" if known.needs_newline else b"", messages)
                if merge.must_rewrite():
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
            line = encode(message, number)
            now = (hash(line) & _MASK) << 64 | mark
            if old == now:
                self.unchanged += 1
                continue
            lines[number] = now
            if old is None:
                self.new += 1
                out.append(line)
                size += len(line)
                if size > _BUFFER:
                    files.write_all(handle, b"".join(out))
                    out, size = [], 0
            else:
                self.changed[number] = (self._aside.tell(), len(line))
                self._aside.write(line)
        if self.new:
            files.write_all(handle, b"".join(out))

    def must_rewrite(self) -> bool:
        """Whether more than an append is needed."""
        described = self.known.header.get("metadata", {})
        return bool(
            self.changed
            or self.removed
            or not self.known.header
            or (self.session.title and self.session.title != described.get("title"))
            or (self.session.project and not described.get("project"))
        )

    def rewrite(self, source: Path, path: Path) -> None:
        """Replace ``path`` by the lines of ``source`` with the changed ones in their places, the removed ones gone."""
        with files.temporary_beside(path) as (handle, temporary):
            out = [_header_line(self.session, self.known.header)]
            size = 0
            for _, line, row in read_messages(source):
                number = row.get("id") if row else None
                if number in self.removed:
                    continue
                out.append(self._line_aside(number) if number in self.changed else line + b"\n")
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
    known = _Known(header=read_header(path))
    with path.open("rb") as handle:
        for offset, line, finished in read_lines(handle, limit=MAX_LINE):
            row = _row(line)
            if row is None and not finished:
                known.needs_newline = False
                break
            known.size, known.needs_newline = offset + len(line or b"") + finished, not finished
            if row is None:
                known.bad += 1
            elif row.get("_type") != "metadata":
                known.lines[row["id"]] = (hash((line or b"") + b"\n") & _MASK) << 64 | hash(row["identity"]) & _MASK
        else:
            known.size = handle.seek(0, os.SEEK_END)
    if known.bad > MAX_BAD_LINES and len(known.lines) < known.bad:
        raise WorkbenchError(
            f"{path} is damaged ({known.bad} unreadable lines, {len(known.lines)} good ones); it is left as it is, "
            f"move it away to read {key} from its source again"
        )
    return known


def _row(line: bytes | None) -> dict[str, Any] | None:
    """The message or metadata of a canonical line, or None."""
    if line is None:
        return None
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if isinstance(row, dict) and (_is_message(row) or row.get("_type") == "metadata"):
        return row
    return None


def _is_message(row: dict[str, Any]) -> bool:
    number = row.get("id")
    return (
        isinstance(number, int)
        and 0 <= number <= _MASK >> 1
        and isinstance(row.get("identity"), str)
        and isinstance(row.get("content"), str)
        and row.get("role") in _ROLES
        and row.get("origin") in _ORIGINS
        and row.get("state") in _STATES
    )


def _header_line(session: Session, old: dict[str, Any]) -> bytes:
    before = old.get("metadata") or {}
    times = [old.get("created_at"), old.get("updated_at"), session.created_at, session.updated_at]
    known = [time for time in times if time]
    described = {
        **before,
        **session.metadata,
        "title": session.title or before.get("title"),
        "project": before.get("project") or session.project,
        "source": before.get("source") or session.source,
    }
    return _dump(
        {
            "_type": "metadata",
            "key": session.key,
            "created_at": min(known, default=None),
            "updated_at": max(known, default=None),
            "metadata": {name: value for name, value in described.items() if value is not None},
        }
    )


def _dump(row: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except (TypeError, ValueError):  # a lone surrogate, an integer over 64 bits
        return orjson.dumps(clean(row), option=orjson.OPT_APPEND_NEWLINE)


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass").replace("~", "%7E")


def _hashed(name: str, key: str) -> str:
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{name[: MAX_NAME - 17].rstrip('%')}-{digest}"


def _lock_path(home: Home, file_name: str) -> Path:
    # A fixed number of lock files serves any number of sessions.
    stripe = hashlib.sha256(file_name.encode()).digest()[0] % _LOCKS
    return home.sessions / ".locks" / f"{stripe:02d}.lock"
