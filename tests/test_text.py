"""Pure functions on text."""

from __future__ import annotations

import pytest

from workbench import text


@pytest.mark.parametrize(
    ("said", "expected"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("щщщщ", 2), ("日本語日", 3), ("\ud800abc", 2)],
)
def test_tokens(said: str, expected: int) -> None:
    assert text.tokens(said) == expected
