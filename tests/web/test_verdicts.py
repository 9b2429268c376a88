"""Verdicts from pages that are old by now, sent twice, or taken back; and what a memory's page says of them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest

from tests.web.conftest import Answer, Server, remember
from workbench.home import Home
from workbench.ledger.model import PERSON, Evidence, Kind
from workbench.operations import memories, rulings

ERROR = re.compile(r'class="wb-notice wb-error"')
JSON = {"Accept": "application/json"}


def form_of(page: str, action: str) -> dict[str, str]:
    """The hidden fields of the form that posts to an address ending in ``action``."""
    (form,) = re.findall(rf'<form[^>]* action="[^"]*/{action}">(.*?)</form>', page, re.DOTALL)
    return {
        name: html.unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
    }


def inbox_page_of(server: Server, memory: str) -> str:
    """The page of the inbox on which a memory waits: the home is shared, and others wait in it too."""
    number = 1
    while f"/{memory}/" not in (page := server.get(f"/-/memory/review?page={number}").text):
        number += 1
        assert f"?page={number}" in page, f"{memory} waits on no page before {number}"
    return page


def landed(server: Server, answer: Answer) -> tuple[bool, str]:
    """Whether the page a POST leads to shows an error, and the notice on it."""
    assert answer.status == 303, answer.text
    page = server.get(answer.headers["location"]).text
    (notice,) = re.findall(r'role="status">\s*<span[^>]*>(.*?)</span>', page, re.DOTALL)
    return bool(ERROR.search(page)), html.unescape(notice)


def successive(home: Home, tool: str, *names: str) -> list[str]:
    """What was said on successive days about one tool; each statement replaced the one before."""
    return [
        remember(
            home,
            f"My {tool} is {name}",
            kind=Kind.PROFILE,
            fact_key=f"tools.{tool}",
            confidence=0.9,
            observed_at=f"2026-03-0{day}T09:00:00Z",
            tags=("a", "b"),
            evidence=(
                Evidence("session", f"claude:{tool}#{day}", f"My {tool} is {name}", f"2026-03-0{day}T09:00:00Z"),
            ),
        )
        for day, name in enumerate(names, 1)
    ]


VERDICTS = {
    "accept": {},
    "reject": {"reason": "no"},
    "correct": {},
}


@pytest.mark.parametrize("page", ["/-/memory/review", "/-/memory/{id}"])
@pytest.mark.parametrize("second", VERDICTS)
@pytest.mark.parametrize(
    ("first", "done"),
    [("accept", "accepted"), ("reject", "rejected"), ("correct", "corrected")],
)
def test_an_old_page_overwrites_nothing(server: Server, page: str, second: str, first: str, done: str) -> None:
    home, case = server.home, f"{first} {second} {'inbox' if page.endswith('review') else 'own page'}"
    memory = remember(home, f"I prefer the first tab: {case}")
    old = inbox_page_of(server, memory) if page.endswith("review") else server.get(page.format(id=memory)).text
    act = {
        "accept": lambda: rulings.accept(home, PERSON, memory),
        "reject": lambda: rulings.reject(home, PERSON, memory),
        "correct": lambda: rulings.correct(home, PERSON, memory, f"I prefer what the first tab says: {case}"),
    }
    ruled = act[first]().memory
    form = form_of(old, f"{memory}/{second}") | VERDICTS[second]
    form |= {"content": f"I prefer what the second tab says: {case}"} if second == "correct" else {}
    answer = server.post(f"/-/memory/{memory}/{second}", form)
    assert memories.show(home, memory).memory == ruled
    is_error, notice = landed(server, answer)
    if first == second and first != "correct":
        assert (is_error, notice) == (False, f"{done} already, nothing changed: I prefer the first tab: {case}")
    else:
        assert is_error
        assert f"{memory} was {done} by person:owner at 2" in notice
        refused = server.post(f"/-/memory/{memory}/{second}", form, **JSON)
        assert (refused.status, f"was {done} by person:owner" in refused.text) == (409, True)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_double_click_is_harmless(server: Server, verdict: str) -> None:
    memory = remember(server.home, f"I prefer single clicks to {verdict}")
    form = form_of(server.get(f"/-/memory/{memory}").text, f"{memory}/{verdict}") | VERDICTS[verdict]
    form |= {"content": f"I prefer one click to {verdict}"} if verdict == "correct" else {}
    assert not landed(server, server.post(f"/-/memory/{memory}/{verdict}", form))[0]
    before = memories.show(server.home, memory)
    is_error, notice = landed(server, server.post(f"/-/memory/{memory}/{verdict}", form))
    assert (is_error, "already, nothing changed" in notice) == (False, True)
    assert memories.show(server.home, memory) == before


def test_the_last_change_is_taken_back_from_the_memorys_page_once(home: Home, serve: Callable[..., Server]) -> None:
    server = serve(home)
    memory = remember(home, "I prefer tea")
    page = f"/-/memory/{memory}"
    assert "Undo the last change" not in server.get(page).text, "that it was learned is no change to it"
    rulings.accept(home, PERSON, memory)
    rulings.correct(home, PERSON, memory, "I prefer green tea")
    form = form_of(server.get(page).text, f"{memory}/undo")
    answer = server.post(f"{page}/undo", form)
    assert answer.headers["location"].startswith(f"{page}?notice=")
    assert landed(server, answer) == (False, f"undone: {memory} has its wording of before again: I prefer tea")
    # The second click of a double click leaves the acceptance before it alone.
    assert landed(server, server.post(f"{page}/undo", form)) == (False, "This is undone already.")
    assert memories.show(home, memory).memory.status == "active"
    form = form_of(server.get(page).text, f"{memory}/undo")
    server.post(f"{page}/undo", form)
    assert memories.show(home, memory).memory.status == "needs_review"
    assert "Undo the last change" not in server.get(page).text


def test_an_undo_from_an_old_page_is_refused(server: Server) -> None:
    memory = remember(server.home, "I prefer coffee")
    rulings.accept(server.home, PERSON, memory)
    form = form_of(server.get(f"/-/memory/{memory}").text, f"{memory}/undo")
    rulings.correct(server.home, PERSON, memory, "I prefer cocoa")
    is_error, notice = landed(server, server.post(f"/-/memory/{memory}/undo", form))
    assert (is_error, "undo that one first" in notice) == (True, True)
    assert memories.show(server.home, memory).memory.content == "I prefer cocoa"


def test_undoing_what_brought_a_memory_leads_to_the_inbox(home: Home, serve: Callable[..., Server]) -> None:
    """The page it was asked on is gone then."""
    server = serve(home)
    older, newer = successive(home, "editor", "Vim", "Emacs")
    assert memories.show(home, newer).memory.supersedes == older
    form = form_of(server.get(f"/-/memory/{newer}").text, f"{newer}/undo")
    answer = server.post(f"/-/memory/{newer}/undo", form)
    assert answer.headers["location"].startswith("/-/memory/review?notice=")
    assert landed(server, answer)[0] is False
    assert memories.show(home, older).memory.status == "active"


def test_the_page_says_why_and_by_what(server: Server) -> None:
    older, newer = successive(server.home, "shell", "bash", "fish")
    rulings.reject(server.home, PERSON, newer, "I only <i>tried</i> it")
    page = server.get(f"/-/memory/{newer}").text
    assert "Rejected because: I only &lt;i&gt;tried&lt;/i&gt; it" in page
    assert '<q dir="auto">I only &lt;i&gt;tried&lt;/i&gt; it</q>' in page
    replaced = server.get(f"/-/memory/{older}").text
    link = f'<a dir="auto" href="/-/memory/{newer}">My shell is fish</a>'
    assert re.search(f"<strong>superseded</strong> by [^<]*, replaced by {link}", replaced)
    fields = dict(re.findall(r"<dt>(.*?)</dt>\s*<dd[^>]*>(.*?)</dd>", replaced, re.DOTALL))
    assert fields["Status"] == "superseded"
    assert fields["Said in so many words"] == "yes"
    assert fields["Confidence"] == "90 %"
    assert fields["Tags"] == "a, b"
    assert re.fullmatch(r'<time datetime="[-\dT:]+Z">[-\d]+ [\d:]+[+-][\d:]+</time>', fields["Learned"])
    assert fields["Replaced by"] == link
    assert re.search(f"superseded by</span>\\s*{link}", replaced)
    assert f"; this changes {link}, too" in replaced
    assert "Replaces" not in fields
    assert "" not in fields.values()


def test_every_field_has_a_name_for_readers() -> None:
    """A new field of a memory fails here first."""
    from datasette_workbench.views.memories import FIELDS

    from workbench.operations.models import MemoryOut

    assert {name for name, _, _ in FIELDS} == set(MemoryOut.model_fields) - {"content", "seq"}


@pytest.mark.parametrize("verdict", ["reject", "correct"])
def test_what_is_locked_is_altered_when_the_box_is_ticked(server: Server, verdict: str) -> None:
    memory = remember(server.home, f"I prefer trains, I {verdict}")
    rulings.lock(server.home, PERSON, memory)
    page = server.get(f"/-/memory/{memory}").text
    assert page.count('name="confirm_locked" value="1" required> change a locked memory') == 2
    form = form_of(page, f"{memory}/{verdict}") | {"content": "I prefer ships", "reason": "no"}
    is_error, notice = landed(server, server.post(f"/-/memory/{memory}/{verdict}", form))
    assert (is_error, f"you locked {memory}: " in notice) == (True, True), notice
    assert memories.show(server.home, memory).memory.status == "active"
    form |= {"confirm_locked": "1"}
    assert not landed(server, server.post(f"/-/memory/{memory}/{verdict}", form))[0]
    detail = memories.show(server.home, memory).memory
    assert (detail.status, detail.content) in (
        ("rejected", f"I prefer trains, I {verdict}"),
        ("active", "I prefer ships"),
    )
