"""What all tests share: a fresh home each, real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.home import Home
from workbench.operations.home import open_home

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return open_home(Home(tmp_path / "home"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public data beside the repository."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"the public data set is not at {SHARED}: these checks did not run")
    return SHARED / "data"
