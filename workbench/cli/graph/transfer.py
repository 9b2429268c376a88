"""``workbench graph export`` and ``import``: facts by the file."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from workbench import text
from workbench.cli.context import Settings, TranscriptPath, filled, pass_settings, person
from workbench.cli.graph.say import AGENT, speaker
from workbench.errors import WorkbenchError
from workbench.graph.export import Format

_FORMATS = get_args(Format)
_FILE = click.argument("file", metavar="FILE", type=TranscriptPath())


@click.command()
@_FILE
@click.option("--format", "format_", type=click.Choice(_FORMATS), help="  [default: as the name of FILE ends]")
@click.option("--as-of", metavar="DATE", callback=filled, help="Only what held then.")
@click.option("--force", is_flag=True, help="Also where there is a file already.")
@pass_settings
def export(settings: Settings, file: Path, format_: Format | None, as_of: str | None, force: bool) -> None:
    """Write the facts to FILE: GraphML for graph programs; JSON and CSV, which `import` reads again."""
    from workbench.operations import graph_transfer

    person("export", on="the graph")
    ending = file.suffix.lower().removeprefix(".")
    chosen = format_ or next((each for each in _FORMATS if each == ending), None)
    if chosen is None:
        raise WorkbenchError(f"{file} does not end as a format does; say --format graphml, json or csv")
    done = graph_transfer.export_file(settings.home(), file, chosen, as_of=as_of, force=force)
    settings.emit(done, [f"wrote {done.triples:,} facts and {done.entities:,} entities to {text.one_line(done.path)}"])


@click.command("import")
@_FILE
@AGENT
@pass_settings
def import_(settings: Settings, file: Path, agent: str | None) -> None:
    """Bring the facts of FILE into the graph: JSON or CSV as `export` writes it, or a Flowly's knowledge_graph.sqlite3.

    One memory stands for all of them: accept, undo and erase work on the whole. CSV begins with a line of names:
    subject, predicate, object; valid_from, valid_to, confidence, source, subject_type and object_type may follow.
    """
    from workbench.operations import graph_transfer

    done = graph_transfer.import_file(settings.new_home(), speaker(agent), file)
    lines = [done.message]
    lines += [f"left out: {count:,}, {text.one_line(why)}" for why, count in sorted(done.left_out.items())]
    if done.lossy:
        some = ", ".join(text.quoted(value) for value in done.lossy[:3])
        lines.append(f"{text.counted(len(done.lossy), 'value')} came as the source keeps them, such as {some}")
    lines.append(f"the graph held {done.before.triples:,} facts before, and {done.after.triples:,} after")
    if done.change_id and done.memory.status == "active":
        lines.append(f"to take it all back: workbench memory undo --change {done.change_id}")
    settings.emit(done, lines)
    settings.warn_backlog(done.backlog)
