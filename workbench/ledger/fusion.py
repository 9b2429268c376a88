"""Several rankings made one: weighted reciprocal ranks, then what is known of each memory as factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from workbench.ledger import trust
from workbench.ledger.model import Authority, Type

Path = Literal["key", "words", "vectors", "relations"]
# Rank by path; the best have rank 1, equals share a rank.
Ranks = Mapping[Path, int]

K = 10
WEIGHTS: dict[Path, float] = {"words": 1.0, "vectors": 1.0, "relations": 0.5}
# An exact key is an answer, not a guess: nothing else can reach this.
KEY = 10.0
AUTHORITY = {Authority.LOCKED: 1.5, Authority.CONFIRMED: 1.2, Authority.OBSERVED: 1.0, Authority.INFERRED: 0.8}
OLDEST = 0.5


def ranked(scored: Sequence[tuple[str, float]]) -> dict[str, int]:
    """The rank of each id; ``scored`` comes best first, and equal scores share a rank."""
    ranks: dict[str, int] = {}
    rank, before = 0, None
    for place, (name, score) in enumerate(scored, 1):
        if score != before:
            rank, before = place, score
        ranks[name] = rank
    return ranks


def parts(row: Mapping[str, Any], ranks: Ranks, at: str) -> dict[str, float]:
    """What the score of a memory is made of: a share for each path that found it, and the factors.

    The best of a path of weight 1 has the share 1.

    :param at: the instant of the question; only what an episode is worth depends on it.
    """
    shares = {path: WEIGHTS[path] * (K + 1) / (K + rank) for path, rank in ranks.items() if path != "key"}
    found: dict[str, float] = {"key": KEY} if "key" in ranks else {}
    found |= {path: round(share, 4) for path, share in shares.items()}
    return found | {
        "authority": AUTHORITY[Authority(row["authority"])],
        "trust": trust.at(row, at),
        "decay": round(_decay(row, at), 4),
    }


def score(made_of: Mapping[str, float]) -> float:
    """The score that these parts make."""
    shares = sum(made_of.get(path, 0.0) for path in WEIGHTS)
    factors = made_of["authority"] * made_of["trust"] * made_of["decay"]
    return round(made_of.get("key", 0.0) + shares * factors, 6)


def _decay(row: Mapping[str, Any], at: str) -> float:
    """An episode loses up to half its worth within half a year of when it was observed; nothing else ages."""
    if row["type"] != Type.EPISODIC:
        return 1.0
    happened = datetime.fromisoformat(row["observed_at"] or row["valid_from"] or row["created_at"])
    days = (datetime.fromisoformat(at) - happened).total_seconds() / 86_400
    return min(1.0, max(OLDEST, 1.0 - days / 365))
