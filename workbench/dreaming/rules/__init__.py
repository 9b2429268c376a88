"""The extractor without a model: it finds what people plainly state of themselves, and prefers silence to junk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.dreaming.extract import RULES, Heard, Reading, Statement
from workbench.dreaming.rules import privacy
from workbench.dreaming.rules.agreement import agreed
from workbench.dreaming.rules.chinese import CHINESE
from workbench.dreaming.rules.english import ENGLISH
from workbench.dreaming.rules.french import FRENCH
from workbench.dreaming.rules.german import GERMAN
from workbench.dreaming.rules.italian import ITALIAN
from workbench.dreaming.rules.japanese import JAPANESE
from workbench.dreaming.rules.portuguese import PORTUGUESE
from workbench.dreaming.rules.prose import own_sentences, reveal
from workbench.dreaming.rules.spanish import SPANISH
from workbench.dreaming.rules.table import Clause, Language, Rule
from workbench.dreaming.rules.times import begun
from workbench.ledger.model import Kind
from workbench.text import fact_key

__all__ = ["RulesExtractor", "meant"]

# Below this certainty nothing is said at all.
FLOOR = 0.55
LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, CHINESE, JAPANESE)
# Facts that begin to hold at some time.
_BEGINS = (
    *("profile.location", "profile.employer", "profile.role", "environment.", "uses.", "preference.", "relationship."),
    "decision.",
)
_LASTING_ONLY = frozenset(
    {Kind.PREFERENCE, Kind.CONSTRAINT, Kind.DECISION, Kind.PROCEDURE, Kind.ENVIRONMENT, Kind.GOAL, Kind.CORRECTION}
)


@dataclass(frozen=True, eq=False)
class _Found:
    """A statement, whether it retracts, and whether it was marked as a correction."""

    statement: Statement
    retracts: bool
    corrects: bool


class RulesExtractor:
    """Statements by tables of patterns; deterministic, linear in the text, no model, no network."""

    name = RULES

    def __init__(self, languages: Sequence[Language] = LANGUAGES) -> None:
        self._languages = languages

    def read(self, messages: Sequence[Heard]) -> Reading:
        """All of these messages at once; never raises."""
        return Reading(self.extract(messages), len(messages))

    def extract(self, messages: Sequence[Heard]) -> list[Statement]:
        """What the users of these messages state of themselves, and what they agree to, in the order they said it;
        never raises."""
        found: list[Statement] = []
        before = None
        for heard in messages:
            if heard.role == "user":
                found += self._heard(heard)
                if before is not None and before.role == "assistant" and before.session_key == heard.session_key:
                    found += self._agreed(before, heard)
            before = heard
        return found

    def _agreed(self, before: Heard, heard: Heard) -> list[Statement]:
        """What the person decided by agreeing with the message before: inferred, since the words are not theirs."""
        decided = agreed(before.text, heard.text)
        if decided is None:
            return []
        evidence = (heard.message_id, before.message_id)
        return [
            replace(statement, explicit=False, confidence=min(statement.confidence, 0.65), evidence=evidence)
            for statement in self._heard(replace(heard, text=decided))
            if statement.kind == Kind.DECISION
        ]

    def _heard(self, heard: Heard) -> list[Statement]:
        spoken = [language for language in self._languages if language.speaks(heard.text)]
        if not spoken:
            return []
        sentences, hidden = own_sentences(heard.text)
        found: dict[str, _Found] = {}
        told, taken = _told(spoken, sentences), set[int]()
        for number, language in enumerate(spoken):
            mine = {at for at, languages in enumerate(told) if number in languages} - taken
            for clause in language.read(sentences, mine, language.may_state) if mine else ():
                made = self._made(language, clause, hidden, heard)
                if made is not None:
                    taken.add(clause.sentence)
                    found.setdefault(made.statement.content.casefold(), made)
        return _settled(list(found.values()))

    def _made(self, language: Language, clause: Clause, hidden: list[str], heard: Heard) -> _Found | None:
        for rule in language.candidates(clause):
            match = rule.pattern.fullmatch(clause.text)
            if match is None:
                continue
            slots = self._slots(language, rule, match, hidden)
            if slots is not None:
                statement = _made(language, rule, slots, clause, heard)
                return _Found(statement, rule.retracts, clause.correction) if statement else None
        return None

    def _slots(self, language: Language, rule: Rule, match: re.Match[str], hidden: list[str]) -> dict[str, str] | None:
        """The slots of a match, clean; None when one of them is not what the rule takes it for."""
        if rule.kind in _LASTING_ONLY and language.passing.search(match.string):
            return None
        slots: dict[str, str] = {}
        for slot, said in match.groupdict().items():
            if said is None:
                continue
            shown = reveal(said, hidden)
            clean = language.clean[slot](shown) if shown is not None else None
            if clean is None:
                return None
            slots[slot] = clean
        return slots


def meant(sentences: list[str]) -> list[bool]:
    """Of each of a message's sentences, whether the person means it, in any language, and does not take it back."""
    told = _told(LANGUAGES, sentences)
    each = [
        language.meant(sentences, {at for at, languages in enumerate(told) if number in languages})
        for number, language in enumerate(LANGUAGES)
    ]
    return [all(stands) for stands in zip(*each, strict=True)]


