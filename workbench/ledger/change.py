"""One act, one change set: rows are changed only through it, and it remembers how they were.

Every event carries the before- and after-images of the rows it touched, so undo is restoring images, and the
audit shows exactly what happened.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
from collections.abc import Iterator
from typing import Any

from workbench import db
from workbench.ledger import audit
from workbench.ledger.model import Actor, Table, row_dict


def new_id(prefix: str) -> str:
    """``prefix`` and 96 random bits, hexadecimal."""
    return f"{prefix}_{secrets.token_hex(12)}"


def fetch(connection: sqlite3.Connection, table: Table, key: str) -> dict[str, Any] | None:
    """The row of ``table`` with this id, or None."""
    row = connection.execute(f"SELECT * FROM {table} WHERE id = ?", (key,)).fetchone()
    return row_dict(row) if row else None


class Change:
    """A change set under construction, inside one write transaction.

    :param connection: a connection inside ``store.writing``.
    :param actor: who acts.
    :param undoes: the change set this one takes back.
    :param final: keeps no image of how rows were: what it erases leaves no trace, and it can't be undone.

    ``recorded`` counts its events; a change that found nothing to do has none.
    """

    def __init__(
        self, connection: sqlite3.Connection, actor: Actor, undoes: str | None = None, final: bool = False
    ) -> None:
        self.connection = connection
        self.actor = actor
        self.undoes = undoes
        self.final = final
        self.id = new_id("c")
        self.at = db.now()
        self.recorded = 0
        self._images: list[dict[str, Any]] = []

    def insert(self, table: Table, **row: Any) -> None:  # noqa: ANN401 - a column holds any SQLite value
        """Add a row; it must have an ``id``."""
        columns = ", ".join(row)
        marks = ", ".join("?" * len(row))
        self.connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))
        self._remember(table, row["id"], None)

    def update(self, table: Table, key: str, **fields: Any) -> None:  # noqa: ANN401
        """Change columns of the row with id ``key``."""
        before = fetch(self.connection, table, key)
        assignments = ", ".join(f"{name} = ?" for name in fields)
        self.connection.execute(f"UPDATE {table} SET {assignments} WHERE id = ?", (*fields.values(), key))
        self._remember(table, key, before)

    def delete(self, table: Table, key: str) -> None:
        """Remove the row with id ``key``."""
        before = fetch(self.connection, table, key)
        self.connection.execute(f"DELETE FROM {table} WHERE id = ?", (key,))
        self._remember(table, key, before)

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        """A part of the act that may fail alone: where it raises, nothing of it was done, whoever catches the error.

        The ledger keeps no row of it, no event, no effect; the rest of the transaction goes on.
        """
        images, recorded = list(self._images), self.recorded
        self.connection.execute("SAVEPOINT attempt")
        try:
            yield
        except Exception:
            # A full disk ends the transaction itself, and is what must be told.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO attempt")
                self.connection.execute("RELEASE attempt")
            self._images, self.recorded = images, recorded
            raise
        self.connection.execute("RELEASE attempt")

    def attest(self, table: Table, key: str) -> None:
        """Say how a row reads that nothing changed: the event that said so is losing its payload."""
        self._images.append({"table": table, "id": key, "before": None, "after": fetch(self.connection, table, key)})

    def record(self, action: str, memory_id: str | None, **details: Any) -> None:  # noqa: ANN401
        """Close what was changed so far as one event on ``memory_id``."""
        audit.append(
            self.connection,
            memory_id=memory_id,
            action=action,
            actor=self.actor,
            at=self.at,
            change_id=self.id,
            undoes=self.undoes,
            payload={"details": details, "images": self._images},
        )
        self._images = []
        self.recorded += 1

    def enqueue(self, kind: str, **payload: Any) -> None:  # noqa: ANN401
        """Ask for an effect outside the ledger, in the same transaction; asking twice before it is claimed is once."""
        self.connection.execute(
            "INSERT INTO outbox (kind, payload, created_at) SELECT ?, ?, ? WHERE NOT EXISTS"
            " (SELECT 1 FROM outbox WHERE kind = ? AND payload = ? AND lease_owner IS NULL)",
            (kind, json.dumps(payload), self.at, kind, json.dumps(payload)),
        )

    def _remember(self, table: Table, key: str, before: dict[str, Any] | None) -> None:
        after = fetch(self.connection, table, key)
        if table == "memories":
            self._index(before, after)
            if any(row is not None and row["predicate"] is not None for row in (before, after)):
                self.enqueue("graph")
        self._images.append({"table": table, "id": key, "before": None if self.final else before, "after": after})

    def _index(self, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
        """Keep the full-text index in step with a memory's row."""
        columns = ("seq", "content", "cjk")
        old = tuple(before[name] for name in columns) if before else None
        new = tuple(after[name] for name in columns) if after else None
        if old == new:
            return
        if old is not None:
            self.connection.execute(
                "INSERT INTO memories_fts(memories_fts, rowid, content, cjk) VALUES ('delete', ?, ?, ?)", old
            )
        if new is not None:
            self.connection.execute("INSERT INTO memories_fts(rowid, content, cjk) VALUES (?, ?, ?)", new)
