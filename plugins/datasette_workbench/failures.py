"""Every failure as one clear line with the right status; no traceback reaches a page or the terminal."""

from __future__ import annotations

import logging
import re
import sqlite3
from typing import TYPE_CHECKING

from datasette_workbench.instance import instance_of
from workbench import db
from workbench.errors import (
    Busy,
    Corrupt,
    NotFound,
    ReadOnly,
    SchemaMismatch,
    StorageFull,
    Unreachable,
    WorkbenchError,
)

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

RETRY_AFTER = {"Retry-After": "2"}
_BUSY = "The database is busy with another write; nothing is damaged, try again in a moment."
_UNEXPECTED = "Something went wrong here; nothing was changed. The server's log says more."
_DAMAGED = "A database is damaged; it is kept as it is: restore a backup or run `workbench rebuild`."
_OURS = re.compile(r"/-/(memory|sessions)(?=[/.]|$)")
_log = logging.getLogger("datasette_workbench")


def status_of(error: WorkbenchError) -> int:
    """The HTTP status that says the same as this error."""
    if isinstance(error, NotFound):
        return 404
    if isinstance(error, Busy | StorageFull | ReadOnly | Unreachable):
        return 503
    if isinstance(error, Corrupt | SchemaMismatch):
        return 500
    return 409


def is_lock(exception: BaseException) -> bool:
    """Whether SQLite, or our own file lock, was held by somebody else for too long."""
    if isinstance(exception, Busy):
        return True
    code = getattr(exception, "sqlite_errorcode", None)
    if isinstance(exception, sqlite3.OperationalError) and code is not None:
        return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return False


def is_damage(exception: BaseException) -> bool:
    """Whether SQLite found that a file is no sound database."""
    code = getattr(exception, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


async def respond(datasette: Datasette, request: Request, exception: Exception) -> Response:
    """The answer to an exception of a page, as HTML or JSON by the request's path."""
    status, message, title = describe(exception)
    if isinstance(exception, NotFound) and _lacks_a_database(datasette):
        status = 503
    headers = dict(RETRY_AFTER) if status == 503 else {}
    return await page(datasette, request, status, message, title=title, headers=headers)


async def page(
    datasette: Datasette,
    request: Request,
    status: int,
    message: str,
    *,
    title: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """One line of error in our frame or Datasette's, or as its JSON or plain text."""
    from datasette.utils import error_body
    from datasette.utils.asgi import Response

    path = request.path.partition("?")[0]
    if path.endswith(".json") or wants_json(request):
        return Response.json(error_body(message, status), status=status, headers=headers)
    if path.endswith(".csv"):
        return Response.text(message, status=status, headers=headers)
    context = {"title": title or f"Error {status}", "error": message, "status": status}
    ours = _OURS.search(path)
    if ours and request.actor:
        context |= {"title": title, "section": {"memory": "memories"}.get(ours[1], ours[1])}
        body = await datasette.render_template("workbench/error.html", context, request=request)
    else:
        body = await datasette.render_template([f"{status}.html", "error.html"], context, request=request)
    return Response.html(body, status=status, headers=headers)


def wants_json(request: Request) -> bool:
    """Whether a program asks, or speaks, in JSON."""
    asks = "application/json" in (request.headers.get("accept") or "")
    return asks or request.headers.get("content-type") == "application/json"


def describe(exception: Exception) -> tuple[int, str, str | None]:
    """Status, one line, and a title where there is one; what nobody foresaw is logged in one line, without its data."""
    from datasette.utils.asgi import Base400
    from datasette.views.base import DatasetteError

    if is_lock(exception):
        return 503, _BUSY, "Busy"
    if isinstance(exception, WorkbenchError):
        return status_of(exception), str(exception), None
    if is_damage(exception):
        return 500, _DAMAGED, "Damaged"
    if isinstance(exception, Base400):
        return exception.status, _argument(exception), None
    if isinstance(exception, DatasetteError):
        # Some of Datasette's messages are HTML with an inline script; each has a plain form.
        return exception.status, str(exception.plain_message or exception.message), exception.title
    frame = _last_frame(exception)
    _log.error("%s in %s: %s", type(exception).__name__, frame, exception)
    _log.debug("traceback", exc_info=exception)
    return 500, _UNEXPECTED, None


def _lacks_a_database(datasette: Datasette) -> bool:
    instance = instance_of(datasette)
    return instance is not None and not all(
        db.exists(path) for path in (instance.home.ledger, instance.home.session_index)
    )


def _argument(exception: Exception) -> str:
    return str(exception.args[0]) if exception.args else type(exception).__name__


def _last_frame(exception: BaseException) -> str:
    trace = exception.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "unknown place"
