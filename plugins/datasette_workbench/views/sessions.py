"""Conversations as pages: the list, search, and one conversation as its reader wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasette_workbench.views.common import answer, choice, home_of, offset_of, operate, pages

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

    from workbench.home import Home
    from workbench.operations.models import Conversation

PER_PAGE = 50
MESSAGES_PER_PAGE = 200
SEARCH_RESULTS = 10


async def listing(datasette: Datasette, request: Request) -> Response:
    """All conversations, the last active first; with ``q`` those in which its words occur, best first."""
    from workbench.operations import conversations

    home = home_of(datasette)
    if query := choice(request, "q"):
        found = await operate(conversations.search, home, query, limit=SEARCH_RESULTS)
        return await answer(datasette, request, "search", found, q=query)
    page = await operate(conversations.list_sessions, home, limit=PER_PAGE, offset=offset_of(request, PER_PAGE))
    return await answer(datasette, request, "sessions", page, **pages(request, PER_PAGE, page.total))


async def show(datasette: Datasette, request: Request) -> Response:
    """One conversation; ``?message=ID`` opens the page on which that message stands."""
    from datasette.utils import tilde_decode

    key = tilde_decode(request.url_vars["key"])
    offset = offset_of(request, MESSAGES_PER_PAGE)
    wanted = choice(request, "message")
    conversation, offset = await operate(_page_of, home_of(datasette), key, wanted, offset)
    context = pages(request, MESSAGES_PER_PAGE, conversation.total)
    context |= {"page": offset // MESSAGES_PER_PAGE + 1, "wanted": wanted, "query": ""}
    return await answer(datasette, request, "session", conversation, **context)


def _page_of(home: Home, key: str, wanted: str | None, offset: int) -> tuple[Conversation, int]:
    from workbench.operations import conversations

    first = conversations.show(home, key, limit=MESSAGES_PER_PAGE, offset=offset)
    if wanted is None or not wanted.isdigit():
        return first, offset
    for start in range(0, first.total, MESSAGES_PER_PAGE):
        page = conversations.show(home, key, limit=MESSAGES_PER_PAGE, offset=start)
        if any(message.id == int(wanted) for message in page.messages):
            return page, start
    return first, offset
