"""Real servers over real homes, spoken to over real HTTP and by a real Chromium."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from tests.homes import fresh_home
from workbench import access
from workbench.home import Home
from workbench.ledger import gate, store, write
from workbench.ledger.change import Change
from workbench.ledger.model import DREAMER, Candidate, Evidence, Kind
from workbench.operations import effects
from workbench.sessions import index
from workbench.sessions import store as sessions
from workbench.sessions.model import Message, Session, message_id

SERVE = """
import sys
from workbench.home import Home
from datasette_workbench.server import serve
from pathlib import Path
serve(
    Home(Path(sys.argv[1])),
    port=int(sys.argv[2]),
    base_url=sys.argv[3] or None,
    ready=lambda url: print(url, flush=True),
)
"""
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Answer:
    """What came back over HTTP."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Server:
    """A server process of one home."""

    home: Home
    url: str
    process: subprocess.Popen[str]
    cookie: str = field(default="", repr=False)

    @property
    def netloc(self) -> str:
        """Host and port."""
        return urlsplit(self.url).netloc

    def request(
        self,
        method: str,
        path: str,
        headers: dict[str, str | None] | None = None,
        form: dict[str, str] | None = None,
        raw: bytes = b"",
    ) -> Answer:
        """One request with exactly these headers (None leaves a header out, Host too); no redirect is followed."""
        connection = http.client.HTTPConnection(self.netloc, timeout=30)
        body = urlencode(form).encode() if form is not None else raw
        named = {"Host": self.netloc, "Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
        with contextlib.closing(connection):
            connection.putrequest(method, urlsplit(self.url).path + path, skip_host=True, skip_accept_encoding=True)
            for name, value in named.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(
                response.status,
                {name.lower(): value for name, value in response.getheaders()},
                response.read().decode("utf-8", "replace"),
            )

    def get(self, path: str, **headers: str | None) -> Answer:
        """GET as the signed-in owner."""
        return self.request("GET", path, {"Cookie": self.signed_in(), **headers})

    def post(self, path: str, form: dict[str, str] | None = None, **headers: str | None) -> Answer:
        """POST a form as the owner from one of our own pages."""
        own = {"Cookie": self.signed_in(), "Sec-Fetch-Site": "same-origin", "Origin": f"http://{self.netloc}"}
        return self.request("POST", path, {**own, **headers}, form or {})

    def signed_in(self) -> str:
        """The owner's cookie, got with a fresh code over HTTP."""
        if not self.cookie:
            form = {"code": access.create_code(self.home)}
            answer = self.request("POST", "/-/memory/sign-in", {"Sec-Fetch-Site": "same-origin"}, form)
            assert answer.status == 303, answer.text
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return self.cookie


@contextlib.contextmanager
def running(home: Home, port: int = 0, base_url: str = "") -> Iterator[Server]:
    """A server of ``home`` in its own process; at the end it gets Ctrl-C and must go in peace."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(home.root), str(port), base_url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Drained as it comes, so that a talkative server can't block on a full pipe.
    errors: list[str] = []
    reader = threading.Thread(target=lambda: errors.extend(process.stderr or ()), daemon=True)
    reader.start()
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, "".join(errors) or "the server did not start"
        yield Server(home, url, process)
    finally:
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=30)
        reader.join(timeout=10)
    said = "".join(errors)
    assert code == 0, f"exit code {code}: {said}"
    assert "Traceback" not in said, said
    process.stderr_text = said  # type: ignore[attr-defined]


def remember(home: Home, content: str, **fields: object) -> str:
    """Propose a statement as the dreamer would; its id. ``confidence`` decides whether it waits."""
    values: dict[str, object] = {
        "kind": Kind.PREFERENCE,
        "explicit": True,
        "confidence": 0.7,
        "evidence": (Evidence("session", "claude:kitchen#12", content, "2026-03-01T09:15:00Z"),),
        **fields,
    }
    with store.writing(home) as connection:
        proposal = write.propose(Change(connection, DREAMER), gate.check(Candidate(content=content, **values)))  # type: ignore[arg-type]
    effects.drain(home)
    assert proposal.memory_id is not None, proposal
    return proposal.memory_id


def converse(home: Home, key: str, *messages: Message, title: str | None = None) -> list[int]:
    """Store and index a conversation as an importer would; the ids of its messages."""
    sessions.merge(home, Session(key, title=title), messages)
    index.sync(home)
    return [message_id(key, message.identity) for message in messages]


def say(number: int, role: str, content: str, **fields: object) -> Message:
    """One message, at minute ``number`` of a morning."""
    values: dict[str, object] = {"origin": role, "timestamp": f"2026-03-01T09:{number:02}:00Z", **fields}
    return Message(identity=f"message-{number}", role=role, content=content, **values)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests that put in data of their own and touch nobody else's."""
    with running(fresh_home(tmp_path_factory.mktemp("web") / "home")) as running_server:
        running_server.signed_in()
        yield running_server


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start a server that this test alone uses."""
    with contextlib.ExitStack() as stack:
        yield lambda home, **options: stack.enter_context(running(home, **options))


@pytest.fixture(scope="session")
def chromium() -> Path:
    """A Chromium of this machine; without one the browser tests are skipped, but never in CI."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return Path(found)
    reason = "no chromium, chromium-browser or google-chrome on the path: NO PAGE WAS OPENED IN A BROWSER"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[object]:
    """A headless Chromium; each test opens a context of its own. (Playwright holds an event loop while it runs.)"""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(chromium), args=CHROMIUM_FLAGS)
        yield launched
        launched.close()
