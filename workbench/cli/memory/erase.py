"""``workbench memory erase``: out for good, after two questions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, pass_settings, ruler
from workbench.cli.memory.rule import request
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.operations.erase import ErasePreview, Reach

_SHOWN = 20


@click.command()
@click.argument("memory_ids", metavar="ID...", nargs=-1, required=True)
@click.option("--with-sources", is_flag=True, help="Also the text of the messages they were learned from.")
@click.option("--yes", is_flag=True, help="Do it without being asked.")
@click.option("--count", type=int, metavar="N", help="How many they are; with --yes, asked for when they are many.")
@pass_settings
def erase(settings: Settings, memory_ids: tuple[str, ...], with_sources: bool, yes: bool, count: int | None) -> None:
    """Erase memories for good: text, sources, history. It can't be undone. IDs may be any unique beginnings."""
    from workbench.operations import erase as erasing

    actor, home = ruler("erase"), settings.home()
    if actor.kind == "agent":
        request(settings, home, actor, "erase", memory_ids)
        return
    found = erasing.preview(home, memory_ids, with_sources=with_sources)
    if found.memories and not yes:
        if not sys.stdin.isatty():
            raise WorkbenchError("there is no terminal to ask you twice: say --yes to erase this, nothing was done")
        count = _ask(found, with_sources)
    report = erasing.erase(home, actor, memory_ids, with_sources=with_sources, count=count)
    settings.emit(report, [report.message, *(_lines(report, with_sources, "gone", "not reached"))])
    settings.warn_backlog(report.backlog)


def _ask(found: ErasePreview, with_sources: bool) -> int:
    """Show what goes and ask twice; returns the number the person typed."""
    for line in _preview_lines(found, with_sources):
        click.echo(line, err=True)
    click.confirm("Erase all this for good? It can't be undone.", abort=True, err=True)
    number: int = click.prompt("How many memories did you name? Type their number", type=int, err=True)
    return number


def _preview_lines(found: ErasePreview, with_sources: bool) -> Iterator[str]:
    for memory in found.memories[:_SHOWN]:
        request = "request about it: " if memory.request else ""
        yield f"{memory.id}  {request}{text.one_line(memory.content, 100)}"
    if len(found.memories) > _SHOWN:
        yield f"and {len(found.memories) - _SHOWN} more"
    yield from _lines(found, with_sources, "goes", "stays")


def _lines(reach: Reach, with_sources: bool, gone: str, left: str) -> Iterator[str]:
    """How far it goes.

    :param gone: the word before what goes; ``left`` the one before what does not.
    """
    counts = [text.some(number, name.replace("_", " ")) for name, number in reach.counts.items() if number]
    if counts:
        yield f"{gone}: {', '.join(counts)}"
    for entry in reach.notes:
        yield f"{gone}: {entry}"
    for message in reach.messages:
        yield f"{gone if with_sources else left}: the text of message {text.one_line(message)}"
    for line in reach.not_reached:
        yield f"{left}: {text.one_line(line)}"
