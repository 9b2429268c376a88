"""Short ways to put statements into a ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.change import Change
from workbench.ledger.gate import check
from workbench.ledger.model import DREAMER, Actor, Candidate, Kind, Proposal
from workbench.ledger.write import propose

BASE = Candidate("Lives in Berlin.", Kind.PROFILE, explicit=True, confidence=0.9)
TABLES = [
    "memories",
    "memory_revisions",
    "memory_relations",
    "resource_links",
    "memory_evidence",
    "memory_feedback",
    "rejections",
    "learned",
]


@pytest.fixture
def say(home: Home) -> Callable[..., Proposal]:
    """Propose a statement as the dreamer (or another actor), by default explicit and sure."""

    def act(content: str = "Lives in Berlin.", *, actor: Actor = DREAMER, **fields: Any) -> Proposal:
        with store.writing(home) as connection:
            return propose(Change(connection, actor), check(replace(BASE, content=content, **fields)))

    return act


def rows(home: Home) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every truth table of the ledger, in a fixed order."""
    with store.reading(home) as connection:
        return {
            table: sorted((tuple(row) for row in connection.execute(f"SELECT * FROM {table}")), key=repr)
            for table in TABLES
        }


def column(home: Home, memory_id: str | None, *names: str) -> tuple[Any, ...]:
    """Columns of one memory."""
    with store.reading(home) as connection:
        return tuple(
            connection.execute(f"SELECT {', '.join(names)} FROM memories WHERE id = ?", (memory_id,)).fetchone()
        )
