"""Whether a statement speaks against what the person confirmed or ruled, told by its words alone.

It speaks against a confirmed one where most content words are shared and the rest differs: a negation, another order,
another number or name. What only adds to the other, or says less, does not; that says again what the person put out of
use, though. A heuristic, so what it finds waits and is not refused.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from workbench import text
from workbench.fts import STOPWORDS, expression, terms
from workbench.ledger import placing
from workbench.ledger.model import Candidate, row_dict

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_DENIES = re.compile(
    r"no|not|never|none|nobody|nothing|without|\w+n['’]t|cannot|hardly|barely|false|untrue|wrong|incorrect|mistaken|myth"
    r"|nicht|kein\w*|nie|niemals|ohne|kaum|falsch|unwahr|pas|jamais|sans|faux|nunca|sin|falso|non|senza|não|sem"
)
_ENDING = re.compile(r"(?<=..)(?:es?|(?<=...)s)$")
# So many of the content words of the longer one must be shared, and no fewer than two.
_SHARED = 0.6
_COMPARED = 50
# So many of the wordings that the person corrected of late are looked at.
_CORRECTED = 500
_RANKED = 500


def with_endorsed(connection: sqlite3.Connection, candidate: Candidate) -> dict[str, Any] | None:
    """The confirmed or locked memory in force that a statement contradicts, in its own scope or in all; None if none.

    One that states the same fact key for all contradicts it, too, unless both say the same.
    """
    own = _words(candidate.content)
    rows = connection.execute(
        "SELECT * FROM memories WHERE fact_key = ? AND scope_type = 'global' AND status = 'active'"
        " AND authority IN ('confirmed', 'locked')",
        (candidate.fact_key,),
    ).fetchall()
    for row in map(row_dict, rows):
        if _words(row["content"]) != own and not placing.about_others(candidate.content, row["content"]):
            return row
    found = _alike(
        connection,
        candidate,
        "m.status = 'active' AND m.authority IN ('confirmed', 'locked') AND (m.scope_type = 'global' OR"
        " (m.scope_type = :scope_type AND m.scope_key = :scope_key))"
        # Facts of the graph contradict each other by their key alone.
        + (" AND m.predicate IS NULL" if candidate.triple is not None else ""),
    )
    return next((row for row in found if _against(candidate.content, row["content"])), None)


def with_verdict(connection: sqlite3.Connection, candidate: Candidate, said_at: str | None) -> bool:
    """Whether a statement says again, in whatever words, what the person ruled wrong, replaced or put away.

    What was ruled wrong is so in all scopes; the rest is looked for in its own scope and in the one of all.

    :param said_at: when the person said it, where it is theirs: only what they ruled since then counts. None for what
        an agent says on its own.
    """
    closed = _alike(
        connection,
        candidate,
        "(m.status = 'rejected' OR (m.status IN ('archived', 'superseded') AND (m.scope_type = 'global' OR"
        " (m.scope_type = :scope_type AND m.scope_key = :scope_key)))) AND EXISTS (SELECT 1 FROM memory_events e"
        " WHERE e.memory_id = m.id AND e.action = m.status AND e.actor GLOB 'person:*' AND e.at >= :said_at)",
        said_at=said_at or "",
    )
    corrected = connection.execute(
        "SELECT v.content FROM rejections r JOIN memory_revisions v ON v.memory_id = r.memory_id"
        " JOIN memories m ON m.id = r.memory_id AND m.content <> v.content"
        " WHERE r.created_at >= ? ORDER BY r.created_at DESC LIMIT ?",
        (said_at or "", _CORRECTED),
    )
    wordings = [*(row["content"] for row in closed), *(row["content"] for row in corrected)]
    return any(_again(candidate.content, wording) for wording in wordings)


def _alike(
    connection: sqlite3.Connection, candidate: Candidate, condition: str, **named: object
) -> list[dict[str, Any]]:
    """The memories with most words in common with a statement, of those that meet a condition on ``m``."""
    words = terms(candidate.content)
    if not words or not _words(candidate.content):
        return []
    size = connection.execute("SELECT max(seq) FROM memories").fetchone()[0] or 0
    found = connection.execute(
        "SELECT m.* FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid WHERE memories_fts MATCH :query"
        f" AND {condition} ORDER BY f.rank LIMIT {_COMPARED}",
        {
            "query": expression(connection, "memories_fts", words, size, _RANKED),
            "scope_type": candidate.scope_type,
            "scope_key": candidate.scope_key,
            **named,
        },
    )
    return [row_dict(row) for row in found]


def _again(one: str, other: str) -> bool:
    mine, theirs = set(_words(one)), set(_words(other))
    shared = mine & theirs
    told = shared in (mine, theirs) and len(shared) >= _SHARED * max(len(mine), len(theirs))
    return bool(shared) and told and _denials(one) % 2 == _denials(other) % 2


def _against(one: str, other: str) -> bool:
    if placing.about_others(one, other):
        return False
    denied = _denials(one) % 2 != _denials(other) % 2
    return any(_differ(form(one), form(other), denied) for form in (_words, _numbered))


def _differ(mine: list[str], theirs: list[str], denied: bool) -> bool:
    shared = set(mine) & set(theirs)
    if len(shared) < 2 or len(shared) < _SHARED * max(len(set(mine)), len(set(theirs))):
        return False
    if denied:
        return True
    if set(mine) == set(theirs):
        return mine != theirs
    return not (shared.issuperset(mine) or shared.issuperset(theirs))


def _numbered(said: str) -> list[str]:
    """The words, a number together with the one before it: ``PostgreSQL 15`` and ``MySQL 8`` differ in one thing."""
    named: list[str] = []
    for word in _words(said):
        if word.isdecimal() and named:
            named[-1] += f" {word}"
        else:
            named.append(word)
    return named


def _spelt(said: str) -> list[str]:
    """The words of a statement that carry its meaning, as they are written; negations are not among them."""
    words = _WORD.findall(text.normal_form(said))
    return [word for word in words if word not in STOPWORDS and not _DENIES.fullmatch(word)]


def _words(said: str) -> list[str]:
    """The same, without the ending of a plural or a third person."""
    return [_ENDING.sub("", word) for word in _spelt(said)]


def _denials(said: str) -> int:
    return sum(_DENIES.fullmatch(word) is not None for word in _WORD.findall(text.normal_form(said)))
