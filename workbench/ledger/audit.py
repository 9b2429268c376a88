"""The event chain: every change leaves an event that nobody can alter unseen.

``hash`` = SHA-256 of the JSON array [seq, memory_id, action, actor, at, payload_hash, prev_hash], and
``payload_hash`` = SHA-256(salt ‖ payload); so a payload can be erased while the chain still verifies.
The anchor (``audit_head.json``, outside the database) lets a rewritten or truncated chain be seen. It is there before
the first event; one that is missing was removed, and only the person makes another.
The chain is tamper-evident, not tamper-proof: who can write both files can write both.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from workbench import db, files
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import store, tombstones
from workbench.ledger.model import TABLES, Actor
from workbench.ledger.tables import EVENTS, TRIGGERS_2

GENESIS = "0" * 64
ANCHOR_EVERY_EVENTS = 100
ANCHOR_EVERY_SECONDS = 10.0
# Homes with events of this process that the anchor does not vouch for yet.
_left_behind: set[Home] = set()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def event_hash(seq: int, memory_id: str | None, action: str, actor: str, at: str, payload_hash: str, prev: str) -> str:
    """The hash that links an event to the one before it."""
    return _digest(_ENCODER.encode([seq, memory_id, action, actor, at, payload_hash, prev]))


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
    last, prev = head(connection)
    seq = last + 1
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


def head(connection: sqlite3.Connection) -> tuple[int, str]:
    """Sequence number and hash of the last event; 0 and the genesis hash when there is none."""
    last = connection.execute("SELECT seq, hash FROM memory_events ORDER BY seq DESC LIMIT 1").fetchone()
    return (last["seq"], last["hash"]) if last else (0, GENESIS)


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
    """Walk the whole chain, compare every row with its last image, and the chain with its anchor.

    The first problem names the first bad event.
    """
    anchor = _read_anchor(home)
    found = Verification(anchored=anchor["seq"] if anchor else 0)
    with store.reading(home) as connection:
        erased = _erased(connection)
        connection.row_factory = None
        last: dict[str, dict[str, bytes]] = {table: {} for table in TABLES}
        before, anchored_hash = (0, GENESIS), GENESIS if anchor and not anchor["seq"] else None
        for row in connection.execute(_EVENTS):
            seq, hash_ = row[0], row[7]
            found.problems += _check_event(row, before, erased, last)
            before = (seq, hash_)
            found.events += 1
            if anchor and seq == anchor["seq"]:
                anchored_hash = hash_
        found.problems += _check_rows(connection, last)
        found.problems += _check_tombstones(connection)
        found.problems += _check_triggers(connection)
    if anchor is None:
        found.problems.append(_missing(home))
    if anchor and anchored_hash != anchor["hash"]:
        found.problems.append(
            f"the anchor vouches for event {anchor['seq']} with another hash: the chain was rewritten or cut short"
        )
    return found


_EVENTS = (
    "SELECT e.seq, e.memory_id, e.action, e.actor, e.at, e.payload_hash, e.prev_hash, e.hash, e.change_id, e.undoes,"
    " p.salt, p.payload FROM memory_events e LEFT JOIN event_payloads p USING (seq) ORDER BY e.seq"
)


def _erased(connection: sqlite3.Connection) -> dict[int, int]:
    """The events whose payloads are gone by right → the erase that names them."""
    rows = connection.execute(
        "SELECT e.seq, p.payload FROM memory_events e JOIN event_payloads p USING (seq) WHERE e.action = 'erased'"
    )
    named: dict[int, int] = {}
    for seq, payload in rows:
        with contextlib.suppress(ValueError, KeyError, TypeError):  # the walk says what is wrong with it
            named |= dict.fromkeys(orjson.loads(payload)["details"]["payloads"], seq)
    return named


def _check_event(
    row: tuple[Any, ...], before: tuple[int, str], erased: dict[int, int], last: dict[str, dict[str, bytes]]
) -> list[str]:
    """What is wrong with an event; what it says of rows goes into ``last``.

    :param before: (seq, hash) of the event before it.
    """
    *linked, hash_, change_id, undoes, salt, payload = row
    seq, prev = row[0], row[6]
    where = f"event {seq}"
    problems = []
    if seq != before[0] + 1:
        problems.append(f"{where} stands where event {before[0] + 1} should be: an event was removed or inserted")
    if prev != before[1]:
        problems.append(f"{where} does not follow the event before it")
    if event_hash(*linked) != hash_:
        problems.append(f"{where} was altered")
    if payload is None:
        if erased.get(seq, 0) <= seq:
            problems.append(f"{where} has lost its payload without an erase")
    elif _digest(salt + payload) != row[5]:
        problems.append(f"{where} has an altered payload")
    else:
        try:
            said = orjson.loads(payload)
            for image in said["images"]:
                after = image["after"]
                last[image["table"]][image["id"]] = _row_digest(after.items()) if after else b""
            if (said["change_id"], said["undoes"]) != (change_id, undoes):
                problems.append(f"{where} was moved to another change")
        except (ValueError, KeyError, TypeError, AttributeError):
            problems.append(f"{where} has a payload that no program of ours wrote")
    return problems


def _row_digest(columns: Iterable[tuple[str, Any]]) -> bytes:
    """A digest of what a row says; a column that is NULL says nothing, so one added later changes no old image."""
    said = {name: value for name, value in columns if value is not None}
    return hashlib.blake2b(orjson.dumps(said, option=orjson.OPT_SORT_KEYS), digest_size=16).digest()


def _check_rows(connection: sqlite3.Connection, last: dict[str, dict[str, bytes]]) -> list[str]:
    """Rows that do not read as their last event left them, or that no event knows."""
    problems = []
    for table in TABLES:
        known = last[table]
        rows = connection.execute(f"SELECT * FROM {table}")
        names = [column[0] for column in rows.description]
        place = names.index("id")
        for row in rows:
            digest = known.pop(row[place], None)
            if digest is None:
                problems.append(f"{row[place]} in {table} was written around the ledger: no event knows it")
            elif digest != _row_digest(zip(names, row, strict=True)):
                problems.append(f"{row[place]} in {table} was altered around the ledger: no event says so")
        problems += [f"{key} was removed from {table} around the ledger" for key in sorted(known) if known[key]]
    return problems


def _check_tombstones(connection: sqlite3.Connection) -> list[str]:
    """Tombstones that are not those which the erases say; what the erases say is checked with their events."""
    payloads = connection.execute(
        "SELECT p.payload FROM memory_events e JOIN event_payloads p USING (seq) WHERE e.action = 'erased'"
    )
    said: list[dict[str, Any]] = []
    for (payload,) in payloads:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            said.append(dict(orjson.loads(payload)["details"]))
    named = {tombstone for details in said for tombstone in details.get("tombstones", ())}
    there, keys = tombstones.every(connection), {details.get("tombstone_key") for details in said}
    problems = []
    if gone := len(named - there):
        problems.append(f"{gone} tombstone(s) were removed around the ledger: what was erased could be learned again")
    # An erase of a former version names none.
    if None not in keys and (more := len(there - named)):
        problems.append(f"{more} tombstone(s) were added around the ledger: no erase says so")
    if None not in keys and keys - {tombstones.witness(connection)}:
        problems.append("the key of the tombstones was altered: what was erased could be learned again")
    return problems


def _check_triggers(connection: sqlite3.Connection) -> list[str]:
    """Triggers that keep the ledger as it is and are gone or altered, and ones that are not ours."""
    statements = (*EVENTS, *TRIGGERS_2)
    ours = {sql.split()[2]: sql for sql in statements if sql.startswith("CREATE TRIGGER")}
    there = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall())
    gone = [name for name, statement in ours.items() if there.get(name) != statement]
    return [
        *(f"the trigger {name} was dropped or altered: what it forbids could be done" for name in gone),
        *(f"the trigger {name} is not of this program" for name in sorted(there.keys() - ours.keys())),
    ]


def missing(home: Home) -> str | None:
    """That the anchor is gone, and what to do; None where it is there, or there is no history yet."""
    if files.read_bytes(home.audit_head):
        return None
    with store.reading(home) as connection:
        return _missing(home) if head(connection)[0] else None


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
        seq = int(anchor["seq"])
        if seq < 0:
            raise ValueError("it vouches for no event")
        return {"seq": seq, "hash": str(anchor["hash"]), "at": str(anchor["at"])}
    except (ValueError, KeyError, TypeError) as error:
        raise WorkbenchError(
            f"{home.audit_head} is damaged ({error}); restore it from a backup, or `workbench memory audit --anchor`"
        ) from None


def begin(home: Home) -> None:
    """Anchor the history of a ledger that is about to be made, so that an anchor is never missing by right."""
    with _locked(home):
        if not db.exists(home.ledger) and _read_anchor(home) is None:
            _write_anchor(home, 0, GENESIS, db.now())


def renew_anchor(home: Home, last: int) -> None:
    """Write the anchor anew when 100 events or 10 seconds have passed since the last time; else as the process ends.

    :param last: sequence number of the last event.
    :raises WorkbenchError: when the anchor is gone or damaged, or can't be written.
    """
    before, at = _read_anchor(home), db.now()
    if before is None:
        raise WorkbenchError(_missing(home))
    if last > before["seq"]:
        if _due(before, last, at):
            anchor(home, at=at)
        else:
            _left_behind.add(home)


def anchor(home: Home, *, at: str, anew: bool = False) -> None:
    """Write the present head of the chain to ``audit_head.json``; never backwards.

    A head that the chain no longer leads to is kept: it is the proof that somebody rewrote or cut it. One that is
    missing stays so, for the same reason.

    :param anew: whatever was there; the person looked into it.
    :raises WorkbenchError: when the anchor is damaged, or can't be written.
    """
    with _locked(home):
        before = None if anew else _read_anchor(home)
        with store.reading(home) as connection:
            seq, hash_ = head(connection)
            if not (anew or _leads_here(connection, before, seq)):
                return
        _write_anchor(home, seq, hash_, at)


@contextlib.contextmanager
def _locked(home: Home) -> Iterator[None]:
    with files.lock(home.audit_head.with_name(".audit_head.lock")):
        files.remove_leftovers(home.audit_head)
        yield


def _write_anchor(home: Home, seq: int, hash_: str, at: str) -> None:
    files.replace(home.audit_head, json.dumps({"seq": seq, "hash": hash_, "at": at}).encode() + b"\n")


def _missing(home: Home) -> str:
    return (
        f"there is no {home.audit_head.name}, which vouches for the history: somebody removed it, and a history cut"
        " short or written anew would not be seen; look into it, then `workbench memory audit --anchor` makes one"
    )


def _leads_here(connection: sqlite3.Connection, before: dict[str, Any] | None, last: int) -> bool:
    """Whether the anchor may move to event ``last``."""
    if before is None or before["seq"] >= last:
        return False
    if not before["seq"]:
        return bool(before["hash"] == GENESIS)
    row = connection.execute("SELECT hash FROM memory_events WHERE seq = ?", (before["seq"],)).fetchone()
    return row is not None and row["hash"] == before["hash"]


def _due(before: dict[str, Any], seq: int, at: str) -> bool:
    from datetime import datetime

    passed = (datetime.fromisoformat(at) - datetime.fromisoformat(before["at"])).total_seconds()
    return seq - int(before["seq"]) >= ANCHOR_EVERY_EVENTS or not 0 <= passed < ANCHOR_EVERY_SECONDS


def anchor_at_exit() -> None:
    """Anchor what this process wrote and did not anchor yet; trouble was said when it wrote."""
    while _left_behind:
        home = _left_behind.pop()
        if db.exists(home.ledger):
            with contextlib.suppress(WorkbenchError, OSError, sqlite3.Error):
                anchor(home, at=db.now())


# Registered later than the connection that is kept, so it runs before that one is closed; a child vouches for its own.
atexit.register(anchor_at_exit)
os.register_at_fork(after_in_child=_left_behind.clear)
