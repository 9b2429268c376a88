"""The pages, each a thin skin over one operation of the library; the first pattern that fits counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from datasette_workbench.views import memories, review, rows, sessions, sign_in
from datasette_workbench.views.common import nowhere

_MEMORY = r"/-/memory/(?P<id>[^/.]+)"

ROUTES: tuple[tuple[str, Callable[..., Awaitable[Any]]], ...] = (
    (r"^/-/memory/sign-in$", sign_in.sign_in),
    (r"^/-/memory/sign-out$", sign_in.sign_out),
    (r"^/-/memory/review(\.(?P<format>json))?$", review.inbox),
    (r"^/-/memory/undo$", review.undo),
    (rf"^{_MEMORY}/(?P<verdict>accept|reject|correct)$", review.rule),
    (rf"^{_MEMORY}/undo$", review.undo),
    (rf"^{_MEMORY}(\.(?P<format>json))?$", memories.show),
    (r"^/-/memory(\.(?P<format>json))?$", memories.listing),
    (r"^/-/sessions(\.(?P<format>json))?$", sessions.listing),
    (r"^/-/sessions/(?P<key>[^/.]+)(\.(?P<format>json))?$", sessions.show),
    (r"^/-/(memory|sessions)([/.].*)?$", nowhere),
    (rf"^/{rows.DATABASE}/{rows.TABLE}/(?P<id>m_[0-9a-f]+)(\.(?P<format>json))?$", rows.by_id),
)
