"""Reading sources into a home: each source is read once, whatever is wrong with it is said, and a second run finds
nothing to do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from workbench.errors import StorageFull, WorkbenchError
from workbench.home import Home
from workbench.sessions import archives, growth, importers, index, merging, namesakes, prefix, sources, store
from workbench.sessions.archives import Member
from workbench.sessions.discover import Source
from workbench.sessions.importers import ArchiveWithin, Found, Importer, UnknownFormat
from workbench.sessions.importers.documents import ENDS_EARLY
from workbench.sessions.importers.lines import Counts
from workbench.sessions.model import Message
from workbench.sessions.report import ROW_KEYS, IngestReport, bad_rows
from workbench.sessions.sources import SourceState
from workbench.text import counted

_SAVE_EVERY_BYTES = 256 * 1024 * 1024
_QUIET_SECONDS = 60
# Flowly's archive of the events of the session in the file beside it.
_ARCHIVE = ".full.jsonl"
# What is said of a source that gave nothing, once.
_EMPTY = "holds no messages"
Progress = Callable[[int, int], None]


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
        self.intact = index.intact(home)
        self.states: list[tuple[SourceState, list[tuple[int, str]], bool]] = []

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
            synced = index.sync(self.home)
            self.report.backlog += synced.backlog
            self.report.damaged += synced.damaged
            self._save()
        report = self.report
        if report.errors and len(report.errors) == len(given) - len(report.skipped_files):
            more = f" ({len(report.errors) - 1} more sources failed too)" if len(report.errors) > 1 else ""
            raise WorkbenchError(report.errors[0] + more)
        return report

    def _one(self, source: Source) -> None:
        name = sources.name_of(source.path)
        if source.problem:
            self.report.errors.append(source.problem)
            return
        if name.endswith(_ARCHIVE):
            self.report.skipped_files.append(f"{name}: an archive of events, the conversation is in the file beside it")
            return
        old = self.known.get(name)
        try:
            found = _state(source.path, source.format or (old.format if old else ""))
        except OSError as error:
            self.report.errors.append(f"cannot read {name}: {error.strerror or error}")
            return
        if old is not None and self._held(old):
            if old.size == found.size and self._same(source.path, old, found):
                self._unchanged(old, found)
                return
            if found.alone and found.size > old.size > 0 and old.error is None and self._read_on(source, old):
                return
        self._read(source, found)

    def _unchanged(self, old: SourceState, found: _State) -> None:
        self.report.unchanged += 1
        if old.error and _EMPTY not in old.error:  # that there is nothing in it was said
            (self.report.damaged if old.messages else self.report.errors).append(old.error)
        self._row(old, read=False)
        now = replace(old, mtime_ns=found.mtime_ns)
        if not old.settled and _is_quiet(found):
            now = replace(now, settled=self._settle(old))
        if now != old:
            self.states.append((now, [], False))

    def _settle(self, state: SourceState) -> int:
        """Bring the metadata lines of a source's conversations up to date, now that it rests; 1 when that is done."""
        try:
            for name in _names(state):
                store.renew(self.home, name, self.intact[name].updated_at)
        except WorkbenchError as error:
            self.report.backlog.append(str(error))
            return 0
        return 1

    def _held(self, old: SourceState) -> bool:
        """Whether what the source gave is still there: lost and damaged conversations are read again."""
        held = [self.intact.get(name) for name in _names(old)]
        return old.files is not None and None not in held and sum(h.messages for h in held if h) >= old.messages

    def _same(self, path: Path, old: SourceState, found: _State) -> bool:
        """Whether the source is as it was: the same time, or (touched, copied back) the same bytes; of one that was
        read on while it grew, the bytes decide when it rests."""
        tail = growth.tail_of(None if old.settled or not _is_quiet(found) else old.tail)
        resting = tail is not None and tail.grown
        if old.mtime_ns == found.mtime_ns and not resting:
            return True
        if not found.alone or (tail is not None and tail.unsettled):
            return False
        try:
            return prefix.sum_of(path, found.own_size) == old.prefix_hash
        except OSError:
            return False

    def _read_on(self, source: Source, old: SourceState) -> bool:
        """Read only what is new in a source; false when it must be read whole."""
        counts = Counts()
        if source.format not in (None, old.format):
            return False
        try:
            done = growth.read_on(self.home, source.path, old, counts)
        except StorageFull:
            raise
        except Exception:  # the reading of all of it says what is wrong
            return False
        if done is None:
            return False
        merged, state = done
        self._count(merged)
        self._say_faults(source.path, counts, Counts())
        self.states.append((state, counts.bad, False))
        told = replace(state, read=counts.read, kept=counts.kept, skipped=counts.skipped)
        self._row(replace(told, quarantined=counts.quarantined), read=True)
        return True

    def _read(self, source: Source, found: _State) -> None:
        old = self.known.get(sources.name_of(source.path))
        got, counts = _Gathered(source.format or "", before=_names(old) if old else []), Counts()
        error: str | None = None
        digest, size = "", found.size
        try:
            self._take(source, found, got, counts)
            found = got.found or found
            size = got.tail.end if got.tail else found.size
            digest = prefix.sum_of(source.path, size if got.tail else found.own_size)
        except StorageFull:
            raise
        except WorkbenchError as problem:
            error = str(problem)
            # What may be better next time is tried again, though the source stays as it is.
            size = -1 if got.begun or isinstance(problem.__cause__, OSError) else size
        except OSError as problem:  # it vanished while it was read
            error, size = f"cannot read {source.path}: {problem.strerror or problem}", -1
        except Exception as problem:  # what no importer foresaw costs this source, and no other
            error = f"{source.path} can't be read: {type(problem).__name__} {problem}"[:300]
        error = error or got.damage
        if error is None and found.size and not got.messages and not counts.waiting:
            error = f"{source.path} {_EMPTY} ({counts.read} lines read, {counts.quarantined} of them unusable)"
        if error is not None:
            (self.report.damaged if got.messages and error == got.damage else self.report.errors).append(error)
        if counts.quarantined > merging.MAX_BAD_LINES and counts.quarantined > counts.kept:
            self.report.damaged.append(f"{source.path}: {counts.quarantined} unusable lines, {counts.kept} good ones")
        state = SourceState(
            sources.name_of(source.path),
            size,
            found.mtime_ns,
            digest,
            got.format,
            got.sessions,
            got.messages,
            counts.read,
            counts.kept,
            counts.skipped,
            counts.quarantined,
            error,
            orjson.dumps(sorted(got.files)).decode(),
            int(_is_quiet(found)),
            got.tail.dump() if got.tail else None,
        )
        self.states.append((state, counts.bad, True))
        self._row(state, read=True)

    def _take(self, source: Source, found: _State, got: _Gathered, counts: Counts) -> None:
        """Merge the conversations of a source into the home."""
        if not found.size:
            return
        if source.format is None and archives.is_zip(source.path):
            self._unpack(source.path, found, got, counts)
        else:
            importer = importers.choose(source.path, source.format)
            got.found = found = _state(source.path, importer.name)
            self._convert(importer, source.path, found, got, counts)

    def _unpack(self, path: Path, found: _State, got: _Gathered, counts: Counts) -> None:
        """Take what is a transcript in an archive; the rest of it is said to be left out.

        :raises UnknownFormat: when nothing in it is one.
        """
        unknown: list[str] = []
        with archives.opened(path) as members:
            for member in members:
                if member.name.endswith(_ARCHIVE):
                    continue
                try:
                    self._convert(importers.choose(member), member, found, got, counts)
                except ArchiveWithin:
                    unknown.append(member.shown)
                    self.report.remarks.append(f"{member} is an archive within one; it was left alone: unpack it")
                except UnknownFormat:
                    unknown += [] if member.damage else [member.shown]
                except StorageFull:
                    raise
                except (WorkbenchError, OSError) as error:
                    self.report.damaged.append(f"{member} can't be read whole: {error}")
            broken = [member for member in members if member.damage]
        if broken:
            more = f" (and {len(broken) - 1} more of its files)" if len(broken) > 1 else ""
            got.damage = f"{broken[0].shown} in {path} is damaged ({broken[0].damage[0]}){more}; download it again"
        elif not got.begun:
            raise UnknownFormat(f"{path} holds no transcript this program knows in its {len(unknown)} files")
        if unknown:
            named = ", ".join(unknown[:3]) + (" …" if len(unknown) > 3 else "")
            self.report.skipped_files.append(f"{path}: {len(unknown)} of its files are no conversations: {named}")

    def _convert(self, importer: Importer, file: Path | Member, found: _State, got: _Gathered, counts: Counts) -> None:
        got.format, got.begun = importer.name, True
        only: Found | None = None
        told = Counts(replaced=counts.replaced, quarantined=counts.quarantined)
        for number, conversation in enumerate(importer.read(file, counts)):
            only = None if number else conversation
            namesakes.settle(self.home, conversation, got.before)
            tally = _Tally(conversation.messages)
            merged = store.merge(self.home, conversation.session, tally, conversation.dropped, quiet=_is_quiet(found))
            got.messages += tally.count
            got.sessions += tally.count > 0
            got.files.update([merged.file] if merged.file else ())
            self._count(merged)
        self._say_faults(file, counts, told)
        if counts.cut or (counts.waiting and isinstance(file, Member)):
            got.damage = got.damage or f"{file}: {ENDS_EARLY}; export it again"
        grows = only is not None and isinstance(file, Path) and importer.grown and found.alone
        if grows and only and isinstance(file, Path) and namesakes.is_read_from(self.home, only, merged.file):
            got.tail = growth.after(file, only)

    def _say_faults(self, file: Path | Member, counts: Counts, before: Counts) -> None:
        """Name what could not be read of a file, as far as it was not counted ``before``."""
        if replaced := counts.replaced - before.replaced:
            self.report.remarks.append(
                f"{file}: {counted(replaced, 'character')} not readable as UTF-8, shown as U+FFFD"
            )
        if count := counts.quarantined - before.quarantined:
            self.report.bad.append(bad_rows(file, counts.bad[before.quarantined :], count))

    def _count(self, merged: merging.Merged) -> None:
        self.report.new += merged.new
        self.report.updated += merged.updated
        self.report.removed += merged.removed
        if merged.aside:
            self.report.damaged.append(
                f"nothing in {self.home.sessions / merged.file} could be read; it is kept as {merged.aside}, and the"
                " conversation was read from its source again"
            )

    def _row(self, state: SourceState, read: bool) -> None:
        row = {key: getattr(state, key) for key in ROW_KEYS}
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


