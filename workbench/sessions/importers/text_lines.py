"""Reading transcripts that are text for people, line by line: where a turn begins, and what stands in code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from workbench.errors import WorkbenchError
from workbench.sessions.importers.lines import MAX_LINE, Counts, replaced_in
from workbench.sessions.importers.readable import Readable, opened
from workbench.sessions.model import Message, derived_identity
from workbench.text import storable

_BOM = "\ufeff"
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)+")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|[+-]\d\d:?\d\d)?")


def lines_of(file: Readable, counts: Counts | None = None) -> Iterator[tuple[int, str]]:
    """(byte offset, text without its end) of each line, blank ones too; one over 8 MB comes in pieces.

    :param counts: told of what is no UTF-8.
    :raises WorkbenchError: when the file can't be read.
    """
    offset = 0
    try:
        with opened(file) as handle:
            while line := handle.readline(MAX_LINE):
                if counts is not None:
                    counts.replaced += replaced_in(line)
                text = storable(line.decode("utf-8", "replace")).rstrip("\r\n")
                yield offset, text if offset else text.removeprefix(_BOM)
                offset += len(line)
    except OSError as error:
        raise WorkbenchError(f"cannot read {file}: {error.strerror or error}") from error


def head_lines(head: bytes) -> list[str]:
    """The lines of the beginning of a file, the last of them perhaps cut off."""
    text = storable(head.decode("utf-8", "replace")).removeprefix(_BOM)
    return [line.rstrip("\r\n") for line in text.split("\n")]


def iso(moment: str | None) -> str | None:
    """A day and time as people write it (``2026-01-02 10:00``) in the form of ISO 8601; None for anything else."""
    found = _MOMENT.fullmatch(moment.strip()) if moment else None
    return found.group().replace(" ", "T", 1).replace(" ", "") if found else None


@dataclass(slots=True)
class Block:
    """Lines that belong together.

    :param offset: where in the file they begin, in bytes.
    :param lines: none are left when there are more than 8 MB of them.
    """

    offset: int
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, line: str) -> None:
        """One line more."""
        self.size += len(line) + 1
        if self.fits:
            self.lines.append(line)
        else:
            self.lines.clear()

    @property
    def fits(self) -> bool:
        """Whether its lines are all there."""
        return self.size <= MAX_LINE

    @property
    def text(self) -> str:
        """What the lines say, without blank lines around it."""
        text = "\n".join(self.lines).rstrip()
        blank = _BLANK_LINES.match(text)
        return text[blank.end() :] if blank else text


@dataclass(slots=True)
class Fence:
    """Whether lines stand in a block of code, by the rules of Markdown."""

    mark: str = ""

    def see(self, line: str) -> bool:
        """Go past ``line``; true when it stands in a block of code, its first and last line included."""
        within = bool(self.mark)
        if found := _FENCE.match(line):
            mark, rest = found.groups()
            if not self.mark:
                self.mark = mark
            elif mark.startswith(self.mark) and not rest.strip():
                self.mark = ""
        return within or bool(self.mark)


def named(message: Message, occurrences: dict[str, int]) -> Message:
    """``message`` with an identity made of its first line: the rest of it may not have been written yet."""
    first, _, _ = (message.content or message.thinking or "").partition("\n")
    message.identity = derived_identity(replace(message, content=first.rstrip(), thinking=None), occurrences)
    return message
