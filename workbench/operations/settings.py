"""The settings of a home as a person, or an agent, sees and changes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from workbench import config, guard
from workbench.config import SETTINGS
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger.lifecycle import PersonOnly
from workbench.ledger.model import Actor
from workbench.text import quoted


class SettingOut(BaseModel):
    """One setting.

    :param value: what the file says, else what holds without it; credentials are masked.
    :param takes: what it may be, in words.
    :param problem: what is wrong with the value of the file.
    """

    name: str
    value: Any
    default: Any
    takes: str
    problem: str | None = None


class SettingsOut(BaseModel):
    """All settings.

    :param lost: where the settings are that can't be read, and what holds until they can be.
    :param unknown: keys of the file that are no settings, each with the one that may be meant.
    :param problems: what is wrong in the file.
    """

    path: str
    settings: list[SettingOut]
    lost: str | None
    unknown: dict[str, str | None]
    problems: list[str]


def show(home: Home) -> SettingsOut:
    """Every setting, also of a file with values that can't be.

    :raises WorkbenchError: when there is no reading the file at all.
    """
    found = config.document(home)
    problems = config.problems(found or {})
    return SettingsOut(
        path=str(home.config),
        settings=[
            SettingOut(
                name=setting.name,
                value=_shown(setting, _held(setting, found)),
                default=setting.default,
                takes=setting.takes,
                problem=problems.get(setting.name),
            )
            for setting in SETTINGS.values()
        ],
        lost=config.lost(home),
        unknown=config.unknown(home),
        problems=list(problems.values()),
    )


def trouble(home: Home) -> str | None:
    """Why the settings are not those of the file, or can't be used at all; None when they are as they should be."""
    try:
        config.load(home)
        return config.lost(home)
    except WorkbenchError as error:
        return str(error)


def get(home: Home, name: str) -> SettingOut:
    """One setting, by its name or a unique end of it."""
    wanted = _named(name)
    return next(each for each in show(home).settings if each.name == wanted)


def change(home: Home, actor: Actor, to: Iterable[tuple[str, str]]) -> list[SettingOut]:
    """Set some settings at once.

    :param to: (name, value) of each; a value is JSON, of a setting that is text the text itself.
    :raises PersonOnly: when an agent asks: settings decide what agents may do.
    :raises WorkbenchError: when there is no such setting, or the value is none for it; then nothing is written.
    """
    if actor.kind != "person":
        raise PersonOnly("settings decide what agents may do, so only the person changes them")
    named = [(SETTINGS[_named(name)], value) for name, value in to]
    config.change(home, {each.name: value if each.is_text else _parsed(value) for each, value in named})
    return [get(home, each.name) for each, _ in named]


def _held(setting: config.Setting, found: config.Document | None) -> Any:  # noqa: ANN401 - JSON
    if found is None:
        return setting.cautious
    said = config.value(found, setting.name)
    return setting.default if said is None else said


def _shown(setting: config.Setting, value: Any) -> Any:  # noqa: ANN401 - JSON
    return "[not shown]" if setting.hidden and value else guard.mask_all(value)


def _parsed(value: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _named(name: str) -> str:
    """The setting that a name, or its end, means."""
    found = [each for each in SETTINGS if each == name or each.endswith(f".{name}")]
    if len(found) == 1 or name in found:
        return name if name in found else found[0]
    if found:
        raise WorkbenchError(f"{quoted(name, 80)} may be {' or '.join(found)}")
    meant = config.meant(name)
    hint = f"; is {meant} meant?" if meant else "; `workbench config show` lists them"
    raise WorkbenchError(f"there is no setting {quoted(name, 80)}{hint}")
