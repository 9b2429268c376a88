"""ChatGPT: the data export, ``conversations.json`` (or ``conversations-000.json`` …), an array of conversations, each a
tree of messages; also one such conversation alone.

Built from mohamed-chs/convoviz (docs/dev/chatgpt-spec.md), mitkury/chatgpt-export-parser
(docs/chatgpt-data-export-format.md), Sinity/polylogue (polylogue/sources/parsers/chatgpt.py), kenn-io/agentsview
(internal/parser/chatgpt.go) and what basic-memory#451 and #1276 and MemPalace#2160 report of real exports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.sessions import harness
from workbench.sessions.importers import Found, Importer, Sample, documents
from workbench.sessions.importers.chatgpt_content import CONTEXT, THOUGHTS, arguments_of, kind_of, text_of
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable
from workbench.sessions.importers.values import call, moment, record, sequence, string
from workbench.sessions.model import Message, Origin, Role, Session, State, derived_identity
from workbench.sessions.times import earliest, latest
from workbench.text import storable

NAME = "chatgpt"
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}
_ORIGINS: dict[Role, Origin] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "harness"}
# Where only the beginning can be looked at: fields without objects in them, then the ``mapping``.
_STRING = rb'"(?:[^"\\]|\\.)*+"'
_SCALAR = _STRING + rb"|\[(?:" + _STRING + rb'|[^][{}"])*+\]|[^][{}",]++'
_HEAD = re.compile(
    rb'(?:\xef\xbb\xbf)?[\s[]*+\{\s*(?:"\w+"\s*:\s*(?:' + _SCALAR + rb')\s*,\s*)*+"mapping"\s*:\s*\{\s*"'
)
_FACTS = {
    "model": "default_model_slug",
    "gizmo": "gizmo_id",
    "project": "conversation_template_id",
    "memory_scope": "memory_scope",
    "conversation_origin": "conversation_origin",
}


def sniff(sample: Sample) -> bool:
    """A conversation with a ``mapping`` of messages that have authors."""
    if sample.elements:
        return any(_is_conversation(found) for element in sample.elements for found in _conversations(element))
    return bool(_HEAD.match(sample.head)) and b'"author"' in sample.head


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The conversations of an export."""
    for offset, element in documents.items(file, counts):
        for conversation in _conversations(element):
            if isinstance(conversation, dict) and isinstance(conversation.get("mapping"), dict):
                yield _Conversation(conversation, file).found(offset, counts)
            else:
                counts.quarantine(offset, "not a conversation")


def _conversations(element: Json) -> list[Any]:
    """The conversations in an element of the export: itself, or those that it wraps."""
    if isinstance(element, dict) and "mapping" not in element and isinstance(element.get("conversations"), list):
        return sequence(element["conversations"])
    return [element]


def _is_conversation(value: Json) -> bool:
    nodes = record(value).get("mapping")
    if not isinstance(nodes, dict):
        return False
    messages = [message for node in nodes.values() if isinstance(message := record(node).get("message"), dict)]
    return any("author" in message for message in messages) if messages else "current_node" in value


class _Tree:
    """The nodes of a conversation; what is wrong with their links (cycles, parents that are not there) costs links."""

    def __init__(self, nodes: dict[str, Any], current: Json) -> None:
        self.nodes = {name: record(node) for name, node in nodes.items()}
        listed: dict[str, str] = {}  # child → the node that lists it; in that order they are siblings
        for name, node in self.nodes.items():
            for child in sequence(node.get("children")):
                if isinstance(child, str) and child in self.nodes:
                    listed.setdefault(child, name)
        self.parents = {name: self._parent(node) or listed.get(name) for name, node in self.nodes.items()}
        self.children: dict[str, list[str]] = {}
        for name in dict.fromkeys((*listed, *self.nodes)):
            if (above := self.parents[name]) is not None:
                self.children.setdefault(above, []).append(name)
        self.visible = self._line(current if isinstance(current, str) and current in self.nodes else self._newest())

    def order(self) -> Iterator[str]:
        """Every node once: parents before children, and of children the one on the visible branch last."""
        top = next(reversed(self.visible), None)
        roots = [name for name, above in self.parents.items() if above is None]
        seen: set[str] = set()
        for root in [*([] if top is None else [top]), *roots, *self.nodes]:
            stack = [root]
            while stack:
                name = stack.pop()
                if name not in seen:
                    seen.add(name)
                    yield name
                    below = sorted(self.children.get(name, []), key=self.visible.__contains__)
                    stack += reversed(below)

    def _parent(self, node: dict[str, Any]) -> str | None:
        parent = node.get("parent")
        return parent if isinstance(parent, str) and parent in self.nodes else None

    def _line(self, name: str | None) -> dict[str, None]:
        """A node and all above it."""
        line: dict[str, None] = {}
        while name is not None and name not in line:
            line[name] = None
            name = self.parents[name]
        return line

    def _newest(self) -> str | None:
        """The leaf with the newest message; of several the last."""
        leaves = [name for name in self.nodes if name not in self.children] or list(self.nodes)
        return max(
            reversed(leaves), key=lambda name: _time(record(self.nodes[name].get("message"))) or "", default=None
        )


