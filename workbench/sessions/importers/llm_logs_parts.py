"""What both generations of llm's logs share: fragments, attachments, counts of tokens."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, field
from typing import Any

from workbench.sessions import harness
from workbench.sessions.importers import lines
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.values import mark, record, string, tokens
from workbench.sessions.model import Message, Origin


@dataclass(slots=True)
class Log:
    """A database that is being read.

    :param columns: of each of its tables: older ones lack some.
    """

    connection: sqlite3.Connection
    counts: Counts
    columns: dict[str, list[str]]

    def select(self, table: str, names: str, where: str) -> str:
        """A query for those of the columns ``names`` that the table has."""
        wanted = [name for name in names.split() if name in self.columns.get(table, ())]
        return f"SELECT {', '.join(wanted)} FROM {table} WHERE {where}"

    def one(self, sql: str, *values: Json) -> dict[str, Any]:
        """The row that is found, or nothing."""
        try:
            row = self.connection.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            self.counts.quarantine(0, f"unreadable row {values[-1]}: {error}"[:120])
            return {}
        return record(lines.clean(dict(row))) if row else {}

    def all(self, sql: str, *values: Json) -> list[tuple[Any, ...]]:
        """Every row that is found, up to one that can't be read."""
        found = []
        try:
            for row in self.connection.execute(sql, values):
                found.append(tuple(row))
        except sqlite3.Error as error:
            self.counts.quarantine(len(found), f"unreadable row: {error}"[:120])
        return found


@dataclass(slots=True)
class Said:
    """What has been told of a conversation so far.

    :param system: the system prompt that is in force.
    """

    names: set[str] = field(default_factory=set)
    system: str = ""


def spoken(name: str, texts: list[str], fragments: list[str], time: str | None) -> list[Message]:
    """A prompt, and in a message of its own what was put into it from files."""
    text = "".join(texts)
    origin: Origin = "harness" if harness.is_harness(text) else "user"
    made = [Message(name, "user", origin, text, time)] if text.strip() else []
    if fragments:
        made.append(Message(f"{name}#fragments", "user", "harness", "\n\n".join(fragments), time))
    return made


def fragment(log: Log, identity: Json) -> tuple[str, str]:
    """The mark of a fragment, and its text."""
    row = log.one(log.select("fragments", "content source hash", "id = ?"), identity)
    return mark("file", row.get("source") or row.get("hash")), string(row.get("content")) or ""


def attachment(log: Log, identity: Json) -> str:
    """The mark of an attachment."""
    row = log.one(log.select("attachments", "type path url", "id = ?"), identity)
    kind = (string(row.get("type")) or "").split("/")[0]
    name = re.split(r"[/\\]", (string(row.get("path")) or string(row.get("url")) or "").split("?")[0])[-1]
    return mark(kind if kind in ("image", "audio") else "attachment", name or row.get("type"))


def usage(row: dict[str, Any]) -> dict[str, int] | None:
    """The tokens of a call; what else a provider counts has the name that it gave it."""
    details = record(parsed(row.get("token_details")))
    for inner in list(details.values()):
        details |= record(inner)

    def first(*names: str) -> Json:
        return next((details[name] for name in names if name in details), None)

    return tokens(
        input=row.get("input_tokens"),
        output=row.get("output_tokens"),
        cache_read=first("cache_read_input_tokens", "cached_tokens", "cachedContentTokenCount"),
        cache_write=first("cache_creation_input_tokens"),
        reasoning=first("reasoning_tokens", "thoughtsTokenCount"),
    )


def parsed(value: Json) -> Json:
    """The JSON value in a column, if there is one."""
    try:
        return lines.parse(value.encode("utf-8", "replace")) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None
