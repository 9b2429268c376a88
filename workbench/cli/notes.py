"""``workbench search``, ``get`` and ``append``: the notes, as a search finds them, as they stand, and written to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import fts, text
from workbench.cli.context import Settings, asked_again, pass_settings, person_is_here, shown_to, warn_words_alone
from workbench.errors import WorkbenchError
from workbench.ledger.model import PERSON, Actor, Kind

if TYPE_CHECKING:
    from workbench.operations.note_entries import NoteEntry
    from workbench.operations.notes import NoteHit


@click.command()
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 50), help="Results to show.  [default: the setting maxResults, 6]")
@pass_settings
def search(settings: Settings, query: str, limit: int | None) -> None:
    """Search the notes: MEMORY.md, daily notes, further folders.

    Those of the home, USER.md, and the folders that the setting agents.defaults.memorySearch.extraPaths names.
    """
    from workbench.operations import notes

    found = notes.memory_search(settings.home(), query, limit)
    settings.emit(found, _lines(found.results))
    warn_words_alone(found.vector_problem)
    settings.say_unread(found.unread)
    if not found.results:
        none = "no note answers this; `workbench recall` asks the memories"
        settings.say(none if fts.terms(query) else fts.NOTHING)


def _lines(results: list[NoteHit]) -> Iterator[str]:
    for number, hit in enumerate(results):
        if number:
            yield ""
        yield f"{text.one_line(hit.path)}:{hit.lines}  {hit.score:.2f} by {' and '.join(hit.match_paths)}"
        for line in hit.snippet.splitlines():
            yield f"  {text.visible(line)}"


@click.command()
@click.argument("path")
@click.option("--from", "from_line", type=click.IntRange(1), default=1, show_default=True, help="The first line.")
@click.option("--lines", type=click.IntRange(1, 2_000), default=30, show_default=True, help="How many.")
@click.option("--entries", "as_entries", is_flag=True, help="List its entries instead, with their memories.")
@pass_settings
def get(settings: Settings, path: str, from_line: int, lines: int, as_entries: bool) -> None:
    """Read lines of a note.

    PATH is as a search says it, memory/MEMORY.md, or MEMORY.md for short.
    """
    from workbench.operations import note_entries, notes

    if as_entries:
        listed = note_entries.entries_of(settings.home(), path, reader=shown_to(settings))
        settings.emit(listed, [line for each in listed for line in _entry(each)])
        return
    found = notes.memory_get(settings.home(), path, from_line, lines)
    settings.emit(found, [text.visible(line) for line in found.text.split("\n")])
    if found.total is None:
        settings.say(f"{text.one_line(path, 80)} is gone; these lines are what the index has of it")
    elif found.total >= from_line + lines:
        settings.say(f"lines {from_line} to {from_line + lines - 1} of {found.total}; use --from {from_line + lines}")


def _entry(each: NoteEntry) -> Iterator[str]:
    yield f"{each.line:>4}  {text.one_line(each.reference, 80)}  {text.one_line(each.text)}"
    for memory in each.memories:
        yield f"      {memory.id} {memory.relation} this ({memory.status}): {text.one_line(memory.content)}"


@click.command()
@click.argument("content", metavar="TEXT")
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), default="preference", show_default=True)
@click.option("--heard-in", metavar="SESSION#ID", multiple=True, help="A message that says it; repeatable.")
@click.option("--agent", metavar="NAME", help="Which agent writes it.  [default: cli; you, at your own terminal]")
@click.option("--yes", is_flag=True, help="Also when it replaces something locked.")
@pass_settings
def append(
    settings: Settings, content: str, kind: str, heard_in: tuple[str, ...], agent: str | None, yes: bool
) -> None:
    """Write TEXT into MEMORY.md as an entry of its own.

    The time stands above it, and it is a memory: what must wait is not in the file before you rule on it, and what
    becomes of the memory becomes of the entry. What says nearly the same as an entry, or as what waits, is refused.
    """
    from workbench.operations import append as appending

    actor = PERSON if agent is None and person_is_here() else Actor("agent", agent or "cli")
    home = settings.home()
    result = asked_again(
        lambda ok: appending.memory_append(home, actor, content, kind=Kind(kind), heard_in=heard_in, confirm_locked=ok),
        yes,
    )
    settings.emit(result, [result.message] if result.stored else [])
    settings.warn_backlog(result.backlog)
    if not result.stored:
        raise WorkbenchError(result.message)
