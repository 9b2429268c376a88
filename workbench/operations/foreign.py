"""Other stores come in: a Flowly home, an export of FlareMo, a bundle of somebody else's ledger."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel

from workbench import config, db
from workbench.dreaming import imports
from workbench.dreaming.imports.model import Item, Notes
from workbench.dreaming.imports.takeover import Takeover
from workbench.home import Home
from workbench.ledger import lifecycle, read, store, write
from workbench.ledger.model import Actor
from workbench.operations import effects


class LeftOutOut(BaseModel):
    """What of a store was not taken over, why, how many, and the first of them."""

    what: str
    why: str
    count: int
    examples: list[str]


class ImportResult(BaseModel):
    """What became of another store.

    :param found: how much it holds, by dataset (and by status there).
    :param created: new memories; each is in one of ``waiting``, ``active``, ``rejected``, ``superseded`` and
        ``archived``.
    :param known: statements that are known here; they count as sightings.
    :param repeated: memories taken over before.
    :param refused: memories that could not be taken over; ``left_out`` says why.
    :param before: memories of this ledger by status, and ``waiting``, before this.
    """

    source: str
    path: str
    dry_run: bool
    trusted: bool
    found: dict[str, int]
    created: int = 0
    waiting: int = 0
    active: int = 0
    rejected: int = 0
    superseded: int = 0
    archived: int = 0
    known: int = 0
    repeated: int = 0
    rejected_before: int = 0
    erased_before: int = 0
    refused: int = 0
    relations: int = 0
    links: int = 0
    evidence: int = 0
    wordings: int = 0
    left_out: list[LeftOutOut]
    before: dict[str, int]
    after: dict[str, int]
    change_id: str | None
    backlog: int


def migrate(home: Home, path: Path, *, trusted_by: Actor | None = None, dry_run: bool = False) -> ImportResult:
    """Take over the memories of another program's store, which is only read; a second run takes over nothing.

    :param trusted_by: the person, who says that the store is their own: what they kept there is theirs here.
    :param dry_run: find out what would happen, on a copy that is thrown away.
    :raises WorkbenchError: when ``path`` is no store that can be read.
    :raises PersonOnly: when anybody else wants a store to be trusted.
    """
    if trusted_by is not None:
        lifecycle.require_person(trusted_by, "take over as their own")
    known = imports.sniff(path)
    return bring(home, known.name, path, known.read, trusted=trusted_by is not None, dry_run=dry_run)


def bring(
    home: Home,
    source: str,
    path: Path,
    reader: Callable[[Path, Notes], Iterator[Item]],
    *,
    trusted: bool = False,
    dry_run: bool = False,
) -> ImportResult:
    """Take over what ``reader`` finds at ``path``; see ``migrate``."""
    notes = Notes()
    policy = replace(write.Policy.of(config.load(home)), max_waiting=None)
    takeover = Takeover(source, policy, notes, trusted)
    with rehearsal(home) if dry_run else contextlib.nullcontext(home) as target:
        before = _counts(target)
        takeover.run(target, reader(path, notes))
        after = _counts(target)
    written = before["events"] != after["events"] and not dry_run
    # A row that its reader could not make a memory of was refused, too.
    unread = sum(left.count for (what, _), left in notes.left_out.items() if what in _MEMORIES)
    counts = {name: takeover.counts[name] for name in ImportResult.model_fields if name in takeover.counts}
    return ImportResult(
        source=source,
        path=str(path),
        dry_run=dry_run,
        trusted=trusted,
        found=dict(notes.found),
        **counts | {"refused": unread},
        left_out=[
            LeftOutOut(what=what, why=why, count=left.count, examples=left.examples)
            for (what, why), left in notes.left_out.items()
        ],
        before=before,
        after=after,
        change_id=takeover.change_id if written else None,
        backlog=effects.drain(home) if written else 0,
    )


# Datasets of memories proper, as readers and the takeover name them.
_MEMORIES = ("memories", "memory_items")


@contextlib.contextmanager
def rehearsal(home: Home) -> Iterator[Home]:
    """A home with a copy of the ledger of ``home``: what is done to it is seen, and gone when the block ends."""
    with tempfile.TemporaryDirectory(dir=home.root, prefix=".rehearsal-") as folder:
        copy = Home(Path(folder))
        db.copy(home.ledger, store.SCHEMA, copy.ledger)
        yield copy


def _counts(home: Home) -> dict[str, int]:
    with store.reading(home) as connection:
        return read.counts(connection)
