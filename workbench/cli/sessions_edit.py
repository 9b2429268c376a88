"""``workbench sessions compact``, ``retry``, ``undo`` and ``restore``: what a conversation carries forward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, pass_settings, person

if TYPE_CHECKING:
    from workbench.operations.compaction import Compacted, Withdrawn

_ON = "what was said in a conversation"


@click.command()
@click.argument("key")
@click.option("--window", type=click.IntRange(1), metavar="N", help="The model's context window in tokens.")
@click.option("--model", metavar="NAME", help="An llm model that writes the summary (default: an extract).")
@click.option("--force", is_flag=True, help="Also where there is not too much yet.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@pass_settings
def compact(settings: Settings, key: str, window: int | None, model: str | None, force: bool, dry_run: bool) -> None:
    """Sum up what was said before the last turns of a conversation.

    Done where it nears what a model can take. The messages stay and are found; a summary stands for them in what the
    conversation carries forward. What is about to be summed up is learned from first.
    """
    from workbench.operations import compaction

    done = compaction.compact(settings.home(), key, window=window, model=model, force=force, dry_run=dry_run)
    settings.emit(done, _compacted_lines(done))
    _fail_if_behind(done)


def _compacted_lines(done: Compacted) -> Iterator[str]:
    name = text.one_line(done.session_key)
    yield f"{name}  {done.tokens_before:,} tokens, compacted above {done.threshold:,} of a window of {done.window:,}"
    if done.learned is not None:
        learned = done.learned
        yield (
            f"learned first from {text.counted(learned.messages, 'message')}:"
            f" {text.counted(learned.statements, 'statement')}, {learned.activated} in force, {learned.waiting} waiting"
        )
    left = f"; {done.tokens_after:,} tokens now" if done.tokens_after < done.tokens_before else ""
    yield done.message + left
    for line in (done.summary or "").splitlines():
        yield f"  {text.visible(line)}"


@click.command()
@click.argument("key")
@pass_settings
def retry(settings: Settings, key: str) -> None:
    """Take back the last answer of a conversation; the question stays."""
    from workbench.operations import compaction

    _told(settings, compaction.retry(settings.home(), person("take back", on=_ON), key))


@click.command()
@click.argument("key")
@pass_settings
def undo(settings: Settings, key: str) -> None:
    """Take back your last message in a conversation, and all that answers it."""
    from workbench.operations import compaction

    _told(settings, compaction.undo(settings.home(), person("take back", on=_ON), key))


@click.command()
@click.argument("key")
@pass_settings
def restore(settings: Settings, key: str) -> None:
    """Bring back what `retry` or `undo` took back last; again for what was taken back before that."""
    from workbench.operations import compaction

    _told(settings, compaction.restore(settings.home(), person("bring back", on=_ON), key))


def _told(settings: Settings, done: Withdrawn) -> None:
    settings.emit(done, [f"{text.one_line(done.session_key)}  {done.message}", f"  {done.role}: {done.said}"])
    _fail_if_behind(done)


def _fail_if_behind(done: Compacted | Withdrawn) -> None:
    """Exit with 1 when something that was done could not be brought into the index."""
    for problem in done.backlog:
        click.echo(f"workbench: {text.one_line(problem, 300)}", err=True)
    if done.backlog:
        click.get_current_context().exit(1)


COMMANDS = (compact, retry, undo, restore)
