"""Reading transcripts into a home."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

from workbench.home import Home
from workbench.sessions import discover
from workbench.sessions import ingest as reading
from workbench.sessions import store as session_store
from workbench.sessions.discover import Source
from workbench.sessions.report import IngestReport


def find(paths: Sequence[Path]) -> list[Source]:
    """The transcripts at ``paths``; with none, those that agents left on this machine.

    :raises WorkbenchError: when a path does not exist or holds no transcript.
    """
    if paths:
        return [source for path in paths for source in discover.expand(path)]
    return discover.find()


def is_empty(home: Home) -> bool:
    """Whether the home holds no conversation yet (its files say so, not the index)."""
    return next(iter(session_store.canonical_files(home)), None) is None


def ingest(home: Home, sources: Sequence[Source], progress: Callable[[int, int], None] | None = None) -> IngestReport:
    """Read what is new in these sources; what was read before is not read again.

    :param progress: called with (bytes done, bytes in all).
    """
    return reading.ingest(home, sources, progress)


def watch(
    home: Home,
    paths: Sequence[Path],
    stop: Event,
    told: Callable[[IngestReport], None],
    ready: Callable[[int], None] = lambda _: None,
) -> None:
    """Read what is at ``paths`` (with none, what agents leave on this machine), then what is written there, until
    stopped.

    :param told: called when something was read, and with problems that were not told before.
    :param ready: called once, when all was read that was there; with the number of transcripts.
    :raises NotFound: when a path does not exist.
    """
    from workbench.sessions import watch as watching

    watching.watch(home, paths, stop=stop, told=told, ready=ready)
