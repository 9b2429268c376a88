"""Ledgers of any size, made the one way a memory comes to be; only the scanning of the made-up text is left out."""

from __future__ import annotations

import random

from tests.benchmarks import generate
from workbench.home import Home
from workbench.ledger import gate, store, write
from workbench.ledger.change import Change
from workbench.ledger.model import DREAMER, Actor, Candidate, Kind

_BATCH = 1_000
_CLAUDE = Actor("agent", "claude")


def fill(home: Home, count: int, waiting: int = 0) -> None:
    """Add ``count`` memories: half with a key, a third global, the rest in 20 projects.

    :param waiting: how many more an agent leaves in the inbox.
    """
    chance = random.Random(11)
    words = generate.vocabulary()
    for start in range(0, count + waiting, _BATCH):
        with store.writing(home) as connection:
            for number in range(start, min(start + _BATCH, count + waiting)):
                candidate = _candidate(number, chance, words, said=number < count)
                print_ = gate.fingerprint(candidate.content, candidate.scope_type, candidate.scope_key)
                checked = gate.Checked(candidate, print_, (), order=False, unscanned=False, stated={})
                write.propose(Change(connection, DREAMER if number < count else _CLAUDE), checked)


def _candidate(number: int, chance: random.Random, words: list[str], *, said: bool) -> Candidate:
    some = " ".join(words[int(len(words) ** chance.random()) - 1] for _ in range(12))
    in_project = number % 3 != 0
    return Candidate(
        content=f"Service {number} {some}.",
        kind=(Kind.FACT, Kind.DECISION, Kind.PREFERENCE, Kind.ENVIRONMENT)[number % 4],
        explicit=said,
        confidence=0.9,
        fact_key=f"service-{number}.note" if number % 2 else None,
        importance=chance.randint(0, 100),
        scope_type="project" if in_project else "global",
        scope_key=f"/srv/p{number % 20}" if in_project else "",
        observed_at=f"2026-{number % 11 + 1:02}-{number % 28 + 1:02}T08:00:00Z",
    )
