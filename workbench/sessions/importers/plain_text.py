"""A chat as plain text or Markdown: ``User: …`` and ``Assistant: …``, ``**You:** …``, ``## ChatGPT``, ``You said:``.

The ways to write it are those of pages copied as text (rocketbro/chatgpt-formatter, README.md), of exporters
(RobertoReale/Claude-Chat-Export-Tool and shakerdesigns/claude-chat-exporter, README.md) and of Vicuna's prompts
(lm-sys/FastChat, fastchat/conversation.py). Few marks tell such a file; so all turns have to be written alike, both
sides have to speak, and the chat has to begin where the file does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from workbench.sessions import harness
from workbench.sessions.importers import Found, Importer, Sample
from workbench.sessions.importers.lines import MAX_LINE, Counts
from workbench.sessions.importers.readable import Readable, opened
from workbench.sessions.importers.text_lines import Block, Fence, head_lines, iso, lines_of, named
from workbench.sessions.model import Message, Origin, Role, Session
from workbench.text import sha256

NAME = "text"
_HEAD, _LONG = 64 * 1024, 4 * 1024 * 1024
_MAX_BEFORE = 10  # lines before the first turn: a title, a date, a link
_TIME = r"[\[(]?(?P<{}>\d[\d/.,:+ TZAPMapm-]{{3,32}}?)[\])]?"
_PICTURE = r"(?:[^\w\s#*\[(<>`|:.,-]{1,4} ?)?"
_BEFORE, _AFTER = rf"(?:{_TIME.format('before')} (?:- )?)?{_PICTURE}", rf"(?: {_TIME.format('after')})?"
_LABEL = (
    r"(?:(?P<user>User|Human|You|Me|USER|HUMAN)"
    r"|(?P<assistant>(?:AI )?Assistant|ASSISTANT|AI|Bot|Copilot|DeepSeek|Grok"
    r"|(?:ChatGPT|Claude|Gemini|GPT)(?:[ -](?:\d[\w.]*|Code|Flash|Haiku|Opus|Pro|Sonnet)){0,3})"
    r"|(?P<system>System))(?: said)?"
)
_FORMS = {
    "heading": rf"(?P<mark>\#+) +{_BEFORE}(?:\*\*)?{_LABEL}{_AFTER}(?:(?::(?:\*\*)?|\*\*:)(?P<text> .*)?|(?:\*\*)?)",
    "bold": rf"(?P<mark>){_PICTURE}\*\*{_BEFORE}{_LABEL}{_AFTER}(?:(?::\*\*|\*\*:)(?P<text>.*)|\*\*)",
    "plain": rf"(?P<mark>){_BEFORE}{_LABEL}{_AFTER}:(?P<text>.*)",
}
_PATTERNS = {name: re.compile(form) for name, form in _FORMS.items()}
_TITLE = re.compile(r"# +(\S.*)")
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,})")
_ROLES: dict[str, tuple[Role, Origin]] = {
    "user": ("user", "user"),
    "assistant": ("assistant", "assistant"),
    "system": ("system", "harness"),
}


@dataclass(slots=True)
class _Turn:
    """What one side said; ``who`` is empty for what stands before the first turn."""

    block: Block
    who: str = ""
    label: str = ""
    time: str | None = None
    open: bool = False  # it ends within a block of code, so that turns of others may be hidden in it

    @property
    def text(self) -> str:
        """What was said, without a rule under it."""
        text = self.block.text
        before, _, last = text.rpartition("\n")
        return before.rstrip() if _RULE.fullmatch(last) else text


@dataclass(slots=True)
class _Dialect:
    """How the turns of one file are written: what each side was called first it is called everywhere."""

    pattern: re.Pattern[str]
    sides: dict[str, tuple[str, str]] = field(default_factory=dict)

    def turn(self, line: str, offset: int) -> _Turn | None:
        """The turn that ``line`` begins."""
        found = self.pattern.fullmatch(line.rstrip())
        if found is None:
            return None
        who = next(who for who in _ROLES if found[who])
        known = self.sides.setdefault(who, (found["mark"], found[who]))
        if known[0] != found["mark"] or (who == "user" and known[1] != found[who]):
            return None
        turn = _Turn(Block(offset), who, found[who], iso(found["before"] or found["after"]))
        turn.block.add((found["text"] or "").removeprefix(" "))
        return turn


def sniff(sample: Sample) -> bool:
    """Two sides that take turns, all of them written alike."""
    return _form_of(sample.head, sample.more) is not None


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The one session of a file, named by a hash of its beginning up to the end of the first words of the person."""
    with opened(file) as handle:
        head = handle.read(_HEAD)
        pattern = _PATTERNS[_form_of(head, lambda: head + handle.read(_LONG)) or "plain"]
    session = Session("", source=str(file))
    beginning = []
    for turn in _turns(lines_of(file), _Dialect(pattern)):
        if not turn.who:
            titles = (_TITLE.fullmatch(line) for line in turn.block.lines)
            session.title = next((found[1].strip() for found in titles if found), None)
            continue
        beginning.append(f"{turn.who}: {turn.text}")
        session.created_at = session.created_at or turn.time
        if turn.who == "user":
            break
    session.key = f"{NAME}:{sha256(chr(31).join(beginning))[:32]}"

    def messages(counts: Counts) -> Iterator[Message]:
        return _messages(_turns(lines_of(file, counts), _Dialect(pattern)), counts)

    yield Found(session, messages(counts), again=lambda: messages(Counts()), alone=True)


def _form_of(head: bytes, more: Callable[[], bytes]) -> str | None:
    """How the turns of a file are written; None where it is no chat. A long first turn is read to its end."""
    found, begun = _form(head)
    return _form(more())[0] if begun and found is None and len(head) >= _HEAD else found


def _form(head: bytes) -> tuple[str | None, bool]:
    """How the turns of a file that begins so are written, None where it is no chat; and whether a turn begins in it."""
    lines, begun = head_lines(head), False
    for name, pattern in _PATTERNS.items():
        turns = list(_turns(enumerate(lines), _Dialect(pattern)))
        before = sum(1 for line in turns[0].block.lines if line.strip())
        sides = [turn.who for turn in turns if turn.who in ("user", "assistant")]
        changes = sum(one != other for one, other in pairwise(sides))
        if before <= _MAX_BEFORE and changes and changes * 2 >= len(sides) - 1:
            return name, True
        begun = begun or (before <= _MAX_BEFORE and bool(sides))
    return None, begun


def _turns(lines: Iterable[tuple[int, str]], dialect: _Dialect) -> Iterator[_Turn]:
    """What stands before the first turn, and the turns; what looks like one in a block of code is none."""
    current, fence = _Turn(Block(0)), Fence()
    for offset, line in lines:
        if not fence.see(line) and (turn := dialect.turn(line, offset)) is not None:
            yield current
            current = turn
        else:
            current.block.add(line)
    current.open = bool(fence.mark)
    yield current


def _messages(turns: Iterable[_Turn], counts: Counts) -> Iterator[Message]:
    occurrences: dict[str, int] = {}
    for turn in turns:
        if not turn.block.fits:
            counts.quarantine(turn.block.offset, f"a turn of over {MAX_LINE >> 20} MB")
        elif turn.who and (text := turn.text):
            role, origin = _ROLES[turn.who]
            if origin == "user" and (turn.open or harness.is_harness(text)):
                origin = "harness"
            counts.kept += 1
            yield named(Message("", role, origin, text, turn.time), occurrences)
        elif turn.who:
            counts.skipped += 1


IMPORTER = Importer(NAME, sniff, read, vague=True)
