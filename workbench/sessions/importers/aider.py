"""aider: ``.aider.chat.history.md`` in the folder of a project, all its sessions one after the other.

Built from Aider-AI/aider (aider/io.py, which writes it; aider/utils.py, which reads it back; aider/reasoning_tags.py)
and from histories that people keep in public repositories. ``.aider.input.history``, what was typed alone, is not read.

Nothing names a session but its time, to the second; so that two projects stay apart and a moved file keeps its ids,
its key is that time and a hash of what aider printed up to the first prompt, and of that prompt. The folder is no part
of it. A session without a prompt is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from workbench.sessions import harness
from workbench.sessions.importers import Found, Importer, Sample
from workbench.sessions.importers.lines import MAX_LINE, Counts
from workbench.sessions.importers.readable import Readable
from workbench.sessions.importers.text_lines import Block, head_lines, lines_of, named
from workbench.sessions.model import Message, Session
from workbench.text import sha256

NAME = "aider"
_FILE = ".aider.chat.history.md"
_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*")
_PROMPT, _OUTPUT, _BREAK = "####", ">", "  "
_NOTHING_TYPED = "<blank>"
_QUESTION = re.compile(r"\(Y\)es/\(N\)o.{0,80}: ?\w*$")
_MODEL = re.compile(r"(?:Main model|Models?): ([^\s,]+)")
_VERSION = re.compile(r"Aider v(\S+)")
_THOUGHT = re.compile(r"\s*<(think|thinking-content-[0-9a-f]{32})>")
_Kind = Literal["prompt", "output", "answer"]


@dataclass(slots=True)
class _Piece:
    """Lines of one kind: what the person typed, what aider printed, what the model answered."""

    kind: _Kind
    block: Block


@dataclass(slots=True)
class _Chat:
    """One session, as its lines come in.

    :param breaks: aider ends its marked lines with two spaces, unless somebody had them taken off. Where it does, lines
        that only look like them (a heading or a quotation in an answer) are told apart.
    """

    started: str
    pieces: list[_Piece] = field(default_factory=list)
    prompted: bool = False
    breaks: bool = False
    after_blank: bool = True

    def add(self, offset: int, line: str) -> None:
        """The next line."""
        last = self.pieces[-1] if self.pieces else None
        if not line.strip():
            self.after_blank = True
            if last is not None and last.kind == "answer":
                last.block.add("")
            return
        kind = self._kind(line, last.kind if last else None)
        if kind != "answer":
            self.breaks = self.breaks or line.endswith(_BREAK)
            line = line.removeprefix(_PROMPT if kind == "prompt" else _OUTPUT).removeprefix(" ").rstrip()
        if last is None or last.kind != kind or (kind == "prompt" and self.after_blank):
            last = _Piece(kind, Block(offset))
            self.pieces.append(last)
        last.block.add(line)
        self.prompted = self.prompted or kind == "prompt"
        self.after_blank = False

    def _kind(self, line: str, last: _Kind | None) -> _Kind:
        marked = line.endswith(_BREAK) or not self.breaks
        if f"{line} ".startswith(f"{_PROMPT} ") and marked and (self.after_blank or last == "prompt"):
            return "prompt"
        if not self.prompted:
            return "output"
        if self.after_blank:  # as an answer always is; what aider prints may go on over several lines
            return "output" if marked and line.startswith(_OUTPUT) else "answer"
        return "answer" if last == "answer" or (last == "prompt" and not line.startswith(_OUTPUT)) else "output"

    @property
    def key(self) -> str:
        """What names this session."""
        up_to = next(number for number, piece in enumerate(self.pieces) if piece.kind == "prompt") + 1
        seen = chr(31).join(piece.block.text for piece in self.pieces[:up_to])
        return f"{NAME}:{self.started}-{sha256(seen)[:12]}"


def sniff(sample: Sample) -> bool:
    """The line that aider begins a session with."""
    first = next((line for line in head_lines(sample.head) if line.strip()), "")
    return _START.fullmatch(first) is not None


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The sessions of one file, each held in memory while it is taken."""
    project = str(file.parent) if isinstance(file, Path) and file.name == _FILE else None
    for chat in _chats(file, counts):
        if not chat.prompted:
            counts.skipped += len(chat.pieces)
            continue
        session = Session(chat.key, None, project, chat.started, source=str(file))
        yield Found(session, iter(list(_messages(chat, session, counts))))


def _chats(file: Readable, counts: Counts) -> Iterator[_Chat]:
    current, blank = None, True
    for offset, line in lines_of(file, counts):
        start = _START.fullmatch(line) if blank else None
        if start is not None:
            if current is not None:
                yield current
            current = _Chat("T".join(start.groups()))
        elif current is not None:
            current.add(offset, line)
        blank = not line.strip()
    if current is not None:
        yield current


def _messages(chat: _Chat, session: Session, counts: Counts) -> Iterator[Message]:
    occurrences: dict[str, int] = {}
    model = None
    for piece in chat.pieces:
        text = piece.block.text
        if not piece.block.fits:
            counts.quarantine(piece.block.offset, f"{piece.kind} of over {MAX_LINE >> 20} MB")
            continue
        if piece.kind == "output":
            model = _describe(session, piece.block.lines) or model
        if not text or (piece.kind == "prompt" and text == _NOTHING_TYPED):
            counts.skipped += 1
            continue
        counts.kept += 1
        yield named(_message(piece.kind, text, chat.started, model), occurrences)


def _message(kind: _Kind, text: str, time: str, model: str | None) -> Message:
    if kind == "output":
        return Message("", "tool", "tool", text, time)
    if kind == "prompt":
        # An answer to a question of aider is written down as if it had been typed with the question.
        asked = _QUESTION.search(text) is not None
        return Message("", "user", "harness" if asked or harness.is_harness(text) else "user", text, time)
    message = Message("", "assistant", "assistant", text, time, model=model)
    opening = _THOUGHT.match(text)
    if opening and (end := text.find(f"</{opening[1]}>", opening.end())) >= 0:
        message.thinking = text[opening.end() : end].strip()
        message.content = text[end + len(opening[1]) + 3 :].strip()
    return message


def _describe(session: Session, lines: list[str]) -> str | None:
    """Take the version and the model from what aider printed; the model that answers from here on."""
    model = None
    for line in lines:
        if found := _MODEL.match(line):
            model = found[1]
            session.metadata.setdefault("model", model)
        elif found := _VERSION.fullmatch(line):
            session.metadata.setdefault("version", found[1])
    return model


IMPORTER = Importer(NAME, sniff, read)
