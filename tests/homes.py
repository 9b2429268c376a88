"""Fresh homes for tests: copies of one that was made once, which is far quicker than making each."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench import kept
from workbench.home import Home
from workbench.operations.home import open_home


@functools.cache
def _pattern() -> Path:
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    root = open_home(Home(folder / "home")).root
    kept.release()  # a file is copied while nothing has it open
    return root


def at_defaults(section: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The document of ``config.json`` with a section of what holds for every agent."""
    return {"agents": {"defaults": {section: values}}}


def fresh_home(root: Path) -> Home:
    """An empty home at ``root``."""
    shutil.copytree(_pattern(), root, dirs_exist_ok=True)
    return Home(root)
