"""What a memory that was promoted to a daily note asks for there: its entry, written once.

From then on that is a note like any other: what becomes of the memory changes it no more, an erase apart.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from workbench import files
from workbench.home import Home
from workbench.ledger import entries as ledger
from workbench.ledger import lineage, store
from workbench.ledger.change import fetch
from workbench.ledger.model import Status
from workbench.notes import entries


def keep_in_step(home: Home, payload: dict[str, Any]) -> None:
    """Write the entry that a memory was promoted to; take it out where that was undone and it reads as written.

    :param payload: ``memory_id``, and ``day``: the name of the note, ``YYYY-MM-DD``.
    """
    memory_id, day = payload["memory_id"], payload["day"]
    with store.reading(home) as connection:
        row = fetch(connection, "memories", memory_id)
        links = {link["resource_ref"]: link for link in lineage.links(connection, memory_id)}
    if row is None or row["status"] == Status.ERASED:
        return
    link = links.get(ledger.promotion(memory_id, day))
    anchor, said = ledger.anchor(memory_id), entries.shown(row)

    path = home.memory / f"{day}.md"

    def change(document: bytes) -> bytes:
        entries.check_utf8(document, path)
        if link is None:
            return _without(document, anchor, said)
        if any(each.anchor == anchor for each in entries.entries(document)):
            return document
        stamp = f"{datetime.fromisoformat(link['created_at']).astimezone():%Y-%m-%d %H:%M}"
        return entries.with_entry(document or f"# {day}\n".encode(), stamp, f"{said} ^{anchor}")

    with files.lock(path.with_name(f".{path.name}.lock")):
        files.remove_leftovers(path)
        files.rewrite(path, change)


def _without(document: bytes, anchor: str, said: str) -> bytes:
    for stretch in entries.stretches(document):
        for end, stands in stretch.ends:
            if stands.endswith(f" ^{anchor}") and entries.digest(entries.unanchored(stands)) == entries.digest(said):
                return entries.without(document, stretch.start, end)
    return document
