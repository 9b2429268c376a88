"""Text of notes as it may stand in a prompt: every line behind a mark, in a fence that nothing in it can close."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench import text
from workbench.notes import projection

# Transcripts that hold this block are not learned from it (sessions/harness.py).
TAG = "recalled-memories"
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_LONGEST_REASON = 60

Scan = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Piece:
    """A paragraph, a list item or a heading.

    :param said: its text; ``lines``: as it may stand in a prompt.
    :param apart: whether a blank line stands before it.
    """

    said: str
    lines: tuple[str, ...]
    apart: bool = False

    @property
    def size(self) -> int:
        """Its bytes, line ends and blank line included."""
        return sum(size(line) for line in self.lines) + 2 * self.apart


@dataclass(frozen=True)
class Fitted:
    """What of some pieces has room.

    :param blocked: how many are named and not shown, ``cut``: how many had no room.
    """

    lines: list[str]
    blocked: int
    cut: int


def size(line: str) -> int:
    """The bytes of a line and its end."""
    return len(line.encode("utf-8", "replace")) + 1


def fenced(lines: Iterable[str]) -> str:
    """Lines, each of which is escaped, as one block of a prompt."""
    return "\n".join([f"<{TAG}>", *lines, f"</{TAG}>"])


def pieces(document: str) -> list[Piece]:
    """The pieces of a note; comments, which a reader of the note does not see either, are left out."""
    found: list[Piece] = []
    for said, apart in _parts(_without_comments(document).splitlines()):
        lines = tuple(f"> {projection.escaped(text.visible(line.expandtabs(4).rstrip()))}" for line in said)
        found.append(Piece("\n".join(said), lines, apart and bool(found)))
    return found


def fitted(every: Sequence[Piece], room: int, scan: Scan, *, both_ends: bool = False) -> Fitted:
    """The pieces that ``room`` bytes hold, from the first on, or from both ends to the middle. One that is too long is
    passed over, one in which ``scan`` finds something is not shown, nor are two that only together say it."""
    order = list(range(len(every)))
    if both_ends:
        order = [number for pair in zip(order, reversed(order), strict=True) for number in pair]
    shown: dict[int, Piece] = {}
    blocked: set[int] = set()
    for number in dict.fromkeys(order):
        piece = every[number]
        if piece.size > room:
            continue
        if reasons := scan(piece.said):
            piece = _not_shown(piece, reasons)
            blocked.add(number)
        shown[number] = piece
        room -= piece.size
    for number in sorted(shown):
        both = {number, number + 1}
        if both <= shown.keys() - blocked and (reasons := scan("\n".join(every[each].said for each in sorted(both)))):
            blocked |= both
            shown |= {each: _not_shown(every[each], reasons) for each in both}
    lines = [
        line for number in sorted(shown) for line in (*([">"] if shown[number].apart else []), *shown[number].lines)
    ]
    return Fitted(lines, len(blocked), len(every) - len(shown))


def _not_shown(piece: Piece, reasons: Sequence[str]) -> Piece:
    return replace(piece, lines=(f"> [not shown: {text.one_line(', '.join(reasons), _LONGEST_REASON)}]",))


def _parts(lines: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    """The lines of each piece, and whether a blank one stands before it."""
    part: list[str] = []
    apart = blank = False
    for line in lines:
        if part and (not line.strip() or _ITEM.match(line) or _HEADING.match(line) or _HEADING.match(part[-1])):
            yield part, apart
            part, blank = [], False
        if not line.strip():
            blank = True
        elif part:
            part.append(line)
        else:
            part, apart = [line], blank
    if part:
        yield part, apart


def _without_comments(document: str) -> str:
    kept, at = [], 0
    while (start := document.find("<!--", at)) >= 0 and (end := document.find("-->", start)) >= 0:
        kept.append(document[at:start])
        at = end + len("-->")
    return "".join([*kept, document[at:]])
