"""Effects outside the ledger, asked for in the transaction that makes them necessary.

A row is claimed by a lease, carried out without any lock held, and removed when done; a failed one stays, with its
error, and is tried again by whoever drains next.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.home import Home
from workbench.ledger import store

LEASE = timedelta(seconds=60)
_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Effect:
    """One claimed row."""

    id: int
    kind: str
    payload: dict[str, Any]
    attempts: int


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def claim(connection: sqlite3.Connection, limit: int = 100) -> list[Effect]:
    """Lease up to ``limit`` rows that nobody holds: no lease, a lapsed one, or one of a process that is gone.

    The caller holds the write transaction: what it asks for itself it claims with the same commit.
    """
    moment = datetime.now(UTC)
    rows = [row for row in connection.execute("SELECT * FROM outbox ORDER BY id") if _free(row, _stamp(moment))][:limit]
    if rows:
        me = f"{os.getpid()}-{secrets.token_hex(4)}"
        connection.execute(
            "UPDATE outbox SET lease_owner = ?, leased_until = ?, attempts = attempts + 1"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (me, _stamp(moment + LEASE), json.dumps([row["id"] for row in rows])),
        )
    return [Effect(row["id"], row["kind"], json.loads(row["payload"]), row["attempts"] + 1) for row in rows]


def _free(row: sqlite3.Row, at: str) -> bool:
    return row["lease_owner"] is None or row["leased_until"] < at or not _alive(row["lease_owner"])


def _alive(owner: str) -> bool:
    """Whether the process that took a lease still runs; effects are idempotent, so a wrong "no" costs little."""
    try:
        os.kill(int(owner.partition("-")[0]), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True


def finish(home: Home, done: Sequence[int], failed: dict[int, str]) -> int:
    """Remove what is done; give what failed back, with its error. Returns how many rows are left."""
    with store.writing(home) as connection:
        connection.executemany("DELETE FROM outbox WHERE id = ?", [(key,) for key in done])
        connection.executemany(
            "UPDATE outbox SET lease_owner = NULL, leased_until = NULL, last_error = ? WHERE id = ?",
            [(error[:500], key) for key, error in failed.items()],
        )
        return count(connection)


def count(connection: sqlite3.Connection) -> int:
    """How many effects are still to be carried out."""
    return int(connection.execute("SELECT count(*) FROM outbox").fetchone()[0])


def errors(connection: sqlite3.Connection) -> list[str]:
    """Why effects could not be carried out when they were tried last, each reason once."""
    rows = connection.execute("SELECT DISTINCT last_error FROM outbox WHERE last_error IS NOT NULL ORDER BY id")
    return [row[0] for row in rows]


def backlog(home: Home) -> int:
    """How many effects are still to be carried out."""
    with store.reading(home) as connection:
        return count(connection)


def settled(home: Home, seconds: float) -> int:
    """Wait while other processes carry out what they have claimed; returns what is left after that.

    :param seconds: how long at most; what is claimed only later is not waited for.
    """
    pending = _pending(home)
    claimed = {row["id"] for row in pending if row["lease_owner"] is not None}
    deadline = time.monotonic() + seconds
    while claimed and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        pending = _pending(home)
        claimed &= {row["id"] for row in pending}
    return len(pending)


def _pending(home: Home) -> list[sqlite3.Row]:
    with store.reading(home) as connection:
        return connection.execute("SELECT id, lease_owner FROM outbox").fetchall()
