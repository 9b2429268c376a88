"""Fact keys: which statements are about the same fact."""

from __future__ import annotations

from workbench import text
from workbench.ledger.change import Change
from workbench.ledger.filters import KEY_TAIL
from workbench.ledger.hidden import hidden_from
from workbench.ledger.model import Candidate, Type


def reuse(change: Change, candidate: Candidate) -> str | None:
    """The key of a candidate that names none: the newest one of its scope whose last segment is its first tag.

    None where there is no such family that whoever writes may know of: a bare topic never coins a key, and an episode
    has none.
    """
    if candidate.fact_key or candidate.type is Type.EPISODIC or not candidate.tags:
        return candidate.fact_key
    topic = text.fact_key(candidate.tags[0])
    if not topic or "." in topic:
        return None
    rows = change.connection.execute(
        f"SELECT * FROM memories WHERE scope_type = ? AND scope_key = ? AND {KEY_TAIL} = ?"
        " AND fact_key IS NOT NULL AND status IN ('active', 'superseded') AND authority <> 'inferred'"
        " ORDER BY seq DESC",
        (candidate.scope_type, candidate.scope_key, topic),
    )
    return next((str(row["fact_key"]) for row in rows if not hidden_from(change.actor, row)), None)
