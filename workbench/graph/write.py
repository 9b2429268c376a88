"""What the graph holds of each memory: made so, again and again, with the same result in any order.

Called by the effects of the ledger alone: no triple exists that the ledger does not know.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.graph import aliases, registry
from workbench.graph.names import UNKNOWN, entity_id, object_id
from workbench.graph.windows import Stated, settle

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


def apply(connection: sqlite3.Connection, states: Mapping[str, Fact | None]) -> None:
    """Make the graph hold what each memory states, and nothing of those that state nothing (None)."""
    touched = Touched()
    for memory_id in states:
        _remove(connection, memory_id, touched)
    claims = {key: fact for key, fact in states.items() if fact is not None and aliases.is_claim(fact.predicate)}
    moved = aliases.withdraw(connection, states)
    for memory_id, said in claims.items():
        moved |= aliases.claim(connection, memory_id, said.subject, said.predicate, said.object, said.recorded_at)
    if moved:
        _move(connection, aliases.resettle(connection, moved), touched)
    values = registry.values(connection)
    for memory_id, fact in states.items():
        if fact is not None and memory_id not in claims:
            _put(connection, memory_id, fact, values, touched)
    finish(connection, touched)


def _remove(connection: sqlite3.Connection, memory_id: str, touched: Touched) -> None:
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


def _put(connection: sqlite3.Connection, memory_id: str, fact: Fact, values: frozenset[str], touched: Touched) -> None:
    is_value = fact.predicate in values
    said = entity_id(fact.subject), object_id(fact.predicate, fact.object, values)
    subject = aliases.canonical(connection, said[0])
    object_ = said[1] if is_value else aliases.canonical(connection, said[1])
    connection.execute(
        "INSERT INTO triples (id, subject, predicate, object, value, valid_from, valid_to, stated_from, stated_to,"
        " confidence, source, recorded_at, retired_at, memory_id, said_subject, said_object, subject_type, object_type,"
        " private) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(triple_id(memory_id), subject, fact.predicate, object_, fact.object if is_value else None),
            *(fact.start, fact.end, fact.start, fact.end, fact.confidence, fact.source, fact.recorded_at),
            *(fact.retired_at, memory_id, said[0] if subject != said[0] else None),
            *(said[1] if object_ != said[1] else None, fact.subject_type),
            *(None if is_value else fact.object_type, fact.private),
        ),
    )
    named = [(said[0], fact.subject)] if is_value else [(said[0], fact.subject), (said[1], fact.object)]
    connection.executemany(
        "INSERT INTO entities (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING",
        named,
    )
    touched.keys.add((subject, fact.predicate, object_))
    touched.entities |= {subject, said[0]} if is_value else {subject, object_, *said}


def _move(connection: sqlite3.Connection, moved: Mapping[str, str], touched: Touched) -> None:
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
        _settle(connection, group)
    _tidy(connection, touched.entities)


def _settle(connection: sqlite3.Connection, group: tuple[str, ...]) -> None:
    """Find the windows of a subject's values of a predicate, or of one of them."""
    where = " AND ".join(f"{name} = ?" for name, _ in zip(("subject", "predicate", "object"), group, strict=False))
    rows = connection.execute(
        "SELECT id, subject, object, value, stated_from, stated_to, recorded_at, valid_from, valid_to, hidden,"
        f" said_subject, said_object, batch_id FROM triples WHERE {where}",
        group,
    ).fetchall()
    windows = settle([_stated(row) for row in rows], single=len(group) == 2)
    changes = [
        (window.start, window.end, window.hidden, row["id"])
        for row in rows
        if (window := windows[row["id"]]) and (window.start, window.end, window.hidden) != tuple(row)[7:10]
    ]
    connection.executemany("UPDATE triples SET valid_from = ?, valid_to = ?, hidden = ? WHERE id = ?", changes)


def _stated(row: sqlite3.Row) -> Stated:
    moved = row["said_subject"] is not None or row["said_object"] is not None
    loop = moved and row["value"] is None and row["subject"] == row["object"]
    said = row["id"], row["object"], row["stated_from"], row["stated_to"], row["recorded_at"]
    return Stated(*said, loop=loop, weak=row["batch_id"] is not None)


def _tidy(connection: sqlite3.Connection, entities: Iterable[str]) -> None:
    """Entities of which nothing is said any more go; the others have the type that was stated first."""
    for entity in sorted(entities):
        if not _is_named(connection, entity):
            connection.execute("DELETE FROM entities WHERE id = ? AND batch_id IS NULL", (entity,))
            continue
        stated = connection.execute(
            "SELECT type FROM (SELECT subject_type AS type, recorded_at, id FROM triples WHERE subject = ?1"
            " AND subject_type IS NOT NULL UNION ALL SELECT object_type, recorded_at, id FROM triples"
            " WHERE object = ?1 AND object_type IS NOT NULL AND value IS NULL) ORDER BY recorded_at, id LIMIT 1",
            (entity,),
        ).fetchone()
        kind = stated[0] if stated else UNKNOWN
        connection.execute(
            "UPDATE entities SET type = ?1 WHERE id = ?2 AND type <> ?1 AND batch_id IS NULL", (kind, entity)
        )


def _is_named(connection: sqlite3.Connection, entity: str) -> bool:
    query = (
        "SELECT EXISTS (SELECT 1 FROM triples WHERE subject = ?1) OR EXISTS (SELECT 1 FROM triples WHERE object = ?1"
        " AND value IS NULL) OR EXISTS (SELECT 1 FROM triples WHERE said_subject = ?1)"
        " OR EXISTS (SELECT 1 FROM triples WHERE said_object = ?1)"
    )
    return bool(connection.execute(query, (entity,)).fetchone()[0])
