"""The ledger as pages: the list with its filters, and one memory with all that is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from datasette_workbench.views.common import answer, choice, home_of, in_words, offset_of, operate, pages, past_the_end
from workbench.errors import NotFound
from workbench.ledger import store, undo
from workbench.ledger.lifecycle import Ambiguous
from workbench.ledger.model import Authority, Kind, Scope, Status
from workbench.text import quoted

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Request, Response

    from workbench.home import Home
    from workbench.operations.models import EventOut, MemoryDetail

PER_PAGE = 50
CHOICES: dict[str, tuple[str, ...]] = {
    "status": (*Status, "all"),
    "kind": tuple(Kind),
    "authority": tuple(Authority),
    "scope_type": get_args(Scope),
}
# Field, what a reader calls it, and how its value is shown.
FIELDS = (
    ("id", "Id", "text"),
    ("kind", "Kind", "words"),
    ("type", "Type", "words"),
    ("status", "Status", "words"),
    ("review_reason", "Waits because", "words"),
    ("authority", "Authority", "words"),
    ("trust", "Trust", "percent"),
    ("confidence", "Confidence", "percent"),
    ("confidence_source", "Confidence according to", "text"),
    ("explicit", "Said in so many words", "yes_no"),
    ("importance", "Importance", "text"),
    ("tier", "Tier", "words"),
    ("privacy", "Privacy", "words"),
    ("scope_type", "Scope", "words"),
    ("scope_key", "Within", "text"),
    ("fact_key", "Fact key", "text"),
    ("subject", "Subject", "text"),
    ("predicate", "Predicate", "text"),
    ("object", "Object", "text"),
    ("tags", "Tags", "list"),
    ("valid_from", "Holds from", "moment"),
    ("valid_to", "Holds until", "moment"),
    ("expires_at", "Expires", "moment"),
    ("observed_at", "Said", "moment"),
    ("created_at", "Learned", "moment"),
    ("created_by", "Learned by", "text"),
    ("updated_at", "Last changed", "moment"),
    ("retired_at", "Retired", "moment"),
    ("seen_count", "Times seen", "text"),
    ("last_seen_at", "Last seen", "moment"),
    ("supersedes", "Replaces", "memory"),
    ("superseded_by", "Replaced by", "memory"),
    ("source_agent", "Agent", "text"),
    ("source_session", "Conversation", "session"),
    ("source_message_ids", "Messages", "messages"),
    ("batch_id", "Batch", "text"),
    ("idempotency_key", "Its writer's name for it", "text"),
    ("fingerprint", "Fingerprint", "text"),
)


async def listing(datasette: Datasette, request: Request) -> Response:
    """Memories by status (active unless said otherwise; ``all`` for every one), kind, scope, authority and words."""
    from workbench.operations import memories

    chosen = {name: choice(request, name, values) for name, values in CHOICES.items()}
    chosen |= {"scope_key": choice(request, "scope_key"), "q": choice(request, "q")}
    status = chosen["status"] or Status.ACTIVE
    found = await operate(
        memories.list_memories,
        home_of(datasette),
        **chosen | {"status": None if status == "all" else status},
        limit=PER_PAGE,
        offset=offset_of(request, PER_PAGE),
    )
    if elsewhere := past_the_end(request, PER_PAGE, found.total):
        return elsewhere
    context = pages(request, PER_PAGE, found.total)
    context |= {
        "chosen": chosen | {"status": status},
        "choices": {n: v for n, v in CHOICES.items() if n != "scope_type"},
    }
    return await answer(datasette, request, "memories", found, **context)


async def show(datasette: Datasette, request: Request) -> Response:
    """One memory: its fields, evidence, revisions, relations and events."""
    home, memory_id = home_of(datasette), request.url_vars["id"]
    try:
        detail, last = await operate(_with_last_change, home, memory_id)
    except Ambiguous:
        raise
    except NotFound as error:
        raise in_words(error, home.ledger, f"There is no memory {quoted(memory_id, 160)}.") from None
    rejection = next((event for event in detail.events if event.action == "rejected"), None)
    context = {
        "fields": FIELDS,
        "last_change": last,
        "wordings": {relation.other_id: relation.other_content for relation in detail.relations},
        "actions": {event.change_id: event.action for event in detail.events},
        "rejected_because": rejection.details.get("reason")
        if rejection and detail.memory.status == "rejected"
        else None,
    }
    return await answer(datasette, request, "memory", detail, **context)


def _with_last_change(home: Home, memory_id: str) -> tuple[MemoryDetail, EventOut | None]:
    """A memory, and what undo would take back: not its erasure, nor that it was learned at all."""
    from workbench.operations import memories

    detail = memories.show(home, memory_id)
    with store.reading(home) as connection:
        try:
            change_id = undo.last_change(connection, detail.memory.id)
        except NotFound:
            return detail, None
    events = [event for event in detail.events if event.change_id == change_id]
    final = any(event.action == "erased" for event in events)
    only_learned = all(event.action == "created" for event in events) and detail.memory.supersedes is None
    return detail, None if final or only_learned or not events else events[0]
