"""English, put together: rules by first word, slots, clauses, and what is said for the moment only."""

from __future__ import annotations

import re

from workbench.dreaming.rules import english_gone as gone
from workbench.dreaming.rules import english_leisure as leisure
from workbench.dreaming.rules import english_life as life
from workbench.dreaming.rules import english_orders as orders
from workbench.dreaming.rules import english_person as person
from workbench.dreaming.rules import english_work as work
from workbench.dreaming.rules import times
from workbench.dreaming.rules.clauses import meant, read, speaks
from workbench.dreaming.rules.slots import CLEAN
from workbench.dreaming.rules.table import Language, Rule, rule, screen
from workbench.ledger.model import Kind

# For one task, one file, one moment.
_PASSING = re.compile(
    r"\b(?:here|for now|right now|this time|just this once|for once|today|tonight|tomorrow|at the moment"
    r"|for the moment|for the time being|temporarily"
    r"|(?:for|in|on|to|of|with) (?:this|these|that|the (?:next|current|demo|first|second))(?! (?:project|repo"
    r"|repository|codebase|code base|monorepo|service|app|team|company|product)\b)"
    r"|this (?:file|function|class|method|module|pr|branch|commit|task|ticket|issue|bug|test|one|session|chat"
    r"|conversation|change|page|week|morning|afternoon|evening|case|example|code|script|query|table)"
    r"|until (?:we|i|you|the|it)|as a (?:workaround|quick fix|test)|one more time|once more|the (?:above"
    r"|following|below|code|error|bug|attached))\b",
    re.IGNORECASE,
)
_HABIT = rule(r"i (?P<verb>\w+) (?P<what>.+)", Kind.PREFERENCE, "{verb} {what}")

_ORDERED = (
    *work.CORRECTIONS,
    *gone.GONE,
    *person.PROFILE,
    *person.HEALTH,
    *life.PEOPLE,
    *life.TASTES,
    *life.LIFE,
    *leisure.LEISURE,
    *work.TOOLS,
    *work.PROJECT,
    *work.DECISIONS,
    *work.DATES,
    *orders.CONSTRAINTS,
)
_HEADS = ("i", "my", "we", "our", "the", "you")
_FIRST = re.compile(r"(\w+) |\(\?:(\w+(?:\|\w+)*)\) ")


def _heads(known: Rule) -> frozenset[str]:
    """The first words a rule's pattern allows, of those the rules are kept by; nothing for any word at all."""
    first = _FIRST.match(known.pattern.pattern)
    return frozenset((first[1] or first[2]).split("|")) if first else frozenset()


def _by_first_word(rules: tuple[Rule, ...]) -> dict[str, tuple[Rule, ...]]:
    heads = {known: _heads(known) for known in rules}
    kept = {head: tuple(r for r in rules if not heads[r] or head in heads[r]) for head in _HEADS}
    return kept | {"": tuple(r for r in rules if not heads[r] or not heads[r].issubset(_HEADS))}


_RULES = _by_first_word(_ORDERED)

ENGLISH = Language(
    code="en",
    rules=_RULES,
    screens={head: screen(rules) for head, rules in _RULES.items()},
    habits=(_HABIT,),
    remembered=orders.REMEMBERED,
    corrected=work.CORRECTED,
    onward=orders.ONWARD,
    ruled=orders.RULED,
    clean=CLEAN,
    speaks=speaks,
    read=read,
    meant=meant,
    passing=_PASSING,
    since=lambda clause: times.ENGLISH.taken(clause)[1],
)
