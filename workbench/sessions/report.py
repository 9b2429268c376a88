"""What a run over sources says of itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.sessions.archives import Member
from workbench.sessions.importers import SQLITE
from workbench.sessions.importers.readable import opened

ROW_KEYS = ("path", "format", "sessions", "messages", "read", "kept", "skipped", "quarantined")
_NAMED = 5
_CHUNK = 1 << 20


@dataclass(slots=True)
class IngestReport:
    """What a run did.

    :param sources: one row a source: path, format, sessions and messages it holds, and what became of the lines read
        in this run (read = kept + skipped + quarantined; all 0 when it was unchanged and not opened).
    :param new: messages that were not known before.
    :param updated: messages changed in place; ``removed``: streaming duplicates that went.
    :param unchanged: sources that were not opened.
    :param errors: one line for each source that gave nothing.
    :param damaged: sources that gave less than they should: archives with damage, documents that end early, files with
        more than 50 bad lines and fewer good ones (what was good in them was kept); and canonical files that can't be
        read (what became of each is said).
    :param bad: of each file that was read, the rows that could not be: file, count, and of the first ``rows`` line,
        byte and reason.
    :param remarks: what else there is to be said of files that were read.
    :param skipped_files: files that are no conversations by their kind.
    :param backlog: what the index could not take; the conversations are safe, the next run tries again.
    """

    sources: list[dict[str, Any]] = field(default_factory=list)
    new: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    errors: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    bad: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    skipped_files: list[str] = field(default_factory=list)
    backlog: list[str] = field(default_factory=list)

    @property
    def totals(self) -> dict[str, int]:
        """Sums over the sources, and what was new."""
        sums = {key: sum(row[key] for row in self.sources) for key in ROW_KEYS[2:]}
        return {
            "sources": len(self.sources),
            **sums,
            "new": self.new,
            "updated": self.updated,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "errors": len(self.errors),
        }

    def as_dict(self) -> dict[str, Any]:
        """The report as one JSON document."""
        return {
            "sources": self.sources,
            "totals": self.totals,
            "errors": self.errors,
            "damaged": self.damaged,
            "bad": self.bad,
            "remarks": self.remarks,
            "skipped_files": self.skipped_files,
            "backlog": self.backlog,
        }


def bad_rows(file: Path | Member, bad: list[tuple[int, str]], count: int) -> dict[str, Any]:
    """The rows of a file that could not be read, the first of them by line (from 1 on; None in a database, which has
    none), byte and reason.

    :param bad: (byte offset, reason) of the first ones, of ``count``.
    """
    first = bad[:_NAMED]
    lines = _lines_at(file, [offset for offset, _ in first])
    rows = [
        {"line": line, "byte": offset, "reason": reason} for line, (offset, reason) in zip(lines, first, strict=True)
    ]
    return {"file": str(file), "count": count, "rows": rows}


def _lines_at(file: Path | Member, offsets: list[int]) -> list[int | None]:
    """The numbers of the lines at these bytes of a file."""
    numbers: dict[int, int] = {}
    at, line = 0, 1
    try:
        with opened(file) as handle:
            if handle.read(16) == SQLITE:
                return [None] * len(offsets)
            handle.seek(0)
            for offset in sorted(offsets):
                while at < offset and (chunk := handle.read(min(offset - at, _CHUNK))):
                    at, line = at + len(chunk), line + chunk.count(b"\n")
                numbers[offset] = line
    except OSError:  # it is gone by now
        return [None] * len(offsets)
    return [numbers[offset] for offset in offsets]
