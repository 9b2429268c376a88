"""The migrations of the ledger, numbered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlite_utils import Migrations

from workbench.ledger import tables

if TYPE_CHECKING:
    from sqlite_utils import Database

migrations = Migrations("ledger")


@migrations()
def m001_create_ledger(db: Database) -> None:
    """Memories, their company, the event chain and the full-text index."""
    for statement in (tables.MEMORIES, *tables.INDEXES, *tables.COMPANY, *tables.EVENTS, *tables.SEARCH):
        db.execute(statement)


@migrations()
def m002_govern(db: Database) -> None:
    """Typed sources and links, keys by their last segment, milestones, erased memories and their tombstones."""
    for table, statement in (("memory_evidence", tables.EVIDENCE), ("resource_links", tables.RESOURCE_LINKS)):
        db.execute(statement)
        db.execute(f"INSERT INTO {table}_new SELECT * FROM {table}")
        db.execute(f"DROP TABLE {table}")
        db.execute(f"ALTER TABLE {table}_new RENAME TO {table}")
    db.execute("CREATE INDEX evidence_by_memory ON memory_evidence(memory_id)")
    for statement in (*tables.INDEXES_2, *tables.COMPANY_2, *tables.TRIGGERS_2):
        db.execute(statement)


@migrations()
def m003_triples(db: Database) -> None:
    """What a memory says to the knowledge graph."""
    for statement in tables.TRIPLES_3:
        db.execute(statement)
