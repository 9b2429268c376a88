"""Where a memory stands in time among those of its fact: who holds, what ends when, what is history.

The periods of one fact do not overlap: a newcomer ends what was in force where it begins itself, and a late one is
fitted in between.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from workbench import dates, text
from workbench.ledger import lifecycle, supersede
from workbench.ledger.change import Change, new_id
from workbench.ledger.model import Status

# A statement about somebody or something named: "Bob works at …", "Anna Berg is …".
_NAMED = re.compile(
    r"((?:[^\W\d_a-z][\w'.-]*\s){1,3})(?:is|was|has|had|works|lives|uses|likes|prefers|wants|needs|owns|speaks|studies"
    r"|runs|leads|manages|reports|joined|left|moved|hates|loves|plays|knows)\b"
)


def about_others(content: str, held: str) -> bool:
    """Whether two statements name different subjects: then neither ever retires the other."""
    one, other = (_NAMED.match(text) for text in (content, held))
    return bool(one and other and one[1].casefold() != other[1].casefold())


def is_over(row: Mapping[str, Any], at: str) -> bool:
    """Whether the time of a memory has passed at ``at``."""
    return row["valid_to"] is not None and row["valid_to"] <= at


def falls_into(row: Mapping[str, Any], held: Mapping[str, Any], at: str) -> bool:
    """Whether a memory is over that begins in the time of the holder, which goes on."""
    begun = held["valid_from"] is None or held["valid_from"] <= row["valid_from"]
    return begun and is_over(row, at) and (held["valid_to"] is None or held["valid_to"] > row["valid_to"])


def begins(row: Mapping[str, Any], held: Mapping[str, Any], at: str) -> str:
    """From when a newcomer holds: what began before the holder, and goes on when that one is over, from then."""
    start: str = row["valid_from"]
    ended: str | None = held["valid_to"]
    if ended is None or ended > at or is_over(row, at) or start >= (held["valid_from"] or ""):
        return start
    return ended if row["valid_to"] is None or row["valid_to"] > ended else start


def is_history(row: Mapping[str, Any], held: Mapping[str, Any], said_at: str) -> bool:
    """Whether a newcomer leaves the holder in force: it begins before it, or the holder was stated again since.

    :param said_at: when the newcomer was said.
    """
    if held["valid_from"] is not None and row["valid_from"] < held["valid_from"]:
        return True
    seen = held["last_seen_at"] or ""
    return max(said_at, row["valid_from"]) < seen and (held["valid_to"] is None or seen < held["valid_to"])


def ask(held: Mapping[str, Any], row: Mapping[str, Any], at: str, confirmed: bool) -> None:
    """Ask once more before something locked is retired, or something that goes on by something that is over.

    :raises NeedsYes: when it was not confirmed.
    """
    lifecycle.ask_about_locked(held, confirmed)
    if falls_into(row, held, at) and not confirmed:
        raise lifecycle.NeedsYes(
            f"this is over since {dates.local(row['valid_to'])}, and ends {held['id']}, which goes on:"
            f" {text.clause(held['content'])}",
            "say --yes to go on, or give it a key of its own",
        )


def take_key(change: Change, row: Mapping[str, Any], confirm_locked: bool = False) -> tuple[str, ...]:
    """Let ``row`` have its fact key alone: the memory that holds it is retired; returns that one's id.

    What was replaced before, but ends only later, ends where ``row`` begins. The relation is left to the caller, who
    may not have written ``row`` yet.

    :raises NeedsConfirmation: as ``ask`` does, when ``confirm_locked`` is not said.
    """
    held = supersede.holder(change.connection, row["scope_type"], row["scope_key"], row["fact_key"])
    if row["fact_key"] is None or (held is not None and held["id"] == row["id"]):
        return ()
    at = row["valid_from"] or change.at
    if held is not None:
        ask(held, row, change.at, confirm_locked)
        supersede.retire(change, held, by=row["id"], at=at)
    end_lasting(change, row, at)
    return (held["id"],) if held is not None else ()


def end_lasting(change: Change, row: Mapping[str, Any], at: str) -> None:
    """End at ``at`` what was replaced before in the fact of ``row``, but would have held until later."""
    lasting = change.connection.execute(
        "SELECT * FROM memories WHERE scope_type = ? AND scope_key = ? AND fact_key = ? AND status = 'superseded'"
        " AND valid_to > ? AND valid_to > coalesce(valid_from, '') AND id <> ? ORDER BY seq",
        (row["scope_type"], row["scope_key"], row["fact_key"], at, row["id"]),
    ).fetchall()
    for earlier in map(dict, lasting):
        change.update("memories", earlier["id"], valid_to=supersede.ending(earlier, at), updated_at=change.at)
        change.record("superseded", earlier["id"], by=row["id"])


def begins_again(change: Change, row: Mapping[str, Any]) -> str | None:
    """From when a memory that comes back holds: from now where others of its fact held meanwhile."""
    others = change.connection.execute(
        "SELECT 1 FROM memories WHERE scope_type = ? AND scope_key = ? AND fact_key = ? AND status = 'superseded'"
        " AND authority <> 'inferred' AND id <> ? AND valid_to > coalesce(?, '')"
        " AND valid_to > coalesce(valid_from, '') LIMIT 1",
        (row["scope_type"], row["scope_key"], row["fact_key"], row["id"], row["valid_from"]),
    ).fetchone()
    if others is None:
        begun: str | None = row["valid_from"]
        return begun
    end_lasting(change, row, change.at)
    return change.at


def place_in_history(change: Change, row: Mapping[str, Any], held: dict[str, Any]) -> dict[str, Any]:
    """Fit a newcomer between the memories of its fact that came before and after it; returns its fields.

    The one before ends where the newcomer begins, the newcomer ends where the next begins, or where it says it ends.
    Where the holder was in force before and is again after the newcomer, its earlier part becomes a memory of its own.
    """
    start = row["valid_from"]
    if held["valid_from"] is None or held["valid_from"] <= start:
        held = _interrupt(change, row, held)
    chain = change.connection.execute(
        "SELECT id, valid_from, valid_to FROM memories WHERE scope_type = ? AND scope_key = ? AND fact_key = ?"
        " AND authority <> 'inferred' AND status IN ('active', 'superseded') AND id <> ? ORDER BY valid_from, seq",
        (row["scope_type"], row["scope_key"], row["fact_key"], row["id"]),
    ).fetchall()
    # A retraction may have another key than the memory it speaks of, or none: then that one follows.
    following = next((item for item in chain if item["valid_from"] is not None and item["valid_from"] > start), held)
    before = [item for item in chain if item["valid_from"] is None or item["valid_from"] <= start]
    if before and before[-1]["valid_to"] is not None and before[-1]["valid_to"] > start:
        change.update("memories", before[-1]["id"], valid_to=start, superseded_by=row["id"], updated_at=change.at)
        change.record("superseded", before[-1]["id"], by=row["id"])
    return {
        "status": Status.SUPERSEDED,
        "superseded_by": following["id"],
        "valid_to": min(following["valid_from"], row["valid_to"] or following["valid_from"]),
        "retired_at": change.at,
    }


def _interrupt(change: Change, row: Mapping[str, Any], held: dict[str, Any]) -> dict[str, Any]:
    """Let the holder, which was stated again after ``row``, be in force from then; returns it as it is then.

    What it held before ``row`` becomes a memory of its own.
    """
    start, again = row["valid_from"], _next_sighting(change.connection, held, row["valid_from"])
    if held["valid_from"] is None or held["valid_from"] < start:
        part = {name: value for name, value in held.items() if name != "seq"} | {
            "id": new_id("m"),
            "status": Status.SUPERSEDED,
            "tier": "normal",
            "review_reason": None,
            "superseded_by": row["id"],
            "valid_to": start,
            "idempotency_key": None,
            "created_at": change.at,
            "updated_at": change.at,
            "retired_at": change.at,
        }
        change.insert("memories", **part)
        change.record("parted", part["id"], of=held["id"])
    change.update("memories", held["id"], valid_from=again, updated_at=change.at)
    change.record("resumed", held["id"], by=row["id"])
    return {**held, "valid_from": again}


def _next_sighting(connection: sqlite3.Connection, held: Mapping[str, Any], after: str) -> str:
    found = connection.execute(
        "SELECT min(observed_at) FROM memory_evidence WHERE memory_id = ? AND observed_at > ?", (held["id"], after)
    ).fetchone()[0]
    return str(found or held["last_seen_at"])
