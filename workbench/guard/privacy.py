"""Tells private life (``sensitive``) and identity numbers (``secret``) from the shop talk that uses the same words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

from workbench.guard import disguise
from workbench.guard.patterns import PatternSet

_WHOSE = r"(?:my|his|her|their|our|user'?s|[A-Z][a-z]+'s|the user'?s|mein\w*|mon|ma|mes|su|mi)"
_HAS = (
    r"(?:has|have|had|having|suffer(?:s|ing|ed)? from|lives with|living with|deals with|struggl(?:es|ing) with"
    r"|with|i'm|is|are|am"
    r"|was|hat|leidet an|souffre d\S*|tiene|tengo|padece)"
)

_NEAR = (
    r"(?:\w+ )?(?:wife|husband|spouse|partner|brother|sister|mother|father|mum|mom|dad|son|daughter|boss|manager"
    r"|colleague"
    r"|coworker|neighbou?r|friend|ex|child|kid|aunt|uncle|cousin|girlfriend|boyfriend|roommate)"
)
_NEAR_DE = (
    r"(?:frau|mann|partner\w*|bruder|schwester|mutter|vater|sohn|tochter|chef\w*|kolleg\w*|nachbar\w*|freund\w*"
    r"|kind|tante"
    r"|onkel|ex)"
)
_NEAR_ROMANCE = (
    r"(?:femme|mari|frere|soeur|mere|pere|fils|fille|patron\w*|collegue|voisine?|ami[ego]?a?|esposa|mujer|marido"
    r"|herman[oa]|madre"
    r"|padre|hij[oa]|jef[ea]|vecin[oa]|moglie|marito|fratello|sorella|figli[oa]|capo|collega|vicin[oa]|mulher"
    r"|irmaos?|irma|mae"
    r"|pai|filh[oa]|chefe|vizinh[oa])"
)
_FEW = r"(?:[^\s.!?;]+\s+){0,5}"

_SENSITIVE = (
    # Health and medication
    r"(?i)\b(?:diabet(?:es|ic|iker\w*)|asthma|epilep\w+|hiv|chemotherapy|bipolar|schizophreni\w+|adhd|autis(?:m"
    r"|tic)|alzheimer\w*"
    r"|parkinson'?s|leuk[a]?emia|multiple sclerosis|crohn'?s|endometriosis|miscarriage|ivf|celiac|coeliac"
    r"|dyslexi[ac]"
    r"|fibromyalgia|anorexi[ac]|bulimi[ac]|ptsd|ocd|schwanger|enceinte|embarazada|incinta|antidepressants?"
    r"|diagnosed with"
    r"|diagnosis of|diagnostiziert)\b",
    rf"(?i)\b{_HAS}\s+(?:\S+\s+){{0,3}}(?:cancer|depress(?:ion|ed)|depressionen|anxiety|panic attacks?|migraines?"
    rf"|insomnia|pregnant|addict(?:ed|ion)?"
    r"|alcoholic|sober since|burn-?out|(?:a |high |low )?blood pressure|arthritis|chronic pain|heart (?:disease"
    r"|condition|attack)|a stroke"
    r"|hepatitis|allerg(?:y|ies|ic) to|disabled|disabilit(?:y|ies)|eating disorder|suicidal|tumou?r|krebs"
    r"|depresion|covid)\b",
    r"(?i)\ballergic to\b|\b(?:allergisch gegen|allergique (?:a|aux?)|alergic[oa] a)\b",
    rf"(?i)\b(?:{_WHOSE}|a|the) (?:doctor|therapist|psychiatrist|psychologist|oncologist|gynaecologist"
    rf"|gynecologist|physician|gp) (?:said|says"
    r"|told|prescribed|recommended|appointment|thinks|visit)|\b(?:in|goes to|started|attends|sees a"
    r"|seeing a) (?:rehab|therapy|psychotherapy"
    r"|counsell?ing|therapist|psychiatrist|psychologist)\b|\b(?:had|has|needs|recovering from|before"
    r"|after) (?:\S+\s+){0,2}surgery\b|\bon sick leave\b|\bkrankgeschrieben\b",
    r"(?i)\b(?:insulin|metformin|sertraline|prozac|fluoxetine|zoloft|lexapro|escitalopram|xanax|alprazolam"
    r"|adderall|ritalin|lithium carbonate"
    r"|ibuprofen|warfarin|levothyroxine|methadone|oxycodone|viagra|ozempic|statins?|prep medication)\b"
    r"|\b\d{1,4} ?m(?:g|cg) (?:\S+\s+){0,3}(?:daily|a day|per day|every"
    r"|twice|of|tablets?)\b|\b(?:takes?|taking|prescribed|on) (?:\S+\s+){0,2}(?:medication|meds|antidepressants?"
    r"|pills|medicine)\b",
    rf"(?i)\b{_WHOSE} (?:\S+\s+)?(?:health (?:condition|problems?|issues?|insurance|record)|medical (?:condition"
    rf"|history|record)|mental health|illness|disease|diagnosis|medication|disability|pregnancy|blood type"
    rf"|weight is)\b",
    # Religion
    r"(?i)\b(?:is|am|are|i'm|was|being|as) (?:\S+\s+){0,2}(?:muslim|christian|catholic|protestant|jewish|hindu"
    r"|buddhist|sikh|atheist|agnostic"
    r"|mormon|orthodox jew|evangelical|lutheran|jehovah'?s witness|quaker|muslima|katholisch|evangelisch)\b",
    r"(?i)\b(?:converted to|raised|practi[sc]ing|devout|practi[sc]es) (?:\S+\s+)?(?:islam|christian\w*"
    r"|catholic\w*|judaism|jewish|hindu\w*|buddhis\w+|muslim)\b"
    r"|\b(?:goes to|attends) (?:\S+\s+)?(?:church|mosque|synagogue|temple|mass)\b|\bfast(?:s|ing) (?:during|for"
    r"|in) ramadan\b"
    rf"|\bprays (?:\S+\s+){{0,3}}(?:day|daily|times)\b|\b{_WHOSE} (?:religio(?:n|us)|faith|church|religion)\b"
    rf"|\breligious beliefs?\b",
    # Politics
    r"(?i)\bvot(?:ed|es|ing|e) (?:for )?(?:the )?(?:\S+\s+)?(?:president|greens?|labour|tor(?:y|ies)"
    r"|conservatives?|democrats?|republicans?|liberals?|socialists?"
    r"|spd|cdu|afd|fdp|trump|biden|harris|obama|left|right|party|leave|remain)\b|\b(?:is|am|i'm|was"
    r"|are) an? (?:\S+\s+)?(?:democrat|republican|socialist|communist"
    r"|libertarian|anarchist|marxist|tory|conservative voter|party member|trade unionist|union member)\b",
    rf"(?i)\b(?:member of the|joined the|donat\w+ to the|supports the|campaign(?:s|ed"
    rf"|ing) for the) (?:\S+\s+){{0,2}}(?:party|greens|democrats|republicans|socialists)\b"
    rf"|\b(?:political (?:views?|beliefs?|opinions?|affiliation|party)|{_WHOSE} politics)\b|\b(?:party"
    rf"|union) membership\b",
    # Sexuality and gender
    r"(?i)\b(?:gay|lesbian|bisexual|transgender|transsexual|non-?binary person|asexual|pansexual|homosexual"
    r"|sexual orientation|sex life|came out (?:as|to)|gender (?:identity|transition)"
    r"|trans (?:man|woman|person))\b|\b(?:is|identifies as|i'm|am) (?:queer|non-?binary|trans)\b|\b(?:schwul"
    r"|lesbisch)\b",
    # Ethnicity
    r"(?i)\b(?:ethnicity|ethnic (?:origin|background)|african[- ]american|asian[- ]american|hispanic|latin[oax]\b"
    r"|romani|aboriginal|mixed[- ]race|biracial|person of colou?r"
    r"|(?-i:of [A-Z][a-z]+ (?:descent|ancestry|heritage|origin))|(?:is|i'm|am) (?:a )?(?:black|white|asian|arab"
    r"|kurdish|brown) (?:man|woman|person|guy|american)"
    rf"|{_WHOSE} (?:race|skin colou?r|ancestry))\b",
    # Money
    rf"(?i)\b{_WHOSE} (?:\S+\s+)?(?:salary|income|debts?|savings|net worth|mortgage|credit score|pension"
    rf"|bank account|loans?|tax return|rent|wage|gehalt|salaire|salario|sueldo)\b",
    r"(?i)\b(?:salary|income|net worth|credit score|gehalt|salaire|salario|sueldo|bonus|mortgage|wage)\s*(?:is"
    r"|was|of|:|=|von|ist|betragt|est de|es de)\s*(?:about |around |over |roughly )?[^\w\s]{0,2}\s?\d",
    r"(?i)\b(?:earn(?:s|ed|ing)?|makes?|verdient|gagne|gana) (?:about |around |over |roughly |nearly )?(?:[$€£]"
    r"|usd |eur )?\s?\d[\d.,]*\s?(?:k|thousand|€|\$|eur\w*|dollars?|a (?:month|year)|per (?:month|year)|im monat"
    r"|par mois)"
    r"|\b(?:bankrupt(?:cy)?|in debt|owes? (?:\S+\s+){0,3}(?:[$€£]\s?\d|\d[\d.,]* ?(?:k|euros?|dollars?|pounds?))"
    r"|unemployment benefits?|on welfare|took out a loan|behind on (?:rent|mortgage|payments)"
    r"|defaulted on|(?:pays?|paying) (?:[$€£]\s?\d[\d.,]*|\d[\d.,]* ?(?:€|euros?"
    r"|dollars?)) (?:\S+\s+){0,3}(?:rent|alimony|child support|mortgage|tax)|child support|alimony)\b",
    # The same in other languages, accents off
    r"(?i)\b(?:diabete|diabetic[oa]|zuckerkrank\w*|chemotherapie|herzinfarkt|schlaganfall|psychotherapeut\w*|oncologist"
    r"|onkolog\w*|[a-z]*allergie|depresion|depressione|gravida|chimiotherapie|quimioterapia|chemioterapia)\b"
    r"|\b(?:nehme|nimmt|prends?|tom[ao]|prend[eo])\s+(?:\S+\s+){0,3}\d{1,4} ?m(?:g|cg)\b"
    r"|糖尿病|怀孕|懷孕|妊娠|癌症|抑郁症|うつ病|高血压|高血圧|диабет|беременн|депресси[яюей]|당뇨|임신|우울증",
    r"(?i)\b(?:verdien(?:e|t|st)|gagnes?|gan[ao]|guadagn[ao]|ganh[ao])\s+(?:\S+\s+){0,2}\d[\d.,]*\s?(?:€|\$|k\b"
    r"|euros?\b|reais\b)"
    r"|\d[\d.,]*\s?(?:€|euros?)\s+(?:schulden|miete|dettes|deudas|debiti|dividas|loyer)\b|\bprivatinsolvenz\b"
    r"|\b(?:j['’]ai des dettes|tengo deudas|ho debiti|tenho dividas|ich habe schulden)\b"
    r"|\b(?:mein|ihr|sein|mon|mi|mio|suo|meu|seu)\w* (?:kontostand|stipendio|salario|loyer|alquiler|affitto)\b"
    r"|我的(?:工资|薪水|收入)|月薪|年薪"
    r"|(?:私|彼|彼女)の(?:給料|年収|月給)|(?:мо[яей]+|его|е[её]) зарплат|(?:제|내|그의|그녀의) (?:월급|연봉)",
    # What happened to people near to somebody
    rf"(?i)\b{_WHOSE} {_NEAR} {_FEW}(?:affair|cheat(?:s|ed|ing)|died|passed away|dying|(?:was|got|been) fired"
    rf"|left (?:him|her|me|them)"
    rf"|in (?:prison|jail|hospital)|years? old|unemployed|drinks|ill|miscarried|suicide)\b",
    rf"(?i)\b(?:(?:mein|dein|sein|ihr|unser)e?[rnms]?|(?-i:[A-Z][a-z]+s)) {_NEAR_DE} {_FEW}(?:affare|gefangnis"
    rf"|verlassen"
    r"|jahre alt|gestorben|tot|scheiden|gekundigt|krank|trinkt|krankenhaus|arbeitslos)\b",
    rf"(?i)\b(?:m[aoi]n?|s[aou]n?|mi[oa]|su[oa]|meu|minha|sua) {_NEAR_ROMANCE} {_FEW}(?:liaison|prison|carcel"
    rf"|prigione|cadeia"
    r"|aventura|amante|relazione|morte?|mort[oa]|decedee?|murio|morreu|faleceu|divorc\w*|divorzi\w*|malade"
    r"|enferm[oa]|malat[oa]"
    r"|doente|h?opital|hospital|ospedale|ans|anos|anni)\b",
    r"我的?(?:妻子|老婆|丈夫|老公|儿子|女儿|父亲|母亲|哥哥|弟弟|姐姐|妹妹)[^。\n]*(?:出轨|去世|离婚|坐牢|生病|住院|岁)",
    # Law
    r"(?i)\b(?:arrested|criminal record|convicted of|on probation for|on parole|custody (?:battle|case|hearing)"
    r"|restraining order|undocumented immigrant|immigration status|asylum|(?:in|to|from) prison|in jail|dui"
    r"|felony|was charged with"
    rf"|(?:is|are|getting|got|going through|filed for|my|his|her|their) (?:an? )?(?:divorced?|lawsuit)|divorce"
    rf"|(?:is|was|am|are|being|got) sued|suing (?:my|his|her|their|the)|{_WHOSE} (?:lawyer|attorney"
    rf"|visa (?:status|expires|application)|court (?:case|date|hearing)))\b",
    # Where and how to reach a person
    r"\b\d{1,5}[a-zA-Z]?,? (?:(?:[NSEW]\.?|North|South|East|West) )?(?:[A-Z][\w'’.-]*\.? ){1,3}(?:Street|St"
    r"|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Terrace|Square|Crescent|Close|Parkway|Pkwy"
    r"|Highway|Hwy)\b",
    r"\b[A-Z][\w-]*(?:straße|strasse|str\.|gasse|allee|platz|weg|damm|ufer) \d{1,4}\s?[a-z]?\b"
    r"|\b[A-Z][\w-]+ (?:Straße|Strasse|Str\.|Allee|Platz|Weg) \d{1,4}\b|\b\d{1,4}(?: bis)?,? (?:rue|avenue"
    r"|boulevard|place|chemin|quai|impasse) [\w'’ -]{3,}"
    r"|\b(?:[Cc]alle|[Aa]venida|[Vv]ia|[Pp]iazza|[Rr]ua|[Pp]laza) [A-Z][\w' -]{2,40}?,? \d{1,4}\b",
    r"(?i)\b(?:home|private|postal|residential|street) address (?:is|:)|\blives at (?:\S+\s+)?\d|\blives (?:on"
    r"|in) (?:\S+\s+){1,3}(?:street|avenue|road|lane|drive)\b|\bwohnt in der\b",
    r"(?i)\b(?:phone|mobile|cell|tel|telephone|handy|whatsapp|telefon|telephone|portable|signal)(?:\s?(?:number"
    r"|no|nr|nummer)\.?)?\s*(?:is|:|ist|est)?\s*[+(]?\d[\d\s().-]{5,}\d|\(\d{3}\)\s?\d{3}[-. ]\d{4}\b|(?:^"
    r"|[^\w.-])\d{3}[-. ]\d{3}[-. ]\d{4}(?:[^\w.-]|[.]?\s|[.]?$)",
    r"(?i)\b[\w.+-]+@(?:gmail|googlemail|yahoo|hotmail|outlook|live|icloud|me|mac|aol|protonmail|proton|pm|gmx"
    r"|web|t-online|mail|posteo|fastmail|tutanota|zoho|yandex|qq|163|orange|free|libero)\.(?:com|net|org|de|fr|it"
    r"|me|ru|co\.uk|at|ch|io)\b",
    rf"(?i)\b(?:{_WHOSE}|personal|private) (?:\S+\s+)?e-?mail(?: address)?\s*(?:is|:)?\s*[\w.+-]+@",
)
_INTERNATIONAL_PHONE = r"(?:^|[\s(:,])(?P<v>(?:\+|00)[1-9]\d{0,2}[\s().-]*\d(?:[\s().-]{0,2}\d){6,13})(?:[^\w]|$)"

_ID_WORDS = (
    r"(?:passport|national id|identity card|id card|(?:social|national) (?:security|insurance)|ssn|nino|tax id"
    r"|taxpayer id|driver'?s? licen[cs]e|driving licen[cs]e"
    r"|nhs|aadhaar|personalausweis|reisepass|ausweis|steuer-?id|sozialversicherung\w*|dni|nie|nif|bsn|cpf|curp"
    r"|pesel|codice fiscale|carte d'identite"
    r"|passeport|pasaporte|numero de securite sociale|insurance number|medicare|medicaid|patient id"
    r"|身份证|护照|паспорт[а-я]*)"
)
_ID_IN_WORDS = (
    rf"(?i)(?:^|[^a-z]){_ID_WORDS}[\s-]*(?:number|no|nr|nummer|num|id|card|号码?|号)?[.:#]*\s*(?:is|ist|est|es|:|="
    rf"|are|为|是)?\s*#?"
    r"(?P<v>[A-Z0-9][A-Z0-9 ./-]{4,20}[A-Z0-9])"
)
_SSN = r"(?:^|[^\w-])(?P<v>\d{3}-\d{2}-\d{4})(?:[^\w-]|$)"
_CARD = r"(?:^|[^\w.-])(?P<v>[3-6]\d{3}[ -]?(?:\d{4}[ -]?\d{4}[ -]?\d{4}|\d{6}[ -]?\d{5}))(?:[^\w-]|$)"
_IBAN = r"\b(?P<v>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)\b"
_FISCAL = r"\b(?P<v>[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z])\b"


def _digits(value: str) -> str:
    return "".join(c for c in value if c.isdigit())


def _is_phone(value: str) -> bool:
    return 9 <= len(_digits(value)) <= 15


def _is_ssn(value: str) -> bool:
    # SSA: no area 000, 666 or 9xx, no group 00, no serial 0000.
    area, group, serial = value.split("-")
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def _is_card(value: str) -> bool:
    """Luhn's check sum (ISO/IEC 7812-1)."""
    digits = [int(digit) for digit in reversed(_digits(value))]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


