"""Why a memory is there: its sources, its history, its trust, all that a person needs to judge it."""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from workbench import db, guard
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import lineage, read, store
from workbench.ledger.filters import LISTED, Reader
from workbench.operations import convert, note_entries
from workbench.operations.models import EvidenceOut
from workbench.operations.models_memories import (
    DiffPart,
    EvidenceInContext,
    FeedbackOut,
    RejectionOut,
    ResourceLinkOut,
    RevisionDiff,
    Said,
    TrustPart,
    UseOut,
    VerifiedEvent,
    Version,
    Why,
)
from workbench.operations.review import reason_text
from workbench.sessions import browse

_EVENTS = 200
_QUOTED = 200
# Words with the space after them; of scripts that write none, single characters.
_NO_SPACES = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(f"[{_NO_SPACES}]|[^\\s{_NO_SPACES}]+\\s*|\\s+")


def why(home: Home, memory_id: str, *, reader: Reader | None = None) -> Why:
    """Everything that explains a memory, named by its id or a unique prefix of it.

    :param reader: the agent that is shown it; None for the person, who sees everything.
    """
    at = db.now()
    with store.reading(home) as connection:
        row = read.memory(connection, read.resolve(connection, memory_id, reader, LISTED))
        found = row["id"]
        evidence = convert.evidence_of(home, connection, [found])[found]
        parts = lineage.trust_parts(connection, row, at)
        versions, related = lineage.versions(connection, row), read.relations(connection, found)
        others = [*(each["id"] for each in versions), *(each["other_id"] for each in related)]
        seen = read.shown(connection, others, reader)
        explained = Why(
            memory=convert.memory_out(row),
            in_force=read.holds(connection, found, at),
            waits=reason_text(row) if row["review_reason"] else None,
            evidence=[],
            versions=[_version(other, found) for other in versions if other["id"] in seen],
            revisions=list(_revisions(connection, row)),
            relations=[convert.relation_out(each, found) for each in related if each["other_id"] in seen],
            links=[ResourceLinkOut.model_validate(each) for each in lineage.links(connection, found)],
            trust=round(sum(parts.values()), 4),
            trust_parts=[TrustPart(name=name, value=value) for name, value in parts.items()],
            feedback=[FeedbackOut.model_validate(each) for each in lineage.feedback(connection, found)],
            use=UseOut.model_validate(lineage.use(connection, found)),
            rejections=[
                RejectionOut.model_validate(each) for each in lineage.rejections(connection, row["fingerprint"])
            ],
            events=[_event(each) for each in lineage.events(connection, found, _EVENTS)],
        )
    explained.evidence = [_in_context(home, item) for item in evidence]
    for link in explained.links:
        if link.resource_type == "note" and (there := note_entries.standing(home, found, link.resource_ref)):
            link.where, link.text = there
    return explained


def _version(row: dict[str, Any], this: str) -> Version:
    return Version.model_validate({**row, "this": row["id"] == this})


def _event(row: dict[str, Any]) -> VerifiedEvent:
    return VerifiedEvent.model_validate({**convert.event_out(row).model_dump(), "verified": row["verified"]})


def _revisions(connection: sqlite3.Connection, row: dict[str, Any]) -> Iterator[RevisionDiff]:
    """The revisions that read otherwise than what came after them, newest first, each against that."""
    newer = row["content"]
    for revision in read.revisions(connection, row["id"]):
        if revision["content"] == newer:
            continue  # another standing or key, no other words
        yield RevisionDiff(
            content=revision["content"],
            actor=revision["actor"],
            created_at=revision["created_at"],
            stands_for=revision["folded"] or 1,
            diff=word_diff(revision["content"], newer),
        )
        newer = revision["content"]


def word_diff(older: str, newer: str) -> list[DiffPart]:
    """What changed between two wordings, word by word."""
    before, after = _WORD.findall(older), _WORD.findall(newer)
    parts = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            parts.append(DiffPart(how="same", text="".join(before[a:b])))
            continue
        if b > a:
            parts.append(DiffPart(how="removed", text="".join(before[a:b])))
        if d > c:
            parts.append(DiffPart(how="added", text="".join(after[c:d])))
    return parts


def _in_context(home: Home, item: EvidenceOut) -> EvidenceInContext:
    """Evidence with what was said around it; the bare evidence where its conversation can't be read."""
    bare = EvidenceInContext.model_validate(item.model_dump())
    if item.session_key is None or item.message_id is None:
        return bare
    try:
        session = browse.show(home, item.session_key, limit=0)["session"]
        messages = browse.scroll(home, item.session_key, item.message_id, window=1)["messages"]
    except WorkbenchError:
        return bare
    place = next(number for number, message in enumerate(messages) if message.get("anchor"))
    bare.title, bare.project = session["title"], session["project"]
    bare.before, bare.after = _said(messages[:place]), _said(messages[place + 1 :])
    return bare


def _said(messages: Sequence[dict[str, Any]]) -> Said | None:
    if not messages:
        return None
    content = guard.mask(messages[0]["content"])
    short = content if len(content) <= _QUOTED else content[: _QUOTED - 1] + "…"
    return Said(role=messages[0]["role"], content=short, timestamp=messages[0]["timestamp"])
