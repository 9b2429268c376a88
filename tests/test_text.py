"""Pure functions on text."""

from __future__ import annotations

import json

import pytest

from workbench import text


@pytest.mark.parametrize(
    ("said", "expected"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("щщщщ", 2), ("日本語日", 3), ("\ud800abc", 2)],
)
def test_tokens(said: str, expected: int) -> None:
    assert text.tokens(said) == expected


@pytest.mark.parametrize(
    ("number", "many", "said"),
    [
        (1, "memories", "1 memory"),
        (0, "memories", "0 memories"),
        (2345, "messages", "2,345 messages"),
        (1, "quotes in other memories", "1 quote in other memories"),
        (1, "evidence", "1 evidence"),
        (1, "waiting", "1 waiting"),
    ],
)
def test_one_is_no_plural(number: int, many: str, said: str) -> None:
    assert text.some(number, many) == said


def test_a_sentence_goes_on_behind_a_clause() -> None:
    assert [text.clause(said) for said in ("Likes tea.", "Likes tea", "And so on...", "Why?\n")] == [
        *("Likes tea", "Likes tea", "And so on...", "Why?")
    ]
    assert [text.enumeration(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        *("", "a", "a and b", "a, b and c")
    ]


def test_json_escaped_means_the_same() -> None:
    said = "\x7f\x9b\u2028\u202e\ufe0f\U000e0041 \ud800 ok 数"
    document = text.escaped_json(json.dumps([said], ensure_ascii=False, indent=2))
    assert json.loads(document) == [said]
    assert document == '[\n  "\\u007f\\u009b\\u2028\\u202e\\ufe0f\\udb40\\udc41 \\ud800 ok 数"\n]'


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", None),
        ("\U0001f3f3\ufe0f\u200d\U0001f308", None),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", None),
        ("\u0915\u094d\u200d\u0937", None),
        ("a\u200db", "a\\u{200d}b"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0f\\u{fe0f}"),
        ("a\ufe0f\u200b", "a\\u{fe0f}\\u{200b}"),
    ],
)
def test_joiners_are_shown_where_they_are_needed(said: str, shown: str | None) -> None:
    assert text.visible(said) == (said if shown is None else shown)
