"""``workbench link``, ``forget``, ``checkpoint``: what agents do to memories that are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from workbench.cli.context import Settings, pass_settings, person, person_is_here, project_option, reader_named
from workbench.ledger.model import PERSON, Actor, Kind, LinkType, RelationType, ResourceType

_F = TypeVar("_F", bound=Callable[..., Any])
_LINKS = (LinkType.PROMOTED_TO.value, LinkType.REFERENCES.value)
_RELATIONS = [kind.value for kind in RelationType if kind is not RelationType.SUPERSEDES]


def _as_agent(command: _F) -> _F:
    """The options that say which agent acts, and where."""
    for option in (
        click.option("--workspace", metavar="KEY", help="The workspace it works in."),
        click.option(
            "--project",
            metavar="PROJECT",
            callback=project_option,
            help="The project it works in.",
        ),
        click.option("--agent", metavar="NAME", default="cli", show_default=True, help="Which agent does it."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("memory_id", metavar="ID")
@click.argument("related_id", metavar="[ID]", required=False)
@click.option("--type", "relation", type=click.Choice([*_RELATIONS, *_LINKS]), help="How.")
@click.option(
    "--resource",
    type=(click.Choice([kind.value for kind in ResourceType]), str),
    metavar="TYPE REF",
    help="Link to a note, session, file, url or git commit instead.",
)
@click.option("--remove", is_flag=True, help="Take the link away; only the person does.")
@_as_agent
@pass_settings
def link(
    settings: Settings,
    memory_id: str,
    related_id: str | None,
    relation: str | None,
    resource: tuple[str, str] | None,
    remove: bool,
    agent: str,
    project: str | None,
    workspace: str | None,
) -> None:
    """Relate a memory to another, or to a note, file, page or commit.

    At your own terminal it is you who does, unless --agent is said. One that an agent says contradicts another waits
    for you; the other stays in force.
    """
    from workbench.operations import linking

    if (related_id is None) == (resource is None):
        raise click.UsageError("name a second memory, or what --resource leads to")
    named = click.get_current_context().get_parameter_source("agent") is ParameterSource.COMMANDLINE
    by_person = remove or (not named and person_is_here())
    actor = person("unlink") if remove else PERSON if by_person else Actor("agent", agent)
    seen: dict[str, Any] = {} if remove else {"reader": None if by_person else reader_named(agent, project, workspace)}
    if resource is None:
        act = linking.unlink if remove else linking.link
        result = act(settings.home(), actor, memory_id, str(related_id), relation or RelationType.RELATED_TO, **seen)
    else:
        to = linking.unlink_resource if remove else linking.link_resource
        result = to(settings.home(), actor, memory_id, *resource, relation or LinkType.REFERENCES, **seen)
    settings.emit(result, [f"removed: {result.message}" if remove else result.message])
    settings.warn_backlog(result.backlog)


@click.command()
@click.argument("memory_id", metavar="ID")
@click.option(
    "--reason", type=click.Choice(["incorrect", "superseded", "expired", "irrelevant"]), required=True, help="Why."
)
@click.option("--by", "successor", metavar="ID", help="The memory that took its place; with --reason superseded.")
@_as_agent
@pass_settings
def forget(
    settings: Settings,
    memory_id: str,
    reason: str,
    successor: str | None,
    agent: str,
    project: str | None,
    workspace: str | None,
) -> None:
    """Put away a memory that nobody endorsed; nothing is erased."""
    from workbench.operations import linking

    reader = reader_named(agent, project, workspace)
    result = linking.forget(
        settings.home(), Actor("agent", agent), memory_id, reason, successor=successor, reader=reader
    )
    settings.emit(result, [result.message])
    settings.warn_backlog(result.backlog)


@click.command()
@click.argument("summary", metavar="TEXT")
@click.option("--item", "items", metavar="TEXT", multiple=True, required=True, help="Something to keep; 1 to 20.")
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), default="fact", help="What the items are.")
@click.option("--session", metavar="KEY", help="The conversation it was.")
@click.option("--idempotency-key", metavar="KEY", help="Your name for it: a retry is the same checkpoint.")
@_as_agent
@pass_settings
def checkpoint(
    settings: Settings,
    summary: str,
    items: tuple[str, ...],
    kind: str,
    session: str | None,
    idempotency_key: str | None,
    agent: str,
    project: str | None,
    workspace: str | None,
) -> None:
    """Keep an episode of work and what to remember of it.

    All of it is one change; where one item is refused, nothing is kept.
    """
    from workbench.operations import linking

    if project and workspace:
        raise click.UsageError("it holds in a project or in a workspace; give one of --project and --workspace")
    scope: dict[str, Any] = {}
    if project or workspace:
        scope = {"scope_type": "project" if project else "workspace", "scope_key": project or workspace}
    result = linking.checkpoint(
        settings.home(),
        Actor("agent", agent),
        summary,
        [linking.Item(content=item, kind=Kind(kind)) for item in items],
        session=session,
        idempotency_key=idempotency_key,
        **scope,
    )
    settings.emit(result, [result.message])
    settings.warn_backlog(result.backlog)
