"""The file that keeps what was last written of the entries of MEMORY.md; the lock of MEMORY.md is its lock, too."""

from __future__ import annotations

import orjson

from workbench import files
from workbench.home import Home
from workbench.notes.keeping import Record, Records


def load(home: Home) -> Records:
    """What was last written; nothing where the file is not there or is none of ours, for it is derived."""
    try:
        known = orjson.loads(files.read_bytes(home.memory_entries) or b"{}")
        entries = {key: _record(**fields) for key, fields in known.get("entries", {}).items()}
        return Records(entries, tuple(known.get("moving", ())), str(known.get("archive", "")))
    except (ValueError, TypeError, AttributeError):
        return Records()


def save(home: Home, records: Records) -> None:
    """Keep it, durably."""
    files.replace(home.memory_entries, orjson.dumps(records))


def _record(stamp: str, digests: list[str], written: bool, hand: bool, archived: bool) -> Record:
    return Record(stamp, tuple(digests), written, hand, archived)
