"""The lens: what an agent is told unasked; a real injection is archived, a preview of the person's never is."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from workbench import db
from workbench.errors import Busy, ReadOnly, StorageFull
from workbench.home import Home
from workbench.ledger import lens, lifecycle, read, store
from workbench.ledger.filters import Reader
from workbench.ledger.model import Actor
from workbench.operations.recall import asking


class LensOut(BaseModel):
    """A compiled lens.

    :param characters: of the payload.
    :param included: ids of the memories in it; ``truncated`` those that did not fit (the first 1,000), ``blocked``
        unconfirmed ones that look like an attempt to instruct the reader, ``excluded`` those left out on request.
    :param locked_overflow: what is locked alone is longer than ``max_chars``.
    :param archive_id: where it was archived; None of a preview, and where the home can't be written.
    """

    agent: str | None
    project: str | None
    workspace: str | None
    at: str
    max_chars: int
    payload: str
    characters: int
    included: list[str]
    truncated: list[str]
    blocked: list[str]
    excluded: list[str]
    has_overflow: bool
    locked_overflow: bool
    archive_id: str | None = None


class Injection(BaseModel):
    """A lens as it was handed to an agent."""

    id: str
    agent: str | None
    project: str | None
    workspace: str | None
    max_chars: int
    payload: str
    included: list[str]
    truncated: list[str]
    excluded: list[str]
    has_overflow: bool
    locked_overflow: bool
    created_at: str


class LensCheck(BaseModel):
    """What a reader would be told now, what they were told last, and whether that is the same.

    :param matches_archive: None when they were never told anything.
    """

    preview: LensOut
    latest_archive: Injection | None
    matches_archive: bool | None


def compile_lens(
    home: Home,
    actor: Actor,
    *,
    reader: Reader | None = None,
    max_chars: int = lens.DEFAULT_CHARS,
    exclude: Iterable[str] = (),
) -> LensOut:
    """The lens for a reader: the person's is a preview, an agent's is handed to it, archived and counted as use.

    :param exclude: ids, or unique beginnings of them, to leave out; what is locked stays.
    """
    reader, exclude = asking(actor, reader), tuple(exclude)
    while True:
        compiled = _compiled(home, reader, at := db.now(), max_chars, exclude)
        if actor.kind == "person":
            return _out(reader, at, compiled)
        try:
            with store.writing(home) as connection:
                # What was erased since it was read must come back neither to the agent nor to the archive.
                if lens.stands(connection, compiled):
                    return _out(reader, at, compiled, lens.archive(connection, reader, compiled, at))
        except (ReadOnly, StorageFull, Busy):
            # An agent without its rules would be worse than an injection without its copy; the answer shows it.
            return _out(reader, at, compiled)


def check(
    home: Home,
    actor: Actor,
    *,
    reader: Reader | None = None,
    max_chars: int | None = None,
    exclude: Iterable[str] | None = None,
) -> LensCheck:
    """A preview beside the last injection; its budget and exclusions are those of that injection unless given.

    :raises PersonOnly: when an agent asks: what an agent reads is archived.
    """
    if actor.kind != "person":
        raise lifecycle.PersonOnly("a preview is not archived, so only the person gets one; ask for the lens itself")
    reader = asking(actor, reader)
    latest = last_injection(home, reader)
    limit = max_chars or (latest.max_chars if latest else lens.DEFAULT_CHARS)
    known = _there(home, latest.excluded) if latest else ()
    compiled = _compiled(home, reader, at := db.now(), limit, known if exclude is None else exclude)
    return LensCheck(
        preview=_out(reader, at, compiled),
        latest_archive=latest,
        matches_archive=None if latest is None else latest.payload == compiled.payload,
    )


def last_injection(home: Home, reader: Reader) -> Injection | None:
    """What exactly this agent, project and workspace were last told."""
    with store.reading(home) as connection:
        row = lens.last_injection(connection, reader)
    if row is None:
        return None
    named = {"project": row["project_key"], "workspace": row["workspace_key"], "has_overflow": row["overflow"]}
    return Injection.model_validate(row | named)


def _compiled(home: Home, reader: Reader, at: str, max_chars: int, exclude: Iterable[str]) -> lens.Lens:
    with store.reading(home) as connection:
        ids = [read.resolve(connection, given, reader) for given in exclude]
        return lens.compiled(connection, reader, at, max_chars, ids)


def _there(home: Home, ids: list[str]) -> list[str]:
    """Those of these memories that still exist."""
    with store.reading(home) as connection:
        marks = ", ".join("?" * len(ids))
        return [row[0] for row in connection.execute(f"SELECT id FROM memories WHERE id IN ({marks})", ids)]


def _out(reader: Reader, at: str, compiled: lens.Lens, archive_id: str | None = None) -> LensOut:
    return LensOut(
        agent=reader.agent,
        project=reader.project,
        workspace=reader.workspace,
        at=at,
        max_chars=compiled.max_chars,
        payload=compiled.payload,
        characters=len(compiled.payload),
        included=list(compiled.included),
        truncated=list(compiled.truncated),
        blocked=list(compiled.blocked),
        excluded=list(compiled.excluded),
        has_overflow=compiled.overflow,
        locked_overflow=compiled.locked_overflow,
        archive_id=archive_id,
    )
