"""``workbench memory``: the person's rulings, and feedback."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from workbench import dates, text
from workbench.cli.context import Settings, asked_again, pass_settings, person, project_option, reader_here, ruler
from workbench.ledger.model import Kind, Reason

if TYPE_CHECKING:
    from workbench.home import Home
    from workbench.ledger.model import Actor
    from workbench.operations.models import Ruling
    from workbench.operations.models_rulings import BulkPreview, BulkRuling

_F = TypeVar("_F", bound=Callable[..., Any])
_REASONS = click.Choice([reason.value for reason in Reason])
_KINDS = click.Choice([kind.value for kind in Kind])
# Between two memories in the message of an undo.
_NEXT_ID = re.compile(r"; (?=m_[0-9a-f]{24} is )")
yes_option = click.option("--yes", is_flag=True, help="Do it without being asked again.")
count_option = click.option("--count", type=int, metavar="N", help="How many they are; asked for when they are many.")
id_argument = click.argument("memory_id", metavar="ID")


def several(*reason_names: str) -> Callable[[_F], _F]:
    """The ids a command takes, or the filters that say which memories it means.

    :param reason_names: what the filter by review reason is called.
    """
    options = (
        click.argument("memory_ids", metavar="[ID]...", nargs=-1),
        click.option("--all-like", is_flag=True, help="All that fit the filters below; shown first, done with --yes."),
        click.option(*reason_names, "waits_for", metavar="REASON", type=_REASONS, help="They wait for this reason."),
        click.option("--kind", metavar="KIND", type=_KINDS, help="They are of this kind."),
        click.option("--source", metavar="SESSION|AGENT", help="They came from there."),
        click.option("--project", metavar="PROJECT", callback=project_option, help="They hold in this project."),
        click.option("--search", metavar="TEXT", help="They have these words in them, as written."),
        count_option,
        yes_option,
    )

    def decorate(command: _F) -> _F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def rule(
    settings: Settings,
    act: str,
    memory_ids: tuple[str, ...],
    run: Callable[[Home, Actor, bool], Ruling | BulkRuling],
    yes: bool = False,
    **arguments: Any,  # noqa: ANN401 - the act's own
) -> None:
    """Do an act as the person; where an agent's harness runs this, ask the person for it instead.

    :param run: does it; told whether the person was asked once more.
    """
    actor, home = ruler(act), settings.home()
    if actor.kind == "person":
        ruling = asked_again(lambda confirmed: run(home, actor, confirmed), yes)
        settings.emit(ruling, [ruling.message])
        settings.warn_backlog(ruling.backlog)
        return
    request(settings, home, actor, act, memory_ids, **arguments)


def request(
    settings: Settings,
    home: Home,
    agent: Actor,
    act: str,
    memory_ids: tuple[str, ...],
    **arguments: Any,  # noqa: ANN401 - the act's own
) -> None:
    """Ask the person, as an agent, for an act on each of these memories."""
    from workbench.operations import rulings

    reader = reader_here(agent)
    asked = [rulings.ask(home, agent, act, memory_id, reader=reader, **arguments) for memory_id in memory_ids]
    settings.emit(asked[0] if len(asked) == 1 else list(asked), [each.message for each in asked])
    click.echo("workbench: only the person rules on memories; nothing changed, it waits for them", err=True)


def _rule_several(
    settings: Settings,
    act: str,
    run: Callable[[Home, Actor, str, bool], Ruling],
    options: dict[str, Any],
    **arguments: Any,  # noqa: ANN401 - the act's own
) -> None:
    """Rule on one memory, on several as one change, or on all that fit the filters."""
    ids: tuple[str, ...] = options["memory_ids"]
    filters = {name: options[name] for name in ("kind", "source", "project", "search")}
    filters["reason"] = options["waits_for"]
    given = options["all_like"], any(value is not None for value in filters.values())
    if bool(ids) == options["all_like"] or (ids and any(given)):
        raise click.UsageError("give the ids of memories, or --all-like with filters")
    if options["all_like"]:
        _rule_all_like(settings, act, filters, options, **arguments)
    else:
        _rule_named(settings, act, run, ids, options, **arguments)


def _rule_named(
    settings: Settings,
    act: str,
    run: Callable[[Home, Actor, str, bool], Ruling],
    ids: tuple[str, ...],
    options: dict[str, Any],
    **arguments: Any,  # noqa: ANN401 - the act's own
) -> None:
    """Rule on the memories named; ``options`` has ``yes`` and ``count``."""
    from workbench.operations import bulk

    count = options["count"]

    def do(home: Home, actor: Actor, confirmed: bool) -> Ruling | BulkRuling:
        if len(ids) == 1 and count in (None, 1):
            return run(home, actor, ids[0], confirmed)
        return bulk.rule_each(home, actor, act, ids, confirmed=confirmed, count=count, **arguments)

    rule(settings, act, ids, do, options["yes"], **arguments)


def _rule_all_like(
    settings: Settings,
    act: str,
    filters: dict[str, str | None],
    options: dict[str, Any],
    **arguments: Any,  # noqa: ANN401 - the act's own
) -> None:
    from workbench.ledger.selection import Selection
    from workbench.operations import bulk

    actor, selection = person(act), Selection(**filters)
    if not options["yes"]:
        preview = bulk.preview_bulk(settings.home(), act, selection)
        settings.emit(preview, _preview_lines(preview))
        return
    done = bulk.rule_bulk(settings.home(), actor, act, selection, count=options["count"], **arguments)
    settings.emit(done, [done.message, *(_left_out(item.memory.id, item.why) for item in done.left_out)])
    settings.warn_backlog(done.backlog)


def _preview_lines(preview: BulkPreview) -> Iterator[str]:
    for item in preview.first:
        yield f"{item.id}  {text.one_line(item.content, 50)}"
        if item.id in preview.replaces:
            yield f"    in place of {preview.replaces[item.id]}"
    if preview.count > len(preview.first):
        yield f"and {preview.count - len(preview.first)} more"
    for left in preview.left_out:
        yield _left_out(left.memory.id, left.why)
    yield preview.message


def _left_out(memory_id: str, why: str) -> str:
    return f"left out {memory_id}: {text.one_line(why)}"


@click.command()
@several("--review-reason", "--reason")
@pass_settings
def accept(settings: Settings, /, **options: Any) -> None:  # noqa: ANN401 - options
    """Accept a waiting memory: it becomes active and yours."""
    from workbench.operations import rulings

    _rule_several(settings, "accept", lambda h, a, m, ok: rulings.accept(h, a, m, confirm_locked=ok), options)


@click.command()
@click.argument("memory_ids", metavar="ID...", nargs=-1, required=True)
@count_option
@yes_option
@pass_settings
def confirm(settings: Settings, /, memory_ids: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - options
    """Confirm what was observed or guessed: it is yours, and no agent replaces it."""
    from workbench.operations import rulings

    def run(home: Home, actor: Actor, memory_id: str, confirmed: bool) -> Ruling:
        return rulings.accept(home, actor, memory_id, confirm_locked=confirmed)

    _rule_named(settings, "accept", run, memory_ids, options)


@click.command()
@click.option("--reason", metavar="TEXT", help="Why it is wrong.")
@several("--review-reason")
@pass_settings
def reject(settings: Settings, /, reason: str | None, **options: Any) -> None:  # noqa: ANN401 - options
    """Reject a memory: it leaves every use and is not proposed again."""
    from workbench.operations import rulings

    def run(home: Home, actor: Actor, memory_id: str, confirmed: bool) -> Ruling:
        return rulings.reject(home, actor, memory_id, reason, confirm_locked=confirmed)

    _rule_several(settings, "reject", run, options, reason=reason)


@click.command()
@several("--review-reason", "--reason")
@pass_settings
def archive(settings: Settings, /, **options: Any) -> None:  # noqa: ANN401 - options
    """Put a memory away: out of every use, neither wrong nor replaced."""
    from workbench.operations import rulings

    _rule_several(settings, "archive", lambda h, a, m, ok: rulings.archive(h, a, m, confirm_locked=ok), options)


@click.command()
@id_argument
@click.argument("content", metavar="TEXT")
@yes_option
@pass_settings
def correct(settings: Settings, memory_id: str, content: str, yes: bool) -> None:
    """Put your wording in place of a memory's; the old one stays in its history."""
    from workbench.operations import rulings

    rule(
        settings,
        "correct",
        (memory_id,),
        lambda home, actor, ok: rulings.correct(home, actor, memory_id, content, confirm_locked=ok),
        yes,
        content=content,
    )


