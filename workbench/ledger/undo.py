"""Undo: the before-images of a change set are put back, whatever the transition table says."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench import dates
from workbench.errors import NotFound, WorkbenchError
from workbench.ledger import entries, lifecycle
from workbench.ledger.change import Change, fetch
from workbench.ledger.model import TABLES

# Never taken back.
_FINAL = ("erased",)
# Events that another act brought with it.
# By this kind of actor, or an import, which somebody asked for.
_BY = "(actor GLOB ?2 OR actor IN ('system:bundle', 'system:flowly', 'system:flaremo'))"
# Nothing of it can be put back: an erase, what was erased since, what changed no row.
_PAST_UNDO = (
    "EXISTS (SELECT 1 FROM memory_events f LEFT JOIN event_payloads p USING (seq) WHERE f.change_id = e.change_id"
    " AND (p.payload IS NULL OR f.action IN ('erased', 'anchored_anew')))"
)
_CONSEQUENCES = ("superseded", "challenged", "settled", "resumed")


class LaterChange(WorkbenchError):
    """Something changed the same rows afterwards; undo that first."""


@dataclass(frozen=True)
class ChangeSet:
    """One act as its events tell it.

    :param action: what the act was, by the first event that is not a consequence of another.
    :param memories: ids of the memories it concerned.
    """

    id: str
    action: str
    actor: str
    at: str
    memories: tuple[str, ...]


def last_change(connection: sqlite3.Connection, memory_id: str | None = None, *, by: str | None = None) -> str:
    """The newest change set that is neither an undo nor undone, nor final; of one memory when its id is given.

    :param by: only those of this kind of actor, such as ``person``, or of an import, which somebody asked for.
    :raises NotFound: when there is none.
    """
    undone = _undone(connection)
    changes = connection.execute(
        f"SELECT change_id FROM memory_events e WHERE undoes IS NULL AND (?1 IS NULL OR memory_id = ?1)"
        f" AND (?2 IS NULL OR {_BY}) AND NOT {_PAST_UNDO} ORDER BY seq DESC",
        (memory_id, f"{by}:*" if by else None),
    )
    found = next((row[0] for row in changes if row[0] not in undone), None)
    if found is None:
        if _was_erased(connection, memory_id, by):
            raise NotFound("an erase is final, and there is nothing else to undo")
        remedy = "" if memory_id else "; `workbench memory undo ID` takes back the last change of one memory"
        raise NotFound(f"there is nothing to undo{f' for {memory_id}' if memory_id else ' of yours'}{remedy}")
    return str(found)


def _was_erased(connection: sqlite3.Connection, memory_id: str | None, by: str | None) -> bool:
    if memory_id is None:
        return by is not None and erased_last(connection, by)
    query = "SELECT EXISTS (SELECT 1 FROM memory_events WHERE action = 'erased' AND memory_id = ?)"
    return bool(connection.execute(query, (memory_id,)).fetchone()[0])


def erased_last(connection: sqlite3.Connection, by: str) -> bool:
    """Whether the very last thing that this kind of actor did was an erase, which nothing takes back."""
    row = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM memory_events WHERE action = 'erased' AND change_id = ("
        f"SELECT change_id FROM memory_events WHERE {_BY.replace('?2', '?1')} ORDER BY seq DESC LIMIT 1))",
        (f"{by}:*",),
    ).fetchone()
    return bool(row[0])


def later(connection: sqlite3.Connection, change_id: str) -> list[str]:
    """The changes after this one that touched its rows, or rows of such a change, and still stand; newest first.

    :raises LaterChange: when it is undone already.
    """
    undone = _undone(connection)
    _refuse_undone(undone, change_id)
    touches, undoes = _since(connection, change_id)
    vain: set[str] = set()
    for change, targets in undoes.items():
        # What was done after it and taken back after it left no trace.
        if change not in undone and targets <= touches.keys() - {change_id}:
            vain |= {change, *targets}
    found, rows = [], set(touches.pop(change_id, ()))
    for change, touched_rows in touches.items():
        if change not in vain and touched_rows & rows:
            found.append(change)
            rows |= touched_rows
    return found[::-1]


def _since(
    connection: sqlite3.Connection, change_id: str
) -> tuple[dict[str, set[tuple[str, str]]], dict[str, set[str]]]:
    """The changes from this one on, oldest first: the rows each touched, and the changes each took back."""
    touches: dict[str, set[tuple[str, str]]] = {}
    undoes: dict[str, set[str]] = {}
    events = connection.execute(
        "SELECT e.change_id, e.undoes, p.payload FROM memory_events e LEFT JOIN event_payloads p USING (seq)"
        " WHERE e.seq >= (SELECT min(seq) FROM memory_events WHERE change_id = ?) ORDER BY e.seq",
        (change_id,),
    )
    for event in events:
        rows = touches.setdefault(event["change_id"], set())
        for image in _images(event["payload"]):
            rows |= {(image["table"], image["id"]), *_refers_to(image)}
        if event["undoes"]:
            undoes.setdefault(event["change_id"], set()).add(event["undoes"])
    return touches, undoes


def _refers_to(image: dict[str, Any]) -> set[tuple[str, str]]:
    """The memories that a row points at: without them it can't stand."""
    row = image["after"] or {}
    names = ("memory_id", "related_id", "supersedes", "superseded_by")
    return {("memories", row[name]) for name in names if row.get(name)} if image["before"] is None else set()


