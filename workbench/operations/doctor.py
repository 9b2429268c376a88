"""Whether the databases of a home are sound, and making again what is derived from something else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel

from workbench import db, fts
from workbench.errors import Corrupt, WorkbenchError
from workbench.home import Home
from workbench.index import memory_vectors
from workbench.index import store as memory_index
from workbench.ledger import audit, full_text
from workbench.ledger import store as ledger
from workbench.operations import embedding, graph_effects, maintain, notes, settings
from workbench.operations.home import databases
from workbench.operations.models import RebuildResult
from workbench.sessions import browse, index

Progress = Callable[[int, int], None]
_BACKUP = "restore it from a backup"
_REPAIR = "`workbench doctor --repair` makes it again"


class Health(BaseModel):
    """How one database, or the settings, stand.

    :param problem: None when it is sound; ``remedy``: what helps, where the problem does not say it.
    :param repaired: there was a problem, and it was mended.
    """

    path: str
    problem: str | None = None
    remedy: str | None = None
    repaired: bool = False


class Diagnosis(BaseModel):
    """How the databases of a home stand.

    :param sqlite: the version of SQLite that is linked.
    """

    sqlite: str
    files: list[Health]

    @property
    def ok(self) -> bool:
        """Whether nothing is left that is damaged."""
        return all(health.problem is None or health.repaired for health in self.files)


def examine(home: Home, *, repair: bool = False, progress: Progress | None = None) -> Diagnosis:
    """Check every database of the home.

    :param repair: what is derived and damaged is made again: the indexes, the full text of the ledger, and
        facts of the graph that are not as the ledger states them. Rows of the ledger are never touched.
    """
    found = [_health(home, path, schema) for path, schema in databases(home)]
    if all(health.problem is None for health in found) and (problem := audit.missing(home)):
        found.append(Health(path=str(home.audit_head), problem=problem))
    if problem := settings.trouble(home):
        found.append(Health(path=str(home.config), problem=problem))
    for health in found if repair else ():
        if health.remedy == _REPAIR:
            _repair(home, Path(health.path), progress)
            health.repaired = True
    return Diagnosis(sqlite=sqlite3.sqlite_version, files=found)


def _health(home: Home, path: Path, schema: db.Schema) -> Health:
    tables = {home.ledger: full_text.NAME, home.session_index: "messages_fts", home.memory_index: "chunks_fts"}
    try:
        rows = full_text.damaged_rows(home) if path == home.ledger else db.integrity(path, schema)
        if rows:
            raise Corrupt(rows[0].splitlines()[0])
        problem = fts.problem(path, schema, tables[path]) if path in tables else None
        if path == home.graph and (problem := graph_effects.astray(home)):
            return Health(path=str(path), problem=problem, remedy=_REPAIR)
    except Corrupt as error:
        return Health(path=str(path), problem=str(error), remedy=_BACKUP if schema.durable else _REPAIR)
    except WorkbenchError as error:  # of another version, foreign, busy
        return Health(path=str(path), problem=str(error))
    return Health(path=str(path), problem=problem, remedy=_REPAIR if problem else None)


def _repair(home: Home, path: Path, progress: Progress | None) -> None:
    if path == home.ledger:
        full_text.mend(home)
    elif path == home.graph:
        graph_effects.follow_anew(home)
    elif path == home.session_index:
        db.set_aside(path, index.SCHEMA)
        index.rebuild(home)
    else:
        _notes(home, RebuildResult(), progress)


def rebuild(home: Home, what: str = "all", progress: Progress | None = None) -> RebuildResult:
    """Make what is derived again: the index of the conversations ("sessions"); that of the notes, the vectors and the
    block of MEMORY.md ("notes"); or both, and the full text of the ledger if that is damaged ("all").

    :param progress: told (texts embedded, texts to embed).
    """
    done = RebuildResult()
    if what in ("sessions", "all"):
        synced, status = index.rebuild(home), browse.status(home)
        done.sessions, done.messages = status["sessions"], status["messages"]
        done.damaged, done.backlog = synced.damaged, synced.backlog
    if what == "all" and fts.problem(home.ledger, ledger.SCHEMA, full_text.NAME):
        full_text.mend(home)
    if what in ("notes", "all"):
        _notes(home, done, progress)
    return done


def _notes(home: Home, done: RebuildResult, progress: Progress | None) -> None:
    """Make the memory index again; what was done is added to ``done``."""
    path, schema = home.memory_index, memory_index.SCHEMA
    if db.exists(path) and _health(home, path, schema).remedy:
        db.set_aside(path, schema)
    memory_vectors.clear(home)
    caught_up = maintain.catch_up(home)  # MEMORY.md is a note, too
    synced = notes.rebuild_notes(home)
    done.notes = synced.files
    try:
        embedded = embedding.embed_memories(home, progress)
    except WorkbenchError as error:
        done.remarks.append(str(error))
    else:
        if embedded.vector_enabled:
            done.vectors = embedded.embedded
        else:
            done.remarks.append(f"vectors: {embedded.vector_problem or embedding.NONE}; none were made")
    done.damaged += synced.unreadable
    done.backlog += caught_up.problems
    done.remarks += caught_up.remarks
