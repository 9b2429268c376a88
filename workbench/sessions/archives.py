"""Zip archives, read without unpacking them to disk, and without trusting what they say of themselves."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal, cast

from workbench.errors import WorkbenchError

MAX_MEMBERS = 20_000
MAX_MEMBER = 4 * 1024 * 1024 * 1024
MAX_TOTAL = 16 * 1024 * 1024 * 1024
# Deflate makes text some 3 to 20 times smaller; zeros, a thousand times.
MAX_RATIO = 200
_ALWAYS_FINE = 16 * 1024 * 1024


@dataclass(frozen=True)
class Member:
    """One file of an open archive; see ``importers.readable.Readable``."""

    archive: Path
    file: zipfile.ZipFile
    info: zipfile.ZipInfo

    @property
    def _inside(self) -> PurePosixPath:
        return PurePosixPath(self.info.filename)

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self._inside.name

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return self._inside.stem

    @property
    def suffix(self) -> str:
        """The ending of its name."""
        return self._inside.suffix

    @property
    def parts(self) -> tuple[str, ...]:
        """Its path: that of the archive, then that inside of it."""
        return (*self.archive.parts, *self._inside.parts)

    def __str__(self) -> str:
        return f"{self.archive}/{self.info.filename}"

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """Its bytes, no more than the archive says they are."""
        return cast(BinaryIO, io.BufferedReader(_Stream(self.file.open(self.info), str(self))))


class _Stream(io.RawIOBase):
    """A member's bytes; what is wrong with the archive is an ``OSError``, as what is wrong with a file is."""

    def __init__(self, stream: zipfile.ZipExtFile | object, name: str) -> None:
        self._stream = cast(zipfile.ZipExtFile, stream)
        self._name = name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            data = self._stream.read(len(view))
        except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError, ValueError) as error:
            raise OSError(0, f"{error}") from error
        view[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def close(self) -> None:
        self._stream.close()
        super().close()


def is_zip(path: Path) -> bool:
    """Whether ``path`` begins as a zip archive does."""
    with path.open("rb") as handle:
        return handle.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


@contextmanager
def opened(path: Path) -> Iterator[list[Member]]:
    """The files of an archive, sorted by path; they can be read while the block lasts.

    :raises WorkbenchError: when it is no archive, is encrypted, or would unpack to far more than it is.
    """
    try:
        with zipfile.ZipFile(path) as file:
            infos = [info for info in file.infolist() if not info.is_dir()]
            _refuse_bombs(path, infos)
            yield [Member(path, file, info) for info in sorted(infos, key=lambda info: info.filename)]
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise WorkbenchError(f"{path} is no zip archive that can be read: {error}") from error


def _refuse_bombs(path: Path, infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > MAX_MEMBERS:
        raise WorkbenchError(f"{path} holds {len(infos):,} files, over {MAX_MEMBERS:,}; unpack it, and name the folder")
    for info in infos:
        if info.flag_bits & 1:
            raise WorkbenchError(f"{path} is encrypted; unpack it, and name the folder")
        large = info.file_size > max(_ALWAYS_FINE, info.compress_size * MAX_RATIO)
        if large or info.file_size > MAX_MEMBER:
            raise WorkbenchError(
                f"{path}: {info.filename!r} would unpack from {info.compress_size:,} to {info.file_size:,} bytes;"
                " it was not read"
            )
    if (total := sum(info.file_size for info in infos)) > MAX_TOTAL:
        raise WorkbenchError(f"{path} would unpack to {total:,} bytes; unpack it, and name the folder")
