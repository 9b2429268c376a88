"""Reading JSON lines that may be huge, broken or still growing, in bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias

import orjson

from workbench.errors import WorkbenchError
from workbench.sessions.importers.readable import Readable, opened
from workbench.text import storable

# Whatever a file holds.
Json: TypeAlias = Any

MAX_LINE = 8 * 1024 * 1024
MAX_LISTED = 1_000
_CHUNK = 1 << 20
_SPACE = b" \t\r\n\x00"
_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Counts:
    """What became of the lines of one file; ``read`` is the sum of the other three.

    :param quarantined: how many lines could not be used.
    :param bad: (byte offset, reason) of the first ``MAX_LISTED`` of them.
    :param waiting: the last line is not finished yet; it is not counted.
    :param replaced: how many characters could not be read as UTF-8, and stand as U+FFFD.
    :param cut: the file is a document that ends early.
    """

    kept: int = 0
    skipped: int = 0
    quarantined: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)
    waiting: bool = False
    replaced: int = 0
    cut: bool = False

    @property
    def read(self) -> int:
        """All lines that were looked at."""
        return self.kept + self.skipped + self.quarantined

    def quarantine(self, offset: int, reason: str) -> None:
        """Count a line that can't be used; it stays in its source at ``offset``."""
        self.quarantined += 1
        if len(self.bad) < MAX_LISTED:
            self.bad.append((offset, reason))


def read_lines(
    handle: BinaryIO, start: int = 0, end: int | None = None, limit: int = MAX_LINE
) -> Iterator[tuple[int, bytes | None, bool]]:
    """(byte offset, line, finished) for each line that is not blank; the line is None when it is over ``limit`` bytes.

    LF, CRLF and CR end a line. ``finished`` is false for a last line without an end.
    """
    handle.seek(start)
    position = line_at = start
    pending: list[bytes] = []
    held = 0
    while chunk := handle.read(_CHUNK if end is None else min(_CHUNK, end - position)):
        at = position
        position += len(chunk)
        *lines, rest = (chunk.replace(b"\r", b"\n") if b"\r" in chunk else chunk).split(b"\n")
        for piece in lines:
            line = piece if len(piece) <= limit else None
            if held:
                line = b"".join([*pending, piece]) if held + len(piece) <= limit else None
                pending, held = [], 0
            if line is None or line[:1] == b"{" or not _blank(line):
                yield line_at, line, True
            at += len(piece) + 1
            line_at = at
        held += len(rest)
        pending = [*pending, rest] if held <= limit else []
    if held > limit:
        yield line_at, None, True
    elif held and not _blank(line := b"".join(pending)):
        yield line_at, line, False


def ends_whole(file: Readable, end: int) -> bool:
    """Whether the byte before ``end`` ends a line."""
    with opened(file) as handle:
        handle.seek(max(end - 1, 0))
        return handle.read(1) == b"\n"


def replaced_in(data: bytes) -> int:
    """How many characters of a text can't be read as UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").count("\ufffd") - data.count("\ufffd".encode())
    return 0


def parse(line: bytes, counts: Counts | None = None) -> Json:
    """The JSON value of one line, its strings fit to be stored, with what real files hold beyond JSON: a BOM, NUL
    padding left by a power cut, NaN, lone surrogates, raw control characters, broken UTF-8.

    :param counts: told of what is no UTF-8.
    :raises ValueError: when there is no value in it.
    :raises RecursionError: when it nests too deep.
    """
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        found = clean(_parse_leniently(line.removeprefix(_BOM).strip(_SPACE)))
        if counts is not None:
            counts.replaced += replaced_in(line)
        return found
    return clean(value) if b"\\u0000" in line else value


def clean(value: Json) -> Json:
    """``value`` as JSON and SQLite can hold it: no NUL, no lone surrogate, no integer over 64 bits."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(str(name)): clean(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return str(value)
    return value


def _parse_leniently(line: bytes) -> Json:
    try:
        return json.loads(line.decode("utf-8", "replace"), strict=False)
    except ValueError:
        _, padding, tail = line.rpartition(b"\x00")
        if not padding:
            raise
        return orjson.loads(tail)


def rows(file: Readable, counts: Counts, start: int = 0, end: int | None = None) -> Iterator[tuple[int, Json]]:
    """(byte offset, JSON value) of each readable line; the others are quarantined in ``counts``.

    An unreadable last line without an end belongs to a file that is still being written: it waits.

    :raises WorkbenchError: when the file can't be read.
    """
    try:
        with opened(file) as handle:
            for offset, line, finished in read_lines(handle, start, end):
                if line is None:
                    counts.quarantine(offset, f"line over {MAX_LINE // 1024 // 1024} MB")
                    continue
                try:
                    value = parse(line, counts)
                except Exception as error:
                    if finished:
                        counts.quarantine(offset, f"not JSON: {_brief(error)}")
                    else:
                        counts.waiting = True
                    continue
                yield offset, value
    except OSError as error:
        raise WorkbenchError(f"cannot read {file}: {error.strerror or error}") from error


def _blank(line: bytes) -> bool:
    return not line or line.isspace() or (line[0] == 0 and not line.strip(_SPACE))


def _brief(error: Exception) -> str:
    return f"{type(error).__name__} {error}"[:120]
