"""``workbench sessions``: list, show and search conversations."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from workbench import dates, text
from workbench.cli import sessions_edit, table
from workbench.cli.context import Settings, filled, folder, pass_settings, warn_words_alone
from workbench.cli.lazy import Group

if TYPE_CHECKING:
    from workbench.operations.models import Conversation, MessageOut, SessionOut

# Cells of a key that others are set in line with.
_KEY = 60
_ROLES = ["user", "assistant", "tool"]
_OPTIONS = (
    click.option(
        "--channel",
        "channels",
        multiple=True,
        metavar="NAME",
        callback=filled,
        help="Of this channel: codex, telegram.",
    ),
    click.option("--agent", metavar="NAME", callback=filled, help="Kept by this agent: claude-code, flowly, pi."),
    click.option(
        "--model",
        metavar="NAME",
        callback=filled,
        help="In which a model of this name, or part of a name, took part.",
    ),
    click.option(
        "--project", metavar="FOLDER", callback=folder, help="About this folder, one below it, or of this name."
    ),
    click.option("--tool", metavar="NAME", callback=filled, help="In which this tool was called."),
    click.option(
        "--since",
        metavar="TIME",
        callback=filled,
        help="From then on: 36h, 7d, 2w, 3m (months), 1y, 2026-03, 2026-W10, 2026-03-14, yesterday, last week.",
    ),
    click.option("--until", metavar="TIME", callback=filled, help="Up to the end of then."),
    click.option("--on", metavar="TIME", callback=filled, help="Within then: 2026-03, last week."),
)


def _filtered(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say which conversations are meant."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group(cls=Group, commands=sessions_edit.COMMANDS)
def sessions() -> None:
    """List, show and search conversations."""


@sessions.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--offset", type=click.IntRange(0), default=0)
@_filtered
@pass_settings
def list_(settings: Settings, /, limit: int, offset: int, **chosen: Any) -> None:  # noqa: ANN401 - the options above
    """List conversations, the last active first."""
    from workbench.operations import conversations

    wanted = conversations.wanted(**chosen)
    page = conversations.list_sessions(settings.home(), limit=limit, offset=offset, chosen=wanted)
    page = page.model_copy(update={"items": [_shown(item) for item in page.items]})
    settings.emit(page, _rows(page.items))
    for line in (missing := conversations.unknown(settings.home(), wanted)):
        settings.say(line)
    left = page.total - offset - len(page.items)
    if left > 0 and page.items:
        settings.say(f"{left} more; use --limit, or --offset {offset + len(page.items)}")
    elif page.total:
        _past_the_end(settings, offset, page.total)
    elif not missing:
        narrowed = any(chosen.values())
        settings.say(
            "no such conversation" if narrowed else "no conversations yet; `workbench up` finds and reads them"
        )


def _past_the_end(settings: Settings, offset: int, total: int) -> None:
    if offset >= total:
        settings.say(f"there are only {total}; use a smaller --offset")


def _shown(session: SessionOut) -> SessionOut:
    """A conversation as it may be shown: a file name may hold a secret, and its key with it."""
    from workbench import guard

    return session.model_copy(update={"key": guard.mask(session.key)})


def _rows(items: list[SessionOut]) -> Iterator[str]:
    """One row each; on a terminal cut to its width. Where nothing is cut, a long key moves no other row."""
    size = table.width() if sys.stdout.isatty() else None
    keys = [text.one_line(item.key, text.MAX_LINE) for item in items]
    widths = [table.cells(key) for key in keys]
    most = max((cells for cells in widths if size or cells <= _KEY), default=0)
    for item, key, cells in zip(items, keys, widths, strict=True):
        columns = [
            (dates.local(item.updated_at), 22),
            (f"{item.message_count:>6}", 6),
            (key, min(most, size // 3) if size else max(most, cells)),
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
    found = found.model_copy(update={"session": _shown(found.session)})
    settings.emit(found, _conversation_lines(found))
    shown = offset + len(found.messages)
    if found.messages and shown < found.total:
        settings.say(f"messages {offset + 1} to {shown} of {found.total}; use --offset {shown}")
    elif not found.messages and found.total:
        _past_the_end(settings, offset, found.total)


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
    yield f"{message.id}  {who}{state}  {dates.local(message.timestamp)}".rstrip()
    for line in message.content.splitlines():
        yield f"  {text.visible(line)}"
    for call in message.tool_calls or []:
        yield f"  → {text.one_line(_called(call), 200)}"


def _called(call: dict[str, Any]) -> str:
    """A call of a tool as it is read: ``name(arguments)``."""
    made = call["function"] if isinstance(call.get("function"), dict) else call
    arguments = made.get("arguments", made.get("input", ""))
    told = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return f"{made.get('name') or 'tool'}({told})"


@sessions.command()
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 10), default=5, show_default=True, help="Conversations to show.")
@click.option("--role", type=click.Choice([*_ROLES, "all"]), help="Whose messages to search.  [default: the first two]")
@click.option(
    "--session", metavar="KEY", callback=filled, help="In this conversation alone; any unique beginning of a key."
)
@_filtered
@pass_settings
def search(settings: Settings, /, query: str, limit: int, role: str | None, **chosen: Any) -> None:  # noqa: ANN401
    """Find conversations in which this was spoken of, best first; any text is a safe query."""
    from workbench.operations import conversations

    roles = _ROLES if role == "all" else [role] if role else _ROLES[:2]
    wanted = conversations.wanted(roles=roles, **chosen)
    found = conversations.search(settings.home(), query, limit, wanted)
    settings.emit(found, _hit_lines(found["results"]))
    warn_words_alone(found["vector_problem"])
    for line in (missing := conversations.unknown(settings.home(), wanted)):
        settings.say(line)
    if not found["results"] and not missing:
        settings.say(found["next_action"])


def _hit_lines(results: list[dict[str, Any]]) -> Iterator[str]:
    for hit in results:
        key = text.one_line(hit["session_key"], text.MAX_LINE)
        yield f"{key} {hit['anchor_id']}  {hit['role']}  {dates.local(hit['date'])}".rstrip()
        yield f"    {text.one_line(hit['snippet'], 300)}"


@sessions.command()
@click.argument("key")
@click.argument("message_id")
@click.option("--window", type=click.IntRange(1, 20), default=5, show_default=True, help="Messages on each side.")
@pass_settings
def scroll(settings: Settings, key: str, message_id: str, window: int) -> None:
    """Show the messages around one, as `search` names it: KEY MESSAGE_ID."""
    from workbench.operations import conversations

    found = conversations.scroll(settings.home(), key, message_id, window)
    settings.emit(found, _told_lines(found["messages"]))
    settings.say(f"{text.counted(found['messages_before'], 'message')} before, {found['messages_after']} after")


@sessions.command("get")
@click.argument("key")
@click.argument("event_id", required=False)
@click.option(
    "--range", "span", type=(click.IntRange(0), click.IntRange(0)), metavar="FIRST LAST", help="By place, from 0."
)
@pass_settings
def get(settings: Settings, key: str, event_id: str | None, span: tuple[int, int] | None) -> None:
    """Show one message by its id, or a range; with neither what you said first in the conversation."""
    from workbench.operations import conversations

    found = conversations.lookup(settings.home(), key, event_id=event_id, span=span)
    settings.emit(found, _told_lines(found["messages"]))


def _told_lines(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        state = "" if message["state"] == "active" else f" [{message['state']}]"
        here = " <" if message.get("anchor") else ""
        yield f"{message['id']}  {message['role']}{state}  {dates.local(message['timestamp'])}{here}".rstrip()
        for line in message["content"].splitlines():
            yield f"  {text.visible(line)}"
