"""``workbench memory``: look at what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, pass_settings
from workbench.errors import WorkbenchError
from workbench.ledger.model import Kind

if TYPE_CHECKING:
    from workbench.operations.models import EventOut, MemoryDetail, MemoryOut, WaitingOut

STATUSES = ("active", "needs_review", "candidate", "stale", "superseded", "rejected", "archived", "all")


def _line(item: MemoryOut) -> str:
    badge = item.status if item.status != "active" else item.authority
    return f"{item.id}  {badge:<12} {item.kind:<12} {text.one_line(item.content, 100)}"


@click.command("list")
@click.option("-s", "--status", type=click.Choice(STATUSES), default="active", show_default=True)
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), help="Only this kind.")
@click.option("--project", metavar="KEY", help="Only memories of this project.")
@click.option("--search", "query", metavar="TEXT", help="Only memories with these words, best match first.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@pass_settings
def list_(
    settings: Settings, status: str, kind: str | None, project: str | None, query: str | None, limit: int
) -> None:
    """List memories, newest first."""
    from workbench.operations import memories

    page = memories.list_memories(
        settings.home(),
        status=None if status == "all" else status,
        kind=kind,
        scope_type="project" if project else None,
        scope_key=project,
        q=query or None,
        limit=limit,
    )
    settings.emit(page, [_line(item) for item in page.items])
    if page.total > len(page.items):
        settings.say(f"{page.total - len(page.items)} more; use --limit")
    elif not page.items:
        settings.say("nothing to show; `workbench memory review` lists what waits for you")


@click.command()
@click.argument("memory_id", metavar="ID")
@pass_settings
def show(settings: Settings, memory_id: str) -> None:
    """Show one memory with its evidence and history; ID may be any unique beginning."""
    from workbench.operations import memories

    detail = memories.show(settings.home(), memory_id)
    settings.emit(detail, _detail_lines(detail))


def _detail_lines(detail: MemoryDetail) -> Iterator[str]:
    item = detail.memory
    yield text.visible(item.content)
    yield f"  id         {item.id}"
    yield f"  standing   {item.status}, {item.authority}, {item.kind}, trust {item.trust:.2f}"
    if item.review_reason:
        yield f"  waits      {item.review_reason}"
    if item.fact_key:
        yield f"  key        {text.one_line(item.fact_key)}"
    if item.scope_type != "global":
        yield f"  scope      {item.scope_type} {text.one_line(item.scope_key)}"
    yield f"  holds      from {item.valid_from or 'always'}{f' to {item.valid_to}' if item.valid_to else ''}"
    for relation in detail.relations:
        arrow = relation.type if relation.outgoing else f"is {relation.type} by"
        yield f"  {arrow} {relation.other_id}: {text.one_line(relation.other_content, 80)}"
    for item_ in detail.evidence:
        yield f"  evidence   {item_.source_ref} {item_.observed_at or ''}"
        yield f"             {text.one_line(item_.excerpt)}"
    for revision in detail.revisions:
        yield f"  before     {revision.created_at} {text.one_line(revision.content)}"
    for event in detail.events:
        yield f"  event      {_event_line(event)}"


def _event_line(event: EventOut) -> str:
    why = event.details.get("reason") or event.details.get("by")
    said = f": {text.one_line(str(why), 100)}" if why else ""
    return f"{event.at} {event.action} by {text.one_line(event.actor, 40)} ({event.change_id}){said}"


@click.command()
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@pass_settings
def review(settings: Settings, limit: int) -> None:
    """List what waits for you, oldest first, with why, where it was found and what it conflicts with."""
    from workbench.operations import review as reviewing

    found = reviewing.inbox(settings.home(), limit=limit)
    settings.emit(found, [line for item in found.items for line in _waiting_lines(item)])
    if not found.items:
        settings.say("nothing waits for you")
    elif found.total > len(found.items):
        settings.say(f"{found.total - len(found.items)} more wait; use --limit")


def _waiting_lines(item: WaitingOut) -> Iterator[str]:
    yield f"{item.memory.id}  {item.memory.kind}: {text.one_line(item.memory.content)}"
    yield f"    {item.reason}: {item.reason_text}"
    for found in item.evidence:
        yield f"    said {found.observed_at or 'at an unknown time'} in {found.source_ref}:"
        yield f"      {text.one_line(found.excerpt)}"
    for other in item.conflicts:
        yield f"    conflicts with {other.id} ({other.authority}): {text.one_line(other.content)}"


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
@pass_settings
def history(settings: Settings, memory_id: str | None, limit: int) -> None:
    """List what was done, newest first, to all memories or to one."""
    from workbench.operations import memories

    events = memories.history(settings.home(), memory_id, limit)
    settings.emit(
        list(events), [f"{event.seq:>6}  {event.memory_id or '-':<26}  {_event_line(event)}" for event in events]
    )


@click.command()
@pass_settings
def status(settings: Settings) -> None:
    """Say how many memories there are, by status."""
    from workbench.operations import overview

    found = overview.status(settings.home())
    settings.emit(found, [f"{count:>7}  {name}" for name, count in found.by_status.items()])


@click.command()
@click.option("--verify", is_flag=True, required=True, help="Check the chain of events against its anchor.")
@pass_settings
def audit(settings: Settings, verify: bool) -> None:
    """Check that the history of the ledger is whole."""
    from workbench.operations import memories

    result = memories.verify_audit(settings.home())
    state = "whole" if result.ok else "BROKEN"
    settings.emit(
        result, [f"{state}: {result.events} events, {result.unanchored} of them not anchored yet", *result.problems]
    )
    if not result.ok:
        raise WorkbenchError(f"the event chain has {len(result.problems)} problem(s); compare it with a backup")
