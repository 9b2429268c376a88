"""Conversations that nothing but their beginning names: which of those that begin alike is the one that was read.

The first one has the name of the beginning; one that parts from it has a name of its own, made of that and of the
message at which it parts. So a conversation is found again by what it says, wherever its file is and in whatever order
files are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from workbench.home import Home
from workbench.sessions import canonical, store, versions
from workbench.sessions.importers import Found
from workbench.sessions.model import Message
from workbench.text import sha256

_NAMESAKE = "namesake_of"


def settle(home: Home, found: Found, before: Collection[str]) -> None:
    """Give the session of ``found`` its key: that of the conversation that it goes on with or repeats; else, where its
    file holds no other, of the one that was read from the file before; else a new one.

    :param before: names of the canonical files that its source gave before.
    """
    if found.again is None:
        return
    session, key, passed = found.session, found.session.key, set[Path]()
    while (path := store.path_of(home, key)).exists():
        passed.add(path)
        parting = _parting(path, found.again())
        if parting is None:
            session.key = key
            return
        channel, _, name = key.partition(":")
        key = f"{channel}:{sha256(chr(31).join((name, parting.role, parting.content)))[:32]}"
    for path in sorted({*passed, *(home.sessions / name for name in before)}) if found.alone else ():
        with suppress(OSError):
            header = canonical.read_header(path)
            told = canonical.described(header)
            if told.get("source") == session.source and session.key in (header.get("key"), told.get(_NAMESAKE)):
                session.key = str(header["key"])
                return
    if key != session.key:
        session.metadata[_NAMESAKE] = session.key
        session.key = key


def is_read_from(home: Home, found: Found, name: str) -> bool:
    """Whether the conversation in the canonical file ``name`` is that of the file of ``found`` alone: it may be that of
    another file that begins alike, as far as both were written."""
    if found.again is None:
        return True
    with suppress(OSError):
        return canonical.described(canonical.read_header(home.sessions / name)).get("source") == found.session.source
    return False


def _parting(path: Path, messages: Iterator[Message]) -> Message | None:
    """The message at which a conversation parts from the one in a canonical file; None where one goes on with, or is,
    the other. The last message of either may be the beginning of the other's."""
    later: dict[str, set[str]] = {}
    for _, _, row in canonical.read_messages(path):
        if row and versions.is_later(row):
            later.setdefault(str(row.get("parent")), set()).add(row["content"])
    rows = (row for _, _, row in canonical.read_messages(path) if row and not _is_ours(row))
    begun: Message | None = None
    for row, message in zip(rows, messages, strict=False):
        if begun is not None:
            return begun
        if row["identity"] != message.identity:
            return message
        texts = {row["content"], *later.get(message.identity, ())}
        if not row.get("erased") and message.content not in texts:
            begun = message
            if not any(_begins(text, message.content) for text in texts):
                return message
    return None


def _is_ours(row: versions.Row) -> bool:
    """Whether a message does not stand in the source."""
    return versions.is_later(row) or canonical.is_summary(row)


def _begins(one: str, other: str) -> bool:
    return one.startswith(other.rstrip()) or other.startswith(one.rstrip())
