"""Whether the beginning of a file stands as it was when it was read: by all of its bytes, or by samples of them."""

from __future__ import annotations

import zlib
from pathlib import Path

from workbench import files

# A beginning of so many bytes is looked at whole; of a longer one the two ends, and pieces in equal distances.
EXACT = 1 << 20
_END = 1 << 16
_PIECE, _PIECES = 1 << 12, 64
_CHUNK = 1 << 20


def sum_of(path: Path, end: int, start: int = 0, before: str = "") -> str:
    """The checksum of the first ``end`` bytes of a file, in hexadecimal.

    :param before: that of its first ``start`` bytes: these are not read again.
    """
    one, other = (int(before[:8], 16), int(before[8:], 16)) if before else (0, 1)
    left = end - start
    with files.opened(path) as handle:
        handle.seek(start)
        while left > 0 and (chunk := handle.read(min(left, _CHUNK))):
            one, other = zlib.crc32(chunk, one), zlib.adler32(chunk, other)
            left -= len(chunk)
    return f"{one:08x}{other:08x}"


def mark_of(path: Path, size: int) -> int:
    """What tells the first ``size`` bytes of a file from others, at a cost that does not follow ``size``: equal marks
    of at most ``EXACT`` bytes are equal bytes; of more, nothing was written before the end, or as much as before."""
    pieces = [(0, size)]
    if size > EXACT:
        step = (size - _END) // _PIECES
        pieces = [(0, _END), *((number * step, _PIECE) for number in range(1, _PIECES)), (size - _END, _END)]
    crc = 0
    with files.opened(path) as handle:
        for start, length in pieces:
            handle.seek(start)
            crc = zlib.crc32(handle.read(length), crc)
    return crc
