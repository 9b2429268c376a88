"""One-time codes, the cookie, and what somebody without it can see."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from datasette.app import Datasette

from tests.web.conftest import Server
from workbench import access, db
from workbench.home import Home

SAME = {"Sec-Fetch-Site": "same-origin"}


def sign_in(server: Server, code: str, target: str = "") -> tuple[int, str, str]:
    """Status, address it leads to, cookie."""
    answer = server.request("POST", "/-/memory/sign-in", SAME, {"code": code, "next": target})
    return answer.status, answer.headers.get("location", ""), answer.headers.get("set-cookie", "")


def test_a_code_works_once(server: Server) -> None:
    code = access.create_code(server.home)
    assert sign_in(server, code)[0] == 303
    status, _, cookie = sign_in(server, code)
    assert (status, cookie) == (403, "")


def test_an_expired_code_is_refused(server: Server) -> None:
    code = access.create_code(server.home)
    with db.write(server.home.access, access.SCHEMA) as connection:
        connection.execute("UPDATE sign_in_codes SET expires_at = ?", (db.now(),))
    assert sign_in(server, code)[0] == 403


def test_the_files_hold_no_code_and_no_session(server: Server) -> None:
    code = access.create_code(server.home)
    session = access.start_session(server.home)
    with db.read(server.home.access, access.SCHEMA) as connection:
        held = "\n".join(connection.iterdump())
    assert code not in held
    assert session not in held
    assert server.home.access.stat().st_mode & 0o777 == 0o600
    assert server.home.secret.stat().st_mode & 0o777 == 0o600


def test_the_cookie_is_out_of_reach_and_expires(server: Server) -> None:
    _, _, header = sign_in(server, access.create_code(server.home))
    (morsel,) = SimpleCookie(header).values()
    assert morsel["httponly"]
    assert morsel["samesite"].lower() == "strict"
    assert int(morsel["max-age"]) == 30 * 24 * 3600
    assert morsel["path"] == "/"


@pytest.mark.parametrize(
    ("target", "leads_to"),
    [
        ("/memory_governance?x=1", "/memory_governance?x=1"),
        ("", "/-/memory/review"),
        ("//evil.example", "/-/memory/review"),
        ("https://evil.example", "/-/memory/review"),
        ("/\\evil.example", "/-/memory/review"),
        ("/\tevil", "/-/memory/review"),
        ("/a\r\nSet-Cookie: x=y", "/-/memory/review"),
    ],
)
def test_it_leads_to_our_own_pages_only(server: Server, target: str, leads_to: str) -> None:
    assert sign_in(server, access.create_code(server.home), target)[1] == leads_to


def test_signing_out_ends_the_session_everywhere(server: Server) -> None:
    cookie = sign_in(server, access.create_code(server.home))[2].partition(";")[0]
    assert server.request("GET", "/-/memory/review", {"Cookie": cookie}).status == 200
    assert server.request("POST", "/-/memory/sign-out", {"Cookie": cookie, **SAME}, {}).status == 303
    assert server.request("GET", "/-/memory/review", {"Cookie": cookie}).status == 302


def test_an_expired_session_opens_nothing(server: Server) -> None:
    server.signed_in()
    cookie = sign_in(server, access.create_code(server.home))[2].partition(";")[0]
    with db.write(server.home.access, access.SCHEMA) as connection:
        newest = "SELECT max(rowid) FROM browser_sessions"
        connection.execute(f"UPDATE browser_sessions SET expires_at = ? WHERE rowid = ({newest})", (db.now(),))
    assert server.request("GET", "/-/memory/review", {"Cookie": cookie}).status == 302


SEEN_BY_ALL = {"/-/memory/sign-in": 200, "/-/static/app.css": 200, "/favicon.ico": 200}
HIDDEN = (
    *("/", "/-/memory", "/-/memory/review", "/-/memory/sign-out", "/-/sessions", "/-/sessions/x", "/memory_governance"),
    *("/-/actor", "/-/versions", "/-/plugins", "/-/settings", "/-/config", "/-/databases", "/-/jump", "/-/messages"),
    *("/-/allow-debug", "/-/patterns", "/-/auth-token?token=x", "/-/logout", "/-/api", "/-/queries", "/nope"),
    *("/-/static/../memory", "/-/memory/sign-in/../review", "/-/memory/sign-in.json", "/favicon.icon", "/access"),
)


@pytest.mark.parametrize(("path", "status"), SEEN_BY_ALL.items())
def test_what_everybody_sees(server: Server, path: str, status: int) -> None:
    assert server.request("GET", path).status == status


@pytest.mark.parametrize("path", HIDDEN)
def test_a_stranger_is_asked_to_sign_in(server: Server, path: str) -> None:
    page = server.request("GET", path)
    if path.startswith("/-/static/"):
        assert page.status == 404
        return
    assert page.status in (302, 403)
    assert "workbench open" in page.text
    data = server.request("GET", path, {"Accept": "application/json"})
    assert data.status == 403
    assert '"ok": false' in data.text


@pytest.mark.parametrize("actor", ["owner", "root"])
def test_datasettes_own_cookies_and_tokens_open_no_door(server: Server, actor: str) -> None:
    """Even when they are signed with the home's own key."""
    datasette = Datasette(secret=access.secret(server.home))
    cookie = datasette.sign({"a": {"id": actor}}, "actor")
    token = "dstok_" + datasette.sign({"a": actor, "t": 4_000_000_000}, "token")
    for headers in ({"Cookie": f"ds_actor={cookie}"}, {"Authorization": f"Bearer {token}"}):
        assert server.request("GET", "/-/actor.json", headers).status == 403
        assert server.request("GET", "/memory_governance", headers).status == 302
        refused = server.request("POST", "/-/memory/undo", {**headers, **SAME}, {})
        assert refused.status == 403


@pytest.mark.parametrize(
    "damage", [lambda c: c[:-1], lambda c: c + "x", lambda c: c.partition("=")[0] + "=", str.swapcase]
)
def test_a_damaged_cookie_opens_nothing(server: Server, damage: object) -> None:
    assert server.request("GET", "/", {"Cookie": damage(server.signed_in())}).status == 302  # type: ignore[operator]


def test_the_key_is_made_once(home: Home) -> None:
    assert access.secret(home) == access.secret(home)
    assert len(bytes.fromhex(access.secret(home))) == 32
