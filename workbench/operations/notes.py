"""The notes as agents and people ask for them: search, and reading some lines."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, model_serializer

from workbench import config, guard
from workbench.config import MemorySearch
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.index import note_vectors, notes, search, store
from workbench.index.chunks import decode
from workbench.index.notes import Cut, Progress, Synced
from workbench.notes import folders
from workbench.text import counted, quoted

MAX_QUERY, MAX_RESULTS, MAX_LINES = 4_000, 50, 2_000
_SNIPPET = 700


class NoteHit(BaseModel):
    """A stretch of a note that answers.

    :param lines: ``L3-17``, the first and the last line.
    :param match_paths: words, vectors: those that found it.
    """

    path: str
    lines: str
    score: float
    snippet: str
    match_paths: list[str]


class NotesFound(BaseModel):
    """What the notes say about a question, best first.

    :param provider: the embedding model; none where there is none.
    :param vector_enabled: whether vectors were searched for this question.
    :param vector_problem: why they could not be; not there where nothing is wrong.
    :param unread: what is wrong with notes and folders that could not be read; said beside the result.
    """

    results: list[NoteHit]
    provider: str
    vector_enabled: bool
    vector_problem: str | None = None
    unread: list[str] = Field(default_factory=list, exclude=True)

    @model_serializer(mode="wrap")
    def _told(self, told: SerializerFunctionWrapHandler) -> dict[str, object]:
        fields: dict[str, object] = told(self)
        return {name: value for name, value in fields.items() if name != "vector_problem" or value is not None}


class NoteLines(BaseModel):
    """Some lines of a note.

    :param total: lines that the note has; None where the file is gone and the index is all that is left of it.
    """

    path: str
    from_line: int
    text: str
    total: int | None


def memory_search(home: Home, query: str, max_results: int | None = None) -> NotesFound:
    """The stretches of notes that answer ``query``; what changed in the files since is read first.

    :raises WorkbenchError: when there is no question, it is too long, or the number is out of range.
    """
    settings = _settings(home)
    limit = settings.max_results if max_results is None else max_results
    if not query.strip():
        raise WorkbenchError("a search needs a question")
    if len(query) > MAX_QUERY:
        raise WorkbenchError(f"a question has at most {MAX_QUERY:,} characters, this has {len(query):,}; shorten it")
    if not 1 <= limit <= MAX_RESULTS:
        raise WorkbenchError(f"a search gives 1 to {MAX_RESULTS} results, not {limit}")
    unread = notes.sync_lazily(home, named_folders(settings), _cut(settings))
    weights = search.Weights(settings.vector_weight, settings.text_weight)
    near, asked = note_vectors.near(home, query)
    with store.reading(home) as connection:
        cosines = near.cosines(connection) if near else None
        found = search.search(connection, query, limit, settings.min_score, weights, cosines)
    return NotesFound(
        results=[_hit(each) for each in found],
        provider=asked.provider,
        vector_enabled=near is not None,
        vector_problem=asked.problem,
        unread=unread,
    )


def memory_get(home: Home, path: str, from_line: int = 1, lines: int = 30) -> NoteLines:
    """Some lines of a note; from the index where its file is gone.

    :raises NotFound: when there is no such note, or it is none of the notes' folders.
    """
    if from_line < 1 or not 1 <= lines <= MAX_LINES:
        raise WorkbenchError(f"lines are counted from 1, and 1 to {MAX_LINES:,} of them are given")
    named, file = folders.resolve(home, path, named_folders(_settings(home)))
    if file.exists():
        every = decode(folders.read(file)).removesuffix("\n").split("\n")
        if from_line > len(every):
            raise NotFound(f"{named} has {counted(len(every), 'line')}; --from {from_line} is behind its end")
        shown = every[from_line - 1 : from_line - 1 + lines]
        return NoteLines(path=named, from_line=from_line, text=guard.mask("\n".join(shown)), total=len(every))
    store.ensure(home)
    with store.reading(home) as connection:
        kept = notes.lines(connection, named, from_line, from_line + lines - 1)
    if not kept:
        behind = f" with a line {from_line}" if from_line > 1 else ""
        raise NotFound(f"there is no note {quoted(path, 80)}{behind}; `workbench search` names them")
    return NoteLines(path=named, from_line=from_line, text=guard.mask("\n".join(kept)), total=None)


def _settings(home: Home) -> MemorySearch:
    settings = config.load(home).memory_search
    if not settings.enabled:
        raise WorkbenchError(
            "the search of notes is switched off; `workbench config set memorySearch.enabled true` switches it on"
        )
    return settings


def rebuild_notes(home: Home, progress: Progress | None = None) -> Synced:
    """Make the index of notes anew from the files."""
    settings = config.load(home).memory_search
    notes.clear(home)
    return notes.sync(home, named_folders(settings), _cut(settings), progress)


def sync(home: Home) -> Synced:
    """Bring the index of notes up to date."""
    settings = config.load(home).memory_search
    return notes.sync(home, named_folders(settings), _cut(settings))


def purge(home: Home) -> None:
    """Leave no word in the index of notes of what is gone from them."""
    settings = config.load(home).memory_search
    notes.purge(home, named_folders(settings), _cut(settings))


def named_folders(settings: MemorySearch) -> dict[str, Path]:
    """The further folders of notes by the names that their paths begin with: the folder's own, with a number where
    another one has it."""
    found: dict[str, Path] = {}
    for each in settings.extra_paths:
        folder = Path(each).expanduser().absolute()
        name, number = folder.name or "notes", 2
        while name in (*found, folders.MEMORY, folders.PROFILE):
            name, number = f"{folder.name or 'notes'}-{number}", number + 1
        if folder not in found.values():
            found[name] = folder
    return found


def _cut(settings: MemorySearch) -> Cut:
    return Cut(settings.chunk_tokens, settings.overlap_tokens)


def _hit(found: search.Found) -> NoteHit:
    text = guard.mask(found.text)
    paths = [name for name, share in (("words", found.words), ("vectors", found.cosine or 0.0)) if share > 0]
    return NoteHit(
        path=found.path,
        lines=f"L{found.start}-{found.end}",
        score=round(found.score, 4),
        snippet=text if len(text) <= _SNIPPET else text[: _SNIPPET - 1] + "…",
        match_paths=paths,
    )
