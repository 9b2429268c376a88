"""The schema of ``knowledge_graph.sqlite3``, one numbered step each."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

from workbench.graph.names import SINGLE_VALUED, TYPES, VALUE_PREDICATES

migrations = Migrations("knowledge graph")


@migrations()
def m001_create_graph(db: Database) -> None:
    """Entities, triples, other names, what is known of predicates, and what was imported.

    Of a triple ``stated_from`` and ``stated_to`` are what was said; ``valid_from`` and ``valid_to`` follow from that
    and the other values of its subject, half-open, NULL for no limit. ``said_subject`` and ``said_object`` are the ids
    that were said, where a merge has put others in their place; ``hidden`` says why a row is not shown, and what is
    ``private`` no agent is shown. A predicate names the memory that says how many values it takes, where one does. A
    batch is what was imported, as compressed JSON lines.
    """
    types = ", ".join(f"'{name}'" for name in TYPES)
    db.execute(
        f"CREATE TABLE entities (id TEXT PRIMARY KEY CHECK (id <> ''), name TEXT NOT NULL CHECK (name <> ''),"
        f" type TEXT NOT NULL DEFAULT 'unknown' CHECK (type IN ({types})),"
        " properties TEXT NOT NULL DEFAULT '{}' CHECK (substr(properties, 1, 1) = '{'), batch_id TEXT)"
        " STRICT, WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE triples (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, predicate TEXT NOT NULL,"
        " object TEXT NOT NULL, value TEXT, valid_from TEXT, valid_to TEXT, stated_from TEXT, stated_to TEXT,"
        " confidence REAL CHECK (confidence BETWEEN 0 AND 1), source TEXT NOT NULL, recorded_at TEXT NOT NULL,"
        " retired_at TEXT, memory_id TEXT NOT NULL, batch_id TEXT, said_subject TEXT, said_object TEXT,"
        " subject_type TEXT, object_type TEXT, private INTEGER NOT NULL DEFAULT 0"
        " CHECK (private IN (0, 1)), hidden TEXT CHECK (hidden IN ('duplicate', 'self_loop')),"
        " CHECK (stated_from IS NULL OR stated_to IS NULL OR stated_from <= stated_to),"
        " CHECK (valid_from IS NULL OR valid_to IS NULL OR valid_from <= valid_to)) STRICT"
    )
    for index in (
        "triples_by_subject ON triples(subject, predicate, object)",
        "triples_by_object ON triples(object) WHERE value IS NULL",
        "triples_by_predicate ON triples(predicate)",
        "triples_by_start ON triples(valid_from)",
        "triples_by_memory ON triples(memory_id) WHERE batch_id IS NULL",
        "triples_said_subject ON triples(said_subject) WHERE said_subject IS NOT NULL",
        "triples_said_object ON triples(said_object) WHERE said_object IS NOT NULL",
        "triples_subject_type ON triples(subject, recorded_at) WHERE subject_type IS NOT NULL",
        "triples_object_type ON triples(object, recorded_at) WHERE object_type IS NOT NULL",
    ):
        db.execute(f"CREATE INDEX {index}")
    db.execute(
        "CREATE TABLE aliases (alias TEXT NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL,"
        " canonical_id TEXT NOT NULL, memory_id TEXT NOT NULL, recorded_at TEXT NOT NULL,"
        " PRIMARY KEY (alias, memory_id)) STRICT"
    )
    db.execute("CREATE INDEX aliases_by_target ON aliases(target)")
    db.execute("CREATE INDEX aliases_by_canonical ON aliases(canonical_id)")
    db.execute("CREATE INDEX aliases_by_memory ON aliases(memory_id)")
    db.execute(
        "CREATE TABLE predicates (name TEXT PRIMARY KEY, single_valued INTEGER NOT NULL"
        " CHECK (single_valued IN (0, 1)), is_value INTEGER NOT NULL CHECK (is_value IN (0, 1)), memory_id TEXT) STRICT"
    )
    db.execute(
        "CREATE TABLE batches (id TEXT PRIMARY KEY, memory_id TEXT, triples INTEGER NOT NULL,"
        " applied INTEGER NOT NULL DEFAULT 0 CHECK (applied IN (0, 1)), kept_at TEXT NOT NULL,"
        " content BLOB NOT NULL) STRICT"
    )
    db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
    for name in sorted(SINGLE_VALUED | VALUE_PREDICATES):
        db.execute(
            "INSERT INTO predicates VALUES (?, ?, ?, NULL)",
            (name, int(name in SINGLE_VALUED), int(name in VALUE_PREDICATES)),
        )
