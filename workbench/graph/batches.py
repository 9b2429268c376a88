"""Imports: many facts that came together, and stand or go together, by one memory of the ledger.

What is to be imported is kept as it is, compressed, so that it can come into the graph when the person accepts it, go
when that is undone, and come back.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from workbench.errors import WorkbenchError
from workbench.graph import aliases, registry, write
from workbench.graph.names import SAME_AS, UNKNOWN, entity_id, object_id
from workbench.graph.write import Fact

# What was kept and never spoken of again, because its import was broken off, is let go after this.
_BROKEN_OFF = timedelta(days=1)
_INSERT = (
    "INSERT INTO triples (id, subject, predicate, object, value, valid_from, valid_to, stated_from, stated_to,"
    " confidence, source, recorded_at, memory_id, batch_id, said_subject, said_object, subject_type, object_type,"
    " private) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
)


@dataclass(frozen=True)
class Row:
    """A fact as it is imported; names as they are written, times as instants.

    :param recorded_at: when it was recorded where it comes from; None for the time of the import.
    """

    subject: str
    predicate: str
    object: str
    valid_from: str | None = None
    valid_to: str | None = None
    confidence: float | None = None
    source: str | None = None
    recorded_at: str | None = None


@dataclass(frozen=True)
class Named:
    """What is imported of an entity itself; ``stands_for`` another one where it is only another name."""

    name: str
    type: str = UNKNOWN
    properties: str = "{}"
    stands_for: str | None = None


@dataclass(frozen=True)
class Packed:
    """What is to be imported, as it is kept: the same facts have the same id."""

    id: str
    triples: int
    content: bytes


def pack(entities: Iterable[Named], rows: Iterable[Row]) -> Packed:
    """Entities and facts as they are kept."""
    digest, packer, count = hashlib.sha256(), zlib.compressobj(1), 0
    parts = []

    def lines() -> Iterator[tuple[str | None, ...] | tuple[Any, ...]]:
        nonlocal count
        for entity in entities:
            yield "entity", entity.name, entity.type, entity.properties, entity.stands_for
        for row in rows:
            count += 1
            yield (
                *(row.subject, row.predicate, row.object, row.valid_from, row.valid_to),
                *(row.confidence, row.source, row.recorded_at),
            )

    for line in lines():
        data = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
        digest.update(data)
        parts.append(packer.compress(data))
    parts.append(packer.flush())
    return Packed(f"b_{digest.hexdigest()[:32]}", count, b"".join(parts))


def keep(connection: sqlite3.Connection, packed: Packed, at: str) -> None:
    """Keep what is to be imported; what nobody spoke of for a day is let go."""
    before = (datetime.fromisoformat(at) - _BROKEN_OFF).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    connection.execute("DELETE FROM batches WHERE memory_id IS NULL AND kept_at < ?", (before,))
    connection.execute(
        "INSERT INTO batches (id, triples, kept_at, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (packed.id, packed.triples, at, packed.content),
    )


def belong(connection: sqlite3.Connection, batches: Mapping[str, str]) -> None:
    """Note which memory stands for which batch."""
    connection.executemany("UPDATE batches SET memory_id = ? WHERE id = ?", batches.items())


def erase(connection: sqlite3.Connection, memory_ids: Iterable[str]) -> None:
    """Let go for good what was kept for these memories."""
    for memory_id in memory_ids:
        remove(connection, memory_id)
        connection.execute("DELETE FROM batches WHERE memory_id = ?", (memory_id,))


def is_applied(connection: sqlite3.Connection, memory_id: str) -> bool:
    """Whether the facts of a memory's batch are in the graph."""
    row = connection.execute("SELECT applied FROM batches WHERE memory_id = ?", (memory_id,)).fetchone()
    return bool(row and row[0])


def claim(connection: sqlite3.Connection, memory_id: str, recorded_at: str) -> set[str]:
    """Write the other names that a batch brings; returns ids of which that changes what they stand for."""
    moved: set[str] = set()
    for line in _lines(connection, memory_id):
        if line[0] != "entity" or len(line) != 5:
            break
        if line[4] is not None and entity_id(line[1]) != entity_id(line[4]):
            moved |= aliases.claim(connection, memory_id, line[1], SAME_AS, line[4], recorded_at)
    return moved


def apply(connection: sqlite3.Connection, memory_id: str, fact: Fact) -> None:
    """Bring the facts of a batch into the graph.

    :param fact: what its memory states: the time of the import, who imported it, whether it is private.
    """
    batch = fact.object
    inserting = _Inserting(connection, batch, memory_id, fact)
    connection.executemany(_INSERT, inserting.rows(_lines(connection, memory_id)))
    inserting.say_entities()
    _settle(connection, "count(*) > 1", "SELECT subject, predicate, object FROM triples WHERE batch_id = ?1", batch)
    connection.execute("UPDATE batches SET applied = 1 WHERE id = ?", (batch,))


