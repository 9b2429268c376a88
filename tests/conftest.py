"""What all tests share: a fresh home each, real files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.homes import fresh_home
from workbench.home import Home

# A busy machine fails no test. `make test-long` asks for the second one.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("usual", PATIENT, max_examples=60, stateful_step_count=30)
settings.register_profile("long", PATIENT, max_examples=2_000, stateful_step_count=50)
settings.load_profile("usual")

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return fresh_home(tmp_path / "home")


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock of this machine stands in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public data beside the repository."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"the public data set is not at {SHARED}: these checks did not run")
    return SHARED / "data"
