"""Looking at conversations: lists, one in full, search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from workbench import guard, text
from workbench.errors import NotFound
from workbench.home import Home
from workbench.operations.models import Conversation, MessageOut, SessionOut, SessionPage
from workbench.sessions import browse, when
from workbench.sessions import search as searching
from workbench.sessions.filters import ANY, Filter


def wanted(
    *,
    roles: Sequence[str] = ANY.roles,
    channels: Sequence[str] = (),
    agent: str | None = None,
    model: str | None = None,
    project: str | None = None,
    tool: str | None = None,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    on: str | None = None,
) -> Filter:
    """What a search may find, in words.

    :param since: a time as ``when.span`` knows it: from its beginning; ``until``: to its end; ``on``: within it.
    :raises BadTime: when one of them is none.
    """
    first, last = when.span(on) if on is not None else (None, None)
    if first is not None and first == last:
        raise when.BadTime(f"{text.quoted(str(on))} is a moment; --on takes a day, a week, a month or a year")
    if since is not None:
        first = when.span(since)[0]
    if until is not None:
        last = when.span(until)[1]
    if first is not None and last is not None and last <= first:
        raise when.BadTime(f"this time ends ({last:%Y-%m-%d %H:%M}) before it begins ({first:%Y-%m-%d %H:%M})")
    return Filter(
        roles=roles,
        channels=channels,
        agent=agent,
        model=model,
        project=project,
        tool=tool,
        session=session,
        since=first.timestamp() if first else None,
        until=last.timestamp() if last else None,
    )


def list_sessions(home: Home, *, limit: int = 50, offset: int = 0, chosen: Filter = ANY) -> SessionPage:
    """Conversations, the last active first."""
    found = browse.list_sessions(home, limit=limit, offset=offset, wanted=chosen)
    items = [
        SessionOut(
            key=row["session_key"],
            channel=row["session_key"].partition(":")[0],
            title=row["title"] or row["preview"] or None,
            project=row["project"],
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
    session = SessionOut.model_validate({**described, "title": described["title"] or described["preview"] or None})
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


def search(home: Home, query: str, limit: int = 5, chosen: Filter = ANY, current: str | None = None) -> dict[str, Any]:
    """Conversations that answer a question, best first (the DISCOVER result).

    :param limit: conversations to return, 1–10.
    :param chosen: which messages may be found; its session may be any unique beginning of a key.
    :param current: the key of the session that asks.
    :raises NotFound: when there is no such session.
    """
    if chosen.session is not None:
        chosen = replace(chosen, session=browse.key_of(home, chosen.session))
    return searching.discover(home, query, limit, chosen, current)


def unknown(home: Home, chosen: Filter) -> list[str]:
    """What a filter names that no conversation has, a line each, with what there is."""
    return browse.unknown(home, chosen)


def scroll(home: Home, key: str, around: str | int, window: int = 5, current: str | None = None) -> dict[str, Any]:
    """The messages around one of a conversation (the SCROLL result)."""
    return browse.scroll(home, key, around, window, current)


def lookup(home: Home, key: str, *, event_id: str | None = None, span: tuple[int, int] | None = None) -> dict[str, Any]:
    """Messages of a conversation by what they are called, or by their places (both included, from 0); without either
    what the person said first."""
    if event_id is not None:
        return browse.by_event(home, key, event_id)
    if span is not None:
        return browse.message_range(home, key, *span)
    return browse.first_user_message(home, key)
