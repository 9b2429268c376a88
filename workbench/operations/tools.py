"""Which of the tools that agents are given are on: every surface that offers them asks here."""

from __future__ import annotations

from workbench import config
from workbench.home import Home

ALL = (
    "bootstrap",
    "recall",
    "remember",
    "lens",
    "checkpoint",
    "link",
    "forget",
    "session_search",
    "memory_search",
    "memory_get",
    "memory_append",
)
# Those that the setting agents.defaults.memorySearch.enabled takes away.
SEARCH = ("memory_search", "memory_get")


def available(home: Home) -> tuple[str, ...]:
    """The names of the tools that are on in this home.

    :raises WorkbenchError: when its settings can't be.
    """
    if config.load(home).memory_search.enabled:
        return ALL
    return tuple(name for name in ALL if name not in SEARCH)
