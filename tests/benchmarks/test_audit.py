"""Checking a chain of 50,000 events, each with its payload, and the rows they left."""

from __future__ import annotations

import resource
import time

import pytest

from workbench import db, text
from workbench.home import Home
from workbench.ledger import audit, store
from workbench.ledger.change import Change
from workbench.ledger.model import DREAMER
from workbench.operations import erase
from workbench.operations.home import open_home

EVENTS = 50_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Memories of the dreamer, each with its evidence and the event of its making."""
    home = open_home(Home(tmp_path_factory.mktemp("audit")))
    with store.writing(home) as connection:
        change = Change(connection, DREAMER)
        for number in range(EVENTS):
            _remember(change, number)
    audit.anchor(home, at=db.now(), anew=True)
    return home


def _remember(change: Change, number: int) -> None:
    content = f"Met person number {number} at the station in the year {1900 + number % 100} and kept the address."
    memory_id, excerpt = f"m_{number:024x}", f"I remember: {content}"
    standing = {"kind": "event", "authority": "observed", "status": "active", "trust": 0.85, "confidence": 0.9}
    times = dict.fromkeys(("valid_from", "observed_at", "created_at", "updated_at"), change.at)
    print_ = text.sha256(content)
    change.insert(
        "memories", id=memory_id, content=content, **standing, **times, created_by=str(DREAMER), fingerprint=print_
    )
    source = {"source_type": "session", "source_ref": f"claude:s{number // 40}#{number}", "observed_at": change.at}
    quote = {"excerpt": excerpt, "excerpt_hash": text.sha256(excerpt)}
    change.insert("memory_evidence", id=f"e_{number:024x}", memory_id=memory_id, **source, **quote)
    change.record("created", memory_id, status="active", reason=None)


def test_verifying_50_000_events(home: Home) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    took, cpu = [], []
    for _ in range(3):
        started, spent = time.perf_counter(), time.process_time()
        found = audit.verify(home)
        took.append(time.perf_counter() - started)
        cpu.append(time.process_time() - spent)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert (found.ok, found.events) == (True, EVENTS)
    assert min(took) <= 5
    size = f"{EVENTS:,} events, {home.ledger.stat().st_size / 1e6:.0f} MB"
    print(f"\nverify: {size}: {min(took):.2f} s, {min(cpu):.2f} s of CPU, {grown:.0f} MB more memory")


def test_previewing_an_erase_among_50_000_memories(home: Home) -> None:
    started = time.perf_counter()
    assert erase.preview(home, [f"m_{7:024x}"]).counts["event payloads"] == 1
    print(f"\nerase, preview: {time.perf_counter() - started:.2f} s")
