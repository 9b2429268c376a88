"""What Claude Code on the web tells of a session: one JSON document, with its rows in an array ``loglines``.

Its form is that of simonw/claude-code-transcripts (src/claude_code_transcripts/__init__.py).
"""

from __future__ import annotations

import io
import json
import re
from typing import BinaryIO, Literal

from workbench.sessions.importers import documents
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable, opened

# Nothing but plain values stands before the rows of a document.
_DOCUMENT = re.compile(
    rb'\A[\s\xef\xbb\xbf]*\{\s*(?:"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*+"|[\w.+-]+)\s*,\s*)*+"loglines"\s*:\s*\['
)
_LOOKED_AT = 4096


def begins(head: bytes) -> bool:
    """Whether a file begins as such a document."""
    return _DOCUMENT.match(head) is not None


def is_one(file: Readable) -> bool:
    """Whether a file is such a document."""
    with opened(file) as handle:
        return begins(handle.read(_LOOKED_AT))


class Document:
    """A document's ``loglines`` as a file of lines."""

    def __init__(self, file: Readable, counts: Counts) -> None:
        self.name, self.stem, self.parts = file.name, file.stem, file.parts
        self._name = str(file)
        self._lines = b"".join(_line(row) for row in logged(documents.load(file, counts)))

    def __str__(self) -> str:
        return self._name

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """Its lines."""
        return io.BytesIO(self._lines)


def logged(document: Json) -> list[Json]:
    """The rows of a document."""
    rows = document.get("loglines") if isinstance(document, dict) else None
    return rows if isinstance(rows, list) else []


def _line(row: Json) -> bytes:
    try:
        return json.dumps(row).encode() + b"\n"
    except RecursionError:
        return b"null\n"  # no row, and counted as such
