"""``workbench memory``: the person's rulings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from workbench.cli.context import Settings, pass_settings, person

if TYPE_CHECKING:
    from workbench.operations.models import Ruling


@click.command()
@click.argument("memory_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Also when it replaces something locked.")
@pass_settings
def accept(settings: Settings, memory_id: str, yes: bool) -> None:
    """Accept a waiting memory: it becomes active and yours."""
    from workbench.operations import rulings

    actor = person("accept")
    _ruled(settings, rulings.accept(settings.home(), actor, memory_id, confirm_locked=yes))


@click.command()
@click.argument("memory_id", metavar="ID")
@click.option("--reason", help="Why it is wrong.")
@pass_settings
def reject(settings: Settings, memory_id: str, reason: str | None) -> None:
    """Reject a memory: it leaves every use and is not proposed again."""
    from workbench.operations import rulings

    actor = person("reject")
    _ruled(settings, rulings.reject(settings.home(), actor, memory_id, reason))


@click.command()
@click.argument("memory_id", metavar="ID")
@click.argument("content", metavar="TEXT")
@click.option("--yes", is_flag=True, help="Also when it replaces something locked.")
@pass_settings
def correct(settings: Settings, memory_id: str, content: str, yes: bool) -> None:
    """Put your wording in place of a memory's; the old one stays in its history."""
    from workbench.operations import rulings

    actor = person("correct")
    _ruled(settings, rulings.correct(settings.home(), actor, memory_id, content, confirm_locked=yes))


def _ruled(settings: Settings, ruling: Ruling) -> None:
    settings.emit(ruling, [ruling.message])
    settings.warn_backlog(ruling.backlog)


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--change", "change_id", metavar="CHANGE", help="The change to take back, as `history` names it.")
@pass_settings
def undo(settings: Settings, memory_id: str | None, change_id: str | None) -> None:
    """Take back the last change, or the last change of one memory."""
    from workbench.operations import rulings

    actor = person("undo a change to")
    result = rulings.undo(settings.home(), actor, memory_id=memory_id, change_id=change_id)
    settings.emit(result, [result.message])
    settings.say(f"to take that back: workbench memory undo --change {result.undone_by}")
    settings.warn_backlog(result.backlog)
