"""Checking a chain of 50,000 events, each with its payload, and the rows they left."""

from __future__ import annotations

import resource
import time
from dataclasses import replace
from pathlib import Path

import pytest

from workbench import db
from workbench.home import Home
from workbench.ledger import audit, gate, store
from workbench.ledger.change import Change
from workbench.ledger.model import DREAMER, Candidate, Evidence, Kind, SourceType
from workbench.ledger.write import propose
from workbench.operations.home import open_home

EVENTS = 50_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Statements of the dreamer, each with its evidence and an event."""
    home = open_home(Home(tmp_path_factory.mktemp("audit")))
    base = gate.check(Candidate("Lives in Berlin.", Kind.PROFILE, explicit=True, confidence=0.9))
    with store.writing(home) as connection:
        for number in range(EVENTS):
            content = (
                f"Met person number {number} at the station in the year {1900 + number % 100} and kept the address."
            )
            quote = Evidence(SourceType.SESSION, f"claude:s{number // 40}#{number}", f"I remember: {content}")
            candidate = replace(base.candidate, content=content, kind=Kind.EVENT, evidence=(quote,))
            checked = replace(base, candidate=candidate, fingerprint=gate.fingerprint(content, "global", ""))
            propose(Change(connection, DREAMER), checked)
    audit.anchor(home, at=db.now())
    return home


def test_verifying_50_000_events(home: Home) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    took = []
    for _ in range(3):
        started = time.perf_counter()
        found = audit.verify(home)
        took.append(time.perf_counter() - started)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert (found.ok, found.events) == (True, EVENTS)
    print(
        f"\nverify: {found.events:,} events in {min(took):.2f} s ({home.ledger.stat().st_size / 1e6:.0f} MB), {grown:.0f} MB more memory"
    )
    assert min(took) < 15
