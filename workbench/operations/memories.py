"""Looking at memories: lists, one in full, history, the audit."""

from __future__ import annotations

from workbench.home import Home
from workbench.ledger import audit, read, store
from workbench.operations import convert
from workbench.operations.models import AuditResult, EventOut, MemoryDetail, MemoryPage


def list_memories(
    home: Home,
    *,
    status: str | None = "active",
    kind: str | None = None,
    scope_type: str | None = None,
    scope_key: str | None = None,
    authority: str | None = None,
    q: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> MemoryPage:
    """Memories that fit every filter, newest first, or best match first with a query; None means any."""
    with store.reading(home) as connection:
        rows, total = read.search(
            connection,
            query=q,
            limit=limit,
            offset=offset,
            status=status,
            kind=kind,
            scope_type=scope_type,
            scope_key=scope_key,
            authority=authority,
        )
    return MemoryPage(items=[convert.memory_out(row) for row in rows], total=total)


def show(home: Home, memory_id: str) -> MemoryDetail:
    """Everything about one memory, named by its id or a unique prefix of it."""
    with store.reading(home) as connection:
        found = read.resolve(connection, memory_id)
        return MemoryDetail(
            memory=convert.memory_out(read.memory(connection, found)),
            evidence=convert.evidence_of(home, connection, [found])[found],
            events=[convert.event_out(row) for row in read.events(connection, found, limit=200)],
            revisions=[convert.revision_out(row) for row in read.revisions(connection, found)],
            relations=[convert.relation_out(row, found) for row in read.relations(connection, found)],
        )


def history(home: Home, memory_id: str | None = None, limit: int = 50) -> list[EventOut]:
    """What was done, newest first; of one memory when it is named."""
    with store.reading(home) as connection:
        found = read.resolve(connection, memory_id) if memory_id else None
        return [convert.event_out(row) for row in read.events(connection, found, limit)]


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
