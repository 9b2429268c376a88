"""Reading sources into a home: each source is read once, whatever is wrong with it is said, and a second run finds
nothing to do."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.errors import StorageFull, WorkbenchError
from workbench.home import Home
from workbench.sessions import importers, index, sources, store
from workbench.sessions.discover import Source
from workbench.sessions.importers.lines import Counts
from workbench.sessions.model import Message
from workbench.sessions.sources import SourceState

_SAVE_EVERY_BYTES = 256 * 1024 * 1024
_ROW_KEYS = ("path", "format", "sessions", "messages", "read", "kept", "skipped", "quarantined")
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class IngestReport:
    """What a run did.

    :param sources: one row a source: path, format, sessions and messages it holds, and what became of the lines read
        in this run (read = kept + skipped + quarantined; all 0 when it was unchanged and not opened).
    :param new: messages that were not known before.
    :param updated: messages changed in place; ``removed``: streaming duplicates that went.
    :param unchanged: sources that were not opened.
    :param errors: one line for each source that gave nothing.
    :param damaged: sources with more than 50 bad lines and fewer good ones; what was good in them was kept.
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
    skipped_files: list[str] = field(default_factory=list)
    backlog: list[str] = field(default_factory=list)

    @property
    def totals(self) -> dict[str, int]:
        """Sums over the sources, and what was new."""
        sums = {key: sum(row[key] for row in self.sources) for key in _ROW_KEYS[2:]}
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
            "skipped_files": self.skipped_files,
            "backlog": self.backlog,
        }


def ingest(home: Home, given: Sequence[Source], progress: Progress | None = None) -> IngestReport:
    """Read the ``given`` sources into ``home`` and bring the index up to date.

    Sources are only read. A run that is killed at any point leaves whole files; the next run converges.

    :param progress: called with (bytes done, bytes in all) after each source.
    :raises WorkbenchError: when no source gave anything, naming the first reason; when the disk is full.
    """
    home.prepare()
    store.remove_leftovers(home)
    return _Run(home, progress).all(given)


class _Run:
    def __init__(self, home: Home, progress: Progress | None) -> None:
        self.home = home
        self.progress = progress or (lambda _done, _all: None)
        self.report = IngestReport()
        self.known = sources.known(home)
        self.states: list[tuple[SourceState, list[tuple[int, str]] | None]] = []

    def all(self, given: Sequence[Source]) -> IngestReport:
        sizes = [_size(source.path) for source in given]
        done = saved = 0
        try:
            for source, size in zip(given, sizes, strict=True):
                self._one(source)
                done += size
                self.progress(done, sum(sizes))
                if done - saved > _SAVE_EVERY_BYTES:
                    self._save()
                    saved = done
        finally:
            self.report.backlog += index.sync(self.home).backlog
            self._save()
        report = self.report
        if report.errors and len(report.errors) == len(given) - len(report.skipped_files):
            more = f" ({len(report.errors) - 1} more sources failed too)" if len(report.errors) > 1 else ""
            raise WorkbenchError(report.errors[0] + more)
        return report

    def _one(self, source: Source) -> None:
        name = str(source.path)
        if source.problem:
            self.report.errors.append(source.problem)
            return
        if name.endswith(".full.jsonl"):
            self.report.skipped_files.append(f"{name}: an archive of events, the conversation is in the file beside it")
            return
        try:
            found = source.path.stat()
        except OSError as error:
            self.report.errors.append(f"cannot read {name}: {error.strerror or error}")
            return
        old = self.known.get(name)
        if old is not None and old.size == found.st_size and self._same(source.path, old, found):
            self.report.unchanged += 1
            if old.error:
                self.report.errors.append(old.error)
            self._row(old, read=False)
            if old.mtime_ns != found.st_mtime_ns:
                self.states.append((replace(old, mtime_ns=found.st_mtime_ns), None))
            return
        self._read(source, found)

    def _same(self, path: Path, old: SourceState, found: os.stat_result) -> bool:
        """Whether the source is as it was: the same time, or (touched, copied back) the same bytes."""
        if old.mtime_ns == found.st_mtime_ns:
            return True
        try:
            return _hash(path) == old.prefix_hash
        except OSError:
            return False

    def _read(self, source: Source, found: os.stat_result) -> None:
        counts = Counts()
        sessions = messages = 0
        error: str | None = None
        digest = ""
        name = source.format or ""
        try:
            importer = importers.choose(source.path, source.format) if found.st_size else None
            name = importer.name if importer else name
            for conversation in importer.read(source.path, counts) if importer else ():
                tally = _Tally(conversation.messages)
                merged = store.merge(self.home, conversation.session, tally, conversation.dropped)
                messages += tally.count
                sessions += tally.count > 0
                self.report.new += merged.new
                self.report.updated += merged.updated
                self.report.removed += merged.removed
            digest = _hash(source.path, found.st_size)
        except StorageFull:
            raise
        except WorkbenchError as problem:
            error = str(problem)
        except OSError as problem:  # it vanished while it was read
            error = f"cannot read {source.path}: {problem.strerror or problem}"
        if error is None and found.st_size and not messages and not counts.waiting:
            error = f"{source.path} holds no messages ({counts.read} lines read, {counts.quarantined} of them unusable)"
        if error is not None:
            self.report.errors.append(error)
        if counts.quarantined > store.MAX_BAD_LINES and counts.quarantined > counts.kept:
            self.report.damaged.append(f"{source.path}: {counts.quarantined} unusable lines, {counts.kept} good ones")
        state = SourceState(
            str(source.path),
            found.st_size,
            found.st_mtime_ns,
            digest,
            name,
            sessions,
            messages,
            counts.read,
            counts.kept,
            counts.skipped,
            counts.quarantined,
            error,
        )
        self.states.append((state, counts.bad))
        self._row(state, read=True)

    def _row(self, state: SourceState, read: bool) -> None:
        row = {key: getattr(state, key) for key in _ROW_KEYS}
        if not read:
            row.update(read=0, kept=0, skipped=0, quarantined=0)
        self.report.sources.append(row)

    def _save(self) -> None:
        try:
            if self.states:
                sources.save(self.home, self.states)
            self.states = []
        except WorkbenchError as error:
            self.report.backlog.append(f"what was read is not remembered, it will be read again: {error}")


class _Tally:
    """Counts messages while they pass."""

    def __init__(self, messages: Iterator[Message]) -> None:
        self._messages = messages
        self.count = 0

    def __iter__(self) -> Iterator[Message]:
        for message in self._messages:
            self.count += 1
            yield message


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _hash(path: Path, size: int | None = None) -> str:
    """BLAKE2 of the first ``size`` bytes of a file (all of them when None)."""
    digest = hashlib.blake2b(digest_size=16)
    left = _size(path) if size is None else size
    with path.open("rb") as handle:
        while left > 0 and (chunk := handle.read(min(left, 1 << 20))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()