def describe(connection: sqlite3.Connection, change_id: str) -> ChangeSet:
    """What a change set did.

    :raises NotFound: when there is none of this id.
    """
    events = connection.execute(
        "SELECT memory_id, action, actor, at FROM memory_events WHERE change_id = ? ORDER BY seq", (change_id,)
    ).fetchall()
    if not events:
        raise NotFound(f"there is no change {change_id}; `workbench memory history` shows them")
    memories = dict.fromkeys(event["memory_id"] for event in events if event["memory_id"])
    act = next((event for event in events if event["action"] not in _CONSEQUENCES), events[0])
    return ChangeSet(change_id, act["action"], act["actor"], act["at"], tuple(memories))


def undo(change: Change, change_id: str) -> list[str]:
    """Put back every row that ``change_id`` touched.

    One change can take back several change sets, called for each of them, newest first.

    :returns: ids of the memories concerned.
    :raises LaterChange: when it is undone already, or a later change touched the same rows.
    """
    lifecycle.require_person(change.actor, "undo a change to")
    _refuse_undone(_undone(change.connection), change_id)
    events = change.connection.execute(
        "SELECT e.seq, e.memory_id, e.action, p.payload FROM memory_events e LEFT JOIN event_payloads p USING (seq)"
        " WHERE e.change_id = ? ORDER BY e.seq DESC",
        (change_id,),
    ).fetchall()
    if not events:
        raise NotFound(f"there is no change {change_id}; `workbench memory history` shows them")
    if any(event["action"] in _FINAL or event["payload"] is None for event in events):
        raise WorkbenchError(f"change {change_id} erased a memory, or one it touched was erased; an erase is final")
    steps = [(event, _images(event["payload"])[::-1]) for event in events]
    images = [image for _, part in steps for image in part]
    if not images:
        raise WorkbenchError(f"change {change_id} made a whole ledger from a backup; there is nothing before it")
    _refuse_if_touched_since(change.connection, change_id, images)
    change.undoes = change_id
    try:
        for event, part in steps:
            for image in part:
                _restore(change, image)
            change.record("undone", event["memory_id"], undone=event["action"])
    except sqlite3.IntegrityError:
        raise _taken(change.connection, change_id, images) from None
    change.enqueue("memory_md")
    for image in images:
        if image["table"] == "resource_links":
            entries.follow(change, image["before"] or image["after"])
    return list(dict.fromkeys(event["memory_id"] for event in events if event["memory_id"]))


def _taken(connection: sqlite3.Connection, change_id: str, images: list[dict[str, Any]]) -> LaterChange:
    """Why the rows of a change can't be put back as they were."""
    if others := ", ".join(_in_the_way(connection, images)):
        return LaterChange(f"{others} has taken its place since then; rule on that one first")
    since = ", ".join(later(connection, change_id)) or "a later change"
    return LaterChange(
        f"{since} refers to what this would remove;"
        f" `workbench memory undo --change {change_id} --with-later` takes that back, too"
    )


