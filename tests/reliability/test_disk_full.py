"""A full disk: one clear line, nothing half written, and the next run converges."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import claude_row, environment, write_transcript
from workbench.operations import memory_md

ROWS = 3_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own whose size can be set; only root may mount one."""
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("mounting a small file system needs root on Linux: the full disk was not tried")
    folder = tmp_path / "home"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)], check=False)
    if done.returncode:
        pytest.skip("this machine allows no mount: the full disk was not tried")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def resize(folder: Path, kilobytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(folder)], check=True)


def up(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "workbench", "--json", "up", "--no-serve"]
    return subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=False)


def test_a_disk_that_fills_at_every_step(tmp_path: Path, small_disk: Path) -> None:
    rows = [claude_row(n, f"I prefer thing{n} to other{n}. " + "word " * 60) for n in range(ROWS)]
    write_transcript(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", *rows)
    refused = 0
    for kilobytes in (100, 300, 500, 1_000, 1_400, 2_500, 4_000, 5_500, 7_000, 9_000):
        resize(small_disk, kilobytes)
        done = up(tmp_path)
        assert "unexpected" not in done.stderr, done.stderr
        assert [p.name for p in small_disk.rglob("*.tmp")] == []
        if done.returncode:
            refused += 1
            assert done.returncode == 1
            assert "disk full" in done.stderr, done.stderr
        else:
            assert "disk full" not in done.stderr, done.stderr
    assert refused >= 4
    resize(small_disk, 200_000)
    done = up(tmp_path)
    assert done.returncode == 0, done.stderr
    status = json.loads(done.stdout)["status"]
    assert (status["messages"], status["active"], status["backlog"]) == (ROWS, ROWS, 0)
    lines = (small_disk / "workspace" / "memory" / "MEMORY.md").read_text().splitlines()
    shown = [line for line in lines if line.startswith("- ")]
    longest = max(map(len, shown))
    assert memory_md.ROOM - longest < sum(len(line) - 2 for line in shown) <= memory_md.ROOM
