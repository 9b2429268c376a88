"""What an agent must not learn of by writing: to it a memory that it is not shown is not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.ledger.model import Actor, Privacy, Status
from workbench.ledger.supersede import is_endorsed


def hidden_from(actor: Actor, row: Mapping[str, Any]) -> bool:
    """Whether a memory of the scope that ``actor`` writes in is not for it to know of; nothing is for the others.

    What it wrote itself it knows, until the person has made it theirs.
    """
    if actor.kind != "agent":
        return False
    if row["status"] == Status.ERASED:
        return True
    if row["created_by"] == str(actor) and not is_endorsed(row):
        return False
    private = row["privacy"] == Privacy.SECRET or (row["privacy"] != Privacy.NORMAL and not is_endorsed(row))
    return private or (row["scope_type"] == "agent" and row["scope_key"] != actor.name)
