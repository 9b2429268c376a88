"""Settings of a home, read from ``config.json``; keys on disk are camelCase."""

from __future__ import annotations

from workbench.config.file import Document, change, document, load, lost, problems, unknown, value
from workbench.config.model import (
    SETTINGS,
    Cautious,
    Compaction,
    Config,
    Ledger,
    MemoryDreaming,
    MemorySearch,
    Setting,
    meant,
)

__all__ = [
    "SETTINGS",
    "Cautious",
    "Compaction",
    "Config",
    "Document",
    "Ledger",
    "MemoryDreaming",
    "MemorySearch",
    "Setting",
    "change",
    "document",
    "load",
    "lost",
    "meant",
    "problems",
    "unknown",
    "value",
]
