"""Entries of MEMORY.md and what they stand for: whatever is done in whatever order, and wherever it is broken off."""

from __future__ import annotations

from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from workbench.notes import entries, projection
from workbench.notes.keeping import Plan, Records, Wanted, plan

WORDS = st.sampled_from(
    ["Uses tabs.", "Likes tea.", "Drinks coffee.", "Runs on Sundays.\n\nIn the woods.", "Has a cat."]
)
STAMPS = st.sampled_from(["2026-03-01 10:05", "2026-03-01 10:06", "2026-03-02 08:00"])
CAP = 400
PICK = st.integers(0, 50)
# How many of its four writes a refresh comes to before it is broken off; the next one finds what it left.
WRITES = st.integers(0, 4)


class Keeping(RuleBasedStateMachine):
    """A file, its archive and its records, edited from two sides."""

    def __init__(self) -> None:
        super().__init__()
        self.document, self.archive, self.records = b"", b"", Records()
        self.wanted: dict[str, Wanted] = {}
        self.human: list[str] = []
        self.number = 0
        self.edited = False

    def refresh(self, count: int = 4) -> Plan:
        """What ``memory_md`` does; broken off behind one of its writes."""
        told: dict[str, str] = {}
        while True:
            made = plan(self.document, self.archive, self.records, self.wanted, told, CAP)
            for key in made.deleted:
                del self.wanted[key]
            told |= {key: entries.digest(said) for key, said in made.edited.items()}
            if not (made.edited or made.deleted):
                break
            assert self.edited, "nobody touched the files"
        writes = [("records", made.before), ("archive", made.archive), ("document", made.document)]
        for name, value in [*writes, ("records", made.after)][:count]:
            setattr(self, name, value)
        self.edited = self.edited and count < 4
        return made

    @rule(words=WORDS, stamp=STAMPS, count=WRITES)
    def append(self, words: str, stamp: str, count: int) -> None:
        self.number += 1
        self.wanted[f"m{self.number}"] = Wanted(stamp, f"{words[:-1]} ({self.number}).")
        self.refresh(count)

    @rule(words=WORDS, pick=PICK, count=WRITES)
    def correct(self, words: str, pick: int, count: int) -> None:
        if self.wanted:
            self.number += 1
            key = list(self.wanted)[pick % len(self.wanted)]
            self.wanted[key] = Wanted(self.wanted[key].stamp, f"{words[:-1]} ({self.number}).")
            self.refresh(count)

    @rule(pick=PICK, count=WRITES)
    def reject(self, pick: int, count: int) -> None:
        if self.wanted:
            del self.wanted[list(self.wanted)[pick % len(self.wanted)]]
            self.refresh(count)

    @rule(above=st.booleans())
    def write_by_hand(self, above: bool) -> None:
        self.number += 1
        self.human.append(f"My own line {self.number}.")
        line = self.human[-1].encode() + b"\n"
        self.document = line + b"\n" + self.document if above else entries.with_bytes(self.document, line)

    @rule(pick=PICK, act=st.sampled_from(["reword", "remove"]), count=WRITES)
    def edit(self, pick: int, act: str, count: int) -> None:
        there = entries.stretches(self.document)
        if not there:
            return
        stretch = there[pick % len(there)]
        end, said = stretch.whole
        self.number += 1
        self.edited = True
        if act == "reword":
            new = f"Not so: {said.splitlines()[0]} ({self.number})"
            self.human.append(new)
            self.human = [line for line in self.human if line not in said.splitlines()]
            self.document = entries.reworded(self.document, stretch.start, end, new)
        else:
            self.human = [line for line in self.human if line not in said.splitlines()]
            self.document = entries.without(self.document, stretch.start, end)
        self.refresh(count)

    @rule()
    def lose_the_records(self) -> None:
        self.records = Records()

    @invariant()
    def in_step(self) -> None:
        self.refresh()
        first = (self.document, self.archive, self.records)
        self.refresh()
        assert (self.document, self.archive, self.records) == first, "a second time changes nothing"
        both = [*entries.stretches(self.document), *entries.stretches(self.archive)]
        said = Counter(entries.digest(text) for stretch in both for _, text in stretch.ends)
        for key, wish in self.wanted.items():
            by_hand = self.records.entries[key].hand
            assert said[entries.digest(wish.text)] == (0 if by_hand else 1), (key, by_hand)
        whole = self.document.decode() + self.archive.decode()
        for line in self.human:
            assert whole.count(f"{line}\n") == 1, line
        ours = {entries.digest(wish.text) for wish in self.wanted.values()}
        for stretch in both:
            lines = stretch.whole[1].splitlines()
            known = not ours.isdisjoint(entries.digest(text) for _, text in stretch.ends)
            assert known or all(line in self.human for line in lines), "nothing stays that is nobody's"
        if len(entries.stretches(self.document)) > 1:
            fixed = sum(len(line) + 2 for line in self.human)
            assert len(projection.human(self.document).decode()) <= max(CAP, fixed + 200)


TestKeeping = Keeping.TestCase
