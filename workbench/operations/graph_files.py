"""Files of facts as they are read: our own JSON, CSV, and the graph of a Flowly."""

from __future__ import annotations

import csv
import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from workbench import db, foreign_db, guard, text
from workbench.errors import WorkbenchError
from workbench.graph import names
from workbench.graph.batches import Named, Row
from workbench.ledger import time as times

FLOWLY = "flowly"
# A larger document is no list of facts that one import should bring.
MAX_BYTES = 2 * 1024 * 1024 * 1024
_SCANNED_AT_ONCE = 1_000
_COLUMNS = ("subject", "predicate", "object")
_TYPES = frozenset(names.TYPES) - {names.UNKNOWN}
_END_OF_TIME = "9999"
_SQLITE = b"SQLite format 3\x00"


@dataclass
class Read:
    """What a file holds, and what of it can't come in.

    :param left_out: why, and how many.
    :param lossy: values of which the source kept a normal form only, such as ``senior_engineer``.
    """

    format: str
    entities: list[Named] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    lossy: list[str] = field(default_factory=list)


def read(path: Path, values: frozenset[str]) -> Read:
    """Read a file of facts; what can't be one is left out, and counted.

    :param values: predicates whose objects are values.
    :raises WorkbenchError: when it is of no known format.
    """
    if not path.is_file():
        raise WorkbenchError(f"there is no file {path}")
    if path.stat().st_size > MAX_BYTES:
        raise WorkbenchError(f"{path} is over {MAX_BYTES // 1024**3} GiB; split it")
    with path.open("rb") as file:
        begins = file.read(1024)
    if begins.startswith(_SQLITE):
        found = _flowly(path, values)
    elif begins.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        found = _json(path)
    else:
        found = _csv(path)
    found.rows = _without_secrets(found)
    return found


def _csv(path: Path) -> Read:
    found = Read("csv")
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = csv.reader(file)
        header = next(lines, [])
        missing = [name for name in _COLUMNS if name not in header]
        if missing:
            raise WorkbenchError(
                f"{path} is no file of facts: its first line names no column {', '.join(missing)};"
                " JSON and the graph of a Flowly are read, too"
            )
        try:
            _fill(found, (dict(zip(header, line, strict=False)) for line in lines if line))
        except csv.Error as error:
            raise WorkbenchError(f"{path}, line {lines.line_num}: {error}; nothing was imported") from error
    return found


def _json(path: Path) -> Read:
    found = Read("json")
    try:
        document = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise WorkbenchError(f"{path} is no JSON: {error}; nothing was imported") from None
    entities, triples = ([], document) if isinstance(document, list) else _parts(document)
    if not isinstance(entities, list) or not isinstance(triples, list):
        raise WorkbenchError(f'{path} is no file of facts: it has no list "triples"; nothing was imported')
    for given in entities:
        _name(found, given)
    _fill(found, triples)
    return found


def _parts(document: dict[str, Any]) -> tuple[Any, Any]:
    return document.get("entities", []), document.get("triples")


def _name(found: Read, given: Any) -> None:  # noqa: ANN401 - JSON
    name = given.get("name") if isinstance(given, dict) else None
    if not isinstance(name, str) or not _is_name(name):
        found.left_out["an entity without a name"] += 1
        return
    properties, target = given.get("properties") or {}, given.get("stands_for")
    packed = json.dumps(properties if isinstance(properties, dict) else {}, ensure_ascii=False, sort_keys=True)
    if guard.mask(f"{name}\n{packed}") != f"{name}\n{packed}":
        found.left_out["an entity that holds a credential"] += 1
        return
    kind = given.get("type")
    stands_for = target if isinstance(target, str) and _is_name(target) else None
    found.entities.append(Named(name, kind if kind in names.TYPES else names.UNKNOWN, packed, stands_for))


def _fill(found: Read, given: Iterable[Any]) -> None:
    """Facts from mappings with our names of columns."""
    types: dict[str, str] = {}
    for each in given:
        if not isinstance(each, dict):
            found.left_out["no object with a subject, a predicate and an object"] += 1
            continue
        try:
            found.rows.append(_row(each))
        except (WorkbenchError, KeyError, ValueError, TypeError) as error:
            found.left_out[_why(error)] += 1
        if "subject_type" in each or "object_type" in each:
            for role in ("subject", "object"):
                kind, name = each.get(f"{role}_type"), each.get(role)
                if kind in _TYPES and isinstance(name, str):
                    types.setdefault(name, kind)
    known = {entity.name for entity in found.entities}
    found.entities += [Named(name, kind) for name, kind in types.items() if name not in known and _is_name(name)]


def _why(error: Exception) -> str:
    """Why a fact is left out, in words that many of them share."""
    if isinstance(error, KeyError):
        return f"no {error.args[0]}"
    return text.one_line(str(error), 120) if isinstance(error, WorkbenchError) else "a field of a type no field has"


