"""``workbench remember`` for agents, ``workbench memory add`` for the person."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from workbench.cli.context import Settings, asked_again, pass_settings, person, project_option
from workbench.errors import WorkbenchError
from workbench.ledger.model import Actor, Candidate, Kind, Scope, Type

if TYPE_CHECKING:
    from workbench.operations.remember import Remembered

_F = TypeVar("_F", bound=Callable[..., Any])
_OPTIONS = (
    click.argument("content", metavar="TEXT"),
    click.option("--key", metavar="KEY", help="The fact it states, such as project.database."),
    click.option(
        "--tags",
        metavar="A,B",
        default="",
        help="Topics, separated by commas; an agent's first one may name an established fact.",
    ),
    click.option("--kind", type=click.Choice([kind.value for kind in Kind]), default="fact", show_default=True),
    click.option("--type", "type_", type=click.Choice([type_.value for type_ in Type]), default="semantic"),
    click.option("--project", metavar="PROJECT", callback=project_option, help="It holds in this project only."),
    click.option("--scope-type", type=click.Choice(get_args(Scope)), help="Where it holds."),
    click.option("--scope-key", metavar="KEY", help="Which workspace, project or agent."),
    click.option("--valid-from", metavar="DATE", help="When it begins to hold."),
    click.option("--valid-to", metavar="DATE", help="When it ends; a day, 2026-W10, 2026-03 or 2026 counts whole."),
    click.option(
        "--expires", metavar="DATE", help="Until when it is recalled; a day, week, month or year counts whole."
    ),
    click.option("--importance", type=click.IntRange(0, 100), default=50, show_default=True),
    click.option("--heard-in", metavar="SESSION#ID", multiple=True, help="A message that says it; repeatable."),
    click.option("--idempotency-key", metavar="KEY", help="Your name for this write: a retry is the same write."),
)


def _options(command: _F) -> _F:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _candidate(given: dict[str, Any]) -> Candidate:
    project, scope_type, scope_key = given["project"], given["scope_type"], given["scope_key"]
    if project and (scope_type or scope_key):
        raise click.UsageError("--project is short for --scope-type project --scope-key; give one of them")
    if project:
        scope_type, scope_key = "project", project
    return Candidate(
        content=given["content"],
        kind=Kind(given["kind"]),
        type=Type(given["type_"]),
        explicit=False,
        confidence=given.get("confidence"),
        fact_key=given["key"],
        tags=tuple(given["tags"].split(",")),
        scope_type=scope_type or "global",
        scope_key=scope_key or "",
        valid_from=given["valid_from"],
        valid_to=given["valid_to"],
        expires_at=given["expires"],
        importance=given["importance"],
        idempotency_key=given["idempotency_key"],
    )


@click.command()
@_options
@click.option("--confidence", type=click.FloatRange(0, 1), help="How sure you are, from 0 to 1.")
@click.option("--agent", metavar="NAME", default="cli", show_default=True, help="Which agent says it.")
@pass_settings
def remember(settings: Settings, /, agent: str, **given: Any) -> None:  # noqa: ANN401 - options
    """Propose to remember TEXT, as an agent.

    It waits for the person, unless a message of theirs that --heard-in names says the same.
    """
    from workbench.operations import remember as remembering

    candidate, heard_in = _candidate(given), given["heard_in"]
    result = remembering.remember(settings.home(), Actor("agent", agent), candidate, heard_in=heard_in)
    _say(settings, result)


@click.command()
@_options
@click.option("--yes", is_flag=True, help="Also when it replaces something locked.")
@pass_settings
def add(settings: Settings, /, yes: bool, **given: Any) -> None:  # noqa: ANN401 - options
    """Remember TEXT as your own word: it is in force at once, and no agent can change it."""
    from workbench.operations import remember as remembering

    actor = person("add")
    candidate, heard_in = _candidate(given), given["heard_in"]
    home = settings.home()
    result = asked_again(
        lambda ok: remembering.remember(home, actor, candidate, heard_in=heard_in, confirm_locked=ok), yes
    )
    _say(settings, result)


def _say(settings: Settings, result: Remembered) -> None:
    kept = result.memory is not None or result.outcome == "repeated"
    settings.emit(result, [result.message] if kept else [])
    settings.warn_backlog(result.backlog)
    if not kept:
        raise WorkbenchError(result.message)
