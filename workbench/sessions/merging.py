"""Merging what a source says into one canonical file: new lines go out as they come, changed ones aside."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, get_args

import orjson

from workbench import files
from workbench.errors import WorkbenchError
from workbench.sessions import canonical, times, versions
from workbench.sessions.importers.lines import read_lines
from workbench.sessions.model import Message, Session, State, message_id

MAX_BAD_LINES = 50
_ASIDE_IN_MEMORY = 8 * 1024 * 1024
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
class Known:
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
        return canonical.described(self.header)


class Merge:
    """One merge into one file: new lines go out as they come, changed ones aside; ids and hashes stay in memory."""

    def __init__(self, session: Session, known: Known, dropped: Collection[str] = ()) -> None:
        self.session, self.known = session, known
        self.changed: dict[int, tuple[int, int]] = {}
        self._told: set[int] = set()  # those of the changed ones that the source tells otherwise
        self.new = self.unchanged = 0
        self.removed = {number for identity in dropped if (number := self._number(identity)) in known.lines}
        self._aside = SpooledTemporaryFile(_ASIDE_IN_MEMORY)  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Merge:
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
            out = [header_line(self.session, self.known.header)]
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


def scan(path: Path, key: str) -> Known:
    """What the canonical file of a conversation holds.

    :raises WorkbenchError: when it is damaged.
    """
    known = Known(header=canonical.read_header(path))
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


def header_line(session: Session, old: dict[str, Any]) -> bytes:
    """The metadata line of a conversation, with its end, made of what a source says and of what stood there."""
    before = canonical.described(old)
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
