"""English: hobbies, what somebody is a fan of, animals taken in, groups joined, dreams."""

from __future__ import annotations

from workbench.dreaming.rules.table import Rule, rule
from workbench.ledger.model import Kind

_ANIMAL = r"(?:dog|puppy|pup|cat|kitten|rabbit|hamster|turtle|tortoise|parrot|horse|pony|guinea pig|goldfish)"
_GROUP = r"(?:group|club|gym|team|community|band|choir|league|orchestra|society|workshop)"
_PURSUIT = (
    r"(?:yoga|meditation|pottery|dance|dancing|music|art|painting|drawing|writing|reading|running|hiking|gardening"
    r"|cooking|baking|gaming|photography|swimming|cycling|climbing|surfing|skating|knitting|journaling|fishing)"
)

_COUNT = r"(?:an? |one |two |three |four |five |six |\d+ |several )?(?:few |couple of )?"
_AGO = (
    rf"(?:,? (?:about |almost |just |only )?{_COUNT}(?:day|week|month|year)s? ago| last \w+"
    r"| this (?:week|month|year|spring|summer|autumn|fall|winter)| recently| lately)?"
)
_VERY = r"(?:big|huge|total|real|massive|complete|avid|keen)"

LEISURE: tuple[Rule, ...] = (
    rule(
        r"(?P<liked>(?!this|that|it|there|here|what|one|which|who|he|she|they|you|these|those).{2,60}?)"
        r" (?:is|are) my (?:(?:absolute|all-time|personal) )*(?P<fav>favou?rite \w+|go-to \w+)",
        Kind.PREFERENCE,
        "{fav} is {liked}",
        "preference.{fav}",
        confidence=0.85,
    ),
    rule(
        r"(?P<liked>(?!this|that|it|there|here|what|one|which|who|he|she|they|you|these|those).{2,60}?)"
        r" is one of my (?:(?:absolute|all-time) )?favou?rite (?P<other>\w+)",
        Kind.PREFERENCE,
        "One of their favorite {other} is {liked}",
        confidence=0.85,
    ),
    rule(
        r"my (?P<fav>(?:fave|fav) (?:\w+ )?\w+) is (?P<liked>.+)", Kind.PREFERENCE, "{fav} is {liked}", confidence=0.85
    ),
    rule(
        r"i have (?:an? )?(?:\w+ )?(?:passion|love) for (?P<liked>.+)",
        Kind.PREFERENCE,
        "Loves {liked}",
        confidence=0.85,
    ),
    rule(r"i have always (?:loved|enjoyed|liked|been into) (?P<liked>.+)", Kind.PREFERENCE, "Loves {liked}"),
    rule(r"i can not (?:get enough of|live without) (?P<liked>.+)", Kind.PREFERENCE, "Loves {liked}", confidence=0.8),
    rule(r"i grew up (?:in|near|on) (?P<place>.+)", Kind.PROFILE, "Grew up in {place}"),
    rule(
        rf"(?P<liked>{_PURSUIT}(?: (?!is|was)[\w' -]{{2,40}})?) is my (?:(?:biggest|true|main|favou?rite|real) )*"
        r"(?P<other>passion|hobby|stress[- ]reliever|creative outlet)",
        Kind.PREFERENCE,
        "{other} is {liked}",
        confidence=0.85,
    ),
    rule(
        rf"i am (?P<what>an? (?:{_VERY} )*(?!{_VERY} |fan\b|lover\b)[\w'-]+(?: [\w'-]+)? (?:fan|lover|enthusiast|buff"
        r"|nerd|geek)),?(?: too| as well| myself)?",
        Kind.PREFERENCE,
        "Is {what}",
        confidence=0.85,
    ),
    rule(
        r"i am (?:(?:really|totally|completely|a bit|kind of) )*(?:obsessed with|hooked on|crazy about) (?P<liked>.+)",
        Kind.PREFERENCE,
        "Loves {liked}",
        confidence=0.85,
    ),
    rule(
        rf"(?P<liked>{_PURSUIT}(?: [\w' -]{{2,30}})?) (?:really |always |definitely )?helps me (?P<clause>.+)",
        Kind.FACT,
        "{liked} helps them {clause}",
        confidence=0.8,
    ),
    rule(
        r"i (?:have )?started (?P<word>taking|playing|learning|doing|practi[cs]ing|volunteering at|going to|teaching)"
        rf" (?P<liked>.+?){_AGO}",
        Kind.FACT,
        "Started {word} {liked}",
        confidence=0.8,
    ),
    rule(
        rf"i (?:have )?joined (?P<what>an? (?:[\w'-]+ ){{0,4}}{_GROUP}(?: (?:of|for) [\w'-]+)?){_AGO}(?: .*)?",
        Kind.FACT,
        "Joined {what}",
        confidence=0.85,
    ),
    rule(
        r"(?:i|we) (?:have )?(?:got|adopted|rescued|have got) (?P<word>(?:an?|two|three|another) (?:[\w'-]+ ){0,3}"
        rf"{_ANIMAL}s?)(?:,? (?:called|named) (?P<name>.+?))?",
        Kind.RELATIONSHIP,
        "Has {word}",
        confidence=0.85,
    ),
    rule(
        r"my (?:biggest |big |ultimate |lifelong )?dream is to (?P<clause>(?!see\b|get\b|have\b).+)",
        Kind.GOAL,
        "Dream is to {clause}",
        confidence=0.85,
    ),
    rule(
        r"i (?:dream|am dreaming) of (?P<liked>(?:becoming|opening|starting|owning|publishing|running|living) .+)",
        Kind.GOAL,
        "Dreams of {liked}",
        confidence=0.8,
    ),
    rule(
        r"i (?:want|would like|would love|plan|am planning|hope|am hoping) to (?P<word>open|start|launch|publish|write"
        r"|build|create|run|adopt|move to|study|become|volunteer at|organize) (?P<topic>(?:an?|my own|my) .+)",
        Kind.GOAL,
        "Wants to {word} {topic}",
        confidence=0.8,
    ),
    rule(
        r"i (?:want|would like|would love|hope|am hoping) to (?P<word>help|support|inspire|teach|raise awareness (?:for"
        r"|of|about)) (?P<liked>(?:other |young |more )?(?:people|kids|children|families|students|animals|artists|women"
        r"|men|veterans|communities|mental health|others)\b.*)",
        Kind.GOAL,
        "Wants to {word} {liked}",
        confidence=0.8,
    ),
    rule(
        r"i can not (?P<word>have|eat|drink) (?P<liked>(?!any\b|more\b|enough\b|it\b)[\w-]+(?: (?:or|and|products)"
        r" ?[\w-]*)?)",
        Kind.FACT,
        "Can not {word} {liked}",
        confidence=0.85,
    ),
    rule(
        r"i am taking (?P<what>(?:an? (?:[\w'-]+ ){0,3}(?:course|class)|(?:[\w'-]+ ){0,3}(?:classes|lessons)))\b.*",
        Kind.CONTEXT,
        "Is taking {what}",
        confidence=0.8,
    ),
    rule(
        r"i am learning (?P<word>how to (?:play (?:the )?\w+|swim|cook|surf|dance|ski|paint|draw|sew|knit|code|drive))",
        Kind.SKILL,
        "Is learning {word}",
    ),
    rule(
        r"i (?P<verb2>go|do) (?P<what>(?:\w+ing|yoga|pilates|karate|judo|crossfit)(?: [\w' -]{2,40})? (?:every \w+"
        r"|(?:once|twice|three times) (?:a|per) \w+|on \w+days|daily|regularly))",
        Kind.FACT,
        "{verb2} {what}",
        confidence=0.85,
    ),
)
