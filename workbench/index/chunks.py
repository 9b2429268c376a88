"""Notes cut into chunks: stretches of lines along the structure of the markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.text import sha256, tokens

TOKENS, OVERLAP = 400, 80
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# What begins a dated entry, as ``memory_append`` writes it.
ENTRY = re.compile(r"<!-- \d{4}-\d{2}-\d{2}")
_BREAK = re.compile(r"(?<=[.!?。！？;,])\s*|\s+")
_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a note.

    :param start: the first line, from 1.
    :param end: the last line; the same for a part of one long line.
    :param heading: the headings above it, outermost first, joined by `` › ``.
    :param hash: of heading and text.
    """

    start: int
    end: int
    heading: str
    text: str
    hash: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is not cut any further: a line, a code block, a part of a long line.

    :param opens: whether a section or an entry begins here.
    :param alone: whether it is a part of a long line, which is a chunk of its own.
    """

    start: int
    end: int
    text: str
    size: int
    heading: str
    opens: bool = False
    alone: bool = False


def decode(data: bytes) -> str:
    """A note as text: UTF-8 with or without a mark, or UTF-16 with one; what is neither is shown as U+FFFD. Line ends
    become ``\\n``."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        decoded = data.decode("utf-16", "replace")
    else:
        decoded = data.decode("utf-8-sig", "replace")
    return decoded.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def chunks(text: str, most: int = TOKENS, overlap: int = OVERLAP) -> list[Chunk]:
    """The chunks of a note, in order.

    A section or an entry begins a chunk, unless what stands before it is short; a longer one is cut between lines, and
    the next chunk begins with the last lines of the one before. A code block stays whole where it fits.

    :param most: the tokens of a chunk, at most.
    :param overlap: the tokens that a chunk has in common with the one before, at most.
    """
    found: list[Chunk] = []
    held: list[_Piece] = []
    size, fresh = 0, False  # ``fresh``: whether ``held`` has more than what the chunk before has, too
    for piece in _pieces(text, most):
        cut = piece.alone or (held and held[-1].alone) or (piece.opens and size >= most // 4)
        if fresh and (cut or size + piece.size > most):
            found += _chunk(held)
            held = [] if cut else _tail(held, min(overlap, most - piece.size))
            size = sum(each.size for each in held)
        held.append(piece)
        size += piece.size
        fresh = True
    return found + _chunk(held)


def _chunk(pieces: Sequence[_Piece]) -> list[Chunk]:
    """The chunk of these pieces, without blank lines at its ends; none where there are only blank ones."""
    said = [number for number, piece in enumerate(pieces) if not piece.text.isspace() and piece.text]
    if not said:
        return []
    pieces = pieces[said[0] : said[-1] + 1]
    text = "\n".join(piece.text for piece in pieces).rstrip()
    heading = pieces[0].heading
    return [Chunk(pieces[0].start, pieces[-1].end, heading, text, sha256(f"{heading}\n{text}"))]


def _tail(pieces: Sequence[_Piece], room: int) -> list[_Piece]:
    """The last pieces that have room for the next chunk to begin with, never all of them."""
    tail: list[_Piece] = []
    for piece in reversed(pieces[1:]):
        room -= piece.size
        if room < 0:
            break
        tail.insert(0, piece)
    return tail


def _pieces(text: str, most: int) -> Iterator[_Piece]:
    headings: list[tuple[int, str]] = []
    for start, lines, is_code in _blocks(text.split("\n"), most):
        heading = None if is_code else _HEADING.match(lines[0])
        if heading:
            level = len(heading[1])
            headings = [*(each for each in headings if each[0] < level), (level, heading[2])]
        above = " › ".join(title for _, title in headings if title)
        opens = not is_code and (heading is not None or ENTRY.match(lines[0]) is not None)
        block = "\n".join(lines)
        size = tokens(block) + 1
        if size <= most:
            yield _Piece(start, start + len(lines) - 1, block, size, above, opens)
        else:
            for part in parts(block, most):
                yield _Piece(start, start, part, tokens(part) + 1, above, opens, alone=True)
                opens = False


def _blocks(lines: Sequence[str], most: int) -> Iterator[tuple[int, list[str], bool]]:
    """(number of the first line, lines, whether they are code): a code block that fits into a chunk, or one line."""
    at = 0
    never_closed: dict[str, int] = {}
    while at < len(lines):
        size = _fenced(lines, at, never_closed)
        block = list(lines[at : at + size])
        if size and tokens("\n".join(block)) < most:
            yield at + 1, block, True
        elif size:
            yield from ((at + 1 + number, [line], True) for number, line in enumerate(block))
        else:
            yield at + 1, [lines[at]], False
        at += max(size, 1)


def _fenced(lines: Sequence[str], at: int, never_closed: dict[str, int]) -> int:
    """How many lines a code block has that opens at a line; 0 where none does, or where it is never closed.

    :param never_closed: the length from which on fences of a character have no end; noted here.
    """
    fence = _FENCE.match(lines[at])
    if not fence:
        return 0
    character, length = fence[1][0], len(fence[1])
    if length >= never_closed.get(character, length + 1):
        return 0
    closing = re.compile(rf" {{0,3}}{re.escape(character)}{{{length},}}\s*$")
    for number in range(at + 1, len(lines)):
        if closing.match(lines[number]):
            return number - at + 1
    never_closed[character] = length
    return 0


def parts(line: str, most: int) -> Iterator[str]:
    """A long text in parts of at most ``most`` tokens, cut behind a sentence or between words where there are any."""
    room = max(1, (most - 1) * _CHARACTERS_A_TOKEN // (1 if line.isascii() else 3))
    at = 0
    while at < len(line):
        end = min(at + room, len(line))
        if end < len(line):
            places = [found.end() for found in _BREAK.finditer(line, at + room // 2, end) if found.end() > at]
            end = places[-1] if places else end
        yield line[at:end]
        at = end