@dataclass(slots=True)
class _Gathered:
    """What a source gave.

    :param before: the names of the canonical files that its messages were in when it was read before.
    :param begun: its format was known, so that reading it began.
    :param files: the names of the canonical files that its messages are in.
    :param found: the source and what is read with it, as they were when reading began.
    :param tail: where reading goes on when it has grown.
    :param damage: what is wrong with it, though what could be read was taken.
    """

    format: str
    before: list[str]
    begun: bool = False
    sessions: int = 0
    messages: int = 0
    files: set[str] = field(default_factory=set)
    found: _State | None = None
    tail: growth.Tail | None = None
    damage: str | None = None


@dataclass(frozen=True, slots=True)
class _State:
    """A source and the files that are read with it, as they are.

    :param size: of all of them; ``own_size`` of the source itself.
    :param mtime_ns: of the one changed last.
    :param alone: nothing is read with it.
    """

    size: int
    own_size: int
    mtime_ns: int
    alone: bool


class _Tally:
    """Counts messages while they pass."""

    def __init__(self, messages: Iterator[Message]) -> None:
        self._messages = messages
        self.count = 0

    def __iter__(self) -> Iterator[Message]:
        for message in self._messages:
            self.count += 1
            yield message


def _is_quiet(found: _State) -> bool:
    return time.time() - found.mtime_ns / 1e9 >= _QUIET_SECONDS


def _state(path: Path, format_: str) -> _State:
    own = path.stat()
    importer = importers.registry().get(format_)
    others = []
    for file in importer.beside(path) if importer else ():
        with suppress(OSError):
            others.append(file.stat())
    return _State(
        own.st_size + sum(other.st_size for other in others),
        own.st_size,
        max(own.st_mtime_ns, *(other.st_mtime_ns for other in others), 0),
        not others,
    )


def _names(state: SourceState) -> list[str]:
    names: list[str] = orjson.loads(state.files or "[]")
    return names


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
