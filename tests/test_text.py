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


def test_json_escaped_means_the_same() -> None:
    said = "\x7f\x9b\u2028\u202e\ufe0f\U000e0041 \ud800 ok 数"
    document = text.escaped_json(json.dumps([said], ensure_ascii=False, indent=2))
    assert json.loads(document) == [said]
    assert document == '[\n  "\\u007f\\u009b\\u2028\\u202e\\ufe0f\\udb40\\udc41 \\ud800 ok 数"\n]'
