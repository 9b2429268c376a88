"""What waits for the person, and the person's verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasette_workbench.failures import wants_json
from datasette_workbench.views.common import (
    Notice,
    answer,
    home_of,
    offset_of,
    operate,
    pages,
    past_the_end,
    posted,
    redirect,
)
from workbench.errors import NotFound, WorkbenchError
from workbench.ledger.lifecycle import ChangedMeanwhile, NeedsYes
from workbench.ledger.model import PERSON
from workbench.ledger.undo import LaterChange
from workbench.text import one_line

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

    from workbench.home import Home
    from workbench.operations.models import Ruling

PER_PAGE = 25
_PAGE = "/-/memory/review"
_DONE = {"accept": "accepted", "reject": "rejected", "correct": "corrected"}
_BACK = {"review": _PAGE, "memory": "/-/memory/{id}"}


async def inbox(datasette: Datasette, request: Request) -> Response:
    """Each waiting memory with its reason, its sources and what it conflicts with."""
    from workbench.operations import review

    waiting = await operate(review.inbox, home_of(datasette), limit=PER_PAGE, offset=offset_of(request, PER_PAGE))
    if elsewhere := past_the_end(request, PER_PAGE, waiting.total):
        return elsewhere
    return await answer(datasette, request, "review", waiting, **pages(request, PER_PAGE, waiting.total))


async def rule(datasette: Datasette, request: Request) -> Response:
    """POST: accept, reject or correct one memory, then back to the page with a notice.

    The form says how the memory stood when it was shown; what has changed meanwhile is looked at again.
    """
    fields = await posted(request)
    home, verdict, memory_id = home_of(datasette), request.url_vars["verdict"], request.url_vars["id"]
    try:
        ruling = await operate(_ruling, home, verdict, memory_id, fields)
        memory_id, notice = ruling.memory.id, Notice(ruling.message, ruling.change_id)
    except ChangedMeanwhile as error:
        done = await operate(_done_already, home, verdict, memory_id, fields)
        notice = Notice(done) if done else _refusal(request, error)
    except WorkbenchError as error:
        notice = _refusal(request, error)
    return redirect(datasette, _BACK.get(fields.get("back", ""), _PAGE).format(id=memory_id), notice)


async def undo(datasette: Datasette, request: Request) -> Response:
    """POST: take one change back, the one that was shown: a second click does not take back the one before, too."""
    from workbench.operations import rulings

    fields = await posted(request)
    home, change_id = home_of(datasette), fields.get("change", "")
    try:
        notice = Notice((await operate(rulings.undo, home, PERSON, change_id=change_id)).message)
    except LaterChange as error:
        done = await operate(_undone_already, home, change_id)
        notice = Notice("This is undone already.") if done else _refusal(request, error)
    except WorkbenchError as error:
        notice = _refusal(request, error)
    memory_id = request.url_vars.get("id")
    there = memory_id is not None and await operate(_is_there, home, memory_id)
    return redirect(datasette, _BACK["memory"].format(id=memory_id) if there else _PAGE, notice)


def _refusal(request: Request, error: WorkbenchError) -> Notice:
    """The error as a notice on the page; what is not there, and what a program asked, is an answer of its own."""
    if isinstance(error, NotFound) or wants_json(request):
        raise error
    if isinstance(error, NeedsYes):
        return Notice(f"Tick the box that says so, and try again: {error.question}.", level=3)
    return Notice(str(error), level=3)


def _ruling(home: Home, verdict: str, memory_id: str, fields: dict[str, str]) -> Ruling:
    from workbench.operations import rulings

    seen, confirmed = fields.get("seen") or None, "confirm_locked" in fields
    if verdict == "accept":
        return rulings.accept(home, PERSON, memory_id, confirm_locked=confirmed, expected=seen)
    if verdict == "reject":
        reason = fields.get("reason", "").strip() or None
        return rulings.reject(home, PERSON, memory_id, reason, confirm_locked=confirmed, expected=seen)
    return rulings.correct(home, PERSON, memory_id, _wording(fields), confirm_locked=confirmed, expected=seen)


def _wording(fields: dict[str, str]) -> str:
    return fields.get("content", "").replace("\r\n", "\n").strip()


def _done_already(home: Home, verdict: str, memory_id: str, fields: dict[str, str]) -> str:
    """What to say when the form was sent twice: the person's last act on the memory is this very one."""
    from workbench.operations import memories

    detail = memories.show(home, memory_id)
    memory, action = detail.memory, _DONE[verdict]
    last = next((event for event in detail.events if event.actor == str(PERSON)), None)
    stands = memory.status == ("rejected" if verdict == "reject" else "active")
    same = verdict != "correct" or memory.content == _wording(fields)
    said = last is not None and last.action == action and stands and same
    return f"{action} already, nothing changed: {one_line(memory.content)}" if said else ""


def _undone_already(home: Home, change_id: str) -> bool:
    from workbench.operations import memories

    return any(event.undoes == change_id for event in memories.history(home))


def _is_there(home: Home, memory_id: str) -> bool:
    from workbench.operations import memories

    try:
        memories.show(home, memory_id)
    except NotFound:
        return False
    return True