def remove(connection: sqlite3.Connection, memory_id: str) -> None:
    """Take the facts of a memory's batch out of the graph; what was kept of them stays."""
    row = connection.execute("SELECT id FROM batches WHERE memory_id = ? AND applied", (memory_id,)).fetchone()
    if row is None:
        return
    connection.execute("CREATE TEMP TABLE gone AS SELECT * FROM triples WHERE batch_id = ?", row)
    connection.execute("CREATE TEMP TABLE gone_entities AS SELECT id FROM entities WHERE batch_id = ?", row)
    connection.execute("DELETE FROM triples WHERE batch_id = ?", row)
    connection.execute("UPDATE entities SET batch_id = NULL, properties = '{}' WHERE batch_id = ?", row)
    connection.execute("UPDATE batches SET applied = 0 WHERE id = ?", row)
    alone = "max(hidden IS NOT NULL OR valid_to IS NOT stated_to OR valid_from IS NOT stated_from)"
    _settle(connection, f"count(*) > 1 OR {alone}", "SELECT subject, predicate, object FROM gone")
    write.tidy(
        connection,
        "SELECT subject FROM gone UNION SELECT object FROM gone UNION SELECT said_subject FROM gone"
        " UNION SELECT said_object FROM gone UNION SELECT id FROM gone_entities",
    )
    connection.execute("DROP TABLE gone")
    connection.execute("DROP TABLE gone_entities")


def _settle(connection: sqlite3.Connection, doubtful: str, keys: str, *given: str) -> None:
    """Find again the windows of what stands beside some facts.

    :param doubtful: which groups may not be as they should be.
    :param keys: a query for the subject, predicate and object of the facts.
    """
    for columns, among in (("subject, predicate", "IN"), ("subject, predicate, object", "NOT IN")):
        groups = (
            f"SELECT {columns} FROM triples WHERE predicate {among} (SELECT name FROM predicates WHERE single_valued)"
            f" GROUP BY {columns} HAVING {doubtful}"
        )
        rows = connection.execute(
            f"SELECT {write.SETTLED} FROM triples WHERE ({columns}) IN ({groups})"
            f" AND ({columns}) IN (SELECT {columns} FROM ({keys})) ORDER BY {columns}",
            given,
        ).fetchall()
        write.settle_rows(connection, rows, columns.count(",") + 1)


def _lines(connection: sqlite3.Connection, memory_id: str) -> Iterator[list[Any]]:
    """What was kept for a memory, line by line.

    :raises WorkbenchError: when nothing was.
    """
    row = connection.execute("SELECT content FROM batches WHERE memory_id = ?", (memory_id,)).fetchone()
    if row is None:
        raise WorkbenchError(f"what {memory_id} imports is not there any more; import the file once more")
    for line in zlib.decompress(row[0]).splitlines():
        yield orjson.loads(line)


class _Inserting:
    """A batch on its way into the graph: ids are made once for each name."""

    def __init__(self, connection: sqlite3.Connection, batch: str, memory_id: str, fact: Fact) -> None:
        self.connection, self.batch, self.memory_id, self.fact = connection, batch, memory_id, fact
        self.values = registry.values(connection)
        self.stand_for = dict(connection.execute("SELECT alias, canonical_id FROM aliases ORDER BY recorded_at DESC"))
        self.names: dict[str, str] = {}
        self.entities: dict[str, Named] = {}
        self._ids: dict[str, str] = {}
        self._untold: dict[str, str] = {}

    def rows(self, lines: Iterator[list[Any]]) -> Iterator[tuple[Any, ...]]:
        """The triples as they are inserted; entities are noted on the way."""
        number = int(self.batch.removeprefix("b_")[:10], 16) << 23
        for line in lines:
            if len(line) == 5:
                self._note(Named(*line[1:]))
                continue
            number += 1
            yield self._row(number, *line)

    def _note(self, entity: Named) -> None:
        key = self._id(entity.name)
        self.entities[key] = entity
        if entity.type != UNKNOWN:
            self._untold[key] = entity.type

    def _row(
        self,
        number: int,
        subject: str,
        predicate: str,
        object_: str,
        start: str | None,
        end: str | None,
        confidence: float | None,
        source: str | None,
        recorded_at: str | None,
    ) -> tuple[Any, ...]:
        is_value = predicate in self.values
        said = self._id(subject)
        self.names.setdefault(said, subject)
        of = self.stand_for.get(said, said)
        if is_value:
            target = object_of = object_id(predicate, object_, self.values)
        else:
            target = self._id(object_)
            self.names.setdefault(target, object_)
            object_of = self.stand_for.get(target, target)
        return (
            *(number, of, predicate, object_of, object_ if is_value else None, start, end, confidence),
            *(source or self.fact.source, recorded_at or self.fact.recorded_at, self.memory_id, self.batch),
            *(said if of != said else None, target if object_of != target else None),
            # A type is told once, with the first fact of an entity.
            *(self._untold.pop(said, None), None if is_value else self._untold.pop(target, None), self.fact.private),
        )

    def _id(self, name: str) -> str:
        found = self._ids.get(name)
        if found is None:
            found = self._ids[name] = entity_id(name)
        return found

    def say_entities(self) -> None:
        """What the batch says of entities: their types, and of those that no fact names, or that have properties, that
        they are there."""
        self.connection.executemany(
            "INSERT INTO entities (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", self.names.items()
        )
        typed = "batch_id = ?1 AND {0}_type IS NOT NULL"
        ids = (f"SELECT {name} FROM triples WHERE {typed.format(name)}" for name in ("subject", "object"))
        write.tidy(self.connection, " UNION ".join(ids), (self.batch,))
        alone = [
            (key, entity.name, entity.type, entity.properties, self.batch)
            for key, entity in self.entities.items()
            if (key not in self.names or entity.properties != "{}") and entity.stands_for is None
        ]
        self.connection.executemany(
            "INSERT INTO entities (id, name, type, properties, batch_id) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO"
            " UPDATE SET type = CASE WHEN type = 'unknown' THEN ?3 ELSE type END, properties = ?4, batch_id = ?5"
            " WHERE batch_id IS NULL",
            alone,
        )
