"""Where transcripts lie: the places agents write them to, and the files of a path that a person named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import NotFound, WorkbenchError

_SUFFIX = ".jsonl"


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
    """Every transcript that Claude Code and Flowly keep on this machine, in a steady order."""
    user = home_dir or Path.home()
    claude = [user / ".claude", *_folders(environ.get("CLAUDE_CONFIG_DIR"), ",")]
    flowly = [user / ".flowly", *_folders(environ.get("FLOWLY_HOME"), os.pathsep)]
    places = [(folder / "projects", "claude-code") for folder in claude]
    found: dict[Path, Source] = {}
    for folder in flowly:
        profiles, problem = _children(folder / "profiles")
        places += ((profile / "sessions", "flowly") for profile in (folder, *profiles))
        if problem:
            found[folder / "profiles"] = Source(folder / "profiles", "flowly", problem)
    for folder, name in places:
        found.update((source.path, source) for source in _walk(folder, name))
    return [found[path] for path in sorted(found)]


def expand(path: Path, format: str | None = None) -> list[Source]:  # noqa: A002 - the word of the command line
    """The transcripts that a person meant by ``path``: the file itself, or every ``.jsonl`` below the folder.

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
    found = sorted(_walk(path, format), key=lambda source: source.path)
    if not found:
        raise WorkbenchError(f"{path} holds no {_SUFFIX} transcripts; name the folder that an agent writes them to")
    return found


def _folders(value: str | None, separator: str) -> list[Path]:
    return [Path(part).expanduser().absolute() for part in (value or "").split(separator) if part.strip()]


def _children(folder: Path) -> tuple[list[Path], str | None]:
    """The folders in ``folder``, and what is wrong with it when it can't be read."""
    try:
        return sorted(child for child in folder.iterdir() if child.is_dir()), None
    except (FileNotFoundError, NotADirectoryError):
        return [], None
    except OSError as error:
        return [], _unreadable(folder, error)


def _walk(folder: Path, format: str | None) -> Iterator[Source]:  # noqa: A002 - the word of the command line
    """Transcript files below ``folder``, and the folders there that can't be read; a folder that is reached twice (a
    link, a loop) is walked once."""
    seen: set[tuple[int, int]] = set()
    failed: list[OSError] = []
    for root, folders, names in os.walk(folder, followlinks=True, onerror=failed.append):
        try:
            state = os.stat(f"{root}/.")  # noqa: PTH116 - raises for a folder that may be listed and not entered
            if (state.st_dev, state.st_ino) in seen:
                folders.clear()
                continue
            seen.add((state.st_dev, state.st_ino))
            files = [file for name in names if name.endswith(_SUFFIX) and (file := Path(root) / name).is_file()]
        except OSError as error:
            folders.clear()
            yield Source(Path(root), format, _unreadable(Path(root), error))
        else:
            yield from (Source(file, format) for file in files)
    for failure in failed:
        if not isinstance(failure, FileNotFoundError | NotADirectoryError):
            yield Source(Path(failure.filename), format, _unreadable(Path(failure.filename), failure))


def _unreadable(path: Path, error: OSError) -> str:
    return f"cannot read {path}: {error.strerror or error}; check its permissions"
