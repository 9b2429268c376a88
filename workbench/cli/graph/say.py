"""``workbench graph add``, ``invalidate``, ``merge`` and ``alias``: what is said to the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from workbench import text
from workbench.cli.context import (
    HARNESSES,
    Settings,
    agents_harness,
    asked_again,
    filled,
    pass_settings,
    person_is_here,
)
from workbench.errors import WorkbenchError
from workbench.graph.names import TYPES
from workbench.ledger.model import PERSON, Actor

if TYPE_CHECKING:
    from workbench.operations.models_graph import Stated

AGENT = click.option(
    "--agent", metavar="NAME", callback=filled, help="Which agent says it.  [default: you, on a terminal; else cli]"
)
_YES = click.option("--yes", is_flag=True, help="Also when it replaces something locked.")
_TYPE = click.Choice(TYPES)


def speaker(agent: str | None) -> Actor:
    """Who speaks here: the agent named, the one whose harness runs this, the person where the channel is theirs."""
    if agent is None and (harness := agents_harness()):
        agent = HARNESSES[harness]
    if agent is None and person_is_here():
        return PERSON
    return Actor("agent", agent or "cli")


@click.command()
@click.argument("subject")
@click.argument("predicate")
@click.argument("object_", metavar="OBJECT")
@click.option("--valid-from", metavar="DATE", callback=filled, help="When it begins to hold.  [default: since ever]")
@click.option("--valid-to", metavar="DATE", callback=filled, help="When it ends; a day, month or year counts whole.")
@click.option("--subject-type", type=_TYPE, help="What the subject is.")
@click.option("--object-type", type=_TYPE, help="What the object is.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="How sure you are, from 0 to 1.")
@click.option("--heard-in", metavar="SESSION#ID", multiple=True, help="A message that says it; repeatable.")
@AGENT
@_YES
@pass_settings
def add(
    settings: Settings,
    /,
    subject: str,
    predicate: str,
    object_: str,
    heard_in: tuple[str, ...],
    agent: str | None,
    yes: bool,
    **given: Any,  # noqa: ANN401 - options
) -> None:
    """State that SUBJECT and OBJECT are related by PREDICATE, such as Ada works_at Acme.

    What you say holds at once. What an agent says waits for you, unless a message of yours says the same. Of predicates
    with one value at a time, such as works_at, a new value ends the one before.
    """
    from workbench.operations import facts

    said, actor, home = facts.Said(subject, predicate, object_, **given), speaker(agent), settings.new_home()
    stated = asked_again(lambda ok: facts.add(home, actor, said, heard_in=heard_in, confirm_locked=ok), yes)
    _say(settings, stated)


@click.command()
@click.argument("subject")
@click.argument("predicate")
@click.argument("object_", metavar="OBJECT")
@click.option("--ended", metavar="DATE", callback=filled, help="Its last day, or the moment it ended.  [default: now]")
@AGENT
@_YES
@pass_settings
def invalidate(
    settings: Settings,
    subject: str,
    predicate: str,
    object_: str,
    ended: str | None,
    agent: str | None,
    yes: bool,
) -> None:
    """Say that a fact holds no more; it stays as history."""
    from workbench.operations import facts

    home, actor = settings.home(), speaker(agent)
    stated = asked_again(
        lambda ok: facts.invalidate(home, actor, subject, predicate, object_, ended=ended, confirm_locked=ok), yes
    )
    settings.emit(stated, [text.visible(each.message) for each in stated])
    settings.warn_backlog(max(each.backlog for each in stated))


@click.command()
@click.argument("source")
@click.argument("target")
@AGENT
@_YES
@pass_settings
def merge(settings: Settings, source: str, target: str, agent: str | None, yes: bool) -> None:
    """Say that SOURCE and TARGET are one: SOURCE becomes another name of TARGET, and its facts TARGET's.

    `workbench memory undo` takes it back exactly.
    """
    from workbench.operations import facts

    home, actor = settings.home(), speaker(agent)
    _say(settings, asked_again(lambda ok: facts.merge(home, actor, source, target, confirm_locked=ok), yes))


@click.command()
@click.argument("name")
@click.argument("other_name", metavar="ALIAS")
@AGENT
@_YES
@pass_settings
def alias(settings: Settings, name: str, other_name: str, agent: str | None, yes: bool) -> None:
    """Give the entity NAME another name, by which it is found, too."""
    from workbench.operations import facts

    home, actor = settings.home(), speaker(agent)
    _say(settings, asked_again(lambda ok: facts.alias(home, actor, name, other_name, confirm_locked=ok), yes))


@click.command()
@click.argument("name")
@click.argument("takes", type=click.Choice(["one", "many"]))
@AGENT
@_YES
@pass_settings
def predicate(settings: Settings, name: str, takes: str, agent: str | None, yes: bool) -> None:
    """Say whether a subject has one value of the predicate NAME at a time, or many.

    Of one, such as works_at, a new value ends the one before.
    """
    from workbench.operations import facts

    home, actor, single = settings.home(), speaker(agent), takes == "one"
    _say(settings, asked_again(lambda ok: facts.declare(home, actor, name, single=single, confirm_locked=ok), yes))


def _say(settings: Settings, stated: Stated) -> None:
    kept = stated.memory is not None or stated.fact_id is not None
    settings.emit(stated, [text.visible(stated.message)] if kept else [])
    settings.warn_backlog(stated.backlog)
    if not kept:
        raise WorkbenchError(stated.message)
