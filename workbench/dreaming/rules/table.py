"""What a language's table of rules is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from workbench.ledger.model import Kind

Slots = Mapping[str, str]
Scope = Literal["global", "project"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way people state something: a pattern over a whole clause and the statement it makes.

    :param pattern: its named groups are slots; the name decides how a slot is checked and cleaned.
    :param content: template over the slots.
    :param key: template of the fact key of a single-valued slot, or a function of the slots.
    :param retracts: it says that something no longer holds.
    :param ends: template of the statement that it ends, where that does not follow from the content.
    """

    pattern: re.Pattern[str]
    kind: Kind
    content: str
    key: str | Callable[[Slots], str | None] | None = None
    confidence: float = 0.9
    explicit: bool = True
    scope: Scope = "global"
    retracts: bool = False
    ends: str | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the person's own words, without its lead-in and its hedges.

    :param certainty: 1.0 said plainly, lower when hedged.
    :param adverb: a habit's adverb that belongs into the statement (``Usually``), or nothing.
    :param remember: the person asked to remember it.
    :param correction: the person said that it corrects something.
    :param in_project: the person said that it holds in this project.
    :param onward: the person said that it holds from now on.
    :param ruled: the person called it a rule.
    :param since: when it began, in words that ``times.begun`` knows; nothing where it is not said.
    :param sentence: the number of its sentence, where a language is told from others.
    """

    text: str
    certainty: float = 1.0
    adverb: str = ""
    remember: bool = False
    correction: bool = False
    in_project: bool = False
    onward: bool = False
    ruled: bool = False
    since: str = ""
    sentence: int = -1


@dataclass(frozen=True, slots=True)
class Language:
    """Everything the extractor knows of one language.

    :param rules: rules by the first word of a clause; ``""`` holds those for any other word.
    :param habits: tried when a clause has a habit's adverb and no rule knows it.
    :param remembered: tried when the person asked to remember a clause and no rule knows it.
    :param onward: tried first when a clause is to hold from now on.
    :param ruled: tried first when the person called a clause a rule.
    :param corrected: tried when a clause is marked as a correction and no rule knows it.
    :param clean: slot name → check and clean; None = this is not such a thing.
    :param screens: for each first word one pattern that is met wherever any of its rules is: a cheap first look.
    :param speaks: false for text that can't state anything; the cheapest look of all.
    :param weigh: how much of a sentence is of this language, to tell it from the others; None where its patterns alone
        tell.
    :param read: the clauses of a message's own sentences, of those with these numbers, given that first look.
    :param meant: of each of a message's sentences, whether what those with these numbers say lets it stand as meant.
    :param passing: found in a clause that holds for one task or one moment only.
    :param since: when what a clause states began, in words that ``times.begun`` knows; for a language whose clauses
        do not tell.
    :param stop: the end mark of a statement.
    """

    code: str
    rules: Mapping[str, tuple[Rule, ...]]
    screens: Mapping[str, re.Pattern[str]]
    clean: Mapping[str, Callable[[str], str | None]]
    speaks: Callable[[str], bool]
    read: Callable[[list[str], Container[int], Callable[[Clause], bool]], list[Clause]]
    meant: Callable[[list[str], Container[int]], list[bool]]
    passing: re.Pattern[str]
    weigh: Callable[[str], int] | None = None
    habits: tuple[Rule, ...] = ()
    remembered: tuple[Rule, ...] = ()
    corrected: tuple[Rule, ...] = ()
    onward: tuple[Rule, ...] = ()
    ruled: tuple[Rule, ...] = ()
    since: Callable[[str], str] = lambda _: ""
    stop: str = "."

    def may_state(self, clause: Clause) -> bool:
        """False for most clauses that state nothing."""
        if clause.adverb or clause.remember or clause.correction or clause.onward or clause.ruled:
            return True
        first = clause.text.split(" ", 1)[0].lower()
        return self.screens.get(first, self.screens[""]).fullmatch(clause.text) is not None

    def candidates(self, clause: Clause) -> Iterator[Rule]:
        """The rules that may know this clause, the most telling first."""
        if clause.onward:
            yield from self.onward
        if clause.ruled:
            yield from self.ruled
        first = clause.text.split(" ", 1)[0].lower()
        yield from self.rules.get(first, self.rules[""])
        if clause.adverb:
            yield from self.habits
        if clause.remember:
            yield from self.remembered
        if clause.correction:
            yield from self.corrected


def screen(rules: Iterable[Rule]) -> re.Pattern[str]:
    """One pattern for all of these, without slots."""
    return re.compile("|".join(re.sub(r"\(\?P<\w+>", "(?:", r.pattern.pattern) for r in rules), re.IGNORECASE)


def rule(
    pattern: str,
    kind: Kind,
    content: str,
    key: str | Callable[[Slots], str | None] | None = None,
    *,
    confidence: float = 0.9,
    explicit: bool = True,
    scope: Scope = "global",
    retracts: bool = False,
    ends: str | None = None,
) -> Rule:
    """A rule whose pattern ignores case; spaces in it stand for themselves."""
    return Rule(re.compile(pattern, re.IGNORECASE), kind, content, key, confidence, explicit, scope, retracts, ends)
