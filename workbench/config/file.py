"""``config.json``: reading it, keeping one that can't be read, and changing one setting in it."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from workbench import files, text
from workbench.config.model import SETTINGS, Config, meant
from workbench.errors import ReadOnly, StorageFull, WorkbenchError
from workbench.home import Home

Document = dict[str, Any]

# An editor may be writing the file: it is looked at so often, and so many seconds apart, before it counts as broken.
_LOOKS, _BETWEEN = 3, 0.05
_KEPT = ".broken-"


class _Broken(Exception):
    """The bytes are no JSON object."""


def load(home: Home) -> Config:
    """The settings of ``home``; defaults where the file or a key is missing.

    A file that can't be read is kept under another name; until there is one again, each setting has its cautious value.

    :raises WorkbenchError: when a value is out of range, or there is no reading the file at all.
    """
    found = document(home)
    if found is None:
        return Config.model_validate(_cautious(), by_name=False, by_alias=True)
    if said := problems(found):
        problem = next(iter(said.values()))
        more = f" (and {text.counted(len(said) - 1, 'other problem')})" if len(said) > 1 else ""
        raise WorkbenchError(f"{home.config}: {problem}{more}; correct it, or set it with `workbench config set`")
    return Config.model_validate(found, by_name=False, by_alias=True)


def document(home: Home) -> Document | None:
    """What the file says; None where it can't be read and so is kept aside, or was before.

    :raises WorkbenchError: when it is no plain file, or this user may not read it.
    """
    data = files.read_bytes(home.config)
    try:
        if data.strip():
            return _parsed(data)
    except _Broken:
        return _set_aside(home)
    return None if not os.path.lexists(home.config) and _kept(home) else {}


def lost(home: Home) -> str | None:
    """Where the settings are that can't be read, and what holds until they can be; None where nothing is lost.

    :raises WorkbenchError: as ``document`` does.
    """
    if document(home) is not None:
        return None
    moved = not os.path.lexists(home.config)
    place = _kept(home)[-1] if moved else home.config
    try:
        _parsed(files.read_bytes(place))
        why = "can be read"
    except _Broken as error:
        why = f"is no JSON ({error})"
    how = f"correct it and move it to {home.config}, or begin anew with `workbench config set`"
    return (
        f"the settings are lost: {place} {why}; {how if moved else 'correct it'}. Until then the defaults hold, nothing"
        " is put away by itself, and what agents say or dreaming finds waits for you"
    )


def problems(found: Document) -> dict[str, str]:
    """What is wrong with each value that can't be, by the name of its setting or section."""
    try:
        Config.model_validate(found, by_name=False, by_alias=True)
    except ValidationError as error:
        return {(said := _said(found, each))[0]: said[1] for each in error.errors()}
    return {}


def unknown(home: Home) -> dict[str, str | None]:
    """The keys of the file that are no settings, each with the setting that may be meant; none of a file that can't be
    read, which whoever needs it says."""
    try:
        found = document(home)
    except WorkbenchError:
        return {}
    return {name: meant(name) for name in _names(found or {})}


def change(home: Home, to: Mapping[str, Any]) -> None:
    """Give settings other values; everything else in the file stays.

    :param to: values by the names of the settings.
    :raises WorkbenchError: when a value is none for its setting; then nothing is written.
    """

    def changed(data: bytes) -> bytes:
        try:
            found = _parsed(data, _each_once) if data.strip() else {}
        except _Broken as error:
            raise WorkbenchError(f"{home.config} can't be changed ({error}); correct it first") from None
        for name, wanted in to.items():
            _put(found, name, wanted)
        # Another value that can't be does not keep this one from being corrected.
        for name, problem in problems(found).items():
            if any(f"{each}.".startswith(f"{name}.") for each in to):
                raise WorkbenchError(problem)
        return f"{text.escaped_json(json.dumps(found, ensure_ascii=False, indent=2))}\n".encode()

    document(home)  # one that is broken is kept aside, not overwritten
    with files.lock(files.lock_of(home.config)):
        files.remove_leftovers(home.config)
        files.rewrite(home.config, changed)


