"""Imports: many facts that came together, and stand or go together, by one memory of the ledger.

What is to be imported is kept as it is, compressed, so that it can come into the graph when the person accepts it, go
when that is undone, and come back.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import orjson

from workbench.graph import aliases, registry, write
from workbench.graph.names import SAME_AS, UNKNOWN, entity_id, object_id
from workbench.graph.write import Fact

# What was kept and never spoken of again, because its import was broken off, is let go after this.
_BROKEN_OFF = timedelta(days=1)
_CACHE_KIB = 256 * 1024
# Facts on a line of what is kept; bits of an id that number the facts of a batch.
_A_LINE, _ROOM = 1_000, 23
MOST = 1 << _ROOM
_OF_BATCH = "SELECT * FROM triples WHERE id BETWEEN :first AND :last"
_INSERT = (
    "INSERT INTO triples (id, subject, predicate, object, value, valid_from, valid_to, stated_from, stated_to,"
    " confidence, source, recorded_at, memory_id, batch_id, said_subject, said_object, subject_type, object_type,"
    " private) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
)


class Row(NamedTuple):
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


class Named(NamedTuple):
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


def pack(entities: Sequence[Named], rows: Sequence[Row]) -> Packed:
    """Entities and facts as they are kept: lines of many each, first those of entities."""
    digest, packer, parts = hashlib.sha256(), zlib.compressobj(1), []
    for what, items in (("entities", entities), ("facts", rows)):
        for at in range(0, len(items), _A_LINE):
            line = orjson.dumps([what, [tuple(item) for item in items[at : at + _A_LINE]]]) + b"\n"
            digest.update(line)
            parts.append(packer.compress(line))
    parts.append(packer.flush())
    return Packed(f"b_{digest.hexdigest()[:32]}", len(rows), b"".join(parts))


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


def waits(connection: sqlite3.Connection, memory_id: str) -> bool:
    """Whether what is kept for a memory is not in the graph."""
    row = connection.execute("SELECT NOT applied FROM batches WHERE memory_id = ?", (memory_id,)).fetchone()
    return bool(row and row[0])


def claim(connection: sqlite3.Connection, memory_id: str, recorded_at: str) -> set[aliases.Pair]:
    """Write the other names that a batch brings, and return them."""
    moved: set[aliases.Pair] = set()
    for entity in _entities(connection, memory_id):
        if entity.stands_for is not None and entity_id(entity.name) != entity_id(entity.stands_for):
            moved |= aliases.claim(connection, memory_id, entity.name, SAME_AS, entity.stands_for, recorded_at)
    return moved


def apply(connection: sqlite3.Connection, memory_id: str, fact: Fact) -> None:
    """Bring the facts of a batch into the graph.

    :param fact: what its memory states: the time of the import, who imported it, whether it is private.
    """
    batch = fact.object
    inserting = _Inserting(connection, batch, memory_id, fact)
    known, brought = _sizes(connection, batch)
    # Beside more than there was everything is looked at, else what stands beside each fact.
    only = "" if brought > known else _beside(_OF_BATCH)
    with _room(connection):
        with _indexed_anew(connection) if brought > known else contextlib.nullcontext():
            connection.executemany(_INSERT, inserting.rows())
        inserting.say_entities()
        _settle(connection, f"{only} GROUP BY {{columns}} HAVING count(*) > 1", _range(batch))
    connection.execute("UPDATE batches SET applied = 1 WHERE id = ?", (batch,))


def _sizes(connection: sqlite3.Connection, batch: str) -> tuple[int, int]:
    """How many triples there are, and how many a batch brings."""
    row = connection.execute(
        "SELECT (SELECT count(*) FROM triples), (SELECT triples FROM batches WHERE id = ?)", (batch,)
    ).fetchone()
    return row[0], row[1]


def _range(batch: str) -> dict[str, int]:
    """The ids of the triples of a batch: they follow each other."""
    first = int(batch.removeprefix("b_")[:10], 16) << _ROOM
    return {"first": first, "last": first + MOST - 1}


def _beside(facts: str) -> str:
    """The condition that a triple has the subject and predicate of one of ``facts``, a query for such."""
    return f" AND (subject, predicate) IN (SELECT subject, predicate FROM ({facts}))"


@contextlib.contextmanager
def _room(connection: sqlite3.Connection) -> Iterator[None]:
    """Pages that are written again and again stay in memory until they are done."""
    before = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size={before}")


@contextlib.contextmanager
def _indexed_anew(connection: sqlite3.Connection) -> Iterator[None]:
    """Indexes are made from the sorted whole, which is far quicker where most of it is new."""
    indexes = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'triples' AND sql IS NOT NULL"
    ).fetchall()
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}")
    yield
    for _, statement in indexes:
        connection.execute(statement)


def remove(connection: sqlite3.Connection, memory_id: str) -> None:
    """Take the facts of a memory's batch out of the graph; what was kept of them stays."""
    row = connection.execute("SELECT id FROM batches WHERE memory_id = ? AND applied", (memory_id,)).fetchone()
    if row is None:
        return
    ids = _range(row[0])
    connection.execute(f"CREATE TEMP TABLE gone AS {_OF_BATCH}", ids)
    connection.execute("CREATE TEMP TABLE gone_entities AS SELECT id FROM entities WHERE batch_id = ?", row)
    connection.execute("DELETE FROM triples WHERE id BETWEEN :first AND :last", ids)
    connection.execute("UPDATE entities SET batch_id = NULL, properties = '{}' WHERE batch_id = ?", row)
    connection.execute("UPDATE batches SET applied = 0 WHERE id = ?", row)
    _settle(connection, f"{_beside('SELECT * FROM gone')} GROUP BY {{columns}}", {})
    write.tidy(
        connection,
        "SELECT subject FROM gone UNION SELECT object FROM gone UNION SELECT said_subject FROM gone"
        " UNION SELECT said_object FROM gone UNION SELECT id FROM gone_entities",
    )
    connection.execute("DROP TABLE gone")
    connection.execute("DROP TABLE gone_entities")


