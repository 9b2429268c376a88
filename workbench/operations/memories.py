"""Looking at memories: lists, one in full, history, the audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench import config, db
from workbench.home import Home
from workbench.ledger import audit, lifecycle, listing, maintain, read, store
from workbench.ledger.change import Change
from workbench.ledger.filters import LISTED, Reader
from workbench.ledger.listing import Order, Wanted
from workbench.ledger.model import Actor
from workbench.operations import convert
from workbench.operations.models import AuditResult, EventOut, MemoryDetail, MemoryPage
from workbench.operations.models_memories import LedgerStatus


def list_memories(
    home: Home,
    *,
    status: str | None = "active",
    kind: str | None = None,
    scope_type: str | None = None,
    scope_key: str | None = None,
    authority: str | None = None,
    q: str | None = None,
    order: str | None = None,
    limit: int = 100,
    offset: int = 0,
    **more: Any,  # noqa: ANN401 - fields of Wanted
) -> MemoryPage:
    """Memories that fit every filter, newest first, or best match first with a query; None means any.

    :param order: another order: newest, trust, importance.
    :param more: further fields of ``ledger.listing.Wanted``.
    """
    wanted = Wanted(
        status=status, kind=kind, scope_type=scope_type, scope_key=scope_key, authority=authority, query=q, **more
    )
    with store.reading(home) as connection:
        rows, total = listing.page(connection, wanted, Order(order) if order else None, limit=limit, offset=offset)
    return MemoryPage(items=[convert.memory_out(row) for row in rows], total=total)


def short_ids(home: Home, memory_ids: Sequence[str]) -> dict[str, str]:
    """For each id the shortest beginning that names it and no other, of 8 digits at least."""
    with store.reading(home) as connection:
        return listing.short_ids(connection, memory_ids)


def standing(home: Home) -> LedgerStatus:
    """How the ledger stands: what is stored, what holds now, what waits and why, who wrote it, what is due."""
    at, settings = db.now(), config.load(home).ledger
    with store.reading(home) as connection:
        counted = listing.counts(connection, at)
        due = maintain.due(connection, settings, at)
    return LedgerStatus.model_validate({**counted, "maintenance": vars(due)})


def show(home: Home, memory_id: str, *, reader: Reader | None = None) -> MemoryDetail:
    """Everything about one memory, named by its id or a unique prefix of it.

    :param reader: the agent that is shown it; None for the person, who sees everything.
    """
    with store.reading(home) as connection:
        found = read.resolve(connection, memory_id, reader, LISTED)
        related = read.relations(connection, found)
        seen = read.shown(connection, [row["other_id"] for row in related], reader)
        return MemoryDetail(
            memory=convert.memory_out(read.memory(connection, found)),
            evidence=convert.evidence_of(home, connection, [found])[found],
            events=[convert.event_out(row) for row in read.events(connection, found, limit=200)],
            revisions=[convert.revision_out(row) for row in read.revisions(connection, found)],
            relations=[convert.relation_out(row, found) for row in related if row["other_id"] in seen],
        )


def history(
    home: Home, memory_id: str | None = None, limit: int = 50, *, reader: Reader | None = None
) -> list[EventOut]:
    """What was done, newest first; of one memory when it is named. ``reader`` as in ``show``."""
    with store.reading(home) as connection:
        found = read.resolve(connection, memory_id, reader, LISTED) if memory_id else None
        return [convert.event_out(row) for row in read.events(connection, found, limit, reader)]


def verify_audit(home: Home) -> AuditResult:
    """Walk the event chain and compare it with its anchor."""
    found = audit.verify(home)
    return AuditResult(
        ok=found.ok,
        events=found.events,
        anchored=found.anchored,
        unanchored=found.unanchored,
        problems=found.problems,
    )


def anchor_audit(home: Home, actor: Actor) -> AuditResult:
    """Let the anchor vouch for the history as it is now: for the person, who has looked into what `verify` found."""
    lifecycle.require_person(actor, "anchor the history of")
    with store.writing(home) as connection:
        Change(connection, actor).record("anchored_anew", None)
    audit.anchor(home, at=db.now(), anew=True)
    return verify_audit(home)
