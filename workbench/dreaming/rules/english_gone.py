"""English: what no longer holds. A retraction has the key of what it retracts, so that it replaces it."""

from __future__ import annotations

from collections.abc import Callable

from workbench.dreaming.rules import words
from workbench.dreaming.rules.english_life import REL, relation_key
from workbench.dreaming.rules.keys import known_key, preference_key, uses_key
from workbench.dreaming.rules.table import Rule, Scope, Slots, rule
from workbench.ledger.model import Kind

Key = str | Callable[[Slots], str | None] | None


def _gone(pattern: str, content: str, key: Key = None, scope: Scope = "global") -> Rule:
    return rule(pattern, Kind.CORRECTION, content, key, scope=scope, retracts=True)


GONE: tuple[Rule, ...] = (
    _gone(
        r"i (?:no longer (?:live|am living)|am no longer (?:living|based)|am no longer) in (?P<place>.+)",
        "No longer lives in {place}",
        "profile.location",
    ),
    _gone(
        r"i (?:no longer work|am no longer (?:working|employed)|have (?:quit|left) my job|(?:quit|left) my job"
        r"|resigned|have resigned|am no longer an? [\w -]{3,40}?|am no longer) (?:at|for|with|from) (?P<org>.+)",
        "No longer works at {org}",
        "profile.employer",
    ),
    _gone(r"i (?:have )?(?:just )?left (?P<employer>.+)", "No longer works at {employer}", "profile.employer"),
    _gone(
        r"i (?:no longer work as|am no longer) (?:an?|the) (?P<role>.+)", "No longer works as {role}", "profile.role"
    ),
    _gone(rf"i am no longer (?P<word>{words.any_of(words.DIETS)})", "No longer {word}", "preference.diet"),
    _gone(
        r"i am no longer (?P<word>married|single|divorced|widowed|engaged)", "No longer {word}", "relationship.status"
    ),
    _gone(
        r"i am no longer (?P<word>learning|studying|taking|training for|into|allergic to|a fan of) (?P<what>.+)",
        "No longer {word} {what}",
    ),
    _gone(r"i no longer (?:use|run|work with|code in) (?P<known>.+)", "No longer uses {known}", known_key),
    _gone(r"i am no longer (?:on|using|running) (?P<known>.+)", "No longer uses {known}", known_key),
    _gone(r"i no longer use (?P<tool>.+?) for (?P<topic>.+)", "No longer uses {tool} for {topic}"),
    _gone(r"i (?:no longer use|am no longer using) (?P<tool>.+)", "No longer uses {tool}", uses_key),
    _gone(
        r"we no longer use (?P<tool>.+?) for (?P<topic>.+)",
        "No longer uses {tool} for {topic}",
        scope="project",
    ),
    _gone(r"we (?:no longer use|are no longer using) (?P<tool>.+)", "No longer uses {tool}", uses_key, "project"),
    _gone(r"i no longer prefer (?P<liked>.+)", "No longer prefers {liked}", preference_key),
    _gone(
        r"i no longer (?P<verb2>like|love|enjoy|hate|play|collect|speak|own|maintain|teach|lead|manage|learn) "
        r"(?P<liked>.+)",
        "No longer {verb2} {liked}",
    ),
    _gone(r"i no longer (?P<verb>\w+) (?P<what>.+)", "No longer {verb} {what}"),
    _gone(
        r"i no longer (?P<verb2>smoke|drink|drive|commute|freelance|volunteer|teach|work)",
        "No longer {verb2}",
    ),
    _gone(rf"(?P<proper>.+) is no longer my {REL}", "{rel} is no longer {proper}", relation_key),
    _gone(rf"my {REL} is no longer (?P<proper>.+)", "{rel} is no longer {proper}", relation_key),
)
