"""Zip archives, read without unpacking them to disk, and without trusting what they say of themselves.

What a damaged archive still holds is given: a member's bytes up to the damage, and, where its list of files is gone
(a download that was cut off), the members one finds by walking through it.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal, cast

from workbench import files
from workbench.errors import WorkbenchError
from workbench.text import one_line

MAX_MEMBERS = 20_000
MAX_MEMBER = 4 * 1024 * 1024 * 1024
MAX_TOTAL = 16 * 1024 * 1024 * 1024
# Deflate makes text some 3 to 20 times smaller; zeros, a thousand times.
MAX_RATIO = 200
_ALWAYS_FINE = 16 * 1024 * 1024
_MAX_NAME = 500
_CHUNK = 64 * 1024
# The other ways are unpacked without a limit on memory; no export uses them.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_SIZES = b"PK\x07\x08"
_HEADER = struct.Struct("<4s5H3I2H")
_ENCRYPTED, _SIZES_BEHIND, _UTF8 = 0x1, 0x8, 0x800
_ELSEWHERE = 0xFFFFFFFF  # a size that stands in an extra field
_KINDS = {
    (0, _LOCAL): "zip",
    (0, _END): "zip",
    (0, b"\x1f\x8b"): "gzip",
    (0, b"7z\xbc\xaf\x27\x1c"): "7z",
    (0, b"Rar!\x1a\x07"): "rar",
    (0, b"BZh"): "bzip2",
    (0, b"\xfd7zXZ\x00"): "xz",
    (0, b"\x28\xb5\x2f\xfd"): "zstd",
    (257, b"ustar"): "tar",
}


@dataclass(frozen=True)
class Member:
    """One file of an open archive; see ``importers.readable.Readable``.

    :param damage: why it can't be read to its end, once that was found.
    """

    archive: Path
    info: zipfile.ZipInfo
    damage: list[str] = field(default_factory=list, compare=False)

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

    @property
    def shown(self) -> str:
        """Its path in the archive, fit to be shown."""
        return one_line(self.info.filename, _MAX_NAME)

    def __str__(self) -> str:
        return f"{self.archive}/{self.shown}"

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """Its bytes, no more than the archive says they are; where it is damaged they end early, and ``damage`` says
        why.

        :raises OSError: here and while it is read, when the archive can't be read.
        """
        return cast(BinaryIO, io.BufferedReader(_Stream(self)))


class _Stream(io.RawIOBase):
    """A member's bytes. It goes to another place only when bytes of it are asked for: its end is known, unread."""

    def __init__(self, member: Member) -> None:
        self._member = member
        self._file = files.opened(member.archive)
        self._at = 0
        self._rewind()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        if self._at < self._given - len(self._piece):
            self._rewind()
        while True:
            begin, piece = self._given - len(self._piece), self._piece
            if self._at < self._given:
                data = piece[self._at - begin : self._at - begin + len(view)]
                view[: len(data)] = data
                self._at += len(data)
                return len(data)
            if not self._more():
                return 0

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._member.info.file_size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def close(self) -> None:
        self._file.close()
        super().close()

    def _rewind(self) -> None:
        self._pieces = _pieces(self._file, self._member)
        self._piece, self._given = b"", 0

    def _more(self) -> bool:
        """Unpack the next piece: ``_given`` bytes were unpacked then, of which ``_piece`` is the end."""
        self._piece = next(self._pieces, b"")
        self._given += len(self._piece)
        return bool(self._piece)


def _pieces(file: BinaryIO, member: Member) -> Iterator[bytes]:
    """The bytes of a member, in pieces, up to its end or to the damage."""
    info, size, checksum = member.info, 0, 0
    try:
        for piece in _unpacked(file, info):
            piece = piece[: info.file_size - size]
            size, checksum = size + len(piece), zlib.crc32(piece, checksum)
            if piece:
                yield piece
            if size == info.file_size:
                break
        if size < info.file_size:
            raise _Damaged("it ends early")
        if checksum != info.CRC and not _is_unknown(info):
            raise _Damaged("its checksum is another one")
    except _Damaged as error:
        if not member.damage:
            member.damage.append(str(error))


class _Damaged(Exception):
    """Bytes of an archive are not what they were."""


def _is_unknown(info: zipfile.ZipInfo) -> bool:
    """Whether the checksum of a member was in the lost list of files."""
    return not info.CRC and bool(info.flag_bits & _SIZES_BEHIND)


