"""The schema of ``session_index.sqlite``, one numbered step each."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

from workbench.sessions.index_rows import text_digest

migrations = Migrations("session index")


@migrations()
def m001_sessions(db: Database) -> None:
    """Conversations; the ``file_…`` columns say up to where a canonical file has been indexed."""
    db.table("sessions").create(
        {
            "key": str,
            "channel": str,
            "title": str,
            "project": str,
            "created_at": str,
            "updated_at": str,
            "message_count": int,
            "source": str,
            "file_name": str,
            "file_size": int,
            "file_mtime_ns": int,
            "file_inode": int,
            "indexed_bytes": int,
            "indexed_crc": int,
        },
        pk="key",
        not_null={"channel", "message_count", "file_name"},
    )
    db.table("sessions").create_index(["file_name"], unique=True)


@migrations()
def m002_messages(db: Database) -> None:
    """Messages by a running number (the rowid of their full text) with the lasting id beside it."""
    db.table("messages").create(
        {
            "n": int,
            "id": int,
            "session_key": str,
            "seq": int,
            "role": str,
            "origin": str,
            "state": str,
            "identity": str,
            "parent": str,
            "timestamp": str,
            "digest": int,
            "name": str,
            "tool_call_id": str,
            "content": str,
            "cjk": str,
            "thinking": str,
            "tool_calls": str,
        },
        pk="n",
        not_null={"id", "session_key", "seq", "role", "origin", "state", "identity", "digest", "content"},
        foreign_keys=[("session_key", "sessions", "key")],
    )
    db.table("messages").create_index(["id"], unique=True)
    db.table("messages").create_index(["session_key", "seq"])


@migrations()
def m003_full_text(db: Database) -> None:
    """Words of the content, and bigrams of CJK runs; filled by the one writer, without triggers."""
    db.execute(
        "CREATE VIRTUAL TABLE messages_fts USING fts5(content, cjk, content='messages', content_rowid='n',"
        " tokenize='porter unicode61 remove_diacritics 2')"
    )


@migrations()
def m004_sources(db: Database) -> None:
    """Source files as they were when they were read last, and the lines of them that could not be used.

    ``files``: the canonical files that a source's messages are in (JSON); ``settled``: whether their metadata lines are
    up to date.
    """
    db.table("sources").create(
        {
            "path": str,
            "size": int,
            "mtime_ns": int,
            "prefix_hash": str,
            "format": str,
            "sessions": int,
            "messages": int,
            "read": int,
            "kept": int,
            "skipped": int,
            "quarantined": int,
            "error": str,
            "read_at": str,
            "files": str,
            "settled": int,
        },
        pk="path",
        defaults={"settled": 0},
        not_null={"settled"},
    )
    db.table("quarantine").create(
        {"path": str, "byte_offset": int, "reason": str},
        pk=("path", "byte_offset"),
        foreign_keys=[("path", "sources", "path")],
    )


@migrations()
def m005_who_and_when(db: Database) -> None:
    """The instant of a message in seconds since 1970 (``at``), the model that wrote it, and who spoke when as words
    (``meta``), searched with its text. The rows are made again from the canonical files."""
    for table in ("messages", "sessions"):
        db.execute(f"DELETE FROM {table}")
    for name, kind in (("at", float), ("model", str), ("meta", str)):
        db.table("messages").add_column(name, kind)
    db.table("sessions").add_column("models", str)
    db.execute("DROP TABLE messages_fts")
    db.execute(
        "CREATE VIRTUAL TABLE messages_fts USING fts5(content, cjk, meta, content='messages', content_rowid='n',"
        " tokenize='porter unicode61 remove_diacritics 2')"
    )


@migrations()
def m006_agent(db: Database) -> None:
    """The program that kept a conversation, where its channel is another thing; the next sync fills it in."""
    db.table("sessions").add_column("agent", str)
    db.execute("UPDATE sessions SET file_size = -1")


@migrations()
def m007_message_vectors(db: Database) -> None:
    """One vector of each message, by its lasting id: a rebuild keeps them.

    ``content_hash`` is the ``digest`` of the message when it was embedded: a vector whose message has another one is
    out of date. What ``n`` and ``versions`` are, the schema of the memory index says.
    """
    db.execute(
        "CREATE TABLE message_vectors (n INTEGER PRIMARY KEY AUTOINCREMENT, message_id INTEGER NOT NULL UNIQUE,"
        " model TEXT NOT NULL, dimension INTEGER NOT NULL CHECK (dimension > 0), prefix TEXT NOT NULL,"
        " content_hash INTEGER NOT NULL, vector BLOB NOT NULL CHECK (length(vector) = dimension))"
    )
    db.execute(
        "CREATE TABLE versions (name TEXT PRIMARY KEY, origin INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0)"
    )
    db.execute("INSERT INTO versions (name, origin) VALUES ('message_vectors', random())")


@migrations()
def m008_growth(db: Database) -> None:
    """Where the reading of a source goes on when it has grown (``tail``, JSON)."""
    db.table("sources").add_column("tail", str)


@migrations()
def m009_text_digest(db: Database) -> None:
    """A digest of what a message says: the vector of one that was only compacted is not made again.

    ``content_hash`` of ``message_vectors`` is this digest from now on.
    """
    db.table("messages").add_column("text_digest", int)
    rows = db.execute("SELECT n, name, meta, content FROM messages")
    digests = ((text_digest(name, meta, content), n) for n, name, meta, content in rows)
    db.conn.executemany("UPDATE messages SET text_digest = ? WHERE n = ?", digests)
    db.execute(
        "UPDATE message_vectors SET content_hash = m.text_digest FROM messages m"
        " WHERE m.id = message_vectors.message_id AND m.digest = message_vectors.content_hash"
    )
