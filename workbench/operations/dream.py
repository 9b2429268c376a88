"""Learning from conversations: read what is new, extract, reconcile with what is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from workbench import config
from workbench.config import MemoryDreaming
from workbench.dreaming import delta, reconcile
from workbench.dreaming.extract import RULES, ExtractionFailed, Extractor, Heard, Reading
from workbench.dreaming.model import Answer, Both, ModelExtractor
from workbench.dreaming.rules import RulesExtractor
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger.change import new_id
from workbench.ledger.write import Policy
from workbench.operations import asking, effects, embedding
from workbench.operations.models import DreamResult

BOTH = "both"
# A model that answers so often in no readable form is asked no more in one run.
MOST_FAILURES = 5


def dream(home: Home, progress: Callable[[int, int], None] | None = None) -> DreamResult:
    """Learn from every message not learned from yet, each exactly once.

    :param progress: called with (messages done, messages in all) after each batch.
    """
    to_do = delta.size(home) if progress else 0
    return learn(home, delta.batches(home), (lambda done: progress(done, to_do)) if progress else None)


def learn(home: Home, batches: Iterable[Sequence[Heard]], progress: Callable[[int], None] | None = None) -> DreamResult:
    """Learn from these messages with the extractor that the settings name.

    What it can't read is left for the next run, and the result says why; after a few such failures the run ends.
    """
    settings = config.load(home)
    policy, run_id, total = Policy.of(settings), new_id("d"), Counter[str]()
    failures: list[ExtractionFailed] = []
    try:
        extractor = _extractor(home, settings.memory_dreaming)
        for heard in batches:
            while heard:
                reading = _read(extractor, heard, failures)
                total += reconcile.commit(home, run_id, heard[: reading.read], reading.statements, policy)
                total += reading.dropped
                total["statements"] += reading.dropped.total()
                heard = heard[reading.read or failures[-1].unread :]
                if progress:
                    progress(total["messages"])
    except ExtractionFailed as error:
        failures.append(error)
    failure = str(failures[-1]) if failures else None
    delta.note_failure(home, failure)
    return DreamResult(**total, backlog=effects.drain(home), failure=failure)


def _read(extractor: Extractor, heard: Sequence[Heard], failures: list[ExtractionFailed]) -> Reading:
    """What the extractor makes of messages; an empty reading where it failed on these alone.

    :raises ExtractionFailed: when it fails on any, or too often.
    """
    try:
        return extractor.read(heard)
    except ExtractionFailed as error:
        if not error.unread or len(failures) + 1 == MOST_FAILURES:
            raise
        failures.append(error)
        return Reading([], 0)


def _extractor(home: Home, settings: MemoryDreaming) -> Extractor:
    """The extractor that the settings name.

    :raises ExtractionFailed: when its model can't be asked.
    """
    if settings.extractor == RULES:
        return RulesExtractor()
    name = settings.model if settings.extractor == BOTH else settings.extractor
    try:
        ask = asking.asker(
            name,
            "nothing was learned",
            schema=Answer,
            temperature=settings.temperature,
            max_tokens=settings.max_output_tokens,
            timeout=settings.timeout_seconds,
        )
    except WorkbenchError as error:
        raise ExtractionFailed(str(error)) from error
    model = ModelExtractor(ask, name, settings.max_input_tokens, settings.retries, embedding.private(home))
    return Both(model) if settings.extractor == BOTH else model
