"""A ledger of any size, written row by row around the event chain: for benchmarks only."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.benchmarks.generate import vocabulary
from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.model import Authority, Kind, Reason
from workbench.ledger.time import stamp
from workbench.operations.home import open_home

PROJECTS = 20
_START = datetime(2025, 1, 1, tzinfo=UTC)
_REASONS = (
    Reason.UNREVIEWED_AUTONOMOUS_WRITE,
    Reason.INFERRED,
    Reason.MID_CONFIDENCE,
    Reason.SENSITIVE,
    Reason.CONTRADICTS,
    Reason.SUPERSEDE_PROPOSAL,
)
_WRITERS = ("agent:claude-code", "agent:codex", "dreamer:rules", "person:owner")


def fill(home: Home, memories: int, waiting: int = 0) -> Home:
    """Write ``memories`` rows, each with evidence; ``waiting`` of them wait, every third of which contradicts one.

    Their words are invented, a few common and most rare (Zipf). Half of them are global, the rest in 20 projects;
    one in twelve was replaced, one in 5,003 is locked, and every tenth supports the next.
    """
    open_home(home)
    rows = list(_rows(memories, waiting))
    columns = ", ".join(rows[0])
    marks = ", ".join(f":{name}" for name in rows[0])
    with store.writing(home) as connection:
        connection.execute("PRAGMA cache_size=-400000")
        connection.executemany(f"INSERT INTO memories ({columns}) VALUES ({marks})", rows)
        connection.execute("INSERT INTO memories_fts (rowid, content) SELECT seq, content FROM memories")
        connection.execute(
            "INSERT INTO memory_evidence (id, memory_id, source_type, source_ref, excerpt, excerpt_hash)"
            " SELECT 'e_' || seq, id, 'session', source_session || '#' || seq, content, '' FROM memories"
        )
        for type_, which, other in (
            ("contradicts", f"m.review_reason IN ('{Reason.CONTRADICTS}', '{Reason.SUPERSEDE_PROPOSAL}')", "m.seq - 1"),
            ("supports", "m.seq % 10 = 0", "m.seq + 1"),
        ):
            connection.execute(
                f"INSERT INTO memory_relations SELECT '{type_}_' || m.seq, m.id, n.id, '{type_}', 'dreamer:rules',"
                f" m.created_at FROM memories m JOIN memories n ON n.seq = {other} WHERE {which}"
            )
    return home


def _rows(memories: int, waiting: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(7)
    words = vocabulary(7)
    said = chance.choices(words, [1 / (rank + 3) for rank in range(len(words))], k=400_000)
    every = memories // waiting if waiting else memories + 1
    for seq in range(1, memories + 1):
        start = chance.randrange(len(said) - 40)
        at = stamp(_START + timedelta(minutes=5 * seq))
        waits, replaced, locked = seq % every == 0, seq % 12 == 1, seq % 5_003 == 0
        status = "needs_review" if waits else "superseded" if replaced else "rejected" if seq % 50 == 3 else "active"
        in_project, writer = chance.random() < 0.5, chance.choice(_WRITERS)
        held = chance.choice((Authority.OBSERVED, Authority.OBSERVED, Authority.CONFIRMED))
        yield {
            "seq": seq,
            "id": f"m_{chance.getrandbits(96):024x}",
            "content": " ".join(said[start : start + chance.randint(6, 40)]),
            "kind": Kind.CONSTRAINT if locked else chance.choice(list(Kind)),
            "tags": json.dumps([chance.choice(words[:200])]),
            "scope_type": "project" if in_project else "global",
            "scope_key": f"/home/someone/project-{chance.randrange(PROJECTS)}" if in_project else "",
            "fact_key": f"topic-{seq % 900}.k{seq}" if seq % 3 == 0 else None,
            "authority": Authority.INFERRED if waits else Authority.LOCKED if locked else held,
            "status": status,
            "review_reason": _REASONS[(seq // every) % len(_REASONS)] if waits else None,
            "trust": round(chance.uniform(0.5, 1.0), 4),
            "importance": chance.choice((50, 50, 50, chance.randrange(101))),
            "valid_from": at,
            "valid_to": stamp(_START + timedelta(minutes=5 * seq + 9_000)) if replaced and not waits else None,
            "created_at": at,
            "updated_at": at,
            "created_by": writer,
            "source_agent": writer.split(":")[1] if writer.startswith("agent") else None,
            "source_session": f"claude-code:s{seq % 900}",
            "fingerprint": f"{seq:064x}",
            "last_seen_at": at,
        }
