"""Whatever is said and ruled, in any order, the ledger stands as a small model of its rules says; undo goes all
the way back.

The model keeps statuses, authorities and keys only; it knows nothing of rows, events or images.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.homes import fresh_home
from tests.ledger.conftest import BASE, rows
from workbench import db
from workbench.errors import WorkbenchError
from workbench.ledger import audit, gate, merging, review, standing, store, write
from workbench.ledger import undo as undoing
from workbench.ledger.change import Change
from workbench.ledger.model import DREAMER, PERSON, Actor
from workbench.ledger.time import stamp
from workbench.operations import memories

CLAUDE = Actor("agent", "claude")
LOCATION, EDITOR = "profile.location", "editor"
TEXTS = st.sampled_from(
    [
        ("Lives in Berlin.", LOCATION),
        ("Lives in Porto.", LOCATION),
        ("Lives in Rome.", LOCATION),
        ("Uses Vim.", EDITOR),
        ("Uses Emacs.", EDITOR),
        ("Plays the oboe.", None),
    ]
)
ENDORSED = ("confirmed", "locked")
OPEN = ("active", "needs_review")
# Where memory lies, a commit costs nothing; the files are real all the same.
FAST = next((folder for folder in (Path("/dev/shm"),) if folder.is_dir()), None)


class Refused(Exception):
    """The model's word for any refusal."""


@dataclass(frozen=True)
class Mem:
    """What the model knows of one memory."""

    text: str
    key: str | None
    status: str
    authority: str
    reason: str | None = None
    waited_for: str | None = None
    replaced: bool = False


