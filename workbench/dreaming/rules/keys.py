"""Fact keys that depend on what was said."""

from __future__ import annotations

import re

from workbench.dreaming.rules.table import Slots

_PREFERENCE_SLOTS = (
    (
        re.compile(
            r"\btabs?\b(?! (?:groups?|key|bar|open|completion))|\bspaces\b|\b(?:two|four|eight|\d)[- ]space\b|\bindent",
            re.I,
        ),
        "indentation",
    ),
    (re.compile(r"\b(?:single|double) quotes?\b", re.I), "quote-style"),
    (re.compile(r"\b(?:dark|light)[- ](?:mode|themes?)\b|\bsolarized\b|\bgruvbox\b|\bdracula theme\b", re.I), "theme"),
)


def preference_key(slots: Slots) -> str | None:
    """The key of a preference one can have only one of."""
    said = " ".join(slots.values())
    return next((f"preference.{slot}" for pattern, slot in _PREFERENCE_SLOTS if pattern.search(said)), None)


def known_key(slots: Slots) -> str:
    """``environment.editor`` for ``Neovim as editor``, likewise for shell and operating system."""
    label = slots["known"].partition(" as ")[2]
    return f"environment.{'os' if label.startswith('operating') else label.split(' ')[0]}"


_LANGUAGE = re.compile(
    r"python|java|javascript|typescript|rust|golang|go|ruby|php|c\+\+|c#|c|kotlin|swift|scala"
    r"|haskell|elixir|perl|r|sql|bash|lua",
    re.IGNORECASE,
)


def uses_key(slots: Slots) -> str | None:
    """``uses.docker``: one key a thing, so that using it and no longer using it replace one another.

    None for what is used for several things at once (a language for each of them), and for more than three words.
    """
    tool = re.sub(r"^(?:an?|my own) ", "", slots["tool"], flags=re.IGNORECASE)
    plain = len(tool.split()) <= 3 and not re.search(r",|\b(?:and|or|with|in|on|as|at|from|via|for)\b", tool)
    return f"uses.{tool}" if plain and not ("topic" in slots and _LANGUAGE.fullmatch(tool)) else None
