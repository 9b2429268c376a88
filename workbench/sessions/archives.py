"""Zip archives, read without unpacking them to disk, and without trusting what they say of themselves."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Literal, cast

from workbench.errors import WorkbenchError
from workbench.text import one_line

MAX_MEMBERS = 20_000
MAX_MEMBER = 4 * 1024 * 1024 * 1024
MAX_TOTAL = 16 * 1024 * 1024 * 1024
# Deflate makes text some 3 to 20 times smaller; zeros, a thousand times.
MAX_RATIO = 200
_ALWAYS_FINE = 16 * 1024 * 1024
_MAX_NAME = 500
# The other ways are unpacked without a limit on memory; no export uses them.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class Member:
    """One file of an open archive; see ``importers.readable.Readable``."""

    archive: Path
    file: zipfile.ZipFile
    info: zipfile.ZipInfo

    @property
    def _inside(self) -> PurePosixPath:
        return PurePosixPath(self.info.filename.replace("\\", "/"))  # as archivers of Windows write it

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self._inside.name or self.archive.name

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """The ending of its name."""
        return PurePosixPath(self.name).suffix

    @property
    def parts(self) -> tuple[str, ...]:
        """Its path: that of the archive, then that inside of it."""
        return (*self.archive.parts, *self._inside.parts)

    def __str__(self) -> str:
        return f"{self.archive}/{one_line(self.info.filename, _MAX_NAME)}"

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """Its bytes, no more than the archive says they are.

        :raises OSError: here and while it is read, when the archive is damaged.
        """
        with _damage():
            return cast(BinaryIO, io.BufferedReader(_Stream(self.file.open(self.info), self.info.file_size)))


class _Stream(io.RawIOBase):
    """A member's bytes. It goes to another place only when bytes of it are asked for: its end is known, unread."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream, self._size, self._at = stream, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        with _damage():
            if self._stream.tell() != self._at:
                self._stream.seek(self._at)
            data = self._stream.read(len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def _damage() -> Iterator[None]:
    """What is wrong with the archive is an ``OSError``, as what is wrong with a file is."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # zipfile and zlib raise a dozen classes
        raise OSError(0, f"{error}" or "the archive is damaged") from error


def is_zip(path: Path) -> bool:
    """Whether ``path`` begins as a zip archive does."""
    with path.open("rb") as handle:
        return handle.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


@contextmanager
def opened(path: Path) -> Iterator[list[Member]]:
    """The files of an archive, sorted by path; they can be read while the block lasts. Archives in it are files like
    others.

    :raises WorkbenchError: when it is no archive, is encrypted, or would unpack to far more than it is.
    """
    try:
        file = zipfile.ZipFile(path)
    except OSError:
        raise
    except Exception as error:  # a damaged directory makes zipfile raise a dozen classes
        raise WorkbenchError(f"{path} is no zip archive that can be read: {error}") from error
    with file:
        infos = [info for info in file.infolist() if not info.filename.endswith("/")]
        _refuse_bombs(path, infos)
        yield [Member(path, file, info) for info in sorted(infos, key=lambda info: info.filename)]


def _refuse_bombs(path: Path, infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > MAX_MEMBERS:
        raise WorkbenchError(f"{path} holds {len(infos):,} files, over {MAX_MEMBERS:,}; unpack it, and name the folder")
    for info in infos:
        if info.flag_bits & 1:
            raise WorkbenchError(f"{path} is encrypted; unpack it, and name the folder")
        if info.compress_type not in _METHODS:
            raise WorkbenchError(f"{path} is packed in an unusual way; unpack it, and name the folder")
        large = info.file_size > max(_ALWAYS_FINE, info.compress_size * MAX_RATIO)
        if large or info.file_size > MAX_MEMBER:
            raise WorkbenchError(
                f"{path}: {info.filename!r} would unpack from {info.compress_size:,} to {info.file_size:,} bytes;"
                " it was not read"
            )
    # Measured by the file itself: members may overlap, and what they say of their size packed may be wrong.
    total, size = sum(info.file_size for info in infos), path.stat().st_size
    if total > min(MAX_TOTAL, max(_ALWAYS_FINE, size * MAX_RATIO)):
        raise WorkbenchError(f"{path} would unpack to {total:,} bytes; unpack it, and name the folder")
