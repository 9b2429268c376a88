"""``workbench memory``: learning from conversations, and the note that shows what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, pass_settings
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.operations.models import DreamResult


@click.command()
@pass_settings
def dream(settings: Settings) -> None:
    """Learn from conversations that were not learned from yet."""
    from workbench.cli.ingest import embed_new
    from workbench.operations import dream as dreaming
    from workbench.operations import maintain

    home = settings.home()
    with settings.progress("learning") as advance:
        result = dreaming.dream(home, advance)
    maintain.catch_up(home)
    if result.messages:
        embed_new(settings, home)
    settings.emit(result, [summary(result)])
    settings.warn_backlog(result.backlog)
    if result.failure:
        raise WorkbenchError(result.failure)


def summary(result: DreamResult) -> str:
    """One line on what a reading led to."""
    counted = result.model_dump(exclude={"backlog", "failure"})
    counts = [(name.replace("_", " "), count) for name, count in counted.items()]
    return ", ".join(text.some(count, name) for name, count in counts if count or name in ("messages", "activated"))


@click.command()
@pass_settings
def refresh(settings: Settings) -> None:
    """Write the generated block of MEMORY.md anew."""
    from workbench.operations import memory_md

    result = memory_md.refresh(settings.home())
    state = "written" if result.changed else "unchanged"
    waits = (
        [f"{text.counted(result.proposed, 'edited line')} of the block went to the inbox"] if result.proposed else []
    )
    settings.emit(result, [f"{state}: {result.path} ({text.some(result.memories, 'memories')})", *waits])
