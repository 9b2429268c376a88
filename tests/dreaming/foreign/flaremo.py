"""An export of FlareMo, version 5, with every array."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

AT = "2026-03-01T10:00:00.000Z"


def memory(number: int, content: Any, **fields: Any) -> dict[str, Any]:
    """A row of ``memories``."""
    return {
        "name": f"memories/id{number}",
        "content": content,
        "type": "semantic",
        "kind": "fact",
        "scope_type": "global",
        "scope_key": None,
        "fact_key": None,
        "tags": [],
        "tier": "normal",
        "verification": "observed",
        "status": "active",
        "importance": 50,
        "confidence": 50,
        "needs_review": False,
        "review_reason": None,
        "created_by_type": "agent",
        "source_agent": "claude-code",
        "source_session": None,
        "source_ref": None,
        "valid_from": AT,
        "valid_to": None,
        "observed_at": AT,
        "expires_at": None,
        "superseded_by_id": None,
        "superseded_at": None,
        "rejected_at": None,
        "created_at": AT,
        "updated_at": AT,
        **fields,
    }


DOCUMENT: dict[str, Any] = {
    "version": 5,
    "exported_at": AT,
    "memos": [{"name": "memos/1", "content": "a memo"}, {"name": "memos/2", "content": "another"}],
    "attachments": [{"name": "attachments/1"}],
    "relations": [{"memo": "memos/1", "related_memo": "memos/2", "type": "reference"}],
    "shares": [],
    "memories": [
        memory(1, "Never deploy on Fridays", kind="constraint", verification="locked", tier="core", confidence=100,
               created_by_type="user", tags=["deploy", "rules"], importance=90),
        memory(2, "Deploys go to eu-west-1", kind="decision", verification="confirmed", fact_key="deploy.region",
               scope_type="project", scope_key="atlas", valid_from="2026-03-01T10:00:00Z"),
        memory(3, "Deploys go to us-east-1", kind="decision", status="superseded", fact_key="deploy.region",
               scope_type="project", scope_key="atlas", superseded_by_id="id2",
               valid_from="2026-01-01T10:00:00Z", valid_to="2026-03-01T10:00:00Z"),
        memory(4, "The tests take nine minutes", scope_type="agent", scope_key="agent:codex", confidence=70),
        memory(5, "The person seems to like short answers", verification="inferred", needs_review=True),
        memory(6, "The staging server is called Rook", status="archived"),
        memory(7, "The build needs Python 2", status="archived", rejected_at=AT, review_reason="rejected"),
        memory(8, "Two teams disagree about the schema", status="disputed"),
        memory(9, "This was thrown away", status="deleted"),
    ],
    "memory_revisions": [
        {"name": "memories/r1", "memory_id": "memories/id2", "content": "Deploys go to eu-west-2",
         "metadata_snapshot": {"status": "active"}, "created_by_type": "user", "created_by_agent": None,
         "created_at": AT},
    ],
    "memory_relations": [
        {"memory_id": "memories/id4", "related_memory_id": "memories/id1", "type": "supports", "created_at": AT},
        {"memory_id": "memories/id2", "related_memory_id": "memories/id3", "type": "supersedes", "created_at": AT},
        {"memory_id": "memories/id4", "related_memory_id": "memories/gone", "type": "related_to", "created_at": AT},
    ],
    "memory_resource_links": [
        {"memory_id": "memories/id1", "resource_type": "url", "resource_ref": "https://example.com/runbook",
         "relation_type": "references", "metadata": {}, "created_at": AT},
        {"memory_id": "memories/id1", "resource_type": "github", "resource_ref": "acme/atlas#12",
         "relation_type": "evidence", "metadata": {}, "created_at": AT},
        {"memory_id": "memories/id1", "resource_type": "memo", "resource_ref": "memos/1",
         "relation_type": "promoted_to", "metadata": {}, "created_at": AT},
    ],
    "memory_evidence": [
        {"memory_id": "memories/id2", "source_type": "session", "source_id": "s-1", "relation_type": "evidence_for",
         "observed_at": AT, "excerpt": "we moved everything to Ireland", "excerpt_hash": "x", "created_at": AT},
        {"memory_id": "memories/id2", "source_type": "memo", "source_id": "memos/1", "relation_type": "contradicts",
         "excerpt": "we did not", "created_at": AT},
        {"memory_id": "memories/gone", "source_type": "memo", "source_id": "memos/1",
         "relation_type": "evidence_for", "excerpt": "lost", "created_at": AT},
    ],
    "memory_events": [
        {"memory_id": "memories/id1", "event_type": "locked", "actor_type": "user", "created_at": AT},
    ],
    "projects": [{"name": "projects/1", "title": "Atlas"}],
    "tasks": [{"name": "tasks/1", "title": "Deploy"}],
    "task_activity": [{"task_id": "tasks/1", "action": "created"}],
}  # fmt: skip


def export(path: Path, **changes: Any) -> Path:
    """The export as a file, some of its arrays replaced."""
    path.write_text(json.dumps({**DOCUMENT, **changes}))
    return path
