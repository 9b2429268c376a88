"""The wrapper before everything: which Host, which Origin, who, and the headers of every answer."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import escape

from datasette_workbench import failures, identity
from datasette_workbench.instance import Instance
from datasette_workbench.nonces import csp_nonce

if TYPE_CHECKING:
    from datasette.app import Datasette

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SIGN_IN = "/-/memory/sign-in"
FAVICON = "/favicon.ico"
_STATIC = ("/-/static/", "/-/static-plugins/")
_READING = frozenset({"GET", "HEAD"})
_SIGNED_OUT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Signed out</title>
<h1>You are signed out</h1>
<p>Nothing was changed. <a href="{href}">Sign in again</a>:
run <code>workbench open</code> and follow the link it prints.</p>
"""
_FIXED_HEADERS = {
    b"referrer-policy": b"same-origin",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    # Other ports of this machine are the same site to a browser: they may not embed our answers either.
    b"cross-origin-resource-policy": b"same-origin",
}


def content_security_policy(nonce: str) -> str:
    """What a page may load and run: this server's own files, and inline parts that carry the nonce."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'nonce-{nonce}'",
            f"style-src 'self' 'nonce-{nonce}'",
            "style-src-attr 'unsafe-inline'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


class Guard:
    """ASGI middleware of one served home."""

    def __init__(self, app: App, datasette: Datasette, instance: Instance) -> None:
        self.app = app
        self.datasette = datasette
        self.instance = instance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on what may pass; the body is not read here."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        nonce = secrets.token_urlsafe(18)
        csp_nonce.set(nonce)
        answer = _Answer(send, content_security_policy(nonce))
        if refusal := refused(scope, self.instance.origins):
            return await _plain(answer, 403, refusal)
        # Behind a proxy the browser speaks https and we do not: Datasette, too, must think of the browser's origin.
        scope = {**scope, "scheme": own_origin(scope, self.instance.origins).partition(":")[0]}
        try:
            await self._identified(scope, receive, answer)
        except Exception as error:
            # The last net: whatever escaped is said in one line, here and on the terminal.
            status, message, _ = failures.describe(error)
            if not answer.started:
                await _plain(answer, status, message)

    async def _identified(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = self._route(scope)
        if path == FAVICON or path.startswith(_STATIC):
            await self.app(_passing(scope, {}), receive, send)
            return
        cookies = cookies_of(scope)
        actor = await identity.actor(self.datasette, self.instance, cookies)
        if actor is None and path != SIGN_IN:
            await self._ask_to_sign_in(scope, path, send)
            return
        kept = {name: cookies[name] for name in (self.instance.cookie, "ds_messages") if name in cookies}
        await self.app({**_passing(scope, kept), "actor": actor}, receive, send)

    def _route(self, scope: Scope) -> str:
        path: str = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1").partition("?")[0]
        base = str(self.datasette.setting("base_url"))
        return "/" + path[len(base) :] if base != "/" and path.startswith(base) else path

    async def _ask_to_sign_in(self, scope: Scope, path: str, send: Send) -> None:
        sentence = "Sign in first: run `workbench open` and follow the link it prints."
        accepts = b",".join(headers_named(scope, b"accept"))
        if path.endswith(".json") or (b"application/json" in accepts and b"text/html" not in accepts):
            body = json.dumps({"ok": False, "error": sentence, "status": 403}).encode()
            await _respond(send, 403, body, "application/json; charset=utf-8")
            return
        if scope["method"] not in _READING:
            page = _SIGNED_OUT.format(href=escape(self.datasette.urls.path(SIGN_IN)))
            await _respond(send, 403, page.encode(), "text/html; charset=utf-8")
            return
        query = scope.get("query_string", b"").decode("latin-1")
        target = quote(path + ("?" + query if query else ""), safe="/")
        location = self.datasette.urls.path(f"{SIGN_IN}?next={target}")
        await _respond(send, 302, sentence.encode(), "text/plain; charset=utf-8", {b"location": location.encode()})


def refused(scope: Scope, origins: dict[str, str]) -> str | None:
    """Why this request is not answered at all, decided by its headers alone; None when it may pass.

    A foreign Host means a name somebody pointed at this machine. A change must come from one of our own
    pages: Sec-Fetch-Site, which scripts cannot forge, says so, or the Origin where a browser sends none.
    """
    origin = own_origin(scope, origins)
    if not origin:
        return "This server answers under its own address only; open the link that `workbench open` prints."
    if scope["method"] in _READING:
        return None
    sites = headers_named(scope, b"sec-fetch-site")
    named = headers_named(scope, b"origin")
    if sites == [b"same-origin"] and named in ([], [b"null"], [origin.encode("latin-1")]):
        return None
    if not sites and named == [origin.encode("latin-1")]:
        return None
    return "Changes are accepted from this server's own pages only; reload the page and try again."


def own_origin(scope: Scope, origins: dict[str, str]) -> str:
    """The origin that the request's one Host stands for; empty when it is not ours."""
    hosts = headers_named(scope, b"host")
    return origins.get(hosts[0].decode("latin-1").lower(), "") if len(hosts) == 1 else ""


def headers_named(scope: Scope, name: bytes) -> list[bytes]:
    """All values of one request header (ASGI gives names in lower case)."""
    return [value for key, value in scope.get("headers") or [] if key == name]


def cookies_of(scope: Scope) -> dict[str, str]:
    """The request's cookies, read leniently: what is no ``name=value`` is left out, the first of a name counts."""
    cookies: dict[str, str] = {}
    for header in headers_named(scope, b"cookie"):
        for part in header.decode("latin-1").split(";"):
            name, equals, value = part.strip().partition("=")
            if equals:
                cookies.setdefault(name, value.strip('"'))
    return cookies


def _passing(scope: Scope, cookies: dict[str, str]) -> Scope:
    # Datasette's own actor cookie and bearer tokens are not a way in: neither reaches it.
    headers = [(k, v) for k, v in scope.get("headers") or [] if k not in (b"cookie", b"authorization")]
    if cookies:
        headers.append((b"cookie", "; ".join(f"{k}={v}" for k, v in cookies.items()).encode("latin-1")))
    return {**scope, "headers": headers}


class _Answer:
    """The ``send`` of a request: adds our headers, and knows whether an answer has begun."""

    def __init__(self, send: Send, policy: str) -> None:
        self.send = send
        self.headers = {**_FIXED_HEADERS, b"content-security-policy": policy.encode("ascii")}
        self.started = False

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            kept = [(k, v) for k, v in message.get("headers", []) if k.lower() not in self.headers]
            message = {**message, "headers": [*kept, *self.headers.items()]}
        await self.send(message)


async def _plain(send: Send, status: int, sentence: str) -> None:
    await _respond(send, status, sentence.encode(), "text/plain; charset=utf-8")


async def _respond(
    send: Send, status: int, body: bytes, content_type: str, extra: dict[bytes, bytes] | None = None
) -> None:
    headers = {
        b"content-type": content_type.encode(),
        b"content-length": str(len(body)).encode(),
        b"cache-control": b"no-store",
        **(extra or {}),
    }
    await send({"type": "http.response.start", "status": status, "headers": list(headers.items())})
    await send({"type": "http.response.body", "body": body})
