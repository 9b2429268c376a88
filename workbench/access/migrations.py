"""The schema of ``access.sqlite3``, one numbered step each."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("access")


@migrations()
def m001_sign_in_codes(db: Database) -> None:
    """Codes that open a browser session once; only a hash of each is kept."""
    db.table("sign_in_codes").create(
        {"code_hash": str, "expires_at": str}, pk="code_hash", not_null={"expires_at"}, strict=True
    )


@migrations()
def m002_browser_sessions(db: Database) -> None:
    """Signed-in browsers, each revocable; the cookie holds what this hashes."""
    db.table("browser_sessions").create(
        {"session_hash": str, "created_at": str, "expires_at": str},
        pk="session_hash",
        not_null={"created_at", "expires_at"},
        strict=True,
    )
