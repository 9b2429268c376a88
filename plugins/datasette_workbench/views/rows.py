"""Datasette's page of a row of ``memories``: it goes by ``seq``, and all that points at a memory by its ``id``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasette_workbench.views.common import home_of, operate
from workbench.ledger import read, store

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

    from workbench.home import Home

DATABASE, TABLE = "memory_governance", "memories"


async def by_id(datasette: Datasette, request: Request) -> Response:
    """To the page of the row with this id: where Datasette's links from other tables lead."""
    from datasette.utils.asgi import Response

    number = await operate(_seq, home_of(datasette), request.url_vars["id"])
    address = datasette.urls.row(DATABASE, TABLE, str(number), format=request.url_vars.get("format"))
    return Response.redirect(f"{address}?{request.query_string}" if request.query_string else address)


def _seq(home: Home, memory_id: str) -> int:
    with store.reading(home) as connection:
        return int(read.memory(connection, memory_id)["seq"])


async def links_to(datasette: Datasette, request: Request) -> dict[str, Any]:
    """What Datasette's page of a memory says of rows of other tables, counted by the memory's id."""
    from datasette.views.row import RowView

    query = f"SELECT id FROM {TABLE} WHERE seq = ?"
    row = (await datasette.get_database(DATABASE).execute(query, [request.url_vars["pks"]])).first()
    counted = RowView(datasette).foreign_key_tables(DATABASE, TABLE, [row["id"]] if row else [], actor=request.actor)
    return {"foreign_key_tables": await counted}
