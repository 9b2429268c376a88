"""What a conversation weighs, and where it is cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.homes import at_defaults
from tests.sessions.talks import SMALL, TOKEN, message
from workbench import config
from workbench.config.model import Compaction, KeepRecent, MemoryFlush, Microcompact
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import turns


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (128_000, (20_000, 108_000, 104_000, 20_000)),
        (1_000_000, (20_000, 980_000, 976_000, 20_000)),
        (16_385, (5_734, 10_651, 6_651, 2_662)),
        (4_000, (1_400, 2_600, 0, 650)),
        (1_000, (512, 488, 0, 122)),
    ],
)
def test_budget(window: int, expected: tuple[int, ...]) -> None:
    found = turns.budget(Compaction(), window)
    assert (found.reserve, found.threshold, found.soft, found.tail) == expected
    assert turns.budget(Compaction.model_construct(context_window=window)) == found


def test_a_window_without_room_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="512 tokens leaves no room beside the 512"):
        turns.budget(Compaction(), 512)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"contextWindow": 20_000}, r"reserveTokensFloor \(20000\) must be smaller than contextWindow \(20000\)"),
        ({"contextWindow": 3_999}, "contextWindow must be a whole number from 4,000 to 100,000,000, not 3999"),
        ({"memoryFlush": {"enabled": 1}}, "compaction.memoryFlush.enabled must be true or false"),
        ({"maxHistoryShare": 0.95}, "maxHistoryShare must be a number from 0.1 to 0.9"),
        ({"model": 5}, "compaction.model must be text"),
        ({"keepRecent": []}, "compaction.keepRecent must be an object"),
    ],
)
def test_settings_that_can_not_be(home: Home, section: dict[str, Any], said: str) -> None:
    home.config.write_text(json.dumps(at_defaults("compaction", section)))
    with pytest.raises(WorkbenchError, match=said):
        config.load(home)


def test_settings(home: Home) -> None:
    assert config.load(home).compaction == Compaction()
    section = {
        "model": "m",
        "contextWindow": 64_000,
        "reserveTokensFloor": 8_000,
        "memoryFlush": {"enabled": False, "softThresholdTokens": 1},
        "microcompact": {"enabled": False, "keepRecentFull": 2, "truncateChars": 50},
        "keepRecent": {"enabled": False, "minTokens": 3, "minMessages": 4, "maxTokens": 5},
    }
    home.config.write_text(json.dumps(at_defaults("compaction", section)))
    assert config.load(home).compaction == Compaction(
        model="m",
        context_window=64_000,
        reserve_tokens_floor=8_000,
        memory_flush=MemoryFlush(enabled=False, soft_threshold_tokens=1),
        microcompact=Microcompact(enabled=False, keep_recent_full=2, truncate_chars=50),
        keep_recent=KeepRecent(enabled=False, min_tokens=3, min_messages=4, max_tokens=5),
    )


@pytest.mark.parametrize(
    ("role", "usage", "expected"),
    [
        ("assistant", None, 104),
        ("assistant", {"input": 5_000, "output": 150}, 154),
        ("assistant", {"output": 150, "reasoning": 60}, 94),
        ("assistant", {"output": 1}, 104),  # as an agent writes it while the answer still comes in
        ("assistant", {"output": -5}, 104),
        ("assistant", {"output": True}, 104),
        ("user", {"output": 150}, 104),
    ],
)
def test_what_a_source_counted_counts(role: str, usage: dict[str, int] | None, expected: int) -> None:
    assert turns.tokens(message(1, role, "x" * 400, usage=usage)) == expected


def test_calls_of_tools_weigh_something() -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "Bash", "arguments": "x" * 400}}]
    assert turns.tokens(message(1, "assistant", "", tool_calls=calls)) > 100


@pytest.mark.parametrize(
    ("usage", "start", "expected"),
    [
        ({"input": 5_000, "output": 100}, 0, 5_100 + 54),
        ({"input": 5, "cache_read": 4_000, "output": 100}, 0, 4_105 + 54),  # counted apart
        ({"input": 5_000, "cache_read": 4_000, "output": 100}, 0, 5_100 + 54),  # counted with it
        ({"input": 5_000, "cache_read": 4_000, "cache_write": 10, "output": 100}, 0, 9_110 + 54),
        ({"input": 5_000, "output": 100}, 2, 54 + 104 + 54),  # of a request before the last compaction
        ({"input": 20, "output": 100}, 0, 54 + 104 + 54),  # less than is there: it was not all in that request
    ],
)
def test_running_total(usage: dict[str, int], start: int, expected: int) -> None:
    rows = [
        message(1, "user", "x" * 200),
        message(2, "assistant", "x" * 300, usage=usage),
        message(3, "user", "x" * 200),
    ]
    assert turns.total(rows, start) == expected


def weigh(number: int, size: int, role: str = "user", **fields: Any) -> dict[str, Any]:
    """A message of so many tokens."""
    return message(number, role, "x" * 4 * (size - 4), **fields)


# name → (messages as (role, tokens), limit, identities that stay)
TAILS: dict[str, tuple[list[tuple[str, int]], int, list[int]]] = {
    "enough of both": ([("user", 60), ("assistant", 60), ("user", 60), ("assistant", 60)], 500, [0, 1, 2, 3]),
    "enough tokens, too few messages": (
        [("user", 50), ("assistant", 50), ("user", 60), ("assistant", 60)],
        500,
        [0, 1, 2, 3],
    ),
    "stops where there is enough": (
        [("user", 50), ("assistant", 50), ("user", 60), ("assistant", 60), ("assistant", 9)],
        500,
        [2, 3, 4],
    ),
    "never over the limit": ([("user", 50), ("assistant", 50), ("user", 60), ("assistant", 60)], 150, [2, 3]),
    "a turn is not cut": (
        [("user", 50), ("assistant", 30), ("tool", 90), ("assistant", 9), ("user", 60), ("assistant", 20)],
        200,
        [4, 5],
    ),
    "of a turn too large, question and answer": (
        [("user", 50), ("assistant", 50), ("user", 60), ("tool", 900), ("assistant", 60)],
        150,
        [2, 4],
    ),
    "of a question too large, the question": ([("user", 50), ("user", 900), ("assistant", 60)], 150, [1]),
    "no question at all": ([("assistant", 900), ("tool", 60)], 150, []),
}


@pytest.mark.parametrize("name", TAILS)
def test_tail(name: str) -> None:
    given_, limit, expected = TAILS[name]
    rows = [weigh(number, size, role) for number, (role, size) in enumerate(given_)]
    assert [row["id"] for row in turns.tail(rows, SMALL, limit)] == expected


def test_without_a_tail_the_last_question_stays() -> None:
    rows = [weigh(number, 50, role) for number, role in enumerate(["user", "assistant", "user", "assistant"])]
    assert [row["id"] for row in turns.tail(rows, Compaction(keep_recent=KeepRecent(enabled=False)), 10_000)] == [2]


def test_what_a_harness_says_in_the_persons_name_begins_no_turn() -> None:
    rows = [weigh(0, 20), weigh(1, 20, "assistant"), weigh(2, 20, origin="harness"), weigh(3, 20, "assistant")]
    assert [[row["id"] for row in block] for block in turns.blocks(rows)] == [[0, 1, 2, 3]]


def test_microcompact() -> None:
    """All results of tools but the last five are cut, and a credential at the cut is not cut in two."""
    rows = [message(number, "tool", f"{number}" * 300) for number in range(6)]
    rows.insert(0, message(9, "tool", "x" * 180 + " " + TOKEN + " " + "y" * 300))
    rows.append(message(10, "assistant", "z" * 900))
    found = turns.microcompact(rows, Compaction())
    assert [len(row["content"]) for row in found[2:]] == [300] * 5 + [900]
    assert found[1]["content"] == "0" * 200 + "\n[cut: 300 characters]"
    assert TOKEN[:8] not in found[0]["content"] and found[0]["content"].startswith("x" * 180 + " [secret: ")
    assert turns.microcompact(rows, Compaction(microcompact=Microcompact(enabled=False))) == rows
