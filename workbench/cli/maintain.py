"""``workbench maintain``: what time does to a home."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, pass_settings

if TYPE_CHECKING:
    from workbench.operations.maintain import Maintained, Planned


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@pass_settings
def maintain(settings: Settings, dry_run: bool) -> None:
    """Do what time asks for: check, put away, draw, tidy up.

    Run it as often as you like: a second run does nothing. It checks evidence against its sources, puts away what
    waited too long or is not used, draws spot checks, folds old revisions, brings vectors and MEMORY.md up to date.
    What it puts away can be undone, and what you confirmed stays.
    """
    from workbench.operations import maintain as maintaining

    if dry_run:
        planned = maintaining.plan(settings.home())
        settings.emit(planned, list(_planned(planned)) or ["nothing is due"])
        return
    home = settings.home()
    with settings.progress("embedding") as advance:
        done = maintaining.run(home, progress=advance)
    settings.emit(done, list(_done(done)) or ["there was nothing to do"])
    for remark in done.remarks:
        settings.say(remark)
    say_problems(settings, done)
    if done.problems:
        click.get_current_context().exit(1)


def say_problems(settings: Settings, done: Maintained) -> None:
    """Say what could not be done."""
    settings.warn_backlog(done.backlog)
    for problem in done.problems:
        click.echo(f"workbench: {text.one_line(problem, 300)}", err=True)


def _planned(planned: Planned) -> Iterator[str]:
    yield from _lines(
        (planned.conjectures, "to archive: not answered in time"),
        (planned.faded, "to join the inbox: bound to their time, and long not seen"),
        (planned.dormant, "to archive: not used, and confirmed by nobody"),
        (planned.spot_checks, "to join the inbox as a spot check", "to join the inbox as spot checks"),
        (planned.revisions, "memory with more revisions than are kept", "memories with more revisions than are kept"),
        (planned.lenses, "archived lens to delete", "archived lenses to delete"),
        (
            planned.vectors or 0,
            "memory, message or note without a vector",
            "memories, messages or notes without a vector",
        ),
        (planned.outbox, "effect to carry out", "effects to carry out"),
        (planned.unanchored, "event to anchor", "events to anchor"),
    )


def _done(done: Maintained) -> Iterator[str]:
    swept = done.evidence
    yield from _lines(
        (swept.changed, "quotation no longer in its source", "quotations no longer in their source"),
        (swept.gone, "quotation whose source is gone", "quotations whose source is gone"),
        (
            swept.memories - swept.waiting,
            "memory joined or left the inbox by that; it holds",
            "memories joined or left the inbox by that; they hold",
        ),
        (
            swept.waiting,
            "memory waits: you took back the words it came from",
            "memories wait: you took back the words they came from",
        ),
        (swept.restored, "quotation in its source again", "quotations in their source again"),
        (done.expired, "archived: not answered in time"),
        (done.faded, "joined the inbox: bound to their time, and long not seen"),
        (done.sunk, "archived: not used, and confirmed by nobody"),
        (done.spot_checks, "joined the inbox as a spot check", "joined the inbox as spot checks"),
        (done.folded, "memory with old revisions folded into one", "memories with old revisions folded into one"),
        (done.lenses, "archived lens deleted", "archived lenses deleted"),
        (done.embedded, "vector made", "vectors made"),
        (done.reclaimed, "vector removed", "vectors removed"),
        (int(done.memory_md), "MEMORY.md brought up to date"),
        (done.effects, "effect carried out", "effects carried out"),
        (done.anchored, "event anchored", "events anchored"),
        (len(done.logs), "database log emptied", "database logs emptied"),
        (done.leftovers, "file of a killed process removed", "files of killed processes removed"),
    )


def _lines(*counted: tuple[int, str] | tuple[int, str, str]) -> Iterator[str]:
    """One line for each that is not 0: the number, and what is said of one, or of several."""
    yield from (f"{count:>7,}  {said[0] if count == 1 else said[-1]}" for count, *said in counted if count)
