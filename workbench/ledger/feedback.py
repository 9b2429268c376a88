"""Feedback: whether a memory helped. It moves trust, and what loses too much of it is looked at again."""

from __future__ import annotations

from workbench.ledger import doubt, lifecycle, review, supersede
from workbench.ledger.change import Change, new_id


def give(change: Change, memory_id: str, helpful: bool, note: str | None = None) -> bool:
    """Mark a memory as helpful or not; an agent's mark counts once a memory, and not where the person has ruled.

    :returns: whether the mark counts.
    :raises SecretRefused: when the note holds a credential.
    """
    if change.actor.kind != "agent":
        lifecycle.require_person(change.actor, "give feedback on")
    row = review.open_row(change, memory_id, "given feedback on")
    note = review.remark(note, "a note")
    if change.actor.kind == "agent" and (row["authority"] in supersede.ENDORSED or _given(change, memory_id)):
        return False
    change.insert(
        "memory_feedback",
        id=new_id("f"),
        memory_id=memory_id,
        helpful=int(helpful),
        note=note,
        actor=str(change.actor),
        given_at=change.at,
    )
    supersede.refresh_trust(change, memory_id)
    change.record("feedback", memory_id, helpful=helpful)
    doubt.doubt(change, memory_id)
    change.enqueue("memory_md")
    return True


def _given(change: Change, memory_id: str) -> bool:
    found = change.connection.execute(
        "SELECT 1 FROM memory_feedback WHERE memory_id = ? AND actor = ?", (memory_id, str(change.actor))
    ).fetchone()
    return found is not None
