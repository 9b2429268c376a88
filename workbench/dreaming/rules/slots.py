"""Slots of the English rules: is this really a name, a place, a thing preferred? And in what form is it kept?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from workbench.dreaming.rules import words
from workbench.dreaming.rules.person import for_user, inflect, third_person

_MONTH = words.any_of(words.MONTHS)
# How long ago, or that it is only now: not part of what holds.
_WHEN = (
    r"(?:\s|,\s)(?:last (?:week|month|year|summer|winter|spring|autumn|fall|night|weekend|" + _MONTH + r")"
    r"|(?:just |only )?(?:a |an |one |two |three |four |five |six |\d+ |a few |a couple of |several |some )"
    r"?(?:day|week|month|year|decade)s? (?:ago|now|back)|recently|lately|yesterday|now|again|these days|nowadays"
    r"|already"
    r"|(?:in|since|around|during|back in) (?:early |late |mid-?)?(?:\d{4}|" + _MONTH + r")(?: \d{4})?"
    r"|for (?:the (?:last|past) )?(?:about |almost |nearly |over |more than )?(?:a |\w+ )?(?:couple of )?(?:year"
    r"|month|week|decade)s?"
    r"(?: now)?|since i .*|when i .*|earlier this (?:year|month|week)|this (?:year|summer|spring|month))"
)
_TRAILING_TIME = re.compile(_WHEN + "$", re.IGNORECASE)
_TRAILING = re.compile(
    r"(?:[\s,;:–—-]+(?:too|as well|though|please|thanks|thank you|a lot|very much|so much|to be honest|tbh|btw"
    r"|by the way|you know"
    r"|obviously|of course|honestly|personally|for sure|in general|generally|actually|haha|hehe|i guess|i think"
    r"|really|right"
    r"|after all|in the end|for good|fyi|thx|by default|anyway|these days|nowadays|now|at least|at all)"
    r"|[\s.,;:!*_–—-]+|\s*[:;]-?[)(DP]"
    r"|\s*[\u2600-\u27bf\U0001f000-\U0001faff]+)$",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"^(?:me|myself|i|i'm|i've|it|its|that|this|these|those|them|him|her|his|he|she|they|there|here|how|what|when"
    r"|where|why|which|who|whether|if"
    r"|because|one|ones|such|so|not|both|either|neither|each|all of|some of|most of|everything|something|anything"
    r"|nothing"
    r"|everyone|someone|seeing|hearing|to (?:see|hear|know|think|say|be|do|get|ask)|being able|more|less|another"
    r"|any|some"
    r"|the same|like|as|of|all the|a certain|some kind|some sort|being here|being there|a similar"
    r"|an? .{0,40}\b(?:like|such as) this|same|just|also|only that|and|or)\b"
    r"|\bthat (?:with|to|for|in)\b|\b(?:you|your|yours|yourself|it|it's|its|itself|them|they|their|theirs|he|she"
    r"|him|his|hers?|this|these|those|above|below|following|aforementioned)\b"
    r"|\b(?:that|so|one|ones|here|there|and|or|of|to|the|a|an|with|for|in|on|at|as|do|does|did|idea|ideas|way"
    r"|mine|thing|things"
    r"|stuff|something|someone|something \\w+|now|today|etc|too|both|more|much|is|are|my|our)$",
    re.IGNORECASE,
)
_LEANS_CLAUSE = re.compile(
    r"^(?:that|i)\b|\b(?:it|it's|this|these|those|they|them|he|she|him|above|following)\b", re.IGNORECASE
)
_PROJECT_WORD = (
    r"(?:repo|repository|project|codebase|code base|monorepo|package|service|workspace|library|app|team|company)"
)
_THIS_PROJECT = re.compile(rf"\bth(?:is|e current) (?={_PROJECT_WORD}\b)", re.IGNORECASE)
_THE = re.compile(
    r"the (?!(?:great )?(?:outdoors|beach|mountains?|ocean|sea|city|countryside|gym|cold|heat|rain|snow"
    r"|command line|terminal|cli|dark|woods"
    r"|forest|opera|theater|theatre|keyboard|mouse|shell|metric system|oxford comma|imperative mood|active voice"
    r"|passive voice)$"
    r"|(?-i:[A-Z])\S*(?: (?:(?-i:[A-Z])\S*|of|the|and))*$)",
    re.IGNORECASE,
)
_NAME_WORD = r"[A-ZÀ-ÖØ-Þ](?:[\wÀ-ÿ]|['’-](?=\w)){0,24}\.?"
_NAME = re.compile(rf"{_NAME_WORD}(?: (?:van|von|de|da|del|der|di|la|bin|al|{_NAME_WORD})){{0,3}}")
_LOWER_NAME = re.compile(r"[a-zà-ÿ][a-zà-ÿ'-]{1,20}(?: [a-zà-ÿ][a-zà-ÿ'-]{1,20})?")
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w'.À-ÿ-]{0,30}"
_PLACE = re.compile(
    r"(?:(?:downtown|central|northern|southern|eastern|western|upstate|rural|near|outside"
    r"|the (?:city|state|town|suburbs|outskirts|north|south|west|east) of"
    r"|the(?= (?:Netherlands|UK|US|USA|United|Philippines|Czech|Bay|Bronx|Hague|Midwest|Pacific|Bahamas|Algarve"
    r"|Highlands)\b)) )?"
    rf"{_CAPITAL}(?:,? (?:(?:of|de|da|del|la|am|an der|upon|on|do|the) )?{_CAPITAL}){{0,5}}"
)
_PLACE_TAIL = re.compile(
    r"(?:,? (?:with|for|from|near|because|where|which|when|together|permanently|full-time|part-time|so|close|by"
    r"|as|after|at|not) .*|,? (?-i:[A-ZÀ-ÖØ-Þ])[\w' -]{1,40}|" + _WHEN + r"|[.!,]*)*",
    re.IGNORECASE,
)
_DETERMINERS = ("The", "Our", "My", "All", "Every", "Each", "We", "This")
_VAGUE = words.word_set(
    """fear denial hope peace pain harmony constant a an the my this that these your some one two here there it same
    house home flat apartment dorm small big different town city country countryside area place room bubble past
    future moment production staging dev mode general particular memory squalor style debt line touch between off out
    progress charge order front case fact danger love need search favor favour trouble school college high bed time"""
)
_ROLE_STOP = re.compile(
    r" (?:at|for|in|with|from|who|by|on|and|of|specializing|specialising|focused|working|currently|looking|trying"
    r"|based|turned)\b"
)
# What somebody was, or would be.
_NOT_NOW = re.compile(
    r"^(?:former|ex|retired|aspiring|wannabe|would-be|failed|future|hobby|amateur|recovering)\b"
    r"|\b(?:by (?:training|education|background|degree|birth)|at heart|in training|to be|originally|in a past life)\b",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")


def tidy(text: str) -> str:
    """Without white space and trailing filler words, marks and emoji."""
    text = _SPACES.sub(" ", text).strip()
    for _ in range(4):
        shorter = _TRAILING.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text


def leans(text: str) -> bool:
    """True when the words need what was said before to mean something."""
    return bool(_LEANS.search(_THIS_PROJECT.sub("the ", text)))


def phrase(text: str, limit: int = 14) -> str | None:
    """An object: at most ``limit`` words, meaning something by itself, in the third person."""
    text = tidy(text)
    if not text or len(text) > 12 * limit or len(text.split()) > limit or leans(text) or not re.search(r"\w", text):
        return None
    return third_person(text)


def liked(text: str) -> str | None:
    """Something liked or preferred: no one definite thing of the conversation (``the first option``)."""
    text = tidy(text)
    if _THE.match(text) or re.match(r"(?:a|an|the) (?:few|lot|bit|couple|second|first|third|last|other)\b", text, re.I):
        return None
    return phrase(text)


def tool(text: str) -> str | None:
    """Something used: a short noun phrase."""
    text = tidy(_TRAILING_TIME.sub("", tidy(text)))
    if re.match(
        r"(?:the|to|a|an) .* to |the |to |my (?!own )|for |as |up |different |various |several |many ", text, re.I
    ):
        return None
    return phrase(text, 9)


def topic(text: str) -> str | None:
    """What something is for."""
    text = tidy(_TRAILING_TIME.sub("", tidy(text)))
    return None if re.match(r"now\b|(?:a|the) (?:moment|while|bit)\b", text, re.I) else phrase(text, 8)


def clause(text: str) -> str | None:
    """What a decision or a fact says: up to 28 words."""
    return _clause(text, third_person)


def _clause(text: str, spoken_of: Callable[[str], str]) -> str | None:
    text = tidy(text)
    if len(text.split()) < 1 or len(text) > 260 or len(text.split()) > 28:
        return None
    if _LEANS_CLAUSE.search(_THIS_PROJECT.sub("the ", text)) or re.match(r"(?:so|not|do|be|how)\b", text, re.I):
        return None
    if re.search(r"\b(?:it|this|that|these|those|them|so|one|here|there|the|a|an|to|of|and|or)$", text, re.I):
        return None
    head, space, rest = text.partition(" ")
    return spoken_of(f"{head.lower() if head in _DETERMINERS else head}{space}{rest}")


def order(text: str) -> str | None:
    """An instruction: begins with the base form of a known verb and has an object."""
    text = tidy(text)
    first = text.split(" ", 1)[0].lower()
    if first not in words.VERBS or " " not in text or re.match(r"\w+ (?:it|this|that|these|those|them)\b", text, re.I):
        return None
    return _clause(text[:1].lower() + text[1:], for_user)


def practice(text: str) -> str | None:
    """What a team does or does not do: begins with a verb of the trade, so that family outings are no rules."""
    return order(text) if text.split(" ", 1)[0].lower() in words.PRACTICES else None


def name(text: str) -> str | None:
    """A person's, animal's or project's name."""
    text = tidy(_TRAILING_TIME.sub("", tidy(text))).strip("*_")
    if _NAME.fullmatch(text) and text.split()[0].lower() not in words.NOT_NAMES:
        return text
    lower = _LOWER_NAME.fullmatch(text)
    return text if lower and not any(w in words.NOT_NAMES or w in _VAGUE for w in text.split()) else None


