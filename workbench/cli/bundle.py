"""``workbench export`` and ``import-bundle``."""

from __future__ import annotations

from pathlib import Path

import click

from workbench import text
from workbench.cli.context import Settings, asked_again, pass_settings, person


@click.command("export")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--force", is_flag=True, help="Replace FILE if there is one.")
@pass_settings
def export(settings: Settings, path: Path, force: bool) -> None:
    """Write everything the ledger holds to FILE.

    The file is as private as the ledger: it holds what you marked secret, and the history of every memory.
    """
    from workbench.operations import bundle

    result = bundle.export(settings.home(), person("export"), path, force=force)
    memories = result.counts.get("memories", 0)
    settings.emit(result, [f"wrote {text.some(memories, 'memories')} ({result.bytes:,} bytes) to {result.path}"])


@click.command("import-bundle")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--own-backup", is_flag=True, help="It is a backup of your own: it comes back as it was.")
@click.option(
    "--yes", is_flag=True, help="With --own-backup: into a ledger that is not empty; what is missing is added."
)
@click.option("--dry-run", is_flag=True, help="Say what would happen, and change nothing.")
@pass_settings
def import_bundle(settings: Settings, path: Path, own_backup: bool, yes: bool, dry_run: bool) -> None:
    """Take over the memories of a bundle.

    Each waits for you, whatever the bundle says of it. Only with --own-backup is it believed.
    """
    from workbench.cli.memory.bring import import_lines
    from workbench.operations import bundle

    owner = person("take over")
    home = settings.new_home()
    if not own_backup:
        brought = bundle.import_foreign(home, path, dry_run=dry_run)
        settings.emit(brought, import_lines(brought))
        settings.warn_backlog(brought.backlog)
        return
    result = asked_again(
        lambda confirmed: bundle.import_own(home, owner, path, add_missing=confirmed, dry_run=dry_run), yes
    )
    would = "would come back" if dry_run else "came back"
    lines = [f"{text.some(result.restored.get('memories', 0), 'memories')} {would} from {result.path}"]
    if result.left_out:
        lines.append(f"{result.left_out.get('memories', 0):,} did not: they are here, or their place is taken")
    settings.emit(result, lines)
    for problem in result.problems:
        settings.say(f"workbench: the backup's history: {problem}")
    settings.warn_backlog(result.backlog)
