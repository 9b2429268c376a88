"""What waits for the person, and the person's verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasette_workbench.views.common import Notice, answer, home_of, offset_of, operate, pages, posted, redirect
from workbench.errors import NotFound, WorkbenchError
from workbench.ledger.lifecycle import NeedsConfirmation
from workbench.ledger.model import PERSON

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

    from workbench.home import Home
    from workbench.operations.models import Ruling

PER_PAGE = 25
_PAGE = "/-/memory/review"
_LOCKED = "This would replace a memory that you locked: tick the box that says so, and accept again."
_BACK = {"review": _PAGE, "memory": "/-/memory/{id}"}


async def inbox(datasette: Datasette, request: Request) -> Response:
    """Each waiting memory with its reason, its sources and what it conflicts with."""
    from workbench.operations import review

    waiting = await operate(review.inbox, home_of(datasette), limit=PER_PAGE, offset=offset_of(request, PER_PAGE))
    return await answer(datasette, request, "review", waiting, **pages(request, PER_PAGE, waiting.total))


async def rule(datasette: Datasette, request: Request) -> Response:
    """POST: accept, reject or correct one memory, then back to the page with a notice."""
    fields = await posted(request)
    memory_id = request.url_vars["id"]
    try:
        ruling = await operate(_ruling, home_of(datasette), request.url_vars["verdict"], memory_id, fields)
    except NotFound:
        raise
    except NeedsConfirmation:
        return redirect(datasette, _back(fields, memory_id), Notice(_LOCKED, level=3))
    except WorkbenchError as error:
        return redirect(datasette, _back(fields, memory_id), Notice(str(error), level=3))
    return redirect(datasette, _back(fields, ruling.memory.id), Notice(ruling.message, ruling.change_id))


async def undo(datasette: Datasette, request: Request) -> Response:
    """POST: take one change back."""
    from workbench.operations import rulings

    fields = await posted(request)
    try:
        undone = await operate(rulings.undo, home_of(datasette), PERSON, change_id=fields.get("change", ""))
    except NotFound:
        raise
    except WorkbenchError as error:
        return redirect(datasette, _PAGE, Notice(str(error), level=3))
    return redirect(datasette, _PAGE, Notice(undone.message))


def _ruling(home: Home, verdict: str, memory_id: str, fields: dict[str, str]) -> Ruling:
    from workbench.operations import rulings

    if verdict == "accept":
        return rulings.accept(home, PERSON, memory_id, confirm_locked="confirm_locked" in fields)
    if verdict == "reject":
        return rulings.reject(home, PERSON, memory_id, fields.get("reason", "").strip() or None)
    content = fields.get("content", "").replace("\r\n", "\n").strip()
    return rulings.correct(home, PERSON, memory_id, content, confirm_locked="confirm_locked" in fields)


def _back(fields: dict[str, str], memory_id: str) -> str:
    return _BACK.get(fields.get("back", ""), _PAGE).format(id=memory_id)
