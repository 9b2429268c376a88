"""What every page does: run an operation in a thread, answer as HTML or JSON, carry a notice across a redirect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from urllib.parse import urlencode

from itsdangerous import BadData

from datasette_workbench.instance import Instance, instance_of
from workbench import db
from workbench.errors import NotFound
from workbench.guard import mask_all
from workbench.home import Home
from workbench.text import one_line, quoted

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response
    from pydantic import BaseModel

P = ParamSpec("P")
T = TypeVar("T")

_NOTICE = "workbench-notice"
MAX_QUERY = 1_000


@dataclass(frozen=True)
class Notice:
    """What the last action did, and the change that undoes it.

    :param level: 1 information, 3 error, as Datasette numbers its messages.
    """

    message: str
    change_id: str | None = None
    level: int = 1


def served(datasette: Datasette) -> Instance:
    """The home of this Datasette; the routes exist only where there is one."""
    instance = instance_of(datasette)
    assert instance is not None
    return instance


def home_of(datasette: Datasette) -> Home:
    """The home this Datasette serves."""
    return served(datasette).home


async def operate(operation: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run an operation of the library in a thread, so that other pages are served meanwhile."""
    return await asyncio.to_thread(operation, *args, **kwargs)


async def answer(
    datasette: Datasette, request: Request, template: str, result: BaseModel | dict[str, Any], **context: object
) -> Response:
    """``result`` as a page, or as JSON where the path ends in ``.json``."""
    from datasette.utils.asgi import Response

    if request.url_vars.get("format") == "json":
        return Response.json(mask_all(result if isinstance(result, dict) else result.model_dump(mode="json")))
    context |= {"result": result, "notice": read_notice(datasette, request)}
    body = await datasette.render_template(f"workbench/{template}.html", context, request=request)
    return Response.html(body)


def redirect(datasette: Datasette, path: str, notice: Notice) -> Response:
    """303 to one of our pages, which will show the notice; signed, so that a link can't make one up."""
    from datasette.utils.asgi import Response

    signed = datasette.sign([one_line(notice.message, 300), notice.change_id, notice.level], _NOTICE)
    return Response.redirect(datasette.urls.path(f"{path}?notice={signed}"), status=303)


def read_notice(datasette: Datasette, request: Request) -> Notice | None:
    """The notice this page was redirected with, when it is one of ours."""
    try:
        message, change_id, level = datasette.unsign(request.args.get("notice") or "", _NOTICE)
    except BadData:
        return None
    return Notice(message, change_id, level)


def offset_of(request: Request, limit: int) -> int:
    """Where the page that ``?page=`` names begins.

    :raises BadRequest: when the page is no number from 1 to 100,000.
    """
    from datasette.utils.asgi import BadRequest

    page = request.args.get("page") or "1"
    if not (page.isascii() and page.isdigit() and 0 < int(page[:7]) <= 100_000):
        raise BadRequest("page must be a number from 1 on")
    return (int(page) - 1) * limit


def pages(request: Request, limit: int, total: int) -> dict[str, Any]:
    """What the paging links need: this page's number, the last one's, and the rest of the query string."""
    query = urlencode(_filters(request))
    return {
        "page": int(request.args.get("page") or 1),
        "last_page": max(1, -(-total // limit)),
        "query": query + "&" if query else "",
    }


def past_the_end(request: Request, limit: int, total: int) -> Response | None:
    """A way to the last page for who asks for one behind it; None when the page is there."""
    from datasette.utils.asgi import Response

    last = max(1, -(-total // limit))
    if int(request.args.get("page") or 1) <= last:
        return None
    return Response.redirect("?" + urlencode([*_filters(request), ("page", str(last))]))


def _filters(request: Request) -> list[tuple[str, str]]:
    return [(name, request.args[name]) for name in request.args if name not in ("page", "notice")]


def choice(request: Request, name: str, values: Iterable[str] = ()) -> str | None:
    """A filter of the query string; None when it is absent or empty.

    :param values: where only some words mean something, those.
    :raises BadRequest: when it is none of them.
    """
    from datasette.utils.asgi import BadRequest

    value = (request.args.get(name) or "").strip()[:MAX_QUERY] or None
    known = list(values)
    if value and known and value not in known:
        field = name.partition("_")[0]
        raise BadRequest(f"There is no {field} {quoted(value, 60)}; choose one of {', '.join(known)}.")
    return value


def in_words(error: NotFound, database: Path, words: str) -> NotFound:
    """What a page says of something that is not there; that a whole database is missing is said as it is."""
    return NotFound(words) if db.exists(database) else error


async def posted(request: Request) -> dict[str, str]:
    """The form's fields.

    :raises Base400: 405 when the request is no POST, 400 when its body is no text.
    """
    from datasette.utils.asgi import BadRequest, Base400

    if request.method != "POST":
        wrong = Base400("This address takes a POST from its own page.")
        wrong.status = 405
        raise wrong
    try:
        fields: dict[str, str] = await request.post_vars()
    except UnicodeDecodeError:
        raise BadRequest("the form is not UTF-8 text") from None
    return fields


async def nowhere() -> None:
    """What Datasette would take for the name of a database."""
    raise NotFound("There is no such page.")
