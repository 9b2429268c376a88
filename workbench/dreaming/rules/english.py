"""English, put together: rules by first word, slots, clauses, and what is said for the moment only."""

from __future__ import annotations

import re

from workbench.dreaming.rules import english_life as life
from workbench.dreaming.rules import english_person as person
from workbench.dreaming.rules import english_work as work
from workbench.dreaming.rules.clauses import read, speaks
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
    *person.PROFILE,
    *person.HEALTH,
    *life.PEOPLE,
    *life.TASTES,
    *person.GONE,
    *life.LIFE,
    *work.TOOLS,
    *work.PROJECT,
    *work.DECISIONS,
    *work.DATES,
    *work.CONSTRAINTS,
)
_HEADS = ("i", "my", "we", "our")


def _head(known: Rule) -> str:
    """The first word a rule's pattern demands, or nothing."""
    first = known.pattern.pattern.split(" ", 1)[0]
    return first if first in _HEADS else ""


def _by_first_word(rules: tuple[Rule, ...]) -> dict[str, tuple[Rule, ...]]:
    return {head: tuple(r for r in rules if _head(r) in (head, "")) for head in (*_HEADS, "")}


_RULES = _by_first_word(_ORDERED)

ENGLISH = Language(
    code="en",
    rules=_RULES,
    screens={head: screen(rules) for head, rules in _RULES.items()},
    habits=(_HABIT,),
    remembered=work.REMEMBERED,
    corrected=work.CORRECTED,
    clean=CLEAN,
    speaks=speaks,
    read=read,
    passing=_PASSING,
)
