"""What several agents tell alike: counts of tokens, the times of a conversation, rows of a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.model import Session


def tokens(**counts: Json) -> dict[str, int] | None:
    """Those of the counts that are whole numbers over 0; None where there is none."""
    found = {name: n for name, n in counts.items() if isinstance(n, int) and not isinstance(n, bool) and n > 0}
    return found or None


def widen(session: Session, time: str | None) -> None:
    """Let the times of ``session`` include ``time``."""
    if time and time[:1].isdigit():
        session.created_at = min(session.created_at or time, time)
        session.updated_at = max(session.updated_at or time, time)


def each(
    connection: sqlite3.Connection, sql: str, keys: Iterable[tuple[Any, ...]], counts: Counts
) -> Iterator[tuple[tuple[Any, ...], sqlite3.Row]]:
    """The row that ``sql`` finds for each of the keys; one that can't be read (a value over 4 MB, a damaged page) is
    quarantined."""
    for place, key in enumerate(keys):
        try:
            row = connection.execute(sql, key).fetchone()
        except sqlite3.Error as error:
            counts.quarantine(place, f"unreadable row {key[-1]}: {error}"[:120])
            continue
        if row is not None:
            yield key, row
