"""English: people around one, tastes, habits, skills, goals."""

from __future__ import annotations

from workbench.dreaming.rules import words
from workbench.dreaming.rules.keys import preference_key
from workbench.dreaming.rules.table import Rule, Slots, rule
from workbench.ledger.model import Kind

REL = (
    rf"(?:new |current )?(?P<rel>(?:older |younger |elder |oldest |youngest |little |big |ex-|step)?"
    rf"{words.any_of(words.RELATIONS | words.LEADS)})"
)
_FAMILY = words.any_of(words.FAMILY)
_COUNT = r"(?:an?|one|two|three|four|five|six|\d)"
_NAME = r"(?-i:[A-ZÀ-ÖØ-Þ][a-zà-ÿ'-]+)"
_SAID = r"(?:is|has|was|lives|works|loves|likes|hates|just|will|said|told|wants|needs|always|never|who)\b"
_CARE = r"(?:allergic to|afraid of|vegan|vegetarian|lactose intolerant|diabetic|autistic|pregnant|deaf|retired)"


def relation_key(slots: Slots) -> str | None:
    """The name of somebody one has one of; sisters and friends may be several."""
    known = words.SINGULAR_RELATIONS | words.LEADS
    return f"relationship.{slots['rel']}.name" if slots["rel"] in known else None


PEOPLE: tuple[Rule, ...] = (
    rule(
        rf"(?:my|our) {REL}(?:'s name is| is (?:called|named)) (?P<name>.+)",
        Kind.RELATIONSHIP,
        "{rel} is called {name}",
        relation_key,
    ),
    rule(rf"(?:my|our) {REL} is (?P<proper>.+)", Kind.RELATIONSHIP, "{rel} is called {proper}", relation_key),
    rule(
        rf"(?:i have|we have) an? (?:\w+ ){{0,2}}{REL}(?: (?:called|named)|,? (?:whose|and (?:his|her"
        rf"|its)) name is) (?P<name>.+)",
        Kind.RELATIONSHIP,
        "{rel} is called {name}",
        relation_key,
    ),
    rule(
        rf"(?:my|our) {REL} (?P<proper>{_NAME})(?:,.*| (?-i:[a-z]).*|)",
        Kind.RELATIONSHIP,
        "{rel} is called {proper}",
        relation_key,
        confidence=0.85,
    ),
    rule(
        rf"(?:my|our) {REL}, (?P<proper>{_NAME}),? {_SAID}.*",
        Kind.RELATIONSHIP,
        "{rel} is called {proper}",
        relation_key,
        confidence=0.85,
    ),
    rule(rf"(?:my|our) {REL} is (?P<word>{_CARE}\b.*)", Kind.RELATIONSHIP, "{rel} is {word}"),
    rule(rf"(?:my|our) {REL} (?:is an?|works as an?) (?P<role>.+)", Kind.RELATIONSHIP, "{rel} works as {role}"),
    rule(rf"(?:my|our) {REL} lives in (?P<place>.+)", Kind.RELATIONSHIP, "{rel} lives in {place}"),
    rule(
        rf"(?:i|we) have (?:got )?(?P<word>{_COUNT} (?:(?:young|little|grown|adult|teenage|older|younger|rescue"
        rf"|small|big"
        rf"|\w+-year-old) )?{_FAMILY})(?:,.*| (?:called|named) .*)?",
        Kind.RELATIONSHIP,
        "Has {word}",
    ),
    rule(
        r"i am (?P<word>married|single|divorced|widowed|engaged)", Kind.RELATIONSHIP, "Is {word}", "relationship.status"
    ),
    rule(
        r"i am (?:married|engaged) to (?P<proper>.+)",
        Kind.RELATIONSHIP,
        "Is married to {proper}",
        "relationship.spouse.name",
    ),
)

