"""What time does to a home, in one run: idempotent, in batches, and a run that was killed is finished by the next."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict

from pydantic import BaseModel

from workbench import config, db, files
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, doubt, maintain, outbox, quota, read, spot_checks, store
from workbench.ledger.change import Change
from workbench.operations import effects, embedding, memory_md
from workbench.operations.evidence import BATCH, MAINTENANCE, Swept, sweep
from workbench.operations.home import databases
from workbench.sessions import store as conversations

# What a run spends on vectors: the next one goes on.
_EMBEDDING_SECONDS = 60.0
Progress = Callable[[int, int], None]


class Planned(BaseModel):
    """What a run would do; what the sources of evidence say is known only by a run.

    :param vectors: memories, messages and chunks of notes without a vector; None where there is no embedding model.
    :param outbox: effects to carry out.
    :param unanchored: events that the anchor does not vouch for yet.
    """

    conjectures: int
    faded: int
    dormant: int
    revisions: int
    lenses: int
    spot_checks: int
    vectors: int | None
    outbox: int
    unanchored: int


class Maintained(BaseModel):
    """What a run did.

    :param expired: conjectures put away unanswered; ``sunk``: memories put away unused.
    :param faded: memories bound to their time that went to the inbox, because they were not seen for too long.
    :param folded: memories whose revisions were folded; ``lenses``: archived lenses deleted.
    :param embedded: vectors made; ``reclaimed``: vectors of what can't be found any more removed.
    :param memory_md: whether the block in MEMORY.md was out of date.
    :param effects: effects carried out; ``backlog``: those that could not be.
    :param anchored: events that the anchor vouches for since now.
    :param logs: databases whose log was emptied; ``leftovers``: files of killed processes removed.
    :param remarks: what was left out, and why; ``problems``: what failed and is tried again next time.
    """

    evidence: Swept = Swept()
    expired: int = 0
    faded: int = 0
    sunk: int = 0
    folded: int = 0
    lenses: int = 0
    spot_checks: int = 0
    embedded: int = 0
    reclaimed: int = 0
    memory_md: bool = False
    effects: int = 0
    backlog: int = 0
    anchored: int = 0
    logs: list[str] = []
    leftovers: int = 0
    remarks: list[str] = []
    problems: list[str] = []

    @property
    def changed(self) -> bool:
        """Whether there was anything to do."""
        swept = self.evidence
        counts = (swept.changed, swept.gone, swept.restored, self.expired, self.faded, self.sunk, self.folded)
        others = (
            self.lenses,
            self.spot_checks,
            self.embedded,
            self.reclaimed,
            self.memory_md,
            self.effects,
            self.anchored,
        )
        return any((*counts, *others, self.logs, self.leftovers))


def plan(home: Home) -> Planned:
    """What ``run`` would do now; nothing is written."""
    with store.reading(home) as connection:
        due = maintain.due(connection, config.load(home).ledger, db.now())
        events = read.counts(connection)["events"]
    return Planned(
        **asdict(due),
        vectors=embedding.standing(home).not_embedded,
        outbox=outbox.backlog(home),
        unanchored=events - audit.anchored(home),
    )


def run(home: Home, *, chance: random.Random | None = None, progress: Progress | None = None) -> Maintained:
    """Do what is due. What fails outside the ledger is a problem of the result, and hinders no other step.

    :param chance: where the randomness of spot checks comes from; by default the system's.
    :param progress: told (texts embedded, texts to embed).
    """
    done = Maintained()
    _try(done, lambda: _sweep(home, done))
    _ledger(home, done, chance or random.SystemRandom())
    _derive(home, done)
    _try(done, lambda: _vectors(home, done, progress, _EMBEDDING_SECONDS))
    _try(done, lambda: _logs(home, done))
    _try(done, lambda: _leftovers(home, done))
    return done


def catch_up(home: Home) -> Maintained:
    """Bring what is derived from the ledger up to date with it: MEMORY.md, effects, the anchor; not vectors, which may
    lag."""
    done = Maintained()
    _derive(home, done)
    return done


def _derive(home: Home, done: Maintained) -> None:
    _try(done, lambda: _notes(home, done))
    waiting = outbox.backlog(home)
    done.backlog = effects.drain(home)
    done.effects = max(0, waiting - done.backlog)
    _try(done, lambda: _anchor(home, done))


def _anchor(home: Home, done: Maintained) -> None:
    before = audit.anchored(home)
    audit.anchor(home, at=db.now())
    done.anchored = audit.anchored(home) - before


def _try(done: Maintained, step: Callable[[], None]) -> None:
    try:
        step()
    except WorkbenchError as error:
        if str(error) not in done.problems:
            done.problems.append(str(error))


def _sweep(home: Home, done: Maintained) -> None:
    done.evidence = sweep(home)


def _ledger(home: Home, done: Maintained, chance: random.Random) -> None:
    settings = config.load(home).ledger
    with store.reading(home) as connection:
        due = maintain.due(connection, settings, db.now())
    if due.conjectures:
        done.expired = _batches(home, lambda change: maintain.expire(change, settings.conjecture_days, BATCH))
    if due.faded:
        done.faded = _batches(home, lambda change: doubt.fade(change, BATCH))
    if due.dormant:
        done.sunk = _batches(home, lambda change: len(quota.sink(change, settings.dormant_days, BATCH)))
    if due.revisions:
        done.folded = _batches(home, lambda change: maintain.fold(change, BATCH))
    if due.lenses:
        done.lenses = _batches(home, lambda change: maintain.prune_lenses(change.connection, BATCH))
    if due.spot_checks:
        with store.writing(home) as connection:
            drawn = spot_checks.draw(Change(connection, MAINTENANCE), settings.spot_checks, chance)
        done.spot_checks = len(drawn)


def _batches(home: Home, step: Callable[[Change], int]) -> int:
    """Repeat a step, each time in a transaction of its own, until nothing is left; returns how much it did."""
    total = 0
    while True:
        with store.writing(home) as connection:
            count = step(Change(connection, MAINTENANCE))
        total += count
        if count < BATCH:
            return total


def _vectors(home: Home, done: Maintained, progress: Progress | None, limit_seconds: float | None) -> None:
    synced = embedding.embed_all(home, progress, limit_seconds=limit_seconds)
    done.embedded += synced.embedded
    done.reclaimed += synced.removed
    if not synced.vector_enabled:
        done.remarks.append(f"vectors: {synced.vector_problem or embedding.NONE}; none were made or removed")
    if synced.left:
        done.remarks.append(embedding.lag(synced.left))


def _notes(home: Home, done: Maintained) -> None:
    """What is in force changes with time, without a change of any row: the block is compared, not only redrawn."""
    done.memory_md = memory_md.refresh(home).changed


def _logs(home: Home, done: Maintained) -> None:
    for path, schema in databases(home):
        log = path.with_name(path.name + "-wal")
        if db.exists(log):
            db.truncate_log(path, schema)
            done.logs.append(path.name)


def _leftovers(home: Home, done: Maintained) -> None:
    written = [*(path for path, _ in databases(home)), home.secret]
    locks = {path: path.with_name(path.name + ".lock") for path in written}
    locks[home.memory_md] = home.memory_md.with_name(f".{home.memory_md.name}.lock")
    for path, lock in locks.items():
        with files.lock(lock):
            done.leftovers += files.remove_leftovers(path)
    done.leftovers += conversations.remove_leftovers(home)
