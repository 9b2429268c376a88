"""Settings of a home, read from ``config.json``; keys on disk are camelCase."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from workbench.errors import WorkbenchError
from workbench.files import read_bytes
from workbench.home import Home


@dataclass(frozen=True)
class Dreaming:
    """How candidates are routed: at or above ``auto_floor`` an explicit statement becomes active,
    below ``review_floor`` it is dropped, between them it waits for the person."""

    auto_floor: float = 0.80
    review_floor: float = 0.55


@dataclass(frozen=True)
class Config:
    """All settings, each with its default."""

    dreaming: Dreaming = field(default_factory=Dreaming)


def load(home: Home) -> Config:
    """The settings of ``home``; defaults where the file or a key is missing.

    :raises WorkbenchError: when the file is no JSON object or a value is out of range.
    """
    data = read_bytes(home.config)
    if not data.strip():
        return Config()
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise WorkbenchError(f"{home.config} is not JSON ({error}); correct it, it was left as it is") from None
    if not isinstance(document, dict):
        raise WorkbenchError(f"{home.config} must hold a JSON object; correct it, it was left as it is")
    dreaming = document.get("dreaming", {})
    default = Dreaming()
    auto = _share(home, dreaming, "autoFloor", default.auto_floor)
    review = _share(home, dreaming, "reviewFloor", default.review_floor)
    if review > auto:
        raise WorkbenchError(f"{home.config}: dreaming.reviewFloor {review} is above dreaming.autoFloor {auto}")
    return Config(Dreaming(auto, review))


def _share(home: Home, section: object, key: str, default: float) -> float:
    value = section.get(key, default) if isinstance(section, dict) else section
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise WorkbenchError(f"{home.config}: dreaming.{key} must be a number from 0 to 1")
    return float(value)