def touched(connection: sqlite3.Connection, change_id: str) -> dict[str, dict[str, Any]]:
    """The memories that a change set touched, as they are now, by id."""
    ids = connection.execute("SELECT DISTINCT memory_id FROM memory_events WHERE change_id = ?", (change_id,))
    rows = ((row[0], fetch(connection, "memories", row[0])) for row in ids.fetchall() if row[0])
    return {memory_id: row for memory_id, row in rows if row is not None}


def _in_the_way(connection: sqlite3.Connection, images: list[dict[str, Any]]) -> list[str]:
    """Active memories with the text or the key that a restored one would have."""
    found: list[str] = []
    for image in images:
        row = image["before"]
        if image["table"] == "memories" and row is not None and row["status"] == "active":
            found += (
                other[0]
                for other in connection.execute(
                    "SELECT id FROM memories WHERE status = 'active' AND id <> ? AND (fingerprint = ?"
                    " OR (scope_type = ? AND scope_key = ? AND fact_key = ? AND authority <> 'inferred'))",
                    (row["id"], row["fingerprint"], row["scope_type"], row["scope_key"], row["fact_key"]),
                )
            )
    return sorted(set(found))


def _refuse_if_touched_since(connection: sqlite3.Connection, change_id: str, images: list[dict[str, Any]]) -> None:
    newest: dict[tuple[str, str], dict[str, Any]] = {}
    for image in images:
        newest.setdefault((image["table"], image["id"]), image)
    for (table, key), image in newest.items():
        if _said(fetch(connection, _table(table), key)) == _said(image["after"]):
            continue
        memory_id = key if table == "memories" else (image["after"] or image["before"] or {}).get("memory_id")
        later = connection.execute(
            "SELECT change_id, action, at FROM memory_events WHERE memory_id = ? AND change_id <> ?"
            " AND seq > (SELECT max(seq) FROM memory_events WHERE change_id = ?) ORDER BY seq DESC LIMIT 1",
            (memory_id, change_id, change_id),
        ).fetchone()
        named = (
            f"change {later['change_id']} ({later['action']}, {dates.local(later['at'])})"
            if later
            else "a later change"
        )
        raise LaterChange(
            f"{named} touched {memory_id} afterwards; undo that one first,"
            f" or all: `workbench memory undo --change {change_id} --with-later`"
        )


def _restore(change: Change, image: dict[str, Any]) -> None:
    table, before = _table(image["table"]), image["before"]
    if before is None:
        change.delete(table, image["id"])
        return
    present = fetch(change.connection, table, image["id"])
    if present is None:
        change.insert(table, **before)
    else:
        # A column that is younger than the image was not there: NULL.
        change.update(table, image["id"], **{name: before.get(name) for name in present if name != "id"})


def _undone(connection: sqlite3.Connection) -> dict[str, str]:
    """The changes that are undone, each with the undo that is not itself undone. An undo comes after what it undoes."""
    undone: dict[str, str] = {}
    undos = connection.execute("SELECT change_id, undoes FROM memory_events WHERE undoes IS NOT NULL ORDER BY seq DESC")
    for change_id, target in undos:
        if change_id not in undone:
            undone[target] = change_id
    return undone


def _refuse_undone(undone: Mapping[str, str], change_id: str) -> None:
    if change_id in undone:
        raise LaterChange(
            f"change {change_id} is undone already; `workbench memory undo --change {undone[change_id]}` does it again"
        )


def _images(payload: str | None) -> list[dict[str, Any]]:
    return list(json.loads(payload)["images"]) if payload else []


def _said(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """A row without its NULLs: an image made before a column was added equals the row it was made of."""
    return None if row is None else {name: value for name, value in row.items() if value is not None}


def _table(name: str) -> Any:  # noqa: ANN401 - narrowed to the Table literal by the check
    if name not in TABLES:
        raise WorkbenchError(f"an event names the unknown table {name!r}; `workbench memory audit --verify` checks it")
    return name
