"""``workbench memory``: how one memory stands (locked, core, put away), and which fact it states."""

from __future__ import annotations

import click

from workbench.cli.context import Settings, pass_settings
from workbench.cli.memory.rule import id_argument, rule, yes_option


@click.command()
@id_argument
@yes_option
@pass_settings
def lock(settings: Settings, memory_id: str, yes: bool) -> None:
    """Pin a memory: it is yours, and nothing replaces it unasked."""
    from workbench.operations import rulings

    rule(settings, "lock", (memory_id,), lambda h, a, ok: rulings.lock(h, a, memory_id, confirm_locked=ok), yes)


@click.command()
@id_argument
@pass_settings
def unlock(settings: Settings, memory_id: str) -> None:
    """Take the pin off a memory; it stays yours."""
    from workbench.operations import rulings

    rule(settings, "unlock", (memory_id,), lambda h, a, _: rulings.unlock(h, a, memory_id))


@click.command()
@id_argument
@click.option("--off", is_flag=True, help="No longer.")
@pass_settings
def core(settings: Settings, memory_id: str, off: bool) -> None:
    """Put a memory of yours among the few that are shown first."""
    from workbench.operations import rulings

    act = "uncore" if off else "core"
    rule(settings, act, (memory_id,), lambda h, a, _: rulings.set_core(h, a, memory_id, not off))


@click.command()
@id_argument
@pass_settings
def restore(settings: Settings, memory_id: str) -> None:
    """Bring back a memory that was put away."""
    from workbench.operations import rulings

    rule(settings, "restore", (memory_id,), lambda h, a, _: rulings.restore(h, a, memory_id))


@click.command()
@id_argument
@click.argument("key", metavar="KEY")
@yes_option
@pass_settings
def split(settings: Settings, memory_id: str, key: str, yes: bool) -> None:
    """Say that a memory was not replaced: it is another fact, with its own key."""
    from workbench.operations import rulings

    rule(
        settings,
        "split",
        (memory_id,),
        lambda h, a, ok: rulings.split(h, a, memory_id, key, confirm_locked=ok),
        yes,
        key=key,
    )


@click.command()
@id_argument
@click.argument("key", metavar="KEY")
@yes_option
@pass_settings
def rekey(settings: Settings, memory_id: str, key: str, yes: bool) -> None:
    """Give a memory another fact key; with --yes it replaces what holds it."""
    from workbench.operations import rulings

    rule(
        settings,
        "rekey",
        (memory_id,),
        lambda h, a, ok: rulings.rekey(h, a, memory_id, key, replace=ok),
        yes,
        key=key,
    )


@click.command()
@click.argument("keep", metavar="KEEP")
@click.argument("others", metavar="ID...", nargs=-1, required=True)
@yes_option
@pass_settings
def merge(settings: Settings, keep: str, others: tuple[str, ...], yes: bool) -> None:
    """Keep one of several memories that say the same; the others are replaced by it."""
    from workbench.operations import rulings

    rule(
        settings,
        "merge",
        (keep,),
        lambda h, a, ok: rulings.merge(h, a, keep, others, confirm_locked=ok),
        yes,
        others=list(others),
    )
