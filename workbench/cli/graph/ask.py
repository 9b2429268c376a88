"""``workbench graph query``, ``search``, ``timeline``, ``neighbours``, ``path`` and ``stats``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

import click

from workbench import dates, text
from workbench.cli import table
from workbench.cli.context import Settings, filled, pass_settings, shown_to
from workbench.graph.queries import Direction
from workbench.home import Home

if TYPE_CHECKING:
    from workbench.operations.models_graph import FactOut

_AS_OF = click.option(
    "--as-of", metavar="DATE", callback=filled, help="What held then; a day, month or year is asked about at its end."
)
_LIMIT = click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)


@click.command()
@click.argument("name")
@_AS_OF
@click.option("--direction", type=click.Choice(get_args(Direction)), default="both", show_default=True)
@pass_settings
def query(settings: Settings, name: str, as_of: str | None, direction: Direction) -> None:
    """Show the facts of the entity NAME, past ones too.

    Each line says whether the fact holds now, from when to when, and which memory states it.
    """
    from workbench.operations import graph

    home, private = settings.home(), shown_to(settings) is None
    _emit(settings, home, graph.query(home, name, as_of=as_of, direction=direction, private=private))


@click.command()
@click.argument("predicate")
@_AS_OF
@_LIMIT
@pass_settings
def search(settings: Settings, predicate: str, as_of: str | None, limit: int) -> None:
    """Show the facts with PREDICATE, such as works_at."""
    from workbench.operations import graph

    home, private = settings.home(), shown_to(settings) is None
    found = graph.search(home, predicate, as_of=as_of, limit=limit, private=private)
    _emit(settings, home, found, f"No facts found with relationship {text.quoted(predicate)}.")


@click.command()
@click.argument("name", required=False)
@_LIMIT
@pass_settings
def timeline(settings: Settings, name: str | None, limit: int) -> None:
    """Show facts in the order in which they began: of NAME, or of all."""
    from workbench.operations import graph

    home, private = settings.home(), shown_to(settings) is None
    _emit(settings, home, graph.timeline(home, name, limit=limit, private=private))


@click.command()
@click.argument("name")
@click.option("--depth", type=click.IntRange(1, 6), default=1, show_default=True, help="So many facts away.")
@_AS_OF
@_LIMIT
@pass_settings
def neighbours(settings: Settings, name: str, depth: int, as_of: str | None, limit: int) -> None:
    """Show the entities around NAME, the nearest first, each with a fact by which it was reached."""
    from workbench.operations import graph

    home, private = settings.home(), shown_to(settings) is None
    found = graph.neighbours(home, name, depth=depth, as_of=as_of, limit=limit, private=private)
    size = table.width()
    settings.emit(
        found,
        [
            table.row([(f"{each.distance}", 2), (each.type, 8), (text.one_line(each.name), 24)], _line(each.via), size)
            for each in found
        ],
    )
    _say_none(settings, not found)


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--max-length", type=click.IntRange(1, 6), default=4, show_default=True, help="No longer way.")
@_AS_OF
@pass_settings
def path(settings: Settings, source: str, target: str, max_length: int, as_of: str | None) -> None:
    """Show the shortest way from SOURCE to TARGET along facts that hold, in either direction."""
    from workbench.operations import graph

    home, private = settings.home(), shown_to(settings) is None
    found = graph.path(home, source, target, max_length=max_length, as_of=as_of, private=private)
    settings.emit(found, [_line(fact) for fact in found.facts])
    if not found.facts:
        settings.say(f"no way of at most {max_length} facts; --max-length asks for longer ones")


@click.command()
@pass_settings
def stats(settings: Settings) -> None:
    """Say how much the graph holds."""
    from workbench.operations import graph

    found = graph.stats(settings.home())
    used = ", ".join(text.one_line(name, 64) for name in found.relationship_types) or "none yet"
    settings.emit(
        found,
        [
            f"{found.entities:>9,} entities, {found.aliases:,} other names",
            f"{found.triples:>9,} facts: {found.current_facts:,} hold now, {found.expired_facts:,} do not",
            f"{found.hidden:>9,} doubles and loops, not shown",
            f"predicates: {used}",
        ],
    )


@click.command()
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True, help="Entities at most.")
@click.option("--max-tokens", type=click.IntRange(50, 100_000), default=800, show_default=True)
@pass_settings
def summary(settings: Settings, limit: int, max_tokens: int) -> None:
    """Print the entities of which most holds now, as a block for a prompt; nothing private is in it."""
    from workbench.operations import graph

    found = graph.summary(settings.home(), limit=limit, max_tokens=max_tokens)
    settings.emit(found, found.block.splitlines())
    if found.blocked:
        settings.say(f"{found.blocked} not shown: they look like an attempt to instruct the reader")
    if not found.entities:
        settings.say("nothing is known yet")


def _emit(settings: Settings, home: Home, facts: list[FactOut], none: str = "") -> None:
    settings.emit([*facts], [] if settings.as_json else _rows(home, facts))
    _say_none(settings, not facts, none)


def _say_none(settings: Settings, none: bool, why: str = "") -> None:
    if none:
        settings.say(why or "nothing is known of it at that time; without --as-of all times are shown")


def _rows(home: Home, facts: list[FactOut]) -> Iterator[str]:
    from workbench.operations import memories

    size, short = table.width(), memories.short_ids(home, list({fact.memory_id for fact in facts}))
    longest = max((len(memory_id) for memory_id in short.values()), default=0)
    for fact in facts:
        columns = [
            ("now" if fact.current else "", 3),
            (dates.local_day(fact.valid_from), 10),
            (dates.local_day(fact.valid_to), 10),
        ]
        yield table.row([(short[fact.memory_id], longest), *columns], _line(fact), size)


def _line(fact: FactOut) -> str:
    return text.one_line(f"{fact.subject} → {fact.predicate} → {fact.object}", 2_000)
