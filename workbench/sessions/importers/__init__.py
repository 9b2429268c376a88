"""Transcript formats, one module each: a module of this folder with an ``IMPORTER`` is a format."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from workbench import foreign_db
from workbench.errors import NotFound, WorkbenchError
from workbench.sessions import archives
from workbench.sessions.archives import Member
from workbench.sessions.importers import documents, lines
from workbench.sessions.importers.lines import Counts
from workbench.sessions.importers.readable import opened, unmarked
from workbench.sessions.model import Message, Occurrences, Session

_HEAD = 64 * 1024
_MARKS = 4 * 1024  # so much tells in what encoding a text is
_SNIFFED_ROWS = 200
_SNIFFED_BYTES = 4 * 1024 * 1024
_SNIFFED_ELEMENTS = 3
_SNIFFED_DOCUMENT = 16 * 1024 * 1024
SQLITE = b"SQLite format 3\x00"


class UnknownFormat(WorkbenchError):
    """A file is of no format that is known."""


class ArchiveWithin(UnknownFormat):
    """A file is an archive that is not looked into."""


class Unmarked(UnknownFormat):
    """A file is text in an encoding that is not read without its mark."""


class NotGrown(Exception):
    """What came behind the part of a file that was read before says more of that part: it must be read whole."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A file that is as it was and has grown.

    :param end: the byte offset at which what is new begins, a line.
    :param key: of its one conversation.
    :param state: what ``Found.state`` gave when it had been read up to there.
    :param told: whether the conversation holds a message of this identity.
    """

    end: int
    key: str
    state: dict[str, Any]
    told: Callable[[str], bool]

    def occurrences(self) -> Occurrences:
        """How often each derived identity was seen up to there."""
        return Occurrences(self.told)


def _unknown() -> None:
    """Nothing is known of what must be known."""


@dataclass(frozen=True, slots=True)
class Found:
    """One conversation of a source.

    :param messages: read from the source while they are consumed, in its order, each identity once.
    :param dropped: identities that an earlier state of the source gave and that are not messages of their own
        (streaming duplicates); they go from the canonical file.
    :param end: the byte offset up to which the source was read, where it is a file of lines.
    :param state: asked when the messages have been consumed: the little that must be known to read on from ``end``
        alone, fit for JSON; None when what comes next may say more of what was read.
    :param again: where nothing but its beginning names the conversation, so that another may have the same name: gives
        its messages once more.
    :param alone: the file holds this conversation, and by its form no other.
    """

    session: Session
    messages: Iterator[Message]
    dropped: Collection[str] = ()
    end: int | None = None
    state: Callable[[], dict[str, Any] | None] = _unknown
    again: Callable[[], Iterator[Message]] | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file, to tell its format by.

    :param head: its first 64 KB; of a page of HTML, whose style comes first, 512 KB.
    :param more: reads its first 4 MB, for whom the head leaves in doubt.
    :param rows: the JSON values of its first lines, unreadable ones left out.
    :param elements: where the file is one JSON document: the first elements of the array that it is, or the one object
        that it is (none where that is over 16 MB: then ``head`` must do).
    :param tables: where the file is an SQLite database: the columns of each table.
    """

    head: bytes
    rows: list[Any] = field(default_factory=list)
    elements: list[Any] = field(default_factory=list)
    tables: Mapping[str, frozenset[str]] = field(default_factory=dict)
    more: Callable[[], bytes] = bytes


