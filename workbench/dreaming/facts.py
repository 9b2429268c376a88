"""Which statements speak of the same fact, whatever extractor found them: fact keys, and what a retraction ends.

A key is for what a person has one of. What they can have several of (pets, tools, tabs in one language and spaces in
another) gets none, so that one never retires another.
"""

from __future__ import annotations

import re
from dataclasses import replace

from workbench import text
from workbench.dreaming.extract import Statement

# Relations a person has one of at a time; with any other a second name is a second person or animal.
ONE_OF = frozenset(
    (
        *("wife", "husband", "partner", "spouse", "girlfriend", "boyfriend", "fiance", "fiancee", "mother", "mom"),
        *("mum", "father", "dad", "manager", "boss", "landlord", "landlady", "therapist", "team-lead", "tech-lead"),
    )
)
_RELATION = re.compile(r"relationship\.([^.]+)\.name")
_QUALIFIED = re.compile(r"\s(?:in|for|on|when|while|during|at|with|if)\s", re.IGNORECASE)
_SPELLINGS = (("favourite", "favorite"), ("colour", "color"), ("neighbour", "neighbor"))
_TASTE = re.compile(r"(?:No longer )?(?:likes|loves|enjoys|dislikes|hates) (\S+(?: \S+){0,3}?)\.?", re.IGNORECASE)
_NO_LONGER = re.compile(r"(?:Correction: )?no longer (.+)", re.IGNORECASE)
_IS_NO_LONGER = re.compile(r"(.+) is no longer (?:called )?(.+)", re.IGNORECASE)


def settle(statement: Statement) -> Statement:
    """The statement with the key of its fact, and with the statement that it ends if it says "no longer"."""
    return replace(statement, fact_key=_key(statement), retracts=statement.retracts or _retracted(statement.content))


def _key(statement: Statement) -> str | None:
    key = statement.fact_key
    if key is None:
        taste = _TASTE.fullmatch(statement.content)
        return f"likes.{text.fact_key(taste[1])}" if taste and text.fact_key(taste[1]) else None
    relation = _RELATION.fullmatch(key)
    if relation and relation[1] not in ONE_OF:
        return None
    if key.startswith(("preference.", "uses.")) and _QUALIFIED.search(statement.content):
        return None
    for british, american in _SPELLINGS:
        key = key.replace(british, american)
    return key


def _retracted(content: str) -> str | None:
    """ "No longer works at Acme." ends "Works at Acme."; "Manager is no longer Ada." ends "Manager is called Ada." """
    if found := _NO_LONGER.fullmatch(content):
        return found[1][0].upper() + found[1][1:]
    if found := _IS_NO_LONGER.fullmatch(content):
        return f"{found[1]} is called {found[2]}"
    return None
