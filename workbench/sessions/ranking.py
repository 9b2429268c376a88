"""Which messages answer a question best.

A short message is read together with its neighbours, a long one alone; nothing of a neighbour is stored. For message i
and term t, with tf its count and dl the number of words:

    f_i  = exp(−characters_i / 800)
    tf'  = tf_i + f_i · Σ_k w_k · tf_(i+k)          w(−1, −2, −3) = .6 .4 .2;  w(1, 2, 3) = .3 .2 .1
    dl'  = dl_i + f_i · Σ_k dl_(i+k)
    y_t  = tf' / (1.2 · (.25 + .75 · dl' / dl'_mean))
    C(i) = Σ_t idf_t · y_t / (1 + y_t) / Σ_t idf_t

so that C is in [0, 1]: the share of the question's weight that a message covers. This is BM25 (k1 1.2, b .75) over a
window whose reach shrinks with the length of the message in its middle; dl'_mean is that of a message of mean length
among its like. Who spoke is a word of a message, and so are the day, month and year of it. But where a question names
no date (``8 May``, ``in 2026``), a number or a month in it means the dates of messages only where no message says it,
and what is found by dates alone comes behind all that says something of the question. T(i) is what the time asked for
adds (``times_asked``). Where there are vectors,

    score(i) = C(i) + T(i) + .08 · known² · (cos_i − mean) / max(.02, spread)      mean, spread: of cos over the store

where ``known`` is the share of the scored messages that have a vector (two are compared by it only if both have one),
and one without counts as the mean of the others: while vectors are still being made, what has one already is no better
for it. Only the best by their own words (100), the nearest by vectors (50) and what stands next to them are scored.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from workbench import fts
from workbench.index.terms import Matcher, Term, terms_of
from workbench.sessions.filters import Filter
from workbench.sessions.times_asked import MONTH, Asked, asked

CANDIDATES = 100
# As many are looked at by vectors; 100 find nothing more, and cost half as much again.
NEAREST = 50
MOST_RANKED = 4_000
REACH = 3
# So far a neighbour is looked for: results of tools stand between what is said.
_WITHIN = 4
_WEIGHTS = {-3: 0.2, -2: 0.4, -1: 0.6, 1: 0.3, 2: 0.2, 3: 0.1}
_ALONE = 800
_CHARACTERS_A_WORD = 6
_K1, _B = 1.2, 0.75
_BY_MEANING, _LEAST_SPREAD = 0.08, 0.02
# A conversation is as good as its best message, and so much of its next best.
_OF_THE_NEXT = 0.5
# A term that may be meant as a part of a date.
_OF_DATES = re.compile(rf'"(?:\d{{1,4}}|{MONTH})"', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hit:
    """A message, its number in the index, and how well it answers.

    :param words: the share of the question that it covers, in [0, 1].
    :param cosine: how near it is by meaning; None where that is not known.
    :param share: f_i, how far it is read together with others.
    """

    n: int
    session_key: str
    score: float
    words: float
    cosine: float | None
    share: float


@dataclass(frozen=True)
class Nearness:
    """What vectors say of a question.

    :param cosines: of the nearest messages, by their number in the index.
    :param spread: standard deviation of the cosine over the store; ``mean``: its mean.
    :param others: gives the cosines of any messages, of those that have one.
    """

    cosines: Mapping[int, float]
    spread: float
    mean: float = 0.0
    others: Callable[[Collection[int]], Mapping[int, float]] = lambda numbers: {}

    def of(self, numbers: Collection[int]) -> dict[int, float]:
        """The cosines of these messages."""
        return {**self.others(numbers), **self.cosines}

    def score(self, cosine: float) -> float:
        """What a cosine adds to the score of a message."""
        return _BY_MEANING * (cosine - self.mean) / max(_LEAST_SPREAD, self.spread)


@dataclass(frozen=True)
class Ranked:
    """Messages, the best first, and what they were found by."""

    hits: list[Hit]
    matcher: Matcher
    weights: list[float] = field(default_factory=list)


@dataclass(slots=True)
class _Row:
    n: int
    session_key: str
    seq: int
    characters: int
    length: int
    counts: dict[int, int]
    dates: dict[int, int]
    spoken: bool
    bonus: float


def rank(
    connection: sqlite3.Connection, question: str, wanted: Filter, limit: int, near: Nearness | None = None
) -> Ranked:
    """The messages of the session index that answer ``question`` best and pass the filter.

    :param limit: how many at most.
    """
    terms = terms_of(question, fts.counter(connection, "messages_fts"))
    of_time = asked(question)
    dated = of_time.named is not None
    if not dated:
        terms = [_said(connection, term) for term in terms]
    matcher = Matcher(terms)
    size = connection.execute("SELECT max(n) FROM messages").fetchone()[0] or 0
    counts = [_count(connection, term.expression) for term in terms]
    weights = [_idf(size, count) for count in counts]
    found = _by_words(connection, terms, counts, size, wanted) if any(counts) else []
    near = near or Nearness({}, 1.0)
    candidates = {*found, *near.cosines}
    rows = _windows(connection, candidates, matcher, of_time)
    scored, by_date = _scores(rows, candidates, weights, _mean_window(connection))
    if not dated and by_date:
        least = min((words for n, words in scored.items() if words > 0 and n not in by_date), default=1.0)
        scored |= {n: scored[n] * least for n in by_date}
    allowed = _passing(connection, scored.keys(), wanted)
    found_in = {row.n: row for row in rows}
    cosines = near.of(scored.keys())
    unknown = sum(cosines.values()) / len(cosines) if cosines else near.mean
    known = len(cosines) / len(scored) if scored else 0.0
    hits = [
        Hit(
            n,
            found_in[n].session_key,
            words + found_in[n].bonus + known**2 * near.score(cosines.get(n, unknown)),
            words,
            cosines.get(n),
            _share(found_in[n]),
        )
        for n, words in scored.items()
        if n in allowed and (words > 0 or n in near.cosines)
    ]
    hits.sort(key=lambda hit: (-hit.score, -hit.n))
    return Ranked(hits[:limit], matcher, weights)


def conversations(hits: Iterable[Hit]) -> list[Hit]:
    """The best message of each conversation, that of the best conversation first: what says most of the question
    counts, and half of what says most of it besides, the less the longer that is.

    :param hits: the best first.
    """
    of_each: dict[str, list[Hit]] = {}
    for hit in hits:
        of_each.setdefault(hit.session_key, []).append(hit)

    def worth(found: Sequence[Hit]) -> tuple[float, int]:
        following = found[1].share * max(0.0, found[1].score) if len(found) > 1 else 0.0
        return -found[0].score - _OF_THE_NEXT * following, -found[0].n

    return [found[0] for found in sorted(of_each.values(), key=worth)]


def _said(connection: sqlite3.Connection, term: Term) -> Term:
    """A number or the name of a month as what messages say, where any says it; any other term as it is."""
    if not _OF_DATES.fullmatch(term.expression):
        return term
    said = replace(term, expression=f"{{content cjk}} : {term.expression}")
    return said if _count(connection, said.expression) else term


def _idf(size: int, count: int) -> float:
    return max(1e-6, math.log((size - count + 0.5) / (count + 0.5)))


def _count(connection: sqlite3.Connection, expression: str) -> int:
    query = "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ?"
    found: int = connection.execute(query, (expression,)).fetchone()[0]
    return found


def _by_words(
    connection: sqlite3.Connection, terms: Sequence[Term], counts: Sequence[int], size: int, wanted: Filter
) -> list[int]:
    """The numbers of the best messages by their own words."""
    known = {term.expression: count for term, count in zip(terms, counts, strict=True)}
    words = [term.expression for term in terms]
    expression = " OR ".join(words)
    if size > fts.LARGE_STORE:
        expression = fts.narrow(
            words, lambda asked: known[asked] if asked in known else _count(connection, asked), MOST_RANKED
        )
    # Ranked first, then joined and judged, until enough are found.
    rows = connection.execute(
        "SELECT m.n FROM messages_fts AS f CROSS JOIN messages AS m ON m.n = f.rowid"
        f" CROSS JOIN sessions AS s ON s.key = m.session_key WHERE messages_fts MATCH :words AND {wanted.sql}"
        " ORDER BY f.rank",
        {"words": expression, **wanted.values},
    )
    return [row[0] for row in islice(rows, CANDIDATES)]


def _windows(connection: sqlite3.Connection, numbers: Collection[int], matcher: Matcher, of_time: Asked) -> list[_Row]:
    """These messages and what was said around them, with the terms in them; in the order of their sessions."""
    rows = connection.execute(
        "WITH hit AS (SELECT DISTINCT session_key AS key, seq FROM messages"
        " WHERE n IN (SELECT value FROM json_each(?))), beside AS (SELECT DISTINCT m.n FROM hit CROSS JOIN messages m"
        f" ON m.session_key = hit.key AND m.seq BETWEEN hit.seq - {_WITHIN} AND hit.seq + {_WITHIN})"
        " SELECT m.n, m.session_key, m.seq, m.content, m.cjk, m.meta, m.name, m.at,"
        "  m.role IN ('user', 'assistant') AND m.origin <> 'harness' AND m.state NOT IN ('withdrawn', 'hidden')"
        "  AND m.content <> ''"
        " FROM beside CROSS JOIN messages m ON m.n = beside.n ORDER BY m.session_key, m.seq",
        (json.dumps(list(numbers)),),
    )
    found = []
    said = {number for number, term in enumerate(matcher.terms) if term.expression.startswith("{content")}
    days: dict[str, tuple[dict[int, int], int]] = {"": ({}, 0)}
    for n, key, seq, content, cjk, meta, name, at, spoken in rows:
        if spoken or n in numbers:
            speaker, when = _apart(meta, name)
            counts, length = matcher.count(f"{content} {speaker}" if speaker else content, cjk)
            if when not in days:
                dates, more = matcher.count(when, None)
                days[when] = {number: times for number, times in dates.items() if number not in said}, more
            dates, more = days[when]
            bonus = of_time.bonus(at, content)
            found.append(_Row(n, key, seq, len(content), length + more, counts, dates, bool(spoken), bonus))
    return found


def _apart(meta: str | None, name: str | None) -> tuple[str, str]:
    """Who spoke, and when, of the words of a message about itself."""
    meta, name = meta or "", name or ""
    return (name, meta[len(name) + 1 :]) if name and meta.startswith(name) else ("", meta)


def _mean_window(connection: sqlite3.Connection) -> float:
    """The words of a message of mean length and its neighbours, each by its weight."""
    rows, words = fts.averages(connection, "messages_fts")
    mean = sum(words) / rows if rows else 1.0
    return mean * (1 + 2 * REACH * math.exp(-mean * _CHARACTERS_A_WORD / _ALONE))


def _scores(
    rows: Sequence[_Row], candidates: Container[int], weights: Sequence[float], mean: float
) -> tuple[dict[int, float], set[int]]:
    """What share of the question's weight each candidate covers, and what was said next to one, by its number; and the
    numbers of those that do by their dates alone."""
    total = sum(weights)
    scores, by_date = dict[int, float](), set[int]()
    wanted: set[int] = set()
    for at, row in enumerate(rows):
        if row.n in candidates:
            wanted |= {at, *(other for step in (-1, 1) for other in islice(_spoken(rows, at, step), 1))}
    for at in wanted:
        counts, length, says = _window(rows, at)
        if counts and not says:
            by_date.add(rows[at].n)
        norm = _K1 * (1 - _B + _B * length / mean)
        covered = sum(weights[number] * times / (times + norm) for number, times in counts.items())
        scores[rows[at].n] = covered / total if total else 0.0
    return scores, by_date


def _spoken(rows: Sequence[_Row], at: int, step: int) -> Iterator[int]:
    """The places of what was said before (``step`` −1) or after a message of its conversation, the nearest first."""
    row, other = rows[at], at + step
    while 0 <= other < len(rows):
        near = rows[other]
        if near.session_key != row.session_key or abs(near.seq - row.seq) > _WITHIN:
            return
        if near.spoken:
            yield other
        other += step


def _share(row: _Row) -> float:
    return math.exp(-row.characters / _ALONE)


def _window(rows: Sequence[_Row], at: int) -> tuple[dict[int, float], float, bool]:
    """The counts of terms in a message and its neighbours, the words they have, each by its weight, and whether any of
    them says one of the terms."""
    row = rows[at]
    share = _share(row)
    counts = dict[int, float]()
    _add(counts, row, 1.0)
    length, says = float(row.length), bool(row.counts)
    for step in (-1, 1):
        for position, other in enumerate(islice(_spoken(rows, at, step), REACH), 1):
            length += share * rows[other].length
            weight = share * _WEIGHTS[step * position]
            _add(counts, rows[other], weight)
            says = says or bool(rows[other].counts)
    return counts, length, says


def _add(counts: dict[int, float], row: _Row, weight: float) -> None:
    for found in (row.counts, row.dates):
        for number, times in found.items():
            counts[number] = counts.get(number, 0.0) + weight * times


def _passing(connection: sqlite3.Connection, numbers: Iterable[int], wanted: Filter) -> set[int]:
    rows = connection.execute(
        "SELECT m.n FROM messages AS m CROSS JOIN sessions AS s ON s.key = m.session_key"
        f" WHERE m.n IN (SELECT value FROM json_each(:numbers)) AND {wanted.sql}",
        {"numbers": json.dumps(list(numbers)), **wanted.values},
    )
    return {row[0] for row in rows}
