"""Compaction: when a conversation nears what a model can take, what was said before its last turns is summed up.

Nothing is taken away. The messages stay where they are, in the state ``compacted``, and a summary stands before those
that are still in the context; no source that is read again changes that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench import db
from workbench.config import Compaction
from workbench.errors import NotFound
from workbench.home import Home
from workbench.sessions import canonical, extract, states, store, summary, turns
from workbench.sessions.model import LEARNABLE, Message
from workbench.sessions.summary import Sections
from workbench.sessions.turns import Budget, Row
from workbench.text import ERASED, sha256

# What the metadata of a conversation says of its compactions stands under this name.
MARK = "compaction"
_SUMMARY_LIMITS, _SUMMARY_SHARE = (400, 4_000), 0.1
_HEADER = ("key", "created_at", "updated_at", "metadata")
_SHOWN = ("role", "content", "timestamp", "tool_calls", "tool_call_id", "name")

# (messages, the summary of what was before them) → the summary of all.
Write = Callable[[Sequence[Row], Sections | None], Sections]


@dataclass(frozen=True, slots=True)
class Plan:
    """What compacting a conversation would do.

    :param tokens: of the conversation as it is: ``kept`` of those that stay, ``budget`` of those that may be there.
    :param leaving: the messages of the history that would be compacted; ``ids`` of all that would, the last summary and
        what subagents said among themselves with them.
    :param before: the id of the message that the summary comes to stand before; None for the end.
    :param earlier: the summary that is there.
    :param mark: what the metadata says of earlier compactions.
    :param last: the id of the last message.
    """

    key: str
    header: dict[str, Any]
    budget: Budget
    tokens: int
    kept: int
    staying: int
    leaving: list[Row]
    ids: list[int]
    before: int | None
    earlier: Sections | None
    mark: dict[str, Any]
    last: int | None

    @property
    def due(self) -> bool:
        """Whether there is too much."""
        return self.tokens > self.budget.threshold and bool(self.leaving)

    @property
    def cycle(self) -> int:
        """How often it was compacted."""
        cycles = self.mark.get("cycles")
        return cycles if type(cycles) is int else 0

    @property
    def learnable(self) -> list[Row]:
        """What of it the person or the assistant said."""
        return [row for row in self.leaving if row["origin"] in LEARNABLE and row["content"].strip()]


@dataclass(frozen=True, slots=True)
class Done:
    """What compacting did.

    :param summary: empty when nothing was compacted.
    :param tokens: of the conversation as it is now.
    :param flushed: whether what was about to be compacted was learned from.
    """

    plan: Plan
    summary: str = ""
    tokens: int = 0
    flushed: bool = False


@dataclass(frozen=True, slots=True)
class _Split:
    kept: list[Row] = field(default_factory=list)
    leaving: list[Row] = field(default_factory=list)
    whole: bool = True


def plan(home: Home, key: str, settings: Compaction, window: int | None = None) -> Plan:
    """What compacting a conversation would do; nothing is written.

    :param window: the context window in tokens (None: that of the settings).
    :raises NotFound: when there is no such conversation.
    :raises WorkbenchError: when the window is too small for anything, or the conversation can't be read.
    """
    budget = turns.budget(settings, window)
    path = store.path_of(home, key)
    if not path.is_file():
        raise NotFound(f"there is no conversation {key}")
    header = canonical.read_header(path)
    rows = states.rows_of(path)
    mark = _mark_of(header)
    shown = turns.microcompact(turns.history(rows), settings)
    split = _split(shown, settings, budget)
    summaries = [row for row in rows if row["state"] == "active" and canonical.is_summary(row)]
    start = _count_until(rows, shown, mark.get("through"))
    weight = sum(turns.tokens(row) for row in summaries)
    stay = {row["id"] for row in split.kept}
    before = split.kept[0]["id"] if split.kept else None
    return Plan(
        key=key,
        header=header,
        budget=budget,
        tokens=weight + turns.total(shown, start),
        kept=sum(turns.tokens(row) for row in split.kept),
        staying=len(split.kept),
        leaving=[row for row in split.leaving if not row.get("erased")],
        ids=_ids(rows, stay, before if split.whole else None),
        before=before,
        earlier=_earlier(summaries),
        mark=mark,
        last=rows[-1]["id"] if rows else None,
    )


def compact(
    home: Home,
    key: str,
    settings: Compaction,
    *,
    window: int | None = None,
    force: bool = False,
    flush: Callable[[Plan], None] | None = None,
    write: Write = extract.extract,
) -> Done:
    """Compact a conversation where there is too much of it.

    :param window: the context window in tokens (None: that of the settings).
    :param force: also where there is not too much.
    :param flush: learns from what is about to be compacted, once before each compaction, from a little before there is
        too much on. What fails in it fails the compaction.
    :param write: sums up; it raises rather than give half a summary, and then nothing is compacted.
    :raises Changed: when another process changed the conversation meanwhile.
    :raises WorkbenchError: as ``plan``, and when it can't be written.
    """
    made = plan(home, key, settings, window)
    nearly = made.leaving and (force or made.tokens > made.budget.soft)
    flushed = bool(flush and settings.memory_flush.enabled and nearly and made.mark.get("flushed") != made.cycle)
    mark = made.mark | ({"flushed": made.cycle} if flushed else {})
    if flush is not None and flushed:
        flush(made)
        states.note(home, key, {MARK: mark})
    if not made.leaving or not (force or made.due):
        return Done(made, tokens=made.tokens, flushed=flushed)
    text = summary.render(fitted(made, write(made.leaving, made.earlier)))
    added = _message(made, text)
    weight = turns.tokens({"role": "system", "content": text})
    if weight + made.kept >= made.tokens:
        return Done(made, tokens=made.tokens, flushed=flushed)
    mark |= {"cycles": made.cycle + 1, "through": made.last, "at": db.now()}
    states.restate(home, key, made.ids, "compacted", added=added, before=made.before, metadata={MARK: mark})
    return Done(made, text, weight + made.kept, flushed)


def fitted(made: Plan, sections: Sections) -> Sections:
    """The sections of a summary, as long as it may be in this conversation."""
    least, most = _SUMMARY_LIMITS
    return summary.fit(sections, max(least, min(most, int(_SUMMARY_SHARE * made.budget.threshold))))


def working(rows: Sequence[Row]) -> list[Row]:
    """What of a conversation is in the context: the summary, and what was said since."""
    return [
        row
        for row in rows
        if row["state"] == "active" and row["origin"] != "subagent" and not (canonical.is_summary(row) and _empty(row))
    ]


def as_flowly(home: Home, key: str) -> bytes:
    """The context of a conversation as Flowly keeps one: a metadata line, the summary, the messages since.

    :raises WorkbenchError: when it can't be read.
    """
    path = store.path_of(home, key)
    if not path.is_file():
        raise NotFound(f"there is no conversation {key}")
    header = canonical.read_header(path)
    first = {"_type": "metadata"} | {name: header.get(name) for name in _HEADER}
    rows = working(states.rows_of(path))
    lines = [{name: row[name] for name in _SHOWN if row.get(name) is not None} for row in rows]
    return b"".join(canonical.dump(line) for line in (first, *lines))


def _split(shown: list[Row], settings: Compaction, budget: Budget) -> _Split:
    """What of the history stays, and what leaves."""
    kept = turns.tail(shown, settings, budget.tail)
    names = {row["id"] for row in kept}
    whole = bool(kept) and [row["id"] for row in shown[-len(kept) :]] == [row["id"] for row in kept]
    return _Split(kept, [row for row in shown if row["id"] not in names], whole)


def _ids(rows: Sequence[Row], stay: set[int], before: int | None) -> list[int]:
    """All that leaves: whatever is active, up to the message ``before`` which the tail begins, or all but the tail."""
    found = []
    for row in rows:
        if row["id"] == before:
            break
        if row["state"] == "active" and row["id"] not in stay:
            found.append(row["id"])
    return found


def _count_until(rows: Sequence[Row], shown: Sequence[Row], through: object) -> int:
    """How many of the messages shown were there when the message ``through`` was the last one."""
    known: set[int] = set()
    for row in rows:
        known.add(row["id"])
        if row["id"] == through:
            return sum(row["id"] in known for row in shown)
    return 0


def _mark_of(header: dict[str, Any]) -> dict[str, Any]:
    described = header.get("metadata")
    mark = described.get(MARK) if isinstance(described, dict) else None
    return dict(mark) if isinstance(mark, dict) else {}


def _earlier(summaries: Sequence[Row]) -> Sections | None:
    told = [summary.parse(row["content"]) for row in summaries if not _empty(row)]
    if not told:
        return None
    return {name: [line for sections in told for line in sections[name]] for name in told[0]}


def _empty(row: Row) -> bool:
    return bool(row["content"] == ERASED or row.get("erased"))


def _message(made: Plan, text: str) -> Message:
    """The summary as a message. What it stands for names it: the same compaction is not done twice."""
    identity = canonical.SUMMARY + sha256("\x1f".join(map(str, made.ids)))[:32]
    timestamp = next((row["timestamp"] for row in reversed(made.leaving) if row.get("timestamp")), None)
    return Message(identity, "system", "harness", text, timestamp)
