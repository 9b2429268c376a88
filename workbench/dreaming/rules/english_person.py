"""English: what people say of themselves."""

from __future__ import annotations

from workbench.dreaming.rules import words
from workbench.dreaming.rules.table import Rule, rule
from workbench.ledger.model import Kind

_IN = r"(?:in|near|outside(?: of)?)"
# What one does for an employer, and not in one's time off.
_TRADE = (
    r"(?:engineering|development|design|research|support|marketing|sales|ops|operations|devops|security|qa|testing"
    r"|infrastructure|infra|backend|frontend|consulting|accounting|analytics|science|learning|ml|hr|legal|finance"
    r"|programming|management)"
)

PROFILE: tuple[Rule, ...] = (
    rule(
        r"my (?:full |first |given |real )?name is (?P<name>.+)",
        Kind.PROFILE,
        "Name is {name}",
        "profile.name",
        confidence=0.95,
    ),
    rule(r"i am (?:called|named) (?P<name>.+)", Kind.PROFILE, "Name is {name}", "profile.name"),
    rule(r"i am (?P<proper>.+)", Kind.PROFILE, "Name is {proper}", "profile.name", confidence=0.85),
    rule(
        r"(?:you can |just |people |everyone |everybody |my friends |please )?call me (?P<proper>.+)",
        Kind.PROFILE,
        "Likes to be called {proper}",
        "profile.nickname",
    ),
    rule(
        r"i (?:go by|prefer to be called|like to be called) (?P<proper>.+)",
        Kind.PROFILE,
        "Likes to be called {proper}",
        "profile.nickname",
    ),
    rule(
        rf"(?:i|we) (?:am living|are living|live|reside|am based|am located|have lived"
        rf"|have been living) {_IN} (?P<place>.+)",
        Kind.PROFILE,
        "Lives in {place}",
        "profile.location",
    ),
    rule(r"i am based out of (?P<place>.+)", Kind.PROFILE, "Lives in {place}", "profile.location"),
    rule(
        r"i (?:have )?(?:moved|relocated)(?: back)?(?: from [\w' ]{2,30})? to (?P<town>.+)",
        Kind.PROFILE,
        "Lives in {town}",
        "profile.location",
    ),
    rule(r"i (?:am|come) (?:originally )?from (?P<place>.+)", Kind.PROFILE, "Comes from {place}", "profile.origin"),
    rule(r"i grew up in (?P<place>.+)", Kind.PROFILE, "Grew up in {place}"),
    rule(r"my home ?town is (?P<place>.+)", Kind.PROFILE, "Comes from {place}", "profile.origin"),
    rule(
        r"i (?:work|am working|am employed) (?:at|for|with) an? [\w' -]{1,50}? (?:called|named) (?P<org>.+?),? as "
        r"(?:an?|the|their) (?P<role>.+)",
        Kind.PROFILE,
        "Works at {org} as {role}",
        "profile.employer",
    ),
    rule(
        r"i (?:work|am working|am employed) (?:at|for|with) an? [\w' -]{1,50}? (?:called|named) (?P<org>.+)",
        Kind.PROFILE,
        "Works at {org}",
        "profile.employer",
    ),
    rule(
        r"i (?:have been|am) (?:now )?(?:at|with) (?P<org>.+?),? as (?:an?|the|their) (?P<role>.+)",
        Kind.PROFILE,
        "Works at {org} as {role}",
        "profile.employer",
    ),
    rule(
        rf"i (?:do|am doing) (?P<field>(?:[\w-]+ ){{0,2}}{_TRADE}) (?:at|for) (?P<org>.+)",
        Kind.PROFILE,
        "Works at {org} in {field}",
        "profile.employer",
    ),
    rule(
        r"i (?:work|am working|am employed) (?:at|for) (?P<org>.+?),? as (?:an?|the|their) (?P<role>.+)",
        Kind.PROFILE,
        "Works at {org} as {role}",
        "profile.employer",
    ),
    rule(
        r"i (?:work|am working|am employed) (?:at|for) (?P<org>.+)", Kind.PROFILE, "Works at {org}", "profile.employer"
    ),
    rule(
        r"i (?:work|am working|am employed) as (?:an?|the) (?P<role>.+?) (?:at|for|with) (?P<org>.+)",
        Kind.PROFILE,
        "Works at {org} as {role}",
        "profile.employer",
    ),
    rule(
        r"i am (?:an?|the) (?P<role>.+?) (?:at|for|with) (?P<org>.+)",
        Kind.PROFILE,
        "Works at {org} as {role}",
        "profile.employer",
    ),
    rule(
        r"i (?:work|am working|am employed) as (?:an?|the) (?P<role>.+)",
        Kind.PROFILE,
        "Works as {role}",
        "profile.role",
    ),
    rule(r"i am an? (?P<role>.+)", Kind.PROFILE, "Works as {role}", "profile.role"),
    rule(
        r"(?:my )?(?:current |new |day )?(?:job|role|position|job title|title|profession|occupation) is (?:an? "
        r"|as an? )?(?P<role>.+)",
        Kind.PROFILE,
        "Works as {role}",
        "profile.role",
    ),
    rule(r"i (?:work|am working) (?:at|for) (?P<someorg>.+)", Kind.PROFILE, "Works at {someorg}"),
    rule(
        r"i (?:have )?(?:joined|started(?: a new job| working| a job)? at) (?P<org>.+?) as (?:an?|the"
        r"|their) (?P<role>.+)",
        Kind.PROFILE,
        "Works at {org} as {role}",
        "profile.employer",
    ),
    rule(
        r"i (?:have )?(?:joined|started(?: a new job| working| a job) (?:at|for|with)) (?P<org>.+)",
        Kind.PROFILE,
        "Works at {org}",
        "profile.employer",
    ),
    rule(
        r"my (?:current |new )?(?:employer|company) is (?:called )?(?P<org>.+)",
        Kind.PROFILE,
        "Works at {org}",
        "profile.employer",
    ),
    rule(r"i am (?P<word>1[3-9]|[2-9]\d)(?: years old| yo)?", Kind.PROFILE, "Is {word} years old", "profile.age"),
    rule(r"i was born in (?P<word>(?:19|20)\d\d)", Kind.PROFILE, "Was born in {word}", "profile.birth-year"),
    rule(r"i was born on (?P<date>.+)", Kind.PROFILE, "Birthday is {date}", "profile.birthday"),
    rule(
        r"my (?:birthday|date of birth) is (?:on )?(?P<date>.+)", Kind.PROFILE, "Birthday is {date}", "profile.birthday"
    ),
    rule(r"i was born (?:and raised )?in (?P<place>.+)", Kind.PROFILE, "Was born in {place}", "profile.birthplace"),
    rule(r"my (?:preferred )?pronouns are (?P<word>[\w/]+)", Kind.PROFILE, "Pronouns are {word}", "profile.pronouns"),
    rule(
        r"i (?:use|go by) (?P<word>\w+/\w+(?:/\w+)?)(?: pronouns)?",
        Kind.PROFILE,
        "Pronouns are {word}",
        "profile.pronouns",
    ),
    rule(r"my time ?zone is (?P<word>[\w/+: -]{2,30})", Kind.PROFILE, "Timezone is {word}", "profile.timezone"),
    rule(
        r"i am (?:in|on) (?:the )?(?P<word>pacific|eastern|central|mountain|[a-z]+/[a-z_]+|(?:utc"
        r"|gmt)(?:[+-]\d+)?|cet|cest|est|edt|pst|pdt|cst|mst|bst|ist|jst|eet|aest)(?: standard"
        r"| daylight)?(?: time ?zone| time)",
        Kind.PROFILE,
        "Timezone is {word}",
        "profile.timezone",
    ),
    rule(
        rf"my (?:native|first|main) (?:language|tongue) is (?P<word>{words.SPOKEN})",
        Kind.PROFILE,
        "Native language is {word}",
        "profile.language",
    ),
    rule(
        rf"my mother tongue is (?P<word>{words.SPOKEN})", Kind.PROFILE, "Native language is {word}", "profile.language"
    ),
    rule(
        rf"i am a native (?P<word>{words.SPOKEN}) speaker",
        Kind.PROFILE,
        "Native language is {word}",
        "profile.language",
    ),
    rule(rf"i am (?P<word>{words.any_of(words.DEMONYMS)})", Kind.PROFILE, "Is {word}"),
    rule(
        r"i (?:studied|majored in|have an? (?:degree|phd|masters?|master's|bachelor's|ba|bsc|msc"
        r"|mba)(?: degree)? in) (?P<field>.+)",
        Kind.PROFILE,
        "Studied {field}",
    ),
    rule(r"i (?:am studying|study|am majoring in) (?P<field>.+ at .+)", Kind.PROFILE, "Is studying {field}"),
    rule(rf"i am (?P<word>{words.any_of(words.TRAITS)})", Kind.PROFILE, "Is {word}"),
    rule(
        r"my (?:home |street |postal |mailing )?address is (?P<word>\d.{3,80}|.{3,60}\d.{0,30})",
        Kind.PROFILE,
        "Address is {word}",
        "profile.address",
    ),
    rule(r"i live at (?P<word>\d+.{3,60})", Kind.PROFILE, "Address is {word}", "profile.address"),
    rule(
        r"my (?:personal |work )?(?:e-?mail|email address) is (?P<word>\S+@\S+)",
        Kind.PROFILE,
        "Email is {word}",
        "profile.email",
    ),
    rule(
        r"my (?:phone|mobile|cell)(?: number)? is (?P<word>\+?[\d ().-]{6,20})",
        Kind.PROFILE,
        "Phone number is {word}",
        "profile.phone",
    ),
    rule(
        r"my (?P<other>ssn|social security number|passport number|tax id|tax number|national id(?: number)?"
        r"|driver'?s licen[cs]e(?: number)?|iban|insurance number) is (?P<word>[\w -]*\d[\w -]*)",
        Kind.PROFILE,
        "{other} is {word}",
        "profile.{other}",
    ),
)

