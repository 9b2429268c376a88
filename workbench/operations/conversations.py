"""Looking at conversations: lists, one in full, search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from workbench import guard
from workbench.errors import NotFound
from workbench.home import Home
from workbench.operations.models import Conversation, MessageOut, SessionOut, SessionPage
from workbench.sessions import browse
from workbench.sessions import search as searching
from workbench.sessions.filters import Filter


def list_sessions(home: Home, *, limit: int = 50, offset: int = 0) -> SessionPage:
    """Conversations, the last active first."""
    found = browse.list_sessions(home, limit=limit, offset=offset)
    items = [
        SessionOut(
            key=row["session_key"],
            channel=row["session_key"].partition(":")[0],
            title=_masked(row["title"] or row["preview"]),
            project=_masked(row["project"]),
            created_at=row["date"],
            updated_at=row["last_active"],
            message_count=row["messages"],
        )
        for row in found["results"]
    ]
    return SessionPage(items=items, total=found["total"])


def show(home: Home, key: str, *, limit: int = 500, offset: int = 0) -> Conversation:
    """A conversation named by its key or a unique beginning of it, with ``limit`` messages from ``offset`` on.

    Credentials in it are masked, as wherever a conversation is shown.
    """
    found = browse.show(home, key, limit=limit, offset=offset)
    described = found["session"]
    title, project = _masked(described["title"] or described["preview"]), _masked(described["project"])
    session = SessionOut.model_validate({**described, "title": title, "project": project})
    messages = [
        MessageOut.model_validate(
            guard.mask_all({**row, "tool_calls": orjson.loads(row["tool_calls"]) if row["tool_calls"] else None})
        )
        for row in found["messages"]
    ]
    return Conversation(session=session, messages=messages, total=session.message_count)


def page_of(home: Home, key: str, message_id: int, limit: int) -> int:
    """The offset of the page of ``limit`` messages on which this one stands; 0 when it is not there."""
    if message_id >= 1 << 63:  # more than a row number can be
        return 0
    try:
        return browse.position(home, key, message_id) // limit * limit
    except NotFound:
        return 0


def search(home: Home, query: str, limit: int = 5, roles: Sequence[str] = ("user", "assistant")) -> dict[str, Any]:
    """Conversations in which the words occur, best first (the DISCOVER result).

    :param limit: conversations to return, 1–10.
    :param roles: whose messages are searched: user, assistant, tool.
    """
    return searching.discover(home, query, limit, Filter(roles=roles))


def _masked(text: str | None) -> str | None:
    return guard.mask(text or "") or None
