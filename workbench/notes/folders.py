"""The files that are notes: what lies in the memory folder, the profile, and the folders that the person names.

One form of a path for each: ``memory/2026-03-01.md``, ``USER.md``, ``<name of the folder>/a/b.md``; always with ``/``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home

MEMORY, PROFILE = "memory", "USER.md"
ENDINGS = (".md", ".markdown")
MAX_BYTES = 8 * 1024 * 1024
_READ_ONLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Note:
    """A file that is there.

    :param path: its one form.
    :param stamp: changes whenever the file may have: its size, times, place on the disk.
    """

    path: str
    file: str
    stamp: str
    size: int


def notes(home: Home, named: Mapping[str, Path]) -> Iterator[Note]:
    """Every note, in the order of its path within its folder; hidden files and folders and links are left out.

    :param named: further folders by their names.
    """
    for entry in _entries(str(home.memory.parent)):
        if entry.name == PROFILE and (found := _note(PROFILE, entry)):
            yield found
    for name, folder in {MEMORY: home.memory, **named}.items():
        yield from _below(name, str(folder))


def places(home: Home, named: Mapping[str, Path]) -> list[str]:
    """Every folder that is there and may hold notes, hidden ones and links left out, but for links that were named."""
    found = [str(home.memory.parent)]
    for folder in (home.memory, *named.values()):
        found += _places_below(str(folder))
    return [folder for folder in dict.fromkeys(found) if _is_folder(folder)]


def missing(named: Mapping[str, Path]) -> list[Path]:
    """The further folders that are not there, or can't be read."""
    return [
        folder for folder in named.values() if not (_is_folder(str(folder)) and os.access(folder, os.R_OK | os.X_OK))
    ]


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(Path(path).stat().st_mode)
    except OSError:
        return False


def _places_below(folder: str) -> Iterator[str]:
    yield folder
    for entry in _entries(folder):
        if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
            yield from _places_below(entry.path)


def is_note(name: str) -> bool:
    """Whether a file of this name is a note, wherever it lies."""
    return name.lower().endswith(ENDINGS) and not name.startswith(".")


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:  # gone, or not ours to read: then it has no notes
        return []


def _below(name: str, folder: str) -> Iterator[Note]:
    for entry in _entries(folder):
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(f"{name}/{entry.name}", entry.path)
        elif is_note(entry.name) and (found := _note(f"{name}/{entry.name}", entry)):
            yield found


def _note(path: str, entry: os.DirEntry[str]) -> Note | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}"
    return Note(os.fsencode(path).decode("utf-8", "replace"), entry.path, stamp, status.st_size)


def read(file: str | Path) -> bytes:
    """The bytes of a note.

    :raises WorkbenchError: when it is no file any more, is over 8 MB, or can't be read.
    """
    try:
        handle = os.open(file, _READ_ONLY)
        with os.fdopen(handle, "rb") as stream:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise WorkbenchError(f"{file} is no file")
            if status.st_size > MAX_BYTES:
                raise WorkbenchError(f"{file} has over {MAX_BYTES // 1024**2} MB, too much for a note; split it")
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise WorkbenchError(f"cannot read {file}: {error.strerror or error}") from error


def resolve(home: Home, path: str, named: Mapping[str, Path]) -> tuple[str, Path]:
    """(its one form, its place) of the note that a path means; a plain name means one in the memory folder.

    :raises NotFound: when the path leads out of the folders of notes, or to what is no markdown.
    """
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if parts == (PROFILE,):
        return PROFILE, home.memory.parent / PROFILE
    folders = {MEMORY: home.memory, **named}
    name, *rest = parts if parts and parts[0] in folders and len(parts) > 1 else (MEMORY, *parts)
    is_plain = rest and not any(part in ("..", "/") or part.startswith(".") or "\x00" in part for part in rest)
    if not is_plain or not rest[-1].lower().endswith(ENDINGS):
        raise NotFound(f"there is no note {path!r}: name one as a search does, like MEMORY.md or 2026-03-01.md")
    file = folders[name].joinpath(*rest)
    if any(each.is_symlink() for each in (file, *list(file.parents)[: len(rest) - 1])):
        raise NotFound(f"{path} is a link or lies behind one; notes are read within their folder alone")
    return "/".join((name, *rest)), file
