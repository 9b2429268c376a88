"""``workbench ingest``, ``sources`` and ``rebuild``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench import guard, text
from workbench.cli.context import Settings, TranscriptPath, pass_settings, refuse_named, warn_words_alone
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.home import Home
    from workbench.index.notes import Synced
    from workbench.operations.embedding import Embedded
    from workbench.sessions.report import IngestReport

# Lines about what is wrong that are printed; of more, their number.
_SAID = 20


@click.command()
@click.argument("paths", nargs=-1, type=TranscriptPath())
@click.option("--watch", is_flag=True, help="Go on: read what is written from now on, until stopped (Ctrl-C).")
@pass_settings
def ingest(settings: Settings, paths: tuple[Path, ...], watch: bool) -> None:
    """Read transcripts into the home.

    Each PATH is a file, a folder or a zip archive; with none, what agents left on this machine is read. Links are
    followed, those out of a folder too, and a folder that is reached twice is read once. Every source is only read.
    With --watch notes are indexed as they are saved, too: those of the home and of the folders that are named in the
    setting agents.defaults.memorySearch.extraPaths.
    """
    from workbench.operations import ingest as ingesting

    refuse_named(paths)
    if watch:
        _watch(settings, paths)
        return
    found = ingesting.find(list(paths))
    home = settings.new_home()
    with settings.progress("reading") as advance:
        report = ingesting.ingest(home, found, advance)
    embedded = embed_new(settings, home)
    settings.emit(report.as_dict() | {"vectors": embedded.model_dump()}, [totals_line(report)])
    say_problems(report)
    fail_if_behind(report)
    if report.damaged:
        click.get_current_context().exit(1)


def _watch(settings: Settings, paths: tuple[Path, ...]) -> None:
    """Read, and index notes, until a signal comes; one line each time something was read."""
    import signal
    from threading import Event

    from workbench.operations import embedding, note_watch
    from workbench.operations import ingest as ingesting

    stop, home = Event(), settings.new_home()
    total = {"reads": 0, "new": 0, "updated": 0, "removed": 0, "notes": 0}

    def told(report: IngestReport) -> None:
        changed = {name: getattr(report, name) for name in ("new", "updated", "removed")}
        if any(changed.values()):
            total["reads"] += 1
            total.update({name: total[name] + count for name, count in changed.items()})
            if not settings.as_json:
                click.echo(_read_line(report))
        say_problems(report)

    def stopped(number: int, _: object) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)  # a second one ends it at once

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stopped)

    def ready(found: int) -> None:
        settings.say(f"watching: {text.counted(found, 'transcript')} read; Ctrl-C stops")

    def indexed(synced: Synced) -> None:
        total["notes"] += synced.chunked + synced.removed
        _say_indexed(settings, synced)

    saying = partial(_say_notes, settings)
    with embedding.in_background(home, warn_words_alone), note_watch.in_background(home, indexed, saying):
        ingesting.watch(home, list(paths), stop, told, ready)
    settings.emit(
        total, [f"stopped: {text.counted(total['new'], 'new message')} in {text.counted(total['reads'], 'read')}"]
    )


def _say_notes(settings: Settings, synced: Synced) -> None:
    """How many notes there are to begin with."""
    if synced.files:
        settings.say(f"watching: {text.counted(synced.files, 'note')}")
    settings.say_unread(synced.unreadable)


def _say_indexed(settings: Settings, synced: Synced) -> None:
    """How many notes changed just now."""
    if not settings.as_json and (synced.chunked or synced.removed):
        done = ((synced.chunked, "indexed"), (synced.removed, "gone"))
        click.echo(", ".join(f"{text.counted(count, 'note')} {what}" for count, what in done if count))
    settings.say_unread(synced.unreadable)


def _read_line(report: IngestReport) -> str:
    """What was read just now, and where."""
    read = [Path(row["path"]).name for row in report.sources if row["read"]]
    named = ", ".join(read[:3]) + (f" and {len(read) - 3} more" if len(read) > 3 else "")
    changed = f", {report.updated} updated" if report.updated else ""
    return text.one_line(f"{text.counted(report.new, 'new message')}{changed}: {named}", 200)


def embed_new(settings: Settings, home: Home) -> Embedded:
    """Make vectors, for a few seconds; what is left, or why nothing was done, is said and fails nothing."""
    from workbench.operations import embedding

    try:
        with settings.progress("embedding") as advance:
            done = embedding.embed_all(home, advance, limit_seconds=embedding.LIMIT_SECONDS)
    except WorkbenchError as error:
        warn_words_alone(str(error))
        return embedding.Embedded(vector_problem=str(error))
    warn_words_alone(done.vector_problem)
    if done.left:
        settings.say(embedding.lag(done.left))
    return done


def totals_line(report: IngestReport) -> str:
    """What was read, on one line."""
    totals = report.totals
    changed = f", {totals['updated']} updated" if totals["updated"] else ""
    same = f", {totals['unchanged']:,} of them as before" if totals["unchanged"] else ""
    skipped, bad = totals["skipped"], totals["quarantined"]
    left_out = [
        f"{text.some(skipped, 'entries')} without a message" if skipped else "",
        f"{text.some(bad, 'lines')} that could not be read" if bad else "",
    ]
    rest = f" (left out: {', '.join(filter(None, left_out))})" if skipped or bad else ""
    files = text.counted(totals["sources"], "file")
    return f"{text.counted(totals['new'], 'new message')}{changed} in {files}{same}{rest}"


def fail_if_behind(report: IngestReport) -> None:
    """Exit with 1 when something that was read could not be indexed; it was said above."""
    if report.backlog:
        click.get_current_context().exit(1)


def say_problems(report: IngestReport) -> None:
    """Name every file that could not be read, or not whole; these are never silent."""
    said = [*report.backlog, *report.damaged, *report.errors, *map(_left_out, report.bad), *report.remarks]
    for problem in said[:_SAID]:
        click.echo(f"workbench: {guard.mask(text.one_line(problem, 600))}", err=True)
    if len(said) > _SAID:
        click.echo(f"workbench: and {len(said) - _SAID} more; --json names all of them", err=True)


def _left_out(bad: dict[str, Any]) -> str:
    """Which rows of a file could not be read."""
    rows = [f"line {row['line']}: {row['reason']}" if row["line"] else row["reason"] for row in bad["rows"]]
    more = [f"and {bad['count'] - len(rows)} more"] if bad["count"] > len(rows) else []
    lines = text.counted(bad["count"], "line")
    return f"{bad['file']}: {lines} could not be read and were left out ({'; '.join([*rows, *more])})"


@click.command()
@pass_settings
def sources(settings: Settings) -> None:
    """List the transcripts found on this machine."""
    from workbench.operations import ingest as ingesting

    found = ingesting.find([])
    settings.emit(
        [{"path": str(source.path), "format": source.format} for source in found],
        [f"{source.format:<12} {text.one_line(str(source.path), 200)}" for source in found],
    )
    if not found:
        settings.say("none found; name a file or folder: `workbench ingest PATH`")
