"""Slots of the rules in languages other than English: is this really a name, a place, a thing preferred?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from workbench.dreaming.rules import words

Clean = Callable[[str], str | None]
_UPPER = "A-ZÀ-ÖØ-ÞŒŠŽ"
_SMALL = (
    r"(?:de|da|do|das|dos|del|della|delle|dei|di|d'|la|le|les|los|las|el|lo|il|am|an|der|den|dem"
    r"|im"
    r"|in|bei|sur|sous|en"
    r"|y|e|et|und|von|van|vom|zu|du|des)"
)
_CAPITAL = rf"(?:[dlDL]')?[{_UPPER}][\w'’.&+-]*"
_NAMED = re.compile(rf"{_CAPITAL}(?: (?:{_SMALL} ){{0,2}}(?:{_CAPITAL}|\d+)){{0,4}}(?:, {_CAPITAL})?")
_PERSON = re.compile(rf"[{_UPPER}][\w'’-]*\.?(?: (?:(?:de|da|von|van|del|di|la) )?[{_UPPER}][\w'’-]*\.?){{0,3}}")
_WITH_ARTICLE = re.compile(
    rf"(?:(?:der|die|den|dem|la|le|les|los|las|el|il|lo|l'|o|a|os|as) ?|(?:(?:der|die) Nähe von"
    rf"|(?:la"
    rf"|les) (?:banlieue"
    rf"|environs) de|(?:el centro|las afueras|cerca) de|(?:il centro|provincia) di|(?:o centro|a região) de) )"
    rf"(?:{_CAPITAL}|d'{_CAPITAL})(?: (?:{_SMALL} ){{0,2}}{_CAPITAL}){{0,3}}"
)
_TRAILING = re.compile(r"[\s.,;:!*_–—。，、；：！~…☺-]+$|\s+[:;]-?[)DP]$|\s*[\u2600-\u27bf\U0001f000-\U0001faff]+$")
_EMPLOYERS = re.compile(
    r"\b(?:start-?up|empresa|firma|agenc[ei]a|agência|agenzia|agence|agentur|banco|banca|bank"
    r"|banque"
    r"|hospital|ospedale"
    r"|krankenhaus|hôpital|universi\w+|escola|escuela|scuola|schule|école|entreprise|société|azienda|ditta|compañía"
    r"|unternehmen|konzern|behörde|kanzlei|cabinet|bufete|fabrik|fábrica|fabbrica|usine|labor\w*"
    r"|cl[íi]ni[cqk]\w*|praxis"
    r"|verlag|beratung|consult\w+|bäckerei|boulangerie|panadería|tienda|negozio|loja|laden|magasin|restaurant\w*)\b",
    re.IGNORECASE,
)
# "this" and "that" of several languages: none of them can stand in a statement of any.
_POINTING = re.compile(
    r"\b(?:questo|questa|quello|quella|isso|isto|aquilo|esto|eso|aquello|ça|cela|celui|dies\w*" r"|jene\w*)\b",
    re.IGNORECASE,
)
_SOME = re.compile(r"(?:ein(?:e[nmrs]?)?|une?|un[ao]|uma?|des|de la|du|unos|unas|uns|umas) ", re.IGNORECASE)
_PARTICLES = re.compile("[はがを]")
_CJK = r"\u3040-\u30ff\u3400-\u9fff々ー"
_CJK_NAME = re.compile(rf"[{_CJK}]{{1,8}}|[{_UPPER}a-z][\w .'-]{{1,30}}|[{_CJK}A-Za-z·・ ]{{2,20}}")


def tidy(text: str, filler: re.Pattern[str]) -> str:
    """Without white space, end marks, and words that say nothing at the end."""
    text = " ".join(text.split())
    for _ in range(4):
        shorter = filler.sub("", _TRAILING.sub("", text))
        if shorter == text:
            break
        text = shorter
    return text


def third_in_a(irregular: Mapping[str, str], letters: int = 3) -> Clean:
    """The third person of a verb in the first, where ``-o`` becomes ``-a``: ``lavoro`` → ``lavora``.

    :param irregular: the verbs for which it does not: ``bevo`` → ``beve``.
    :param letters: what a verb has at least.
    """

    def third(verb: str) -> str | None:
        verb = verb.lower()
        regular = verb[:-1] + "a" if verb.endswith("o") and len(verb) >= letters else None
        return irregular.get(verb, regular)

    return third


def cleaners(leans: str, filler: str, roles: str, spaced: bool = True) -> Mapping[str, Clean]:
    """Slot name → check and clean.

    :param leans: words that need what was said before, or speak of the first or second person.
    :param filler: words at the end that say nothing.
    :param roles: what a word for somebody's work looks like.
    :param spaced: whether the language divides its words.
    """
    leaning, filling = re.compile(leans, re.IGNORECASE), re.compile(rf"(?:{filler})$", re.IGNORECASE)
    role_like = re.compile(rf"(?:{roles})(?:\W.*)?", re.IGNORECASE | re.DOTALL)

    def measured(text: str, most: int, letters: int) -> str | None:
        text = tidy(text, filling)
        long = len(text.split()) > most if spaced else len(text) > letters
        if not text or long or len(text) > 12 * most or leaning.search(text) or _POINTING.search(text):
            return None
        return text

    def thing(text: str) -> str | None:
        found = measured(text, 10, 24)
        return found if found and re.search(r"\w", found) else None

    def tool(text: str) -> str | None:
        """Something used, by a name: of what is written small only what is known."""
        found = thing(text)
        if not found or _SOME.match(found) or _PARTICLES.search(found):
            return None
        named = (
            re.search(rf"[{_UPPER}\d\u30a1-\u30fa]", found) if spaced else re.search(r"[A-Za-z\d\u30a1-\u30fa]", found)
        )
        return found if named or found.lower() in words.TOOLS | words.EDITORS | words.SHELLS | words.SYSTEMS else None

    def clause(text: str) -> str | None:
        return measured(text, 20, 50)

    def order(text: str) -> str | None:
        """An order or a rule as it stands; what it begins with is part of it."""
        found = tidy(text, filling)
        start = 2 if not spaced else len(" ".join(found.split()[:2]))
        long = len(found.split()) > 20 if spaced else len(found) > 50
        return None if not found or long or leaning.search(found, start) else found

    def place(text: str) -> str | None:
        found = measured(text, 7, 14)
        if not found:
            return None
        if not spaced:
            return found if _CJK_NAME.fullmatch(found) and not _PARTICLES.search(found) else None
        named = _NAMED.fullmatch(found) or _WITH_ARTICLE.fullmatch(found)
        return found if named or re.fullmatch(r"[a-zà-ÿ]{3,20}", found) else None

    def org(text: str) -> str | None:
        found = measured(text, 6, 16)
        if not found or not spaced:
            return found if found and not _PARTICLES.search(found) else None
        return found if re.match(rf"(?:[dl]')?[{_UPPER}\d]", found) or _EMPLOYERS.search(found) else None

    def name(text: str) -> str | None:
        found = measured(text, 4, 10)
        fits = found and (_PERSON if spaced else _CJK_NAME).fullmatch(found)
        return found if found and fits and not _PARTICLES.search(found) else None

    def role(text: str) -> str | None:
        found = measured(text, 7, 14)
        return found if found and role_like.fullmatch(found) and not _PARTICLES.search(found) else None

    def word(text: str) -> str | None:
        return tidy(text, filling) or None

    things = dict.fromkeys(("liked", "what", "topic"), thing)
    return things | {
        "tool": tool,
        "place": place,
        "org": org,
        "name": name,
        "role": role,
        "clause": clause,
        "order": order,
        **dict.fromkeys(("word", "how", "rel", "slot"), word),
    }