@click.command()
@id_argument
@click.option("--helpful", is_flag=True, help="It helped.")
@click.option("--unhelpful", is_flag=True, help="It did not help.")
@click.option("--note", metavar="TEXT", help="What was good or bad about it.")
@pass_settings
def feedback(settings: Settings, memory_id: str, helpful: bool, unhelpful: bool, note: str | None) -> None:
    """Say whether a memory helped; it moves its trust."""
    from workbench.operations import rulings

    if helpful == unhelpful:
        raise click.UsageError("say --helpful or --unhelpful")
    actor = ruler("give feedback on")
    result = rulings.feedback(settings.home(), actor, memory_id, helpful, note, reader=reader_here(actor))
    settings.emit(result, [result.message])
    settings.warn_backlog(result.backlog)


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--change", "change_id", metavar="CHANGE", help="The change to take back, as `history` names it.")
@click.option("--with-later", is_flag=True, help="Also what was done to the same memories since.")
@click.option("--count", type=int, metavar="N", help="How many changes that are; asked for when they are many.")
@yes_option
@pass_settings
def undo(
    settings: Settings, memory_id: str | None, change_id: str | None, with_later: bool, count: int | None, yes: bool
) -> None:
    """Take back your last change, or the last of one memory."""
    from workbench.operations import rulings

    if memory_id and change_id:
        raise click.UsageError("give the id of a memory, or --change; not both")
    actor = person("undo a change to")
    named: dict[str, Any] = {"memory_id": memory_id, "change_id": change_id, "with_later": with_later, "count": count}
    home = settings.home()
    result = asked_again(lambda confirmed: rulings.undo(home, actor, confirmed=confirmed, **named), yes)
    settings.emit(result, _NEXT_ID.sub("\n        ", result.message).splitlines())
    for change in result.undone:
        at = dates.local(change.at)
        settings.say(f"taken back: {change.action} by {text.one_line(change.actor, 40)}, {at} ({change.id})")
    settings.say(f"to take that back: workbench memory undo --change {result.undone_by}")
    settings.warn_backlog(result.backlog)