class Read(Protocol):
    """Reads one file; ``counts`` is complete when every ``Found.messages`` has been consumed.

    The file is a ``Path``, or a member of an archive: what needs more than its bytes (a database, files beside it) asks
    ``isinstance(file, Path)``.
    """

    def __call__(self, file: Any, counts: Counts, /) -> Iterator[Found]: ...  # noqa: ANN401 - Readable, or a Path


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent keeps its transcripts.

    :param folder: of the agent, below the person's home: ``".codex"``.
    :param below: where in it they lie; a ``*`` stands for every folder there: ``"agents/*/sessions"``.
    :param pattern: what their names match.
    :param without: names that match one of these are left out.
    :param deep: whether folders below are looked into, too.
    :param variable: the environment variable that names the folder instead (or more of them, apart by commas or the
        path separator).
    """

    folder: str
    below: str = ""
    pattern: str = "*.jsonl"
    variable: str | None = None
    without: tuple[str, ...] = ()
    deep: bool = True


def _nothing(path: Path) -> Iterable[Path]:
    return ()


def log_beside(path: Path) -> Iterable[Path]:
    """What an SQLite database did not bring home yet."""
    return (path.with_name(path.name + "-wal"),)


@dataclass(frozen=True)
class Importer:
    """A transcript format.

    :param sniff: whether the content of a file is of this format.
    :param places: where its files are found without being named.
    :param vague: its marks are few, so that every other format is asked first.
    :param beside: the files that are read with a file: when one of them changed, it is read again.
    :param grown: reads what is new in a file that has grown; raises ``NotGrown`` before any message is given where that
        does not do.
    """

    name: str
    sniff: Callable[[Sample], bool]
    read: Read
    places: tuple[Place, ...] = ()
    vague: bool = False
    beside: Callable[[Path], Iterable[Path]] = _nothing
    grown: Callable[[Path, Counts, Growth], Found] | None = None


@cache
def registry() -> dict[str, Importer]:
    """Every format by its name."""
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    found = [importer for module in modules if isinstance(importer := getattr(module, "IMPORTER", None), Importer)]
    return {importer.name: importer for importer in sorted(found, key=lambda importer: importer.vague)}


def choose(file: Path | Member, name: str | None = None) -> Importer:
    """The importer called ``name``, else the one that knows the content of ``file``.

    :raises WorkbenchError: when no format fits, or the file can't be read.
    """
    formats = registry()
    if name is not None:
        if name not in formats:
            raise NotFound(f"there is no transcript format {name!r}; known: {', '.join(sorted(formats))}")
        return formats[name]
    found = sample(file)
    for importer in formats.values():
        if importer.sniff(found):
            return importer
    raise UnknownFormat(
        f"{file} is not a transcript this program knows ({', '.join(sorted(formats))}); nothing was read"
    )


def sample(file: Path | Member) -> Sample:
    """The beginning of ``file``.

    :raises ArchiveWithin: when it is an archive.
    :raises Unmarked: when it is text in UTF-16 or UTF-32 without a mark.
    :raises OSError: when it can't be read.
    """
    with opened(file) as handle:
        head = handle.read(_HEAD)
        if kind := archives.kind_of(head):
            raise ArchiveWithin(f"{file} is an archive ({kind}); unpack it, and name the folder; nothing was read")
        if encoding := unmarked(head[:_MARKS]):
            raise Unmarked(f"{file} looks like {encoding} text without its mark; save it as UTF-8; nothing was read")
        if head.lstrip()[:1] == b"<":
            head += handle.read(7 * _HEAD)
    if head.startswith(SQLITE):
        return Sample(head, tables=_tables(file) if isinstance(file, Path) else {})
    values = []
    for _, value in islice(lines.rows(file, Counts(), end=_SNIFFED_BYTES + lines.MAX_LINE), _SNIFFED_ROWS):
        values.append(value)
    elements = []
    # A line of a document may be a value by itself, but hardly an object.
    is_lines = sum(isinstance(value, dict | list) for value in values) > 1
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{") and not is_lines:
        with opened(file) as handle:
            for _, data in islice(documents.split(handle, _SNIFFED_DOCUMENT), _SNIFFED_ELEMENTS):
                with suppress(Exception):  # one element that is no JSON says nothing of the others
                    elements.append(lines.parse(data or b""))
    return Sample(head, values, elements, more=lambda: _beginning(file))


def _beginning(file: Path | Member) -> bytes:
    with opened(file) as handle:
        return handle.read(_SNIFFED_BYTES)


def _tables(path: Path) -> dict[str, frozenset[str]]:
    with foreign_db.read(path) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: frozenset(row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,)))
            for name in names
        }
