"""Facts in and out of the graph by the file: an import is one memory of the ledger, whatever it brings."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import BaseModel

from workbench import config, files, text
from workbench.errors import WorkbenchError
from workbench.graph import batches, export, names, registry
from workbench.graph import store as graphs
from workbench.home import Home
from workbench.ledger import gate, read, write
from workbench.ledger.change import Change
from workbench.ledger.model import Actor, Candidate, Evidence, Kind, Reason, SourceType, Triple
from workbench.operations import convert, effects, graph, graph_effects, graph_files
from workbench.operations.models import MemoryOut
from workbench.operations.models_graph import GraphStats

# That a file was imported is the last thing an agent needs to be told.
_IMPORTANCE = 0


class GraphImport(BaseModel):
    """What became of a file of facts.

    :param read: facts in the file; ``left_out`` says why some of them were not taken, and how many.
    :param lossy: values of which the source kept a normal form only, such as ``senior_engineer``.
    :param memory: the memory that stands for all of them.
    :param before: how the graph stood, and ``after``: how it stands now.
    """

    path: str
    format: str
    read: int
    taken: int
    entities: int
    left_out: dict[str, int]
    lossy: list[str]
    batch_id: str
    memory: MemoryOut
    change_id: str | None
    backlog: int
    before: GraphStats
    after: GraphStats
    message: str


class GraphExport(BaseModel):
    """A file of facts that was written."""

    path: str
    format: str
    entities: int
    triples: int


def import_file(home: Home, actor: Actor, path: Path) -> GraphImport:
    """Bring the facts of a file into the graph: our JSON, CSV, or the graph of a Flowly.

    One memory stands for all of them, with the digest of the file: they come when it is accepted (at once, where the
    person imports), and go when that is undone. What of the file is no fact, or holds a credential, is left out.

    :raises WorkbenchError: when the file can't be read, or holds no fact at all.
    """
    with graphs.reading(home) as connection:
        values = registry.values(connection)
    found = graph_files.read(path, values)
    if not found.rows and not found.entities:
        raise WorkbenchError(f"{path} holds no facts; nothing was imported")
    if len(found.rows) > batches.MOST:
        raise WorkbenchError(f"{path} holds over {batches.MOST:,} facts; split it")
    digest = _sha256(path)
    packed = batches.pack(found.entities, found.rows)
    before = graph.stats(home)
    graph_effects.keep_batch(home, packed)
    checked = gate.check(_candidate(path, found, digest, packed))
    with effects.writing(home) as (ledger, after):
        change = Change(ledger, actor)
        must_wait = None if actor.kind == "person" else Reason.IMPORTED
        proposal = write.propose(change, checked, write.Policy.of(config.load(home)), must_wait=must_wait)
        if proposal.memory_id is None:
            raise WorkbenchError(f"these facts were {proposal.outcome.replace('_', ' ')}; nothing was imported")
        memory = convert.memory_out(read.memory(ledger, proposal.memory_id))
    if proposal.outcome != "created":
        graph_effects.bring(home, memory.id)
    return GraphImport(
        path=str(path),
        format=found.format,
        read=len(found.rows) + sum(found.left_out.values()),
        taken=len(found.rows),
        entities=len(found.entities),
        left_out=dict(found.left_out),
        lossy=found.lossy,
        batch_id=packed.id,
        memory=memory,
        change_id=change.id if change.recorded else None,
        backlog=after.backlog,
        before=before,
        after=graph.stats(home),
        message=_message(path, len(found.rows), memory, proposal.outcome),
    )


def export_file(
    home: Home,
    path: Path,
    format_: export.Format,
    *,
    as_of: str | None = None,
    private: bool = True,
    force: bool = False,
) -> GraphExport:
    """Write the facts of the graph to a file, whole or not at all.

    :param as_of: only what held then.
    :param force: also where there is a file already.
    """
    from workbench.ledger import time as times

    if path.exists() and not force:
        raise WorkbenchError(f"{path} is there already; --force replaces it")
    at = times.as_of(as_of) if as_of else None
    with graphs.reading(home) as connection:
        content, entities, triples = export.document(connection, format_, at, private=private)
    files.replace(path, content)
    return GraphExport(path=str(path), format=format_, entities=entities, triples=triples)


def _candidate(path: Path, found: graph_files.Read, digest: str, packed: batches.Packed) -> Candidate:
    name = text.one_line(path.name, 80).replace(",", " ")
    facts = text.counted(len(found.rows), "fact")
    return Candidate(
        content=f"The file {name} brings {facts} to the knowledge graph (SHA-256 {digest}).",
        kind=Kind.FACT,
        explicit=False,
        confidence=None,
        importance=_IMPORTANCE,
        triple=Triple(name, names.IMPORTS, packed.id),
        evidence=(Evidence(SourceType.IMPORT, f"{name}#{digest}", f"{facts}, read as {found.format}"),),
    )


def _message(path: Path, taken: int, memory: MemoryOut, outcome: str) -> str:
    facts, name = text.counted(taken, "fact"), text.one_line(path.name, 80)
    if memory.status in ("needs_review", "candidate"):
        return f"{facts} of {name} wait for the person as {memory.id}; none of them is in the graph"
    return f"{facts} of {name} {'were imported before' if outcome == 'seen_again' else 'imported'} as {memory.id}"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
