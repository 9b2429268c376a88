"""What can be set, with its place in ``config.json``, its default and its range. Names are those of the file in
snake_case."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo


@dataclass(frozen=True)
class Cautious:
    """What a setting is while the settings of a home are lost: where its default would let more through, or put more
    away, than the person may have allowed."""

    value: Any


HIDDEN = "a key: it is not shown"
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
Tokens = Annotated[int, Field(ge=0, le=100_000_000)]
Share = Annotated[float, Field(ge=0, le=1)]
# Something is in it, and nothing that no name of a file has.
Named = Annotated[str, Field(pattern=r"^[^\x00]*[^\s\x00][^\x00]*$")]


class _Section(BaseModel):
    """One object of the file; what is in it and no setting is left alone."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, frozen=True, strict=True, allow_inf_nan=False
    )


class MemorySearch(_Section):
    """How notes are indexed and searched.

    :param enabled: whether notes can be searched and read.
    :param provider: what makes vectors: ``auto`` (the offline model), ``none``, ``openai``, ``gemini``, or an embedding
        model that ``llm`` knows.
    :param model: another model than the provider's usual one.
    :param api_key: for a model that wants one, or its name among the keys that ``llm`` holds.
    :param api_base: the address of a server that speaks as OpenAI's does.
    :param chunk_tokens: what a chunk holds at most; :param overlap_tokens: what two neighbours share at most.
    :param min_score: what scores less is not found.
    :param vector_weight, text_weight: what nearness by meaning and by words count for.
    :param extra_paths: further folders of notes.
    """

    enabled: bool = True
    provider: str = "auto"
    model: str = ""
    api_key: Annotated[str, Field(repr=False), HIDDEN] = ""
    api_base: str = ""
    chunk_tokens: Annotated[Tokens, Field(ge=50)] = 400
    overlap_tokens: Tokens = 80
    max_results: Annotated[int, Field(ge=1, le=50)] = 6
    min_score: Share = 0.35
    vector_weight: Share = 0.7
    text_weight: Share = 0.3
    extra_paths: Annotated[tuple[Named, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _fits(self) -> MemorySearch:
        if self.overlap_tokens * 2 > self.chunk_tokens:
            raise ValueError(
                f"overlapTokens ({self.overlap_tokens}) must be at most half of chunkTokens ({self.chunk_tokens})"
            )
        if not 0.99 <= self.vector_weight + self.text_weight <= 1.01:
            raise ValueError(f"vectorWeight ({self.vector_weight}) and textWeight ({self.text_weight}) must make 1")
        return self


class MemoryDreaming(_Section):
    """How candidates are found and routed: at or above ``auto_floor`` an explicit statement becomes active, below
    ``review_floor`` it is dropped, between them it waits for the person.

    :param extractor: ``rules``, an ``llm`` model, or ``both``: the rules and ``model``.
    :param temperature, max_output_tokens: for a model that has such an option.
    :param max_input_tokens: how much of conversations one question to the model holds.
    :param timeout_seconds: until its answer is no longer waited for.
    :param retries: how often a failed question is asked again.
    """

    auto_floor: Annotated[Share, Cautious(1.0)] = 0.80
    review_floor: Annotated[Share, Cautious(0.0)] = 0.55
    extractor: str = "rules"
    model: str = ""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.2
    max_output_tokens: Annotated[Tokens, Field(ge=100)] = 2_048
    max_input_tokens: Annotated[Tokens, Field(ge=500)] = 6_000
    timeout_seconds: Annotated[int, Field(ge=1, le=3_600)] = 180
    retries: Annotated[int, Field(ge=0, le=10)] = 2

    @model_validator(mode="after")
    def _fits(self) -> MemoryDreaming:
        if not self.extractor.strip() or (self.extractor == "both" and not self.model.strip()):
            raise ValueError('extractor must be "rules", a model of llm, or "both" with a model beside it')
        if self.review_floor > self.auto_floor:
            raise ValueError(f"reviewFloor ({self.review_floor}) must not be above autoFloor ({self.auto_floor})")
        return self


class MemoryContext(_Section):
    """How much an agent is told unasked with each prompt: all of the prompt block, in tokens."""

    max_tokens: Annotated[Tokens, Field(ge=500)] = 8_000


class MemoryFlush(_Section):
    """Whether what is about to be compacted is learned from first, from so many tokens before the threshold on."""

    enabled: bool = True
    soft_threshold_tokens: Tokens = 4_000


class Microcompact(_Section):
    """Whether results of tools but the last ``keep_recent_full`` are cut to ``truncate_chars`` characters in what a
    model is given."""

    enabled: bool = True
    keep_recent_full: Count = 5
    truncate_chars: Annotated[Count, Field(ge=1)] = 200


class KeepRecent(_Section):
    """Whether whole turns at the end stay: ``min_tokens`` of them at least, ``min_messages`` of the person or the
    assistant at least, ``max_tokens`` at most. The last message of the person always does."""

    enabled: bool = True
    min_tokens: Tokens = 5_000
    min_messages: Count = 3
    max_tokens: Annotated[Tokens, Field(ge=1)] = 20_000


class Compaction(_Section):
    """When a conversation is compacted, and what of it stays as it is.

    :param model: an ``llm`` model that writes the summaries; without one they are extracts.
    :param context_window: what the model that goes on with a conversation can take, in tokens.
    :param reserve_tokens_floor: what is kept free in it for the answer.
    :param max_history_share: how much of the window what is to be summed up may fill in one question to the model.
    """

    model: str = ""
    context_window: Annotated[Tokens, Field(ge=4_000)] = 128_000
    reserve_tokens_floor: Annotated[Tokens, Field(ge=1_000)] = 20_000
    max_history_share: Annotated[float, Field(ge=0.1, le=0.9)] = 0.5
    memory_flush: MemoryFlush = MemoryFlush()
    microcompact: Microcompact = Microcompact()
    keep_recent: KeepRecent = KeepRecent()

    @model_validator(mode="after")
    def _fits(self) -> Compaction:
        if self.reserve_tokens_floor >= self.context_window:
            raise ValueError(
                f"reserveTokensFloor ({self.reserve_tokens_floor}) must be smaller than contextWindow"
                f" ({self.context_window})"
            )
        return self


class Ledger(_Section):
    """How the ledger is governed.

    :param agent_writes: ``wait``: what an agent says on its own waits for the person; ``keep``: it is in force at once,
        unless something else about it makes it wait.
    :param max_memories: how many memories may be in use; None for any number.
    :param max_waiting_per_writer: how many of one writer's may wait in the inbox.
    :param conjecture_days: after so many days without an answer, what waits is put away; at 0 never.
    :param dormant_days: after so many days without use, what nobody endorsed is put away; at 0 never.
    :param spot_checks: how many memories in force join the inbox each week, drawn at random; at 0 none.
    """

    agent_writes: Literal["wait", "keep"] = "wait"
    max_memories: Count | None = None
    max_waiting_per_writer: Count = 10_000
    conjecture_days: Annotated[Count, Cautious(0)] = 14
    dormant_days: Annotated[Count, Cautious(0)] = 90
    spot_checks: Count = 5


class Defaults(_Section):
    """What holds for every agent that says nothing else."""

    memory_search: MemorySearch = MemorySearch()
    memory_dreaming: MemoryDreaming = MemoryDreaming()
    memory_context: MemoryContext = MemoryContext()
    compaction: Compaction = Compaction()


class Agents(_Section):
    """What agents do."""

    defaults: Defaults = Defaults()


class Config(_Section):
    """All settings, each with its default."""

    agents: Agents = Agents()
    ledger: Ledger = Ledger()

    @property
    def memory_search(self) -> MemorySearch:
        """How notes are searched."""
        return self.agents.defaults.memory_search

    @property
    def memory_dreaming(self) -> MemoryDreaming:
        """How candidates are routed."""
        return self.agents.defaults.memory_dreaming

    @property
    def memory_context(self) -> MemoryContext:
        """How much an agent is told unasked."""
        return self.agents.defaults.memory_context

    @property
    def compaction(self) -> Compaction:
        """When conversations are compacted."""
        return self.agents.defaults.compaction


@dataclass(frozen=True)
class Setting:
    """One setting.

    :param name: its dotted name, as it stands in the file.
    :param takes: what it may be, in words.
    :param cautious: what it is while the settings are lost.
    :param hidden: whether it is a key, which is never shown.
    """

    name: str
    default: Any
    takes: str
    cautious: Any
    hidden: bool = False

    @property
    def is_text(self) -> bool:
        """Whether any text will do."""
        return self.takes == _TEXT


_TEXT = "text"


def _settings(section: type[_Section], above: str = "") -> Iterator[Setting]:
    for key, field in section.model_fields.items():
        name = f"{above}{to_camel(key)}"
        if isinstance(field.default, _Section):
            yield from _settings(type(field.default), f"{name}.")
        else:
            default = list(field.default) if isinstance(field.default, tuple) else field.default
            cautious = next((each.value for each in field.metadata if isinstance(each, Cautious)), default)
            yield Setting(name, default, _takes(field), cautious, HIDDEN in field.metadata)


def _takes(field: FieldInfo) -> str:
    """What may be the value of a field, in words."""
    kinds, bounds, nullable = _kinds(field.annotation)
    bounds = [*bounds, *field.metadata]
    kind = kinds[0]
    if get_origin(kind) is Literal:
        said = " or ".join(json.dumps(choice) for choice in get_args(kind))
    elif get_origin(kind) is tuple:
        said = "a list of texts"
    else:
        names: dict[Any, str] = {bool: "true or false", int: "a whole number", float: "a number", str: _TEXT}
        said = names[kind] + _range(bounds)
    return f"{said}, or null" if nullable else said


def _kinds(annotation: Any) -> tuple[list[Any], list[Any], bool]:  # noqa: ANN401 - a type as it is written
    """(the types that an annotation names, what bounds them, whether None is one of them)."""
    if get_origin(annotation) is Annotated:
        kind, *bounds = get_args(annotation)
        return [kind], [each for bound in bounds for each in getattr(bound, "metadata", [bound])], False
    if type(None) in (parts := get_args(annotation)):
        kinds, bounds, _ = _kinds(next(part for part in parts if part is not type(None)))
        return kinds, bounds, True
    return [annotation], [], False


def _range(bounds: list[Any]) -> str:
    least: list[Any] = [bound.ge for bound in bounds if isinstance(bound, Ge)]
    most: list[Any] = [bound.le for bound in bounds if isinstance(bound, Le)]
    return f" from {max(least):,} to {min(most):,}" if least and most else ""


# Every setting by its name, as it stands in the file.
SETTINGS = {setting.name: setting for setting in _settings(Config)}


def meant(name: str) -> str | None:
    """The setting that a name which is none may stand for; also one that stands elsewhere in the file."""
    depth = name.count(".") + 1
    scored = [
        (max(_likeness(name, setting), _likeness(name, ".".join(setting.split(".")[-depth:]))), setting)
        for setting in SETTINGS
    ]
    score, setting = max(scored, key=lambda each: each[0])
    return setting if score >= 0.75 else None


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()
