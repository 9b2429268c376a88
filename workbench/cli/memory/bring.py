"""``workbench memory migrate``: the memories of another program come in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, TranscriptPath, pass_settings, person

if TYPE_CHECKING:
    from workbench.operations.foreign import ImportResult

_OUTCOMES = (
    ("waiting", "wait for you"),
    ("active", "are in force"),
    ("superseded", "are history: replaced there"),
    ("archived", "are history: put away there"),
    ("rejected", "are rejected, as they were there"),
    ("known", "were known here"),
    ("repeated", "were taken over before"),
    ("rejected_before", "were ruled wrong here"),
    ("erased_before", "were erased here"),
    ("refused", "could not be taken over"),
)


@click.command()
@click.option("--from", "path", metavar="PATH", type=TranscriptPath(), required=True, help="A Flowly home, or a file.")
@click.option("--trust-source", is_flag=True, help="It is your own: what you kept there is yours here, too.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and change nothing.")
@pass_settings
def migrate(settings: Settings, path: Path, trust_source: bool, dry_run: bool) -> None:
    """Take over the memories of a Flowly home or of a FlareMo export; the source is only read.

    Each waits for you. With --trust-source what was in force there is in force here, what you accepted there is
    yours, and what was rejected there stays rejected.
    """
    from workbench.operations import foreign

    owner = person("take over")
    trusted_by = owner if trust_source else None
    result = foreign.migrate(settings.new_home(), path, trusted_by=trusted_by, dry_run=dry_run)
    settings.emit(result, import_lines(result))
    settings.warn_backlog(result.backlog)


def import_lines(result: ImportResult) -> list[str]:
    """What became of another store, for a terminal."""
    found = ", ".join(f"{count:,} {_named(count, name)}" for name, count in sorted(result.found.items())) or "nothing"
    dry = "nothing was changed: this is what would happen" if result.dry_run else ""
    lines = [f"found in {text.one_line(result.path, 60)} ({result.source}): {found}", *filter(None, [dry])]
    lines += [f"{getattr(result, name):>7,} {said}" for name, said in _OUTCOMES if getattr(result, name)]
    if result.left_out:
        lines += ["left out:", *(_left_out(item.count, item.what, item.why) for item in result.left_out)]
    before, after = (
        sum(count for name, count in counts.items() if name not in _NO_STATUS)
        for counts in (result.before, result.after)
    )
    lines.append(f"the ledger held {text.some(before, 'memories')} before, and {after:,} after")
    if result.change_id and result.created:
        lines.append(f"to take it all back: workbench memory undo --change {result.change_id}")
    return lines


# Counts that are not of memories by their status.
_NO_STATUS = ("waiting", "learned", "events")


def _left_out(count: int, what: str, why: str) -> str:
    return f"{count:>7,} {text.one_line(f'{_named(count, what)}: {why}', 200)}"


def _named(count: int, what: str) -> str:
    """What so many of a kind are called; a kind may be the name of a table."""
    return text.noun(count, text.visible(what).replace("_", " "))
