"""The canonical form of a conversation: the name of its file, and its lines.

First line ``{"_type":"metadata","key",…,"created_at","updated_at","metadata":{…}}``, then one message a line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote, unquote

import orjson

from workbench import files
from workbench.errors import WorkbenchError
from workbench.sessions.importers.lines import clean, read_lines
from workbench.sessions.model import Message, Origin, Role, State
from workbench.text import ERASED

MAX_NAME = 200
# The identity of a summary that was made here begins so.
SUMMARY = "compaction:"
# A canonical line may be longer than the line it was read from: arguments of tools are JSON within JSON.
MAX_LINE = 64 * 1024 * 1024
_MAX_HEADER = 1 << 20
_OWN_LINE = re.compile(rb'\{"id":(\d{1,19}),')
_MAX_ID = (1 << 63) - 1
_ROLES, _ORIGINS, _STATES = (frozenset(get_args(words)) for words in (Role, Origin, State))
_ORDER: tuple[State, ...] = get_args(State)


def name_of(key: str) -> str:
    """The file name (without ``.jsonl``) of a session key: the first ``:`` becomes ``_``, ``_`` in the channel and
    whatever is not in ``[A-Za-z0-9._-]`` is percent-encoded; a name over 200 bytes ends in a hash."""
    channel, colon, chat = key.partition(":")
    name = _quoted(channel).replace("_", "%5F") + ("_" + _quoted(chat) if colon else "")
    if name.startswith("."):
        name = "%2E" + name[1:]
    if name.endswith(".full"):  # that ending marks another kind of file in a Flowly home
        name = name[:-5] + "%2Efull"
    if len(name) > MAX_NAME:
        return hashed_name(name, key)
    return name


def key_of(name: str) -> str:
    """The session key of a file name; for a name with a hash only the metadata knows it."""
    channel, separator, chat = name.partition("_")
    decoded = unquote(channel, errors="surrogatepass")
    return decoded + ":" + unquote(chat, errors="surrogatepass") if separator else decoded


def hashed_name(name: str, key: str) -> str:
    """``name`` cut, with a hash of ``key`` that tells it from others."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{name[: MAX_NAME - 17].rstrip('%')}-{digest}"


def read_header(path: Path) -> dict[str, Any]:
    """The metadata line of a canonical file; empty when it has none."""
    with files.opened(path) as handle:
        line = handle.readline(_MAX_HEADER)
    with suppress(orjson.JSONDecodeError):
        value = orjson.loads(line)
        if isinstance(value, dict) and value.get("_type") == "metadata":
            return value
    return {}


def described(header: dict[str, Any]) -> dict[str, Any]:
    """The inner metadata of a metadata line."""
    found = header.get("metadata")
    return found if isinstance(found, dict) else {}


def encode(message: Message, number: int, marked: State | None = None) -> bytes:
    """One canonical line, with its end.

    :param marked: the state it was given here: it stays, unless its source says one that shows less.
    """
    row: dict[str, Any] = {
        "id": number,
        "identity": message.identity,
        "role": message.role,
        "content": message.content,
        "timestamp": message.timestamp,
        "origin": message.origin,
        "state": message.state if marked is None else less_shown(message.state, marked),
    }
    if message.parent is not None:
        row["parent"] = message.parent
    if message.thinking is not None:
        row["thinking"] = message.thinking
    if message.tool_calls is not None:
        row["tool_calls"] = message.tool_calls
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    if message.name is not None:
        row["name"] = message.name
    if message.model is not None:
        row["model"] = message.model
    if message.usage:
        row["usage"] = message.usage
    if marked is not None:
        row["marked"] = marked
    return dump(row)


def less_shown(one: State, other: State) -> State:
    """Of two states of a message the one in which less of it is shown."""
    return max(one, other, key=_ORDER.index)


def marked(row: dict[str, Any], state: State) -> bytes:
    """The line of a message that is given a state here, which its source does not change back."""
    return dump({**row, "state": less_shown(row["state"], state), "marked": state})


def unmarked(row: dict[str, Any]) -> bytes:
    """The line of a message that was active before it was given a state here, and is again."""
    return dump({name: value for name, value in row.items() if name != "marked"} | {"state": "active"})


def is_summary(row: dict[str, Any]) -> bool:
    """Whether a message is a summary made here of what was said before it."""
    return row["origin"] == "harness" and str(row["identity"]).startswith(SUMMARY)


def erased(row: dict[str, Any]) -> bytes:
    """The line of a message whose text a person had erased; what it answers and when it was said stays."""
    kept = {name: value for name, value in row.items() if name not in ("thinking", "tool_calls")}
    return dump({**kept, "content": ERASED, "erased": True})


def read_messages(path: Path, start: int = 0) -> Iterator[tuple[int, bytes, dict[str, Any] | None]]:
    """(end offset, line, row) for each whole message line from byte ``start`` on; the row is None for a line that is
    no message. A torn last line is left out.

    :raises WorkbenchError: when the file can't be read.
    """
    try:
        with files.opened(path) as handle:
            for offset, line, finished in read_lines(handle, start, limit=MAX_LINE):
                row = parse(line)
                if row is not None and row.get("_type") == "metadata":
                    continue
                if finished or row is not None:
                    yield offset + len(line or b"") + finished, line or b"", row
    except OSError as error:
        raise WorkbenchError(f"cannot read {path}: {error.strerror or error}") from error


def lines_of(path: Path, ids: Collection[int]) -> dict[int, int]:
    """The numbers, from 1 on, of the lines that hold these messages; those that are not in the file are left out.

    Bad and blank lines count as they do for whoever opens the file.
    """
    found: dict[int, int] = {}
    number, whole = 1, True
    with suppress(OSError), files.opened(path) as handle:
        while len(found) < len(ids) and (line := handle.readline(MAX_LINE)):
            if whole and (key := _id_of(line)) in ids and key not in found and parse(line):
                found[key] = number
            whole = line.endswith(b"\n")
            number += whole
    return found


def _id_of(line: bytes) -> int:
    """The id of the message of a line; -1 where it is none. Our own lines begin with it."""
    ours = _OWN_LINE.match(line)
    return int(ours[1]) if ours else (parse(line) or {}).get("id", -1)


def parse(line: bytes | None) -> dict[str, Any] | None:
    """The message or metadata of a canonical line, or None."""
    if line is None:
        return None
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if isinstance(row, dict) and (_is_message(row) or row.get("_type") == "metadata"):
        return row
    return None


def _is_message(row: dict[str, Any]) -> bool:
    number = row.get("id")
    return (
        isinstance(number, int)
        and 0 <= number <= _MAX_ID
        and isinstance(row.get("identity"), str)
        and isinstance(row.get("content"), str)
        and row.get("role") in _ROLES
        and row.get("origin") in _ORIGINS
        and row.get("state") in _STATES
    )


def is_garbage(path: Path) -> bool:
    """Whether a file holds something, and no line of it is metadata or a message.

    :raises WorkbenchError: when the file can't be read.
    """
    if read_header(path) or not path.stat().st_size:
        return False
    return all(row is None for _, _, row in read_messages(path))


def dump(row: dict[str, Any]) -> bytes:
    """A row as one line, with its end."""
    try:
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except (TypeError, ValueError):  # a lone surrogate, an integer over 64 bits
        return orjson.dumps(clean(row), option=orjson.OPT_APPEND_NEWLINE)


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass").replace("~", "%7E")
