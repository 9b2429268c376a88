"""Who may open the pages: one-time sign-in codes, signed-in browsers, and the key that signs their cookies.

Codes and session ids are 256 random bits; the database keeps their SHA-256 only, so a copy of it opens nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta

from workbench import db, files
from workbench.home import Home

SCHEMA = db.Schema("access", version=2, migrations="workbench.access.migrations:migrations", durable=True)
CODE_LIFETIME = timedelta(minutes=10)
SESSION_LIFETIME = timedelta(days=30)


def ensure(home: Home) -> None:
    """Make ``access.sqlite3`` when it is missing."""
    db.create(home.access, SCHEMA)


def secret(home: Home) -> str:
    """The home's signing key (256 bits, hex), made at first use in a file of mode 0600."""
    with files.lock(home.secret.with_name(home.secret.name + ".lock")):
        known = files.read_bytes(home.secret).decode("ascii", "replace").strip()
        if not known:
            known = secrets.token_hex(32)
            files.replace(home.secret, known.encode("ascii") + b"\n")
    return known


def create_code(home: Home) -> str:
    """A new sign-in code: good for one use within 10 minutes."""
    ensure(home)
    code = secrets.token_urlsafe(32)
    with db.write(home.access, SCHEMA) as conn:
        conn.execute("DELETE FROM sign_in_codes WHERE expires_at <= ?", (db.now(),))
        conn.execute("INSERT INTO sign_in_codes VALUES (?, ?)", (_hash(code), _after(CODE_LIFETIME)))
    return code


def redeem(home: Home, code: str) -> bool:
    """Whether ``code`` was good; it is used up by asking. A wrong code writes nothing."""
    if not db.exists(home.access):
        return False
    hashed = _hash(code)
    with db.read(home.access, SCHEMA) as conn:
        known = conn.execute("SELECT code_hash FROM sign_in_codes WHERE expires_at > ?", (db.now(),)).fetchall()
    # Every hash is compared, each in constant time, so that the answer's delay says nothing.
    if sum(hmac.compare_digest(row["code_hash"], hashed) for row in known) == 0:
        return False
    with db.write(home.access, SCHEMA) as conn:
        used = conn.execute("DELETE FROM sign_in_codes WHERE code_hash = ? AND expires_at > ?", (hashed, db.now()))
        return used.rowcount == 1


def start_session(home: Home) -> str:
    """The id of a new browser session; it ends after 30 days, or by ``end_session``."""
    session = secrets.token_urlsafe(32)
    with db.write(home.access, SCHEMA) as conn:
        conn.execute("DELETE FROM browser_sessions WHERE expires_at <= ?", (db.now(),))
        conn.execute(
            "INSERT INTO browser_sessions VALUES (?, ?, ?)", (_hash(session), db.now(), _after(SESSION_LIFETIME))
        )
    return session


def session_valid(home: Home, session: str) -> bool:
    """Whether this browser session was started here, has not expired and was not ended."""
    if not db.exists(home.access):
        return False
    with db.read(home.access, SCHEMA) as conn:
        row = conn.execute(
            "SELECT 1 FROM browser_sessions WHERE session_hash = ? AND expires_at > ?", (_hash(session), db.now())
        ).fetchone()
    return row is not None


def end_session(home: Home, session: str) -> None:
    """Sign this browser out: its cookie opens nothing from now on."""
    with db.write(home.access, SCHEMA) as conn:
        conn.execute("DELETE FROM browser_sessions WHERE session_hash = ?", (_hash(session),))


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def _after(lifetime: timedelta) -> str:
    return (datetime.now(UTC) + lifetime).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
