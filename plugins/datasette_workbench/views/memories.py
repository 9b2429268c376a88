"""The ledger as pages: the list with its filters, and one memory with all that is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasette_workbench.views.common import answer, choice, home_of, offset_of, operate, pages
from workbench.ledger.model import Authority, Kind, Status

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

PER_PAGE = 50
FILTERS = ("kind", "scope_type", "scope_key", "authority", "q")


async def listing(datasette: Datasette, request: Request) -> Response:
    """Memories by status (active unless said otherwise; ``all`` for every one), kind, scope, authority and words."""
    from workbench.operations import memories

    status = choice(request, "status") or Status.ACTIVE
    found = await operate(
        memories.list_memories,
        home_of(datasette),
        status=None if status == "all" else status,
        kind=choice(request, "kind"),
        scope_type=choice(request, "scope_type"),
        scope_key=choice(request, "scope_key"),
        authority=choice(request, "authority"),
        q=choice(request, "q"),
        limit=PER_PAGE,
        offset=offset_of(request, PER_PAGE),
    )
    chosen = {name: choice(request, name) or "" for name in FILTERS} | {"status": status}
    choices = {"status": [*Status, "all"], "kind": [*Kind], "authority": [*Authority]}
    context = pages(request, PER_PAGE, found.total) | {"chosen": chosen, "choices": choices}
    return await answer(datasette, request, "memories", found, **context)


async def show(datasette: Datasette, request: Request) -> Response:
    """One memory: its fields, evidence, revisions, relations and events."""
    from workbench.operations import memories

    detail = await operate(memories.show, home_of(datasette), request.url_vars["id"])
    return await answer(datasette, request, "memory", detail)
