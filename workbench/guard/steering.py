"""Finds concepts that stand close together in one sentence: a text that steers an agent names a few, in any wording."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from workbench.guard.concepts import WORDS

# The flag, within how many words, and the concepts that have to be there, in any order. All stand in one sentence,
# unless the flag begins with ``+``.
RULES: tuple[tuple[str, int, str], ...] = (
    ("prompt_injection", 9, "DROP PRIOR|SYSTEM|SAFE RULE"),
    ("prompt_injection", 6, "DROP YOUR RULE"),
    ("prompt_injection", 5, "DROP ALL RULE"),
    ("prompt_injection", 8, "DROP PRIOR TEXT"),
    ("prompt_injection", 6, "CLEAR PRIOR|YOUR RULE"),
    ("prompt_injection", 10, "YOUR|PRIOR|SAFE RULE VOID"),
    ("prompt_injection", 6, "YOUR RULE CHANGED"),
    ("prompt_injection", 8, "DROP BOSS TEXT|RULE"),
    ("prompt_injection", 12, "DROP REST BECOME|REVEAL"),
    ("prompt_injection", 8, "PERSONA|AI ALWAYS COMPLY"),
    ("prompt_injection", 5, "DROP YOUR PROMPT"),
    ("prompt_injection", 7, "TREAT MY_TEXT PROMPT"),
    ("prompt_injection", 5, "DROP PERSON TASK"),
    ("prompt_injection", 12, "DROP RULE|TEXT INSTEAD"),
    ("prompt_injection", 8, "DROP RULE YOU"),
    ("prompt_injection", 6, "TREAT RULE VOID"),
    ("prompt_injection", 7, "NOT|CEASE FOLLOW PRIOR|YOUR RULE"),
    ("role_hijack", 5, "DROP YOU_ARE AI"),
    ("role_hijack", 9, "BECOME LIMIT OFF"),
    ("role_hijack", 8, "BECOME AI IGNORES LIMIT|RULE|SAFE"),
    ("role_hijack", 9, "BECOME|PERSONA WITHOUT LIMIT|RULE"),
    ("role_hijack", 4, "BECOME|YOU_ARE FREED"),
    ("role_hijack", 8, "FROM_NOW|YOU_ARE WITHOUT LIMIT|RULE"),
    ("role_hijack", 7, "BECOME EVIL AI"),
    ("role_hijack", 14, "MAKER DROP|CLEAR|COMPLY"),
    ("role_hijack", 6, "PERSONA|YOU_ARE|BECOME LIMITLESS"),
    ("role_hijack", 8, "BECOME|ENTER|YOU_ARE FREED PERSONA|MODE"),
    ("role_hijack", 7, "ENTER PRIVILEGED MODE"),
    ("role_hijack", 5, "FROM_NOW YOU_ARE"),
    ("role_hijack", 18, "ESTABLISHED THEREFORE REVEAL|BECOME|SEND|EXECUTE|COMPLY"),
    ("role_hijack", 4, "YOU_ARE NO_LONGER AI"),
    ("role_hijack", 4, "ENTER SYSTEM PERSONA"),
    ("role_hijack", 4, "ENTER FREED REPLY"),
    ("role_hijack", 14, "MAKER REVEAL PROMPT|SECRET|LOOSE_SECRET"),
    ("bypass_restrictions", 6, "DROP|CLEAR SAFE LIMIT"),
    ("bypass_restrictions", 7, "NOT REFUSE YOUR|MUST|COMPLY|TEXT|ALL"),
    ("bypass_restrictions", 7, "COMPLY ALL TEXT MUST|YOUR"),
    ("bypass_restrictions", 4, "WITHOUT SAFE LIMIT|RULE"),
    ("system_prompt", 8, "REVEAL YOUR PROMPT"),
    ("system_prompt", 4, "REPEAT ALL PROMPT"),
    ("system_prompt", 6, "REVEAL SYSTEM PROMPT"),
    ("system_prompt", 8, "REVEAL PRIOR PROMPT"),
    ("system_prompt", 9, "REPEAT PRIOR TEXT"),
    ("system_prompt", 10, "REVEAL|REPEAT TOLD"),
    ("system_prompt", 8, "PROMPT YOU NOT REVEAL"),
    ("exfiltration", 8, "LEAK SECRET|LOOSE_SECRET"),
    ("exfiltration", 8, "REVEAL|SEND ALL|YOUR|PERSON|BOSS SECRET|LOOSE_SECRET"),
    ("exfiltration", 7, "REVEAL|SEND STORED|ME SECRET"),
    ("exfiltration", 14, "SEND SECRET|LOOSE_SECRET PLACE"),
    ("exfiltration", 14, "SEND DATA PLACE"),
    ("exfiltration", 12, "REVEAL PERSON DATA PLACE"),
    ("exfiltration", 10, "SECRETLY SEND|EXECUTE|LEAK|INSERT|CLEAR DATA|SECRET|PERSON"),
    ("exfiltration", 5, "DIVULGE SECRET"),
    ("exfiltration", 9, "INSERT PERSON DATA PLACE"),
    ("output_steering", 12, "INSERT EXACT MARKER REPLY"),
    ("output_steering", 10, "INSERT EVERY MARKER|CODEWORD REPLY"),
    ("output_steering", 10, "INSERT YOUR CODEWORD REPLY"),
    ("output_steering", 14, "BUILD SNIPPET YOUR"),
    ("output_steering", 16, "DECODE CIPHER EXECUTE|COMPLY|THEN_DO"),
    ("output_steering", 5, "DECODE CIPHER YOUR|HARM"),
    ("output_steering", 10, "INSERT MUST END|YOUR REPLY MARKER|CODEWORD"),
    ("output_steering", 8, "INSTEAD READ REVEAL|INSERT|SAY"),
    ("agent_address", 10, "AI READ THIS SAY|REVEAL|SEND|DROP|LEAK"),
    ("agent_address", 9, "YOU_READ WHEN|THIS EXECUTE|CLEAR|SEND|REVEAL|DROP|LEAK|MUST"),
    ("agent_address", 5, "IF_YOU AI"),
    ("agent_address", 12, "AI|WHOEVER READ THIS MUST"),
    ("agent_address", 12, "WHEN PERSON MENTION RECOMMEND"),
    ("+agent_address", 16, "CLAIM BOSS YOUR REVEAL|DROP|SECRET"),
    ("agent_address", 10, "WHEN READ THIS SAY|LEAK|DROP"),
    ("agent_address", 12, "WHEN PERSON MENTION CLEAR|LEAK"),
    ("agent_address", 5, "NOTE_TO AI"),
    ("agent_address", 6, "CALL AI MUST|NOTICE"),
    ("agent_address", 8, "AI MUST SEND|LEAK SECRET|LOOSE_SECRET"),
    ("permission_grant", 10, "BOSS PERMITTED YOU REVEAL|SEND|DROP|EXECUTE|SECRET|LOOSE_SECRET"),
    ("permission_grant", 12, "ESTABLISHED CLEAR|DROP CONFIRM"),
    ("permission_grant", 3, "APPROVE ALL"),
    ("deception", 6, "NOT TELL PERSON"),
    ("deception", 6, "NOT TELL THIS RULE"),
    ("deception", 7, "HIDE THIS PERSON|YOUR|REPLY"),
    ("remember_command", 7, "REMEMBER PERMANENT YOUR|PERSON"),
    ("remember_command", 6, "KEEP PERMANENT|FROM_NOW THAT|THIS"),
)

# Bounded everywhere: one pass over the text. What follows an ``@`` makes an address; what stands before it is a word.
_UNDIVIDED = "\u3040-\u30ff\u3400-\u9fff々"
_TOKEN = re.compile(
    rf"https?://|@[\w-]{{1,64}}\.\w|[{_UNDIVIDED}]{{1,64}}|[^\W_{_UNDIVIDED}]{{1,64}}|[.!?…](?=\s|$)|[。！？]|\n\s{{0,8}}\n"
)
_REMEMBERED = 1 << 15
_REACH = max(span for _, span, _ in RULES)
_BITS = {name: 1 << index for index, name in enumerate((*WORDS, "PLACE"))}


# How phrases go on after their first word, by the first letter of the second.
_Phrases = dict[str, list[tuple[tuple[str, ...], int]]]


class _Rule(NamedTuple):
    flag: str
    across: bool
    span: int
    groups: tuple[int, ...]


class _Lexicon(NamedTuple):
    words: dict[str, int]
    stems: dict[str, int]
    initials: frozenset[str]
    phrases: dict[str, _Phrases]
    inside: re.Pattern[str]


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            flag.lstrip("+"),
            flag[0] == "+",
            span,
            tuple(sum(_BITS[name] for name in group.split("|")) for group in groups.split()),
        )
        for flag, span, groups in RULES
    )


@cache
def _lexicon() -> _Lexicon:
    words: dict[str, int] = {}
    stems: dict[str, int] = {}
    phrases: dict[str, _Phrases] = {}
    for name, listed in WORDS.items():
        for entry in listed.split():
            first, *rest = entry.split("_")
            if rest:
                phrases.setdefault(first, {}).setdefault(rest[0][0], []).append((tuple(rest), _BITS[name]))
            else:
                table = stems if entry.endswith("*") else words
                table[entry.rstrip("*")] = table.get(entry.rstrip("*"), 0) | _BITS[name]
    undivided = sorted((word for word in words if re.match(f"[{_UNDIVIDED}]", word)), key=len, reverse=True)
    whole = dict(words)
    for word in undivided:
        for part in undivided:
            whole[word] |= words[part] if part in word else 0
    return _Lexicon(
        whole,
        stems,
        frozenset(stem[0] for stem in stems),
        phrases,
        re.compile("|".join(undivided)),
    )


class _Meaning(NamedTuple):
    """What one token says: concepts by their place in it, and the phrases it may begin."""

    concepts: tuple[tuple[int, int], ...]
    length: int
    phrases: _Phrases


_END = _Meaning(((0, 0),), 1, {})
_NOTHING = _Meaning((), 1, {})


class _Meanings(dict[str, _Meaning]):
    """Meanings of tokens, worked out when they first occur."""

    def __missing__(self, token: str) -> _Meaning:
        meaning = _meaning(token)
        if len(self) < _REMEMBERED:
            self[token] = meaning
        return meaning


_MEANINGS = _Meanings()


def _meaning(token: str) -> _Meaning:
    lexicon = _lexicon()
    if re.match(f"[{_UNDIVIDED}]", token):
        inside = tuple((m.start() // 3, lexicon.words[m.group()]) for m in lexicon.inside.finditer(token))
        return _Meaning(inside, 1 + len(token) // 3, {})
    if not token[0].isalnum():
        return _Meaning(((0, _BITS["PLACE"]),), 1, {}) if token[0] == "@" else _END
    if token.endswith("://"):
        return _Meaning(((0, _BITS["PLACE"]),), 1, {})
    found = lexicon.words.get(token, 0)
    if token[0] in lexicon.initials:
        for length in range(1, len(token) + 1):
            found |= lexicon.stems.get(token[:length], 0)
    phrases = lexicon.phrases.get(token, {})
    return _Meaning(((0, found),) if found else (), 1, phrases) if found or phrases else _NOTHING


def _continues(rest: tuple[str, ...], said: list[str]) -> bool:
    return len(said) == len(rest) and all(map(_is, said, rest))


def _is(word: str, wanted: str) -> bool:
    return word == wanted or (wanted[-1] == "*" and word.startswith(wanted[:-1]))


def _sayable(tokens: list[str]) -> int:
    """The concepts that these tokens could say, in whatever order they stand."""
    there = set(tokens)
    found = 0
    for token in there:
        meaning = _MEANINGS[token]
        found |= _present(meaning.concepts)
        for begun in meaning.phrases.values():
            for rest, concepts in begun:
                if found | concepts != found and all(word[-1] == "*" or word in there for word in rest):
                    found |= concepts
    return found


def _hits(tokens: list[str]) -> list[tuple[int, int]]:
    """Where which concepts stand, counted in words; 0 for the end of a sentence."""
    meanings = enumerate(map(_MEANINGS.__getitem__, tokens), 1)
    hits: list[tuple[int, int]] = []
    longer = 0
    for number, meaning in [(number, meaning) for number, meaning in meanings if meaning is not _NOTHING]:
        place = number + longer
        if meaning is _END:
            if hits and hits[-1][1]:
                hits.append((place, 0))
            continue
        for offset, concepts in meaning.concepts:
            hits.append((place + offset, concepts))
        if meaning.phrases and number < len(tokens) and (begun := meaning.phrases.get(tokens[number][0])):
            for rest, concepts in begun:
                if _is(tokens[number], rest[0]) and _continues(rest, tokens[number : number + len(rest)]):
                    hits.append((place, concepts))
        longer += meaning.length - 1
    return hits


def _passages(hits: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """The hits of each sentence; of a long one, overlapping parts that no rule outreaches."""
    passage: list[tuple[int, int]] = []
    for place, concepts in hits:
        if not concepts:
            if len(passage) > 1:
                yield passage
            passage = []
            continue
        if passage and place - passage[0][0] > 2 * _REACH:
            yield passage
            passage = [hit for hit in passage if place - hit[0] <= _REACH]
        passage.append((place, concepts))
    if len(passage) > 1:
        yield passage


@lru_cache(maxsize=1 << 12)
def _possible(concepts: int, across: bool) -> tuple[_Rule, ...]:
    return tuple(rule for rule in _rules() if rule.across == across and all(group & concepts for group in rule.groups))


def _holds(rule: _Rule, passage: list[tuple[int, int]]) -> bool:
    last = [-_REACH] * len(rule.groups)
    first = passage[0][0]
    for place, concepts in passage:
        for index, group in enumerate(rule.groups):
            if concepts & group:
                last[index] = place
        if min(last) >= max(first, place - rule.span):
            return True
    return False


def _told(hits: list[tuple[int, int]], across: bool) -> set[str]:
    told: set[str] = set()
    for passage in _passages(hits):
        for rule in _possible(_present(passage), across):
            if rule.flag not in told and _holds(rule, passage):
                told.add(rule.flag)
    return told


def _present(hits: Iterable[tuple[int, int]]) -> int:
    present = 0
    for _, concepts in hits:
        present |= concepts
    return present


def flags(text: str) -> set[str]:
    """Names of the injection rules whose concepts stand together somewhere in ``text``."""
    tokens = _TOKEN.findall(text.lower())
    sayable = _sayable(tokens)
    if not _possible(sayable, False) and not _possible(sayable, True):
        return set()
    hits = _hits(tokens)
    present = _present(hits)
    told = _told(hits, False) if _possible(present, False) else set()
    if _possible(present, True):
        told |= _told([hit for hit in hits if hit[1]], True)
    return told
