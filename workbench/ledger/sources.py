"""What the source of a piece of evidence says today. It is read, never run, and nothing is fetched.

Conversations are read from the home's own copy: that an agent has deleted its transcript changes nothing. A commit
can't change, so only whether it is there is asked; a URL, another store and the person's word are not looked at.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from workbench import files, guard, text
from workbench.errors import WorkbenchError
from workbench.guard import private
from workbench.home import Home
from workbench.ledger.model import SourceType
from workbench.notes import projection
from workbench.sessions import harness, index, spoken

# A line of the generated block: the block is written anew, so nobody can look there for it later.
GENERATED = "MEMORY.md#generated"
CHECKED = (SourceType.SESSION, SourceType.NOTE, SourceType.FILE, SourceType.GIT)
MAX_FILE = 8 * 1024 * 1024
_LINES = re.compile(r"#L\d+(-L?\d+)?$")
_SHA = re.compile(r"[0-9a-fA-F]{7,64}")
_HIDDEN = ("[secret: ", private.SHOWN)
_GIT_SECONDS = 20
# No question on a terminal, no network (also where a partial clone lacks the object), nothing a repository brings.
_GIT_SETTINGS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}
_GIT_OPTIONS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")


class Finding(Enum):
    """How a source stands to the excerpt that was taken from it; ``withdrawn``: the person took their words back."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    WITHDRAWN = "withdrawn"
    UNKNOWN = "unknown"


class Sources:
    """The sources of a home, as they are now.

    :param home: its session index is brought up to the canonical conversations first.
    """

    def __init__(self, home: Home) -> None:
        self.home = home
        synced = index.sync(home)
        # While something could not be read, a message that is not in the index may be there all the same.
        self._complete = not (synced.damaged or synced.backlog)
        self._git = shutil.which("git")

    def compare(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Finding]:
        """How the source of each of these rows stands to its excerpt, by the row's id.

        :param rows: of ``memory_evidence``, with ``scope_type``, ``scope_key`` and ``created_by`` of the memory.
        """
        by_type: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for row in rows:
            by_type[row["source_type"]].append(row)
        found = {row["id"]: Finding.UNKNOWN for row in rows}
        found |= self._sessions(by_type[SourceType.SESSION])
        found |= {row["id"]: self._note(row) for row in by_type[SourceType.NOTE]}
        found |= {row["id"]: self._file(row) for row in by_type[SourceType.FILE]}
        found |= self._commits(by_type[SourceType.GIT])
        return found

    def _sessions(self, rows: list[Mapping[str, Any]]) -> dict[str, Finding]:
        named = {row["id"]: row["source_ref"].rpartition("#") for row in rows}
        numbers = {key: int(n) for key, (_, _, n) in named.items() if n.isascii() and n.isdecimal() and len(n) < 20}
        try:
            messages = spoken.contents(self.home, sorted(set(numbers.values()))) if numbers else {}
        except WorkbenchError:
            return {}
        found: dict[str, Finding] = {}
        for row in rows:
            if row["id"] not in numbers:
                continue
            key, content, state = messages.get(numbers[row["id"]], (None, "", ""))
            if key != named[row["id"]][0]:
                found[row["id"]] = Finding.GONE if self._complete else Finding.UNKNOWN
            elif state == "withdrawn":
                found[row["id"]] = Finding.WITHDRAWN
            else:
                found[row["id"]] = _compare(row["excerpt"], content, harness.spoken(content))
        return found

    def _note(self, row: Mapping[str, Any]) -> Finding:
        if row["source_ref"] == GENERATED:
            return Finding.UNKNOWN
        path = _inside(self.home.memory, row["source_ref"].partition("#")[0])
        return Finding.UNKNOWN if path is None else _read(row["excerpt"], path, note=True)

    def _file(self, row: Mapping[str, Any]) -> Finding:
        path = _allowed(self.home, row, _LINES.sub("", row["source_ref"]))
        return Finding.UNKNOWN if path is None else _read(row["excerpt"], path)

    def _commits(self, rows: list[Mapping[str, Any]]) -> dict[str, Finding]:
        """One question to git for each repository."""
        if self._git is None:
            return {}
        asked: dict[Path, dict[str, str]] = defaultdict(dict)
        for row in rows:
            repository, _, sha = row["source_ref"].rpartition("#")
            path = _allowed(self.home, row, repository) if repository else None
            if path is not None and _SHA.fullmatch(sha):
                asked[path][row["id"]] = sha
        found: dict[str, Finding] = {}
        for path, shas in asked.items():
            if path.is_dir():
                found |= dict(zip(shas, _ask(self._git, path, shas.values()), strict=True))
            else:
                found |= dict.fromkeys(shas, Finding.UNKNOWN if path.exists() else Finding.GONE)
        return found


def _compare(excerpt: str, *sources: str) -> Finding:
    """Whether one of ``sources`` holds the excerpt, whose credentials are masked and whose ends may be cut ("…")."""
    wanted = _plain(excerpt).strip("…").strip()
    if not wanted or excerpt in (guard.NOT_SHOWN, text.ERASED) or any(wanted in _plain(source) for source in sources):
        return Finding.SAME
    if not any(mark in wanted for mark in _HIDDEN):
        return Finding.CHANGED
    masked = [guard.mask(_plain(source)) for source in sources]
    if guard.NOT_SHOWN in masked:
        return Finding.UNKNOWN
    return Finding.SAME if any(wanted in source for source in masked) else Finding.CHANGED


def _plain(source: str) -> str:
    return text.storable(source).replace("\r\n", "\n").replace("\r", "\n")


def _read(excerpt: str, path: Path, note: bool = False) -> Finding:
    try:
        data = files.read_regular(path, MAX_FILE)
    except WorkbenchError:
        return Finding.UNKNOWN
    if data is None:
        return Finding.GONE
    if note:
        data = projection.human(data)
    return _compare(excerpt, data.decode("utf-8", "replace"))


def _allowed(home: Home, row: Mapping[str, Any], stated: str) -> Path | None:
    """Where the file named lies; None where it may not be looked at for this memory.

    A relative path lies in the memory's project, else in the workspace. What an agent wrote is looked up nowhere else:
    the sweep must not tell it what other files hold.
    """
    project = Path(row["scope_key"])
    in_project = row["scope_type"] == "project" and project.is_absolute() and project != project.parent
    found = _inside(project if in_project else home.memory.parent, stated)
    if found is not None or row["created_by"].startswith("agent:") or not Path(stated).is_absolute():
        return found
    return _inside(Path(stated).parent, stated)


def _inside(folder: Path, stated: str) -> Path | None:
    """``stated``, seen from ``folder``, when it lies in it with every link followed."""
    try:
        real = Path(os.path.realpath(folder / stated))
        return real if real.is_relative_to(os.path.realpath(folder)) else None
    except (OSError, ValueError):
        return None


def _ask(git: str, repository: Path, shas: Iterable[str]) -> list[Finding]:
    """Whether each of these commits is in the repository."""
    asked = list(shas)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _GIT_SETTINGS
    try:
        done = subprocess.run(
            [git, *_GIT_OPTIONS, "-C", str(repository), "cat-file", "--batch-check"],
            input="".join(f"{sha}^{{commit}}\n" for sha in asked),
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return [Finding.UNKNOWN] * len(asked)
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(asked):
        return [Finding.UNKNOWN] * len(asked)
    return [_answer(line) for line in lines]


def _answer(line: str) -> Finding:
    if line.endswith(" missing"):
        return Finding.GONE
    return Finding.SAME if " commit " in line else Finding.UNKNOWN
