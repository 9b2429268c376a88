"""Everything the ledger holds, in one file: out as a bundle, back as the person's own backup or as somebody else's."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from pathlib import Path

from pydantic import BaseModel

from workbench import db, files
from workbench.dreaming.imports import peer
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, bundle, lifecycle, restore, store
from workbench.ledger.change import Change
from workbench.ledger.model import Actor
from workbench.operations import effects
from workbench.operations.foreign import ImportResult, bring, rehearsal


class ExportResult(BaseModel):
    """A bundle that was written: rows by dataset, and the digest of its content."""

    path: str
    bytes: int
    sha256: str
    counts: dict[str, int]


class RestoreResult(BaseModel):
    """What came back from an own backup.

    :param whole: the ledger was empty, and is now as the backup was, history and all.
    :param restored: rows that came, by dataset.
    :param left_out: rows that did not: they are here, or their place is taken.
    :param problems: what checking the history found; it was so in the backup.
    """

    path: str
    dry_run: bool
    whole: bool
    restored: dict[str, int]
    left_out: dict[str, int]
    problems: list[str]
    change_id: str | None
    backlog: int


def export(home: Home, actor: Actor, path: Path, *, force: bool = False) -> ExportResult:
    """Write everything the ledger holds to ``path``, whole or not at all; it is as private as the ledger.

    :param force: also where there is a file already.
    :raises PersonOnly: for anybody but the person.
    """
    lifecycle.require_person(actor, "export")
    if path.resolve().is_relative_to(home.root.resolve()):
        raise WorkbenchError(f"{path} lies in the home itself; name a file outside of {home.root}")
    _refuse_existing(path, force)
    if not path.parent.is_dir():
        raise WorkbenchError(f"there is no folder {path.parent}; make it, or name a file in another one")
    with files.replacing(path) as handle, os.fdopen(handle, "wb", closefd=False) as file:
        with store.reading(home) as connection:
            contents = bundle.write(connection, file)
        size = file.tell()
        file.flush()
        _refuse_existing(path, force)
    return ExportResult(path=str(path), bytes=size, sha256=contents.sha256, counts=dict(contents.counts))


def _refuse_existing(path: Path, force: bool) -> None:
    if not force and path.exists():
        raise WorkbenchError(f"{path} exists already; name another file, or say --force to replace it")


def import_foreign(home: Home, path: Path, *, dry_run: bool = False) -> ImportResult:
    """Take over the memories of somebody else's bundle: each waits, and nothing of their standing is believed.

    :param dry_run: find out what would happen, on a copy that is thrown away.
    :raises BadBundle: when it is no bundle, newer, torn or altered; nothing is written then.
    """
    bundle.check(path, peer.MAX_LINE)
    return bring(home, "bundle", path, peer.read, dry_run=dry_run)


def import_own(
    home: Home, actor: Actor, path: Path, *, add_missing: bool = False, dry_run: bool = False
) -> RestoreResult:
    """Bring the person's own backup back: an empty ledger becomes what it was.

    :param add_missing: also into a ledger that holds something: what is missing there is added.
    :param dry_run: find out what would happen, on a copy that is thrown away.
    :raises BadBundle: when it is no bundle, newer, torn or altered; nothing is written then.
    :raises NeedsConfirmation: when the ledger is not empty and ``add_missing`` was not said.
    :raises PersonOnly: for anybody but the person.
    """
    lifecycle.require_person(actor, "restore")
    contents = bundle.check(path)
    with rehearsal(home) if dry_run else contextlib.nullcontext(home) as target:
        with store.writing(target) as connection:
            change = Change(connection, actor)
            whole = restore.is_empty(connection)
            if whole:
                came, left = restore.whole(change, path, contents), Counter[str]()
            elif add_missing:
                came, left = restore.missing(change, path, contents)
            else:
                raise lifecycle.NeedsYes(
                    f"the ledger at {home.root} is not empty, and only what is missing there would be added",
                    "say --yes for that, or name an empty --home to get the backup as it was",
                )
        audit.anchor(target, at=db.now(), anew=whole or dry_run)
        problems = audit.verify(target).problems
    return RestoreResult(
        path=str(path),
        dry_run=dry_run,
        whole=whole,
        restored=dict(came),
        left_out=dict(left),
        problems=problems,
        change_id=None if dry_run else change.id,
        backlog=0 if dry_run else effects.drain(home),
    )
