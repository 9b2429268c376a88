"""What the person's operations return besides a ``Ruling``."""

from __future__ import annotations

from pydantic import BaseModel

from workbench.operations.models import MemoryOut


class ChangeOut(BaseModel):
    """One change set: what was done, by whom, to which memories."""

    id: str
    action: str
    actor: str
    at: str
    memories: list[str]


class UndoResult(BaseModel):
    """What was taken back; ``undone_by`` is the change that did it, and can be undone itself.

    :param undone: every change set taken back, newest first.
    """

    change_id: str
    undone_by: str
    undone: list[ChangeOut]
    memory_ids: list[str]
    backlog: int
    message: str


class Requested(BaseModel):
    """An act that an agent asked the person for.

    :param request: the memory that waits in its place.
    :param target: what it is about, which stays as it is.
    """

    act: str
    request: MemoryOut
    target: MemoryOut
    message: str


class LeftOut(BaseModel):
    """A memory that a bulk act leaves alone, and why."""

    memory: MemoryOut
    why: str


class BulkPreview(BaseModel):
    """What a bulk act would do.

    :param count: how many memories it is about.
    :param first: the first ten of them.
    :param replaces: id of a memory → id of the one it would replace.
    :param wants_count: whether it is so much that the number must be said.
    """

    act: str
    count: int
    first: list[MemoryOut]
    replaces: dict[str, str]
    left_out: list[LeftOut]
    wants_count: bool
    message: str


class BulkRuling(BaseModel):
    """What one act did to several memories, as one change; undoing it takes all of it back."""

    act: str
    change_id: str | None
    memory_ids: list[str]
    superseded: list[str]
    left_out: list[LeftOut]
    backlog: int
    message: str


class Feedback(BaseModel):
    """What became of a mark.

    :param counted: an agent's counts once a memory, and not where the person has ruled.
    """

    memory: MemoryOut
    change_id: str | None
    counted: bool
    backlog: int
    message: str
