"""Starting and stopping, ports, a base URL, and a Datasette that is not ours."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from datasette.app import Datasette
from datasette_workbench.server import build, serve

from tests.web.conftest import Server, remember, running
from workbench import access
from workbench.errors import WorkbenchError
from workbench.home import Home


def test_a_taken_port_gives_the_next_free_one_and_names_it(home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with running(home, port=port) as server:
            assert server.url != f"http://127.0.0.1:{port}"
            assert server.request("GET", "/-/memory/sign-in").status == 200
            named = server.url.rpartition(":")[2]
    assert f"port {port} is taken, serving on port {named}" in server.process.stderr_text  # type: ignore[attr-defined]


def test_a_prefix_is_kept_everywhere(home: Home) -> None:
    memory = remember(home, "I prefer short addresses")
    with running(home, base_url="/memory/") as server:
        assert server.url.endswith("/memory")
        assert server.request("GET", "/").headers["location"] == "/memory/-/memory/sign-in?next=/"
        page = server.get("/-/memory/review").text
        assert f'action="/memory/-/memory/{memory}/accept"' in page
        assert 'href="/-/' not in page
        answer = server.post(f"/-/memory/{memory}/accept", {"back": "review"})
        assert answer.headers["location"].startswith("/memory/-/memory/review?notice=")


def test_a_public_address_is_answered_with_its_own_origin(home: Home) -> None:
    with running(home, base_url="https://memory.example/") as server:
        host = {"Host": "memory.example", "Cookie": server.signed_in()}
        assert server.request("GET", "/-/memory", host).status == 200
        for origin, status in (("https://memory.example", 303), ("http://memory.example", 403)):
            assert server.request("POST", "/-/memory/sign-out", {**host, "Origin": origin}, {}).status == status
        sign_in = {"Host": "memory.example", "Origin": "https://memory.example"}
        answer = server.request("POST", "/-/memory/sign-in", sign_in, {"code": access.create_code(home)})
        assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "memory.example", "::"])
def test_the_network_is_refused(home: Home, host: str) -> None:
    with pytest.raises(WorkbenchError, match="open to the network"):
        serve(home, host=host, port=0)


def test_two_homes_have_two_cookies(tmp_path: Path) -> None:
    """Cookies ignore ports: two servers on one machine must not sign each other out."""
    from datasette_workbench.instance import instance_of

    names = {instance_of(build(Home(tmp_path / name).prepare())).cookie for name in "ab"}  # type: ignore[union-attr]
    assert len(names) == 2


def test_a_foreign_file_is_not_shown(home: Home, serve: Callable[..., Server]) -> None:
    (home.root / "knowledge_graph.sqlite3").unlink()
    sqlite3.connect(home.root / "knowledge_graph.sqlite3").execute("CREATE TABLE theirs (x)")
    server = serve(home)
    names = {database["name"] for database in json.loads(server.get("/-/databases.json").text)["databases"]}
    assert "knowledge_graph" not in names


def test_a_lock_is_503_and_says_when_to_come_back(home: Home) -> None:
    """Whoever holds the lock, no page waits for ever and nothing is said to be broken."""
    from datasette.utils.asgi import Request
    from datasette_workbench import failures

    from workbench.errors import Busy

    async def answers() -> list[tuple[int, str]]:
        datasette = build(home)
        await datasette.invoke_startup()
        held = sqlite3.OperationalError("database is locked")
        held.sqlite_errorcode = sqlite3.SQLITE_BUSY
        found = []
        for error in (held, Busy("the ledger is busy; try again")):
            response = await failures.respond(datasette, Request.fake("/memory_governance"), error)
            found.append((response.status, response.headers["Retry-After"]))
        return found

    assert asyncio.run(answers()) == [(503, "2"), (503, "2")]


def test_a_foreign_datasette_is_untouched(tmp_path: Path) -> None:
    """With the plugin installed it answers as without: no pages, no headers, no new rules."""
    path = tmp_path / "theirs.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, content TEXT)")
    connection.execute("INSERT INTO notes VALUES (1, 'hello')")
    connection.commit()
    connection.close()

    async def ask() -> None:
        datasette = Datasette([str(path)], config={"permissions": {"insert-row": {"id": "alice"}}})
        page = await datasette.client.get("/theirs/notes")
        assert page.status_code == 200
        assert "content-security-policy" not in page.headers
        assert "nonce=" not in page.text
        assert "workbench" not in page.text
        assert "onclick=" in page.text
        for ours in ("/-/memory", "/-/memory/sign-in", "/-/memory/review", "/-/sessions"):
            assert (await datasette.client.get(ours)).status_code == 404
        written = await datasette.client.post(
            "/theirs/notes/-/insert", json={"row": {"content": "mine"}}, actor={"id": "alice"}
        )
        assert written.status_code == 201
        assert (await datasette.client.get("/theirs/-/query.json?sql=select+count(*)+as+n+from+notes")).json()[
            "rows"
        ] == [{"n": 2}]
        datasette.close()

    asyncio.run(ask())
