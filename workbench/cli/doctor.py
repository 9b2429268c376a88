"""``workbench doctor`` and ``rebuild``: what is damaged, and what is made again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, pass_settings
from workbench.errors import WorkbenchError
from workbench.home import Home

if TYPE_CHECKING:
    from workbench.operations.doctor import Diagnosis
    from workbench.operations.models import RebuildResult


@click.command()
@click.option("--repair", is_flag=True, help="Make again what is damaged and derived; rows of the ledger stay.")
@pass_settings
def doctor(settings: Settings, repair: bool) -> None:
    """Check the databases of the home.

    An index, or the full text of the ledger, is made again from what it is derived from. For anything else there are
    backups: a damaged file is kept as it is.
    """
    from workbench.operations import doctor as examining

    home = settings.home()
    with settings.progress("embedding") as advance:
        found = examining.examine(home, repair=repair, progress=advance)
    settings.emit(found, list(_lines(found)))
    if not found.ok:
        raise WorkbenchError("not everything is sound; nothing that is damaged was changed")


def _lines(found: Diagnosis) -> Iterator[str]:
    for health in found.files:
        state = "sound" if health.problem is None else "made again" if health.repaired else "DAMAGED"
        yield f"{state:<11}{text.one_line(health.path, 200)}"
        if health.problem and not health.repaired:
            yield f"{'':<11}{text.one_line(health.problem, 1_000)}" + (f"; {health.remedy}" if health.remedy else "")
    yield f"{'SQLite':<11}{found.sqlite}"


@click.command()
@click.argument("what", type=click.Choice(["sessions", "notes", "vectors", "all"]), default="all")
@pass_settings
def rebuild(settings: Settings, what: str) -> None:
    """Make a derived index again from the files it is derived from.

    "sessions" is the index of the conversations; "notes" that of the notes, the vectors of memories, and the generated
    block of MEMORY.md; "all" is both, and the full text of the ledger where it is damaged. "notes" and "all" make other
    vectors for a few seconds; "vectors" makes all that are missing, however long it takes, and can be stopped: the next
    one goes on from there.
    """
    from workbench.cli.ingest import embed_new
    from workbench.operations import doctor as examining

    home = settings.home()
    if what == "vectors":
        _rebuild_vectors(settings, home)
        return
    with settings.progress("embedding") as advance:
        done = examining.rebuild(home, what, advance)
    if what != "sessions" and done.vectors is not None:
        embed_new(settings, home)
    settings.emit(done, list(_made(done)))
    for remark in done.remarks:
        settings.say(remark)
    problems = [*done.damaged, *done.backlog]
    for problem in problems:
        click.echo(f"workbench: {text.one_line(problem, 300)}", err=True)
    if problems:
        click.get_current_context().exit(1)


def _rebuild_vectors(settings: Settings, home: Home) -> None:
    from workbench.operations import embedding

    with settings.progress("embedding") as advance:
        memories = embedding.embed_memories(home, advance)
        read = embedding.embed_read(home, advance)
    if not read.vector_enabled:
        raise WorkbenchError(read.vector_problem or f"{embedding.NONE} (pip install 'memory-workbench[vectors]')")
    settings.emit(
        {"memories": memories.model_dump(), "read": read.model_dump()},
        [
            f"{name}: {text.counted(done.embedded, 'vector')} made, {done.removed} removed"
            for name, done in (("memories", memories), ("notes and messages", read))
        ],
    )


def _made(done: RebuildResult) -> Iterator[str]:
    if done.sessions is not None:
        yield f"{text.counted(done.sessions, 'session')}, {text.counted(done.messages or 0, 'message')} indexed"
    if done.notes is not None:
        note = "" if any("MEMORY.md" in each for each in done.backlog) else ", MEMORY.md brought up to date"
        memories = "" if done.vectors is None else f", {text.some(done.vectors, 'memories')} embedded"
        yield f"{text.counted(done.notes, 'note')} indexed{memories}{note}"
