"""Memories that are entries of MEMORY.md: a link says so, and their standing whether the entry stands there.

The link is ``promoted_to`` the note ``MEMORY.md#2026-03-01T10:05``, the time of the entry. Only a memory in force that
is not secret has its entry in the file.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.ledger import relations
from workbench.ledger.change import Change
from workbench.ledger.filters import IN_FORCE
from workbench.ledger.model import LinkType, ResourceType, Status, row_dict
from workbench.notes import entries
from workbench.notes.keeping import Wanted

_FILE = "MEMORY.md#"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_REFERENCE = re.compile(rf"{re.escape(_FILE)}(\d{{4}}-\d\d-\d\d)T(\d\d:\d\d)")
# By the index on the reference; "$" follows "#".
_LINKED = (
    f"l.resource_type = '{ResourceType.NOTE}' AND l.type = '{LinkType.PROMOTED_TO}'"
    f" AND l.resource_ref >= '{_FILE}' AND l.resource_ref < 'MEMORY.md$'"
)


def is_entry(resource_type: str, reference: str, kind: str) -> bool:
    """Whether a link makes its memory an entry of MEMORY.md."""
    is_link = (resource_type, kind) == (ResourceType.NOTE, LinkType.PROMOTED_TO)
    return is_link and _REFERENCE.fullmatch(reference.strip()) is not None


def wanted(connection: sqlite3.Connection, at: str) -> dict[str, Wanted]:
    """The entries that are to stand in MEMORY.md at the instant ``at``, by the id of their memory, the oldest first."""
    rows = connection.execute(
        "SELECT m.id, m.content, m.scope_type, m.scope_key, l.resource_ref FROM resource_links l"
        " CROSS JOIN memories m ON m.id = l.memory_id"
        f" WHERE {_LINKED} AND {IN_FORCE} AND m.privacy <> 'secret' ORDER BY l.resource_ref, m.seq",
        {"at": at},
    )
    found: dict[str, Wanted] = {}
    for row in map(row_dict, rows):
        if named := _REFERENCE.fullmatch(row["resource_ref"]):
            found.setdefault(row["id"], Wanted(f"{named[1]} {named[2]}", entries.shown(row)))
    return found


def link(change: Change, memory_id: str, stamp: str) -> None:
    """Make a memory an entry of MEMORY.md, if it is none yet.

    :param stamp: the time of the entry, ``YYYY-MM-DD HH:MM``.
    """
    if not _links(change.connection, memory_id):
        reference = f"{_FILE}{stamp.replace(' ', 'T')}"
        relations.link_resource(change, memory_id, ResourceType.NOTE, reference, LinkType.PROMOTED_TO)
        change.enqueue("memory_md")


def let_go(change: Change, memory_id: str) -> None:
    """Make a memory no entry of MEMORY.md any more: somebody took it out of the file, or made it their own text."""
    for key, reference in _links(change.connection, memory_id):
        change.delete("resource_links", key)
        change.record("unlinked", memory_id, to=reference, type=LinkType.PROMOTED_TO)


def anchor(memory_id: str) -> str:
    """The block id of the entry of a daily note that a memory was promoted to."""
    return memory_id.replace("_", "-")


def promotion(memory_id: str, day: str) -> str:
    """The reference of that entry in the note of a day, ``YYYY-MM-DD``."""
    return f"{day}.md#^{anchor(memory_id)}"


def promote(change: Change, memory_id: str, day: str) -> tuple[str, bool]:
    """Make a memory an entry of the daily note of ``day``: (its reference, whether that is new)."""
    reference = promotion(memory_id, day)
    fresh = relations.link_resource(change, memory_id, ResourceType.NOTE, reference, LinkType.PROMOTED_TO)
    if fresh:
        change.enqueue("note_entry", memory_id=memory_id, day=day)
    return reference, fresh


def follow(change: Change, link: Mapping[str, Any]) -> None:
    """Ask for what a link that came or went changes in a daily note."""
    day = str(link["resource_ref"]).partition(".md#")[0]
    if _DAY.fullmatch(day) and link["resource_ref"] == promotion(link["memory_id"], day):
        change.enqueue("note_entry", memory_id=link["memory_id"], day=day)


def waiting(connection: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """What waits for the person before it may be in force."""
    rows = connection.execute(
        "SELECT * FROM memories WHERE review_reason IS NOT NULL AND status IN (?, ?) ORDER BY seq",
        (Status.NEEDS_REVIEW, Status.CANDIDATE),
    )
    return map(row_dict, rows)


def linked_from(connection: sqlite3.Connection, reference: str) -> list[tuple[str, str]]:
    """(id, how) of each memory that is linked to this place of a note."""
    rows = connection.execute(
        "SELECT memory_id, type FROM resource_links WHERE resource_type = ? AND resource_ref = ?"
        " ORDER BY created_at, id",
        (ResourceType.NOTE, reference),
    )
    return [(row[0], row[1]) for row in rows]


def _links(connection: sqlite3.Connection, memory_id: str) -> list[tuple[str, str]]:
    rows = connection.execute(
        f"SELECT l.id, l.resource_ref FROM resource_links l WHERE {_LINKED} AND l.memory_id = ?", (memory_id,)
    )
    return [(row[0], row[1]) for row in rows if _REFERENCE.fullmatch(row[1])]
