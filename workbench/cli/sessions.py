"""``workbench sessions``: list, show and search conversations."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from workbench import text
from workbench.cli import table
from workbench.cli.context import Settings, pass_settings

if TYPE_CHECKING:
    from workbench.operations.models import Conversation, MessageOut, SessionOut

_ROLES = ["user", "assistant", "tool"]


@click.group()
def sessions() -> None:
    """List, show and search conversations."""


@sessions.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@pass_settings
def list_(settings: Settings, limit: int) -> None:
    """List conversations, the last active first."""
    from workbench.operations import conversations

    page = conversations.list_sessions(settings.home(), limit=limit)
    settings.emit(page, _rows(page.items))
    if page.total > len(page.items):
        settings.say(f"{page.total - len(page.items)} more; use --limit")
    elif not page.items:
        settings.say("no conversations yet; `workbench up` finds and reads them")


def _rows(items: list[SessionOut]) -> Iterator[str]:
    """One row each; on a terminal cut to its width."""
    size = table.width() if sys.stdout.isatty() else None
    longest = max((table.cells(text.one_line(item.key)) for item in items), default=0)
    for item in items:
        columns = [
            (table.minutes(item.updated_at), 17),
            (f"{item.message_count:>6}", 6),
            (text.one_line(item.key), longest if size is None else min(longest, size // 2 - 10)),
        ]
        yield table.row(columns, text.one_line(item.title or ""), size)


@sessions.command()
@click.argument("key")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=500, show_default=True)
@click.option("--offset", type=click.IntRange(0), default=0)
@pass_settings
def show(settings: Settings, key: str, limit: int, offset: int) -> None:
    """Show a conversation; KEY may be any unique beginning."""
    from workbench.operations import conversations

    found = conversations.show(settings.home(), key, limit=limit, offset=offset)
    settings.emit(found, _conversation_lines(found))
    shown = offset + len(found.messages)
    if shown < found.total:
        settings.say(f"messages {offset + 1} to {shown} of {found.total}; use --offset {shown}")


def _conversation_lines(found: Conversation) -> Iterator[str]:
    session = found.session
    yield f"{text.one_line(session.key)}  {text.one_line(session.title or '')}".rstrip()
    if session.project:
        yield f"project {text.one_line(session.project)}"
    for message in found.messages:
        yield ""
        yield from _message_lines(message)


def _message_lines(message: MessageOut) -> Iterator[str]:
    who = message.role if message.origin == message.role else f"{message.role} ({message.origin})"
    state = "" if message.state == "active" else f" [{message.state}]"
    yield f"#{message.id}  {who}{state}  {message.timestamp or ''}".rstrip()
    for line in message.content.splitlines():
        yield f"  {text.visible(line)}"
    for call in message.tool_calls or []:
        yield f"  → {text.one_line(str(call), 200)}"


@sessions.command()
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 10), default=5, show_default=True, help="Conversations to show.")
@click.option("--role", type=click.Choice([*_ROLES, "all"]), help="Whose messages to search.  [default: the first two]")
@pass_settings
def search(settings: Settings, query: str, limit: int, role: str | None) -> None:
    """Find conversations in which these words occur, best first; any text is a safe query."""
    from workbench.operations import conversations

    roles = _ROLES if role == "all" else [role] if role else _ROLES[:2]
    found = conversations.search(settings.home(), query, limit, roles)
    settings.emit(found, _hit_lines(found["results"]))
    if not found["results"]:
        settings.say("nothing found")


def _hit_lines(results: list[dict[str, Any]]) -> Iterator[str]:
    for hit in results:
        yield f"{text.one_line(hit['session_key'], 80)}  {hit['date'] or ''}  #{hit['anchor_id']} {hit['role']}"
        yield f"    {text.one_line(hit['snippet'], 300)}"
