"""Tombstones: what was erased is not learned again, though nothing of its text is kept.

A tombstone is HMAC-SHA256, under a key of this ledger, of a fingerprint, of the normal form of a statement, whatever
its scope, or of the name of a message that it was learned from: it answers "was this erased?", and says nothing of what
it was.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3

from workbench import text

_KEY = "tombstone_key"


def bury(connection: sqlite3.Connection, erased: str, at: str) -> str:
    """Remember that a statement was erased; returns its tombstone.

    :param erased: its fingerprint, its normal form, or ``"<session key>#<message id>"`` of its source.
    """
    connection.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (_KEY, secrets.token_hex(32)))
    tombstone = str(digest(connection, erased))
    connection.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", (tombstone, at))
    return tombstone


def every(connection: sqlite3.Connection) -> set[str]:
    """All tombstones of this ledger."""
    return {row[0] for row in connection.execute("SELECT digest FROM tombstones")}


def witness(connection: sqlite3.Connection) -> str | None:
    """Tells the key of the tombstones from another; None while nothing was ever erased."""
    return digest(connection, "")


def buried(connection: sqlite3.Connection, fingerprint: str, statement: str = "") -> bool:
    """Whether a statement was erased, in its scope or in any.

    :param statement: as it is worded; without it, only its own scope is looked at.
    """
    digests = [digest(connection, said) for said in (fingerprint, text.normal_form(statement)) if said]
    found = connection.execute("SELECT 1 FROM tombstones WHERE digest IN (?, ?)", (digests[0], digests[-1]))
    return found.fetchone() is not None


def digest(connection: sqlite3.Connection, fingerprint: str) -> str | None:
    """The keyed digest of a fingerprint, or of a normal form; None while nothing was ever erased."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    return hmac.new(bytes.fromhex(row[0]), fingerprint.encode(), hashlib.sha256).hexdigest() if row else None