def proper(text: str) -> str | None:
    """A name that is written as one; for places where any other word may stand."""
    text = tidy(text)
    said = text.lower().split()
    if not _NAME.fullmatch(text) or (text.isupper() and len(text) > 1) or any(w in words.NOT_NAMES for w in said):
        return None
    return None if re.search(r"\w{3}(?:ing|ed|ly)$", said[0]) else text


def place(text: str) -> str | None:
    """Where somebody lives; words after the place (since when, with whom) are left out."""
    text = tidy(text)
    found = _PLACE.match(text)
    if found:
        spot = tidy(found.group())
        taken = (
            known(spot)
            or spot.lower() in words.NOT_NAMES | words.TOOLS
            or re.fullmatch(words.CODE_LANGUAGES, spot, re.I)
        )
        return spot if _PLACE_TAIL.fullmatch(text, found.end()) and not taken else None
    lower = tidy(_TRAILING_TIME.sub("", text))
    if known(lower) or lower in words.TOOLS or re.fullmatch(words.CODE_LANGUAGES, lower):
        return None
    plain = re.fullmatch(r"[a-zà-ÿ]{3,}(?:,? [a-zà-ÿ]{2,}){0,2}", lower)
    return lower if plain and not any(w in _VAGUE for w in lower.replace(",", "").split()) else None


