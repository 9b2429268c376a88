"""Reading transcripts while they are written: growing, new, rotated, deleted, in places that come and go.

Folders tell of changes; what they do not tell of (a file that was named, a place that is not there yet) is looked at
four times a second; and once a minute everything is looked at, so that nothing depends on being told.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.listening import Listener
from workbench.sessions import ingest
from workbench.sessions.discover import Source
from workbench.sessions.places import Identity, Places, Stamp, is_there, read_with
from workbench.sessions.report import IngestReport

# Seconds: between two looks at everything; of work after which it rests as long as it worked, but no longer than the
# last.
_EVERYTHING = 60.0
_LONG, _LONGEST_REST = 1.0, 10.0
# A file that is no transcript is looked at so often, until everything is looked at again.
_PATIENCE = 3


class _Stopped(Exception):
    """Stopped between two sources."""


def watch(
    home: Home,
    named: Sequence[Path] = (),
    *,
    stop: Event,
    told: Callable[[IngestReport], None] = lambda _: None,
    ready: Callable[[int], None] = lambda _: None,
    agents: bool | None = None,
    environ: Mapping[str, str] = os.environ,
    user: Path | None = None,
) -> None:
    """Read what is there, then what is written, until stopped. What fails is told, and tried again; nothing ends it.

    :param named: files and folders; what is gone is waited for, and so is a folder's first transcript.
    :param stop: set from another thread or a signal handler, to end it after the source in hand.
    :param told: called, in this thread, when something was read, and with problems that were not told before.
    :param ready: called once, when all was read that was there; with the number of transcripts.
    :param agents: whether the places where agents keep theirs are meant, too (None: when nothing is named).
    :raises NotFound: when something named is not there to begin with.
    """
    for path in named:
        if not is_there(path.expanduser()):
            raise NotFound(f"{path} does not exist; name a transcript file or a folder of them")
    places = Places(home, named, not named if agents is None else agents, environ, user)
    _Watch(home, places, stop, told, ready).run()


@dataclass
class _Watch:
    home: Home
    places: Places
    stop: Event
    told: Callable[[IngestReport], None]
    ready: Callable[[int], None]
    folders: dict[str, Identity] = field(default_factory=dict)
    stamps: dict[str, Stamp] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    misses: dict[str, int] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    due: float = 0.0
    started: bool = False

    def run(self) -> None:
        """Until it is stopped."""
        listener = Listener(self.stop, self._deaf)
        while not self.stop.is_set():
            self.folders, self.due = self.places.folders(), 0.0
            for changed in listener.changes(self.folders, below=True):
                if self.stop.is_set():
                    return
                self._look(None if changed is None else {path for path, gone in changed.items() if not gone})
                if self.places.folders() != self.folders:
                    break  # one came, went, or is another one now: listen anew

    def _deaf(self, why: str) -> None:
        self.told(IngestReport(backlog=[why]))

    def _look(self, changed: set[str] | None) -> None:
        """Read what changed; everything when it is time, or when it can't be told what."""
        began = time.monotonic()
        due = began >= self.due
        paths = {path for path in changed or () if not self.places.is_own(path)} | self._restamped()
        for path in paths - self.sources.keys():
            if source := self.places.source_at(path):
                self.sources |= {str(file): source for file in read_with(source)}
        known = {source.path: source for path in paths if (source := self.sources.get(path))}
        unknown = {path for path in paths if path not in self.sources and self.misses.get(path, 0) < _PATIENCE}
        if changed is None or unknown or due:
            self.misses = {} if due else self.misses
            self._read_everything(unknown)
        elif present := [source for source in known.values() if is_there(source.path)]:
            self._read(present)
        took = time.monotonic() - began
        if took > _LONG and not due:  # at most half of the time is spent reading
            self.stop.wait(min(took, _LONGEST_REST))

    def _restamped(self) -> set[str]:
        """What changed of the things nobody tells of."""
        before = self.stamps
        self.stamps = self.places.stamps(list(self.sources.values()))
        return {path for path, stamp in self.stamps.items() if before.get(path) != stamp and stamp is not None}

    def _read_everything(self, unknown: set[str]) -> None:
        found = self.places.sources()
        self.sources = {str(path): source for source in found for path in read_with(source)}
        for path in unknown - self.sources.keys():
            self.misses[path] = self.misses.get(path, 0) + 1
        self.stamps = self.places.stamps(found)  # before they are read, so that nothing is missed
        self.said &= self._read(found)
        self.due = time.monotonic() + _EVERYTHING
        if not self.started and not self.stop.is_set():
            self.started = True
            self.ready(len(found))

    def _read(self, sources: Sequence[Source]) -> set[str]:
        """Read sources; returns the problems there were. One that no reader can take does not keep the others away."""
        try:
            report = ingest.ingest(self.home, sources, self._or_stop)
        except _Stopped:
            return set()
        except WorkbenchError as error:
            report = IngestReport(errors=[str(error)])
        except Exception as error:
            if len(sources) > 1:
                half = len(sources) // 2
                return self._read(sources[:half]) | self._read(sources[half:])
            report = IngestReport(errors=[f"{sources[0].path}: {type(error).__name__}: {error}"])
        problems = [*report.errors, *report.damaged, *report.backlog]
        self._tell(report, problems)
        return set(problems)

    def _tell(self, report: IngestReport, problems: Sequence[str]) -> None:
        new = [problem for problem in problems if problem not in self.said]
        self.said.update(new)
        if new or report.new or report.updated or report.removed:
            errors, damaged, backlog = (
                [line for line in lines if line in new] for lines in (report.errors, report.damaged, report.backlog)
            )
            self.told(replace(report, errors=errors, damaged=damaged, backlog=backlog))

    def _or_stop(self, done: int, length: int) -> None:
        if self.stop.is_set():
            raise _Stopped
