"""Revisions: how a memory read and stood before it was changed."""

from __future__ import annotations

import json
from typing import Any

from workbench.ledger.change import Change, new_id
from workbench.ledger.model import Authority

SNAPSHOT = (
    *("kind", "type", "scope_type", "scope_key", "fact_key", "tags", "tier", "authority", "status"),
    *("review_reason", "importance", "confidence", "privacy", "valid_from", "valid_to"),
)


def keep(change: Change, row: dict[str, Any]) -> None:
    """Keep a memory as it is before its wording changes."""
    change.insert(
        "memory_revisions",
        id=new_id("v"),
        memory_id=row["id"],
        content=row["content"],
        snapshot=json.dumps({name: row[name] for name in SNAPSHOT}, ensure_ascii=False),
        actor=str(change.actor),
        created_at=change.at,
    )


def keep_endorsed(change: Change, row: dict[str, Any]) -> None:
    """Keep what the person endorsed as it is before its standing changes."""
    if row["authority"] in (Authority.CONFIRMED, Authority.LOCKED):
        keep(change, row)
