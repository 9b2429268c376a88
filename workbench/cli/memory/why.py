"""``workbench memory why``: everything that explains one memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import dates, text
from workbench.cli import table
from workbench.cli.context import Settings, pass_settings, shown_to
from workbench.cli.memory import phrases
from workbench.cli.memory.look import out_of_time, period

if TYPE_CHECKING:
    from workbench.operations.models_memories import (
        EvidenceInContext,
        ResourceLinkOut,
        RevisionDiff,
        Said,
        Version,
        Why,
    )

_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_SHOWN = 20


@click.command()
@click.argument("memory_id", metavar="ID")
@pass_settings
def why(settings: Settings, memory_id: str) -> None:
    """Explain a memory: its sources, versions, trust and history.

    ID may be any unique beginning.
    """
    from workbench.operations import why as explaining

    found = explaining.why(settings.home(), memory_id, reader=shown_to(settings))
    settings.emit(found, _lines(found))


def _lines(found: Why) -> Iterator[str]:
    size = table.width()
    item = found.memory
    if item.status == "erased":
        yield f"{item.id} was erased at {dates.local(item.updated_at)}; nothing of it is left"
        return
    for line in item.content.splitlines() or [""]:
        yield from table.wrap(text.visible(line), size)
    over = out_of_time(item)
    force = "in force" if found.in_force else f"not in force: {over[1]}" if over else "not in force"
    yield from table.wrap(f"{item.id}  {item.status}, {item.authority}, {item.kind}; {force}", size, "  ")
    yield from table.wrap(f"holds {period(item)}", size, "  ")
    if found.waits:
        yield from table.wrap(f"waits for you: {found.waits}", size, "  ")
    for title, lines in _sections(found):
        shown = list(lines)
        if shown:
            yield ""
            yield title
            for line in shown:
                yield from table.wrap(line.lstrip(" "), size, "  " + " " * (len(line) - len(line.lstrip(" "))))


def _sections(found: Why) -> Iterator[tuple[str, Iterator[str]]]:
    yield "Where it came from", (line for item in found.evidence for line in _evidence(item))
    yield "All that was said of this fact", _some(_version(each) for each in found.versions)
    yield "How it read before", _some(line for each in found.revisions for line in _revision(each))
    yield (
        "Related",
        _some(
            f"{phrases.related(each)} ({each.other_status}): {text.one_line(each.other_content)}"
            for each in found.relations
        ),
    )
    yield (
        "Linked",
        _some(line for each in found.links for line in _link(each)),
    )
    yield f"Trust {found.trust:.2f}", (f"{part.value:+.2f}  {part.name}" for part in found.trust_parts)
    yield "Use and feedback", _use(found)
    yield (
        "Ruled wrong before",
        (
            f"{dates.local(each.created_at)}  {text.one_line(each.reason or 'no reason given')}"
            for each in found.rejections
        ),
    )
    yield (
        "What was done",
        _some(
            f"{dates.local(event.at)}  {event.action} by {text.one_line(event.actor, 40)} ({event.change_id})"
            f"{'' if event.verified else '  NOT AS IT WAS WRITTEN'}"
            for event in found.events
        ),
    )


def _link(each: ResourceLinkOut) -> Iterator[str]:
    yield f"{each.type} {each.resource_type} {text.one_line(each.resource_ref)}"
    if each.text is not None:
        yield f"  > {each.where}  {text.one_line(each.text, 400)}"


def _some(lines: Iterator[str]) -> Iterator[str]:
    """The first 20 lines, and how many more there are."""
    every = list(lines)
    yield from every[:_SHOWN]
    if len(every) > _SHOWN:
        yield f"… and {len(every) - _SHOWN} more; --json has them all"


def _evidence(item: EvidenceInContext) -> Iterator[str]:
    title = f" ({text.one_line(item.title, 60)})" if item.title else ""
    yield f"{phrases.source(item)}{title}"
    yield from _said(item.before)
    yield f"  > {text.one_line(item.excerpt, 400)}"
    yield from _said(item.after)


def _said(message: Said | None) -> Iterator[str]:
    if message is not None:
        yield f"    {message.role}: {text.one_line(message.content)}"


def _version(each: Version) -> str:
    mark = "*" if each.this else "-"
    replaced = f", replaced by {each.superseded_by}" if each.superseded_by else ""
    begins, ends = dates.local_day(each.valid_from) or "always", dates.local_day(each.valid_to)
    period = f"from {begins}{f' to {ends}' if ends else ''}"
    return f"{mark} {period}  {each.id} ({each.status}, {each.authority}{replaced}): {text.one_line(each.content)}"


def _revision(each: RevisionDiff) -> Iterator[str]:
    folded = f", which stands for {each.stands_for} changes" if each.stands_for > 1 else ""
    yield f"{dates.local(each.created_at)}  changed by {text.one_line(each.actor, 40)}{folded}"
    parts = ((*_MARKS[part.how], text.visible(part.text.replace("\n", " "))) for part in each.diff)
    yield "  " + "".join(f"{left}{words}{right}" for left, right, words in parts)


def _use(found: Why) -> Iterator[str]:
    last = f", last {dates.local(found.use.last_used_at)}" if found.use.last_used_at else ""
    recalled, shown = (text.counted(count, "time") for count in (found.use.recalls, found.use.injections))
    yield f"recalled {recalled}, shown to agents {shown}{last}"
    for each in found.feedback:
        note = f": {text.one_line(each.note)}" if each.note else ""
        helped = "helped" if each.helpful else "did not help"
        yield f"{dates.local(each.given_at)}  {helped}, says {text.one_line(each.actor, 40)}{note}"
