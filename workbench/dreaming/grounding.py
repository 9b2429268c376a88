"""Whether what a model says was found in messages really stands in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from workbench import fts, text

# Of the words of a statement that say something so many must stand in its evidence.
SUPPORTED = 0.6
_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMBER = re.compile(r"\d+")
_PROPER = re.compile(r"(?<![.!?] )(?<!^)\b[^\W\d_a-zß-öø-ÿ][\w'’-]+")
# Words that a statement about somebody has of itself, whatever was said.
_OF_ITSELF = frozenset(
    (
        *("user", "person", "called", "named", "uses", "using", "works", "working", "lives", "based"),
        *("prefers", "likes", "loves", "enjoys", "dislikes", "hates"),
    )
)
_DENIES = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|stopped|quit|refuses?|avoids?|dislikes?|hates?|left"
    r"|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|plus|nunca|jamás|sin|ya no|non|mai|senza|não|sem|deixei)\b"
    r"|n['’]t\b|n['’]|[不没沒无無未别別]|ない|ません|なく",
    re.IGNORECASE,
)


def holds(message: str, quote: str) -> bool:
    """Whether the message holds these very words, whatever their case, spaces and end marks."""
    wanted = _plain(quote).strip("\"'“”‘’«»…. ")
    return bool(wanted) and wanted in _plain(message)


def supports(messages: Iterable[str], quote: str, content: str) -> bool:
    """Whether a statement says no more than the messages it was found in.

    Each number and each name of it stands in them, and most of its other words do; and it denies if, and only if, the
    sentence around the quotation denies.
    """
    said = "\n".join(messages)
    folded = _plain(said)
    if any(number not in _NUMBER.findall(folded) for number in _NUMBER.findall(content)):
        return False
    if any(_plain(name) not in folded for name in _PROPER.findall(content)):
        return False
    if bool(_DENIES.search(content)) != bool(_DENIES.search(_around(said, quote))):
        return False
    wanted = _telling(content)
    known = _telling(said, everything=True)
    return bool(wanted) and sum(_stands(word, known) for word in wanted) >= SUPPORTED * len(wanted)


def _plain(said: str) -> str:
    return text.normal_form(unicodedata.normalize("NFKC", said).replace("’", "'"))


def _around(said: str, quote: str) -> str:
    """The sentences that the quotation stands in."""
    found = [sentence for sentence in _SENTENCE.findall(said) if holds(sentence, quote)]
    return " ".join(found) or quote


def _telling(said: str, everything: bool = False) -> set[str]:
    """The words that say something, and the pairs of characters of scripts that are not divided into words."""
    words: set[str] = set()
    for word in _WORD.findall(_plain(said)):
        if _CJK.search(word):
            words.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif everything or (word not in fts.STOPWORDS and word not in _OF_ITSELF):
            words.add(word)
    return words


def _stands(word: str, known: set[str]) -> bool:
    """Whether a word, or another form of it, is among these."""
    if word in known:
        return True
    stem = word[: max(3, len(word) - 3)]
    return len(word) > 3 and not _CJK.search(word) and any(other.startswith(stem) for other in known)
