"""What a person does, in a real browser: signs in, rules, undoes; and what no page may do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from datasette.utils import tilde_encode

from tests.web.conftest import Server, remember
from workbench import access
from workbench.home import Home
from workbench.ledger.model import Evidence, Kind, Privacy
from workbench.operations import memories

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

RUNS = [
    "<script>canary()</script>",
    "<img src=x onerror=canary()>",
    "<svg/onload=canary()>",
    "\"><script>canary()</script>",
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
    assert "I prefer meetings at 10" in home.memory_md.read_text("utf-8")
    assert page.get_by_role("heading", name="Nothing waits").count() == 1


def test_a_locked_memory_is_replaced_only_when_the_box_is_ticked(server: Server, watch: Callable[..., Watched]) -> None:
    pytest.skip("needs the lock ruling")


DATASETTES = (
    *("/", "/memory_governance", "/memory_governance/memories", "/memory_governance/memories?_facet=kind&_sort=seq"),
    *("/memory_governance/memories/1", "/memory_governance/memory_events?_facet=action", "/session_index"),
    *("/memory_governance/-/query", "/memory_governance/-/query?sql=select+*+from+memories+limit+3"),
    *("/memory_governance/-/query?sql=select+nope", "/memory_governance/acts", "/session_index/messages"),
    "/memory_governance/-/query?sql=with+recursive+t(x)+as+(select+1+union+all+select+x%2B1+from+t)+select+max(x)+from+t",
    *("/memory_governance/memories?_search=prefer", "/memory_governance/nope", "/nope", "/session_index/messages/9999999"),
    *("/memory_governance/memories.json", "/memory_governance/memories.csv?_size=1", "/memory_governance.db"),
    *("/-/versions", "/-/plugins", "/-/settings", "/-/config", "/-/databases", "/-/actor", "/-/api", "/-/queries"),
    *("/-/schema", "/-/permissions", "/-/allowed", "/-/rules", "/-/check", "/-/messages", "/-/allow-debug"),
    *("/-/patterns", "/-/create-token", "/-/logout", "/-/debug/autocomplete", "/memory_governance/-/queries"),
    *("/memory_governance/-/execute-write", "/memory_governance/-/schema", "/memory_governance/memories/-/schema"),
)
OURS = (
    *("/-/memory/review", "/-/memory", "/-/memory?status=all&q=prefer", "/-/memory?kind=nope", "/-/sessions"),
    *("/-/sessions?q=prefer", "/-/sessions/nope", "/-/memory/m_00", "/-/memory.json", "/-/memory/review?page=7"),
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
                evidence=(Evidence(text[:40], text, text, text), Evidence("session", f"claude:{text}#7", text, None)),
            )
        )
    server.post(f"/-/memory/{ids[0]}/reject", {"reason": RUNS[0], "back": "memory"})
    watched = watch(server)
    watched.sign_in()
    paths = ["/-/memory/review", "/-/memory?status=all", "/memory_governance/memories", "/memory_governance/memory_evidence"]
    paths += [f"/-/memory/{memory}" for memory in ids] + [f"/-/sessions/{tilde_encode('claude:' + text)}" for text in RUNS]
    paths += [f"/-/memory?q={tilde_encode(text)}" for text in RUNS]
    for path in paths:
        assert watched.open(path) < 500, path
    assert watched.page.evaluate("typeof canary") == "function"
    wait_for_scripts(watched.page)


def wait_for_scripts(page: Page) -> None:
    """Let everything that was queued run: two frames."""
    page.evaluate("() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")


def test_screenshot(home: Home, serve: Callable[..., Server], watch: Callable[..., Watched]) -> None:
    """The picture of the review page in the documents, made when a path for it is given."""
    path = os.environ.get("WORKBENCH_SCREENSHOT")
    if not path:
        pytest.skip("WORKBENCH_SCREENSHOT names no file: no picture was asked for")
    watched = watch(serve(home), viewport={"width": 900, "height": 700})
    watched.sign_in()
    watched.page.screenshot(path=path, full_page=True)
