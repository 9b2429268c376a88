"""``workbench recall``, ``lens``, ``bootstrap``: what an agent, or the person, is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from workbench import dates, fts, text
from workbench.cli import table
from workbench.cli.context import (
    Settings,
    pass_settings,
    person_is_here,
    project_option,
    reader_named,
    warn_words_alone,
)
from workbench.cli.memory import phrases
from workbench.errors import WorkbenchError
from workbench.ledger.model import PERSON, Actor

if TYPE_CHECKING:
    from workbench.home import Home
    from workbench.operations.lens import LensCheck, LensOut
    from workbench.operations.recall import Bootstrap, RecalledMemory

_F = TypeVar("_F", bound=Callable[..., Any])
_INDENT = "    "
_NOT_ARCHIVED = "workbench: this could not be archived: the home can't be written"
# What a path that found a memory goes by.
_PATHS = {"key": "its key", "words": "its words", "vectors": "its meaning", "relations": "what it is related to"}


def _as_reader(command: _F) -> _F:
    """The options that say who asks, and where."""
    for option in (
        click.option("--workspace", metavar="KEY", help="The workspace it is for."),
        click.option(
            "--project",
            metavar="PROJECT",
            callback=project_option,
            help="The project (default: the repository you are in, or folder).",
        ),
        click.option("--agent", metavar="NAME", default="cli", show_default=True, help="Which agent asks."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("query", metavar="[QUERY]", default="")
@click.option("--key", metavar="KEY", help="The fact asked for, such as project.database; it comes first.")
@_as_reader
@click.option("--as-of", metavar="DATE", help="What held then: 2026-03, 3m (ago), yesterday …")
@click.option(
    "--from-scope",
    metavar="PROJECT",
    callback=project_option,
    help="Also another project; only the person may.",
)
@click.option("--include-inferred", is_flag=True, help="Also what still waits for the person.")
@click.option("--include-superseded", is_flag=True, help="Also what was replaced.")
@click.option("--include-sensitive", is_flag=True, help="Also what no agent is shown; only the person may.")
@click.option("--limit", type=click.IntRange(1, 50), default=8, show_default=True)
@pass_settings
def recall(
    settings: Settings,
    /,
    query: str,
    agent: str,
    project: str | None,
    workspace: str | None,
    from_scope: str | None,
    include_sensitive: bool,
    **options: Any,  # noqa: ANN401 - as the operation has them
) -> None:
    """Find what is known about QUERY, and why it was found."""
    from workbench.cli import moments
    from workbench.operations.recall import recall_memories

    for_person = from_scope is not None or include_sensitive
    actor = PERSON if for_person and person_is_here() else Actor("agent", agent)
    reader = reader_named(agent, project, workspace)
    if options["as_of"]:
        options["as_of"] = moments.as_of(options["as_of"])
    result = recall_memories(
        settings.home(),
        actor,
        query,
        reader=reader,
        from_scope=from_scope,
        include_sensitive=include_sensitive,
        **options,
    )
    settings.emit(result, [line for item in result.items for line in _found(item)])
    if not result.items:
        here = f"nothing is known about this in {text.one_line(str(reader.project))}; --project names another project"
        settings.say(here if not query or fts.terms(query) else fts.NOTHING)
    warn_words_alone(result.vector_problem)
    if not result.vector_enabled and not result.vector_problem and query:
        settings.say("found by words alone: there are no vectors here")


def _found(item: RecalledMemory) -> Iterator[str]:
    size = table.width()
    yield table.row([(item.id, 26), (item.badge, 9)], item.kind, size)
    yield from table.wrap(text.one_line(item.content, 400), size, _INDENT)
    found = " and ".join(_PATHS[path] for path in item.match_paths)
    yield from _reason(f"found by {found} (score {item.score:.2f})", size)
    yield from _reason(item.badge_reason, size)
    if item.evidence:
        yield from _reason(f"{phrases.source(item.evidence[0])}: {text.one_line(item.evidence[0].excerpt)}", size)


def _reason(said: str, size: int) -> Iterator[str]:
    """One reason, its further lines below its first."""
    for number, line in enumerate(table.wrap(said, size - len(_INDENT) - 2)):
        yield f"{_INDENT}{'  ' if number else '- '}{line}"


@click.command()
@_as_reader
@click.option("--max-chars", type=click.IntRange(500, 30_000), help="How long the text may be.  [default: 6000]")
@click.option("--exclude", metavar="ID", multiple=True, help="A memory to leave out; repeatable. Locked ones stay.")
@click.option("--preview", is_flag=True, help="Show it to the person: not archived; says what the agent was told last.")
@pass_settings
def lens(
    settings: Settings,
    agent: str,
    project: str | None,
    workspace: str | None,
    max_chars: int | None,
    exclude: tuple[str, ...],
    preview: bool,
) -> None:
    """Compile what an agent should know, as one text.

    What is handed out is archived, so that it can be seen later what an agent was told.
    """
    from workbench.ledger.lens import DEFAULT_CHARS
    from workbench.operations import lens as lenses

    reader = reader_named(agent, project, workspace)
    if preview:
        actor = PERSON if person_is_here() else Actor("agent", agent)
        found = lenses.check(settings.home(), actor, reader=reader, max_chars=max_chars, exclude=exclude or None)
        settings.emit(found, found.preview.payload.splitlines())
        _said_of(settings, found.preview)
        settings.say(_last(found))
        return
    result = lenses.compile_lens(
        settings.home(), Actor("agent", agent), reader=reader, max_chars=max_chars or DEFAULT_CHARS, exclude=exclude
    )
    settings.emit(result, result.payload.splitlines())
    _said_of(settings, result)
    if result.archive_id is None:
        click.echo(_NOT_ARCHIVED, err=True)


def _said_of(settings: Settings, result: LensOut) -> None:
    settings.say(
        f"{result.characters:,} of {result.max_chars:,} characters, {text.some(len(result.included), 'memories')}"
    )
    if result.locked_overflow:
        settings.say("what is locked alone is longer than that; nothing else is in it")
    if result.has_overflow:
        more = "or more " if len(result.truncated) == 1_000 else ""
        settings.say(f"{len(result.truncated):,} {more}did not fit; `workbench recall` finds them")
    if result.blocked:
        settings.say(f"{len(result.blocked)} look like an attempt to instruct the reader and are left out")


def _last(found: LensCheck) -> str:
    if found.latest_archive is None:
        return "it was not handed out yet"
    same = "the same" if found.matches_archive else "another text"
    return f"last handed out {dates.local(found.latest_archive.created_at)}: {same}"


@click.command()
@click.option("--session", metavar="KEY", help="The conversation it is for: its project is meant.")
@_as_reader
@pass_settings
def context(settings: Settings, session: str | None, agent: str, project: str | None, workspace: str | None) -> None:
    """Print the block that goes into an agent's prompt.

    What is in force, the notes in MEMORY.md, the knowledge graph, and, where notes can't be searched, those of the last
    three days: up to the setting agents.defaults.memoryContext.maxTokens. Its memories are archived, as a lens is.
    """
    from workbench.operations import context as contexts

    home = settings.home()
    if session and not project:
        project = _project_of(settings, home, session)
    result = contexts.prompt_block(home, Actor("agent", agent), reader=reader_named(agent, project, workspace))
    settings.emit(result, result.payload.splitlines())
    settings.say(f"{result.tokens:,} of {result.max_tokens:,} tokens, {len(result.included)} memories")
    if result.cut:
        settings.say(f"{result.cut:,} entries had no room; the setting memoryContext.maxTokens gives more")
    if result.blocked:
        settings.say(f"{result.blocked:,} look like an attempt to instruct the reader and are not shown")
    if result.archive_id is None:
        click.echo(_NOT_ARCHIVED, err=True)
    for remark in result.remarks:
        click.echo(f"workbench: {text.one_line(remark, 300)}", err=True)


def _project_of(settings: Settings, home: Home, session: str) -> str | None:
    """The project of a conversation; a prompt needs its block also where that is not known."""
    from workbench.sessions import browse

    try:
        if project := browse.project_of(home, session):
            return project
        why = "no project is known of this conversation"
    except WorkbenchError as error:
        why = str(error)
    settings.say(f"{why}; the project you are in is meant")
    return None


@click.command()
@_as_reader
@click.option("--limit", type=click.IntRange(1, 50), default=20, show_default=True)
@pass_settings
def bootstrap(settings: Settings, agent: str, project: str | None, workspace: str | None, limit: int) -> None:
    """List what is in force, the most important first."""
    from workbench.operations.recall import bootstrap_memories

    reader = reader_named(agent, project, workspace)
    result = bootstrap_memories(settings.home(), Actor("agent", agent), reader=reader, limit=limit)
    settings.emit(result, list(_listed(result)))
    if not result.items:
        settings.say("nothing is in force here yet")


def _listed(result: Bootstrap) -> Iterator[str]:
    size = table.width()
    for item in result.items:
        badge = "core" if item.tier == "core" else item.badge
        yield table.row([(item.id, 26), (badge, 9), (item.kind, 12)], text.one_line(item.content, 400), size)
