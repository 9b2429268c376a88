"""What a question looks for, recognised in texts as the full-text index recognises it: stems, phrases, beginnings,
pairs of CJK characters; and the passage of a text that says most of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import snowballstemmer

from workbench import fts

_WORD = re.compile(r"[^\W_]+")
_STEMMER = snowballstemmer.stemmer("porter")
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff\u0300-\u036f]+")
_LATER, _MEASURED = re.compile("(.*)(?:log|bl)i"), re.compile("[aeiouy][^aeiouy]")
# FTS5 stems words of this many bytes only.
_SHORTEST, _LONGEST = 3, 64
# Words that Porter's rules keep apart although they are forms of one.
_IRREGULAR = """
be is are am was were been; become became; begin began begun; bite bit bitten; blow blew blown; break broke broken;
bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; come came; deal dealt; dig dug;
do did done; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen;
feed fed; feel felt; fight fought; find found; fly flew flown; forget forgot forgotten; forgive forgave forgiven;
freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; have had has;
hear heard; hide hid hidden; hold held; keep kept; know knew known; lead led; learn learnt; leave left; lend lent;
light lit; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden; ring rang rung; rise rose risen;
run ran; say said; see saw seen; sell sold; send sent; shake shook shaken; shine shone; shoot shot; show shown;
sing sang sung; sit sat; sleep slept; speak spoke spoken; spend spent; stand stood; steal stole stolen; stick stuck;
swim swam swum; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
understand understood; wake woke woken; wear wore worn; win won; write wrote written; child children; man men;
woman women; person people; foot feet; tooth teeth; mouse mice; life lives; wife wives
"""


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word in lower case, as the tokenizer ``porter unicode61`` makes it.

    FTS5 follows the later version of the rules (tartarus.org/martin/PorterStemmer: "logi" and "bli" of step 2, where a
    vowel and a consonant stand before them).
    """
    word = _plain(word)
    if not _SHORTEST <= len(word) <= _LONGEST:
        return word
    found: str = _STEMMER.stemWord(word)
    later = _LATER.fullmatch(found)
    return found[:-1] if later and _MEASURED.search(later[1]) else found


def _plain(text: str) -> str:
    """``text`` without the diacritics of Latin letters."""
    return text if text.isascii() else _ACCENTED.sub(lambda found: _base(found.group()), text)


