"""Finds text that tries to steer an agent: a router to review, heuristic by nature."""

from __future__ import annotations

import re
from functools import cache

from workbench.guard import disguise, injection_actions, injection_patterns, steering
from workbench.guard.patterns import PatternSet

PATTERNS = {**injection_patterns.PATTERNS, **injection_actions.PATTERNS}
_NO_LETTERS = re.compile(r"[^A-Za-z]+")
# In characters. What a window cuts in two is whole in the next one.
_WINDOW, _OVERLAP = 64 * 1024, 4 * 1024
_BIDI_OVERRIDE = ("\u202d", "\u202e")


@cache
def _patterns() -> tuple[tuple[str, ...], PatternSet]:
    pairs = [(name, pattern) for name, patterns in PATTERNS.items() for pattern in patterns]
    return tuple(name for name, _ in pairs), PatternSet([pattern for _, pattern in pairs])


def _names(text: str) -> set[str]:
    if not text:
        return set()
    names, patterns = _patterns()
    return steering.flags(text) | {names[index] for index in patterns.matching(text)}


@cache
def _split_words() -> PatternSet:
    # Two or more zero-width characters inside Latin words: no script and no emoji needs them there.
    hidden = "[\u200b-\u200d\u2060-\u2064\ufeff]"
    return PatternSet([rf"[A-Za-z]{hidden}+[A-Za-z ][^\n]*?[A-Za-z]{hidden}+[A-Za-z ]"])


def _concealment(text: str) -> list[str]:
    """Flags for means of hiding that have no place in a statement, whatever they hide."""
    if text.isascii():
        return []
    found = []
    if disguise.expands(text):
        found.append("expands")
    if disguise.hidden_tags(text):
        found.append("unicode_tags")
    if any(mark in text for mark in _BIDI_OVERRIDE):
        found.append("bidi_override")
    if _split_words().matching(text.encode("utf-8", "replace").decode("utf-8")):
        found.append("zero_width")
    return found


_SQUEEZED = (
    (
        "prompt_injection",
        r"(?i)(?:ignore|disregard|forget|override)(?:all|any|every)?(?:of)?(?:the|your|my|these)?"
        r"(?:previous|prior|above|earlier)(?:system)?(?:instruction|rule|prompt|guideline|message|direction)",
    ),
    (
        "system_prompt",
        r"(?i)(?:reveal|show|print|output|repeat)(?:me)?(?:all)?(?:of)?(?:your|the)(?:hidden|initial|full)?"
        r"system(?:prompt|instruction|message)",
    ),
)


@cache
def _squeezed() -> PatternSet:
    """Orders whose words have lost what divides them."""
    return PatternSet([pattern for _, pattern in _SQUEEZED])


def flags(text: str) -> tuple[str, ...]:
    """Names of the injection patterns in a text, in any reading of it; each once, sorted.

    A long text is read in windows, up to the first with a flag: one is enough to bring it before a person.
    ``encoded`` is added where only the decoded form of a base64, hex, binary or percent encoded stretch shows one.

    :raises Exception: when the scanner does not work; callers must fail closed.
    """
    found = set(_concealment(text)) | _names(disguise.hidden_tags(text))
    for view in disguise.views(text):
        for start in range(0, max(len(view.text) - _OVERLAP, 1), _WINDOW - _OVERLAP):
            if found and len(text) > _WINDOW:
                break
            found |= _told(view.text[start : start + _WINDOW])
    return tuple(sorted(found))


def _told(text: str) -> set[str]:
    found = _names(text)
    found.update(_SQUEEZED[index][0] for index in _squeezed().matching(_NO_LETTERS.sub("", text)))
    for reading in disguise.readings(text):
        found.update(_names(reading))
    decoded = _names("\n\n".join(payload.text for payload in disguise.payloads(text)))
    return found | decoded | ({"encoded"} if decoded else set())
