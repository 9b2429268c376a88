"""Erase: what a memory says, and all that tells of it, leaves the ledger for good; an empty shell of its row stays.

Payloads of events go with it, and the erase names them, so that the chain still verifies. Rows that stay and that only
such a payload vouched for are vouched for anew, unless somebody had altered them around the ledger.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from workbench import text
from workbench.errors import NotFound
from workbench.ledger import lifecycle, read, tombstones
from workbench.ledger.change import Change, fetch
from workbench.ledger.model import TABLES, Actor, Authority, Kind, Privacy, Status, Table, Type
from workbench.ledger.traces import MEMORY_ID, QUOTING, Traces, document
from workbench.ledger.wording import spellings

# More than so many memories at once, or a larger share of the ledger, is asked about again.
FUSE, FUSE_SHARE = 20, 0.1
# Nothing here comes from the statement or names its source.
_SHELL: dict[str, Any] = {
    **dict.fromkeys(("cjk", "fact_key", "review_reason", "confidence", "confidence_source", "valid_from", "valid_to")),
    **dict.fromkeys(("expires_at", "observed_at", "last_seen_at", "supersedes", "superseded_by", "source_agent")),
    **dict.fromkeys(("source_session", "batch_id", "idempotency_key")),
    **dict.fromkeys(("subject", "predicate", "object", "subject_type", "object_type")),
    "content": "",
    "tags": "[]",
    "source_message_ids": "[]",
    "scope_type": "global",
    "scope_key": "",
    "kind": Kind.FACT,
    "type": Type.SEMANTIC,
    "tier": "normal",
    "privacy": Privacy.NORMAL,
    "importance": 50,
    "authority": Authority.INFERRED,
    "status": Status.ERASED,
    "explicit": 0,
    "seen_count": 1,
    "trust": 0.0,
}
_COMPANY = tuple(table for table in TABLES if table != "memories")
_LISTS = ("included", "truncated", "excluded")


@dataclass(frozen=True)
class Plan:
    """What an erase takes away and what it rewrites.

    :param traces: of the memories that go; agents' requests about them are among them.
    :param rows: rows that go, each with the memory on whose account.
    :param quotes: rows of other memories whose free text goes.
    :param pointers: memories that were replaced by one that goes, or replaced it.
    :param payloads: seq of an event whose payload goes → the memory on whose account.
    :param unvouched: rows that stay as they are (or stay away), and lose the event that says so → whose they are.
    :param archives: ids of lens archives that name a memory that goes.
    :param same: ids of other memories that say the same, or said it once.
    :param holding: ids of further memories that hold the same words within longer ones, or once held them.
    """

    traces: Traces
    rows: dict[tuple[Table, str], str]
    quotes: list[tuple[Table, str]]
    pointers: list[str]
    payloads: dict[int, str]
    unvouched: dict[tuple[Table, str], str]
    archives: list[str]
    same: list[str]
    holding: list[str]

    def counts(self) -> dict[str, int]:
        """How many rows of what are concerned."""
        gone = Counter(table.removeprefix("memory_") for table, _ in self.rows)
        return {
            "memories": len(self.traces.ids),
            **{name: gone[name] for name in (table.removeprefix("memory_") for table in _COMPANY)},
            "quotes in other memories": len(self.quotes),
            "event payloads": len(self.payloads),
            "lens archives": len(self.archives),
        }


def resolve(connection: sqlite3.Connection, prefix: str) -> str:
    """The id that a unique beginning stands for; also of a memory whose making was undone, of which history is left.

    :raises NotFound: when there is none, and none was.
    """
    try:
        return read.resolve(connection, prefix)
    except lifecycle.Ambiguous:
        raise
    except NotFound:
        start = prefix.strip().lower()
        found = connection.execute(
            "SELECT DISTINCT memory_id FROM memory_events WHERE memory_id >= ? AND memory_id < ? || 'g' LIMIT 2",
            (start, start),
        ).fetchall()
        if not start.startswith("m_") or start == "m_" or len(found) != 1:
            raise
        return str(found[0][0])


def not_erased(connection: sqlite3.Connection, ids: Sequence[str]) -> list[str]:
    """Those of the memories that are not erased yet, each once."""
    erased = (
        "SELECT 1 FROM memory_events WHERE memory_id = ?1 AND action = 'erased'"
        " UNION ALL SELECT 1 FROM memories WHERE id = ?1 AND status = 'erased'"
    )
    return [key for key in dict.fromkeys(ids) if connection.execute(erased, (key,)).fetchone() is None]


def requests_about(connection: sqlite3.Connection, ids: Collection[str]) -> list[str]:
    """Agents' requests that concern these memories, and quote them; they have to go with them.

    Of one whose filing was undone only the history is left, and that quotes them, too.
    """
    requests = connection.execute(
        "SELECT e.memory_id, p.payload FROM memory_events e JOIN event_payloads p USING (seq)"
        " WHERE e.action = 'requested'"
    )
    about = [key for key, payload in requests if not set(ids).isdisjoint(MEMORY_ID.findall(payload))]
    return not_erased(connection, [key for key in about if key not in ids])


def needs_count(connection: sqlite3.Connection, erased: int) -> bool:
    """Whether erasing so many memories at once is asked about again; a single one, named by its id, is not."""
    total = connection.execute("SELECT count(*) FROM memories WHERE status <> 'erased'").fetchone()[0]
    return erased > FUSE or (erased > 1 and erased > FUSE_SHARE * total)


def plan(connection: sqlite3.Connection, ids: Sequence[str]) -> Plan:
    """What erasing these memories means.

    :param ids: at least one; none erased already, and requests about them among them.
    :raises WorkbenchError: when an event can't be read.
    """
    traces = Traces.of(connection, ids)
    rows: dict[tuple[Table, str], str] = {}
    quotes: list[tuple[Table, str]] = []
    for table in _COMPANY:
        for row in connection.execute(f"SELECT * FROM {table}"):
            holder = traces.held_by(table, row_map := dict(zip(row.keys(), row, strict=True)))
            if holder is None:
                continue
            if _goes(traces, table, row_map):
                rows[table, row["id"]] = holder
            else:
                quotes.append((table, row["id"]))
    payloads, unvouched = _payloads(connection, traces)
    listed = {"ids": json.dumps(traces.ids), "prints": json.dumps(sorted(traces.fingerprints))}
    pointers = _column(
        connection,
        "SELECT id FROM memories WHERE (supersedes IN (SELECT value FROM json_each(:ids))"
        " OR superseded_by IN (SELECT value FROM json_each(:ids))) AND id NOT IN (SELECT value FROM json_each(:ids))",
        listed,
    )
    same = _column(
        connection,
        "SELECT id FROM memories WHERE id NOT IN (SELECT value FROM json_each(:ids)) AND status <> 'erased'"
        " AND (fingerprint IN (SELECT value FROM json_each(:prints)) OR id IN (SELECT memory_id FROM rejections"
        " WHERE fingerprint IN (SELECT value FROM json_each(:prints)))) ORDER BY seq",
        listed,
    )
    archives = [
        row["id"]
        for row in connection.execute(f"SELECT id, {', '.join(_LISTS)} FROM lens_archive")
        if any(traces.named_in(row[name] or "") for name in _LISTS)
    ]
    stays = {key: owner for key, owner in unvouched.items() if key not in rows}
    holding = [key for key in _holding(connection, traces) if key not in same]
    return Plan(traces, rows, quotes, pointers, payloads, stays, archives, same, holding)


def _holding(connection: sqlite3.Connection, traces: Traces) -> list[str]:
    said = connection.execute(
        "SELECT id, content FROM memories UNION ALL SELECT memory_id, content FROM memory_revisions ORDER BY 1"
    )
    return list(dict.fromkeys(key for key, content in said if key not in traces.ids and traces.quoted_in(content)))


def _goes(traces: Traces, table: Table, row: dict[str, Any]) -> bool:
    """Whether a row is of a memory that goes, or a verdict on the same words; else it only quotes one."""
    return (
        not {row.get("memory_id"), row.get("related_id")}.isdisjoint(traces.ids)
        or row.get("fingerprint") in traces.fingerprints
    )


def _payloads(connection: sqlite3.Connection, traces: Traces) -> tuple[dict[int, str], dict[tuple[Table, str], str]]:
    """The payloads that go; and the rows of other memories of which only they say how they read now, or that they are
    gone, with whose they are: where it is so."""
    gone: dict[int, str] = {}
    last: dict[tuple[Table, str], tuple[int, dict[str, Any] | None]] = {}
    owners: dict[tuple[Table, str], str] = {}
    events = connection.execute(
        "SELECT e.seq, e.memory_id, e.action, p.payload FROM memory_events e JOIN event_payloads p USING (seq)"
        " ORDER BY e.seq"
    )
    for seq, memory_id, action, payload in events:
        told = document(seq, payload)
        # An erase itself holds nothing of what it erased.
        holder = None if action == "erased" else traces.told_in(memory_id, told)
        if holder is not None:
            gone[seq] = holder
        for image in told["images"]:
            key = (image["table"], image["id"])
            if holder is not None or key in last:
                last[key] = (seq, image["after"])
                owners[key] = (image["after"] or image["before"] or {}).get("memory_id") or owners.get(key, key[1])
    return gone, {
        key: owners[key]
        for key, (seq, after) in last.items()
        if seq in gone and owners[key] not in traces.ids and _said(fetch(connection, *key)) == _said(after)
    }


def erase(connection: sqlite3.Connection, actor: Actor, planned: Plan, with_sources: bool = False) -> Change:
    """Carry out a plan made in the same transaction; the rest happens outside the ledger, by the outbox.

    :param with_sources: the messages that the memories were learned from lose their text, too.
    :raises PersonOnly: for anybody but the person.
    """
    lifecycle.require_person(actor, "erase")
    change, traces = Change(connection, actor, final=True), planned.traces
    of_graph = any((fetch(connection, "memories", key) or {}).get("predicate") for key in traces.ids)
    # One event of the erase names all its tombstones.
    sources = {f"{session}#{number}" for session, number in traces.messages}
    spelt = {text.normal_form(said) for wording in traces.said for said in spellings(wording)}
    known = traces.fingerprints | traces.wordings | sources | spelt
    buried = sorted({tombstones.bury(connection, said, change.at) for said in known})
    connection.executemany("DELETE FROM event_payloads WHERE seq = ?", [(seq,) for seq in planned.payloads])
    for memory_id in traces.ids:
        for (table, key), holder in planned.rows.items():
            if holder == memory_id:
                change.delete(table, key)
        if fetch(connection, "memories", memory_id) is not None:
            shell = {"fingerprint": secrets.token_hex(32), "retired_at": change.at, "updated_at": change.at}
            change.update("memories", memory_id, **_SHELL, **shell)
        named = [seq for seq, holder in planned.payloads.items() if holder == memory_id]
        change.record(
            "erased", memory_id, payloads=named, tombstones=buried, tombstone_key=tombstones.witness(connection)
        )
        buried = []
    _rewrite_others(change, planned)
    _outside_the_chain(change, planned)
    _enqueue(change, traces, with_sources)
    if of_graph:
        change.enqueue("compact_graph")
    return change


def _rewrite_others(change: Change, planned: Plan) -> None:
    """Take quotes and pointers out of other memories, and vouch for what is left of them, an event for each."""
    pointers: list[tuple[Table, str]] = [("memories", key) for key in planned.pointers]
    rewritten = {*pointers, *planned.quotes}
    by_memory: dict[str, list[tuple[Table, str]]] = {}
    for table, key in rewritten:
        row = fetch(change.connection, table, key) or {}
        by_memory.setdefault(row.get("memory_id", key), []).append((table, key))
    for where, owner in planned.unvouched.items():
        if where not in rewritten:
            by_memory.setdefault(owner, []).append(where)
    for memory_id, rows in sorted(by_memory.items()):
        for table, key in sorted(rows):
            if (table, key) not in rewritten:
                change.attest(table, key)
            elif table == "memories":
                _unpoint(change, key, planned.traces.ids)
            else:
                hashed = {"excerpt_hash": text.sha256(text.ERASED)} if table == "memory_evidence" else {}
                change.update(table, key, **{QUOTING[table]: text.ERASED}, **hashed)
        change.record("attested" if rewritten.isdisjoint(rows) else "redacted", memory_id)


def _unpoint(change: Change, memory_id: str, ids: Collection[str]) -> None:
    row = fetch(change.connection, "memories", memory_id) or {}
    fields = {name: None for name in ("supersedes", "superseded_by") if row.get(name) in ids}
    change.update("memories", memory_id, **fields)


def _outside_the_chain(change: Change, planned: Plan) -> None:
    """What has no events: counters, names of writes, archives, waiting effects, the words of the full-text index."""
    connection, traces = change.connection, planned.traces
    for table in ("memory_use", "writes"):
        connection.executemany(f"DELETE FROM {table} WHERE memory_id = ?", [(key,) for key in traces.ids])
    for archive in planned.archives:
        row = connection.execute(f"SELECT {', '.join(_LISTS)} FROM lens_archive WHERE id = ?", (archive,)).fetchone()
        shown = traces.named_in(row["included"])
        lists = [_without(row[name], traces.ids) for name in _LISTS]
        connection.execute(
            "UPDATE lens_archive SET included = ?, truncated = ?, excluded = ?,"
            " payload = CASE WHEN ? THEN ? ELSE payload END WHERE id = ?",
            (*lists, shown, text.ERASED, archive),
        )
    # It is asked for again, behind the notes: what goes must not be taken there for an edit.
    connection.execute("DELETE FROM outbox WHERE kind = 'memory_md' AND lease_owner IS NULL")
    for key, payload in connection.execute("SELECT id, payload FROM outbox").fetchall():
        if traces.named_in(payload):
            connection.execute("DELETE FROM outbox WHERE id = ?", (key,))
    connection.execute("INSERT INTO memories_fts(memories_fts) VALUES ('rebuild')")


def _without(listed: str | None, ids: Collection[str]) -> str | None:
    """A list of ids, as JSON, with a placeholder for some."""
    if listed is None:
        return None
    return json.dumps([text.ERASED if item in ids else item for item in json.loads(listed)])


def _enqueue(change: Change, traces: Traces, with_sources: bool) -> None:
    """Ask for what lies elsewhere; the outbox names no statement, only keyed digests of them."""
    digests = [tombstones.digest(change.connection, fingerprint) for fingerprint in sorted(traces.fingerprints)]
    change.enqueue("erase_notes", digests=digests, scopes=sorted(traces.scopes), lines=sorted(traces.lines))
    change.enqueue("memory_md")
    change.enqueue("erase_vectors", ids=list(traces.ids))
    if with_sources:
        for session in sorted({session for session, _ in traces.messages}):
            ids = sorted(number for key, number in traces.messages if key == session)
            change.enqueue("erase_messages", session=session, ids=ids)
    change.enqueue("compact_ledger")


def _said(row: dict[str, Any] | None) -> dict[str, Any]:
    """A row without its NULLs, which an image made before a column was added does not have."""
    return {name: value for name, value in (row or {}).items() if value is not None}


def _column(connection: sqlite3.Connection, query: str, values: dict[str, str]) -> list[str]:
    return [row[0] for row in connection.execute(query, values)]
