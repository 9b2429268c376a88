"""Conversations as pages: the list, search, and one conversation as its reader wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasette_workbench.views.common import answer, choice, home_of, in_words, offset_of, operate, pages, past_the_end
from workbench.errors import NotFound
from workbench.text import quoted

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

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
    if elsewhere := past_the_end(request, PER_PAGE, page.total):
        return elsewhere
    return await answer(datasette, request, "sessions", page, **pages(request, PER_PAGE, page.total))


async def show(datasette: Datasette, request: Request) -> Response:
    """One conversation; ``?message=ID`` opens the page on which that message stands."""
    from datasette.utils import tilde_decode

    from workbench.operations import conversations

    home, key = home_of(datasette), tilde_decode(request.url_vars["key"])
    offset = offset_of(request, MESSAGES_PER_PAGE)
    wanted = choice(request, "message")
    if wanted and wanted.isascii() and wanted.isdigit():
        offset = await operate(conversations.page_of, home, key, int(wanted), MESSAGES_PER_PAGE)
    try:
        conversation = await operate(conversations.show, home, key, limit=MESSAGES_PER_PAGE, offset=offset)
    except NotFound as error:
        raise in_words(error, home.session_index, f"There is no conversation {quoted(key, 160)}.") from None
    elsewhere = past_the_end(request, MESSAGES_PER_PAGE, conversation.total)
    if elsewhere and not wanted:
        return elsewhere
    context = pages(request, MESSAGES_PER_PAGE, conversation.total)
    context |= {"page": offset // MESSAGES_PER_PAGE + 1, "wanted": wanted, "query": ""}
    return await answer(datasette, request, "session", conversation, **context)
