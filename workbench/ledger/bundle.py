"""A bundle: everything a ledger holds in one file, one row a line, sealed by its counts and a SHA-256.

First a line that says what it is, then one line a row, ``{"dataset": …, "row": {…}}``; a memory is followed by what
belongs to it alone. The last line is the seal. A bundle is read in bounded memory, whatever is in it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedIOBase, BufferedReader
from pathlib import Path
from typing import Any

import orjson

from workbench import db, text
from workbench.errors import WorkbenchError
from workbench.ledger.model import row_dict
from workbench.ledger.store import SCHEMA

FORMAT = "memory-workbench-bundle"
VERSION = 1
# Undoing a large import is one event, whose payload holds every row it took back.
MAX_LINE = 64 * 1024 * 1024
_MAX_SEAL = 16 * 1024

# Dataset → table. What belongs to one memory follows it; the rest comes after all memories, the history last.
OF_A_MEMORY = {
    "memory_revisions": "memory_revisions",
    "memory_evidence": "memory_evidence",
    "memory_resource_links": "resource_links",
    "memory_feedback": "memory_feedback",
    "memory_use": "memory_use",
}
OF_THE_LEDGER = {
    "memory_relations": "memory_relations",
    "rejections": "rejections",
    "learned": "learned",
    "lens_archive": "lens_archive",
    "tombstones": "tombstones",
    "tombstone_key": "meta",
    "memory_events": "memory_events",
    "event_payloads": "event_payloads",
}
DATASETS = {"memories": "memories", **OF_A_MEMORY, **OF_THE_LEDGER}
# Keys of ``meta`` say how this home stands, but for this one: without it a tombstone answers nothing.
TOMBSTONE_KEY = "tombstone_key"

Value = str | int | float | None


class BadBundle(WorkbenchError):
    """The file is no bundle, a newer one, torn or altered; nothing of it was taken over."""


@dataclass(frozen=True)
class Entry:
    """A line of a bundle: a row of a dataset, or (``problem``) why it can't be read as one."""

    number: int
    dataset: str = ""
    row: dict[str, Value] = field(default_factory=dict)
    problem: str | None = None


@dataclass
class Contents:
    """What a bundle holds: rows by dataset, lines that can't be read, and the digest of it all."""

    sha256: str = ""
    made_at: str = ""
    counts: Counter[str] = field(default_factory=Counter)


def write(connection: sqlite3.Connection, file: BufferedIOBase) -> Contents:
    """Write every row of the ledger to ``file``, as one consistent state.

    :raises WorkbenchError: when a row is too long to be read back.
    """
    contents = Contents(made_at=db.now())
    digest = hashlib.sha256()

    def put(document: dict[str, Any]) -> None:
        line = _line_of(document)
        digest.update(line)
        file.write(line)

    put({"format": FORMAT, "version": VERSION, "schema": SCHEMA.version, "made_at": contents.made_at})
    for dataset, row in _rows(connection):
        contents.counts[dataset] += 1
        put({"dataset": dataset, "row": {name: value for name, value in row.items() if value is not None}})
    contents.sha256 = digest.hexdigest()
    file.write(orjson.dumps({"counts": dict(contents.counts), "sha256": contents.sha256}) + b"\n")
    return contents


def _line_of(document: dict[str, Any]) -> bytes:
    line = orjson.dumps(document) + b"\n"
    if len(line) > MAX_LINE:
        row = document["row"]
        named = f"{document['dataset']} {row.get('id', row.get('seq'))}"
        raise WorkbenchError(
            f"{named} has {len(line):,} bytes, and a line of a bundle holds {MAX_LINE:,}: it could not be read back, so"
            " no bundle was written"
        )
    return line


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    for memory in connection.execute("SELECT * FROM memories ORDER BY seq"):
        yield "memories", row_dict(memory)
        for dataset, table in OF_A_MEMORY.items():
            own = connection.execute(f"SELECT * FROM {table} WHERE memory_id = ? ORDER BY rowid", (memory["id"],))
            yield from ((dataset, row_dict(row)) for row in own)
    for dataset, table in OF_THE_LEDGER.items():
        some = f" WHERE key = '{TOMBSTONE_KEY}'" if table == "meta" else ""
        rows = connection.execute(f"SELECT * FROM {table}{some} ORDER BY rowid")
        yield from ((dataset, row_dict(row)) for row in rows)


def check(path: Path, limit: int = MAX_LINE) -> Contents:
    """Read a whole bundle and compare it with its seal; lines that can't be read are counted as ``unreadable``.

    :raises BadBundle: when it is no bundle, newer than this program, torn or altered.
    """
    if path.exists() and not path.is_file():
        raise BadBundle(f"{path} is no plain file; name one that `workbench export` wrote")
    contents = Contents()
    for entry in entries(path, limit):
        contents.counts[entry.dataset or "unreadable"] += 1
    with path.open("rb") as file:
        contents.made_at = str(_head(path, file.readline(_MAX_SEAL)).get("made_at", ""))
        contents.sha256 = _seal(path, file)[1]["sha256"]
    return contents


