"""Tombstones: what was erased is not learned again, though nothing of its text is kept.

A tombstone is HMAC-SHA256 of a fingerprint under a key of this ledger: it answers "was this erased?", and says nothing
of what it was.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3

_KEY = "tombstone_key"


def bury(connection: sqlite3.Connection, fingerprint: str, at: str) -> None:
    """Remember that the statement with this fingerprint was erased."""
    connection.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (_KEY, secrets.token_hex(32)))
    connection.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", (digest(connection, fingerprint), at))


def buried(connection: sqlite3.Connection, fingerprint: str) -> bool:
    """Whether a statement with this fingerprint was erased."""
    found = digest(connection, fingerprint)
    if found is None:
        return False
    return connection.execute("SELECT 1 FROM tombstones WHERE digest = ?", (found,)).fetchone() is not None


def digest(connection: sqlite3.Connection, fingerprint: str) -> str | None:
    """The keyed digest of a fingerprint; None while nothing was ever erased."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    return hmac.new(bytes.fromhex(row[0]), fingerprint.encode(), hashlib.sha256).hexdigest() if row else None
