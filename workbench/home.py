"""Where things lie: the folder of one person's (or one team's) memory, and the names of the files in it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.files import private_dir

PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Home:
    """One home; every function of the library takes it, so many homes can be served by one program."""

    root: Path

    @property
    def sessions(self) -> Path:
        """Canonical conversations, one JSONL file each."""
        return self.root / "sessions"

    @property
    def memory(self) -> Path:
        """The notes: MEMORY.md and daily notes."""
        return self.root / "workspace" / "memory"

    @property
    def memory_md(self) -> Path:
        """Long-term notes with one generated block."""
        return self.memory / "MEMORY.md"

    @property
    def memory_archive(self) -> Path:
        """Entries that MEMORY.md has no room for any more."""
        return self.memory / "MEMORY.archive.md"

    @property
    def memory_entries(self) -> Path:
        """Derived: what was last written of the entries of MEMORY.md, so that an edit by hand is told from it."""
        return self.memory / ".MEMORY.md.entries.json"

    @property
    def ledger(self) -> Path:
        """The governed memories: the master of all."""
        return self.root / "memory_governance.sqlite3"

    @property
    def graph(self) -> Path:
        """Entities and the facts that relate them; every one is known to the ledger."""
        return self.root / "knowledge_graph.sqlite3"

    @property
    def session_index(self) -> Path:
        """Derived: conversations as rows, with full-text search."""
        return self.root / "session_index.sqlite"

    @property
    def memory_index(self) -> Path:
        """Derived: vectors of memories and notes."""
        return self.root / "memory_index.sqlite"

    @property
    def access(self) -> Path:
        """Sign-in codes and token hashes; never shown."""
        return self.root / "access.sqlite3"

    @property
    def secret(self) -> Path:
        """The key that signs cookies."""
        return self.root / "secret"

    @property
    def config(self) -> Path:
        """Settings."""
        return self.root / "config.json"

    @property
    def audit_head(self) -> Path:
        """The anchor of the event chain."""
        return self.root / "audit_head.json"

    @property
    def serving(self) -> Path:
        """One small file for each running server: its address."""
        return self.root / "serving"

    @property
    def backups(self) -> Path:
        """Copies made before a migration."""
        return self.root / "backups"

    def prepare(self) -> Home:
        """Make the home's folders (0700); those that exist keep their mode."""
        for folder in (self.root, self.sessions, self.memory):
            private_dir(folder)
        return self


def resolve(home: str | None = None, profile: str | None = None, environ: Mapping[str, str] = os.environ) -> Home:
    """The home meant by ``--home`` / ``--profile``, else ``WORKBENCH_HOME``, else ``~/.workbench``.

    :raises WorkbenchError: when a file lies where a folder must, or the profile name is not
        ``[a-z0-9][a-z0-9_-]{0,63}``.
    """
    root = Path(home or environ.get("WORKBENCH_HOME") or "~/.workbench").expanduser().absolute()
    if profile:
        if not PROFILE_NAME.fullmatch(profile):
            raise WorkbenchError(f"profile {profile!r} is not a name: use a-z, 0-9, - and _, at most 64 characters")
        root = root / "profiles" / profile
    if file := next((path for path in (root, *root.parents) if path.is_file()), None):
        raise WorkbenchError(f"{file} is a file, and a home is a folder; name another with --home")
    return Home(root)
