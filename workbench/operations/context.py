"""The prompt block: what an agent is told unasked with a prompt. ``# Memory``: what is in force, and the person's own
notes; ``# Knowledge Graph``; ``# Recent Notes``, where notes can't be searched. The same bytes for the same state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from pydantic import BaseModel

from workbench import config, db, guard, text
from workbench.config import Config
from workbench.errors import WorkbenchError
from workbench.graph import store as graphs
from workbench.graph import summary
from workbench.home import Home
from workbench.ledger import lens as ledger_lens
from workbench.ledger import store
from workbench.ledger.filters import Reader
from workbench.ledger.model import PERSON, Actor
from workbench.notes import fence, folders, projection
from workbench.notes.fence import Fitted, Piece
from workbench.operations import lens, notes, tools
from workbench.operations.lens import LensOut
from workbench.operations.recall import asking

RECENT_DAYS = 3
# Entities of the graph that are told of, and what a line of one has at most.
_ENTITIES, _LINE = 20, 240
_NOTES, _GRAPH, _RECENT = "## The user's own notes (MEMORY.md)", "# Knowledge Graph", "# Recent Notes"
_BYTES_PER_TOKEN = 4
# What is set aside for the line that says what was left out.
_SAID = 100


class ContextOut(BaseModel):
    """A prompt block.

    :param tokens: what it has of ``max_tokens``; more only where what is locked alone has more.
    :param included: ids of the memories in it.
    :param blocked: entries that look like an attempt to instruct the reader, each named in its place and not shown.
    :param cut: entries that had no room; the block says what finds them.
    :param archive_id: where its memories were archived; None where the home can't be written.
    :param remarks: notes that could not be read.
    """

    agent: str | None
    project: str | None
    workspace: str | None
    payload: str
    tokens: int
    max_tokens: int
    included: list[str]
    blocked: int
    cut: int
    archive_id: str | None
    remarks: list[str]


@dataclass(frozen=True)
class _Part:
    """A part of the block behind its memories.

    :param share: how much of the block is kept for it, if it needs so much.
    :param more: what shows what is left out.
    """

    heading: str
    pieces: Sequence[Piece]
    share: float
    more: str = ""
    both_ends: bool = False

    def kept(self, room: int) -> int:
        """The bytes that are kept for it, of all that there are."""
        needed = sum(piece.size for piece in self.pieces) + fence.size(self.heading) + _SAID
        return min(needed, int(self.share * room)) if self.pieces else 0


def prompt_block(home: Home, actor: Actor, *, reader: Reader) -> ContextOut:
    """The block for an agent; its memories are archived and count as used, as a lens is."""
    settings, remarks = config.load(home), list[str]()
    tokens = settings.memory_context.max_tokens
    parts = _parts(home, settings, remarks)
    room = tokens * _BYTES_PER_TOKEN
    kept = [part.kept(room) for part in parts]
    told = _lens(home, actor, reader, room - sum(kept))
    lines = [*ledger_lens.HEADER.split("\n"), "", "# Memory", "", *_memory_lines(told)]
    known = _forms(home, told.included)
    parts = [replace(part, pieces=_graph(home, told.included)) if part.heading == _GRAPH else part for part in parts]
    blocked, cut = len(told.blocked), len(told.truncated)
    for number, part in enumerate(parts):
        left = room - len(fence.fenced(lines).encode()) - sum(kept[number + 1 :]) - fence.size(part.heading) - _SAID
        pieces = [piece for piece in part.pieces if text.normal_form(projection.statement(piece.said)) not in known]
        found = fence.fitted(pieces, left, guard.blocked, both_ends=part.both_ends)
        lines += _section(part, found)
        blocked, cut = blocked + found.blocked, cut + found.cut
    payload = fence.fenced(lines)
    return ContextOut(
        agent=told.agent,
        project=told.project,
        workspace=told.workspace,
        payload=payload,
        tokens=text.tokens(payload),
        max_tokens=tokens,
        included=told.included,
        blocked=blocked,
        cut=cut,
        archive_id=told.archive_id,
        remarks=remarks,
    )


def _parts(home: Home, settings: Config, remarks: list[str]) -> list[_Part]:
    searched = "memory_search" in tools.available(home)
    more = "; `workbench get MEMORY.md` shows it" if searched else ""
    parts = [
        _Part(_NOTES, _own_notes(home, remarks), 1 / 3, more, both_ends=True),
        _Part(_GRAPH, _graph(home), 1 / 8),
    ]
    if not searched:
        parts.append(_Part(_RECENT, _recent_notes(home, settings, remarks), 1 / 4))
    return parts


def _graph(home: Home, told: Sequence[str] = ()) -> list[Piece]:
    """What is in force in the knowledge graph, a line for each of the best known entities.

    :param told: ids of memories that stand in the block already: their facts are left out.
    """
    if not db.exists(home.graph):
        return []
    with graphs.reading(home) as graph:
        known = [str(each) for each in summary.most_known(graph, _ENTITIES, told)]
    return [Piece(said, (f"- {projection.escaped(text.one_line(said, _LINE))}",)) for said in known]


def _lens(home: Home, actor: Actor, reader: Reader, room: int) -> LensOut:
    """The lens that ``room`` bytes hold: the shortest there can be where they hold none, and all that is locked."""
    limit = _limit(room)
    while True:
        found = lens.compile_lens(home, PERSON, reader=asking(actor, reader), max_chars=limit)
        length = len(found.payload.encode())
        if length <= room or limit == ledger_lens.MIN_CHARS or found.locked_overflow:
            return lens.compile_lens(home, actor, reader=reader, max_chars=limit)
        limit = _limit(limit * room // length)


def _limit(characters: int) -> int:
    return min(max(characters, ledger_lens.MIN_CHARS), ledger_lens.MAX_CHARS)


def _memory_lines(told: LensOut) -> list[str]:
    """The lens without its header, and what is not in it."""
    lines = told.payload.removeprefix(ledger_lens.HEADER).strip("\n").split("\n")
    if told.blocked:
        named = ", ".join(told.blocked[:3]) + (" …" if len(told.blocked) > 3 else "")
        lines += [f"- [not shown: {text.counted(len(told.blocked), 'statement')} that nobody confirmed, {named}]"]
    if told.truncated:
        more = " or more" if len(told.truncated) == ledger_lens.MAX_TRUNCATED else ""
        lines += ["", f"_{len(told.truncated):,}{more} had no room; `workbench recall` finds them._"]
    return lines


def _section(part: _Part, found: Fitted) -> list[str]:
    lines = list(found.lines)
    if found.cut:
        lines += ["", f"_{text.counted(found.cut, 'piece')} of this had no room{part.more}._"]
    return ["", part.heading, "", *lines] if lines else []


def _forms(home: Home, ids: list[str]) -> set[str]:
    """What these memories say, so that a note does not say it again; and what says nothing."""
    marks = ", ".join("?" * len(ids))
    with store.reading(home) as connection:
        rows = connection.execute(f"SELECT content FROM memories WHERE id IN ({marks})", ids)
        return {text.normal_form(content) for (content,) in rows}


def _own_notes(home: Home, remarks: list[str]) -> list[Piece]:
    """What the person wrote into MEMORY.md; what is generated in it stands above, as the ledger says it now."""
    said = _read(str(home.memory_md), remarks) if home.memory_md.exists() else b""
    return fence.pieces(guard.mask(projection.human(said).decode("utf-8-sig", "replace")))


def _recent_notes(home: Home, settings: Config, remarks: list[str]) -> list[Piece]:
    """The daily notes of today and the days before, the newest first, also of the folders that the person named."""
    today = datetime.fromisoformat(db.now()).astimezone().date()
    days = [f"{today - timedelta(days=number)}" for number in range(RECENT_DAYS)]
    every = folders.notes(home, notes.named_folders(settings.memory_search))
    recent = [note for note in every if PurePosixPath(note.path).stem in days]
    found: list[Piece] = []
    for note in sorted(recent, key=lambda note: (days.index(PurePosixPath(note.path).stem), note.path)):
        if pieces := fence.pieces(guard.mask(_read(note.file, remarks).decode("utf-8-sig", "replace"))):
            heading = f"## {projection.escaped(text.one_line(note.path, 200))}"
            found += [Piece(note.path, ("", heading, "") if found else (heading, "")), *pieces]
    return found


def _read(file: str, remarks: list[str]) -> bytes:
    try:
        return folders.read(file)
    except WorkbenchError as error:
        remarks.append(str(error))
        return b""