TASTES: tuple[Rule, ...] = (
    rule(
        r"i prefer (?P<liked>(?!to )(?!\w+ing\b).+?) (?:over|to|rather than|instead of) (?P<what>(?!the |a |an "
        r"|my |\w+ing\b).+)",
        Kind.PREFERENCE,
        "Prefers {liked} over {what}",
        preference_key,
    ),
    rule(
        r"i prefer (?P<liked>\w+ing\b.*?) (?:over|to|rather than|instead of) (?P<what>\w+ing\b.*)",
        Kind.PREFERENCE,
        "Prefers {liked} over {what}",
        preference_key,
    ),
    rule(
        r"i (?:strongly |much |generally )?prefer (?P<liked>(?!to be called).+)",
        Kind.PREFERENCE,
        "Prefers {liked}",
        preference_key,
    ),
    rule(
        r"i (?:would )?(?:prefer|rather) not (?:to )?(?P<order>.+)",
        Kind.PREFERENCE,
        "Prefers not to {order}",
        confidence=0.85,
    ),
    rule(
        r"i would rather (?:have|get|use|see) (?P<liked>(?!the |a |an |you |your |it |that |this |not |my ).+?)"
        r" (?:than|over|instead of) (?P<what>.+)",
        Kind.PREFERENCE,
        "Prefers {liked} over {what}",
        preference_key,
        confidence=0.85,
    ),
    rule(
        r"i would rather (?:have|get) (?P<liked>(?!the |a |an |you |your |it |that |this |not |my ).+)",
        Kind.PREFERENCE,
        "Prefers {liked}",
        preference_key,
        confidence=0.85,
    ),
    rule(r"my preference is (?:for )?(?P<liked>.+)", Kind.PREFERENCE, "Prefers {liked}", preference_key),
    rule(
        r"i would prefer (?:to have )?(?P<liked>(?!to |if |you |that |not |be |use |go |do |the |a |an ).+)",
        Kind.PREFERENCE,
        "Prefers {liked}",
        preference_key,
        confidence=0.6,
        explicit=False,
    ),
    rule(r"i love (?P<liked>.+)", Kind.PREFERENCE, "Loves {liked}"),
    rule(
        r"i (?:like|enjoy|adore|am (?:really )?into|am fond of|am partial to|am a (?:huge |big )?fan of"
        r"|am passionate about) (?P<liked>.+)",
        Kind.PREFERENCE,
        "Likes {liked}",
        confidence=0.85,
    ),
    rule(
        r"i (?:hate|dislike|detest|loathe|do not (?:really )?like|can not stand|do not enjoy|am not (?:a (?:huge "
        r"|big )?fan of|into|fond of)|am no fan of) (?P<liked>.+)",
        Kind.PREFERENCE,
        "Dislikes {liked}",
    ),
    rule(
        r"my (?P<fav>favou?rite (?:\w+ ){0,2}?\w+) is (?P<liked>.+)",
        Kind.PREFERENCE,
        "{fav} is {liked}",
        "preference.{fav}",
    ),
    rule(r"i (?P<other>always|never) (?P<verb>\w+) (?P<what>.+)", Kind.PREFERENCE, "{other} {verb} {what}"),
    rule(
        r"i do not (?P<word>eat|drink|smoke|use|speak|own|wear|watch|work on|work with) (?P<what>.+)",
        Kind.PREFERENCE,
        "Does not {word} {what}",
        confidence=0.85,
    ),
    rule(r"i indent (?:with|using) (?P<what>.+)", Kind.PREFERENCE, "Indents with {what}", preference_key),
)

