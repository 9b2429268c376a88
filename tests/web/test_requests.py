"""Which requests are answered at all: Host, Origin, Sec-Fetch-Site, cookie, over real HTTP."""

from __future__ import annotations

import hashlib
import html
import itertools
import re
import secrets

import pytest

from tests.web.conftest import Server, remember
from workbench import db
from workbench.home import Home
from workbench.ledger import store
from workbench.operations import memories

REFUSED_HOSTS = ("evil.example", "127.0.0.1.evil.example", "127.0.0.1", "localhost:1", "", None)
POSTS = (
    "/-/memory/sign-in",
    "/-/memory/sign-out",
    "/-/memory/undo",
    "/-/memory/m_000000000000000000000000/accept",
    "/-/memory/m_000000000000000000000000/reject",
    "/-/memory/m_000000000000000000000000/correct",
    "/-/memory/m_000000000000000000000000/undo",
)


def rows(home: Home) -> str:
    """A digest of every row of the ledger and of the access file."""
    digest = hashlib.sha256()
    from workbench import access

    for path, schema in ((home.ledger, store.SCHEMA), (home.access, access.SCHEMA)):
        with db.read(path, schema) as connection:
            for name in sorted(
                row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
            ):
                for row in connection.execute(f'SELECT * FROM "{name}"'):
                    digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("host", REFUSED_HOSTS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_host_is_refused(server: Server, host: str | None, method: str) -> None:
    answer = server.request(method, "/-/memory/sign-in", {"Host": host, "Sec-Fetch-Site": "same-origin"})
    assert answer.status in (400, 403)
    assert "form" not in answer.text


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_own_hosts_are_answered(server: Server, name: str) -> None:
    port = server.netloc.rpartition(":")[2]
    assert server.request("GET", "/-/memory/sign-in", {"Host": f"{name}:{port}"}).status == 200


ORIGINS = (None, "null", "evil", "same")
SITES = (None, "same-origin", "same-site", "cross-site", "none")
MAY_PASS = {("same", None), ("same", "same-origin"), (None, "same-origin"), ("null", "same-origin")}
TYPES = ("application/x-www-form-urlencoded", "text/plain", "application/json", "multipart/form-data; boundary=x")


@pytest.mark.parametrize(("origin", "site"), [*itertools.product(ORIGINS, SITES)])
@pytest.mark.parametrize("signed_in", [True, False], ids=["cookie", "no-cookie"])
def test_only_own_pages_may_change_anything(server: Server, origin: str, site: str, signed_in: bool) -> None:
    memory = remember(server.home, f"I prefer tea number {secrets.randbelow(10**9)}")
    named = {"evil": "http://evil.example", "same": f"http://{server.netloc}"}.get(origin, origin)
    headers = {"Origin": named, "Sec-Fetch-Site": site, "Cookie": server.signed_in() if signed_in else None}
    passes = (origin, site) in MAY_PASS and signed_in
    # The last type is the one a form sends, so that a wrongly open door would show as an accepted memory.
    for content_type in reversed(TYPES):
        answer = server.request(
            "POST", f"/-/memory/{memory}/accept", {**headers, "Content-Type": content_type}, {"back": "review"}
        )
        assert answer.status == (303 if passes else 403), answer.text
    assert memories.show(server.home, memory).memory.status == ("active" if passes else "needs_review")


@pytest.mark.parametrize("path", POSTS)
def test_the_refusal_comes_before_the_body_is_read(server: Server, path: str) -> None:
    """A request that announces a body and never sends it is answered at once."""
    import http.client

    connection = http.client.HTTPConnection(server.netloc, timeout=10)
    connection.putrequest("POST", path)
    connection.putheader("Origin", "http://evil.example")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", "1000000")
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()


@pytest.mark.parametrize("path", [*POSTS, "/-/memory", "/-/memory/review", "/-/sessions", "/", "/memory_governance"])
def test_get_changes_nothing(server: Server, path: str) -> None:
    server.signed_in()
    before = rows(server.home)
    server.get(path)
    server.get(path + "?change=x&content=y&code=z")
    assert rows(server.home) == before


def test_following_every_link_changes_nothing(server: Server) -> None:
    """A crawler, or a browser that fetches ahead, does no harm; the queue is cut where pages repeat themselves."""
    remember(server.home, "I prefer links that are safe to follow")
    before = rows(server.home)
    seen: set[str] = set()
    queue = ["/", "/-/memory/review", "/-/memory?status=all", "/-/sessions", *POSTS]
    while queue and len(seen) < 150:
        path = queue.pop(0)
        if path in seen:
            continue
        seen.add(path)
        answer = server.get(path)
        assert answer.status < 500, path
        found = [*re.findall(r'(?:href|src|action)="(/[^"#]*)', answer.text), answer.headers.get("location", "")]
        queue += [html.unescape(link) for link in found if link.startswith("/") and "/-/static" not in link]
    assert len(seen) == 150
    assert rows(server.home) == before


@pytest.mark.parametrize("body", [b"\xff\xfe", b"code=%ff", b"{}", b"=" * 100_000, b"code=" + b"x" * 3_000_000])
def test_a_strange_form_is_refused_in_one_line(server: Server, body: bytes) -> None:
    answer = server.request("POST", "/-/memory/sign-in", {"Sec-Fetch-Site": "same-origin"}, raw=body)
    assert answer.status in (400, 403, 413)
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "path", ["/", "/nope", "/memory_governance.json", "/-/static/app.css", "/-/memory/sign-in", "/-/memory/review"]
)
def test_every_answer_carries_the_headers(server: Server, path: str) -> None:
    seen = set()
    for headers in ({}, {"Cookie": server.signed_in()}, {"Host": "evil.example"}):
        answer = server.request("GET", path, headers)
        policy = answer.headers["content-security-policy"]
        assert "'unsafe-inline'" not in policy.replace("style-src-attr 'unsafe-inline'", "")
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in answer.headers
        seen.add(policy)
    assert len(seen) == 3, "each answer has a nonce of its own"
