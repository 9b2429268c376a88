"""Reading files that are one JSON document, of any size: the elements of a long array come one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import orjson

from workbench.errors import WorkbenchError
from workbench.sessions.importers.lines import Counts, Json, clean, parse
from workbench.sessions.importers.readable import Readable, opened

ENDS_EARLY = "the file ends early"
MAX_DOCUMENT = 64 * 1024 * 1024
_AT_ONCE = 16 * 1024 * 1024
_CHUNK = 1 << 20
_STRING = rb'[^"\\]*+(?:\\.[^"\\]*+)*+'
_PLAIN = rb'[^][{}"]++|"%s"' % _STRING
# What nests less deep than this is passed over in one step; deeper down than that nothing but junk is found.
_LEVELS, _DEEP = 8, 100
_OPENING, _END, _QUOTE, _ESCAPE = b"[{", ord("]"), b'"', b"\\"


def _run(levels: int) -> re.Pattern[bytes]:
    """Matches up to the next bracket, strings and balanced brackets of at most ``levels`` whole."""
    pieces = _PLAIN
    for _ in range(levels):
        pieces = rb"%s|[\[{](?:%s)*+[]}]" % (_PLAIN, pieces)
    return re.compile(rb"(?:%s)*+" % pieces, re.DOTALL)


_BETWEEN, _WITHIN = _run(0), _run(_LEVELS)
_REST_OF_STRING = re.compile(_STRING, re.DOTALL)


def is_object(head: bytes) -> bool:
    """Whether a document that begins so is one object, and no array."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"


def load(file: Readable, counts: Counts) -> Json:
    """The value of a document, its strings fit to be stored; None, and a quarantined line, where it can't be read.

    :raises WorkbenchError: when the file can't be read, or is over 64 MB.
    """
    try:
        with opened(file) as handle:
            data = handle.read(MAX_DOCUMENT + 1)
    except OSError as error:
        raise WorkbenchError(f"cannot read {file}: {error.strerror or error}") from error
    if len(data) > MAX_DOCUMENT:
        raise WorkbenchError(f"{file} is one JSON document of over {MAX_DOCUMENT >> 20} MB; it was not read")
    return _value(data, 0, counts)


def items(file: Readable, counts: Counts) -> Iterator[tuple[int, Json]]:
    """(byte offset, or 0, and value) of each object or array in the array that is the document; of a document that is
    an object, that object alone. What can't be read, or is over 64 MB, is quarantined.

    :raises WorkbenchError: when the file can't be read.
    """
    try:
        with opened(file) as handle:
            if (whole := _at_once(handle)) is not None:
                yield from ((0, value) for value in whole)
                return
            handle.seek(0)
            for offset, data in split(handle, counts=counts):
                if data is None:
                    counts.quarantine(offset, f"over {MAX_DOCUMENT >> 20} MB")
                elif (value := _value(data, offset, counts)) is not None:
                    yield offset, value
    except OSError as error:
        raise WorkbenchError(f"cannot read {file}: {error.strerror or error}") from error


def _at_once(handle: BinaryIO) -> list[Json] | None:
    """The elements of a short document without faults, which is read much faster whole."""
    data = handle.read(_AT_ONCE + 1)
    if len(data) > _AT_ONCE:
        return None
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    elements = value if isinstance(value, list) else [value]
    return [clean(element) for element in elements if isinstance(element, dict | list)]


def _value(data: bytes, offset: int, counts: Counts) -> Json:
    try:
        return parse(data, counts)
    except Exception as error:
        cut = data[:1] in (b"{", b"[") and data.rstrip()[-1:] not in (b"}", b"]")
        counts.cut = counts.cut or cut
        reason = ENDS_EARLY if cut else f"not JSON: {type(error).__name__} {error}"
        counts.quarantine(offset, reason[:120])
        return None


def split(
    handle: BinaryIO, limit: int = MAX_DOCUMENT, counts: Counts | None = None
) -> Iterator[tuple[int, bytes | None]]:
    """(byte offset, bytes) of each element of a top-level array, or of a top-level object; None for one over ``limit``.

    Only brackets and strings are looked at, so that a bad element whose brackets and quotes pair up costs itself alone.
    An element without its end (the file is cut off) comes as it is.

    :param counts: told when the document ends early.
    """
    scan = _Scan(limit)
    while chunk := handle.read(_CHUNK):
        yield from scan.feed(chunk)
    if counts is not None:
        counts.cut = counts.cut or scan.depth > 0
    if scan.held:
        yield scan.start, scan.take(b"")


class _Scan:
    """Where the elements of a document begin and end."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.position = self.depth = 0
        self.top = 0  # the depth at which elements lie: 1 in an array, 0 for an object alone
        self.in_string = self.escaped = False
        self.start = self.size = 0
        self.held: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes | None]]:
        """The elements that end in ``chunk``."""
        at, begun = 0, 0 if self.held else -1
        while (at := self._next(chunk, at)) < len(chunk):
            if chunk[at] in _OPENING:
                if self.depth == 0:
                    self.top = int(chunk[at] == _OPENING[0])
                if self.depth == self.top:
                    begun, self.start = at, self.position + at
                self.depth += 1
            elif begun >= 0:
                self.depth -= 1
                if self.depth == self.top:
                    yield self.start, self.take(chunk[begun : at + 1])
                    begun = -1
            elif chunk[at] == _END:  # of the array; any other bracket here closes nothing
                self.depth = 0
            at += 1
        if begun >= 0:
            self._hold(chunk[begun:])
        self.position += len(chunk)

    def take(self, last: bytes) -> bytes | None:
        """The element whose last bytes these are."""
        self._hold(last)
        data = b"".join(self.held) if self.size <= self.limit else None
        self.held, self.size = [], 0
        return data

    def _hold(self, data: bytes) -> None:
        self.size += len(data)
        self.held = [*self.held, data] if self.size <= self.limit else [b""]

    def _next(self, chunk: bytes, at: int) -> int:
        """Where the next bracket outside of strings stands; the length of the chunk where none does."""
        while at < len(chunk):
            if self.escaped:
                self.escaped, at = False, at + 1
            if self.in_string:
                at = _end(_REST_OF_STRING, chunk, at)
                if at < len(chunk):
                    self.escaped = chunk[at : at + 1] == _ESCAPE
                    self.in_string = self.escaped
                    at += 1
                continue
            at = _end(_WITHIN if self.top < self.depth < _DEEP else _BETWEEN, chunk, at)
            if chunk[at : at + 1] != _QUOTE:
                return at
            self.in_string, at = True, at + 1
        return at


def _end(pattern: re.Pattern[bytes], chunk: bytes, at: int) -> int:
    found = pattern.match(chunk, at)
    return found.end() if found else at
