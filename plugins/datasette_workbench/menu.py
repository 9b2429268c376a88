"""The way around: links in Datasette's menu, and how much waits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from datasette_workbench.instance import instance_of
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request


async def links(datasette: Datasette) -> list[dict[str, str]]:
    """The entries of the navigation menu."""
    count = await _waiting(datasette)
    label = f"Memory ({count} waiting)" if count else "Memory"
    paths = {"/-/memory/review": label, "/-/memory": "All memories", "/-/sessions": "Sessions"}
    return [{"href": datasette.urls.path(path), "label": text} for path, text in paths.items()]


async def top_of_home(datasette: Datasette) -> Markup:
    """What waits and where the pages are, for the home page of the tables."""
    anchors = [Markup('<a href="{}">{}</a>').format(link["href"], link["label"]) for link in await links(datasette)]
    return Markup('<p class="wb-top">{}</p>').format(Markup(" · ").join(anchors))


async def template_vars(datasette: Datasette, request: Request | None) -> dict[str, Any]:
    """How much waits (for a signed-in reader), and how a session key is written in an address."""
    from datasette.utils import tilde_encode

    signed_in = request is not None and request.actor is not None
    return {"wb_waiting": await _waiting(datasette) if signed_in else None, "wb_tilde": tilde_encode}


async def _waiting(datasette: Datasette) -> int | None:
    from workbench.operations import review

    instance = instance_of(datasette)
    if instance is None:
        return None
    try:
        return (await asyncio.to_thread(review.inbox, instance.home, limit=1)).total
    except WorkbenchError:
        # A page about something else must not fail because this count can't be had.
        return None