class _Conversation:
    """One conversation: its session, and its messages in the order of the tree."""

    def __init__(self, conversation: dict[str, Any], file: Readable) -> None:
        self.conversation, self.file = conversation, file
        self.tree = _Tree(conversation["mapping"], conversation.get("current_node"))
        # By node: the message that the next one answers, and the call of a tool that its results belong to.
        self.said: dict[str | None, str | None] = {}
        self.asked: dict[str | None, str | None] = {}
        self.taken: set[str] = set()
        self.occurrences: dict[str, int] = {}

    def found(self, offset: int, counts: Counts) -> Found:
        """The conversation; what could not be used of it is counted."""
        messages = []
        for name in self.tree.order():
            try:
                message = self._message(name)
            except Exception as error:
                counts.quarantine(offset, f"unreadable message: {type(error).__name__} {error}"[:120])
                continue
            if message is None:
                counts.skipped += 1
            else:
                counts.kept += 1
                messages.append(message)
        return Found(self._session(messages), iter(messages))

    def _session(self, messages: list[Message]) -> Session:
        told = self.conversation
        times = [message.timestamp for message in messages if message.timestamp]
        root = next(self.tree.order(), None) or storable(self.file.stem)
        name = string(told.get("conversation_id")) or string(told.get("id")) or root
        metadata: dict[str, Any] = {key: value for key, field in _FACTS.items() if (value := string(told.get(field)))}
        metadata |= {key: True for key in ("is_archived", "is_do_not_remember") if told.get(key) is True}
        return Session(
            f"{NAME}:{name}",
            string(told.get("title")),
            created_at=moment(told.get("create_time")) or earliest(*times),
            updated_at=moment(told.get("update_time")) or latest(*times),
            source=str(self.file),
            metadata={"agent": NAME, **metadata},
        )

    def _message(self, name: str) -> Message | None:
        """The message of a node, if it says anything."""
        node, above = self.tree.nodes[name], self.tree.parents[name]
        self.said[name], self.asked[name] = self.said.get(above), self.asked.get(above)
        told = record(node.get("message"))
        author = record(told.get("author"))
        role = _ROLES.get(str(author.get("role")).lower(), "system")
        message = Message("", role, "harness", "", _time(told), self._state(name, told), self.said[name])
        self._say(message, told, author)
        message.origin = _origin(message, told, author)
        message.identity = self._identity(message, told, name)
        if message.tool_calls:
            self.asked[name] = message.identity
            message.tool_calls[0]["id"] = message.identity
        elif role == "tool":
            message.tool_call_id, message.name = self.asked[name], string(author.get("name"))
        elif message.content:
            self.asked[name] = None
        if not (message.content or message.thinking or message.tool_calls):
            return None
        self.taken.add(message.identity)
        self.said[name] = message.identity
        return message

    def _say(self, message: Message, told: dict[str, Any], author: dict[str, Any]) -> None:
        """What the message says, in the field where it belongs."""
        recipient = string(told.get("recipient")) or "all"
        if message.role == "assistant":
            message.model = string(record(told.get("metadata")).get("model_slug"))
        if message.role == "assistant" and recipient != "all":
            message.tool_calls = [call(None, recipient, arguments_of(told))]
        elif kind_of(told) in THOUGHTS:
            message.thinking = string(text_of(told))
        else:
            message.content = string(text_of(told)) or ""

    def _state(self, name: str, told: dict[str, Any]) -> State:
        if record(told.get("metadata")).get("is_visually_hidden_from_conversation") is True:
            return "hidden"
        return "active" if name in self.tree.visible else "withdrawn"

    def _identity(self, message: Message, told: dict[str, Any], name: str) -> str:
        names = (string(told.get("id")), name or None)
        free = next((given for given in names if given and given not in self.taken), None)
        return free or derived_identity(message, self.occurrences)


def _origin(message: Message, told: dict[str, Any], author: dict[str, Any]) -> Origin:
    """Who really spoke."""
    kind = kind_of(told)
    if kind in CONTEXT or record(told.get("metadata")).get("is_user_system_message") is True:
        return "harness"
    if message.role == "user" and harness.is_harness(message.content):
        return "harness"
    if message.role == "assistant":
        if str(record(author.get("metadata")).get("real_author")).startswith("tool:"):
            return "tool"
        if kind == "system_error":
            return "harness"
    return _ORIGINS[message.role]


def _time(message: dict[str, Any]) -> str | None:
    return moment(message.get("create_time"))


IMPORTER = Importer(NAME, sniff, read)
