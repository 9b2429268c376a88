"""The Datasette plugin: pages for the work, and a guard around everything Datasette serves of a home.

Hooks only, in the order Datasette calls them; each does nothing in a Datasette that serves no home.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any

from datasette import hookimpl

from datasette_workbench.instance import instance_of

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.permissions import PermissionSQL
    from datasette.utils.asgi import Request, Response
    from jinja2 import Environment

    from datasette_workbench.security import App

_DISTRIBUTION = "memory-workbench"


@hookimpl
def prepare_jinja2_environment(env: Environment, datasette: Datasette) -> None:
    """Nonces in template source, and filters that make stored text fit to show."""
    if instance_of(datasette):
        from datasette_workbench import nonces, render

        nonces.install(env)
        render.register(env)


@hookimpl
def prepare_connection(conn: sqlite3.Connection, datasette: Datasette) -> None:
    """Connections that can't write."""
    if instance_of(datasette):
        from datasette_workbench import permissions

        permissions.harden(conn)


@hookimpl
def register_routes(datasette: Datasette) -> list[tuple[str, Callable[..., Awaitable[Any]]]]:
    """The pages."""
    if instance_of(datasette) is None:
        return []
    from datasette_workbench.views import ROUTES

    return list(ROUTES)


@hookimpl(trylast=True)
def asgi_wrapper(datasette: Datasette) -> Callable[[App], App]:
    """The guard; last in line, and so the outermost."""

    def wrap(app: App) -> App:
        from datasette_workbench.security import Guard

        instance = instance_of(datasette)
        return app if instance is None else Guard(app, datasette, instance)

    return wrap


@hookimpl
def permission_resources_sql(datasette: Datasette, action: str) -> PermissionSQL | None:
    """No action but reading, for anybody."""
    if instance_of(datasette) is None:
        return None
    from datasette_workbench import permissions

    return permissions.nothing_but_reading(action)


@hookimpl
def extra_css_urls(datasette: Datasette) -> list[str]:
    """One style sheet, for Datasette's pages too: they turn dark with ours."""
    return [datasette.static("workbench.css", plugin=_DISTRIBUTION)] if instance_of(datasette) else []


@hookimpl
def extra_js_urls(datasette: Datasette) -> list[str]:
    """One script, for what Datasette's pages do in a way our policy does not run."""
    return [datasette.static("workbench.js", plugin=_DISTRIBUTION)] if instance_of(datasette) else []


@hookimpl
def extra_template_vars(
    datasette: Datasette, template: str, request: Request | None, table: str | None, view_name: str | None
) -> Callable[[], Awaitable[dict[str, Any]]] | None:
    """What our own templates need beside the result they show; and on the page of a memory's row what points at it."""
    ours = template.startswith("workbench/")
    if instance_of(datasette) is None or not (ours or (view_name, table) == ("row", "memories")):
        return None

    async def inner() -> dict[str, Any]:
        from datasette_workbench import menu
        from datasette_workbench.views import rows

        if request is None or ours:
            return await menu.template_vars(datasette, request)
        return await rows.links_to(datasette, request)

    return inner


@hookimpl
def render_cell(datasette: Datasette, value: object) -> str | None:
    """Datasette's tables show stored text as our pages do: masked, nothing invisible."""
    if instance_of(datasette) is None or not isinstance(value, str):
        return None
    from datasette_workbench import render

    return render.cell(value)


@hookimpl
def menu_links(
    datasette: Datasette, actor: dict[str, Any] | None
) -> Callable[[], Awaitable[list[dict[str, str]]]] | None:
    """The ways from Datasette's pages to ours."""
    if instance_of(datasette) is None or actor is None:
        return None

    async def inner() -> list[dict[str, str]]:
        from datasette_workbench import menu

        return await menu.links(datasette)

    return inner


@hookimpl
def top_homepage(datasette: Datasette) -> Callable[[], Awaitable[str]] | None:
    """The first thing to do, above the list of tables."""
    if instance_of(datasette) is None:
        return None

    async def inner() -> str:
        from datasette_workbench import menu

        return await menu.top_of_home(datasette)

    return inner


@hookimpl(wrapper=True)
def handle_exception(
    datasette: Datasette, request: Request, exception: Exception
) -> Generator[None, list[Any], list[Any]]:
    """Ours alone: Datasette's own handler would print tracebacks, with variables, on the terminal."""
    others = yield
    if instance_of(datasette) is None:
        return others

    async def inner() -> Response:
        from datasette_workbench import failures

        return await failures.respond(datasette, request, exception)

    return [inner]
