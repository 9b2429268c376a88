"""Whatever was done, undoing all of it gives back the ledger as it was, column by column."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.ledger.conftest import BASE, rows
from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, store
from workbench.ledger.change import Change
from workbench.ledger.gate import check
from workbench.ledger.model import DREAMER, PERSON, Evidence
from workbench.ledger.write import propose
from workbench.operations import memories, rulings
from workbench.operations.home import open_home

PLACES = st.sampled_from(["Berlin", "Munich", "Porto"])
DAYS = st.integers(1, 28).map(lambda day: f"2026-02-{day:02}")


class Ledger(RuleBasedStateMachine):
    """Statements about one fact, by everybody, in any order, with every verdict."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.home = open_home(Home(Path(self.folder.name)))
        self.states = [rows(self.home)]

    @rule(place=PLACES, day=DAYS, explicit=st.booleans(), person=st.booleans(), seen=st.integers(1, 3))
    def say(self, place: str, day: str, explicit: bool, person: bool, seen: int) -> None:
        candidate = replace(
            BASE,
            content=f"Lives in {place}.",
            fact_key="profile.location",
            explicit=explicit,
            observed_at=day,
            evidence=(Evidence("session", f"s#{seen}", f"I live in {place}"),),
        )
        with store.writing(self.home) as connection:
            change = Change(connection, PERSON if person else DREAMER)
            propose(change, check(candidate))
        self.remember(change.recorded)

    @rule(which=st.integers(0, 50), act=st.sampled_from(["accept", "reject", "correct"]), place=PLACES)
    def rule_on(self, which: int, act: str, place: str) -> None:
        found = memories.list_memories(self.home, status=None).items
        if not found:
            return
        chosen = found[which % len(found)].id
        before = rows(self.home)
        try:
            if act == "correct":
                done = rulings.correct(self.home, PERSON, chosen, f"Lives near {place}.")
            else:
                done = getattr(rulings, act)(self.home, PERSON, chosen)
        except WorkbenchError:
            assert rows(self.home) == before
        else:
            self.remember(done.change_id is not None)

    @rule()
    def undo(self) -> None:
        if len(self.states) > 1:
            rulings.undo(self.home, PERSON)
            self.states.pop()
            assert rows(self.home) == self.states[-1]

    @invariant()
    def one_holder_of_the_fact(self) -> None:
        active = [m for m in memories.list_memories(self.home).items if m.authority != "inferred"]
        assert len([m for m in active if m.fact_key]) <= 1
        waiting = memories.list_memories(self.home, status="needs_review").items
        assert all(memory.review_reason for memory in waiting)

    def remember(self, changed: object) -> None:
        if changed:
            self.states.append(rows(self.home))

    def teardown(self) -> None:
        while len(self.states) > 1:
            self.undo()
        audit.anchor(self.home, at=db.now())
        assert memories.verify_audit(self.home).problems == []
        self.folder.cleanup()


TestLedger = Ledger.TestCase
TestLedger.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