def entries(path: Path, limit: int = MAX_LINE) -> Iterator[Entry]:
    """Every row of a bundle in its order; whether it is whole is known, and said, at the end.

    :param limit: a line of more bytes is passed over, and becomes an entry with a problem.
    :raises BadBundle: as ``check`` does; what was read until then is not to be kept.
    """
    if not path.is_file():
        raise WorkbenchError(f"there is no file {path}")
    counts: Counter[str] = Counter()
    digest = hashlib.sha256()
    with path.open("rb") as file:
        end, seal = _seal(path, file)
        file.seek(0)
        head = file.readline(_MAX_SEAL)
        _head(path, head)
        digest.update(head)
        at, number = len(head), 1
        while at < end:
            number += 1
            line, size = _line(file, digest, limit)
            at += size
            entry = _entry(number, line) if line else Entry(number, problem=f"has over {limit:,} bytes")
            counts[entry.dataset] += 1
            yield entry
    unreadable = counts.pop("", 0)
    stated = Counter(seal["counts"])
    if digest.hexdigest() != seal["sha256"] or counts - stated or stated.total() != counts.total() + unreadable:
        raise BadBundle(f"{path} was altered: it does not hold what its last line says; nothing was imported")


def _line(file: BufferedReader, digest: Any, limit: int) -> tuple[bytes | None, int]:  # noqa: ANN401 - a hashlib object
    """The next line, None where it is too long, and its length; never more than ``limit`` bytes are held."""
    line = file.readline(limit)
    digest.update(line)
    size = len(line)
    if line.endswith(b"\n"):
        return line, size
    while line and not line.endswith(b"\n"):
        line = file.readline(min(limit, 1 << 20))
        digest.update(line)
        size += len(line)
    return None, size


def _entry(number: int, line: bytes) -> Entry:
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError:
        return Entry(number, problem="is not JSON")
    if not isinstance(document, dict) or not isinstance(row := document.get("row"), dict):
        return Entry(number, problem="is no row of a dataset")
    dataset = document.get("dataset")
    if not isinstance(dataset, str) or dataset not in DATASETS:
        return Entry(number, problem="is of a dataset that is not known")
    if not all(_storable(value) for value in row.values()):
        return Entry(number, problem="has a field of a type no field has")
    return Entry(number, dataset, row)


def _storable(value: object) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return -(2**63) <= value < 2**63
    return value is None or isinstance(value, str | float)


def _head(path: Path, line: bytes) -> dict[str, Any]:
    head = _object(line)
    if head.get("format") != FORMAT:
        raise BadBundle(f"{path} is no bundle of Memory Workbench; `workbench export FILE` makes one")
    version, schema = head.get("version"), head.get("schema")
    if not isinstance(version, int) or not isinstance(schema, int):
        raise BadBundle(f"{path} does not say which version it has; nothing was imported")
    if version > VERSION or schema > SCHEMA.version:
        raise BadBundle(
            f"{path} has version {version} (ledger {schema}), newer than this program's {VERSION} ({SCHEMA.version});"
            " upgrade the program"
        )
    return head


def _seal(path: Path, file: BufferedReader) -> tuple[int, dict[str, Any]]:
    """Where the last line begins, and what it says."""
    size = file.seek(0, 2)
    start = max(0, size - _MAX_SEAL)
    file.seek(start)
    tail = file.read()
    at = tail[:-1].rfind(b"\n") + 1
    seal = _object(tail[at:])
    counts = seal.get("counts")
    if not tail.endswith(b"\n") or not isinstance(seal.get("sha256"), str) or not isinstance(counts, dict):
        file.seek(0)
        _head(path, file.readline(_MAX_SEAL))
        raise BadBundle(f"{path} is torn: its last line, which says what it must hold, is missing; copy it again")
    if not all(name in DATASETS and type(count) is int for name, count in counts.items()):
        raise BadBundle(f"{path} was altered: its last line can't be read; nothing was imported")
    return start + at, seal


def _object(line: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, dict) else {}


def is_bundle(path: Path) -> bool:
    """Whether the file begins as a bundle does."""
    with path.open("rb") as file:
        return _object(file.readline(_MAX_SEAL)).get("format") == FORMAT


def refused(path: Path, entry: Entry, why: str) -> BadBundle:
    """The error for a line that an own backup can't have."""
    return BadBundle(f"{path}, line {entry.number}: {text.one_line(why, 120)}; nothing was imported")
