"""Search in notes: by words and, where there are vectors, by meaning; scores that mean the same for every question.

    words = covered · (.9 + .1 · frequency)       covered   = Σ idf of the terms found / Σ idf of all terms
                                                  frequency = Σ idf_t · tf_t / (tf_t + k_t) / Σ idf of the terms found
    final = vector weight · max(0, cosine) + text weight · words

with k_t BM25's 1.2 · (.25 + .75 · length / mean length). A term that no note has weighs the most, so that a question
of such words scores near 0. Where vectors did not run, and for what has none yet, ``final`` is ``words``. What holds
the question word for word scores .9 at least; what its words alone would show is not lost to a small cosine: it scores
the least that is shown.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workbench import fts
from workbench.index.terms import Matcher, terms_of
from workbench.text import normal_form

CANDIDATES = 200
_MOST_RANKED = 4_000
_K1, _B = 1.2, 0.75
_VERBATIM, _LEAST_WORDS = 0.9, 3


@dataclass(frozen=True)
class Weights:
    """What each side of the search is worth."""

    vector: float = 0.7
    text: float = 0.3


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk that answers a question.

    :param score: in [0, 1].
    :param words: the share of the question that its words cover.
    :param cosine: how near it is by meaning; None where that is not known.
    """

    n: int
    path: str
    start: int
    end: int
    heading: str
    text: str
    score: float
    words: float
    cosine: float | None


def search(
    connection: sqlite3.Connection,
    question: str,
    limit: int,
    least: float,
    weights: Weights,
    near: Callable[[set[int]], Mapping[int, float]] | None = None,
) -> list[Found]:
    """The chunks that answer ``question``, best first; ties go by their words, then by path and line.

    :param limit: how many at most.
    :param least: what scores less is not found.
    :param near: gives the cosines of the chunks nearest by meaning and of those it is given, by their numbers; None
        where vectors do not run.
    """
    terms = terms_of(question)
    size, lengths = fts.averages(connection, "chunks_fts")
    mean = sum(lengths) / size if size else 1.0
    counts = [_count(connection, term.expression) for term in terms]
    idf = [math.log(1 + (size - count + 0.5) / (count + 0.5)) for count in counts]
    words = [term.expression for term in terms]
    known = dict(zip(words, counts, strict=True))
    numbers = set(_candidates(connection, words, known, size)) if any(counts) else set()
    cosines = near(numbers) if near else {}
    numbers.update(cosines)
    matcher, whole = Matcher(terms), normal_form(question)
    found = []
    for n, path, start, end, heading, text, cjk in _rows(connection, numbers):
        covered = _words(matcher, idf, f"{heading}\n{text}", cjk, mean)
        cosine = cosines.get(n)
        score = covered if cosine is None else weights.vector * max(0.0, cosine) + weights.text * covered
        if score < _VERBATIM and len(terms) >= _LEAST_WORDS and whole in normal_form(text):
            score = _VERBATIM
        if weights.text and score < least <= covered:
            score = least
        if score >= least and score > 0:
            found.append(Found(n, path, start, end, heading, text, score, covered, cosine))
    found.sort(key=lambda each: (-each.score, -each.words, each.path, each.start, each.n))
    return found[:limit]


def _count(connection: sqlite3.Connection, expression: str) -> int:
    query = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
    found: int = connection.execute(query, (expression,)).fetchone()[0]
    return found


def _candidates(connection: sqlite3.Connection, words: Sequence[str], known: Mapping[str, int], size: int) -> list[int]:
    expression = " OR ".join(words)
    if size > fts.LARGE_STORE:
        expression = fts.narrow(
            list(words), lambda asked: known[asked] if asked in known else _count(connection, asked), _MOST_RANKED
        )
    ranked = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rank LIMIT ?"
    return [n for (n,) in connection.execute(ranked, (expression, CANDIDATES))]


def _rows(connection: sqlite3.Connection, numbers: set[int]) -> sqlite3.Cursor:
    return connection.execute(
        "SELECT n, path, start_line, end_line, heading, text, cjk FROM chunks"
        " WHERE n IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(numbers)),),
    )


def _words(matcher: Matcher, idf: Sequence[float], text: str, cjk: str | None, mean: float) -> float:
    counts, length = matcher.count(text, cjk)
    total = sum(idf)
    there = sum(idf[term] for term in counts)
    if not there:
        return 0.0
    norm = _K1 * (1 - _B + _B * length / mean)
    often = sum(idf[term] * times / (times + norm) for term, times in counts.items()) / there
    return there / total * (0.9 + 0.1 * often)
