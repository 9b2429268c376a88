"""The schema of ``memory_index.sqlite``, one numbered step each."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("memory index")


@migrations()
def m001_memory_vectors(db: Database) -> None:
    """One vector of each memory.

    ``n`` is never given out twice, so a row is known by it for ever: a reader that holds the rows up to ``n`` needs
    only the later ones. ``versions`` says what else must be known of a table: ``origin`` is drawn when the file is
    made, ``deleted`` counts the rows that went, ``removals`` how often some were to go and not come back.
    """
    db.execute(
        "CREATE TABLE memory_vectors (n INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT NOT NULL UNIQUE,"
        " model TEXT NOT NULL, dimension INTEGER NOT NULL CHECK (dimension > 0), content_hash TEXT NOT NULL,"
        " vector BLOB NOT NULL CHECK (length(vector) = dimension))"
    )
    db.execute("CREATE INDEX memory_vectors_model ON memory_vectors (model, dimension)")
    db.execute(
        "CREATE TABLE versions (name TEXT PRIMARY KEY, origin INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0,"
        " removals INTEGER NOT NULL DEFAULT 0)"
    )
    db.execute("INSERT INTO versions (name, origin) VALUES ('memory_vectors', random())")


@migrations()
def m002_notes(db: Database) -> None:
    """Notes by path, and their chunks by a running number, which is the rowid of their full text and never given out
    twice; ``stamp`` is what a file looked like when it was read, ``hash`` is of its bytes."""
    db.execute("CREATE TABLE files (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, hash TEXT NOT NULL)")
    db.execute(
        "CREATE TABLE chunks (n INTEGER PRIMARY KEY AUTOINCREMENT,"
        " path TEXT NOT NULL REFERENCES files (path), start_line INTEGER NOT NULL, end_line INTEGER NOT NULL"
        " CHECK (end_line >= start_line), heading TEXT NOT NULL, text TEXT NOT NULL, cjk TEXT, hash TEXT NOT NULL)"
    )
    db.execute("CREATE INDEX chunks_path ON chunks (path, start_line)")
    db.execute(
        "CREATE VIRTUAL TABLE chunks_fts USING fts5(heading, text, cjk, content='chunks', content_rowid='n',"
        " tokenize='porter unicode61 remove_diacritics 2')"
    )


@migrations()
def m003_prefix(db: Database) -> None:
    """What was put before each text that was embedded; vectors are compared only where it is equal."""
    db.execute("ALTER TABLE memory_vectors ADD COLUMN prefix TEXT NOT NULL DEFAULT ''")


@migrations()
def m004_chunk_vectors(db: Database) -> None:
    """One vector of each chunk, by the hash of what it says."""
    db.execute(
        "CREATE TABLE chunk_vectors (n INTEGER PRIMARY KEY AUTOINCREMENT, chunk_hash TEXT NOT NULL UNIQUE,"
        " model TEXT NOT NULL, dimension INTEGER NOT NULL CHECK (dimension > 0), prefix TEXT NOT NULL,"
        " content_hash TEXT NOT NULL, vector BLOB NOT NULL CHECK (length(vector) = dimension))"
    )
    db.execute("CREATE INDEX chunks_hash ON chunks (hash)")
    db.execute("INSERT INTO versions (name, origin) VALUES ('chunk_vectors', random())")
