"""Where to listen for transcripts that grow or appear: folders to be told of changes in, and files to look at."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import discover, importers
from workbench.sessions.discover import Source
from workbench.sessions.importers import Place

# (device, inode), or None for what is not there.
Identity = tuple[int, int] | None
# (device, inode, size, time of the last change).
Stamp = tuple[int, int, int, int] | None


class Places:
    """The places of agents, and what a person named; both may come and go.

    :param home: what lies in it is no source.
    :param named: files and folders that a person named.
    :param agents: whether the places of agents are meant, too.
    """

    def __init__(
        self,
        home: Home,
        named: Sequence[Path],
        agents: bool,
        environ: Mapping[str, str] = os.environ,
        user: Path | None = None,
    ) -> None:
        self._own = home.root.absolute()
        self._named = [path.expanduser().absolute() for path in named]
        self._agents = agents
        self._environ, self._user = environ, user or Path.home()

    def sources(self) -> list[Source]:
        """The transcripts that are there now."""
        found = {source.path: source for source in self._found()}
        return [source for path, source in found.items() if not self.is_own(str(path))]

    def is_own(self, path: str) -> bool:
        """Whether a path lies in the home."""
        return path == str(self._own) or path.startswith(f"{self._own}{os.sep}")

    def folders(self) -> dict[str, Identity]:
        """The folders that are there now, in which transcripts may lie however deep."""
        folders = [path for path in self._named if _is(stat.S_ISDIR, path)]
        folders += [folder for folder, place, _ in self._agents_folders() if place.deep]
        return {str(folder): _identity(folder) for folder in folders if not self.is_own(str(folder))}

    def stamps(self, sources: Sequence[Source]) -> dict[str, Stamp]:
        """How the files and folders look that nobody tells of: files that were named, folders whose own files are
        meant and not what lies below them, and their files."""
        shallow = [folder for folder, place, _ in self._agents_folders() if not place.deep]
        paths = [path for path in self._named if not _is(stat.S_ISDIR, path)] + shallow
        beside = [file for source in sources if source.path.parent in shallow for file in read_with(source)]
        return {str(path): _stamp(path) for path in (*paths, *beside)}

    def source_at(self, name: str) -> Source | None:
        """The transcript that this new file is, where its place and name tell; any other is found among all."""
        path = Path(name)
        if not _is(stat.S_ISREG, path) or self.is_own(name):
            return None
        if path.suffix == ".jsonl" and any(path.is_relative_to(folder) for folder in self._named):
            return Source(path)
        for folder, place, format_ in self._agents_folders():
            there = path.is_relative_to(folder) if place.deep else path.parent == folder
            left_out = any(fnmatchcase(path.name, pattern) for pattern in place.without)
            if there and fnmatchcase(path.name, place.pattern) and not left_out:
                return Source(path, format_)
        return None

    def _found(self) -> Iterator[Source]:
        if self._agents:
            yield from discover.find(self._environ, self._user)
        for path in self._named:
            try:
                yield from discover.expand(path)
            except WorkbenchError:
                continue  # nothing is there now, or no transcript yet

    def _agents_folders(self) -> Iterator[tuple[Path, Place, str]]:
        """(a folder that is there, the place it is at, the format of what lies there) of each place of an agent."""
        for importer in importers.registry().values() if self._agents else ():
            for place in importer.places:
                named = self._environ.get(place.variable or "") or ""
                for base in (self._user / place.folder, *discover.folders_of(named)):
                    for folder in base.glob(place.below) if place.below else (base,):
                        if _is(stat.S_ISDIR, folder):
                            yield folder, place, importer.name


def read_with(source: Source) -> list[Path]:
    """A source, and the files that are read with it."""
    importer = importers.registry().get(source.format or "")
    return [source.path, *(importer.beside(source.path) if importer else ())]


def is_there(path: Path) -> bool:
    """Whether something is at ``path`` that can be looked at."""
    return _stat(path) is not None


def _identity(path: Path) -> Identity:
    found = _stat(path)
    return (found.st_dev, found.st_ino) if found else None


def _stamp(path: Path) -> Stamp:
    found = _stat(path)
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns) if found else None


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    found = _stat(path)
    return found is not None and kind(found.st_mode)


def _stat(path: Path) -> os.stat_result | None:
    # What may not be looked at is as good as not there; pathlib would raise.
    try:
        return path.stat()
    except OSError:
        return None
