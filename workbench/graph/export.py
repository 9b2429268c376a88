"""The graph as a document of other programs: GraphML, JSON, CSV."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Iterator
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from workbench.graph import queries

Format = Literal["graphml", "json", "csv"]
COLUMNS = (
    *("subject", "predicate", "object", "valid_from", "valid_to", "confidence", "source", "recorded_at"),
    *("memory_id", "batch_id"),
)
_EDGE = ("predicate", "valid_from", "valid_to", "confidence", "source", "recorded_at", "memory_id", "batch_id")


def document(
    connection: sqlite3.Connection, format_: Format, at: str | None = None, *, private: bool = True
) -> tuple[bytes, int, int]:
    """The whole graph, or what holds at an instant, as a document; with how many entities and triples are in it.

    JSON and CSV can be imported again. In GraphML the facts with a text as their object are attributes of nodes.
    """
    facts = queries.everything(connection, at, private=private)
    named = {fact["subject_id"] for fact in facts} | {fact["object_id"] for fact in facts}
    all_ = private and at is None
    entities = [entity for entity in queries.entities(connection) if all_ or entity.id in named]
    if format_ == "csv":
        written = _csv(facts)
    elif format_ == "json":
        aliases = queries.other_names(connection) if all_ else []
        written = _json(entities, facts, aliases)
    else:
        written = "".join(_graphml(entities, facts))
    return written.encode(), len(entities), len(facts)


def _csv(facts: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(COLUMNS)
    lines.writerows([fact[name] for name in COLUMNS] for fact in facts)
    return out.getvalue()


def _json(entities: list[queries.Entity], facts: list[dict[str, Any]], aliases: list[tuple[str, str]]) -> str:
    said: list[dict[str, Any]] = [
        {"name": entity.name, "type": entity.type, "properties": json.loads(entity.properties)} for entity in entities
    ]
    said += [{"name": alias, "stands_for": name} for alias, name in aliases]
    triples = [{name: fact[name] for name in COLUMNS} for fact in facts]
    return json.dumps({"entities": said, "triples": triples}, ensure_ascii=False, indent=1) + "\n"


def attributes(facts: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """What facts with a text as their object say of each entity, by its id; of several values that hold, all."""
    found: dict[str, dict[str, str]] = {}
    for fact in facts:
        if fact["object_id"] is None and fact["current"]:
            said = found.setdefault(fact["subject_id"], {})
            before = said.get(fact["predicate"])
            said[fact["predicate"]] = fact["object"] if before is None else f"{before}; {fact['object']}"
    return found


def _graphml(entities: list[queries.Entity], facts: list[dict[str, Any]]) -> Iterator[str]:
    said = attributes(facts)
    used = sorted({name for each in said.values() for name in each})
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name in ("name", "type", *(f"value.{each}" for each in used)):
        yield _key("node", name)
    for name in _EDGE:
        yield _key("edge", name, "double" if name == "confidence" else "string")
    yield '<graph edgedefault="directed">\n'
    for entity in entities:
        values = {f"value.{name}": value for name, value in said.get(entity.id, {}).items()}
        yield f"<node id={quoteattr(_xml(entity.id))}>"
        yield from _data("node", {"name": entity.name, "type": entity.type, **values})
        yield "</node>\n"
    for fact in facts:
        if fact["object_id"] is not None:
            ends = f"source={quoteattr(_xml(fact['subject_id']))} target={quoteattr(_xml(fact['object_id']))}"
            yield f'<edge id="t_{fact["id"]:016x}" {ends}>'
            yield from _data("edge", {name: fact[name] for name in _EDGE})
            yield "</edge>\n"
    yield "</graph>\n</graphml>\n"


def _key(of: str, name: str, kind: str = "string") -> str:
    return f'<key id={quoteattr(f"{of}.{name}")} for="{of}" attr.name={quoteattr(_xml(name))} attr.type="{kind}"/>\n'


def _data(of: str, values: dict[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if value is not None:
            yield f"<data key={quoteattr(_xml(f'{of}.{name}'))}>{escape(_xml(str(value)))}</data>"


def _xml(said: str) -> str:
    """The text without the characters that XML has no way to write."""
    return said if said.isprintable() else "".join(c if _in_xml(c) else "\ufffd" for c in said)


def _in_xml(character: str) -> bool:
    return character in "\t\n\r" or (character >= " " and character not in "\ufffe\uffff")
