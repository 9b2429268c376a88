"""Values as exports hold them: texts that may be anything, times that may be numbers, marks for what is no text, counts
of tokens, rows of a database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import orjson

from workbench.sessions import times
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.model import Session
from workbench.text import one_line

_MAX_NAME = 160
_MILLISECONDS = 10**11  # as seconds that is the year 5138


def string(value: Json) -> str | None:
    """``value`` if it is a text with something in it."""
    return value if isinstance(value, str) and value.strip() else None


def record(value: Json) -> dict[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Json) -> list[Any]:
    """``value`` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def moment(value: Json) -> str | None:
    """A time as ISO 8601: texts as they are, numbers (seconds or milliseconds since 1970, also as text) in UTC."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str) and value[4:5] == "-":
        return value
    try:
        number = float(value)
    except ValueError:
        return string(value)
    try:
        seconds = number / 1000 if abs(number) >= _MILLISECONDS else number
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S.%fZ}" if number else None
    except (ValueError, OverflowError, OSError):  # not a number, or no year of ours
        return None


def mark(kind: str, name: Json = None) -> str:
    """What stands in a text for something that is none: ``[image: cat.png]``."""
    if name := string(name):
        return f"[{kind}: {one_line(name.replace('[', '(').replace(']', ')'), _MAX_NAME)}]"
    return f"[{kind}]"


def dumps(value: Json) -> str:
    """``value`` as JSON; a text as it is, for it mostly is JSON already."""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # lone surrogates, integers over 64 bits
        return json.dumps(value)


def call(identity: Json, name: Json, arguments: Json) -> dict[str, Any]:
    """A call of a tool."""
    function = {"name": string(name) or "", "arguments": dumps({} if arguments is None else arguments)}
    return {"id": string(identity) or "", "type": "function", "function": function}


def tokens(**counts: Json) -> dict[str, int] | None:
    """Those of the counts that are whole numbers over 0; None where there is none."""
    found = {name: n for name, n in counts.items() if isinstance(n, int) and not isinstance(n, bool) and n > 0}
    return found or None


def widen(session: Session, time: Json) -> None:
    """Let the times of ``session`` include ``time``, when that is one."""
    if time:
        session.created_at = times.earliest(session.created_at, time)
        session.updated_at = times.latest(session.updated_at, time)


def rows_of(
    connection: sqlite3.Connection, sql: str, keys: Iterable[tuple[Any, ...]], counts: Counts
) -> Iterator[tuple[tuple[Any, ...], sqlite3.Row]]:
    """The row that ``sql`` finds for each of the keys; one that can't be read (a value over 4 MB, a damaged page) is
    quarantined."""
    for place, key in enumerate(keys):
        try:
            row = connection.execute(sql, key).fetchone()
        except sqlite3.Error as error:
            counts.quarantine(place, f"unreadable row {key[-1]}: {error}"[:120])
            continue
        if row is not None:
            yield key, row
