"""Whatever is done to entries of MEMORY.md, by hand and by ruling, in whatever order: an entry stands in the file
exactly where its memory is in force, and the person's own text is never touched."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.homes import fresh_home
from workbench import db, kept
from workbench.errors import WorkbenchError
from workbench.ledger import entries as ledger
from workbench.ledger import store
from workbench.ledger.model import PERSON, Actor
from workbench.notes import entries, projection, records
from workbench.operations import erase, memories, memory_md, rulings
from workbench.operations.append import memory_append

NOUNS = ["violin", "radish", "harbour", "lantern", "saddle", "oven", "chimney", "kayak", "pillow", "anchor", "walnut"]
PICK = st.integers(0, 200)


class Appending(RuleBasedStateMachine):
    """A home, an agent that appends, and a person who rules, edits and writes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.home = fresh_home(self.folder / "home")
        self.home.memory_md.write_text("Own line 0.\n")
        self.own = ["Own line 0."]
        self.ids: list[str] = []
        self.erased: list[str] = []
        self.number = 0

    def teardown(self) -> None:
        kept.release()
        shutil.rmtree(self.folder)

    def sentence(self) -> str:
        self.number += 1
        one, other = NOUNS[self.number % len(NOUNS)], NOUNS[self.number // len(NOUNS) * 3 + 1]
        return f"{one.title()} {self.number}: {one} {other} {one}{other}."

    @rule(by_person=st.booleans(), lines=st.sampled_from([1, 2]))
    def append(self, by_person: bool, lines: int) -> None:
        actor = PERSON if by_person else Actor("agent", "codex")
        done = memory_append(self.home, actor, "\n".join(self.sentence() for _ in range(lines)))
        if done.stored and done.memory is not None:
            self.ids.append(done.memory.id)

    @rule(pick=PICK, act=st.sampled_from(["accept", "reject", "correct", "archive", "restore", "undo", "erase"]))
    def act(self, pick: int, act: str) -> None:
        if not self.ids:
            return
        memory_id = self.ids[pick % len(self.ids)]
        try:
            if act == "correct":
                rulings.correct(self.home, PERSON, memory_id, self.sentence())
            elif act == "undo":
                rulings.undo(self.home, PERSON, memory_id=memory_id)
            elif act == "erase":
                found = memories.list_memories(self.home, status=None, limit=1_000).items
                said = {each.id: each.content for each in found}
                gone = erase.erase(self.home, PERSON, [memory_id]).memory_ids
                # A correction by hand that waits goes with the memory.
                self.erased += [line for key in gone for line in said.get(key, "").split("\n") if line]
                self.own = [line for line in self.own if line not in self.erased]
            else:
                getattr(rulings, act)(self.home, PERSON, memory_id)
        except WorkbenchError:
            pass  # not in this state

    @rule(above=st.booleans())
    def write_by_hand(self, above: bool) -> None:
        self.number += 1
        self.own.append(f"Own line {self.number}.")
        document, line = self.home.memory_md.read_bytes(), self.own[-1].encode() + b"\n"
        written = line + b"\n" + document if above else entries.with_bytes(document, line)
        self.home.memory_md.write_bytes(written)

    @rule(pick=PICK, remove=st.booleans())
    def edit(self, pick: int, remove: bool) -> None:
        document = self.home.memory_md.read_bytes()
        if not (there := entries.stretches(document)):
            return
        stretch = there[pick % len(there)]
        end, said = stretch.whole
        self.own = [line for line in self.own if line not in said.split("\n")]
        if remove:
            document = entries.without(document, stretch.start, end)
        else:
            self.own.append(self.sentence())
            document = entries.reworded(document, stretch.start, end, self.own[-1])
        self.home.memory_md.write_bytes(document)

    @invariant()
    def in_step(self) -> None:
        memory_md.refresh(self.home)
        document, archive = self.home.memory_md.read_bytes(), b""
        if self.home.memory_archive.exists():
            archive = self.home.memory_archive.read_bytes()
        said = [[end[1] for end in each.ends] for file in (document, archive) for each in entries.stretches(file)]
        with store.reading(self.home) as connection:
            wanted = ledger.wanted(connection, db.now())
            linked = {row[0] for row in connection.execute("SELECT memory_id FROM resource_links")}
            rows = {row["id"]: dict(row) for row in connection.execute("SELECT * FROM memories")}
        own = records.load(self.home)
        assert own.entries.keys() == wanted.keys()
        assert wanted.keys() == {key for key, row in rows.items() if row["status"] == "active" and key in linked}
        for key, wish in wanted.items():
            count = sum(wish.text in ends for ends in said)
            assert count == (0 if own.entries[key].hand else 1), (wish, said)
        shown = projection.human(document).decode()
        block = document.decode().replace(shown, "")
        for row in rows.values():
            if row["status"] == "active" and row["id"] not in wanted:
                assert row["content"].split("\n")[0] in document.decode(), "what is in force is shown"
            elif row["status"] in ("needs_review", "rejected", "archived") and row["content"] not in self.own:
                assert not any(row["content"] in ends for ends in said), (row["status"], row["content"])
                assert row["content"] not in block
        for line in self.own:
            assert (shown + archive.decode()).count(line) == 1, line
        everything = b"".join(path.read_bytes() for path in self.home.memory.iterdir() if path.is_file())
        assert not any(line.encode() in everything for line in self.erased)


TestAppending = Appending.TestCase
TestAppending.settings = settings(max_examples=12, stateful_step_count=14)
