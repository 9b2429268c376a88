"""Learning from conversations: read what is new, extract, reconcile with what is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from workbench import config
from workbench.dreaming import delta, reconcile
from workbench.dreaming.extract import Extractor
from workbench.dreaming.rules import RulesExtractor
from workbench.home import Home
from workbench.ledger.change import new_id
from workbench.ledger.model import Actor
from workbench.ledger.write import Policy
from workbench.operations import effects
from workbench.operations.models import DreamResult


def dream(home: Home, progress: Callable[[int, int], None] | None = None) -> DreamResult:
    """Learn from every message not learned from yet, each exactly once.

    :param progress: called with (messages done, messages in all) after each batch.
    """
    policy = Policy.of(config.load(home))
    extractor: Extractor = RulesExtractor()
    actor = Actor("dreamer", extractor.name)
    run_id = new_id("d")
    total: Counter[str] = Counter()
    to_do = delta.size(home) if progress else 0
    for heard in delta.batches(home):
        statements = extractor.extract(heard)
        total += reconcile.commit(home, actor, run_id, heard, statements, policy)
        if progress:
            progress(total["messages"], to_do)
    return DreamResult(**total, backlog=effects.drain(home))
