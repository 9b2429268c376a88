"""Claude.ai: the export of one's data, a zip archive or the files of it.

- ``conversations.json``: an array of conversations with ``chat_messages``. Of a conversation that was edited or asked
  again, the branch that ends in the last leaf is the visible one (or the one that ``current_leaf_message_uuid`` names,
  in what the web page fetches); the others are withdrawn. ``text`` repeats the blocks of ``content``, so that it is
  read only where those say nothing. Citations point into results of tools, which are kept.
- ``projects.json``, or ``projects/<id>.json``: no conversations, but whoever looks for a phrase wants to find the
  project it was written into. So a project is a session of its instructions and documents. None of it was said to the
  assistant by a person, it was put before each conversation by the harness: it is found, and never learned from.
- ``memories.json``: what the assistant made out of the conversations, told as a session in the same way; a later export
  tells the same memory anew, and takes the place of the earlier one.
- ``users.json``, ``login_history.json`` and the like are no conversations; design chats are of another format.

Built from: kenn-io/agentsview (internal/parser/claude_ai.go), modelcaddy/panchat (docs/formats/claude.md and its
fixtures), Sinity/polylogue (docs/providers/claude-ai.md, the schemas of its provider claude-ai).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from workbench.sessions.importers import Found, Importer, Sample, claude_ai_blocks, documents
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable
from workbench.sessions.importers.values import mark, moment, record, sequence, string
from workbench.sessions.model import Message, Session, derived_identity
from workbench.text import sha256

NAME = "claude-ai"
# (identity, text, time) of what is told as the harness's.
_Written = tuple[str, str | None, str | None]
# Of a document that is too long, or in which a line can be mistaken for a row, only the beginning is known.
_HEAD = re.compile(rb'\A[\s\xef\xbb\xbf]*(?:\[\s*)?\{\s*"(?:account|uuid|name|chat_messages)"\s*:')
_MESSAGES = re.compile(rb'"chat_messages"\s*:\s*\[\s*\{')


def sniff(sample: Sample) -> bool:
    """A conversation with ``chat_messages`` by senders, a project with its documents, or a memory of conversations."""
    if any(_kind(value) for value in (*sample.elements, *sample.rows)):
        return True
    if sample.elements or any(isinstance(row, dict) for row in sample.rows):
        return False
    return _HEAD.match(sample.head) is not None and _MESSAGES.search(sample.head) is not None


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """Each conversation, project or memory of a file."""
    for offset, value in documents.items(file, counts):
        if not isinstance(value, dict):
            counts.quarantine(offset, "not a conversation")
        elif "chat_messages" in value:
            session = _conversation(value)
            session.source = str(file)
            yield Found(session, _messages(value, offset, counts))
        elif (kind := _kind(value)) is not None:
            session = _project(value) if kind == "project" else _memory(value)
            session.source = str(file)
            written = _documents(value) if kind == "project" else _remembered(value)
            yield Found(session, _told(written, counts))
        else:
            counts.quarantine(offset, "not a conversation")


def _kind(value: Json) -> str | None:
    """``conversation``, ``project`` or ``memory``."""
    if not isinstance(value, dict):
        return None
    if isinstance(rows := value.get("chat_messages"), list):
        return "conversation" if not rows or any("sender" in record(row) for row in rows) else None
    if isinstance(value.get("docs"), list) and "prompt_template" in value:
        return "project"
    if isinstance(value.get("conversations_memory"), str):
        return "memory"
    of_account = "account_uuid" in value and ("project_memories" in value or "memory_files" in value)
    return "memory" if of_account else None


def _conversation(value: dict[str, Any]) -> Session:
    name = string(value.get("uuid")) or sha256(f"{value.get('created_at')}\x1f{value.get('name')}")[:32]
    session = Session(f"{NAME}:{name}", string(value.get("name")) or string(value.get("title")))
    session.created_at, session.updated_at = moment(value.get("created_at")), moment(value.get("updated_at"))
    session.metadata = {
        "agent": NAME,
        "model": string(value.get("model")),
        "workspace": string(record(value.get("project")).get("name")),
    }
    return session


def _messages(conversation: dict[str, Any], offset: int, counts: Counts) -> Iterator[Message]:
    rows = sequence(conversation.get("chat_messages"))
    if not rows:
        counts.skipped += 1
    left = _withdrawn(rows, string(conversation.get("current_leaf_message_uuid")))
    model = string(conversation.get("model"))
    seen: set[str] = set()
    occurrences: dict[str, int] = {}
    for row in rows:
        if not isinstance(row, dict):
            counts.quarantine(offset, "not a message")
            continue
        try:
            made = claude_ai_blocks.messages(row, model)
        except Exception as error:
            counts.quarantine(offset, f"unreadable message: {type(error).__name__} {error}"[:120])
            continue
        for message in made:
            message.identity = message.identity or derived_identity(message, occurrences)
            message.state = "withdrawn" if string(row.get("uuid")) in left else "active"
        made = [message for message in made if message.identity not in seen]
        seen.update(message.identity for message in made)
        counts.kept += bool(made)
        counts.skipped += not made
        yield from made


def _withdrawn(rows: list[Json], leaf: str | None) -> set[str]:
    """The messages of branches that leave the visible one; what hangs on nothing known (a parent that is missing, a
    circle) is on no branch."""
    parents = {uuid: claude_ai_blocks.parent_of(row) for row in map(record, rows) if (uuid := string(row.get("uuid")))}
    if not any(parent in parents for parent in parents.values()):
        return set()
    if leaf not in parents:
        answered = set(parents.values())
        leaf = next((uuid for uuid in reversed(parents) if uuid not in answered), None)
    shown: set[str] = set()
    while leaf in parents and leaf not in shown:
        shown.add(leaf)
        leaf = parents[leaf]
    forks = shown if leaf is None else {*shown, leaf}
    left = dict.fromkeys(shown, False)
    for uuid in parents:
        trail: dict[str, None] = {}
        above: str | None = uuid
        while above in parents and above not in left and above not in trail:
            trail[above] = None
            above = parents[above]
        left.update(dict.fromkeys(trail, above in forks or left.get(above or "", False)))
    return {uuid for uuid, gone in left.items() if gone}


def _project(value: dict[str, Any]) -> Session:
    session = Session(f"{NAME}:project:{string(value.get('uuid')) or sha256(str(value.get('name')))[:32]}")
    session.title = string(value.get("name"))
    session.created_at, session.updated_at = moment(value.get("created_at")), moment(value.get("updated_at"))
    session.metadata = {"agent": NAME, "kind": "project"}
    return session


def _documents(value: dict[str, Any]) -> Iterator[_Written]:
    created = moment(value.get("created_at"))
    yield "description", string(value.get("description")), created
    yield "instructions", string(value.get("prompt_template")), created
    for document in map(record, sequence(value.get("docs"))):
        text = _filed(document.get("filename"), document.get("content"))
        yield string(document.get("uuid")) or "", text, moment(document.get("created_at"))


def _memory(value: dict[str, Any]) -> Session:
    account = string(value.get("account_uuid"))
    key = f"{NAME}:memory:{account}" if account else f"{NAME}:memory"
    return Session(key, "Claude.ai memory", metadata={"agent": NAME, "kind": "memory"})


def _remembered(value: dict[str, Any]) -> Iterator[_Written]:
    yield "conversations", string(value.get("conversations_memory")), None
    for name, text in record(value.get("project_memories")).items():
        yield f"project:{name}", string(text), None
    for file in map(record, sequence(value.get("memory_files"))):
        yield f"file:{file.get('path')}", _filed(file.get("path"), file.get("content")), None


def _filed(name: Json, text: Json) -> str | None:
    return f"{mark('file', name)}\n{string(text) or ''}".strip() if string(name) or string(text) else None


def _told(written: Iterable[_Written], counts: Counts) -> Iterator[Message]:
    """What was written by nobody in the conversation, as messages of the harness."""
    seen: set[str] = set()
    occurrences: dict[str, int] = {}
    for identity, text, time in written:
        message = Message(identity, "system", "harness", text or "", time)
        message.identity = identity or derived_identity(message, occurrences)
        if text is None or message.identity in seen:
            counts.skipped += 1
            continue
        seen.add(message.identity)
        counts.kept += 1
        yield message


IMPORTER = Importer(NAME, sniff, read)