class Model:
    """The rules of standing, in their plainest form."""

    def __init__(self) -> None:
        self.mems: dict[str, Mem] = {}
        self.wrong: frozenset[str] = frozenset()

    def copy(self) -> Model:
        twin = Model()
        twin.mems, twin.wrong = dict(self.mems), self.wrong
        return twin

    def holder(self, key: str | None, but: str | None = None) -> str | None:
        for name, mem in self.mems.items():
            if key and mem.key == key and mem.status == "active" and mem.authority != "inferred" and name != but:
                return name
        return None

    def set(self, name: str, **fields: Any) -> None:
        self.mems[name] = replace(self.mems[name], **fields)

    def say(self, actor: Actor, explicit: bool, text: str, key: str | None) -> str | None:
        """Returns the name of the memory it became or strengthened; a new one is called "new"."""
        person = actor.kind == "person"
        same = [name for name, mem in self.mems.items() if mem.text == text and mem.status in OPEN]
        known = next(iter(sorted(same, key=lambda name: self.mems[name].status)), None)
        if known:
            return self.see(known, actor, explicit, key)
        if not person and text in self.wrong:
            return None
        held = self.holder(key)
        over = self.mems[held].authority if held else None
        if person:
            self.refuse_locked(held)
            new = Mem(text, key, "active", "confirmed")
        elif over in ENDORSED:
            new = Mem(text, key, "needs_review", "inferred", "supersede_proposal")
        elif explicit:
            new = Mem(text, key, "active", "observed")
        else:
            alone = "inferred" if actor is DREAMER else "unreviewed_autonomous_write"
            new = Mem(text, key, "needs_review", "inferred", "contradicts" if held else alone)
        if held and new.status == "active":
            self.set(held, status="superseded", reason=None, replaced=True)
        self.mems["new"] = new
        return "new"

    def see(self, known: str, actor: Actor, explicit: bool, said_key: str | None) -> str:
        mem = self.mems[known]
        person = actor.kind == "person"
        key = said_key if person and said_key else mem.key  # the person says what it is about, too
        waits_for_this = mem.reason in ("inferred", "mid_confidence", "unreviewed_autonomous_write")
        if person and mem.status == "active" and mem.authority in ENDORSED and key == mem.key:
            return known
        if not person and not (explicit and mem.status == "needs_review" and waits_for_this):
            return known
        held = self.holder(key, but=known)
        if held and not person and self.mems[held].authority in ENDORSED:
            return known
        if person:
            self.refuse_locked(held)
        if held:
            self.set(held, status="superseded", reason=None, replaced=True)
        authority = "locked" if mem.authority == "locked" else "confirmed" if person else "observed"
        self.set(known, status="active", reason=None, authority=authority, key=key)
        return known

    def refuse_locked(self, held: str | None) -> None:
        if held and self.mems[held].authority == "locked":
            raise Refused

    def double(self, name: str) -> bool:
        mem = self.mems[name]
        return any(m.text == mem.text and m.status == "active" and n != name for n, m in self.mems.items())

    def endorse(self, name: str, authority: str) -> None:
        mem = self.mems[name]
        if mem.status not in OPEN:
            raise Refused
        authority = "locked" if "locked" in (authority, mem.authority) else authority
        if (mem.status, mem.authority, mem.reason) == ("active", authority, None):
            return
        held = self.holder(mem.key, but=name)
        self.refuse_locked(held)
        if self.double(name):
            raise Refused
        if held:
            self.set(held, status="superseded", reason=None, replaced=True)
        self.set(name, status="active", authority=authority, reason=None)

    def correct(self, name: str, text: str) -> None:
        if self.mems[name].status not in OPEN:
            raise Refused
        before = self.mems[name].text
        held = self.holder(self.mems[name].key, but=name)
        self.refuse_locked(held)
        if held:
            self.set(held, status="superseded", reason=None, replaced=True)
        authority = "locked" if self.mems[name].authority == "locked" else "confirmed"
        self.set(name, text=text, status="active", authority=authority, reason=None)
        self.wrong |= {before}

    def reject(self, name: str) -> None:
        mem = self.mems[name]
        if mem.status in ("superseded", "archived"):
            raise Refused
        if mem.status != "rejected":
            self.set(name, status="rejected", reason=None)
            self.wrong |= {mem.text}

    def unlock(self, name: str) -> None:
        if self.mems[name].status not in OPEN or self.mems[name].authority != "locked":
            raise Refused
        self.set(name, authority="confirmed")

    def archive(self, name: str) -> None:
        mem = self.mems[name]
        if mem.status == "rejected":
            raise Refused
        if mem.status != "archived":
            waited_for = mem.reason if mem.status == "needs_review" else None
            self.set(name, status="archived", reason=None, waited_for=waited_for)

    def restore(self, name: str) -> None:
        mem = self.mems[name]
        if mem.status != "archived" or mem.replaced:
            raise Refused
        reason = mem.waited_for or ("inferred" if mem.authority == "inferred" else None)
        if reason is None and (self.holder(mem.key) or self.double(name)):
            raise Refused
        self.set(name, status="needs_review" if reason else "active", reason=reason)

    def split(self, name: str, key: str) -> None:
        mem = self.mems[name]
        if mem.status != "superseded" or mem.key == key or self.holder(key) or self.double(name):
            raise Refused
        authority = "locked" if mem.authority == "locked" else "confirmed"
        self.set(name, status="active", authority=authority, key=key, replaced=False)

    def merge(self, keep: str, other: str) -> None:
        kept, gone = self.mems[keep], self.mems[other]
        if keep == other or kept.status not in OPEN or gone.status not in OPEN or gone.authority == "locked":
            raise Refused
        if gone.authority in ENDORSED and kept.authority not in ENDORSED:
            raise Refused
        if gone.status == "active" and kept.status != "active":
            raise Refused
        self.set(other, status="superseded", reason=None, replaced=True)
        authority = max(kept.authority, gone.authority, key=("inferred", "observed", *ENDORSED).index)
        key = kept.key or gone.key
        if self.holder(key, but=keep):
            key, authority = kept.key, kept.authority if kept.key else authority
        self.set(keep, key=key, authority=authority)


