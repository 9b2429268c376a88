"""Text in columns and lines that fit a terminal; wide characters take two cells."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TextIO

GAP = "  "
_HANGING = " " * 4


def width() -> int:
    """How many cells a line has here: of the terminal, else of ``COLUMNS``, else 80."""
    return shutil.get_terminal_size((80, 24)).columns


def fitted(lines: Iterable[str], stream: TextIO) -> Iterator[str]:
    """The lines as ``stream`` takes them: on a terminal too long ones go on behind an indent, else all as they are."""
    if not stream.isatty():
        yield from lines
        return
    size = width()
    for line in lines:
        if cells(line) <= size:
            yield line
            continue
        words = line.lstrip(" ")
        first, *rest = wrap(words, size - len(_HANGING), line[: len(line) - len(words)])
        yield from (first, *(_HANGING + part for part in rest))


def cells(text: str) -> int:
    """How many cells a text takes."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, size: int) -> str:
    """The text in exactly ``size`` cells: filled with spaces, or cut with an ellipsis."""
    if (taken := cells(text)) <= size:
        return text + " " * (size - taken)
    kept, left = [], size - 1
    for character in text:
        left -= _cells(character)
        if left < 0:
            break
        kept.append(character)
    short = "".join(kept) + "…"
    return short + " " * (size - cells(short))


def row(columns: list[tuple[str, int]], last: str, size: int | None) -> str:
    """One line: columns of given widths, then what fits of ``last``; all of it where there is no ``size``."""
    head = "".join(fit(text, cells_) + GAP for text, cells_ in columns)
    return (head + last if size is None else fit(head + last, size)).rstrip()


def wrap(text: str, size: int, indent: str = "") -> Iterator[str]:
    """The text on lines of at most ``size`` cells, broken at spaces where there are any, each behind ``indent``."""
    room = max(10, size - cells(indent))
    line = ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line else word
        if cells(candidate) <= room:
            line = candidate
            continue
        if line:
            yield indent + line
        *full, line = _pieces(word, room)
        yield from (indent + piece for piece in full)
    yield indent + line


def _pieces(word: str, room: int) -> list[str]:
    """A word cut into pieces of at most ``room`` cells."""
    pieces, taken = [""], 0
    for character in word:
        taken += _cells(character)
        if taken > room:
            pieces.append("")
            taken = _cells(character)
        pieces[-1] += character
    return pieces
