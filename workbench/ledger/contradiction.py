"""Whether a statement speaks against one that the person confirmed, told by their words alone.

It does where most content words are shared and the rest differs: a negation, another order, another number or name.
What only adds to the other, or says less, does not. A heuristic, so what it finds waits and is not refused.
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
    r"no|not|never|none|nobody|nothing|without|\w+n['’]t|cannot|nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans|nunca|sin"
    r"|non|senza|não|sem"
)
# So many of the content words of the longer one must be shared, and no fewer than two.
_SHARED = 0.6
_COMPARED = 50
_RANKED = 500


def with_endorsed(connection: sqlite3.Connection, candidate: Candidate) -> dict[str, Any] | None:
    """The confirmed or locked memory in force that a statement contradicts, in its own scope or in all; None if none.

    One that states the same fact key for all contradicts it, too, unless both say the same.
    """
    own = _words(candidate.content)
    scope = (candidate.scope_type, candidate.scope_key)
    rows = connection.execute(
        "SELECT * FROM memories WHERE fact_key = ? AND scope_type = 'global' AND status = 'active'"
        " AND authority IN ('confirmed', 'locked')",
        (candidate.fact_key,),
    ).fetchall()
    for row in map(row_dict, rows):
        if _words(row["content"]) != own and not placing.about_others(candidate.content, row["content"]):
            return row
    words = terms(candidate.content)
    if not words or len(set(own)) < 2:
        return None
    size = connection.execute("SELECT max(seq) FROM memories").fetchone()[0] or 0
    query = expression(connection, "memories_fts", words, size, _RANKED)
    found = connection.execute(
        "SELECT m.* FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid WHERE memories_fts MATCH ?"
        " AND m.status = 'active' AND m.authority IN ('confirmed', 'locked')"
        " AND (m.scope_type = 'global' OR (m.scope_type = ? AND m.scope_key = ?)) ORDER BY f.rank LIMIT ?",
        (query, *scope, _COMPARED),
    )
    return next((row for row in map(row_dict, found) if _against(candidate.content, row["content"])), None)


def _against(one: str, other: str) -> bool:
    mine, theirs = _words(one), _words(other)
    shared = set(mine) & set(theirs)
    if len(shared) < 2 or len(shared) < _SHARED * max(len(set(mine)), len(set(theirs))):
        return False
    if placing.about_others(one, other):
        return False
    if _denials(one) % 2 != _denials(other) % 2:
        return True
    if set(mine) == set(theirs):
        return mine != theirs
    return not (shared.issuperset(mine) or shared.issuperset(theirs))


def _spelt(said: str) -> list[str]:
    """The words of a statement that carry its meaning, as they are written; negations are not among them."""
    words = _WORD.findall(text.normal_form(said))
    return [word for word in words if word not in STOPWORDS and not _DENIES.fullmatch(word)]


def _words(said: str) -> list[str]:
    """The same, without the ending of a plural or a third person."""
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in _spelt(said)]


def _denials(said: str) -> int:
    return sum(_DENIES.fullmatch(word) is not None for word in _WORD.findall(text.normal_form(said)))
