"""``workbench search`` and ``get``: the notes, as a search finds them and as they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import fts, text
from workbench.cli.context import Settings, pass_settings, warn_words_alone

if TYPE_CHECKING:
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
@pass_settings
def get(settings: Settings, path: str, from_line: int, lines: int) -> None:
    """Read lines of a note.

    PATH is as a search says it, memory/MEMORY.md, or MEMORY.md for short.
    """
    from workbench.operations import notes

    found = notes.memory_get(settings.home(), path, from_line, lines)
    settings.emit(found, [text.visible(line) for line in found.text.split("\n")])
    if found.total is None:
        settings.say(f"{text.one_line(path, 80)} is gone; these lines are what the index has of it")
    elif found.total >= from_line + lines:
        settings.say(f"lines {from_line} to {from_line + lines - 1} of {found.total}; use --from {from_line + lines}")