HEALTH: tuple[Rule, ...] = (
    rule(r"i am (?:severely |mildly |very )?allergic to (?P<what>.+)", Kind.FACT, "Allergic to {what}"),
    rule(
        rf"i (?:have|live with|suffer from|struggle with) (?P<word>{words.any_of(words.CONDITIONS)})",
        Kind.FACT,
        "Has {word}",
    ),
    rule(r"i (?:was|am|got|have been) diagnosed with (?P<topic>.+)", Kind.FACT, "Diagnosed with {topic}"),
    rule(
        r"i have (?P<word>an? (?:severe |mild |bad |serious )?(?:\w+ ){1,2}(?:allergy|intolerance))",
        Kind.FACT,
        "Has {word}",
    ),
    rule(rf"i am (?P<word>{words.any_of(words.HEALTH_TRAITS)})", Kind.FACT, "Is {word}"),
    rule(rf"i am (?P<word>{words.any_of(words.IDENTITIES)})", Kind.FACT, "Is {word}"),
    rule(
        rf"i am (?:an? )?(?:practicing |practising |devout )?(?P<word>{words.any_of(words.FAITHS)})",
        Kind.FACT,
        "Is {word}",
    ),
    rule(
        rf"i (?:am|have been) (?:an? )?(?P<word>{words.any_of(words.DIETS)})(?: (?:for|since) .+)?",
        Kind.PREFERENCE,
        "Is {word}",
        "preference.diet",
    ),
    rule(
        r"my (?:annual |yearly |current |monthly )?(?P<other>salary|income|net worth|mortgage"
        r"|debt) is (?P<word>.*\d.*)",
        Kind.FACT,
        "{other} is {word}",
        "profile.{other}",
    ),
    rule(
        r"i (?:earn|make) (?P<word>(?:about |around )?[$€£]?\d[\d.,]*k?(?: ?(?:euros?|dollars|pounds|usd|eur"
        r"|gbp))?(?: (?:a|per) (?:year|month|hour))?)",
        Kind.FACT,
        "Earns {word}",
        "profile.salary",
    ),
)