# No statement has so many places that could be a number of one kind; what can't be told in time counts as one.
_MANY = 2_000
_IBAN_DIGITS = {ord(letter): str(number) for number, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 10)}


def _is_iban(value: str) -> bool:
    """Check digits modulo 97 (ISO 13616); the text may go on after the number, so shorter ends are tried too."""
    country, rest, length = int(value[:4].translate(_IBAN_DIGITS)), 0, 0
    for group in value[4:].split(" "):
        digits = group if group.isdigit() else group.translate(_IBAN_DIGITS)
        rest = (rest * 10 ** len(digits) + int(digits or "0")) % 97
        length += len(group)
        if 11 <= length <= 30 and (rest * 1_000_000 + country) % 97 == 1:
            return True
    return False


def _is_id(value: str) -> bool:
    return len(_digits(value)) >= 4 and len(_digits(value)) * 2 >= len(value.replace(" ", "")) and "/" not in value


def _any(_value: str) -> bool:
    return True


_SECRET: tuple[tuple[str, Callable[[str], bool]], ...] = (
    (_SSN, _is_ssn),
    (_CARD, _is_card),
    (_IBAN, _is_iban),
    (_ID_IN_WORDS, _is_id),
    (_FISCAL, _any),
)


@cache
def _patterns() -> PatternSet:
    return PatternSet((*(pattern for pattern, _ in _SECRET), _INTERNATIONAL_PHONE, *_SENSITIVE))


def _holds(index: int, text: str) -> bool:
    checks = [check for _, check in _SECRET] + [_is_phone]
    if index >= len(checks):
        return True
    spans = enumerate(_patterns().spans(index, text))
    return any(number == _MANY or checks[index](text[start:end]) for number, (start, end, _) in spans)


def classify(text: str) -> Literal["normal", "sensitive", "secret"]:
    """``secret`` for identity numbers (check sums are checked), ``sensitive`` for health, medication, religion,
    politics, sexuality, ethnicity, money, law, street addresses, phone numbers and personal e-mail, else ``normal``.

    :raises Exception: when the scanner does not work; callers must fail closed.
    """
    sensitive = False
    for view in disguise.views(text):
        for index in _patterns().matching(view.text):
            if _holds(index, view.text):
                if index < len(_SECRET):
                    return "secret"
                sensitive = True
    return "sensitive" if sensitive else "normal"