@lru_cache(maxsize=1 << 12)
def _base(letters: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", letters) if not unicodedata.combining(each))


def _families() -> dict[str, tuple[str, ...]]:
    """Stem → the words of its family."""
    found: dict[str, tuple[str, ...]] = {}
    for family in _IRREGULAR.split(";"):
        words = tuple(family.split())
        for word in words:
            found[stem(word)] = words
    return found


_FAMILIES = _families()


@dataclass(frozen=True)
class Term:
    """One thing that is looked for.

    :param expression: what FTS5 is asked for it.
    :param stems: any of these stems is it; for a phrase, all of them in this order.
    """

    expression: str
    stems: tuple[str, ...] = ()
    phrase: bool = False
    beginning: str | None = None
    pair: str | None = None


def terms_of(question: str, count: Callable[[str], int] | None = None) -> list[Term]:
    """The terms of a question, each once; irregular forms of a word are one term with it. ``count`` as ``fts.terms``
    takes it."""
    found: dict[tuple[object, ...], Term] = {}
    for expression in fts.terms(question, count):
        term = _term(expression)
        found.setdefault((term.stems, term.phrase, term.beginning, term.pair), term)
    return list(found.values())


def _term(expression: str) -> Term:
    if expression.startswith("cjk : "):
        return Term(expression, pair=expression.removeprefix("cjk : ").rstrip("*").strip('"'))
    words = _WORD.findall(_plain(expression).lower())
    if expression.endswith("*"):
        return Term(expression, beginning=words[-1] if words else "")
    if len(words) != 1:
        return Term(expression, tuple(map(stem, words)), phrase=True)
    family = _FAMILIES.get(stem(words[0]))
    if family is None:
        return Term(expression, (stem(words[0]),))
    listed = " OR ".join(f'"{word}"' for word in family)
    return Term(f"({listed})", tuple(dict.fromkeys(map(stem, family))))


class Matcher:
    """Counts terms in texts."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self._single = {name: n for n, term in enumerate(terms) if not term.phrase for name in term.stems}
        # Stemming keeps the beginning of a word, so that most words need none.
        beginnings = sorted({re.escape(name[: min(max(len(name) - 2, 2), 5)]) for name in self._single})
        self._maybe = re.compile(f"(?:{'|'.join(beginnings)})[^\\W_]*") if beginnings else None
        self._beginnings = [(n, term.beginning) for n, term in enumerate(terms) if term.beginning]
        self._pairs = [(n, term.pair) for n, term in enumerate(terms) if term.pair]
        self._phrases = [(n, term.stems) for n, term in enumerate(terms) if term.phrase and term.stems]

    def count(self, text: str, cjk: str | None) -> tuple[dict[int, int], int]:
        """(how often each term that is there occurs, by its number; about how many words there are) of a text.

        :param cjk: the pairs of CJK characters in it, as ``fts.cjk_bigrams`` gives them.
        """
        text = _plain(text.lower())
        counts: dict[int, int] = {}
        for found in self._maybe.finditer(text) if self._maybe else ():
            start = found.start()
            if start and text[start - 1].isalnum():
                continue
            if (number := self._single.get(stem(found.group()))) is not None:
                counts[number] = counts.get(number, 0) + 1
        for number, beginning in self._beginnings:
            if times := len(re.findall(rf"\b{re.escape(beginning)}", text)):
                counts[number] = times
        if self._phrases:
            stems = [stem(word) for word in _WORD.findall(text)]
            for number, phrase in self._phrases:
                if times := sum(_stands(stems, at, phrase) for at in range(len(stems))):
                    counts[number] = times
        words = text.count(" ") + 1
        if cjk is None:
            return counts, words
        pairs = cjk.split(" ")
        for pair in pairs:  # words glued to CJK characters are among them
            if (number := self._single.get(stem(pair.lower()))) is not None:
                counts[number] = counts.get(number, 0) + 1
        for number, pair in self._pairs:
            if times := sum(each.startswith(pair) for each in pairs):
                counts[number] = times
        return counts, words + len(pairs)

    @cached_property
    def _marked(self) -> re.Pattern[str]:
        pairs = sorted((re.escape(pair) for _, pair in self._pairs), key=len, reverse=True)
        both = f"(?=({'|'.join(pairs)}))|" if pairs else "()(?!)|"  # pairs overlap
        return re.compile(f"{both}([^\\W_{fts.CJK}]+)")

    def found_in(self, text: str) -> Iterator[tuple[int, int, int]]:
        """(start, end, number of the term) of each word of a text that is a term or a part of one; pairs of CJK
        characters overlap."""
        parts = {name: number for number, phrase in self._phrases for name in phrase} | self._single
        pairs = {pair: number for number, pair in self._pairs}
        for word in self._marked.finditer(text):
            at = word.lastindex or 0
            lower = word[at].lower()
            number = pairs.get(word[at]) if at == 1 else parts.get(stem(fts.common_spelling(lower)))
            if number is None:
                number = next((n for n, beginning in self._beginnings if lower.startswith(beginning)), None)
            if number is not None:
                yield word.start(at), word.end(at), number


def _stands(stems: Sequence[str], at: int, phrase: tuple[str, ...]) -> bool:
    return stems[at] == phrase[0] and tuple(stems[at : at + len(phrase)]) == phrase


def passage(text: str, matcher: Matcher, weights: Sequence[float], size: int) -> str:
    """The stretch of about ``size`` characters of a text that says most of what is looked for, its words marked
    ``>>>so<<<``; ``…`` where the text goes on.

    :param weights: of the terms, by number.
    """
    found = list(matcher.found_in(text))
    start = _best_start(found, weights, size)
    start = text.rfind(" ", 0, start) + 1 if 0 < start < len(text) else 0
    end = len(text) if start + size >= len(text) else max(text.rfind(" ", start + 1, start + size), start + size // 2)
    pieces, at = [], start
    for first, last in _joined(found):
        if first >= at and last <= end:
            pieces += [text[at:first], ">>>", text[first:last], "<<<"]
            at = last
    pieces.append(text[at:end])
    return ("…" if start else "") + "".join(pieces).strip() + ("…" if end < len(text) else "")


def _joined(found: Sequence[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """The stretches of text that are covered; those that overlap or touch are one."""
    joined: list[tuple[int, int]] = []
    for first, last, _ in found:
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined


def _best_start(found: Sequence[tuple[int, int, int]], weights: Sequence[float], size: int) -> int:
    """Where the stretch begins that holds the most weight, each term counted once; a little before its first word."""
    best, start = -1.0, 0
    for n, (first, _, _) in enumerate(found):
        inside = {number for begin, end, number in found[n : n + 40] if end <= first + size * 3 // 4}
        weight = sum(weights[number] for number in inside)
        if weight > best + 1e-9:
            best, start = weight, first
    return max(0, start - size // 4)