def _row(given: Mapping[str, Any]) -> Row:
    subject, predicate, object_ = _clean(given["subject"]), _predicate(given["predicate"]), given["object"]
    if subject is None or not _is_name(subject):
        raise WorkbenchError("a subject that is no name")
    cleaned = _clean(object_)
    if not cleaned or len(cleaned) > names.MAX_VALUE:
        raise WorkbenchError("an object that is empty, or too long")
    begins, ends = _instant(given.get("valid_from")), _end(given.get("valid_to"))
    if begins is not None and ends is not None and ends <= begins:
        raise WorkbenchError("it ends before it begins")
    confidence, source = given.get("confidence"), given.get("source")
    recorded = given.get("recorded_at") or given.get("extracted_at")
    return Row(
        subject,
        predicate,
        cleaned,
        begins,
        ends,
        _confidence(confidence) if confidence not in (None, "") else None,
        text.one_line(source, 128) if isinstance(source, str) and source else None,
        _recorded(recorded) if recorded else None,
    )


def _confidence(given: Any) -> float:  # noqa: ANN401 - JSON
    confidence = float(given)
    if not (math.isfinite(confidence) and 0 <= confidence <= 1):
        raise WorkbenchError("a confidence that is no number from 0 to 1")
    return confidence


def _clean(name: Any) -> str | None:  # noqa: ANN401 - JSON
    return text.storable(name).strip() if isinstance(name, str) else None


def _is_name(name: str) -> bool:
    if not name or len(name) > names.MAX_NAME:
        return False
    return name[0].isalnum() or bool(names.entity_id(name))


@lru_cache(maxsize=4096)
def _predicate(name: str) -> str:
    predicate = names.predicate_name(name)
    if predicate in names.RESERVED:
        raise WorkbenchError(f"{predicate} is no fact")
    return predicate


@lru_cache(maxsize=65536)
def _instant(given: str | None) -> str | None:
    return times.instant(given) if given else None


@lru_cache(maxsize=65536)
def _end(given: str | None) -> str | None:
    return times.end(given) if given and not given.startswith(_END_OF_TIME) else None


@lru_cache(maxsize=65536)
def _recorded(given: str) -> str | None:
    return times.observed(given)


def _without_secrets(found: Read) -> list[Row]:
    """The rows that hold no credential; they are scanned many at once, and one by one where something is found."""
    kept: list[Row] = []
    rows = iter(found.rows)
    while part := list(islice(rows, _SCANNED_AT_ONCE)):
        said = "\n".join(map(_said, part))
        if guard.mask(said) == said:
            kept += part
            continue
        # A credential may have been seen across two of them only.
        clean = [row for row in part if guard.mask(_said(row)) == _said(row)]
        if len(clean) < len(part):
            found.left_out["a fact that holds a credential"] += len(part) - len(clean)
        kept += clean
    return kept


_phrase = lru_cache(maxsize=4096)(names.phrase)


def _said(row: Row) -> str:
    return f"{row.subject} {_phrase(row.predicate)}: {row.object} {row.source or ''}"


def _flowly(path: Path, values: frozenset[str]) -> Read:
    """The graph of a Flowly. Its ids are normal forms of names: a value is one, too, and lost how it was written."""
    found = Read(FLOWLY)
    with foreign_db.read(path) as connection:
        if db.is_ours(connection):
            raise WorkbenchError(f"{path} is a graph of this program; `workbench graph export` writes what comes in")
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"entities", "triples"} <= tables:
            raise WorkbenchError(f"{path} is no graph of a Flowly: it has no table triples; nothing was imported")
        known: dict[str, str] = {}
        for row in _table(connection, "entities"):
            known[str(row["id"])] = str(row["name"])
            _name(found, row | {"properties": _properties(row.get("properties"))})
        lossy: dict[str, None] = {}
        facts: list[dict[str, Any]] = []
        for row in _table(connection, "triples"):
            predicate, object_ = str(row["predicate"]), str(row["object"])
            if predicate in values and known.get(object_, object_) == object_ and "_" in object_:
                lossy[object_] = None
            facts.append(row | {"subject": _known(known, row["subject"]), "object": _known(known, object_)})
        _fill(found, facts)
        if "aliases" in tables:
            for row in _table(connection, "aliases"):
                target = _known(known, row["canonical_id"])
                _name(found, {"name": str(row["alias"]), "stands_for": target})
    used = {row.object for row in found.rows if row.predicate in values}
    # A value has a row among the entities there; here it is none.
    others = {row.subject for row in found.rows} | {row.object for row in found.rows if row.predicate not in values}
    found.entities = [each for each in found.entities if each.name not in used or each.name in others]
    found.lossy = list(lossy)
    return found


def _known(known: Mapping[str, str], key: Any) -> str:  # noqa: ANN401 - a column
    return known.get(str(key), str(key))


def _table(connection: sqlite3.Connection, name: str) -> Iterator[dict[str, Any]]:
    for row in connection.execute(f"SELECT * FROM {name} ORDER BY rowid"):
        yield dict(zip(row.keys(), row, strict=True))


def _properties(stored: Any) -> dict[str, Any]:  # noqa: ANN401 - a column
    try:
        found = json.loads(stored)
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
