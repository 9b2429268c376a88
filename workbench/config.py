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
class Ledger:
    """How the ledger is governed.

    :param agent_writes: ``wait``: what an agent says on its own waits for the person; ``keep``: it is in force at once,
        unless something else about it makes it wait.
    :param max_memories: how many memories may be in use; None for any number.
    :param max_waiting_per_writer: how many of one writer's may wait in the inbox.
    :param conjecture_days: after so many days without an answer, what waits is put away; at 0 never.
    :param dormant_days: after so many days without use, what nobody endorsed is put away; at 0 never.
    :param spot_checks: how many memories in force join the inbox each week, drawn at random; at 0 none.
    """

    agent_writes: str = "wait"
    max_memories: int | None = None
    max_waiting_per_writer: int = 10_000
    conjecture_days: int = 14
    dormant_days: int = 90
    spot_checks: int = 5


@dataclass(frozen=True)
class Config:
    """All settings, each with its default."""

    dreaming: Dreaming = field(default_factory=Dreaming)
    ledger: Ledger = field(default_factory=Ledger)


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
    return Config(Dreaming(auto, review), _ledger(home, document.get("ledger", {})))


def _ledger(home: Home, section: object) -> Ledger:
    if not isinstance(section, dict):
        raise WorkbenchError(f"{home.config}: ledger must be an object")
    writes = section.get("agentWrites", Ledger.agent_writes)
    if writes not in ("wait", "keep"):
        raise WorkbenchError(f"{home.config}: ledger.agentWrites is wait or keep, not {writes!r}")
    limit = section.get("maxMemories")
    return Ledger(
        agent_writes=writes,
        max_memories=None if limit is None else _count(home, section, "maxMemories", 0),
        max_waiting_per_writer=_count(home, section, "maxWaitingPerWriter", Ledger.max_waiting_per_writer),
        conjecture_days=_count(home, section, "conjectureDays", Ledger.conjecture_days),
        dormant_days=_count(home, section, "dormantDays", Ledger.dormant_days),
        spot_checks=_count(home, section, "spotChecks", Ledger.spot_checks),
    )


def _count(home: Home, section: dict[str, object], key: str, default: int) -> int:
    value = section.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise WorkbenchError(f"{home.config}: ledger.{key} must be a whole number, 0 or more")
    return value


def _share(home: Home, section: object, key: str, default: float) -> float:
    value = section.get(key, default) if isinstance(section, dict) else section
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise WorkbenchError(f"{home.config}: dreaming.{key} must be a number from 0 to 1")
    return float(value)