def _parsed(data: bytes, pairs: Callable[[list[tuple[str, Any]]], Document] = dict) -> Document:
    try:
        found = json.loads(data.decode("utf-8-sig"), parse_constant=_no_number, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        raise _Broken(str(error)) from None
    if not isinstance(found, dict):
        raise _Broken("it must be an object")
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> Document:
    """An object; of a key that stands in it twice, one would be lost when it is written."""
    found = dict(pairs)
    if len(found) < len(pairs):
        name = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
        raise ValueError(f"{text.quoted(name)} stands twice in one object")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _set_aside(home: Home) -> Document | None:
    """Move what is at ``config.json`` to a name of its own, unless somebody mended it meanwhile: then what it says.

    A link, and a file in a folder that can't be written, stay where they are.
    """
    try:
        with files.lock(files.lock_of(home.config)):
            return _moved(home)
    except (ReadOnly, StorageFull):
        return None


def _moved(home: Home) -> Document | None:
    seen = set()
    for look in range(_LOOKS):
        time.sleep(_BETWEEN if look else 0)
        data = files.read_bytes(home.config)
        if not data.strip():
            return document(home)  # another process has moved it, or it is being written
        try:
            return _parsed(data)
        except _Broken:
            seen.add(data)
    with contextlib.suppress(FileNotFoundError), files.os_errors(home.config):
        if len(seen) == 1 and stat.S_ISREG(home.config.lstat().st_mode):
            home.config.rename(_free_name(home))
            files.sync_dir(home.root)
    return None


def _free_name(home: Home) -> Path:
    name = f"{home.config}{_KEPT}{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    return next(
        path for n in itertools.count(1) if not os.path.lexists(path := Path(name + (f"-{n}" if n > 1 else "")))
    )


def _kept(home: Home) -> list[Path]:
    """The files that could not be read, the oldest first."""
    return sorted(home.root.glob(f"{home.config.name}{_KEPT}*"))


def _cautious() -> Document:
    found: Document = {}
    for setting in SETTINGS.values():
        _put(found, setting.name, setting.cautious)
    return found


def _put(found: Document, name: str, value: Any) -> None:  # noqa: ANN401 - JSON
    """Set the value of a dotted name.

    :raises WorkbenchError: when something else stands in the place of a section.
    """
    *sections, last = name.split(".")
    for number, key in enumerate(sections, 1):
        found = found.setdefault(key, {})
        if not isinstance(found, dict):
            raise WorkbenchError(f"{'.'.join(sections[:number])} must be an object; correct it first")
    found[last] = value


def value(found: Document, name: str) -> Any:  # noqa: ANN401 - JSON
    """What a document says of a dotted name; None where it says nothing."""
    at: Any = found
    for key in name.split("."):
        at = at.get(key) if isinstance(at, dict) else None
    return at


def _said(found: Document, error: ErrorDetails) -> tuple[str, str]:
    """(the setting or section that is wrong, what is wrong with it)."""
    parts = [str(part) for part in error["loc"]]
    every = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    name = next((each for each in every if each in SETTINGS), every[0])
    if error["type"] == "value_error":
        return name, f"{name}: {error['ctx']['error']}"
    wanted = SETTINGS[name].takes if name in SETTINGS else "an object"
    given = json.dumps(value(found, name), ensure_ascii=False)
    return name, f"{name} must be {wanted}, not {text.one_line(given, 40)}"


def _names(values: Document, above: str = "") -> Iterator[str]:
    """The dotted names of keys that are neither settings nor sections with settings in them."""
    for key, inner in values.items():
        name = f"{above}{key}"
        section = any(setting.startswith(f"{name}.") for setting in SETTINGS)
        if section and isinstance(inner, dict):
            yield from _names(inner, f"{name}.")
        elif not section and name not in SETTINGS:
            yield name
