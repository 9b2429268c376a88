"""Triples as rows: put in, taken out, moved by a merge; and what follows from that for those beside them."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.graph import aliases, registry
from workbench.graph.names import UNKNOWN, entity_id, object_id
from workbench.graph.windows import Stated, settle

SETTLED = (
    "subject, predicate, object, id, value, stated_from, stated_to, recorded_at, valid_from, valid_to, hidden,"
    " said_subject, said_object, batch_id"
)
# (subject, predicate, object) whose windows must be found again.
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Fact:
    """What a memory states, as the ledger has it.

    :param subject: a name, ``object`` one or the text of a value, ``predicate`` in its normal form.
    :param start: when it begins to hold, ``end`` when it ends; None where nobody said.
    :param source: who said it.
    :param retired_at: when it was replaced, in the ledger's time.
    :param private: no agent is shown it.
    """

    subject: str
    predicate: str
    object: str
    start: str | None
    end: str | None
    confidence: float | None
    source: str
    recorded_at: str
    retired_at: str | None = None
    subject_type: str | None = None
    object_type: str | None = None
    private: bool = False


@dataclass
class Touched:
    """What a write has to look at again at its end."""

    keys: set[Key] = field(default_factory=set)
    entities: set[str] = field(default_factory=set)


def triple_id(memory_id: str) -> int:
    """The id of the triple of a memory: 63 of its random bits."""
    return int(memory_id.removeprefix("m_")[:16], 16) >> 1


def remove(connection: sqlite3.Connection, memory_id: str, touched: Touched) -> None:
    """Take out the triple of a memory, where there is one."""
    row = connection.execute(
        "DELETE FROM triples WHERE memory_id = ? AND batch_id IS NULL"
        " RETURNING subject, predicate, object, said_subject, said_object, value",
        (memory_id,),
    ).fetchone()
    if row is not None:
        touched.keys.add((row["subject"], row["predicate"], row["object"]))
        touched.entities |= ids_of(row)


def ids_of(row: sqlite3.Row) -> set[str]:
    """Entities that a triple names, or was said of."""
    names = (
        ("subject", "said_subject")
        if row["value"] is not None
        else ("subject", "said_subject", "object", "said_object")
    )
    return {row[name] for name in names if row[name] is not None}


def said(fact: Fact, values: frozenset[str]) -> tuple[str, str, str]:
    """Subject, predicate and object of a fact by their ids, as they were said."""
    return entity_id(fact.subject), fact.predicate, object_id(fact.predicate, fact.object, values)


def put(connection: sqlite3.Connection, memory_id: str, fact: Fact, values: frozenset[str], touched: Touched) -> None:
    """Put in what a memory states, by the entities that its names stand for."""
    is_value = fact.predicate in values
    one, _, other = said(fact, values)
    subject = aliases.canonical(connection, one)
    object_ = other if is_value else aliases.canonical(connection, other)
    connection.execute(
        "INSERT INTO triples (id, subject, predicate, object, value, valid_from, valid_to, stated_from, stated_to,"
        " confidence, source, recorded_at, retired_at, memory_id, said_subject, said_object, subject_type, object_type,"
        " private) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(triple_id(memory_id), subject, fact.predicate, object_, fact.object if is_value else None),
            *(fact.start, fact.end, fact.start, fact.end, fact.confidence, fact.source, fact.recorded_at),
            *(fact.retired_at, memory_id, one if subject != one else None),
            *(other if object_ != other else None, fact.subject_type),
            *(None if is_value else fact.object_type, fact.private),
        ),
    )
    named = [(one, fact.subject)] if is_value else [(one, fact.subject), (other, fact.object)]
    connection.executemany(
        "INSERT INTO entities (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING",
        named,
    )
    touched.keys.add((subject, fact.predicate, object_))
    touched.entities |= {subject, one} if is_value else {subject, object_, one, other}


def move(connection: sqlite3.Connection, moved: Mapping[str, str], touched: Touched) -> None:
    """Give the triples that were said of some ids the entities that these stand for now.

    :param moved: id → the entity it stands for.
    """
    for said, canonical in moved.items():
        for column, only in (("subject", ""), ("object", " AND value IS NULL")):
            named = f"(said_{column} = :said OR ({column} = :said AND said_{column} IS NULL)){only}"
            names = {"said": said, "canonical": canonical}
            for row in connection.execute(f"SELECT * FROM triples WHERE {named}", names).fetchall():
                touched.keys.add((row["subject"], row["predicate"], row["object"]))
                touched.entities |= ids_of(row)
            changed = connection.execute(
                f"UPDATE triples SET {column} = :canonical, said_{column} = nullif(:said, :canonical) WHERE {named}"
                " RETURNING *",
                names,
            ).fetchall()
            for row in changed:
                touched.keys.add((row["subject"], row["predicate"], row["object"]))
                touched.entities |= ids_of(row)


def finish(connection: sqlite3.Connection, touched: Touched) -> None:
    """Find again the windows, duplicates, types and entities that a write may have changed."""
    single = registry.single_valued(connection)
    groups: set[tuple[str, ...]] = {key[:2] if key[1] in single else key for key in touched.keys}
    for group in sorted(groups):
        names = zip(("subject", "predicate", "object"), group, strict=False)
        where = " AND ".join(f"{name} = ?" for name, _ in names)
        settle_rows(connection, connection.execute(f"SELECT {SETTLED} FROM triples WHERE {where}", group), len(group))
    _tidy(connection, touched.entities)


def settle_predicate(connection: sqlite3.Connection, predicate: str) -> None:
    """Find again the windows of all facts with a predicate."""
    length = 2 if predicate in registry.single_valued(connection) else 3
    rows = connection.execute(
        f"SELECT {SETTLED} FROM triples WHERE predicate = ? ORDER BY subject, predicate, object", (predicate,)
    )
    settle_rows(connection, rows.fetchall(), length)


def settle_rows(connection: sqlite3.Connection, rows: Iterable[sqlite3.Row], length: int) -> None:
    """Find the windows of a subject's values of a predicate, or of one of them.

    :param rows: all of them, with the columns ``SETTLED``, in any number of groups, each in one piece.
    :param length: of what a group has in common: 2 for subject and predicate, 3 with the object.
    """
    changes = []
    for _, group in itertools.groupby(rows, key=lambda row: tuple(row)[:length]):
        found = list(group)
        windows = settle([_stated(row) for row in found], single=length == 2)
        for row in found:
            window = windows[row["id"]]
            now = window.start, window.end, window.hidden
            if now != (row["valid_from"], row["valid_to"], row["hidden"]):
                changes.append((*now, row["id"]))
    connection.executemany("UPDATE triples SET valid_from = ?, valid_to = ?, hidden = ? WHERE id = ?", changes)


def _stated(row: sqlite3.Row) -> Stated:
    moved = row["said_subject"] is not None or row["said_object"] is not None
    loop = moved and row["value"] is None and row["subject"] == row["object"]
    said = row["id"], row["object"], row["stated_from"], row["stated_to"], row["recorded_at"]
    return Stated(*said, loop=loop, weak=row["batch_id"] is not None)


# The type that was stated first of the entity ``e``.
TYPE = (
    "coalesce((SELECT type FROM (SELECT subject_type AS type, recorded_at, id FROM triples WHERE subject = e.id"
    " AND subject_type IS NOT NULL UNION ALL SELECT object_type, recorded_at, id FROM triples WHERE object = e.id"
    f" AND object_type IS NOT NULL AND value IS NULL) ORDER BY recorded_at, id LIMIT 1), '{UNKNOWN}')"
)
# Something is said of the entity ``e``, or stands for it.
NAMED = (
    "(EXISTS (SELECT 1 FROM triples WHERE subject = e.id AND said_subject IS NULL)"
    " OR EXISTS (SELECT 1 FROM triples WHERE object = e.id AND value IS NULL AND said_object IS NULL)"
    " OR EXISTS (SELECT 1 FROM triples WHERE said_subject = e.id)"
    " OR EXISTS (SELECT 1 FROM triples WHERE said_object = e.id)"
    " OR EXISTS (SELECT 1 FROM aliases WHERE target = e.id))"
)


def _tidy(connection: sqlite3.Connection, entities: Iterable[str]) -> None:
    """Entities of which nothing is said any more go; the others have the type that was stated first."""
    tidy(connection, "SELECT value FROM json_each(?)", (json.dumps(sorted(entities)),))


def tidy(connection: sqlite3.Connection, ids: str, given: tuple[str, ...] = ()) -> None:
    """Take out entities of which nothing is said any more, and give the others the type that was stated first.

    :param ids: a query for their ids, with the parameters ``given``; what an import said of entities itself stays.
    """
    connection.execute(f"DELETE FROM entities AS e WHERE id IN ({ids}) AND batch_id IS NULL AND NOT {NAMED}", given)
    connection.execute(
        f"UPDATE entities AS e SET type = {TYPE} WHERE id IN ({ids}) AND batch_id IS NULL AND type <> {TYPE}", given
    )
