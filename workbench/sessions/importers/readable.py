"""What an importer reads: a file, or a member of an archive, by the same few names."""

from __future__ import annotations

import os
from typing import BinaryIO, Literal, Protocol


class Readable(Protocol):
    """A file on disk (a ``Path``), or one in a zip archive."""

    @property
    def name(self) -> str:
        """The last part of its path."""

    @property
    def stem(self) -> str:
        """Its name without the ending."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Its path, part by part."""

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """Its bytes; the stream can seek."""


def size_of(file: Readable) -> int:
    """How many bytes it has."""
    with file.open("rb") as handle:
        return handle.seek(0, os.SEEK_END)
