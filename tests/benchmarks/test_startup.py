"""Starting up: ``workbench --help`` against the bare import of Click, in alternation."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

RUNS = 15
LIMIT = 3.0


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def test_help_starts_quickly() -> None:
    found = shutil.which("workbench", path=str(Path(sys.executable).parent))
    workbench = [found] if found else [sys.executable, "-m", "workbench"]
    click = [sys.executable, "-c", "import click"]
    ours, floor = [], []
    for _ in range(RUNS):
        floor.append(seconds(click))
        ours.append(seconds([*workbench, "--help"]))
    ratio = min(ours) / min(floor)
    print(f"\nworkbench --help: {min(ours) * 1000:.0f} ms, import click: {min(floor) * 1000:.0f} ms, ratio {ratio:.2f}")
    assert ratio <= LIMIT
