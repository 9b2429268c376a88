"""Whatever was done, undoing all of it gives back the ledger as it was, column by column."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.homes import fresh_home
from tests.ledger.conftest import BASE, rows
from workbench import db
from workbench.errors import WorkbenchError
from workbench.ledger import audit, store
from workbench.ledger.change import Change
from workbench.ledger.gate import check
from workbench.ledger.lifecycle import NeedsConfirmation
from workbench.ledger.model import DREAMER, PERSON, Evidence
from workbench.ledger.undo import LaterChange, last_change
from workbench.ledger.write import propose
from workbench.operations import memories, rulings
from workbench.operations.models import Ruling
from workbench.operations.models_rulings import Feedback

PLACES = st.sampled_from(["Berlin", "Munich", "Porto"])
ACTS = (
    *("accept", "reject", "correct", "lock", "unlock", "set_core", "archive", "restore", "split", "rekey", "merge"),
    "feedback",
)
DAYS = st.integers(1, 28).map(lambda day: f"2026-02-{day:02}")


class Ledger(RuleBasedStateMachine):
    """Statements about one fact, by everybody, in any order, with every verdict."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.home = fresh_home(Path(self.folder.name))
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
        before = rows(self.home)
        try:
            with store.writing(self.home) as connection:
                change = Change(connection, PERSON if person else DREAMER)
                propose(change, check(candidate))
        except NeedsConfirmation:
            assert rows(self.home) == before
        else:
            self.remember(change.recorded)

    @rule(which=st.integers(0, 50), other=st.integers(0, 50), act=st.sampled_from(ACTS), place=PLACES)
    def rule_on(self, which: int, other: int, act: str, place: str) -> None:
        found = memories.list_memories(self.home, status=None).items
        if not found:
            return
        chosen, second = found[which % len(found)].id, found[other % len(found)].id
        before = rows(self.home)
        try:
            done = self.do(act, chosen, second, place)
        except WorkbenchError:
            assert rows(self.home) == before
        else:
            self.remember(done.change_id is not None)

    def do(self, act: str, chosen: str, second: str, place: str) -> Ruling | Feedback:
        """One act of the person's."""
        if act == "correct":
            return rulings.correct(self.home, PERSON, chosen, f"Lives near {place}.")
        if act == "merge":
            return rulings.merge(self.home, PERSON, chosen, [second], confirm_locked=True)
        if act in ("split", "rekey"):
            key = {"Berlin": "profile.location"}.get(place, f"profile.{place}")
            return (
                rulings.split(self.home, PERSON, chosen, key)
                if act == "split"
                else (rulings.rekey(self.home, PERSON, chosen, key, replace=True))
            )
        if act == "feedback":
            return rulings.feedback(self.home, PERSON, chosen, place == "Porto")
        return getattr(rulings, act)(self.home, PERSON, chosen)

    @rule()
    def undo(self) -> None:
        if len(self.states) > 1:
            with store.reading(self.home) as connection:
                newest = last_change(connection)
            rulings.undo(self.home, PERSON, change_id=newest)
            self.states.pop()
            assert rows(self.home) == self.states[-1]

    @rule(steps=st.integers(1, 5))
    def undo_with_later(self, steps: int) -> None:
        """An older change and what stands on it goes; and that comes back as it was."""
        before = rows(self.home)
        with store.reading(self.home) as connection:
            recent = (
                "SELECT change_id FROM memory_events WHERE undoes IS NULL GROUP BY change_id ORDER BY max(seq) DESC"
            )
            ids = [row[0] for row in connection.execute(f"{recent} LIMIT ?", (steps,))]
        if not ids:
            return
        try:
            undone = rulings.undo(self.home, PERSON, change_id=ids[-1], with_later=True, confirmed=True)
        except LaterChange:
            assert rows(self.home) == before
            return
        rulings.undo(self.home, PERSON, change_id=undone.undone_by)
        assert rows(self.home) == before

    @invariant()
    def one_holder_of_the_fact(self) -> None:
        active = [m for m in memories.list_memories(self.home).items if m.authority != "inferred"]
        keys = [m.fact_key for m in active if m.fact_key]
        assert len(keys) == len(set(keys))
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


# Its many steps take minutes on a busy machine.
TestLedger = pytest.mark.timeout(3_600)(Ledger.TestCase)
# Through the operations, each on a home's real disk: an eighth of the examples of a profile takes long enough.
TestLedger.settings = settings(
    max_examples=max(25, settings().max_examples // 8), deadline=None, suppress_health_check=list(HealthCheck)
)
