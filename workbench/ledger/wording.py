"""Other spellings of a statement, by which it is known for one that the person has ruled on."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from workbench import text
from workbench.guard import disguise

# What may stand around words and changes nothing they say. A question mark does; so do signs such as # and %, and a
# minus or a full stop before a word.
_BEFORE = "\"'`“”„‟‘’‚‛«»‹›「」『』*_~([{<>|…:;,"
_BEHIND = _BEFORE + ")]}.!。！，；："
_NUMBERED = re.compile(r"(?:\d{1,3}|[a-z])[.)]")
_JOINED = re.compile(r"(?<=[^\W\d_])[-‐‑–—_](?=[^\W\d_])")
# Kinds of character of which a mark of its own is made: a bullet, a dash, an emoji.
_MARKS = frozenset(("So", "Sk", "Pd", "Ps", "Pe", "Pi", "Pf"))


@lru_cache(maxsize=1_024)
def spellings(said: str) -> tuple[str, ...]:
    """A statement as it is, then without what dresses it up, then with look-alike letters read as what they look like.

    >>> spellings("- **Uses** Vim, daily")
    ('- **Uses** Vim, daily', 'uses vim daily')
    """
    bare = _undressed(text.normal_form(said))
    return tuple(dict.fromkeys((said, *filter(None, (bare, disguise.views(bare)[-1].text)))))


def _undressed(normal: str) -> str:
    """A normal form without list marks, emphasis, quotation marks, emoji, and marks between its parts."""
    words = [word for word in normal.split() if not all(map(_is_mark, word))]
    if len(words) > 1 and _NUMBERED.fullmatch(words[0]):
        del words[0]
    bare = (word.lstrip(_BEFORE).rstrip(_BEHIND) for word in words)
    return " ".join(_JOINED.sub(" ", " ".join(filter(None, bare))).split())


def _is_mark(char: str) -> bool:
    return char in "*•·#|_~" or unicodedata.category(char) in _MARKS
