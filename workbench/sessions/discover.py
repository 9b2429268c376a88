"""Where transcripts lie: the places agents write them to, and the files of a path that a person named."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from workbench.errors import NotFound, WorkbenchError
from workbench.sessions import archives, importers
from workbench.sessions.importers import Place
from workbench.sessions.importers.lines import parse
from workbench.sessions.importers.readable import opened

# What a transcript may end in; of all but the first a folder holds much else, so that only what is one is taken.
_LINES = ".jsonl"
_SUFFIXES = (_LINES, ".json", ".zip", ".html", ".md", ".markdown", ".txt", ".db", ".sqlite", ".sqlite3")
# The pattern of a name without an ending, as AI Studio writes them to Google Drive.
_BARE = ""
# Of a JSON file of no known format so much is looked through for what breaks it.
_LOOKED_THROUGH = 16 * 1024 * 1024
_PASSED_BY = (".git", "node_modules", "__pycache__")


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read, and its format where the place tells it (None: its content does).

    :param problem: for a folder that can't be looked into, one line that says so; it stands among the sources so that
        it is reported with them.
    """

    path: Path
    format: str | None = None
    problem: str | None = None


def find(environ: Mapping[str, str] = os.environ, home_dir: Path | None = None) -> list[Source]:
    """Every transcript that agents keep on this machine, in a steady order."""
    user = home_dir or Path.home()
    found: dict[Path, Source] = {}
    for importer in importers.registry().values():
        for place in importer.places:
            named = environ.get(place.variable or "") or ""
            for folder in (user / place.folder, *folders_of(named)):
                for source in _at(folder, place, importer.name):
                    found.setdefault(source.path, source)
    return [found[path] for path in sorted(found)]


def _at(folder: Path, place: Place, name: str) -> Iterator[Source]:
    """What lies at a place, when its agent's folder is this one."""
    folders = [folder]
    for part in place.below.split("/") if place.below else ():
        if part != "*":
            folders = [each / part for each in folders]
            continue
        below = []
        for each in folders:
            children, problem = _children(each)
            below += children
            if problem:
                yield Source(each, name, problem)
        folders = below
    for each in folders:
        yield from _walk(each, name, (place.pattern,), place.without, place.deep)


def expand(path: Path, format: str | None = None) -> list[Source]:  # noqa: A002 - the word of the command line
    """The transcripts that a person meant by ``path``: the file itself, or every transcript below the
    folder.

    :raises NotFound: when nothing is there.
    :raises WorkbenchError: when it is no file or folder, or a folder without transcripts.
    """
    path = path.expanduser().absolute()
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{path} does not exist; name a transcript file or a folder of them") from None
    except OSError as error:
        raise WorkbenchError(_unreadable(path, error)) from error
    if stat.S_ISREG(mode):
        return [Source(path, format)]
    if not stat.S_ISDIR(mode):
        raise WorkbenchError(f"{path} is neither a file nor a folder; name a transcript file or a folder of them")
    patterns = (*(f"*{suffix}" for suffix in _SUFFIXES), _BARE)
    found = sorted(_walk(path, format, patterns, odd=True), key=lambda source: source.path)
    taken = [taken for source in found if (taken := source if format or source.problem else _meant(source)) is not None]
    if not taken:
        raise WorkbenchError(f"{path} holds no transcripts; name the folder that an agent writes them to")
    return taken


def _meant(source: Source) -> Source | None:
    """A file of a folder that was named, if it is meant: one of another kind of which nothing is known is not, but that
    JSON is broken is said, and that a text lacks its mark."""
    path = source.path
    if path.suffix == _LINES:
        return source
    try:
        return source if archives.is_zip(path) or importers.choose(path) else None
    except importers.Unmarked as error:
        return replace(source, problem=str(error))
    except (WorkbenchError, OSError):
        broken = path.suffix == ".json" and _is_broken(path)
    return replace(source, problem=f"{path} is no JSON that can be read; nothing of it was read") if broken else None


def _is_broken(path: Path) -> bool:
    try:
        with opened(path) as handle:
            data = handle.read(_LOOKED_THROUGH + 1)
        if 0 < len(data) <= _LOOKED_THROUGH:
            parse(data)
    except OSError:
        return False
    except (ValueError, RecursionError):
        return True
    return False


def folders_of(value: str) -> list[Path]:
    """The folders that a variable of the environment names."""
    return [Path(part).expanduser().absolute() for part in re.split(f"[,{os.pathsep}]", value) if part.strip()]


def _children(folder: Path) -> tuple[list[Path], str | None]:
    """The folders in ``folder``, and what is wrong with it when it can't be read."""
    try:
        return sorted(child for child in folder.iterdir() if child.is_dir()), None
    except (FileNotFoundError, NotADirectoryError):
        return [], None
    except OSError as error:
        return [], _unreadable(folder, error)


def _walk(
    folder: Path,
    format: str | None,  # noqa: A002 - the word of the command line
    patterns: tuple[str, ...],
    without: tuple[str, ...] = (),
    deep: bool = True,
    odd: bool = False,
) -> Iterator[Source]:
    """Files below ``folder`` whose names match one of ``patterns``, and the folders there that can't be read; a folder
    that is reached twice (a link, a loop) is walked once. Links are followed.

    :param odd: what has such a name and is no file (a link to nothing, a pipe) is there, too, as a problem.
    """
    seen: set[tuple[int, int]] = set()
    failed: list[OSError] = []
    for root, folders, names in os.walk(folder, followlinks=True, onerror=failed.append):
        try:
            state = os.stat(f"{root}/.")  # noqa: PTH116 - raises for a folder that may be listed and not entered
            if (state.st_dev, state.st_ino) in seen:
                folders.clear()
                continue
            seen.add((state.st_dev, state.st_ino))
            meant = [name for name in names if _fits(name, patterns) and not _fits(name, without)]
            files = [Path(root) / name for name in meant]
            folders[:] = [name for name in folders if deep and name not in _PASSED_BY]
        except OSError as error:
            folders.clear()
            yield Source(Path(root), format, _unreadable(Path(root), error))
        else:
            for file in files:
                if file.is_file():
                    yield Source(file, format)
                elif odd:
                    what = "a link to nothing" if file.is_symlink() else "no plain file"
                    yield Source(file, format, f"{file} is {what}; it was not read")
    for failure in failed:
        if not isinstance(failure, FileNotFoundError | NotADirectoryError):
            yield Source(Path(failure.filename), format, _unreadable(Path(failure.filename), failure))


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) if pattern else "." not in name for pattern in patterns)


def _unreadable(path: Path, error: OSError) -> str:
    return f"cannot read {path}: {error.strerror or error}; check its permissions"
