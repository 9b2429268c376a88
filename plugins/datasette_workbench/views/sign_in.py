"""Signing in with the one-time code that `workbench open` prints, and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasette_workbench import identity
from datasette_workbench.security import SIGN_IN, cookies_of
from datasette_workbench.views.common import operate, posted, served
from workbench import access

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

_FIRST_PAGE = "/-/memory/review"
_BAD_CODE = "This code is not valid: each works once, for 10 minutes. Run `workbench open` for a new one."


async def sign_in(datasette: Datasette, request: Request) -> Response:
    """GET: the form. POST: a code for a session, or the form again with the reason."""
    from datasette.utils.asgi import Response

    if request.method != "POST":
        return await _form(datasette, request, request.args.get("next") or "", error=None)
    fields = await posted(request)
    instance = served(datasette)
    if not await operate(access.redeem, instance.home, fields.get("code", "").strip()):
        return await _form(datasette, request, fields.get("next", ""), error=_BAD_CODE)
    session = await operate(access.start_session, instance.home)
    response = Response.redirect(datasette.urls.path(_own_path(fields.get("next", ""))), status=303)
    secure = instance.origins.get(request.host.lower(), "").startswith("https:")
    identity.set_cookie(datasette, instance, response, session, secure=secure)
    return response


async def sign_out(datasette: Datasette, request: Request) -> Response:
    """POST: end this browser's session, here and in the browser."""
    from datasette.utils.asgi import Response

    await posted(request)
    instance = served(datasette)
    session = identity.session_of(datasette, instance, cookies_of(request.scope))
    if session is not None:
        await operate(access.end_session, instance.home, session)
    response = Response.redirect(datasette.urls.path(SIGN_IN), status=303)
    identity.clear_cookie(datasette, instance, response)
    return response


async def _form(datasette: Datasette, request: Request, target: str, error: str | None) -> Response:
    from datasette.utils.asgi import Response

    context = {"next": _own_path(target) if target else "", "error": error}
    body = await datasette.render_template("workbench/sign_in.html", context, request=request)
    return Response.html(body, status=403 if error else 200)


def _own_path(target: str) -> str:
    """``target`` when it is a path of this server, else the first page: no link can send the person elsewhere."""
    plain = target.isprintable() and target.isascii() and "\\" not in target
    return target if plain and target.startswith("/") and not target.startswith("//") else _FIRST_PAGE