def _told(spoken: Sequence[Language], sentences: Sequence[str]) -> list[frozenset[int]]:
    """Of each sentence, which of these languages it may be in: those that weigh the same in it, the most; of one that
    does not tell, those of the others."""
    sure = frozenset(number for number, language in enumerate(spoken) if language.weigh is None)
    weighing = [(number, language.weigh) for number, language in enumerate(spoken) if language.weigh is not None]
    if not weighing:
        return [sure] * len(sentences)
    found = []
    for sentence in sentences:
        weights = {number: weigh(sentence) for number, weigh in weighing}
        most = max(weights.values())
        found.append(frozenset(number for number, weight in weights.items() if weight == most > 0))
    others = frozenset[int]().union(*found)
    return [sure | (languages or others) for languages in found]


def _settled(found: list[_Found]) -> list[Statement]:
    """What stands at the end of one message.

    ``I left Volvo, I'm at Saab now`` tells the employer whichever comes first; ``I live in Rome. Sorry, I live in
    Milan`` tells the second.
    """
    kept = []
    for number, one in enumerate(found):
        same = [other for other in found if other is not one and other.statement.fact_key == one.statement.fact_key]
        if one.statement.fact_key and one.retracts and not all(other.retracts for other in same):
            continue
        if one.statement.fact_key and any(other.corrects for other in found[number + 1 :] if other in same):
            continue
        kept.append(one.statement)
    return kept


def _made(language: Language, rule: Rule, slots: dict[str, str], clause: Clause, heard: Heard) -> Statement | None:
    confidence = min(rule.confidence + (0.05 if clause.remember else 0.0), 0.95)
    if clause.certainty < 1:
        confidence = min(confidence, clause.certainty)
    if confidence < FLOOR:
        return None
    content = rule.content.format(**slots)
    if clause.adverb:
        content = f"{clause.adverb} {content[:1].lower()}{content[1:]}"
    content = _sentence(content, language.stop)
    ends = rule.ends and _sentence(rule.ends.format(**slots), language.stop)
    key = rule.key(slots) if callable(rule.key) else rule.key and rule.key.format(**slots)
    return Statement(
        content=content,
        kind=rule.kind,
        explicit=rule.explicit and clause.certainty == 1,
        confidence=confidence,
        evidence=(heard.message_id,),
        fact_key=(fact_key(key) or None) if key else None,
        privacy=privacy.of(content),
        # Said outside any project, "we" is a family or a club.
        scope="project" if heard.project and (rule.scope == "project" or clause.in_project) else "global",
        retracts=ends,
        valid_from=begun(clause.since or language.since(clause.text), heard.timestamp)
        if _may_begin(rule, key)
        else None,
    )


def _may_begin(rule: Rule, key: str | None) -> bool:
    """Whether a time said with a statement is when it began to hold, and not what it is about."""
    return rule.retracts or bool(key and key.startswith(_BEGINS))


def _sentence(content: str, stop: str) -> str:
    """First letter upper, white space single, one full stop at the end."""
    content = re.sub(r"\s+", " ", content).strip().rstrip(".!?,;:。！ ")
    return f"{content[:1].upper()}{content[1:]}{stop}"
