"""``workbench status`` and ``workbench migrate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from workbench import home as homes
from workbench import text
from workbench.cli.context import Settings, pass_settings

if TYPE_CHECKING:
    from workbench.operations.models import Status


@click.command()
@pass_settings
def status(settings: Settings) -> None:
    """Say how this home stands."""
    from workbench.operations import overview

    found = overview.status(settings.home())
    failed = [f"learning  {text.one_line(found.failure, 300)}"] if found.failure else []
    settings.emit(
        found,
        [
            f"home      {found.home}",
            f"sessions  {found.sessions:,} with {text.counted(found.messages, 'message')}, {_unlearned(found.backlog)}",
            *failed,
            f"meaning   {_meaning(found)}",
            f"memories  {found.active} active, {found.waiting} waiting for you",
            f"notes     {found.memory_md}",
            f"history   {text.counted(found.events, 'event')}{_owed(found.outbox)}, SQLite {found.sqlite}",
            *([f"settings  {text.one_line(found.settings, 1_000)}"] if found.settings else []),
        ],
    )


def _unlearned(backlog: int) -> str:
    """How many messages nothing was learned from so far."""
    return f"{backlog:,} not learned from yet: `workbench memory dream` does" if backlog else "all learned from"


def _owed(outbox: int) -> str:
    """What was done in the ledger, and is not yet everywhere else."""
    return f", {text.counted(outbox, 'effect')} of it to be carried out" if outbox else ""


def _meaning(found: Status) -> str:
    """How far search by meaning reaches."""
    from workbench.operations import embedding

    if found.not_embedded is None:
        return f"{text.one_line(found.vector_problem or embedding.NONE, 300)}: search is by words alone"
    said = embedding.lag(found.not_embedded) if found.not_embedded else f"all can be found by it ({found.provider})"
    if found.withheld:
        said += f"; {text.counted(found.withheld, 'private text')} stayed here, and can be found by words alone"
    return said


@click.command()
@pass_settings
def migrate(settings: Settings) -> None:
    """Bring the home's databases to this program's version.

    A backup of each is made before it is touched.
    """
    from workbench.operations.home import migrate as migrate_home

    home = homes.resolve(settings.home_option, settings.profile)
    done = migrate_home(home)
    made = {name: f"{text.counted(count, 'step')}, backup in {home.backups}" for name, count in done.items() if count}
    lines = [f"{name}: {made.get(name, 'current')}" for name in done]
    settings.emit(done, lines or [f"there is nothing to migrate in {home.root}"])
