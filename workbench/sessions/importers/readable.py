"""What an importer reads: a file, or a member of an archive, by the same few names."""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, Literal, Protocol, cast

from workbench import files

_IN_MEMORY = 8 * 1024 * 1024
_CHUNK = 1 << 20
# The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


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


def opened(file: Readable) -> BinaryIO:
    """Its bytes. What begins with the mark of UTF-16 or UTF-32, as some programs of Windows write text, is given as
    UTF-8.

    :raises OSError: when it can't be read, or is no plain file by now; opening never waits, as a pipe would let it.
    """
    handle = files.opened(file) if isinstance(file, Path) else file.open("rb")
    encoding = encoding_of(handle.read(4))
    handle.seek(0)
    return _as_utf8(handle, encoding) if encoding else handle


def encoding_of(head: bytes) -> str | None:
    """The encoding that a text which begins so is in; None where no mark says that it is another one than UTF-8."""
    return next((name for mark, name in _ENCODINGS if head.startswith(mark)), None)


def unmarked(head: bytes) -> str | None:
    """``UTF-16`` or ``UTF-32`` for the beginning of a text that is in it and bears no mark; None for anything else."""
    if b"\0" not in head:
        return None
    for name in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        try:
            text = codecs.getincrementaldecoder(name)().decode(head)
        except UnicodeDecodeError:
            continue
        if text and all(character.isprintable() or character in "\t\r\n" for character in text):
            return name[:6].upper()
    return None


def _as_utf8(handle: BinaryIO, encoding: str) -> BinaryIO:
    recoded: Any = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by whoever reads it
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    with handle:
        while chunk := handle.read(_CHUNK):
            recoded.write(decoder.decode(chunk).encode("utf-8", "replace"))
    recoded.write(decoder.decode(b"", True).encode("utf-8", "replace"))
    recoded.seek(0)
    return cast(BinaryIO, recoded)


def size_of(file: Readable) -> int:
    """How many bytes it has, as they are read."""
    with opened(file) as handle:
        return handle.seek(0, os.SEEK_END)
