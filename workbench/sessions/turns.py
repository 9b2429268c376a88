"""What a conversation weighs, and where it can be cut: tokens, turns, and the part at its end that stays verbatim.

Messages are rows of a canonical file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench import guard, text
from workbench.config import Compaction
from workbench.errors import WorkbenchError
from workbench.sessions import canonical
from workbench.sessions.model import LEARNABLE

Row = dict[str, Any]

# A message costs some tokens beside its text: its role, its bounds.
_FRAME = 4
# Less than this share of what the text must have is no count: some agents write 1 while an answer still comes in.
_PLAUSIBLE = 8
# An answer needs this much; and no more of a window than this is kept free for it, however large the reserve is.
_LEAST_RESERVE, _RESERVE_SHARE = 512, 0.35
_TAIL_SHARE = 0.25
# So much of a long result of a tool is looked at for credentials before it is cut.
_SCANNED = 4_000


@dataclass(frozen=True, slots=True)
class Budget:
    """How many tokens a conversation may have.

    :param threshold: above it, it is compacted; ``soft``: above it, what is about to be compacted is learned from.
    :param tail: how many may stay verbatim.
    """

    window: int
    reserve: int
    threshold: int
    soft: int
    tail: int


def budget(settings: Compaction, window: int | None = None) -> Budget:
    """The budget for a context window (None: that of the settings).

    :raises WorkbenchError: when the window leaves no room beside the answer.
    """
    size = settings.context_window if window is None else window
    reserve = max(_LEAST_RESERVE, min(settings.reserve_tokens_floor, int(_RESERVE_SHARE * size)))
    if reserve >= size:
        raise WorkbenchError(f"a context window of {size} tokens leaves no room beside the {reserve} of the answer")
    threshold = size - reserve
    soft = max(threshold - settings.memory_flush.soft_threshold_tokens, 0)
    return Budget(size, reserve, threshold, soft, min(settings.keep_recent.max_tokens, int(_TAIL_SHARE * threshold)))


def tokens(row: Row) -> int:
    """The tokens of a message: as its source counted them for an answer, else estimated. Thinking is not sent again."""
    calls = row.get("tool_calls")
    guessed = text.tokens(row["content"]) + (text.tokens(json.dumps(calls, ensure_ascii=False)) if calls else 0)
    usage = _usage(row)
    said = usage.get("output", 0) - usage.get("reasoning", 0)
    believed = row["role"] == "assistant" and said > 0 and said * _PLAUSIBLE >= guessed
    return _FRAME + (said if believed else guessed)


def total(rows: Sequence[Row], start: int = 0) -> int:
    """The running total of a conversation: the sum of its messages, or what the source counted for its last request
    and what came after that, whichever is more.

    :param start: how many of the messages were there when it was compacted last: what the source counted until then
        was of the conversation as it had been.
    """
    weighed = [tokens(row) for row in rows]
    counted = 0
    for position in range(len(rows) - 1, start - 1, -1):
        if (usage := _usage(rows[position])).get("input"):
            counted = _sent(usage) + usage.get("output", 0) + sum(weighed[position + 1 :])
            break
    return max(sum(weighed), counted)


def _usage(row: Row) -> dict[str, int]:
    usage = row.get("usage")
    return {name: n for name, n in usage.items() if type(n) is int and n >= 0} if isinstance(usage, dict) else {}


def _sent(usage: dict[str, int]) -> int:
    """What a request held; some count what was cached with the rest, some apart."""
    cached = usage.get("cache_read", 0) + usage.get("cache_write", 0)
    apart = cached > usage["input"] or "cache_write" in usage
    return usage["input"] + (cached if apart else 0)


def begins(row: Row) -> bool:
    """Whether a turn begins with this message."""
    return row["role"] == "user" and row["origin"] in ("user", "automation")


def history(rows: Sequence[Row]) -> list[Row]:
    """The messages in an agent's context, apart from summaries: what is compacted, withdrawn or hidden is not, nor
    what its subagents said among themselves."""
    return [
        row
        for row in rows
        if row["state"] == "active" and row["origin"] != "subagent" and not canonical.is_summary(row)
    ]


def blocks(rows: Sequence[Row]) -> list[list[Row]]:
    """Whole turns: a message of the person with all that answers it; what stands before the first is one, too."""
    found: list[list[Row]] = []
    for row in rows:
        if begins(row) or not found:
            found.append([])
        found[-1].append(row)
    return found


def tail(rows: Sequence[Row], settings: Compaction, limit: int) -> list[Row]:
    """What of a history stays verbatim: whole turns from its end, until there is enough, never more than ``limit``.

    Of a last turn that is over the limit, the question and the final answer, or at least the question, stay.
    """
    turns = blocks(rows) if settings.keep_recent.enabled else []
    kept: list[Row] = []
    weight = texts = 0
    for turn in reversed(turns):
        weight += sum(tokens(row) for row in turn)
        if weight > limit:
            break
        kept = turn + kept
        texts += sum(_is_text(row) for row in turn)
        if weight >= min(settings.keep_recent.min_tokens, limit) and texts >= settings.keep_recent.min_messages:
            break
    return kept or _core(turns[-1] if turns else list(rows), limit if settings.keep_recent.enabled else 0)


def _core(turn: list[Row], limit: int) -> list[Row]:
    question = next((row for row in reversed(turn) if begins(row)), None)
    answer = next((row for row in reversed(turn) if _is_answer(row)), None)
    both = [row for row in turn if row is question or row is answer]
    fits = sum(tokens(row) for row in both) <= limit
    return both if fits else [row for row in both if row is question]


def _is_text(row: Row) -> bool:
    return row["origin"] in LEARNABLE and bool(row["content"].strip())


def _is_answer(row: Row) -> bool:
    return row["origin"] == "assistant" and not row.get("tool_calls") and bool(row["content"].strip())


def microcompact(rows: Sequence[Row], settings: Compaction) -> list[Row]:
    """The messages with the results of tools, but for the last ones, cut short."""
    if not settings.microcompact.enabled:
        return list(rows)
    results = [number for number, row in enumerate(rows) if row["role"] == "tool"]
    old = set(results[: max(len(results) - settings.microcompact.keep_recent_full, 0)])
    return [
        _cut(row, settings.microcompact.truncate_chars) if number in old else row for number, row in enumerate(rows)
    ]


def _cut(row: Row, limit: int) -> Row:
    content = row["content"]
    if len(content) <= limit:
        return row
    # A credential that is cut in two would no longer be known for one: masked first.
    return {**row, "content": f"{guard.mask(content[: limit + _SCANNED])[:limit]}\n[cut: {len(content):,} characters]"}


def last_turn(rows: Sequence[Row]) -> list[Row]:
    """The last message of the person, with all that answers it."""
    turns = blocks(rows)
    return turns[-1] if turns and begins(turns[-1][0]) else []
