"""The extractor without a model: it finds what people plainly state of themselves, and prefers silence to junk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.dreaming.extract import Heard, Statement
from workbench.dreaming.rules import privacy
from workbench.dreaming.rules.english import ENGLISH
from workbench.dreaming.rules.prose import own_sentences, reveal
from workbench.dreaming.rules.table import Clause, Language, Rule
from workbench.ledger.model import Kind
from workbench.text import fact_key

__all__ = ["RulesExtractor"]

# Below this certainty nothing is said at all.
FLOOR = 0.55
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

    name = "rules"

    def __init__(self, language: Language = ENGLISH) -> None:
        self._language = language

    def extract(self, messages: Sequence[Heard]) -> list[Statement]:
        """What the users of these messages state of themselves, in the order they said it; never raises."""
        return [statement for heard in messages if heard.role == "user" for statement in self._heard(heard)]

    def _heard(self, heard: Heard) -> list[Statement]:
        if not self._language.speaks(heard.text):
            return []
        sentences, hidden = own_sentences(heard.text)
        found: dict[str, _Found] = {}
        for clause in self._language.read(sentences, self._language.may_state):
            made = self._made(clause, hidden, heard)
            if made is not None:
                found.setdefault(made.statement.content.casefold(), made)
        return _settled(list(found.values()))

    def _made(self, clause: Clause, hidden: list[str], heard: Heard) -> _Found | None:
        for rule in self._language.candidates(clause):
            match = rule.pattern.fullmatch(clause.text)
            if match is None:
                continue
            slots = self._slots(rule, match, hidden)
            if slots is not None:
                statement = _made(rule, slots, clause, heard)
                return _Found(statement, rule.retracts, clause.correction) if statement else None
        return None

    def _slots(self, rule: Rule, match: re.Match[str], hidden: list[str]) -> dict[str, str] | None:
        """The slots of a match, clean; None when one of them is not what the rule takes it for."""
        if rule.kind in _LASTING_ONLY and self._language.passing.search(match.string):
            return None
        slots: dict[str, str] = {}
        for slot, said in match.groupdict().items():
            if said is None:
                continue
            shown = reveal(said, hidden)
            clean = self._language.clean[slot](shown) if shown is not None else None
            if clean is None:
                return None
            slots[slot] = clean
        return slots


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


def _made(rule: Rule, slots: dict[str, str], clause: Clause, heard: Heard) -> Statement | None:
    confidence = min(rule.confidence + (0.05 if clause.remember else 0.0), 0.95)
    if clause.certainty < 1:
        confidence = min(confidence, clause.certainty)
    if confidence < FLOOR:
        return None
    content = rule.content.format(**slots)
    if clause.adverb:
        content = f"{clause.adverb} {content[:1].lower()}{content[1:]}"
    content = _sentence(content)
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
    )


def _sentence(content: str) -> str:
    """First letter upper, white space single, one full stop at the end."""
    content = re.sub(r"\s+", " ", content).strip().rstrip(".!?,;: ")
    return f"{content[:1].upper()}{content[1:]}."
