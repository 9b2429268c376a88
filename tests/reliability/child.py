"""A process that writes to a home until it is done or killed, and says what was acknowledged.

``python child.py HOME TAG COUNT MODE``: prints the id of every memory after its write was reported as done.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.change import Change
from workbench.ledger.gate import check
from workbench.ledger.model import PERSON, Actor, Candidate, Kind
from workbench.ledger.write import propose
from workbench.operations import effects, rulings
from workbench.operations.append import memory_append


def append(home: Home, tag: str, count: int) -> None:
    """Append ``count`` entries to MEMORY.md, each of words of its own; every third one is rejected again."""
    for number in range(count):
        dice = random.Random(f"{tag} {number}")
        words = ["".join(dice.choices("abcdefghijklmnoprstuvwz", k=5)) for _ in range(8)]
        done = memory_append(home, Actor("agent", tag), f"Says {' '.join(words)}.")
        assert done.memory is not None
        print("active", done.memory.id, flush=True)
        if number % 3 == 2:
            rulings.reject(home, PERSON, done.memory.id)
            print("rejected", done.memory.id, flush=True)


def main(root: str, tag: str, count: int, mode: str) -> None:
    """Write ``count`` memories; in mode ``rule`` each is also accepted, and every third one undone."""
    home = Home(Path(root))
    if mode == "append":
        append(home, tag, count)
        return
    for number in range(count):
        candidate = Candidate(f"Fact {number} of writer {tag}.", Kind.FACT, explicit=mode == "write", confidence=0.9)
        checked = check(candidate)
        with store.writing(home) as connection:
            memory_id = propose(Change(connection, Actor("agent", tag)), checked).memory_id or ""
        print("waiting" if mode == "rule" else "active", memory_id, flush=True)
        if mode == "rule":
            rulings.accept(home, PERSON, memory_id)
            print("active", memory_id, flush=True)
            if number % 3 == 2:
                rulings.undo(home, PERSON, memory_id=memory_id)
                print("waiting", memory_id, flush=True)
    effects.drain(home)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
