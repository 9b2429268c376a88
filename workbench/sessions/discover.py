"""Where transcripts lie: the places agents write them to, and the files of a path that a person named."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import NotFound, WorkbenchError

_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read, and its format where the place tells it (None: its content does)."""

    path: Path
    format: str | None = None


def find(environ: Mapping[str, str] = os.environ, home_dir: Path | None = None) -> list[Source]:
    """Every transcript that Claude Code and Flowly keep on this machine, in a steady order."""
    user = home_dir or Path.home()
    claude = [user / ".claude", *_folders(environ.get("CLAUDE_CONFIG_DIR"), ",")]
    flowly = [user / ".flowly", *_folders(environ.get("FLOWLY_HOME"), os.pathsep)]
    places = [(folder / "projects", "claude-code") for folder in claude]
    for folder in flowly:
        places.append((folder / "sessions", "flowly"))
        places += ((profile / "sessions", "flowly") for profile in _children(folder / "profiles"))
    found = {path: Source(path, name) for folder, name in places for path in _walk(folder)}
    return [found[path] for path in sorted(found)]


def expand(path: Path, format: str | None = None) -> list[Source]:  # noqa: A002 - the word of the command line
    """The transcripts that a person meant by ``path``: the file itself, or every ``.jsonl`` below the folder.

    :raises NotFound: when nothing is there.
    :raises WorkbenchError: when it is no file or folder, or a folder without transcripts.
    """
    path = path.expanduser().absolute()
    if path.is_file():
        return [Source(path, format)]
    if not path.exists():
        raise NotFound(f"{path} does not exist; name a transcript file or a folder of them")
    if not path.is_dir():
        raise WorkbenchError(f"{path} is neither a file nor a folder; name a transcript file or a folder of them")
    found = [Source(file, format) for file in sorted(_walk(path))]
    if not found:
        raise WorkbenchError(f"{path} holds no {_SUFFIX} transcripts; name the folder that an agent writes them to")
    return found


def _folders(value: str | None, separator: str) -> list[Path]:
    return [Path(part).expanduser().absolute() for part in (value or "").split(separator) if part.strip()]


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(child for child in folder.iterdir() if child.is_dir())
    except OSError:
        return []


def _walk(folder: Path) -> Iterator[Path]:
    """Transcript files below ``folder``; a folder that is reached twice (a link, a loop) is walked once."""
    seen: set[tuple[int, int]] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        state = Path(root).stat()
        if (state.st_dev, state.st_ino) in seen:
            folders.clear()
            continue
        seen.add((state.st_dev, state.st_ino))
        yield from (file for name in names if name.endswith(_SUFFIX) and (file := Path(root) / name).is_file())
