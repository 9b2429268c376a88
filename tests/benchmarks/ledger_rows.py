"""A ledger of any size, written row by row around the event chain: for reading benchmarks only."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.benchmarks.generate import vocabulary
from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.gate import fingerprint
from workbench.ledger.model import Kind, Reason
from workbench.ledger.time import stamp
from workbench.operations.home import open_home

_START = datetime(2025, 1, 1, tzinfo=UTC)
_REASONS = (
    Reason.UNREVIEWED_AUTONOMOUS_WRITE,
    Reason.INFERRED,
    Reason.MID_CONFIDENCE,
    Reason.SENSITIVE,
    Reason.CONTRADICTS,
    Reason.SUPERSEDE_PROPOSAL,
)


def fill(home: Home, memories: int, waiting: int, seed: int = 7) -> Home:
    """Write ``memories`` rows, each with evidence; ``waiting`` of them wait, every third of which contradicts one."""
    open_home(home)
    with store.writing(home) as connection:
        active = ""
        for row in _rows(memories, waiting, seed):
            active = row["id"] if row["status"] == "active" else active
            columns = ", ".join(row)
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO memories ({columns}) VALUES ({marks})", tuple(row.values()))
            connection.execute("INSERT INTO memories_fts (rowid, content) VALUES (?, ?)", (row["seq"], row["content"]))
            connection.execute(
                "INSERT INTO memory_evidence (id, memory_id, source_type, source_ref, excerpt, excerpt_hash)"
                " VALUES (?, ?, 'session', ?, ?, '')",
                (f"e_{row['seq']}", row["id"], f"claude-code:s{row['seq'] % 900}#{row['seq']}", row["content"]),
            )
            if row["review_reason"] in (Reason.CONTRADICTS, Reason.SUPERSEDE_PROPOSAL):
                connection.execute(
                    "INSERT INTO memory_relations VALUES (?, ?, ?, 'contradicts', 'dreamer:rules', ?)",
                    (f"r_{row['seq']}", row["id"], active, row["created_at"]),
                )
    return home


def _rows(memories: int, waiting: int, seed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(seed)
    words = vocabulary(seed)
    kinds = [kind.value for kind in Kind]
    every = memories // waiting
    for seq in range(1, memories + 1):
        content = " ".join(chance.choices(words[:4_000], k=chance.randint(8, 40)))
        at = stamp(_START + timedelta(minutes=5 * seq))
        waits = seq % every == 0
        project = chance.randrange(40)
        scope = ("project", f"/home/someone/project-{project}") if project < 20 else ("global", "")
        writer = chance.choice(["agent:claude-code", "agent:codex", "dreamer:rules", "person:owner"])
        status = "needs_review" if waits else chance.choices(["active", "superseded", "rejected"], [90, 8, 2])[0]
        yield {
            "seq": seq,
            "id": f"m_{chance.getrandbits(96):024x}",
            "content": content,
            "kind": chance.choice(kinds),
            "tags": json.dumps([chance.choice(words[:200])]),
            "scope_type": scope[0],
            "scope_key": scope[1],
            "fact_key": f"topic.k{seq}" if seq % 3 == 0 else None,
            "authority": "inferred" if waits else chance.choice(["observed", "observed", "confirmed"]),
            "status": status,
            "review_reason": _REASONS[(seq // every) % len(_REASONS)] if waits else None,
            "trust": round(chance.uniform(0.5, 1.0), 4),
            "importance": chance.randrange(101),
            "valid_from": at,
            "valid_to": stamp(_START + timedelta(minutes=5 * seq + 9_000)) if status == "superseded" else None,
            "created_at": at,
            "updated_at": at,
            "created_by": writer,
            "source_agent": writer.split(":")[1] if writer.startswith("agent") else None,
            "source_session": f"claude-code:s{seq % 900}",
            "fingerprint": fingerprint(content, *scope),
            "last_seen_at": at,
        }
