"""Groups of commands: they list what each does whole, and may import them when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection
from typing import Any

import click

# Characters of a sentence that is never cut.
_WHOLE = 1_000


class Group(click.Group):
    """A group whose list of commands says the first sentence of each, however long it is."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(_WHOLE)) for name, each in sorted(self.commands.items())]
            )


class LazyGroup(click.Group):
    """A group that knows its commands' names and help without importing them.

    :param commands_by_name: name → (``"module:attribute"``, one line of help).
    :param hidden_in: the names of those that are not listed in a context; they still run, and say why they don't.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - Click's
        commands_by_name: dict[str, tuple[str, str]],
        hidden_in: Callable[[click.Context], Collection[str]] = lambda _: (),
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **kwargs)
        self.commands_by_name = commands_by_name
        self.hidden_in = hidden_in

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order given."""
        hidden = self.hidden_in(ctx)
        return [name for name in self.commands_by_name if name not in hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command, or None when there is none of this name."""
        if cmd_name not in self.commands_by_name:
            return None
        module, _, attribute = self.commands_by_name[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from what is known without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands_by_name[name][1]) for name in self.list_commands(ctx)])