def town(text: str) -> str | None:
    """Where somebody moved: written as a name, or a place known by name, since one moves to tools as well."""
    spot = place(text)
    return spot if spot and (spot[:1].isupper() or spot in words.PLACES or not spot.islower()) else None


def org(text: str) -> str | None:
    """An employer by name."""
    text = tidy(_TRAILING_TIME.sub("", tidy(text)))
    text = re.split(
        r",? (?:on|in|and|where|which|who|as|with|since|for|but|doing|remotely|full-time|part-time) |, ", text
    )[0]
    head = text.split(" ")[0]
    if not head[:1].isupper() or head.lower() in words.NOT_NAMES or len(text.split()) > 5:
        return None
    return text


def employer(text: str) -> str | None:
    """What somebody left: an employer by name, not a place, a tool, a service or a time."""
    text = tidy(_TRAILING_TIME.sub("", tidy(text))) if not re.search(r"\b(?:19|20)\d\d\b| ago\b", text) else ""
    low = text.lower()
    if low in words.PLACES or low in words.TOOLS or known(text) or re.fullmatch(words.CODE_LANGUAGES, text, re.I):
        return None
    named = re.fullmatch(rf"{_CAPITAL}(?: (?:{_CAPITAL}|&|of|and)){{0,3}}", text)
    return org(text) if named and low not in words.MONTHS | words.DAYS else None


def some_org(text: str) -> str | None:
    """An employer without a name: ``a small startup``."""
    text = tidy(_TRAILING_TIME.sub("", tidy(text)))
    return phrase(text, 7) if re.match(r"an? ", text, re.I) else None


