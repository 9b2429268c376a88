"""``workbench memory``: look at what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args

import click

from workbench import dates, db, text
from workbench.cli import table
from workbench.cli.context import Settings, pass_settings, person, project_option, shown_to
from workbench.cli.memory import phrases
from workbench.errors import WorkbenchError
from workbench.ledger.model import Authority, Kind, Privacy, Reason, Scope, Type

if TYPE_CHECKING:
    from workbench.operations.models import EventOut, MemoryDetail, MemoryOut, WaitingOut
    from workbench.operations.models_memories import LedgerStatus, WaitingGroup

STATUSES = ("active", "needs_review", "candidate", "stale", "superseded", "rejected", "archived", "erased", "all")
_KINDS = click.Choice([kind.value for kind in Kind])
_USUAL_IMPORTANCE = 50
_REASONS = click.Choice([reason.value for reason in Reason])


def out_of_time(item: MemoryOut) -> tuple[str, str] | None:
    """Why the time that a memory states for itself does not include now: in a word, and as a sentence; else None."""
    at = db.now()
    if item.valid_to and item.valid_to <= at:
        return "ended", f"it ended {dates.local(item.valid_to)}"
    if item.expires_at and item.expires_at <= at:
        return "expired", f"it expired {dates.local(item.expires_at)}"
    if item.valid_from and item.valid_from > at:
        return "not yet", f"it begins {dates.local(item.valid_from)}"
    return None


def period(item: MemoryOut) -> str:
    """From when to when a memory holds, and when it expires."""
    stated = (("from", item.valid_from), ("to", item.valid_to), ("expires", item.expires_at))
    return " ".join(f"{name} {dates.local(instant)}" for name, instant in stated if instant) or "always"


def _badge(item: MemoryOut) -> str:
    """How a memory stands, in a word; ``!`` marks an active one that waits for a verdict."""
    if item.status == "superseded" and item.valid_to and item.valid_to > db.now():
        return f"to {dates.local_day(item.valid_to)[:7]}"  # its successor lies ahead
    if item.status != "active":
        return {"needs_review": "waiting"}.get(item.status, item.status)
    if over := out_of_time(item):
        return f"{over[0]}!" if item.review_reason else over[0]
    return f"{item.authority}!" if item.review_reason else item.authority


def _scope(item: MemoryOut) -> str:
    """Where it holds; of a path the last part."""
    if item.scope_type == "global":
        return "global"
    return text.one_line(item.scope_key.rstrip("/").rpartition("/")[2] or item.scope_key, 40)


def _rows(items: list[MemoryOut], short: dict[str, str]) -> Iterator[str]:
    size = table.width()
    longest = max((len(memory_id) for memory_id in short.values()), default=0)
    for item in items:
        columns = [(short[item.id], longest), (_badge(item), 10), (item.kind, 11), (_scope(item), 10)]
        yield table.row(columns, text.one_line(item.content, 500), size)


@click.command("list")
@click.option("-s", "--status", type=click.Choice(STATUSES), help="  [default: active, or in force still]")
@click.option("--kind", type=_KINDS, help="Only this kind.")
@click.option("--type", "type_", type=click.Choice([type_.value for type_ in Type]), help="Only what is of this type.")
@click.option("--authority", type=click.Choice([each.value for each in Authority]), help="Only with this authority.")
@click.option("--privacy", type=click.Choice([each.value for each in Privacy]), help="Only what is as private as this.")
@click.option("--core", is_flag=True, help="Only the few that are shown first.")
@click.option("--project", metavar="PROJECT", callback=project_option, help="Only memories of this project.")
@click.option("--scope-type", type=click.Choice(get_args(Scope)), help="Only what holds in such a scope.")
@click.option("--scope-key", metavar="KEY", help="Only what holds in this workspace, project or agent.")
@click.option("--key", "fact_key", metavar="KEY", help="Only what states this fact.")
@click.option("--tag", metavar="TAG", help="Only with this tag.")
@click.option("--agent", "source_agent", metavar="NAME", help="Only what this agent wrote.")
@click.option("--waiting", is_flag=True, help="Only what waits for you.")
@click.option("--reason", "review_reason", type=_REASONS, help="Only what waits for this reason.")
@click.option("--since", metavar="DATE", help="Only what was written since then: 3m, 7d, 2026-03, last week …")
@click.option("--until", metavar="DATE", help="Only what was written until then; a date counts whole.")
@click.option("--as-of", metavar="DATE", help="What was in force then: 2026-03, 3m (ago), yesterday …")
@click.option("--search", "query", metavar="TEXT", help="Only memories with these words, best match first.")
@click.option("--order", type=click.Choice(["newest", "trust", "importance"]), help="In another order.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--offset", type=click.IntRange(0), default=0, help="Leave out so many first.")
@pass_settings
def list_(settings: Settings, /, **given: Any) -> None:  # noqa: ANN401 - options
    """List memories, newest first.

    Each line has a beginning of the id, how it stands (! where it waits as well; ended, expired or not yet where it is
    not in force now, to 2027-01 where it is replaced then), its kind, its scope and its text.
    """
    from workbench.operations import memories

    home = settings.home()
    narrowed = any(value for name, value in given.items() if name not in ("limit", "offset", "order"))
    page = memories.list_memories(home, **_filters(given), reader=shown_to(settings))
    if settings.as_json:
        settings.emit(page, [])
    else:
        short = memories.short_ids(home, [item.id for item in page.items])
        settings.emit(page, _rows(page.items, short))
    _say_more(settings, given["offset"], len(page.items), page.total)
    if not page.items and not given["offset"]:
        settings.say(
            "nothing fits; without filters `workbench memory list` shows what is in force"
            if narrowed
            else "nothing to show; `workbench memory review` lists what waits for you"
        )


def _filters(given: dict[str, Any]) -> dict[str, Any]:
    """The options of ``list`` as ``memories.list_memories`` takes them."""
    from workbench.cli import moments

    status, project, scope_type = given.pop("status"), given.pop("project"), given.pop("scope_type")
    if project and (scope_type or given["scope_key"]):
        raise click.UsageError("--project is short for --scope-type project --scope-key; give one of them")
    if project:
        scope_type, given["scope_key"] = "project", project
    if status is None:
        # What was in force at an instant may be replaced by now, and what waits is seldom active.
        status = "all"
        if not (given["as_of"] or given["waiting"] or given["review_reason"]):
            given["standing"] = db.now()
    for name, read in (("since", moments.begins), ("until", moments.ends), ("as_of", moments.as_of)):
        given[name] = None if given[name] is None else read(given[name])
    tier, type_, query = "core" if given.pop("core") else None, given.pop("type_"), given.pop("query")
    return {
        **given,
        "status": None if status == "all" else status,
        "scope_type": scope_type,
        "tier": tier,
        "type": type_,
        "q": query or None,
    }


def _say_more(settings: Settings, offset: int, shown: int, total: int) -> None:
    if offset + shown < total and shown:
        settings.say(f"{offset + 1} to {offset + shown} of {total}; go on with --offset {offset + shown}")
    elif offset and not shown:
        settings.say(f"there are only {total}; use a smaller --offset")


@click.command()
@click.argument("memory_id", metavar="ID")
@pass_settings
def show(settings: Settings, memory_id: str) -> None:
    """Show one memory with its evidence and history; ID may be any unique beginning."""
    from workbench.operations import memories

    detail = memories.show(settings.home(), memory_id, reader=shown_to(settings))
    settings.emit(detail, _detail_lines(detail))


def _detail_lines(detail: MemoryDetail) -> Iterator[str]:
    item = detail.memory
    yield from (text.visible(line) for line in item.content.splitlines())
    yield f"  id         {item.id}"
    yield f"  standing   {item.status}, {item.authority}, {item.kind}, trust {item.trust:.2f}"
    if item.review_reason:
        yield f"  waits      {item.review_reason}"
    if item.fact_key:
        yield f"  key        {text.one_line(item.fact_key)}"
    if item.scope_type != "global":
        yield f"  scope      {item.scope_type} {text.one_line(item.scope_key)}"
    over = out_of_time(item)
    yield f"  holds      {period(item)}{f'; not in force: {over[1]}' if over else ''}"
    for relation in detail.relations:
        other = f"({relation.other_status}): {text.one_line(relation.other_content, 80)}"
        yield f"  {phrases.related(relation)} {other}"
    for found in detail.evidence:
        yield f"  evidence   {phrases.source(found)}"
        yield f"             {text.one_line(found.excerpt)}"
    for revision in detail.revisions:
        yield f"  before     {dates.local(revision.created_at)} {text.one_line(revision.content)}"
    for event in detail.events:
        yield f"  event      {_event_line(event)}"


def _event_line(event: EventOut) -> str:
    why = event.details.get("reason") or event.details.get("by")
    said = f": {text.one_line(str(why), 100)}" if why else ""
    return f"{dates.local(event.at)}  {event.action} by {text.one_line(event.actor, 40)} ({event.change_id}){said}"


@click.command()
@click.option("--reason", type=_REASONS, help="Only what waits for this reason.")
@click.option("--source", metavar="NAME", help="Only what came from this conversation, agent or writer.")
@click.option("--kind", type=_KINDS, help="Only this kind.")
@click.option("--project", metavar="PROJECT", callback=project_option, help="Only memories of this project.")
@click.option("--group", is_flag=True, help="Count them by reason and source.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--offset", type=click.IntRange(0), default=0, help="Leave out so many first.")
@pass_settings
def review(settings: Settings, /, group: bool, limit: int, offset: int, **given: Any) -> None:  # noqa: ANN401 - options
    """List what waits for you, with why and where it was found.

    First comes what touches something in force, then what may steer agents; the oldest first.
    """
    from workbench.operations import review as reviewing

    given["reader"] = shown_to(settings)
    if group:
        counted = reviewing.groups(settings.home(), **given)
        settings.emit(list(counted[offset : offset + limit]), _group_lines(counted[offset : offset + limit]))
        _say_more(settings, offset, len(counted[offset : offset + limit]), len(counted))
        return
    found = reviewing.inbox(settings.home(), **given, limit=limit, offset=offset)
    settings.emit(found, [line for item in found.items for line in _waiting_lines(item)])
    _say_more(settings, offset, len(found.items), found.total)
    if not found.total:
        settings.say("nothing waits for you")


def _group_lines(groups: list[WaitingGroup]) -> Iterator[str]:
    size = table.width()
    for each in groups:
        columns = [(f"{each.waiting:>6}", 6), (each.reason, 28), (text.one_line(each.source, 60), 24)]
        yield table.row(columns, text.one_line(each.content), size)


def _waiting_lines(item: WaitingOut) -> Iterator[str]:
    yield f"{item.memory.id}  {item.memory.kind}: {text.one_line(item.memory.content)}"
    yield f"    {item.reason}: {item.reason_text}"
    if terms := "; ".join(_terms(item.memory)):
        yield f"    accepted, it has: {terms}"
    for found in item.evidence:
        yield f"    {phrases.source(found)}:"
        yield f"      {text.one_line(found.excerpt)}"
    for other in item.conflicts:
        yield f"    {phrases.conflict(item.memory, other)}: {text.one_line(other.content)}"


def _terms(item: MemoryOut) -> Iterator[str]:
    """What is accepted with a memory besides its text, where it is not as usual."""
    if item.scope_type != "global":
        yield f"{item.scope_type} {text.one_line(item.scope_key, text.MAX_LINE)}"
    if item.fact_key:
        yield f"key {text.one_line(item.fact_key, text.MAX_LINE)}"
    if item.tags:
        yield f"tags {', '.join(text.one_line(tag) for tag in item.tags)}"
    stated = item.valid_from if item.valid_from not in (item.created_at, item.observed_at) else None
    limits = (("from", stated), ("to", item.valid_to), ("expires", item.expires_at))
    yield from (f"{name} {dates.local(instant)}" for name, instant in limits if instant)
    if item.importance != _USUAL_IMPORTANCE:
        yield f"importance {item.importance}"
    if item.privacy != Privacy.NORMAL:
        yield str(item.privacy)


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
@pass_settings
def history(settings: Settings, memory_id: str | None, limit: int) -> None:
    """List what was done, newest first, to all memories or to one."""
    from workbench.operations import memories

    found = memories.history(settings.home(), memory_id, limit + 1, reader=shown_to(settings))
    events = found[:limit]
    settings.emit(
        list(events), [f"{event.seq:>6}  {event.memory_id or '-':<26}  {_event_line(event)}" for event in events]
    )
    if len(found) > limit:
        settings.say(f"there are older ones; --limit {limit * 2} shows more")


@click.command()
@pass_settings
def status(settings: Settings) -> None:
    """Say how the ledger stands: what holds, what waits, who wrote it."""
    from workbench.operations import memories

    found = memories.standing(settings.home())
    settings.emit(found, _status_lines(found))


def _status_lines(found: LedgerStatus) -> Iterator[str]:
    yield f"{found.stored:>7}  {text.noun(found.stored, 'memories')} stored, {found.in_force} of them in force"
    yield from (f"{count:>7}  {name}" for name, count in found.by_status.items())
    since = f", the oldest since {dates.local_day(found.oldest_waiting)}" if found.oldest_waiting else ""
    yield f"{found.waiting:>7}  waiting for you{since}"
    yield from (f"{count:>7}    {name}" for name, count in found.waiting_by_reason.items())
    for name, count in found.by_writer.items():
        yield f"{count:>7}  written by {name} ({count / found.stored:.0%})"
    due = [f"{count} {name.replace('_', ' ')}" for name, count in found.maintenance if count]
    if due:
        yield f"         due for `workbench maintain`: {', '.join(due)}"


@click.command()
@click.option("--verify", is_flag=True, help="Check the chain of events against its anchor.")
@click.option("--anchor", is_flag=True, help="Vouch for it as it is now, after you have looked into what was found.")
@pass_settings
def audit(settings: Settings, verify: bool, anchor: bool) -> None:
    """Check that the history of the ledger is whole.

    Covered are the events, memories and all that belongs to them (revisions, relations, links, evidence, feedback,
    rejections), tombstones and triggers; not the archive of lenses, what was learned from, and counters of use.
    """
    from workbench.operations import memories

    if verify == anchor:
        raise click.UsageError("say --verify, or --anchor")
    home = settings.home()
    result = memories.anchor_audit(home, person("anchor the history of")) if anchor else memories.verify_audit(home)
    state = "whole" if result.ok else "BROKEN"
    settings.emit(
        result,
        [
            f"{state}: {text.counted(result.events, 'event')}, {result.unanchored} of them not anchored yet",
            *result.problems,
        ],
    )
    if not result.ok:
        raise WorkbenchError(
            f"the event chain has {text.counted(len(result.problems), 'problem')}; compare it with a backup"
        )