LIFE: tuple[Rule, ...] = (
    rule(
        r"i (?P<verb2>play|collect|practi[cs]e|teach|coach|own|grow|breed|brew|bake|maintain|manage|lead|co-own"
        r"|volunteer at|volunteer with|volunteer for) (?P<tool>.+)",
        Kind.FACT,
        "{verb2} {tool}",
        confidence=0.85,
    ),
    rule(r"i (?P<verb2>lead|manage|head|run) (?P<what>the .+ team\b.*)", Kind.FACT, "{verb2} {what}"),
    rule(
        r"i work (?P<word>(?:mostly |fully )?(?:from home|remotely|part-time|nights)(?: on \w+days)?)",
        Kind.FACT,
        "Works {word}",
    ),
    rule(r"i drive (?P<what>an? .+)", Kind.FACT, "Drives {what}"),
    rule(
        r"i run (?P<what>(?:an?|my own) (?:\w+ ){0,3}(?:business|shop|bakery|cafe|café|restaurant|studio|agency"
        r"|company|startup|blog|podcast|newsletter|channel|farm|clinic|school|club|meetup)\b.*)",
        Kind.FACT,
        "Runs {what}",
    ),
    rule(
        rf"i speak (?P<word>(?:(?:fluent|some|basic|native|a little|a bit of) )?{words.SPOKEN}(?:(?:,| and"
        rf"|, and) (?:(?:some|a little|basic) )?{words.SPOKEN}){{0,4}})(?: fluently)?",
        Kind.SKILL,
        "Speaks {word}",
    ),
    rule(
        rf"i am fluent in (?P<word>{words.SPOKEN}(?:(?:,| and|, and) {words.SPOKEN}){{0,4}})",
        Kind.SKILL,
        "Is fluent in {word}",
    ),
    rule(
        rf"i am (?:learning|studying) (?P<word>{words.SPOKEN}|{words.CODE_LANGUAGES}|(?:the|to play the"
        rf"|to play) \w+|to (?:sail|knit|sew|cook|swim|ski|code|paint|draw|surf|dance|program))",
        Kind.SKILL,
        "Is learning {word}",
    ),
    rule(
        r"i am (?:(?:fairly|pretty|quite|completely|totally|relatively|very|still|brand) )*new to (?P<liked>.+)",
        Kind.SKILL,
        "Is new to {liked}",
        confidence=0.85,
    ),
    rule(
        r"i am (?:(?:fairly|pretty|quite|very|most) )*(?P<word>comfortable with|experienced (?:in|with)"
        r"|proficient in|fluent in|familiar with|an expert in|an expert on|good at|bad at) (?P<liked>.+)",
        Kind.SKILL,
        "Is {word} {liked}",
        confidence=0.85,
    ),
    rule(r"i have (?P<what>(?:\w+|\d+\+?) years of experience (?:with|in|as) .+)", Kind.SKILL, "Has {what}"),
    rule(
        r"i have been (?P<word>(?:writing|programming in|coding in|using|working with|playing|practicing"
        r"|practising|teaching|studying|learning|doing)) (?P<what>.+ (?:for (?:\w+ )?(?:\w+|\d+) (?:years|months"
        r"|decades)|since \d{4}))",
        Kind.SKILL,
        "Has been {word} {what}",
    ),
    rule(
        rf"i know (?P<word>{words.CODE_LANGUAGES}(?:(?:,| and|, and) {words.CODE_LANGUAGES}){{0,4}}) (?:really "
        rf"|very |pretty |quite )?(?:well|inside out)",
        Kind.SKILL,
        "Knows {word} well",
    ),
    rule(
        r"my (?:main |long-term |current |biggest |big )?goal (?:for \d{4} )?is to (?P<clause>(?!make sure|create"
        r"|find|understand|get|fix|see|have|use).+)",
        Kind.GOAL,
        "Goal is to {clause}",
        confidence=0.85,
    ),
    rule(
        r"i (?:want|would like|would love|plan|am planning|hope|am hoping|am trying) to (?P<word>learn|become"
        r"|get better at|get into|train for|improve my) (?P<topic>(?!more\b|about\b|how\b).+)",
        Kind.GOAL,
        "Wants to {word} {topic}",
        confidence=0.8,
    ),
    rule(
        r"i am (?P<other>training for|saving up for|saving for|preparing for|studying for) (?P<what>(?:an?|my"
        r"|the) .+|(?-i:[A-Z]).+)",
        Kind.GOAL,
        "Is {other} {what}",
        confidence=0.8,
    ),
    rule(
        r"i have (?P<what>.+ every (?:other )?(?:mon|tues|wednes|thurs|fri|satur|sun)day.*)",
        Kind.TEMPORAL,
        "Has {what}",
    ),
    rule(
        r"i am (?P<word>on (?:vacation|holiday|leave|parental leave|sabbatical)|out of (?:the )?office"
        r"|away) (?P<other>until|from|starting|till) (?P<date>.+)",
        Kind.TEMPORAL,
        "Is {word} {other} {date}",
    ),
)
