"""Commands, run in this process as a process of their own would run them, which is far quicker."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

import pytest

from workbench import kept
from workbench.cli import main
from workbench.ledger import use


def command(
    env: Mapping[str, str], *args: str, stdin: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """What ``workbench ARGS`` says with nothing but this environment; none of its streams is a terminal.

    At its end it does what a process does that ends: it writes what it counted, and lets go of what it keeps open.
    """
    streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (stdin.encode(), b"", b"")]
    with contextlib.ExitStack() as own:
        own.enter_context(mock.patch.dict(os.environ, env, clear=True))
        for name, value in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            own.enter_context(mock.patch.object(sys, name, value))
        own.enter_context(mock.patch.object(sys, "argv", ["workbench", *args]))
        if cwd is not None:
            own.enter_context(contextlib.chdir(cwd))
        own.callback(kept.release)
        own.callback(use.flush)
        with pytest.raises(SystemExit) as ended:
            main()
    return subprocess.CompletedProcess(args, int(ended.value.code or 0), *map(_said, streams[1:]))


def _said(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data = stream.buffer
    assert isinstance(data, io.BytesIO)
    return data.getvalue().decode()
