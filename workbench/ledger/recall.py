"""Recall: what the ledger knows about a question, found on four paths and ranked as one list.

An exact fact key comes first. Then words, vectors and one hop of relations, fused by their ranks. Who may see what, and
what holds when, is decided inside each query: nothing is cut off before it is filtered.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from workbench import fts, text
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.index import embed, memory_vectors
from workbench.index.embed import Asked
from workbench.index.vectors import MIN_COSINE
from workbench.ledger import fusion, gate, store
from workbench.ledger.filters import HOLDS, IN_FORCE, SHOWN, VISIBLE, Reader
from workbench.ledger.fusion import Path
from workbench.ledger.model import Actor, Kind, RelationType, Type, row_dict

# As many candidates each path brings.
POOL = 50
# In a large ledger at most so many rows are ranked: of those with the rarest words of the question, the newest.
RANKED = 500
_HOPS = (RelationType.SUPPORTS, RelationType.DEPENDS_ON, RelationType.PART_OF)
_FAN_OUT, _RELATED = 5, 20
# The memories with these ids: what is selected from, where, and in what order.
_NAMED = ("json_each(:ids) i CROSS JOIN memories m", "m.id = i.value", "m.id")

Allowed = Callable[[Sequence[str]], Collection[str]]
Nearest = Callable[[Allowed], list[tuple[str, float]]]


@dataclass(frozen=True)
class Question:
    """What is asked, by whom, and of which instant.

    :param at: an instant in the ledger's form; what held then is found, and ages are counted from then.
    :param key: a fact key; without it, the text itself when it is one in normal form.
    :param other_project: a further project to look in, which only the person may.
    :param include_inferred: also what still waits for the person.
    :param include_superseded: also what held before ``at`` and was replaced.
    """

    text: str
    at: str
    actor: Actor
    reader: Reader = field(default_factory=Reader)
    key: str | None = None
    other_project: str | None = None
    kinds: tuple[Kind, ...] = ()
    types: tuple[Type, ...] = ()
    include_inferred: bool = False
    include_superseded: bool = False
    limit: int = 8


@dataclass(frozen=True)
class Hit:
    """A memory that answers, the paths that found it, and what its score is made of."""

    row: dict[str, Any]
    paths: tuple[Path, ...]
    parts: dict[str, float]
    score: float


@dataclass(frozen=True)
class Recalled:
    """The answers, best first.

    :param vector_enabled: whether vectors were searched for this question; ``provider``: the embedding model, or none;
        ``vector_problem``: why it could not be asked.
    """

    hits: list[Hit]
    vector_enabled: bool
    provider: str = "none"
    vector_problem: str | None = None


def recall(home: Home, question: Question) -> Recalled:
    """The memories that answer a question, best first; ties go by id."""
    near, asked = _nearest(home, question.text)
    with store.reading(home) as connection:
        found = search(connection, question, near)
    return replace(found, provider=asked.provider, vector_problem=asked.problem)


def search(connection: sqlite3.Connection, question: Question, near: Nearest | None = None) -> Recalled:
    """Like ``recall``, on an open ledger.

    :param near: gives the memories nearest to the question among those it is told are allowed.
    """
    asked = _Asked(connection, question)
    rankings: dict[Path, dict[str, int]] = {"key": asked.by_key(), "words": asked.by_words()}
    vectors = asked.by_vectors(near) if near is not None else None
    rankings["vectors"] = vectors or {}
    first = [hit.row["id"] for hit in asked.fused(rankings)[:_FAN_OUT]]
    rankings["relations"] = asked.by_relations(first)
    return Recalled(asked.fused(rankings)[: question.limit], vectors is not None)


def _nearest(home: Home, text: str) -> tuple[Nearest | None, Asked]:
    """The search by vectors for a text, and how it was asked; None, and no model is read, where there are none."""
    asked = embed.asked(home, text, lambda embedder: memory_vectors.there(home, embedder))
    if asked.embedder is None or asked.vector is None:
        return None, asked
    vector, model = asked.vector, asked.embedder.model_id
    return lambda allowed: memory_vectors.nearest(home, vector, model, POOL, allowed, MIN_COSINE), asked


class _Asked:
    """One question on one state of the ledger; keeps the rows it has found."""

    def __init__(self, connection: sqlite3.Connection, question: Question) -> None:
        self._connection = connection
        self._question = question
        self._rows: dict[str, dict[str, Any]] = {}
        self._where = _condition(question)
        self._values = {
            "at": question.at,
            **asdict(question.reader),
            "other": question.other_project,
            "kinds": json.dumps([str(kind) for kind in question.kinds]),
            "types": json.dumps([str(type_) for type_ in question.types]),
        }

    def by_key(self) -> dict[str, int]:
        """Those that state the fact with this key."""
        question = self._question
        key = text.fact_key(question.text) if question.key is None else gate.fact_key(question.key)
        if not key or (question.key is None and key != question.text):
            return {}
        reader = question.reader
        scopes = [("global", ""), ("workspace", reader.workspace), ("agent", reader.agent)]
        scopes += [("project", name) for name in dict.fromkeys((reader.project, question.other_project))]
        rows = [
            row
            for scope_type, scope_key in scopes
            for row in self._select(
                "memories m",
                "m.scope_type = :scope_type AND m.scope_key = :scope_key AND m.fact_key = :key",
                f"m.seq DESC LIMIT {POOL}",
                {"scope_type": scope_type, "scope_key": scope_key, "key": key},
            )
        ]
        return {row["id"]: 1 for row in rows}

    def by_words(self) -> dict[str, int]:
        """Those with words of the question, by bm25."""
        words = fts.terms(self._question.text, fts.counter(self._connection, "memories_fts"))
        if not words:
            return {}
        size = self._connection.execute("SELECT max(seq) FROM memories").fetchone()[0] or 0
        most = RANKED if size > fts.LARGE_STORE else -1
        expression = fts.expression(self._connection, "memories_fts", words, size, RANKED)
        found, everything = self._matching(expression, most), " OR ".join(words)
        if len(found) < self._question.limit and expression != everything:
            # What is rare in the whole ledger may be all in places that this reader does not see.
            known = {memory_id for memory_id, _ in found}
            found += [pair for pair in self._matching(everything, most) if pair[0] not in known]
        return fusion.ranked(found[:POOL])

    def _matching(self, expression: str, most: int) -> list[tuple[str, float]]:
        """The best of the newest ``most`` that match and that this question may find, with their bm25."""
        newest = (
            "SELECT m.seq, bm25(memories_fts) AS bm25 FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid"
            f" WHERE memories_fts MATCH :expression AND {self._where} ORDER BY f.rowid DESC LIMIT :most"
        )
        rows = self._select(
            f"({newest}) b CROSS JOIN memories m ON m.seq = b.seq",
            "1",
            f"b.bm25 LIMIT {POOL}",
            {"expression": expression, "most": most},
            "b.bm25",
        )
        return [(row["id"], row.pop("bm25")) for row in rows]

    def by_vectors(self, near: Nearest) -> dict[str, int] | None:
        """Those that mean something like the question; None where the vectors, which are derived, can't be read."""
        try:
            return fusion.ranked(near(self._allowed))
        except WorkbenchError:
            return None

    def by_relations(self, first: Sequence[str]) -> dict[str, int]:
        """Those one hop from the first candidates, in their order."""
        place = {memory_id: rank for rank, memory_id in enumerate(first, 1)}
        types = ", ".join(f"'{hop}'" for hop in _HOPS)
        near = [
            (place[row[0]], row[1])
            for start, end in (("memory_id", "related_id"), ("related_id", "memory_id"))
            for row in self._connection.execute(
                f"SELECT {start}, {end} FROM memory_relations WHERE type IN ({types})"
                f" AND {start} IN (SELECT value FROM json_each(?))",
                (json.dumps(list(first)),),
            )
        ]
        allowed = self._allowed([memory_id for _, memory_id in near])
        ranks: dict[str, int] = {}
        for rank, memory_id in sorted(near):
            if memory_id in allowed and len(ranks) < _RELATED:
                ranks.setdefault(memory_id, rank)
        return ranks

    def fused(self, rankings: dict[Path, dict[str, int]]) -> list[Hit]:
        """Everything found so far as one list."""
        found = dict.fromkeys(memory_id for ranks in rankings.values() for memory_id in ranks)
        self._select(*_NAMED, {"ids": json.dumps([memory_id for memory_id in found if memory_id not in self._rows])})
        hits = []
        for memory_id in found:
            ranks = {path: ranks[memory_id] for path, ranks in rankings.items() if memory_id in ranks}
            parts = fusion.parts(self._rows[memory_id], ranks, self._question.at)
            hits.append(Hit(self._rows[memory_id], tuple(ranks), parts, fusion.score(parts)))
        return sorted(hits, key=lambda hit: (-hit.score, hit.row["id"]))

    def _allowed(self, memory_ids: Sequence[str]) -> set[str]:
        """Those of these that this question may find."""
        source, where, _ = _NAMED
        rows = self._connection.execute(
            f"SELECT m.id FROM {source} WHERE {where} AND {self._where}",
            {**self._values, "ids": json.dumps(list(memory_ids))},
        )
        return {row[0] for row in rows}

    def _select(
        self, source: str, where: str, order: str, values: dict[str, Any], *columns: str
    ) -> list[dict[str, Any]]:
        found = self._connection.execute(
            f"SELECT {', '.join(('m.*', *columns))} FROM {source} WHERE {where} AND {self._where} ORDER BY {order}",
            {**self._values, **values},
        )
        rows = [row_dict(row) for row in found]
        self._rows |= {row["id"]: row for row in rows}
        return rows


def _condition(question: Question) -> str:
    """Which memories this question may find: SQL for ``m``."""
    standing = [IN_FORCE]
    if question.include_superseded:
        standing.append("m.status = 'superseded' AND (m.valid_from IS NULL OR m.valid_from <= :at)")
    if question.include_inferred:
        standing.append(f"m.status = 'needs_review' AND {HOLDS}")
    terms = [
        " OR ".join(f"({one})" for one in standing),
        f"{VISIBLE} OR (m.scope_type = 'project' AND m.scope_key = :other)",
    ]
    if question.kinds:
        terms.append("m.kind IN (SELECT value FROM json_each(:kinds))")
    if question.types:
        terms.append("m.type IN (SELECT value FROM json_each(:types))")
    if question.actor.kind != "person":
        terms.append(SHOWN)
    return " AND ".join(f"({term})" for term in terms)
