"""English grammar of person: what somebody says of themselves, as somebody else would say it."""

from __future__ import annotations

import re

from workbench.dreaming.rules import words

_FIRST_PERSON = (
    (re.compile(r"\bI am\b|\bI'm\b", re.I), "they are"),
    (re.compile(r"\bI was\b", re.I), "they were"),
    (re.compile(r"\bI've\b", re.I), "they have"),
    (re.compile(r"\bI'd\b", re.I), "they would"),
    (re.compile(r"\bI'll\b", re.I), "they will"),
    (re.compile(r"\bI\b"), "they"),
    (re.compile(r"(?<![\w./-])i(?![\w./-])"), "they"),
    (re.compile(r"\bmyself\b", re.I), "themselves"),
    (re.compile(r"\bmy\b", re.I), "their"),
    (re.compile(r"\bmine\b", re.I), "theirs"),
    (re.compile(r"\bme\b", re.I), "them"),
)
# In an order "me" is the one who gives it.
_USER = (
    (re.compile(r"\bI am\b|\bI'm\b", re.I), "the user is"),
    (re.compile(r"\bI have\b|\bI've\b", re.I), "the user has"),
    (re.compile(r"\bI'd\b", re.I), "the user would"),
    (re.compile(r"\bI'll\b", re.I), "the user will"),
    (re.compile(r"\bmyself\b", re.I), "themselves"),
    (re.compile(r"\b(?:my|mine)\b", re.I), "the user's"),
    (re.compile(r"\bme\b", re.I), "the user"),
)
_I_DO = re.compile(r"(?<![\w./-])i(?: (\w+))?(?![\w./-])", re.IGNORECASE)


def third_person(text: str) -> str:
    """First-person words inside an object, as somebody else would say them: ``my dog`` → ``their dog``."""
    for pattern, spoken in _FIRST_PERSON:
        text = pattern.sub(spoken, text)
    return text


def for_user(text: str) -> str:
    """First-person words inside an order, as it is told to an agent: ``without asking me`` → ``… the user``."""
    for pattern, spoken in _USER:
        text = pattern.sub(spoken, text)
    return _I_DO.sub(_user_does, text)


def _user_does(match: re.Match[str]) -> str:
    verb = match[1]
    if verb is None:
        return "the user"
    base = verb.lower() in words.VERBS or verb.lower() in ("do", "need", "want", "tell", "know", "go", "get")
    return f"the user {inflect(verb) if base else verb}"


def inflect(verb: str) -> str:
    """The third person of a verb's base form: ``run`` → ``runs``."""
    lower = verb.lower()
    if lower in ("have", "do", "go", "be"):
        return {"have": "has", "do": "does", "go": "goes", "be": "is"}[lower]
    if re.search(r"[^aeiou]y$", lower):
        return verb[:-1] + "ies"
    return verb + ("es" if lower.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
