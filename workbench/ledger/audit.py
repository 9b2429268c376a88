"""The event chain: every change leaves an event that nobody can alter unseen.

``hash`` = SHA-256 of the JSON array [seq, memory_id, action, actor, at, payload_hash, prev_hash], and
``payload_hash`` = SHA-256(salt ‖ payload); so a payload can be erased while the chain still verifies.
The anchor (``audit_head.json``, outside the database) lets a rewritten or truncated chain be seen.
The chain is tamper-evident, not tamper-proof: who can write both files can write both.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from dataclasses import dataclass, field
from typing import Any

from workbench import files
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.model import TABLES, Actor, row_dict

GENESIS = "0" * 64
ANCHOR_EVERY_EVENTS = 100
ANCHOR_EVERY_SECONDS = 10.0


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def event_hash(seq: int, memory_id: str | None, action: str, actor: str, at: str, payload_hash: str, prev: str) -> str:
    """The hash that links an event to the one before it."""
    return _digest(json.dumps([seq, memory_id, action, actor, at, payload_hash, prev], ensure_ascii=False))


def append(
    connection: sqlite3.Connection,
    *,
    memory_id: str | None,
    action: str,
    actor: Actor,
    at: str,
    change_id: str,
    payload: dict[str, Any],
    undoes: str | None = None,
) -> int:
    """Write one event with its payload; returns its sequence number. The caller holds the write transaction."""
    last = connection.execute("SELECT seq, hash FROM memory_events ORDER BY seq DESC LIMIT 1").fetchone()
    seq, prev = (last["seq"] + 1, last["hash"]) if last else (1, GENESIS)
    text = json.dumps({"change_id": change_id, "undoes": undoes, **payload}, ensure_ascii=False, sort_keys=True)
    salt = secrets.token_hex(16)
    payload_hash = _digest(salt + text)
    connection.execute(
        "INSERT INTO memory_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(seq, memory_id, action, str(actor), at, change_id, undoes, payload_hash, prev),
            event_hash(seq, memory_id, action, str(actor), at, payload_hash, prev),
        ),
    )
    connection.execute("INSERT INTO event_payloads VALUES (?, ?, ?)", (seq, salt, text))
    return seq


@dataclass
class Verification:
    """What checking the chain found.

    :param events: how many events there are.
    :param problems: one line each, naming the event; empty when the chain is whole.
    :param anchored: the sequence number the anchor vouches for; events after it are unanchored.
    """

    events: int = 0
    anchored: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.problems

    @property
    def unanchored(self) -> int:
        """Events written after the anchor was renewed last."""
        return max(0, self.events - self.anchored)


def verify(home: Home) -> Verification:
    """Walk the whole chain and compare it with its anchor."""
    anchor = _read_anchor(home)
    found = Verification(anchored=anchor["seq"] if anchor else 0)
    with store.reading(home) as connection:
        erased = {r[0] for r in connection.execute("SELECT memory_id FROM memory_events WHERE action = 'erased'")}
        rows = connection.execute(
            "SELECT e.*, p.salt, p.payload FROM memory_events e LEFT JOIN event_payloads p USING (seq) ORDER BY e.seq"
        )
        prev, anchored_hash = GENESIS, None
        last: dict[tuple[str, str], str] = {}
        for number, row in enumerate(rows, start=1):
            found.problems += _check_event(row, number, prev, erased)
            last.update(_images(row["payload"]))
            prev = row["hash"]
            found.events = number
            if anchor and row["seq"] == anchor["seq"]:
                anchored_hash = row["hash"]
        found.problems += _check_rows(connection, last)
    if anchor is None and found.events:
        found.problems.append(
            f"there is no {home.audit_head.name}: a chain cut short or written anew would not be seen"
        )
    if anchor and anchor["seq"] and anchored_hash != anchor["hash"]:
        found.problems.append(
            f"the anchor vouches for event {anchor['seq']} with another hash: the chain was rewritten or cut short"
        )
    return found


def _images(payload: str | None) -> dict[tuple[str, str], str]:
    """(table, id) → digest of the row as this event left it."""
    images = json.loads(payload).get("images", []) if payload else []
    return {(image["table"], image["id"]): _row_digest(image["after"]) for image in images}


def _row_digest(row: dict[str, Any] | None) -> str:
    """A digest of what a row says; a column that is NULL says nothing, so one added later changes no old image."""
    if row is None:
        return ""
    said = {name: value for name, value in row.items() if value is not None}
    return _digest(json.dumps(said, ensure_ascii=False, sort_keys=True))


def _check_rows(connection: sqlite3.Connection, last: dict[tuple[str, str], str]) -> list[str]:
    """Rows that do not read as their last event left them, or that no event knows."""
    problems = []
    for table in TABLES:
        seen = set()
        for row in connection.execute(f"SELECT * FROM {table}"):
            seen.add(row["id"])
            known = last.get((table, row["id"]))
            if known is None:
                problems.append(f"{row['id']} in {table} was written around the ledger: no event knows it")
            elif known != _row_digest(row_dict(row)):
                problems.append(f"{row['id']} in {table} was altered around the ledger: no event says so")
        gone = sorted(key for (name, key), digest in last.items() if name == table and digest and key not in seen)
        problems += [f"{key} was removed from {table} around the ledger" for key in gone]
    return problems


def _check_event(row: sqlite3.Row, number: int, prev: str, erased: set[str]) -> list[str]:
    where = f"event {row['seq']}"
    problems = []
    if row["seq"] != number:
        problems.append(f"{where} stands where event {number} should be: an event was removed or inserted")
    if row["prev_hash"] != prev:
        problems.append(f"{where} does not follow the event before it")
    fields = (row["seq"], row["memory_id"], row["action"], row["actor"], row["at"], row["payload_hash"])
    if event_hash(*fields, row["prev_hash"]) != row["hash"]:
        problems.append(f"{where} was altered")
    if row["payload"] is None:
        if row["memory_id"] not in erased:
            problems.append(f"{where} has lost its payload without an erase")
    elif _digest(row["salt"] + row["payload"]) != row["payload_hash"]:
        problems.append(f"{where} has an altered payload")
    else:
        said = json.loads(row["payload"])
        if (said.get("change_id"), said.get("undoes")) != (row["change_id"], row["undoes"]):
            problems.append(f"{where} was moved to another change")
    return problems


def anchored(home: Home) -> int:
    """How many events the anchor vouches for; 0 when there is none."""
    found = _read_anchor(home)
    return int(found["seq"]) if found else 0


def _read_anchor(home: Home) -> dict[str, Any] | None:
    data = files.read_bytes(home.audit_head)
    if not data:
        return None
    try:
        anchor = json.loads(data)
        return {"seq": int(anchor["seq"]), "hash": str(anchor["hash"]), "at": str(anchor["at"])}
    except (ValueError, KeyError, TypeError) as error:
        raise WorkbenchError(
            f"{home.audit_head} is damaged ({error}); restore it from a backup, or remove it to anchor anew"
        ) from None


def anchor(home: Home, *, at: str, if_due: bool = False) -> None:
    """Write the present head of the chain to ``audit_head.json``; never backwards.

    :param if_due: only when 100 events or 10 seconds have passed since the last time.
    """
    with store.reading(home) as connection:
        head = connection.execute("SELECT seq, hash, at FROM memory_events ORDER BY seq DESC LIMIT 1").fetchone()
    if head is None:
        return
    with files.lock(home.audit_head.with_name(".audit_head.lock")):
        files.remove_leftovers(home.audit_head)
        before = _read_anchor(home)
        if before and before["seq"] >= head["seq"]:
            return
        if if_due and before and not _due(before, head["seq"], at):
            return
        document = {"seq": head["seq"], "hash": head["hash"], "at": at}
        files.replace(home.audit_head, json.dumps(document).encode() + b"\n")


def _due(before: dict[str, Any], seq: int, at: str) -> bool:
    from datetime import datetime

    passed = (datetime.fromisoformat(at) - datetime.fromisoformat(before["at"])).total_seconds()
    return seq - int(before["seq"]) >= ANCHOR_EVERY_EVENTS or not 0 <= passed < ANCHOR_EVERY_SECONDS
