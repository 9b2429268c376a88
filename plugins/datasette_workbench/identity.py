"""The person at the browser: a one-time code becomes a cookie, the cookie becomes the actor ``owner``."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING, Any

from itsdangerous import BadData

from datasette_workbench.instance import Instance
from workbench import access

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.utils.asgi import Response

OWNER = {"id": "owner"}
_NAMESPACE = "workbench-session"


def cookie_name(secret: str) -> str:
    """The cookie's name for the home with this signing key; it gives nothing of the key away."""
    return "workbench_" + hashlib.sha256(f"cookie name\x1f{secret}".encode()).hexdigest()[:8]


async def actor(datasette: Datasette, instance: Instance, cookies: dict[str, str]) -> dict[str, Any] | None:
    """The owner when the sign-in cookie is ours, unexpired and not signed out; otherwise None."""
    session = session_of(datasette, instance, cookies)
    if session is None or not await asyncio.to_thread(access.session_valid, instance.home, session):
        return None
    return dict(OWNER)


def session_of(datasette: Datasette, instance: Instance, cookies: dict[str, str]) -> str | None:
    """The session id of the cookie, when its signature is right."""
    try:
        session = datasette.unsign(cookies.get(instance.cookie, ""), _NAMESPACE)
    except BadData:
        return None
    return session if isinstance(session, str) else None


def set_cookie(datasette: Datasette, instance: Instance, response: Response, session: str, *, secure: bool) -> None:
    """Hand the browser its session, for 30 days, out of reach of scripts and other sites."""
    response.set_cookie(
        instance.cookie,
        datasette.sign(session, _NAMESPACE),
        max_age=int(access.SESSION_LIFETIME.total_seconds()),
        path=str(datasette.setting("base_url")),
        secure=secure,
        httponly=True,
        samesite="strict",
    )


def clear_cookie(datasette: Datasette, instance: Instance, response: Response) -> None:
    """Make the browser forget its session."""
    response.set_cookie(
        instance.cookie,
        "",
        max_age=0,
        path=str(datasette.setting("base_url")),
        httponly=True,
        samesite="strict",
    )
