"""``workbench config``: the settings of a home."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, pass_settings, person
from workbench.cli.lazy import Group

if TYPE_CHECKING:
    from workbench.operations.settings import SettingOut, SettingsOut


@click.group(cls=Group)
def config() -> None:
    """Show and change settings.

    KEY is a setting as the list names it, or the end of its name: memorySearch.maxResults.
    """


@config.command()
@pass_settings
def show(settings: Settings) -> None:
    """List every setting, what it is and what it takes."""
    from workbench.operations import settings as operations

    found = operations.show(settings.home())
    settings.emit(found, _lines(found))
    for problem in found.problems:
        click.echo(f"workbench: {found.path}: {text.one_line(problem, 300)}", err=True)


@config.command()
@click.argument("key")
@pass_settings
def get(settings: Settings, key: str) -> None:
    """Print what a setting is."""
    from workbench.operations import settings as operations

    found = operations.get(settings.home(), key)
    settings.emit(found, [_value(found.value)])
    if found.problem:
        click.echo(f"workbench: {text.one_line(found.problem, 300)}", err=True)


@config.command("set")
@click.argument("pairs", metavar="KEY VALUE [KEY VALUE]...", nargs=-1, required=True)
@pass_settings
def set_(settings: Settings, pairs: tuple[str, ...]) -> None:
    """Set a setting, or several that belong together; only the person does.

    VALUE is JSON, or plain text where the setting takes text. What can't be is refused, and nothing is written.
    """
    from workbench.operations import settings as operations

    if len(pairs) % 2:
        raise click.UsageError("each KEY needs a VALUE")
    actor = person("change", on="settings")
    done = operations.change(settings.new_home(), actor, zip(pairs[::2], pairs[1::2], strict=True))
    settings.emit(done, [f"{each.name} is {_value(each.value)}" for each in done])


def _lines(found: SettingsOut) -> Iterator[str]:
    width = max(len(each.name) for each in found.settings)
    for each in found.settings:
        yield f"{each.name:<{width}}  {_value(each.value)}{_default(each)}"


def _default(setting: SettingOut) -> str:
    return "" if setting.value == setting.default else f"  (default {_value(setting.default)})"


def _value(value: object) -> str:
    return text.one_line(json.dumps(value, ensure_ascii=False), 200)