def _unpacked(file: BinaryIO, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """What the packed bytes of a member give, up to the byte that gives nothing.

    :raises _Damaged: there.
    """
    file.seek(max(info.header_offset, 0))
    header = file.read(_HEADER.size)
    if header[:4] != _LOCAL or len(header) < _HEADER.size:
        raise _Damaged("its header is gone")
    name_size, extra_size = _HEADER.unpack(header)[-2:]
    file.seek(name_size + extra_size, io.SEEK_CUR)
    left, unpacker, packed = info.compress_size, zlib.decompressobj(-zlib.MAX_WBITS), b""
    while not unpacker.eof and (packed or left):
        if not packed:
            packed = file.read(min(left, _CHUNK))
            left = left - len(packed) if packed else 0
        if info.compress_type == zipfile.ZIP_STORED:
            yield packed
            packed = b""
            continue
        before = unpacker.copy()
        try:
            piece = unpacker.decompress(packed, _CHUNK)
        except zlib.error:
            yield from _byte_by_byte(before, packed)
            raise _Damaged("it can't be unpacked") from None
        packed = unpacker.unconsumed_tail
        yield piece


def _byte_by_byte(unpacker: zlib._Decompress, packed: bytes) -> Iterator[bytes]:
    """What can be unpacked before the first byte that is wrong."""
    with suppress(zlib.error):
        for at in range(len(packed)):
            yield unpacker.decompress(packed[at : at + 1])


def kind_of(head: bytes) -> str | None:
    """What kind of archive begins so; None for what is none."""
    return next((kind for (at, mark), kind in _KINDS.items() if head.startswith(mark, at)), None)


def is_zip(path: Path) -> bool:
    """Whether ``path`` begins as a zip archive does."""
    with files.opened(path) as handle:
        return kind_of(handle.read(4)) == "zip"


@contextmanager
def opened(path: Path) -> Iterator[list[Member]]:
    """The files of an archive, sorted by path; they can be read while the block lasts. Archives in it are files like
    others.

    :raises WorkbenchError: when nothing in it can be read, it is encrypted, or would unpack to far more than it is.
    """
    lost = None
    try:
        with files.opened(path) as handle, zipfile.ZipFile(handle) as file:
            infos = file.infolist()
    except OSError:
        raise
    except Exception as error:  # a damaged directory makes zipfile raise a dozen classes
        infos, lost = _walked(path), f"{error}"
        if not infos:
            raise WorkbenchError(f"{path} is damaged ({lost}); download it again") from error
    infos = [info for info in infos if not info.filename.endswith("/")]
    _refuse_bombs(path, infos)
    members = [Member(path, info) for info in sorted(infos, key=lambda info: info.filename)]
    if lost and members:  # where it is cut off is in the member that comes last
        max(members, key=lambda member: member.info.header_offset).damage.append("the archive's list of files is gone")
    yield members


def _walked(path: Path) -> list[zipfile.ZipInfo]:
    """The members of an archive whose list of files can't be read, by their own headers."""
    found: list[zipfile.ZipInfo] = []
    with files.opened(path) as file:
        size, at = file.seek(0, io.SEEK_END), 0
        while at >= 0 and len(found) <= MAX_MEMBERS:
            file.seek(at)
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size or header[:4] != _LOCAL:
                at = _next_header(file, at + 1)
                continue
            _, _, flags, method, _, _, checksum, packed, unpacked, name_size, extra_size = _HEADER.unpack(header)
            name = file.read(name_size).decode("utf-8" if flags & _UTF8 else "cp437", "replace")
            begin = at + _HEADER.size + name_size + extra_size
            known = not flags & _SIZES_BEHIND and _ELSEWHERE not in (packed, unpacked)
            end = begin + packed if known else _next_header(file, begin)
            info = zipfile.ZipInfo(name or "?")
            info.header_offset, info.flag_bits, info.compress_type = at, flags, method
            info.CRC, info.compress_size = checksum, (min(end, size) if end >= 0 else size) - begin
            info.file_size = unpacked if known else _measured(file, info)
            found.append(info)
            at = end if 0 <= end < size else -1
    return found


def _next_header(file: BinaryIO, at: int) -> int:
    """Where what is no member's bytes begins: another one, its own sizes, the list of files; -1 where none does."""
    file.seek(at)
    before = b""
    while chunk := file.read(_CHUNK):
        data = before + chunk
        places = [place for mark in (_LOCAL, _CENTRAL, _SIZES) if (place := data.find(mark)) >= 0]
        if places:
            return at - len(before) + min(places)
        at += len(chunk)
        before = data[-3:]
    return -1


def _measured(file: BinaryIO, info: zipfile.ZipInfo) -> int:
    """How many bytes a member unpacks to, up to a little over what is read of one."""
    total, limit = 0, max(_ALWAYS_FINE, info.compress_size * MAX_RATIO)
    with suppress(_Damaged):
        for piece in _unpacked(file, info) if info.compress_type in _METHODS else ():
            total += len(piece)
            if total > limit:
                break
    return total


def _refuse_bombs(path: Path, infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > MAX_MEMBERS:
        raise WorkbenchError(f"{path} holds {len(infos):,} files, over {MAX_MEMBERS:,}; unpack it, and name the folder")
    for info in infos:
        if info.flag_bits & _ENCRYPTED:
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