class Governed(RuleBasedStateMachine):
    """The real ledger beside the model."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=FAST))
        self.home = fresh_home(self.folder / "home")
        self.model = Model()
        self.done: list[tuple[str, Model, dict[str, list[tuple[Any, ...]]]]] = []
        self.clock = datetime(2020, 1, 1, tzinfo=UTC)
        self.number = 0

    def act(self, real: Any, modelled: Any) -> None:
        """Do one act in both; both do it, or both refuse and nothing has changed. Each is done an hour after the last,
        so that what is said and what is ruled follow each other."""
        before, state = self.model.copy(), rows(self.home)
        expected = None
        try:
            expected = modelled(self.model)
        except Refused:
            self.model, refused = before, True
        else:
            refused = False
        try:
            with store.writing(self.home) as connection:
                change = self.change(connection, real[0])
                found = real[1](change)
        except WorkbenchError as error:
            assert refused, f"the model allows what was refused: {error}"
            assert rows(self.home) == state
            return
        assert not refused, "the model refuses what was done"
        if expected == "new":
            self.model.mems[found] = self.model.mems.pop("new")
        if change.recorded:
            self.done.append((change.id, before, state))
        else:
            assert rows(self.home) == state

    @rule(said=TEXTS, who=st.sampled_from(["person", "dreamer", "guess", "agent"]))
    def say(self, said: tuple[str, str | None], who: str) -> None:
        self.clock += timedelta(hours=1)
        actor = {"person": PERSON, "agent": CLAUDE}.get(who, DREAMER)
        explicit = who in ("person", "dreamer")
        fields = {"content": said[0], "fact_key": said[1], "explicit": explicit, "observed_at": self.clock.isoformat()}
        checked = gate.check(replace(BASE, **fields))
        self.act(
            (actor, lambda change: write.propose(change, checked).memory_id),
            lambda model: model.say(actor, explicit, *said),
        )

    def change(self, connection: sqlite3.Connection, actor: Actor, **fields: Any) -> Change:
        self.clock += timedelta(hours=1)
        change = Change(connection, actor, **fields)
        change.at = stamp(self.clock)
        return change

    def pick(self, which: int) -> str | None:
        names = list(self.model.mems)
        return names[which % len(names)] if names else None

    @rule(which=st.integers(0, 30), act=st.sampled_from(["accept", "lock", "unlock", "reject", "archive", "restore"]))
    def rule_on(self, which: int, act: str) -> None:
        name = self.pick(which)
        if name is None:
            return
        real = getattr(review if act in ("accept", "reject") else standing, act)
        modelled = {
            "accept": lambda model: model.endorse(name, "confirmed"),
            "lock": lambda model: model.endorse(name, "locked"),
        }.get(act, lambda model: getattr(model, act)(name))
        self.act((PERSON, lambda change: real(change, name)), modelled)

    @rule(which=st.integers(0, 30))
    def correct(self, which: int) -> None:
        name = self.pick(which)
        if name is None:
            return
        self.number += 1
        text = f"Corrected to number {self.number}."
        self.act((PERSON, lambda change: review.correct(change, name, text)), lambda model: model.correct(name, text))

    @rule(which=st.integers(0, 30), fresh=st.booleans())
    def split(self, which: int, fresh: bool) -> None:
        name = self.pick(which)
        if name is None:
            return
        self.number += 1
        key = f"other.{self.number}" if fresh else EDITOR
        self.act((PERSON, lambda change: merging.split(change, name, key)), lambda model: model.split(name, key))

    @rule(which=st.integers(0, 30), also=st.integers(0, 30))
    def merge(self, which: int, also: int) -> None:
        keep, other = self.pick(which), self.pick(also)
        if keep is None or other is None:
            return
        self.act((PERSON, lambda change: merging.merge(change, keep, [other])), lambda model: model.merge(keep, other))

    @rule()
    def undo(self) -> None:
        if not self.done:
            return
        change_id, self.model, state = self.done.pop()
        with store.writing(self.home) as connection:
            undoing.undo(self.change(connection, PERSON, undoes=change_id), change_id)
        assert rows(self.home) == state

    @invariant()
    def the_ledger_is_as_the_model_says(self) -> None:
        with store.reading(self.home) as connection:
            found = {
                row["id"]: (row["content"], row["fact_key"], row["status"], row["authority"], row["review_reason"])
                for row in connection.execute("SELECT * FROM memories")
            }
            overlapping = connection.execute(
                "SELECT a.id, b.id FROM memories a JOIN memories b ON a.fact_key = b.fact_key AND a.seq < b.seq"
                " AND a.valid_from < coalesce(b.valid_to, '9') AND b.valid_from < coalesce(a.valid_to, '9')"
                " WHERE a.status = 'active' AND b.status = 'active' AND 'inferred' NOT IN (a.authority, b.authority)"
            ).fetchall()
        assert found == {n: (m.text, m.key, m.status, m.authority, m.reason) for n, m in self.model.mems.items()}
        assert overlapping == []

    def teardown(self) -> None:
        while self.done:
            self.undo()
        assert all(not table for table in rows(self.home).values())
        audit.anchor(self.home, at=db.now())
        assert memories.verify_audit(self.home).problems == []
        shutil.rmtree(self.folder)


# Its many steps take minutes on a busy machine.
TestGoverned = pytest.mark.timeout(3_600)(Governed.TestCase)
TestGoverned.settings = settings(
    max_examples=max(200, settings().max_examples), deadline=None, suppress_health_check=list(HealthCheck)
)
