"""Transcript formats, one module each: a module of this folder with an ``IMPORTER`` is a format."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import NotFound, WorkbenchError
from workbench.sessions.importers import lines
from workbench.sessions.importers.lines import Counts
from workbench.sessions.model import Message, Session

_SNIFFED_ROWS = 200
_SNIFFED_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """One conversation of a source.

    :param messages: read from the source while they are consumed, in its order, each identity once.
    :param dropped: identities that an earlier state of the source gave and that are not messages of their own
        (streaming duplicates); they go from the canonical file.
    """

    session: Session
    messages: Iterator[Message]
    dropped: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file, to tell its format by.

    :param head: its first 64 KB.
    :param rows: the JSON values of its first lines, unreadable ones left out.
    """

    head: bytes
    rows: list[Any]


class Read(Protocol):
    """Reads one file; ``counts`` is complete when every ``Found.messages`` has been consumed."""

    def __call__(self, path: Path, counts: Counts, /) -> Iterator[Found]: ...


@dataclass(frozen=True)
class Importer:
    """A transcript format.

    :param sniff: whether the content of a file is of this format.
    """

    name: str
    sniff: Callable[[Sample], bool]
    read: Read


@cache
def registry() -> dict[str, Importer]:
    """Every format by its name."""
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    importers = (getattr(module, "IMPORTER", None) for module in modules)
    return {importer.name: importer for importer in importers if isinstance(importer, Importer)}


def choose(path: Path, name: str | None = None) -> Importer:
    """The importer called ``name``, else the one that knows the content of ``path``.

    :raises WorkbenchError: when no format fits, or the file can't be read.
    """
    formats = registry()
    if name is not None:
        if name not in formats:
            raise NotFound(f"there is no transcript format {name!r}; known: {', '.join(sorted(formats))}")
        return formats[name]
    found = sample(path)
    for importer in formats.values():
        if importer.sniff(found):
            return importer
    raise WorkbenchError(
        f"{path} is not a transcript this program knows ({', '.join(sorted(formats))}); nothing was read"
    )


def sample(path: Path) -> Sample:
    """The beginning of ``path``.

    :raises WorkbenchError: when it can't be read.
    """
    values = []
    for offset, value in islice(lines.rows(path, Counts()), _SNIFFED_ROWS):
        values.append(value)
        if offset > _SNIFFED_BYTES:
            break
    with path.open("rb") as handle:
        return Sample(handle.read(64 * 1024), values)
