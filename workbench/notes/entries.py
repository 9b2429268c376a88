"""Entries of notes: what one is, its id, whether two say the same; put in, changed and taken out of a text.

An entry is a list item, a paragraph, or what stands below a time in a comment (``<!-- 2026-03-01 10:05 -->``); headings
and what is generated are none. Text in, text out: nothing here knows the ledger.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench import text
from workbench.errors import WorkbenchError
from workbench.notes import projection

# Jaccard similarity of the trigrams of two entries, from which they say the same.
NEAR = 0.75
_STAMP = re.compile(r"\s{0,3}<!--\s*(\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d)?)(?![\d:])[^<>]{0,80}-->\s*")
_MAY_HAVE_STAMPS = re.compile(rb"<!--\s*\d{4}-")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,}|=+)\s*")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])\s")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARK = re.compile(projection.MARK)
# As Obsidian writes it: at the end of a line, or alone below what it names.
_ANCHOR = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]{1,64})\s*$")
# A memory has at most 4,000 characters, and escapes make it no more than ten times as long.
_LONGEST = 40_000


@dataclass(frozen=True)
class Entry:
    """An entry of a note.

    :param start: where it begins in the bytes of the note; ``end``: behind its last line.
    :param line: the number of its first line.
    :param stamp: the time in the comment above it, ``YYYY-MM-DD HH:MM``.
    :param text: what it says, without its mark, its comments and its block id.
    :param anchor: the block id that stands in it.
    """

    start: int
    end: int
    line: int
    stamp: str | None
    text: str
    anchor: str | None

    @property
    def id(self) -> str:
        """Its block id (``^abc``), else a digest of its time and its text: the same wherever it stands, in whatever
        spacing and case."""
        if self.anchor:
            return f"^{self.anchor}"
        return f"e-{text.sha256(f'{self.stamp}|{normal(self.text)}')[:24]}"


@dataclass(frozen=True)
class Stretch:
    """What stands below a time in a comment, up to the next one.

    :param ends: where it may end, and what it says up to there: behind each of its lines.
    :param paragraph: how many of the ends lie in its first paragraph.
    """

    start: int
    stamp: str
    ends: tuple[tuple[int, str], ...]
    paragraph: int

    @property
    def whole(self) -> tuple[int, str]:
        """Where its first paragraph ends, and what that says."""
        return self.ends[self.paragraph - 1]


@dataclass(frozen=True)
class _Line:
    number: int
    start: int
    end: int
    said: str
    generated: bool


def normal(said: str) -> str:
    """What two spellings of one entry share: no comments, lower case, white space collapsed."""
    return " ".join(_COMMENT.sub(" ", said).lower().split())


def digest(said: str) -> str:
    """SHA-256 of the normal form."""
    return text.sha256(normal(said))


def trigrams(said: str) -> frozenset[str]:
    """Every three characters of the normal form; a shorter one is its own only piece."""
    form = normal(said)
    return frozenset(form[at : at + 3] for at in range(max(len(form) - 2, 1)))


def similarity(one: frozenset[str], said: str) -> float:
    """The Jaccard similarity of some trigrams and those of a text, in [0, 1]; 0 where it is under ``NEAR`` anyhow."""
    if len(said) < NEAR * len(one):  # fewer characters than trigrams that both would have to have
        return 0.0
    other = trigrams(said)
    return len(one & other) / len(one | other)


def shown(memory: Any) -> str:  # noqa: ANN401 - a mapping
    """A memory as the text of an entry: its lines stay, and nothing in it can be a mark of ours, a tag or an image.

    :param memory: a row with ``content``, ``scope_type`` and ``scope_key``.
    """
    if "\n" not in memory["content"]:
        return projection.bullet(memory)
    *lines, last = memory["content"].split("\n")
    every = [*({**memory, "content": line, "scope_type": "global"} for line in lines), {**memory, "content": last}]
    return "\n".join(projection.bullet(each) for each in every)


def entries(document: bytes) -> list[Entry]:
    """The entries of a note, in their order; BOM and line ends of any kind make no difference. A block id is that of
    the first entry in which it stands, and of no other."""
    found: list[Entry] = []
    for part in _parts(_lines(document)):
        stamped = _STAMP.fullmatch(part[0].said)
        said = [line.said for line in (part[1:] if stamped else part)]
        if len(said) == 1 and found and (alone := _ANCHOR.fullmatch(said[0].strip())) and not stamped:
            last = found.pop()
            found.append(Entry(last.start, last.end, last.line, last.stamp, last.text, last.anchor or alone[1]))
            continue
        entry = _entry(part, said, stamped[1] if stamped else None)
        if entry is not None:
            found.append(entry)
    taken: set[str | None] = set()
    for number, entry in enumerate(found):
        if entry.anchor in taken:
            found[number] = replace(entry, anchor=None)
        taken.add(entry.anchor)
    return found


def stretches(document: bytes) -> list[Stretch]:
    """What stands below each time in a comment, outside of what is generated."""
    if not _MAY_HAVE_STAMPS.search(document):
        return []
    lines = _lines(document)
    found = []
    for number, line in enumerate(lines):
        if line.generated or not (stamped := _STAMP.fullmatch(line.said)):
            continue
        ends: list[tuple[int, str]] = []
        said, paragraph = "", 0
        for each in lines[number + 1 :]:
            if each.generated or _STAMP.fullmatch(each.said) or len(said) > _LONGEST:
                break
            said += f"\n{each.said}" if said else each.said
            if each.said.strip():
                ends.append((each.end, said))
            elif ends and not paragraph:
                paragraph = len(ends)
        if ends:
            found.append(Stretch(line.start, stamped[1].replace("T", " "), tuple(ends), paragraph or len(ends)))
    return found


def wide(document: bytes) -> str | None:
    """The encoding of a document in UTF-16, told by its mark; None for any other."""
    marks = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
    return marks.get(document[:2])


def check_utf8(document: bytes, path: Path) -> None:
    """Only UTF-8 is written to: lines of it would make what is in another encoding unreadable.

    :raises WorkbenchError: when the document is in UTF-16.
    """
    if wide(document):
        raise WorkbenchError(f"{path} is in UTF-16; save it as UTF-8, then it can be written to")


def with_entry(document: bytes, stamp: str, said: str) -> bytes:
    """The document with an entry at its end."""
    return with_bytes(document, _spelled(document, f"<!-- {stamp} -->\n{said}\n"))


def with_bytes(document: bytes, entry: bytes) -> bytes:
    """The document with these lines at its end, behind a blank one."""
    newline = _newline(document)
    if not document.strip(b"\xef\xbb\xbf"):
        return document + entry
    gap = b"" if document.endswith(newline * 2) else newline if document.endswith(b"\n") else newline * 2
    return document + gap + entry


def reworded(document: bytes, start: int, end: int, said: str) -> bytes:
    """The document with another text in the entry that begins at ``start`` with its comment and ends at ``end``."""
    body = document.index(b"\n", start) + 1
    old = document[body:end]
    return document[:body] + _spelled(document, said) + old[len(old.rstrip(b"\r\n")) :] + document[end:]


def without(document: bytes, start: int, end: int) -> bytes:
    """The document without the bytes from ``start`` to ``end``, and without the blank line that set them off."""
    before, after = document[:start], document[end:]
    newline = _newline(document)
    if before.endswith(newline * 2) and (not after or after.startswith(newline)):
        before = before[: -len(newline)]
    return before + after


def unanchored(said: str) -> str:
    """A text without the block id at its end."""
    return _ANCHOR.sub("", said)


def _spelled(document: bytes, said: str) -> bytes:
    return said.encode("utf-8", "replace").replace(b"\n", _newline(document))


def _newline(document: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in document else b"\n"


def _lines(document: bytes) -> list[_Line]:
    blocks = projection.blocks(document)
    found: list[_Line] = []
    start = 0
    for raw in re.findall(rb"[^\n]*\n|[^\n]+", document):
        end = start + len(raw)
        said = raw.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff" if not start else "")
        found.append(
            _Line(len(found) + 1, start, end, said, any(first < end and start < last for first, last, _ in blocks))
        )
        start = end
    return found


def _parts(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """The lines of each entry."""
    part: list[_Line] = []
    fence = ""
    for line in lines[_front_matter(lines) :]:
        said, stamped = line.said, bool(part and _STAMP.fullmatch(part[0].said))
        # A time begins an entry in code, too: a block that somebody left open would swallow all that follow.
        if fence and not _STAMP.fullmatch(said):
            part.append(line)
            fence = "" if said.strip().startswith(fence) and not said.strip().strip(fence[0]) else fence
            continue
        ends = line.generated or not said.strip() or _RULE.fullmatch(said)
        titled = _HEADING.match(said) and not (stamped and len(part) == 1)
        begins = _STAMP.fullmatch(said) or (_ITEM.match(said) and not stamped and not _is_within(part, said))
        if part and (ends or titled or begins):
            yield part
            part = []
        if not (ends or titled):
            part.append(line)
            fence = opened[1] if (opened := _FENCE.match(said)) else ""
    if part:
        yield part


def _is_within(part: list[_Line], item: str) -> bool:
    """Whether a list item is one of the list item that a part is."""
    return bool(part and _ITEM.match(part[0].said)) and _indent(item) > _indent(part[0].said)


def _indent(said: str) -> int:
    return len(said) - len(said.lstrip(" "))


def _front_matter(lines: Sequence[_Line]) -> int:
    """How many lines the properties take that stand before a note."""
    if not lines or lines[0].said.rstrip() != "---":
        return 0
    return next((number + 1 for number, line in enumerate(lines) if number and line.said.rstrip() == "---"), 0)


def _entry(part: list[_Line], said: list[str], stamp: str | None) -> Entry | None:
    anchor = None
    for place in dict.fromkeys((len(said) - 1, 0)) if said else ():
        if anchor is None and (found := _ANCHOR.search(said[place])):
            anchor, said[place] = found[1], said[place][: found.start()]
    if stamp is None and (mark := _MARK.match(said[0])):
        said[0] = said[0][mark.end() :]
    words = _COMMENT.sub("", "\n".join(said)).strip()
    if not any(character.isalnum() for character in words):
        return None
    return Entry(part[0].start, part[-1].end, part[0].number, stamp and stamp.replace("T", " "), words, anchor)
