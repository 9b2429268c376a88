"""Many memories at once: which ones a filter means, and which of them are left out of a bulk act."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from typing import Any

from workbench import text
from workbench.errors import WorkbenchError
from workbench.ledger import review, supersede
from workbench.ledger.model import Authority, Reason, row_dict

_FLAGGED = (Reason.INJECTION_FLAGGED, Reason.SCANNER_UNAVAILABLE)


@dataclass(frozen=True)
class Selection:
    """Which memories are meant: those that fit every filter given.

    :param reason: why they wait.
    :param source: the session or the agent they came from.
    :param search: words that stand in them as written, whatever the case.
    """

    reason: str | None = None
    kind: str | None = None
    source: str | None = None
    project: str | None = None
    search: str | None = None


def matching(connection: sqlite3.Connection, selection: Selection, act: str) -> list[dict[str, Any]]:
    """The memories a bulk act is about, oldest first: what waits can be accepted; also what is in use, rejected.

    :raises WorkbenchError: when no filter says anything.
    """
    given = [value for value in vars(selection).values() if value is not None]
    # "*" and "%" are wildcards elsewhere; whoever writes them means everything, which is no filter.
    if not given or not all(any(c.isalnum() for c in value) for value in given):
        raise WorkbenchError("say which memories you mean, by at least one filter with letters or digits in it")
    marks = ", ".join("?" * len(review.OPEN))
    rows = connection.execute(
        f"SELECT * FROM memories m WHERE m.status IN ({marks}) AND (? <> 'accept' OR m.review_reason IS NOT NULL)"
        " AND (? IS NULL OR m.review_reason = ?) AND (? IS NULL OR m.kind = ?)"
        " AND (? IS NULL OR ? IN (m.source_session, m.source_agent, m.created_by))"
        " AND (? IS NULL OR (m.scope_type = 'project' AND m.scope_key = ?)) ORDER BY m.seq",
        (
            *(*review.OPEN, act, selection.reason, selection.reason, selection.kind, selection.kind),
            *(selection.source, selection.source, selection.project, selection.project),
        ),
    )
    wanted = text.normal_form(selection.search or "")
    return [row_dict(row) for row in rows if not wanted or wanted in text.normal_form(row["content"])]


def left_out(connection: sqlite3.Connection, rows: list[dict[str, Any]], act: str) -> dict[str, str]:
    """The memories that want a look of their own, each with why."""
    if act != "accept":
        return {row["id"]: "you locked it" for row in rows if row["authority"] == Authority.LOCKED}
    keys = Counter(_fact(row) for row in rows if row["fact_key"])
    prints = Counter(row["fingerprint"] for row in rows)
    found = {}
    for row in rows:
        held = replaced(connection, row)
        if row["review_reason"] in _FLAGGED:
            found[row["id"]] = "a scanner flagged it, or could not read it"
        elif review.is_request(row):
            found[row["id"]] = "it asks for an act on another memory"
        elif held is not None and held["authority"] == Authority.LOCKED:
            found[row["id"]] = f"it would replace {held['id']}, which you locked"
        elif keys[_fact(row)] > 1:
            found[row["id"]] = f"several of these state the fact {row['fact_key']}"
        elif prints[row["fingerprint"]] > 1 or _said(connection, row):
            found[row["id"]] = "another memory says the same"
    return found


def replaced(connection: sqlite3.Connection, row: dict[str, Any]) -> dict[str, Any] | None:
    """The memory that accepting this one would replace."""
    held = supersede.holder(connection, row["scope_type"], row["scope_key"], row["fact_key"])
    return None if held is None or held["id"] == row["id"] else held


def _fact(row: dict[str, Any]) -> tuple[str, str, str | None]:
    return row["scope_type"], row["scope_key"], row["fact_key"]


def _said(connection: sqlite3.Connection, row: dict[str, Any]) -> bool:
    found = connection.execute(
        "SELECT 1 FROM memories WHERE fingerprint = ? AND status = 'active' AND id <> ?",
        (row["fingerprint"], row["id"]),
    ).fetchone()
    return found is not None
