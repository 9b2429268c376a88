"""Datasette's own pages and its JSON interface: the owner reads everything and writes nothing through them."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from datasette.resources import DatabaseResource, QueryResource, TableResource
from datasette.views.base import BaseView
from datasette_workbench.server import build

from tests.web.conftest import Server, remember
from tests.web.test_requests import rows
from workbench.home import Home

MEMORIES = "/memory_governance/memories"
# Each address of Datasette that takes a POST, with a body that would do the worst it can.
WRITES: dict[str, object] = {
    "/memory_governance/-/create": {"table": "mine", "row": {"a": 1}},
    "/memory_governance/-/queries/store": {"name": "mine", "sql": "select 1"},
    "/memory_governance/-/execute-write": {"sql": "delete from memories"},
    "/memory_governance/acts/-/edit": {"sql": "select 1"},
    "/memory_governance/acts/-/update": {"sql": "select 1"},
    "/memory_governance/acts/-/delete": {},
    f"{MEMORIES}/-/insert": {"rows": [{"id": "m_x"}]},
    f"{MEMORIES}/-/upsert": {"rows": [{"seq": 1, "status": "active"}]},
    f"{MEMORIES}/-/alter": {"operations": [{"op": "rename_table", "args": {"to": "mine"}}]},
    f"{MEMORIES}/-/set-column-type": {"column": "content", "column_type": "textarea"},
    f"{MEMORIES}/-/drop": {"confirm": True},
    f"{MEMORIES}/1/-/delete": {},
    f"{MEMORIES}/1/-/update": {"update": {"status": "active"}},
    "/-/create-token": {"expire_type": ""},
    "/-/permissions": {"actor": "{}", "permission": "view-instance"},
}
# These take a POST and change nothing stored: a query with its parameters, a count, a cookie of the browser's own.
HARMLESS = {"/memory_governance/-/query", f"{MEMORIES}/-/count", "/-/logout", "/-/messages"}


def test_every_address_that_takes_a_post_is_known(home: Home) -> None:
    """A newer Datasette with one more way to write fails here first."""
    taking = [
        pattern
        for pattern, view in build(home)._routes()
        if getattr(getattr(view, "view_class", None), "post", BaseView.post) is not BaseView.post
    ]
    known = [*WRITES, *HARMLESS]
    assert [p.pattern for p in taking if not any(p.match(path) for path in known)] == []
    assert len(taking) == len(known)


@pytest.mark.parametrize(("path", "body"), WRITES.items())
def test_the_owner_writes_nothing_through_datasette(server: Server, path: str, body: object) -> None:
    remember(server.home, "I prefer trains")
    before = rows(server.home)
    headers = {
        "Cookie": server.signed_in(),
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": "application/json",
        "Accept": "application/json",
    }
    answer = server.request("POST", path, headers, raw=json.dumps(body).encode())
    assert answer.status == 403, answer.text
    assert rows(server.home) == before


@pytest.mark.parametrize("sql", ["delete from memories", "pragma query_only=off", "attach 'x' as y", "vacuum"])
def test_sql_reads_only(server: Server, sql: str) -> None:
    before = rows(server.home)
    answer = server.get("/memory_governance/-/query.json?sql=" + sql.replace(" ", "+"))
    assert answer.status == 400 or not json.loads(answer.text)["ok"], answer.text
    assert rows(server.home) == before


def test_what_opens_the_door_is_not_shown_behind_it(server: Server) -> None:
    names = {database["name"] for database in json.loads(server.get("/-/databases.json").text)["databases"]}
    assert names == {"memory_governance", "knowledge_graph", "session_index"}
    assert server.get("/access").status == 404
    assert server.get("/memory_governance.db").status == 403


def test_settings_that_would_open_a_door_are_off(server: Server) -> None:
    settings = json.loads(server.get("/-/settings.json").text)
    assert not settings["allow_download"]
    assert not settings["allow_signed_tokens"]
    assert not settings["template_debug"]


def test_a_credential_in_a_table_is_masked(server: Server) -> None:
    """A statement that holds one is refused, so it is put where transcripts keep theirs: in an excerpt."""
    from workbench.ledger.model import Evidence

    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory = remember(
        server.home,
        "I prefer short tokens",
        evidence=(Evidence("session", "claude:x#1", f"my token is {token}\u202e ok", None),),
    )
    for path in ("/memory_governance/memory_evidence?_size=max", f"/-/memory/{memory}", f"/-/memory/{memory}.json"):
        text = server.get(path).text
        assert "my token is" in text
        assert token not in text
        assert path.endswith(".json") or "\u202e" not in text


def test_an_error_is_one_line(server: Server) -> None:
    for path, status in (
        ("/memory_governance/-/query?sql=select+nope", 200),
        ("/memory_governance/nope", 404),
        ("/memory_governance/memories/999999", 404),
        ("/memory_governance/memories?_sort=nope", 400),
        ("/-/memory/m_0123456789abcdef01234567", 404),
        ("/-/memory?page=x", 400),
        ("/-/sessions/nope~3Anope", 404),
    ):
        answer = server.get(path)
        assert answer.status == status, path
        assert "Traceback" not in answer.text
        assert re.search(r"\.py\b", answer.text) is None, path


def test_no_grant_gives_more_than_reading(home: Home) -> None:
    """Even a configuration that grants every action to everybody."""

    async def granted() -> set[str]:
        datasette = build(home)
        await datasette.invoke_startup()
        assert datasette.config is not None
        datasette.config["permissions"] = dict.fromkeys(datasette.actions, True)
        database = "memory_governance"
        resources = {
            None: None,
            DatabaseResource: DatabaseResource(database),
            TableResource: TableResource(database, "memories"),
            QueryResource: QueryResource(database, "acts"),
        }
        allowed = set()
        for name, action in datasette.actions.items():
            resource = resources[action.resource_class]
            if await datasette.allowed(action=name, resource=resource, actor={"id": "owner"}):
                allowed.add(name)
        datasette.close()
        return allowed

    assert asyncio.run(granted()) == {"view-instance", "view-database", "view-table", "view-query", "execute-sql"}


def test_links_between_the_tables_lead_to_the_memory(server: Server) -> None:
    """Rows of memories go by number, the keys that point at them by id."""
    from workbench.ledger.model import Evidence
    from workbench.operations import memories

    memory = remember(
        server.home, "I prefer trains to planes", evidence=(Evidence("session", "claude:x#1", "trains", None),)
    )
    remember(server.home, "I prefer boats to planes")

    number = memories.show(server.home, memory).memory.seq
    place = f"/memory_governance/memories/{number}"
    evidence = server.get(f"/memory_governance/memory_evidence?memory_id={memory}").text
    (link,) = set(re.findall(rf'href="([^"]*/memories/{memory})"', evidence))
    sent = server.get(link)
    assert (sent.status, sent.headers["location"]) == (302, place)
    row = server.get(sent.headers["location"]).text
    assert "I prefer trains to planes" in row
    (back,) = re.findall(r'href="([^"]*)">\s*1 row</a>\s*from memory_id in memory_evidence', row)
    found = json.loads(server.get(back.replace("?", ".json?") + "&_shape=array").text)
    assert [each["memory_id"] for each in found] == [memory]
    sent = server.get(f"{link}.json?_shape=objects")
    assert sent.headers["location"] == f"{place}.json?_shape=objects"
    assert [each["id"] for each in json.loads(server.get(sent.headers["location"]).text)["rows"]] == [memory]
    assert server.get(f"/memory_governance/memories/m_{0:024x}").status == 404
    assert place not in str(server.request("GET", link).headers), "nothing is told to strangers"
