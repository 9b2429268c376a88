"""What all tests share: a fresh home each, real files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.homes import fresh_home
from workbench.home import Home

# `make test-long` asks for the second one.
settings.register_profile("usual", max_examples=200, stateful_step_count=30)
settings.register_profile("long", max_examples=2_000, stateful_step_count=50)
settings.load_profile("usual")

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return fresh_home(tmp_path / "home")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public data beside the repository."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"the public data set is not at {SHARED}: these checks did not run")
    return SHARED / "data"
