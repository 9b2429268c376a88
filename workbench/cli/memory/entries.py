"""``workbench memory record`` and ``promote``: a memory of an entry of a note, an entry of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from workbench.cli.context import Settings, pass_settings, person
from workbench.ledger.model import Kind

if TYPE_CHECKING:
    from workbench.operations.note_entries import Promoted


@click.command()
@click.argument("reference", metavar="NOTE#ENTRY")
@click.argument("content", metavar="[TEXT]", required=False)
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), default="fact", show_default=True)
@pass_settings
def record(settings: Settings, reference: str, content: str | None, kind: str) -> None:
    """Remember what an entry of a note says, as your own word.

    NOTE#ENTRY is as `workbench get NOTE --entries` says it; 2026-03-01.md#L12 names an entry by its line. TEXT says
    it in other words. The memory and the entry are linked, both ways.
    """
    from workbench.operations import note_entries

    actor = person("record")
    _say(settings, note_entries.record(settings.home(), actor, reference, content, kind=Kind(kind)))


@click.command()
@click.argument("memory_id", metavar="ID")
@pass_settings
def promote(settings: Settings, memory_id: str) -> None:
    """Write a memory into today's daily note, as an entry with the time above it.

    The memory and the entry are linked, both ways. From then on the entry is a note of yours like any other.
    """
    from workbench.operations import note_entries

    actor = person("promote")
    _say(settings, note_entries.promote(settings.home(), actor, memory_id))


def _say(settings: Settings, result: Promoted) -> None:
    settings.emit(result, [result.message])
    settings.warn_backlog(result.backlog)
