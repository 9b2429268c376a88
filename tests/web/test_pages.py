"""What the pages say where there is nothing to show: wrong addresses, filters, page numbers, and a home with damage."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from datasette.utils import tilde_encode

from tests.web.conftest import Server, converse, remember, running, say
from workbench import dates
from workbench.home import Home

NOT_FOUND = (
    ("/-/memory/m_nope", "There is no memory 'm_nope'.", "/-/memory?status=all"),
    ("/-/memory/42!", "There is no memory '42!'.", "/-/memory?status=all"),
    ("/-/memory/m_0123456789abcdef01234567", "There is no memory 'm_0123456789abcdef01234567'.", "/-/memory/review"),
    ("/-/memory/m_nope/accept/x", "There is no such page.", "/-/memory/review"),
    ("/-/memory/a.b", "There is no such page.", "/-/memory/review"),
    ("/-/sessions/nope", "There is no conversation 'nope'.", "/-/sessions"),
    ("/-/sessions/~3Cscript~3Enope", "There is no conversation '<script>nope'.", "/-/sessions"),
    ("/-/sessions/a/b", "There is no such page.", "/-/sessions"),
)


@pytest.mark.parametrize(("path", "sentence", "link"), NOT_FOUND)
def test_what_is_not_there_is_said_in_words_with_a_way_on(server: Server, path: str, sentence: str, link: str) -> None:
    answer = server.get(path)
    assert answer.status == 404
    assert sentence in html.unescape(answer.text)
    assert f'<p><a href="{link}">' in answer.text or f'· <a href="{link}">' in answer.text
    assert "<script>nope" not in answer.text
    data = server.get(path, Accept="application/json")
    assert (data.status, sentence in data.text) == (404, True)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("status=<script>", "There is no status '<script>'; choose one of candidate, needs_review, active,"),
        ("kind=nope", "There is no kind 'nope'; choose one of preference,"),
        ("authority=ACTIVE", "There is no authority 'ACTIVE'; choose one of inferred, observed, confirmed, locked."),
        ("scope_type=galaxy", "There is no scope 'galaxy'; choose one of global, workspace, project, agent."),
    ],
)
def test_a_filter_that_means_nothing_is_said(server: Server, query: str, sentence: str) -> None:
    for path in ("/-/memory", "/-/memory.json"):
        answer = server.get(f"{path}?{query}")
        assert answer.status == 400
        assert sentence in html.unescape(answer.text)


@pytest.mark.parametrize("query", ["zyzzyva", "%26%26", "the"])
@pytest.mark.parametrize("path", ["/-/memory", "/-/sessions"])
def test_a_search_that_finds_nothing_gives_advice(
    home: Home, serve: Callable[..., Server], path: str, query: str
) -> None:
    answer = serve(home).get(f"{path}?q={query}")
    assert answer.status == 200
    assert "a star finds beginnings (<code>coff*</code>)" in answer.text


def test_behind_the_last_page_is_the_last_page(home: Home, serve: Callable[..., Server]) -> None:
    server = serve(home)
    converse(home, "claude:short", *(say(number, "user", f"word {number}") for number in range(3)))
    for number in range(30):
        remember(home, f"I prefer number {number}")
    for path, location in (
        ("/-/sessions/claude~3Ashort?page=50", "?page=1"),
        ("/-/sessions?page=2", "?page=1"),
        ("/-/memory?page=9&status=all&q=prefer", "?status=all&q=prefer&page=1"),
        ("/-/memory/review?page=7", "?page=2"),
        ("/-/memory/review.json?page=7", "?page=2"),
    ):
        answer = server.get(path)
        assert (answer.status, answer.headers.get("location")) == (302, location), path
    assert server.get("/-/memory/review?page=2").status == 200
    assert "word 2" in server.get("/-/sessions/claude~3Ashort?page=1").text


def test_a_conversation_is_headed_by_its_first_words(server: Server) -> None:
    converse(server.home, "claude:untitled", say(1, "user", "Dear Ann,\nsee you on Monday"))
    page = server.get("/-/sessions/" + tilde_encode("claude:untitled")).text
    assert re.search(r"<h1[^>]*>Dear Ann, see you on Monday</h1>", page)
    assert "Dear Ann,<br>" in page
    shown = dates.local("2026-03-01T09:01:00Z")
    assert f'<time datetime="2026-03-01T09:01:00Z">{shown}</time>' in page


def test_who_signed_out_elsewhere_is_led_back(server: Server) -> None:
    answer = server.post("/-/memory/m_000000000000000000000000/accept", {"back": "review"}, Cookie=None)
    assert answer.status == 403
    assert answer.headers["content-type"].startswith("text/html")
    assert '<a href="/-/memory/sign-in">Sign in again</a>' in answer.text
    data = server.post("/-/memory/undo", {}, Cookie=None, Accept="application/json")
    assert (data.status, '"ok": false' in data.text) == (403, True)


def garbage(path: Path) -> None:
    """A file that is no database at all."""
    path.write_bytes(b"not a database " * 1000)


def cut_short(path: Path) -> None:
    """A database that begins like ours and ends too early."""
    path.write_bytes(path.read_bytes()[:4096][:120] + b"\xff" * 4000)


def foreign(path: Path) -> None:
    """Another program's database."""
    import sqlite3

    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()


DAMAGES = {
    garbage: (500, "is damaged"),
    cut_short: (500, "is damaged"),
    foreign: (500, "was not made by this program"),
    Path.unlink: (503, "run `workbench up` first"),
}
PAGES = {
    "session_index": ("/-/sessions", "/-/sessions?q=word", "/-/sessions/claude~3Ax"),
    "memory_governance": ("/-/memory", "/-/memory/review", "/-/memory/m_0123", "/-/memory?q=word"),
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("database", PAGES)
def test_a_home_with_damage_is_served_and_says_so(home: Home, database: str, damage: Callable[[Path], None]) -> None:
    path = {"session_index": home.session_index, "memory_governance": home.ledger}[database]
    for beside in home.root.glob(f"{path.name}-*"):
        beside.unlink()
    damage(path)
    status, sentence = DAMAGES[damage]
    with running(home) as server:
        for address in PAGES[database]:
            answer = server.get(address)
            assert (answer.status, sentence in html.unescape(answer.text)) == (status, True), address
            assert path.name in answer.text
        names = server.get("/-/databases.json").text
        assert f'"{database}"' not in names
        other = ({*PAGES} - {database}).pop()
        assert f'"{other}"' in names
        assert server.get(f"/{other}").status == 200
        assert server.get("/").status == 200
        assert server.get(PAGES[other][0]).status == 200
    said = server.process.stderr_text.splitlines()  # type: ignore[attr-defined]
    assert len([line for line in said if line.startswith(f"not shown: {path}")]) == 1, said


def test_damage_under_a_running_server_is_one_line(home: Home, serve: Callable[..., Server]) -> None:
    server = serve(home)
    server.signed_in()
    for beside in home.root.glob(f"{home.session_index.name}-*"):
        beside.unlink()
    garbage(home.session_index)
    for path in ("/-/sessions", "/session_index/messages"):
        answer = server.get(path)
        assert (answer.status, "damaged" in answer.text) == (500, True), path