def _settle(connection: sqlite3.Connection, only: str, given: dict[str, int]) -> None:
    """Find again the windows of groups of facts.

    :param only: which groups, ``{columns}`` being what they have in common.
    """
    shown = ", ".join(f"t.{column.strip()}" for column in write.SETTLED.split(","))
    for columns, among in ((("subject", "predicate"), "IN"), (("subject", "predicate", "object"), "NOT IN")):
        named = ", ".join(columns)
        groups = (
            f"SELECT {named} FROM triples WHERE predicate {among} (SELECT name FROM predicates WHERE single_valued)"
            f"{only.format(columns=named)}"
        )
        same = " AND ".join(f"t.{column} = g.{column}" for column in columns)
        # The rows come group by group, as the outer loop has them.
        rows = connection.execute(f"SELECT {shown} FROM ({groups}) g CROSS JOIN triples t ON {same}", given).fetchall()
        write.settle_rows(connection, rows, len(columns))


def _lines(connection: sqlite3.Connection, memory_id: str) -> Iterator[tuple[str, list[list[Any]]]]:
    """What was kept for a memory: "entities" or "facts", and many of them."""
    row = connection.execute("SELECT content FROM batches WHERE memory_id = ?", (memory_id,)).fetchone()
    for line in zlib.decompress(row[0]).splitlines():
        yield orjson.loads(line)


def _entities(connection: sqlite3.Connection, memory_id: str) -> Iterator[Named]:
    for what, items in _lines(connection, memory_id):
        if what == "facts":
            return
        yield from (Named(*item) for item in items)


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

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The triples as they are inserted."""
        for entity in _entities(self.connection, self.memory_id):
            key = entity_id(entity.name)
            self.entities[key] = entity
            if entity.type != UNKNOWN:
                self._untold[key] = entity.type
        number = _range(self.batch)["first"]
        for what, items in _lines(self.connection, self.memory_id):
            for item in items if what == "facts" else ():
                yield (number, *self._row(item))
                number += 1

    def _row(self, item: list[Any]) -> tuple[Any, ...]:
        subject, predicate, object_, start, end, confidence, source, recorded_at = item
        said = self._ids.get(subject) or self._id(subject)
        is_value = predicate in self.values
        target = object_id(predicate, object_, self.values) if is_value else self._ids.get(object_) or self._id(object_)
        of, object_of, subject_type, object_type = said, target, None, None
        if self.stand_for:
            of, object_of = self.stand_for.get(said, said), target if is_value else self.stand_for.get(target, target)
        if self._untold:  # a type is told once, with the first fact of an entity
            subject_type = self._untold.pop(said, None)
            object_type = None if is_value else self._untold.pop(target, None)
        return (
            *(of, predicate, object_of, object_ if is_value else None, start, end, confidence),
            *(source or self.fact.source, recorded_at or self.fact.recorded_at, self.memory_id, self.batch),
            *(said if of != said else None, target if object_of != target else None, subject_type, object_type),
            self.fact.private,
        )

    def _id(self, name: str) -> str:
        found = self._ids[name] = entity_id(name)
        self.names.setdefault(found, name)
        return found

    def say_entities(self) -> None:
        """What the batch says of entities: their types, and of those that no fact names, or that have properties, that
        they are there."""
        self.connection.executemany(
            "INSERT INTO entities (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", sorted(self.names.items())
        )
        told = [key for key, entity in self.entities.items() if entity.type != UNKNOWN]
        if told:
            ends = sorted({self.stand_for.get(key, key) for key in told})
            write.tidy(self.connection, "SELECT value FROM json_each(?)", (json.dumps(ends),))
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
