"""Notes indexed as they are saved: in the home, and in the folders that the person named.

The system tells of changes; once a minute, and whenever folders or settings changed, everything is compared.
"""

from __future__ import annotations

import contextlib
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Thread

from workbench import config
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.index.notes import Synced
from workbench.listening import Changed, Listener
from workbench.notes import folders
from workbench.operations import notes

# Seconds: until everything is compared again; until what failed is tried again.
_EVERYTHING, _REST = 60.0, 1.0
Stamp = tuple[int, ...] | None


def watch(
    home: Home,
    *,
    stop: Event,
    told: Callable[[Synced], None] = lambda _: None,
    ready: Callable[[Synced], None] = lambda _: None,
) -> None:
    """Index what changed of the notes, then what changes, until stopped. What fails is told, and tried again.

    :param told: called, in this thread, when something was indexed, and with problems that were not told before.
    :param ready: called once, when what was there is indexed.
    """
    _Watch(home, stop, told, ready).run()


@contextlib.contextmanager
def in_background(
    home: Home, told: Callable[[Synced], None] = lambda _: None, ready: Callable[[Synced], None] = lambda _: None
) -> Iterator[None]:
    """``watch`` while something else goes on."""
    stop = Event()
    worker = Thread(
        target=watch, args=(home,), kwargs={"stop": stop, "told": told, "ready": ready}, name="notes", daemon=True
    )
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()


@dataclass
class _Watch:
    home: Home
    stop: Event
    told: Callable[[Synced], None]
    ready: Callable[[Synced], None]
    named: dict[str, Path] = field(default_factory=dict)
    places: frozenset[str] = frozenset()
    said: set[str] = field(default_factory=set)
    due: float = 0.0
    started: bool = False

    def run(self) -> None:
        """Until it is stopped."""
        listener = Listener(self.stop, lambda why: self.told(Synced(unreadable=[why])))
        while not self.stop.is_set():
            self._find()
            roots = self._roots()
            for changed in listener.changes(self.places, below=False):
                if self.stop.is_set():
                    return
                moved = self._look(changed)
                if moved or self._roots() != roots:
                    break  # a folder or a setting came, went, or is another one now: listen anew

    def _find(self) -> None:
        """Which folders there are; of settings that can't be, the last ones that could hold."""
        with contextlib.suppress(WorkbenchError):
            self.named = notes.named_folders(config.load(self.home).memory_search)
        self.places = frozenset(folders.places(self.home, self.named))
        self.due = 0.0

    def _roots(self) -> list[Stamp]:
        """How the folders that were named, those of the home, and the settings look: nobody tells of these."""
        every = (self.home.memory.parent, self.home.memory, *self.named.values())
        return [*(_identity(folder) for folder in every), _stamp(self.home.config)]

    def _look(self, changed: Changed) -> bool:
        """Index what changed; returns whether a folder came or went."""
        paths = (changed or {}).keys()
        moved = any(self._is_place(path) for path in paths)
        due = time.monotonic() >= self.due
        if changed is None or moved or due or any(folders.is_note(Path(path).name) for path in paths):
            self._sync()
        return moved

    def _is_place(self, path: str) -> bool:
        """Whether a path is that of a folder of notes that came, went, or did both."""
        if path in self.places:
            return True
        with contextlib.suppress(OSError):
            return stat.S_ISDIR(Path(path).lstat().st_mode) and not Path(path).name.startswith(".")
        return False

    def _sync(self) -> None:
        rest = _REST
        try:
            done, rest = notes.sync(self.home), _EVERYTHING
        except WorkbenchError as error:
            done = Synced(unreadable=[str(error)])
        except Exception as error:  # a fault of ours ends nothing: it is told, and tried again
            done = Synced(unreadable=[f"notes: {type(error).__name__}: {error}"])
        self.due = time.monotonic() + rest
        new = [problem for problem in done.unreadable if problem not in self.said]
        self.said = set(done.unreadable)
        if not self.started:
            self.started = True
            self.ready(replace(done, unreadable=new))
        elif new or done.chunked or done.removed:
            self.told(replace(done, unreadable=new))


def _identity(path: Path) -> Stamp:
    with contextlib.suppress(OSError):
        found = path.stat()
        return (found.st_dev, found.st_ino)
    return None


def _stamp(path: Path) -> Stamp:
    with contextlib.suppress(OSError):
        found = path.stat()
        return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    return None