def role(text: str) -> str | None:
    """What somebody works as, with its article."""
    text = tidy(_TRAILING_TIME.sub("", tidy(text)))
    head = _ROLE_STOP.split(text, maxsplit=1)[0].rstrip(",")
    last = head.split(" ")[-1].lower().split("/")[-1]
    if last not in words.ROLES or len(head.split()) > 5 or len(text.split()) > 10 or leans(text):
        return None
    if re.match(r"(?:good|bad|great|terrible|huge|big|slow|fast|better|real|total|lousy) ", text, re.I):
        return None
    if _NOT_NOW.search(text):
        return None
    text = re.sub(r" by (?:profession|trade)$", "", text)
    shown = third_person(
        re.split(r" (?:in|on) (?:my|our|the|a) |,? (?:who|and|where|so|working|looking|trying|currently)\b", text)[0]
    )
    article = "an" if shown[0].lower() in "aeiou" and not shown.lower().startswith(("uni", "use", "euro")) else "a"
    return f"{article} {shown}"


def date(text: str) -> str | None:
    """A day that stands for itself: ``12 May 2026``, ``March 3rd``, ``2026-05-12``."""
    text = tidy(text)
    day = (
        rf"(?:(?:{words.any_of(words.DAYS)},? )?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\.?(?:,? \d{{4}})?"
        rf"|(?:{words.any_of(words.DAYS)},? )?{_MONTH}\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
        rf"|\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|{_MONTH} \d{{4}})"
    )
    return text if re.fullmatch(day, text, re.I) else None


_EVERYTHING = re.compile(
    r" for (?:almost |nearly )?everything(?: else)?(?: ((?:except|but)(?: for)? [\w.#+ -]{1,30}))?$", re.I
)


def known(text: str) -> str | None:
    """A tool one has one of, with the word for it: ``Neovim as editor``."""
    spoken = _EVERYTHING.sub("", text)
    everything = _EVERYTHING.search(text)
    kept = f" for everything {everything[1]}" if everything and everything[1] else ""
    spoken = tidy(
        _TRAILING_TIME.sub(
            "", tidy(re.sub(r" (?:as my (?:\w+ ){0,2}\w+|on (?:my|all|both) .{2,40}|with .{2,40})$", "", spoken))
        )
    )
    bare = re.sub(r"[ -]v?\d[\w.]*(?: lts)?$", "", spoken.lower())
    for names, label in ((words.EDITORS, "editor"), (words.SHELLS, "shell"), (words.SYSTEMS, "operating system")):
        if bare in names or spoken.lower() in names:
            return f"{spoken} as {label}{kept}"
    return None


def word(text: str) -> str | None:
    """Anything the pattern itself has already pinned down."""
    return tidy(text) or None


def _lower(text: str) -> str | None:
    return tidy(text).lower() or None


def _favourite(text: str) -> str | None:
    return (
        None
        if re.search(r"\b(?:thing|part|one|bit|memory|moment|aspect|scene|photo|picture|idea)s?$", text, re.I)
        else tidy(text)
    )


def field(text: str) -> str | None:
    """What somebody studied."""
    text = tidy(_TRAILING_TIME.sub("", tidy(text)))
    return (
        None
        if re.match(r"(?:hard|for|with|how|abroad|the|a|an|together|all|until|more|every|at|in) ?\b", text, re.I)
        else phrase(text, 8)
    )


def _base(text: str) -> str | None:
    """The base form of a known verb: ``using`` → ``use``, ``putting`` → ``put``."""
    text = text.lower()
    stem = text.removesuffix("ing")
    forms = (text,) if stem == text else (stem, stem + "e", stem[:-1])
    return next((form for form in forms if form in words.VERBS), None)


CLEAN: Mapping[str, Callable[[str], str | None]] = {
    "what": phrase,
    "liked": liked,
    "tool": tool,
    "topic": topic,
    "clause": clause,
    "order": order,
    "practice": practice,
    "name": name,
    "proper": proper,
    "place": place,
    "org": org,
    "someorg": some_org,
    "role": role,
    "date": date,
    "word": word,
    "other": word,
    "verb2": lambda text: " ".join([inflect(text.lower().split()[0]), *text.lower().split()[1:]]),
    "rel": _lower,
    "how": _lower,
    "lead": lambda text: for_user(tidy(text)[:1].lower() + tidy(text)[1:]),
    "where": lambda text: re.sub(r" your\b", "", text.lower()).strip(" ,"),
    "town": town,
    "employer": employer,
    "gerund": _base,
    "fav": _favourite,
    "field": field,
    "known": known,
    "verb": lambda text: inflect(text.lower()) if text.lower() in words.HABITS else None,
}
