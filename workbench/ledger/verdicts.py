"""What the person ruled wrong or erased binds whoever says it again, in whatever wording it was known to have."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta

from workbench.ledger import tombstones
from workbench.ledger.gate import Checked, fingerprint
from workbench.ledger.model import Candidate, Evidence, SourceType
from workbench.ledger.time import stamp
from workbench.ledger.wording import spellings

# So long the same statement is not proposed again after it was ruled wrong; later it may be, and waits.
REJECTED_FOR = timedelta(days=30)


def prints(checked: Checked, *, further: bool = False) -> tuple[str, ...]:
    """The fingerprints of a statement: its own first, then those of its other wordings and spellings.

    :param further: those that say more, or a part of it, too.
    """
    candidate = checked.candidate
    said = _said(candidate, further)
    return checked.fingerprint, *_in_scope(said[1:], candidate.scope_type, candidate.scope_key)


def erased(connection: sqlite3.Connection, checked: Checked) -> bool:
    """Whether a statement was erased, in any of its wordings."""
    marks = zip(prints(checked, further=True), _said(checked.candidate, further=True), strict=True)
    return any(tombstones.buried(connection, mark, wording) for mark, wording in marks)


def rejected_at(connection: sqlite3.Connection, checked: Checked) -> str | None:
    """When a statement was last ruled wrong, in any of its wordings."""
    row = connection.execute(
        "SELECT max(created_at) FROM rejections WHERE fingerprint IN (SELECT value FROM json_each(?))",
        (json.dumps(prints(checked, further=True)),),
    ).fetchone()
    return row[0] if row else None


def rejected_elsewhere(connection: sqlite3.Connection, candidate: Candidate, at: str) -> bool:
    """Whether a statement was ruled wrong in any scope, so lately that no agent proposes it in another one."""
    ruled = since(at)
    scopes = connection.execute(
        "SELECT DISTINCT scope_type, scope_key FROM rejections WHERE created_at > ?", (ruled,)
    ).fetchall()
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM rejections WHERE created_at > ?"
        " AND fingerprint IN (SELECT value FROM json_each(?)))",
        (ruled, json.dumps([mark for scope in scopes for mark in _in_scope(_said(candidate), *scope)])),
    ).fetchone()
    return bool(found[0])


def since(at: str) -> str:
    """From when on what was ruled wrong is not to be proposed again at ``at``."""
    return stamp(datetime.fromisoformat(at) - REJECTED_FOR)


def put_away(connection: sqlite3.Connection, checked: Checked, said_at: str) -> bool:
    """Whether the person has put a statement away, in any of its wordings, since it was said."""
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM json_each(?) p CROSS JOIN memories m ON m.fingerprint = p.value"
        " JOIN memory_events e ON e.memory_id = m.id AND e.action = 'archived' AND e.actor GLOB 'person:*'"
        " WHERE m.status = 'archived' AND e.at >= ?)",
        (json.dumps(prints(checked)), said_at),
    ).fetchone()
    return bool(found[0])


def may_return(ruled_at: str, said_at: str) -> bool:
    """Whether something said at ``said_at`` may be proposed although it was ruled wrong; old words never reopen it."""
    return said_at > stamp(datetime.fromisoformat(ruled_at) + REJECTED_FOR)


def disowned(connection: sqlite3.Connection, candidate: Candidate) -> bool:
    """Whether a message that a statement rests on taught something that the person ruled wrong or erased.

    What an agent merely attached to a memory of its own says nothing of the message.
    """
    named = _messages(candidate.evidence)
    if any(tombstones.buried(connection, message) for message in named):
        return True
    found = connection.execute(
        "SELECT 1 FROM json_each(?) r CROSS JOIN memory_evidence e ON e.source_type = 'session'"
        " AND e.source_ref = r.value CROSS JOIN memories m ON m.id = e.memory_id"
        " WHERE m.status = 'rejected' AND (m.explicit OR m.created_by LIKE 'dreamer:%') LIMIT 1",
        (json.dumps(named),),
    ).fetchone()
    return found is not None


def _said(candidate: Candidate, further: bool = False) -> tuple[str, ...]:
    """The wordings of a statement, its own first, each in all its spellings."""
    wordings = (candidate.content, *candidate.same_as, *(candidate.within if further else ()))
    return tuple(dict.fromkeys((candidate.content, *(one for said in wordings for one in spellings(said)))))


def _in_scope(said: Iterable[str], scope_type: str, scope_key: str) -> tuple[str, ...]:
    return tuple(fingerprint(wording, scope_type, scope_key) for wording in said)


def _messages(evidence: Iterable[Evidence]) -> list[str]:
    return [item.source_ref for item in evidence if item.source_type is SourceType.SESSION]
