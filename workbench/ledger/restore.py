"""The person's own backup comes back: into an empty ledger as it was, history and all; into another what is missing."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

from workbench.ledger import lifecycle, tombstones
from workbench.ledger.bundle import DATASETS, OF_A_MEMORY, BadBundle, Contents, Entry, Value, entries, refused
from workbench.ledger.change import Change, fetch
from workbench.ledger.model import Status, is_asked_in


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever written to the ledger."""
    return not any(
        connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()
        for table in DATASETS.values()
        if table != "meta"
    )


def whole(change: Change, path: Path, contents: Contents) -> Counter[str]:
    """Fill an empty ledger with the rows of a bundle, its history too; returns how many came, by dataset.

    :raises BadBundle: when a line can't be a row of this ledger.
    """
    lifecycle.require_person(change.actor, "restore")
    connection = change.connection
    columns = _columns(connection)
    counts: Counter[str] = Counter()
    for entry in entries(path):
        _refuse_unfit(path, entry, columns)
        try:
            _insert(connection, entry)
        except (sqlite3.Error, OverflowError) as error:
            raise refused(path, entry, str(error)) from None
        counts[entry.dataset] += 1
    dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
    if dangling:
        raise BadBundle(f"{path}: a row of {dangling[0]} names a row that is missing; nothing was imported")
    connection.execute("INSERT INTO memories_fts(memories_fts) VALUES ('rebuild')")
    _close(change, contents, counts)
    return counts


def missing(change: Change, path: Path, contents: Contents) -> tuple[Counter[str], Counter[str]]:
    """Add the memories of a bundle that are not here; returns how many rows came, and how many did not, by dataset.

    What is here stays: a memory whose id, text or fact key is taken does not come in, nor one that was erased. The
    history of this ledger goes on; that of the bundle stays in the bundle.

    :raises BadBundle: when a line can't be a row of this ledger.
    """
    lifecycle.require_person(change.actor, "restore")
    columns = _columns(change.connection)
    came: Counter[str] = Counter()
    left: Counter[str] = Counter()
    fresh: dict[str, None] = {}
    current: str | None = None
    for entry in entries(path):
        _refuse_unfit(path, entry, columns)
        if current is not None and entry.dataset not in OF_A_MEMORY:
            change.record("restored", current)
            current = None
        added = _add(change, entry, fresh)
        (came if added else left)[entry.dataset] += 1
        if added and entry.dataset == "memories":
            current = str(entry.row["id"])
            fresh[current] = None
    _cut_loose_ends(change, list(fresh))
    _close(change, contents, came)
    return came, left


def _add(change: Change, entry: Entry, fresh: dict[str, None]) -> bool:
    """Whether the row was added: it is not when it is here, when its place is taken, or what it speaks of is not here.

    :param fresh: ids of the memories that came in so far, in their order.
    """
    connection, row = change.connection, entry.row
    if entry.dataset == "learned":
        return _insert(connection, entry, "OR IGNORE") == 1
    if not _has_a_place(connection, entry, fresh):
        return False
    if entry.dataset == "memory_use":
        return _insert(connection, entry) == 1
    kept = {name: value for name, value in row.items() if (entry.dataset, name) != ("memories", "seq")}
    connection.execute("SAVEPOINT restoring")
    try:
        change.insert(_table(entry), **kept)
    except (sqlite3.Error, OverflowError, KeyError):
        connection.execute("ROLLBACK TO restoring")
        return False
    finally:
        connection.execute("RELEASE restoring")
    return True


def _has_a_place(connection: sqlite3.Connection, entry: Entry, fresh: dict[str, None]) -> bool:
    """Whether a row can come into a ledger that holds others: nothing that was erased here comes back with it."""
    row = entry.row
    if entry.dataset in OF_A_MEMORY:
        return row.get("memory_id") in fresh
    if entry.dataset == "memory_relations":
        ends = (row.get("memory_id"), row.get("related_id"))
        return any(end in fresh for end in ends) and not any(_erased(connection, end) for end in ends)
    if entry.dataset == "memories" and is_asked_in(str(row.get("batch_id"))):
        return False  # what it asks for lies in the history, which stays in the bundle
    if entry.dataset in ("memories", "rejections"):
        print_, statement = str(row.get("fingerprint")), str(row.get("content") or "")
        return not (_erased(connection, row.get("memory_id")) or tombstones.buried(connection, print_, statement))
    return False


def _erased(connection: sqlite3.Connection, memory_id: Value) -> bool:
    row = fetch(connection, "memories", str(memory_id))
    return row is not None and row["status"] == Status.ERASED


def _table(entry: Entry) -> Any:  # noqa: ANN401 - one of TABLES: ``_has_a_place`` lets no other through
    return DATASETS[entry.dataset]


def _cut_loose_ends(change: Change, memory_ids: list[str]) -> None:
    """A memory that came in names only memories that are here."""
    for memory_id in memory_ids:
        row = fetch(change.connection, "memories", memory_id) or {}
        gone = [
            name
            for name in ("supersedes", "superseded_by")
            if row.get(name) and fetch(change.connection, "memories", row[name]) is None
        ]
        if gone:
            change.update("memories", memory_id, **dict.fromkeys(gone))


def _close(change: Change, contents: Contents, counts: Counter[str]) -> None:
    change.record("restored", None, made_at=contents.made_at, sha256=contents.sha256, counts=dict(counts))
    change.enqueue("memory_md")
    change.enqueue("graph")


def _columns(connection: sqlite3.Connection) -> dict[str, set[str]]:
    return {
        dataset: {row["name"] for row in connection.execute(f"PRAGMA table_info({table})")}
        for dataset, table in DATASETS.items()
    }


def _refuse_unfit(path: Path, entry: Entry, columns: dict[str, set[str]]) -> None:
    """Names of columns become SQL, so only those of the table pass."""
    if entry.problem:
        raise refused(path, entry, entry.problem)
    unknown = entry.row.keys() - columns[entry.dataset]
    if unknown or not entry.row:
        raise refused(path, entry, f"{entry.dataset} has no field {min(unknown, default='')!r}")
    if entry.dataset == "tombstone_key" and entry.row.get("key") != entry.dataset:
        raise refused(path, entry, "that setting is not part of a bundle")


def _insert(connection: sqlite3.Connection, entry: Entry, otherwise: str = "") -> int:
    names = ", ".join(entry.row)
    marks = ", ".join("?" * len(entry.row))
    return connection.execute(
        f"INSERT {otherwise} INTO {DATASETS[entry.dataset]} ({names}) VALUES ({marks})", tuple(entry.row.values())
    ).rowcount
