"""``workbench up``, ``serve`` and ``open``: the main job, and the way into the browser."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench import text
from workbench.cli.context import Settings, TranscriptPath, pass_settings, person, refuse_named, warn_words_alone
from workbench.errors import Unreachable, WorkbenchError

if TYPE_CHECKING:
    from workbench.home import Home
    from workbench.operations.models import Status
    from workbench.sessions.discover import Source

SIGN_IN = "/-/memory/sign-in"
port_option = click.option(
    "--port", type=click.IntRange(1, 65_535), default=8001, show_default=True, help="The next free one if it is taken."
)


@click.command()
@click.option("--source", "paths", multiple=True, type=TranscriptPath(), help="A file or folder of transcripts, too.")
@click.option("--no-serve", is_flag=True, help="Stop after learning.")
@port_option
@pass_settings
def up(settings: Settings, paths: tuple[Path, ...], no_serve: bool, port: int) -> None:
    """Find transcripts, learn from them, and open the workbench.

    Reads what agents left on this machine (and every --source), indexes it, learns from it, writes MEMORY.md, and
    serves the workbench. Running it again reads only what is new.
    """
    from workbench.cli.ingest import embed_new, fail_if_behind, say_problems, totals_line
    from workbench.cli.maintain import say_problems as say_not_done
    from workbench.cli.memory.learn import summary
    from workbench.operations import dream, ingest, maintain, overview

    refuse_named(paths)
    home = settings.new_home()
    sources = _sources(settings, home, paths)
    with settings.progress("reading") as advance:
        report = ingest.ingest(home, sources, advance)
    settings.say(f"read: {totals_line(report)}")
    say_problems(report)
    with settings.progress("learning") as advance:
        learned = dream.dream(home, advance)
    settings.say(f"learned: {summary(learned)}")
    if learned.failure:
        click.echo(f"workbench: {text.one_line(learned.failure, 300)}", err=True)
    say_not_done(settings, maintain.catch_up(home))
    if no_serve:
        embed_new(settings, home)
    status = overview.status(home)
    result = {"ingest": report.as_dict(), "dream": learned.model_dump(), "status": status.model_dump()}
    if no_serve:
        settings.emit(result, summary_lines(status, "run `workbench serve` to look at it in the browser"))
        fail_if_behind(report)
        return
    _serve(home, port, lambda url: settings.emit(result | {"url": url}, summary_lines(status, f"open it: {url}")))


def _sources(settings: Settings, home: Home, paths: tuple[Path, ...]) -> list[Source]:
    """What to read: what is on this machine and what was named; with nothing at all, the bundled sample."""
    from workbench.operations import ingest, sample

    named = ingest.find(list(paths)) if paths else []
    found = ingest.find([])
    sources = list({source.path: source for source in [*found, *named]}.values())
    if sources and (archived := sample.retire(home)):
        settings.say(
            f"real conversations are here: {text.some(archived, 'memories')} of the sample went to the archive"
        )
    if sources or not ingest.is_empty(home):
        return sources
    asks = sys.stdin.isatty() and sys.stderr.isatty()
    question = "No transcripts were found on this machine. Look around with the bundled sample?"
    if asks and not click.confirm(question, default=True, err=True):
        return []
    if not asks:
        settings.say("no transcripts were found on this machine; using the bundled sample")
    return ingest.find([sample.folder()])


def summary_lines(status: Status, look: str) -> list[str]:
    """The five lines at the end of ``up``."""
    unread = f", {status.backlog} not learned from yet" if status.backlog else ""
    return [
        f"sessions   {status.sessions}",
        f"messages   {status.messages}{unread}",
        f"memories   {status.active} active, {status.waiting} waiting for you",
        f"notes      {text.one_line(status.memory_md, 200)}",
        f"look       {look}",
    ]


@click.command()
@port_option
@pass_settings
def serve(settings: Settings, port: int) -> None:
    """Serve the workbench on this machine."""
    _serve(settings.new_home(), port, lambda url: settings.emit({"url": url}, [f"open it: {url}"]))


def _serve(home: Home, port: int, ready: Callable[[str], None]) -> None:
    from importlib.metadata import entry_points

    from workbench import files
    from workbench.operations import embedding

    start = next(iter(entry_points(group="workbench.server"))).load()
    serving = home.serving / f"{os.getpid()}.json"
    with contextlib.suppress(Unreachable):
        click.echo(f"workbench: this home is being served at {_served_url(home)} already", err=True)

    def on_ready(url: str) -> None:
        files.replace(serving, json.dumps({"url": url}).encode())
        try:
            sign_in = _sign_in(home, url)
        except WorkbenchError as error:
            click.echo(f"workbench: {text.one_line(str(error), 300)}; then `workbench open` prints the link", err=True)
            ready(url)
            return
        ready(sign_in)
        _open_browser(sign_in)

    try:
        with embedding.in_background(home, warn_words_alone):
            start(home, port=port, ready=on_ready)
    finally:
        serving.unlink(missing_ok=True)
        _anchor(home)


@click.command("open")
@pass_settings
def open_(settings: Settings) -> None:
    """Sign in to a workbench that is being served."""
    home = settings.home()
    sign_in = _sign_in(home, _served_url(home))
    settings.emit({"url": sign_in}, [sign_in])
    _open_browser(sign_in)


def _sign_in(home: Home, url: str) -> str:
    """A new link that signs in to the workbench at ``url``: the person's key to everything, and so for them alone.

    :raises WorkbenchError: where no person is at the other end.
    """
    from workbench import access

    person("sign in", on="to the workbench")
    return f"{url.rstrip('/')}{SIGN_IN}#{access.create_code(home)}"


def _served_url(home: Home) -> str:
    """The address of a server of this home that answers, the newest first; what a killed one left is removed."""
    import socket
    from urllib.parse import urlsplit

    from workbench import files

    for path in sorted(home.serving.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True):
        try:
            url = str(json.loads(files.read_bytes(path))["url"])
            address = urlsplit(url)
            with socket.create_connection((address.hostname or "", address.port or 80), timeout=5):
                return url
        except (ValueError, KeyError, TypeError, OSError, WorkbenchError):
            path.unlink(missing_ok=True)
    raise Unreachable(f"no workbench is being served for {home.root}; run `workbench serve`")


def _open_browser(url: str) -> None:
    """Open the page where a person sits at this machine; elsewhere the printed address is enough."""
    import webbrowser

    has_screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if has_screen and sys.stdout.isatty():
        webbrowser.open(url)


def _anchor(home: Home) -> None:
    from workbench import db
    from workbench.ledger import audit

    try:
        audit.anchor(home, at=db.now())
    except WorkbenchError as error:
        click.echo(f"workbench: {text.one_line(str(error), 300)}", err=True)
