"""Settings of a home, read from ``config.json``; keys on disk are camelCase."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, field
from typing import Any

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
class Compaction:
    """When a conversation is compacted, and what of it stays as it is; numbers are tokens where nothing else is said.

    :param model: an ``llm`` model that writes the summaries; without one they are extracts.
    :param context_window: what the model that goes on with a conversation can take.
    :param reserve_tokens_floor: what is kept free in it for the answer.
    :param max_history_share: how much of the window what is to be summed up may fill in one question to the model.
    :param flush: whether what is about to be compacted is learned from first, from ``soft_threshold_tokens`` before the
        threshold on.
    :param microcompact: whether results of tools but the last ``keep_recent_full`` are cut to ``truncate_chars``
        characters in what a model is given.
    :param keep_recent: whether whole turns at the end stay: ``min_tokens`` of them at least, ``min_messages`` of the
        person or the assistant at least, ``max_tokens`` at most. The last message of the person always does.
    """

    model: str = ""
    context_window: int = 128_000
    reserve_tokens_floor: int = 20_000
    max_history_share: float = 0.5
    flush: bool = True
    soft_threshold_tokens: int = 4_000
    microcompact: bool = True
    keep_recent_full: int = 5
    truncate_chars: int = 200
    keep_recent: bool = True
    min_tokens: int = 5_000
    min_messages: int = 3
    max_tokens: int = 20_000


@dataclass(frozen=True)
class MemorySearch:
    """How notes are indexed and searched (``agents.defaults.memorySearch``).

    :param enabled: whether notes can be searched and read.
    :param chunk_tokens: what a chunk holds at most; :param overlap_tokens: what two neighbours share at most.
    :param min_score: what scores less is not found.
    :param vector_weight, text_weight: what nearness by meaning and by words count for.
    :param extra_paths: further folders of notes.
    """

    enabled: bool = True
    chunk_tokens: int = 400
    overlap_tokens: int = 80
    max_results: int = 6
    min_score: float = 0.35
    vector_weight: float = 0.7
    text_weight: float = 0.3
    extra_paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Config:
    """All settings, each with its default."""

    dreaming: Dreaming = field(default_factory=Dreaming)
    ledger: Ledger = field(default_factory=Ledger)
    compaction: Compaction = field(default_factory=Compaction)
    memory_search: MemorySearch = field(default_factory=MemorySearch)


# Every setting, as it stands in the file, and the field it is read into.
SETTINGS = {
    "dreaming.autoFloor": "dreaming.auto_floor",
    "dreaming.reviewFloor": "dreaming.review_floor",
    "ledger.agentWrites": "ledger.agent_writes",
    "ledger.maxMemories": "ledger.max_memories",
    "ledger.maxWaitingPerWriter": "ledger.max_waiting_per_writer",
    "ledger.conjectureDays": "ledger.conjecture_days",
    "ledger.dormantDays": "ledger.dormant_days",
    "ledger.spotChecks": "ledger.spot_checks",
    "compaction.model": "compaction.model",
    "compaction.contextWindow": "compaction.context_window",
    "compaction.reserveTokensFloor": "compaction.reserve_tokens_floor",
    "compaction.maxHistoryShare": "compaction.max_history_share",
    "compaction.memoryFlush.enabled": "compaction.flush",
    "compaction.memoryFlush.softThresholdTokens": "compaction.soft_threshold_tokens",
    "compaction.microcompact.enabled": "compaction.microcompact",
    "compaction.microcompact.keepRecentFull": "compaction.keep_recent_full",
    "compaction.microcompact.truncateChars": "compaction.truncate_chars",
    "compaction.keepRecent.enabled": "compaction.keep_recent",
    "compaction.keepRecent.minTokens": "compaction.min_tokens",
    "compaction.keepRecent.minMessages": "compaction.min_messages",
    "compaction.keepRecent.maxTokens": "compaction.max_tokens",
    "agents.defaults.memorySearch.enabled": "memory_search.enabled",
    "agents.defaults.memorySearch.chunkTokens": "memory_search.chunk_tokens",
    "agents.defaults.memorySearch.overlapTokens": "memory_search.overlap_tokens",
    "agents.defaults.memorySearch.maxResults": "memory_search.max_results",
    "agents.defaults.memorySearch.minScore": "memory_search.min_score",
    "agents.defaults.memorySearch.vectorWeight": "memory_search.vector_weight",
    "agents.defaults.memorySearch.textWeight": "memory_search.text_weight",
    "agents.defaults.memorySearch.extraPaths": "memory_search.extra_paths",
}


def unknown(home: Home) -> dict[str, str | None]:
    """The keys of the file that are no settings, each with the setting that may be meant; none of a file that can't be
    read, which whoever needs it says."""
    try:
        document = json.loads(read_bytes(home.config).decode("utf-8-sig"))
    except (WorkbenchError, UnicodeDecodeError, json.JSONDecodeError):
        return {}
    named = _names(document) if isinstance(document, dict) else []
    return {name: next(iter(difflib.get_close_matches(name, SETTINGS, 1, 0.75)), None) for name in named}


def _names(values: dict[str, Any], above: str = "") -> list[str]:
    """The dotted names of keys that are neither settings nor sections with settings in them."""
    found = []
    for key, value in values.items():
        name = f"{above}{key}"
        section = any(setting.startswith(f"{name}.") for setting in SETTINGS)
        if section and isinstance(value, dict):
            found += _names(value, f"{name}.")
        elif not section and name not in SETTINGS:
            found.append(name)
    return found


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
    return Config(
        Dreaming(auto, review),
        _ledger(home, document.get("ledger", {})),
        _compaction(home, document.get("compaction", {})),
        _memory_search(_Section(home, "agents", document.get("agents", {})).inner("defaults").inner("memorySearch")),
    )


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


def _compaction(home: Home, section: object) -> Compaction:
    outer = _Section(home, "compaction", section)
    flush, micro, keep = (outer.inner(name) for name in ("memoryFlush", "microcompact", "keepRecent"))
    default = Compaction()
    found = Compaction(
        model=outer.word("model", default.model),
        context_window=outer.number("contextWindow", default.context_window, 4_000),
        reserve_tokens_floor=outer.number("reserveTokensFloor", default.reserve_tokens_floor, 1_000),
        max_history_share=outer.share("maxHistoryShare", default.max_history_share, 0.1, 0.9),
        flush=flush.flag("enabled", default.flush),
        soft_threshold_tokens=flush.number("softThresholdTokens", default.soft_threshold_tokens),
        microcompact=micro.flag("enabled", default.microcompact),
        keep_recent_full=micro.number("keepRecentFull", default.keep_recent_full),
        truncate_chars=micro.number("truncateChars", default.truncate_chars, 1),
        keep_recent=keep.flag("enabled", default.keep_recent),
        min_tokens=keep.number("minTokens", default.min_tokens),
        min_messages=keep.number("minMessages", default.min_messages),
        max_tokens=keep.number("maxTokens", default.max_tokens, 1),
    )
    if found.reserve_tokens_floor >= found.context_window:
        raise WorkbenchError(
            f"{home.config}: compaction.reserveTokensFloor ({found.reserve_tokens_floor}) must be smaller than"
            f" compaction.contextWindow ({found.context_window})"
        )
    return found


def _memory_search(section: _Section) -> MemorySearch:
    default = MemorySearch()
    found = MemorySearch(
        enabled=section.flag("enabled", default.enabled),
        chunk_tokens=section.number("chunkTokens", default.chunk_tokens, 50),
        overlap_tokens=section.number("overlapTokens", default.overlap_tokens),
        max_results=section.number("maxResults", default.max_results, 1),
        min_score=section.share("minScore", default.min_score),
        vector_weight=section.share("vectorWeight", default.vector_weight),
        text_weight=section.share("textWeight", default.text_weight),
        extra_paths=section.words("extraPaths"),
    )
    if found.overlap_tokens * 2 > found.chunk_tokens:
        raise section.refused("overlapTokens", f"at most half of chunkTokens ({found.chunk_tokens})")
    if not 0.99 <= found.vector_weight + found.text_weight <= 1.01:
        raise section.refused("vectorWeight", "1 together with textWeight")
    return found


class _Section:
    """One object of the file; a value that is not what it must be is said with its place."""

    def __init__(self, home: Home, name: str, value: object) -> None:
        if not isinstance(value, dict):
            raise WorkbenchError(f"{home.config}: {name} must be an object")
        self._home, self._name, self._values = home, name, value

    def inner(self, key: str) -> _Section:
        """The object under ``key``."""
        return _Section(self._home, f"{self._name}.{key}", self._values.get(key, {}))

    def number(self, key: str, default: int, least: int = 0) -> int:
        """A whole number of ``least`` or more."""
        value = self._values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.refused(key, f"a whole number, {least} or more")
        return value

    def share(self, key: str, default: float, least: float = 0, most: float = 1) -> float:
        """A number from ``least`` to ``most``."""
        value = self._values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise self.refused(key, f"a number from {least} to {most}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.refused(key, "true or false")
        return value

    def word(self, key: str, default: str) -> str:
        """Text."""
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise self.refused(key, "text")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
            raise self.refused(key, "a list of texts")
        return tuple(value)

    def refused(self, key: str, wanted: str) -> WorkbenchError:
        """What is said of a value that is not ``wanted``."""
        return WorkbenchError(f"{self._home.config}: {self._name}.{key} must be {wanted}")


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
