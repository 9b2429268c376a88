"""Reading on in a source that has grown: from where reading ended, at a cost that does not follow what was read.

What is cheap is looked at each time: the ends of the part that was read, and samples of it. When the source rests, all
of it is looked at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from workbench import db, files
from workbench.home import Home
from workbench.sessions import importers, index, prefix, store
from workbench.sessions.importers import Found, Growth, NotGrown
from workbench.sessions.importers.lines import Counts, ends_whole
from workbench.sessions.importers.readable import encoding_of
from workbench.sessions.merging import Merged
from workbench.sessions.model import Message, message_id
from workbench.sessions.sources import SourceState


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of what was read of a source of one conversation.

    :param end: in bytes.
    :param mark: of the part before it (``prefix.mark_of``).
    :param key: of the conversation.
    :param state: what its importer has to know.
    :param grown: whether something was read on since the source was looked at whole.
    """

    end: int
    mark: int
    key: str
    state: dict[str, Any]
    grown: bool = False

    @property
    def unsettled(self) -> bool:
        """Whether the source must be read whole when it rests."""
        return bool(self.state.get("unsettled"))

    def dump(self) -> str:
        """As JSON."""
        return orjson.dumps(asdict(self)).decode()


def tail_of(text: str | None) -> Tail | None:
    """The tail that is remembered of a source."""
    return Tail(**orjson.loads(text)) if text else None


def after(path: Path, found: Found, grown: bool = False) -> Tail | None:
    """The tail of a source whose one conversation was consumed; None where it can't be read on."""
    if found.end is None or (state := found.state()) is None or not ends_whole(path, found.end):
        return None
    with files.opened(path) as handle:
        if encoding_of(handle.read(4)):  # what is given is not what is there, byte by byte
            return None
    return Tail(found.end, prefix.mark_of(path, found.end), found.session.key, state, grown)


def read_on(home: Home, path: Path, old: SourceState, counts: Counts) -> tuple[Merged, SourceState] | None:
    """Take what is new in a source into its conversation.

    :param counts: of the lines that are new.
    :returns: what was done, and the source as it was read now; None, and nothing is done, when it must be read whole.
    :raises WorkbenchError: when the source can't be read, or the conversation can't be written.
    """
    tail, importer = tail_of(old.tail), importers.registry().get(old.format)
    if tail is None or importer is None or importer.grown is None or prefix.mark_of(path, tail.end) != tail.mark:
        return None
    mtime_ns = path.stat().st_mtime_ns
    with db.read(home.session_index, index.SCHEMA) as connection:
        stamp = _stamp(connection, tail.key)
        if stamp is None:
            return None
        told = _Told(connection, tail.key)
        try:
            found = importer.grown(path, counts, Growth(tail.end, tail.key, tail.state, told.holds))
            merged = store.append(home, found.session, told.new(found.messages), stamp)
        except NotGrown:
            return None
    if merged is None or found.end is None:
        return None
    now = after(path, found, grown=True)
    state = replace(
        old,
        size=found.end,
        mtime_ns=mtime_ns,
        prefix_hash=prefix.sum_of(path, found.end, tail.end, old.prefix_hash),
        messages=old.messages + merged.new,
        read=old.read + counts.read,
        kept=old.kept + counts.kept,
        skipped=old.skipped + counts.skipped,
        quarantined=old.quarantined + counts.quarantined,
        settled=0,
        tail=now.dump() if now else None,
    )
    return merged, state


def _stamp(connection: sqlite3.Connection, key: str) -> tuple[int, int, int] | None:
    """The canonical file of a conversation that is indexed to its end."""
    row = connection.execute(
        "SELECT file_size, file_mtime_ns, file_inode FROM sessions WHERE key = ? AND indexed_bytes = file_size", (key,)
    ).fetchone()
    return tuple(row) if row else None


class _Told:
    """What a conversation holds already, by the index."""

    def __init__(self, connection: sqlite3.Connection, key: str) -> None:
        self._connection, self._key = connection, key

    def holds(self, identity: str) -> bool:
        """Whether it holds a message of this identity."""
        number = message_id(self._key, identity)
        return self._connection.execute("SELECT 1 FROM messages WHERE id = ?", (number,)).fetchone() is not None

    def new(self, messages: Iterator[Message]) -> Iterator[Message]:
        """The messages, none of which it holds.

        :raises NotGrown: when it holds one.
        """
        for message in messages:
            if self.holds(message.identity):
                raise NotGrown
            yield message
