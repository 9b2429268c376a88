"""Spot checks: each week some memories in force, drawn at random, ask the person whether they are right.

What the person rules on by themselves is what looked odd to them; only a random sample says how right the rest is.
The probability of being drawn is kept with each draw, so that its verdict can be weighed.
"""

from __future__ import annotations

import random
import sqlite3
from datetime import datetime, timedelta

from workbench.ledger.change import Change
from workbench.ledger.filters import IN_FORCE
from workbench.ledger.model import Reason
from workbench.ledger.time import before, stamp

ACTION = "spot_check"
REST_DAYS = 12 * 7


def draw(change: Change, count: int, chance: random.Random) -> list[str]:
    """Put a random sample into the inbox, once a week (ISO, UTC); they stay in force. Returns their ids.

    :param count: how many; fewer when there are not so many, none at 0.
    :param chance: where randomness comes from.
    """
    ids = eligible(change.connection, change.at) if count else []
    drawn = chance.sample(ids, min(count, len(ids)))
    for memory_id in drawn:
        # A badge is no new wording: what orders by updated_at stays as it is.
        change.update("memories", memory_id, review_reason=Reason.SPOT_CHECK)
        change.record(ACTION, memory_id, probability=len(drawn) / len(ids), drawn_from=len(ids))
    return drawn


def eligible(connection: sqlite3.Connection, at: str) -> list[str]:
    """Memories that may be drawn at ``at``: active, in force, with nothing open; none when this week has its draw.

    What was drawn in the last 12 weeks rests.
    """
    monday = _monday(at)
    drawn = "SELECT 1 FROM memory_events WHERE action = 'spot_check' AND at >= ? AND at < ? LIMIT 1"
    if connection.execute(drawn, (stamp(monday), stamp(monday + timedelta(days=7)))).fetchone():
        return []
    rows = connection.execute(
        f"SELECT m.id FROM memories m WHERE m.status = 'active' AND {IN_FORCE} AND m.review_reason IS NULL AND m.id"
        " NOT IN (SELECT memory_id FROM memory_events WHERE action = 'spot_check' AND at >= :since) ORDER BY m.seq",
        {"at": at, "since": before(at, REST_DAYS)},
    )
    return [row[0] for row in rows]


def _monday(at: str) -> datetime:
    """The midnight with which the week of ``at`` begins."""
    moment = datetime.fromisoformat(at)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=moment.weekday())
