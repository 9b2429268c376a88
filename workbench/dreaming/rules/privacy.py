"""Which statements are sensitive, by plain words."""

from __future__ import annotations

import re

from workbench.dreaming.rules import words
from workbench.ledger.model import Privacy

_SECRET = re.compile(
    r"\b(?:ssn|social security number|passport number|tax (?:id|number)|national id|driver'?s licen[cs]e number"
    r"|iban|insurance number"
    r"|credit card|account number)\b",
    re.IGNORECASE,
)
_SENSITIVE = re.compile(
    r"\b(?:allerg(?:y|ic|ies)|diagnosed|medication|antidepressants?|therapy|therapist|pregnan(?:t|cy)|disab(?:led"
    r"|ility)|illness|disease|disorder|surgery|cancer|chemo"
    r"|diabet(?:es|ic)|autis(?:m|tic)|dyslexi[ac]|epilep(?:sy|tic)|hiv|rehab|alcoholic|sober|mental health"
    r"|depress(?:ion|ed)|salary|earns|income|net worth|debt|mortgage"
    r"|bankrupt(?:cy)?|church|mosque|synagogue|temple|religio(?:n|us)|god|pray(?:er|ing)?|votes?|voted|voting"
    r"|conservative|socialist|libertarian|republican|democrat"
    r"|gay|lesbian|bisexual|asexual|queer|trans(?:gender)?|non-?binary|pansexual|sexual(?:ity)?|union member"
    r"|ethnicity|undocumented|address is|phone number|email is|birthday|born (?:in|on) [\w ]*\d{4}|married"
    r"|divorced?|widowed|engaged|is single"
    r"|child(?:ren)?|kids?|sons?|daughters?|baby|toddler"
    r"|arrested|convicted|lactose|gluten|intoleran(?:t|ce)|in remission|in recovery|neurodivergent|"
    + "|".join(
        re.escape(c)
        for c in sorted(words.CONDITIONS | words.HEALTH_TRAITS | words.FAITHS, key=lambda c: (-len(c), c))
        if c not in ("ms", "add", "orthodox")
    )
    + r")\b"
    # In other languages, what the guard does not know to be private.
    r"|\b(?:geburtstag|anniversaire|cumpleaños|compleanno|aniversário|allergi(?:sch|que|co|ca)"
    r"|al[eé]rgic[oa]|verheiratet"
    r"|mariée?|casad[oa]|sposat[oa]|geschieden|divorcée?|divorciad[oa]|divorziat[oa]"
    r"|divorciad[oa]"
    r"|kinder|enfants|hij[oa]s"
    r"|figli[ae]?|filh[oa]s)\b|生日|誕生日|过敏|アレルギー|结婚|結婚|离婚|離婚|孩子|子供",
    re.IGNORECASE,
)
_ILL = re.compile(r"^Has (?:ms|add)\b", re.IGNORECASE)


def of(content: str) -> Privacy:
    """Identity numbers are secret; health, faith, politics, sexuality, money, family, birth and address sensitive."""
    if _SECRET.search(content):
        return Privacy.SECRET
    return Privacy.SENSITIVE if _SENSITIVE.search(content) or _ILL.search(content) else Privacy.NORMAL
