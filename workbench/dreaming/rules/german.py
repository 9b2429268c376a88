"""German: what a sentence says."""

from __future__ import annotations

import re

from workbench.dreaming.rules import keys
from workbench.dreaming.rules.german_cues import TONGUE
from workbench.dreaming.rules.nouns import cleaners
from workbench.dreaming.rules.plain import language
from workbench.dreaming.rules.table import Rule, rule
from workbench.ledger.model import Kind

_FILLER = (
    r",? (?:übrigens|danke|bitte|halt|eben|auch|sehr|wirklich|einfach|aktuell|momentan|derzeit"
    r"|zurzeit|jetzt|gern|gerne|so|oder so)"
)
_LEANS = (
    r"\b(?:es|ihn|sie|ihm|ihnen|dort|da|hier|ich|mich|mir|mein\w*|wir|uns|unser\w*|du|dich|dir"
    r"|dein\w*|euch|euer|eure\w*|dies\w*|jene\w*|solche\w*"
    r"|nichts|etwas|alles|beide\w*|folgende\w*|letztere\w*|ersteres?|obige\w*|dabei|damit|dafür"
    r"|davon"
    r"|darauf|daran|so)\b|^(?:das|die|der|den|dem)\b(?! (?:\w+ )?(?-i:[A-ZÄÖÜ]))|\b(?:das|und"
    r"|oder"
    r"|nicht)$|^(?:nicht|dass|wie|wenn|zu)\b"
)
_ROLES = (
    r"(?:[\wäöüß-]+ )?[\wäöüß-]*(?:entwickler|ingenieur|lehrer|ärzt|pfleger|berater|designer"
    r"|student"
    r"|manager|leiter|professor|forscher|analyst|architekt|journalist|informatiker|programmierer"
    r"|buchhalter|übersetzer|elektriker|mechaniker|physiker|chemiker|biologe|biologin|fotograf"
    r"|autor"
    r"|künstler|musiker|verkäufer|fahrer|bäcker|tischler|schreiner|erzieher|jurist|richter|dozent"
    r"|administrator|wissenschaftler|therapeut|psychologe|psychologin|apotheker|schüler|trainer"
    r"|redakteur|techniker|landwirt|gärtner|rentner|freiberufler)(?:in)?"
    r"|[\wäöüß-]*(?:arzt|anwalt|anwältin|koch|köchin|krankenschwester|hebamme|mathematiker(?:in)?"
    r"|scientist|engineer|developer|devops|hausfrau|hausmann|beamte[rn]?|beamtin|polizist(?:in)?"
    r"|pilot(?:in)?|lead|owner|gründer(?:in)?)"
)
_OWN_THING = r"(?P<slot>editor|ide|shell|browser|betriebssystem|terminal|laptop|notebook|rechner)"
_REL = (
    r"(?P<rel>frau|ehefrau|mann|ehemann|freund|freundin|partner|partnerin|mutter|vater|chef"
    r"|chefin"
    r"|schwester|bruder|sohn|tochter|kollege|kollegin|hund|katze|kater|hündin|pferd|oma|opa)"
)
_IRREGULAR = {
    "esse": "isst",
    "lese": "liest",
    "nehme": "nimmt",
    "fahre": "fährt",
    "spreche": "spricht",
    "sehe": "sieht",
    "schlafe": "schläft",
    "laufe": "läuft",
    "trage": "trägt",
    "habe": "hat",
    "bin": "ist",
    "vergesse": "vergisst",
    "gebe": "gibt",
    "helfe": "hilft",
    "will": "will",
    "mag": "mag",
    "kann": "kann",
    "darf": "darf",
}


def _third(verb: str) -> str | None:
    """The third person of a verb in the first: ``trinke`` → ``trinkt``, ``arbeite`` → ``arbeitet``."""
    verb = verb.lower()
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    stem = verb.removesuffix("e")
    if stem == verb or len(stem) < 2 or not stem.isalpha():
        return None
    return stem + ("et" if re.search(r"(?:[td]|[^lrh]n|[^lrh]m)$", stem) else "t")


RULES: tuple[Rule, ...] = (
    rule(
        r"ich (?P<third>rauche|trinke|fliege|pendle|unterrichte|studiere|jogge|faste) nicht mehr",
        Kind.CORRECTION,
        "{third} nicht mehr",
        retracts=True,
        ends="{third}",
    ),
    rule(
        r"ich (?P<third>esse|trinke|mag|spiele|lerne|bevorzuge|spreche|fahre) (?P<liked>.+?) nicht "
        r"mehr",
        Kind.CORRECTION,
        "{third} {liked} nicht mehr",
        retracts=True,
        ends="{third} {liked}",
    ),
    rule(
        r"ich (?P<third>esse|trinke|mag|spiele|lerne|fahre) (?P<how>keine?n?) (?P<liked>.+?) mehr",
        Kind.CORRECTION,
        "{third} {how} {liked} mehr",
        retracts=True,
        ends="{third} {liked}",
    ),
    rule(
        r"(?:ich heiße|mein (?:voller )?name ist) (?!programm)(?P<name>.+)",
        Kind.PROFILE,
        "Heißt {name}",
        "profile.name",
    ),
    rule(
        r"ich (?:wohne|lebe) nicht mehr in (?P<place>.+)",
        Kind.CORRECTION,
        "Wohnt nicht mehr in {place}",
        "profile.location",
        retracts=True,
        ends="Wohnt in {place}",
    ),
    rule(
        r"ich (?:wohne|lebe) (?P<how>in|auf|bei|an der|am) (?P<place>.+)",
        Kind.PROFILE,
        "Wohnt {how} {place}",
        "profile.location",
    ),
    rule(
        r"ich bin (?:von (?P<word>.+?) )?nach (?P<place>.+?) (?:um)?gezogen",
        Kind.PROFILE,
        "Wohnt in {place}",
        "profile.location",
    ),
    rule(r"ich komme (?:ursprünglich )?aus (?P<place>.+)", Kind.PROFILE, "Kommt aus {place}"),
    rule(
        r"ich arbeite nicht mehr (?:bei|für) (?P<org>.+)",
        Kind.CORRECTION,
        "Arbeitet nicht mehr bei {org}",
        "profile.employer",
        retracts=True,
        ends="Arbeitet bei {org}",
    ),
    rule(
        r"ich habe bei (?P<org>.+) gekündigt",
        Kind.CORRECTION,
        "Arbeitet nicht mehr bei {org}",
        "profile.employer",
        retracts=True,
        ends="Arbeitet bei {org}",
    ),
    rule(
        r"ich arbeite (?:bei|für) (?P<org>.+?) als (?P<role>.+)",
        Kind.PROFILE,
        "Arbeitet bei {org} als {role}",
        "profile.employer",
    ),
    rule(
        r"ich arbeite als (?P<role>.+?) (?:bei|für) (?P<org>.+)",
        Kind.PROFILE,
        "Arbeitet bei {org} als {role}",
        "profile.employer",
    ),
    rule(r"ich arbeite (?:bei|für) (?P<org>.+)", Kind.PROFILE, "Arbeitet bei {org}", "profile.employer"),
    rule(r"ich arbeite als (?P<role>.+)", Kind.PROFILE, "Arbeitet als {role}", "profile.role"),
    rule(
        r"ich bin (?!kein)(?:von beruf )?(?:ein |eine )?(?P<role>.+?)(?: von beruf)?",
        Kind.PROFILE,
        "Arbeitet als {role}",
        "profile.role",
    ),
    rule(
        r"ich bin kein\w* (?P<role>.+) mehr",
        Kind.CORRECTION,
        "Arbeitet nicht mehr als {role}",
        "profile.role",
        retracts=True,
        ends="Arbeitet als {role}",
    ),
    rule(
        r"ich bin (?P<word>vegetarier(?:in)?|veganer(?:in)?|vegan|vegetarisch)",
        Kind.PREFERENCE,
        "Ist {word}",
        "preference.diet",
    ),
    rule(
        r"ich bin nicht mehr (?P<word>vegan|vegetarisch)",
        Kind.CORRECTION,
        "Ist nicht mehr {word}",
        "preference.diet",
        retracts=True,
        ends="Ist {word}",
    ),
    rule(r"ich bin (?:allergisch gegen|gegen) (?P<what>.+?)(?: allergisch)?", Kind.FACT, "Allergisch gegen {what}"),
    rule(r"meine muttersprache ist (?P<word>[\wäöüß]+)", Kind.PROFILE, "Muttersprache ist {word}", "profile.language"),
    rule(
        r"ich spreche (?P<word>(?:fließend |etwas )?(?-i:[A-Z])[\wäöüß]+(?:(?:,| und|, und) "
        r"(?:fließend "
        r"|etwas )?(?-i:[A-Z])[\wäöüß]+){0,4})",
        Kind.SKILL,
        "Spricht {word}",
    ),
    rule(r"meine zeitzone ist (?P<word>[\w/+:-]+)", Kind.PROFILE, "Zeitzone ist {word}", "profile.timezone"),
    rule(
        r"ich habe am (?P<word>\d{1,2}\. ?[\wäöü]+(?: \d{4})?) geburtstag",
        Kind.PROFILE,
        "Geburtstag ist der {word}",
        "profile.birthday",
    ),
    rule(
        r"mein geburtstag ist (?:am |der )?(?P<word>\d{1,2}\. ?[\wäöü]+(?: \d{4})?)",
        Kind.PROFILE,
        "Geburtstag ist der {word}",
        "profile.birthday",
    ),
    rule(
        rf"(?:mein|meine) {_REL} (?:heißt|hört auf den namen) (?P<name>.+)",
        Kind.RELATIONSHIP,
        "{rel} heißt {name}",
        keys.person_key,
    ),
    rule(rf"(?:mein|meine) {_OWN_THING} ist (?P<tool>.+)", Kind.ENVIRONMENT, "{slot} ist {tool}", keys.owned_key),
    rule(
        r"(?:mein|meine) (?P<slot>lieblings[\wäöüß]+) ist (?P<liked>.+)",
        Kind.PREFERENCE,
        "{slot} ist {liked}",
        "preference.{slot}",
    ),
    rule(
        r"ich (?:benutze|nutze|verwende) (?P<tool>.+?) nicht mehr",
        Kind.CORRECTION,
        "Benutzt {tool} nicht mehr",
        keys.tool_key,
        retracts=True,
        ends="Benutzt {tool}",
    ),
    rule(
        r"ich (?:benutze|nutze|verwende) kein\w* (?P<tool>.+?) mehr",
        Kind.CORRECTION,
        "Benutzt {tool} nicht mehr",
        keys.tool_key,
        retracts=True,
        ends="Benutzt {tool}",
    ),
    rule(
        r"ich bin (?:von (?P<word>.+?) )?(?:auf|zu) (?P<tool>.+?) (?:umgestiegen|gewechselt)",
        Kind.ENVIRONMENT,
        "Benutzt {tool}",
        keys.tool_key,
    ),
    rule(
        r"wir sind (?:von (?P<word>.+?) )?(?:auf|zu) (?P<tool>.+?) (?:umgestiegen|gewechselt"
        r"|migriert)",
        Kind.ENVIRONMENT,
        "Benutzt {tool}",
        keys.uses_key,
        scope="project",
    ),
    rule(
        r"ich (?P<third>\w+) (?P<how>immer|nie|niemals|meistens|normalerweise|gewöhnlich|in der "
        r"regel) "
        r"(?P<what>.+)",
        Kind.PREFERENCE,
        "{third} {how} {what}",
        confidence=0.85,
    ),
    rule(
        r"ich (?:bevorzuge|ziehe) (?P<liked>.+?) (?:gegenüber|statt|vor|anstatt|anstelle von) "
        r"(?P<what>.+?)(?: vor)?",
        Kind.PREFERENCE,
        "Bevorzugt {liked} gegenüber {what}",
        keys.preference_key,
    ),
    rule(
        r"ich ziehe (?P<liked>.+?) (?P<what>\w+) vor",
        Kind.PREFERENCE,
        "Bevorzugt {liked} gegenüber {what}",
        keys.preference_key,
    ),
    rule(
        r"ich mag (?P<liked>.+?) lieber als (?P<what>.+)",
        Kind.PREFERENCE,
        "Bevorzugt {liked} gegenüber {what}",
        keys.preference_key,
    ),
    rule(
        r"ich (?P<third>\w+) lieber (?P<liked>.+? als .+)",
        Kind.PREFERENCE,
        "{third} lieber {liked}",
        keys.preference_key,
    ),
    rule(r"ich bevorzuge (?P<liked>.+)", Kind.PREFERENCE, "Bevorzugt {liked}", keys.preference_key),
    rule(
        r"ich (?P<third>mag|esse|trinke|rauche|spreche|habe) (?P<how>keine?n?) (?P<liked>.+)",
        Kind.PREFERENCE,
        "{third} {how} {liked}",
    ),
    rule(r"ich mag (?P<liked>.+) nicht", Kind.PREFERENCE, "Mag {liked} nicht"),
    rule(r"ich (?P<third>liebe|mag|hasse) (?P<liked>.+)", Kind.PREFERENCE, "{third} {liked}"),
    rule(
        rf"ich (?:benutze|nutze|verwende) (?P<tool>.+?) als (?:meinen? )?{_OWN_THING}",
        Kind.ENVIRONMENT,
        "Benutzt {tool} als {slot}",
        keys.owned_key,
    ),
    rule(
        r"ich (?:benutze|nutze|verwende) (?P<tool>.+?) (?P<how>als|für|zum) (?P<topic>.+)",
        Kind.ENVIRONMENT,
        "Benutzt {tool} {how} {topic}",
    ),
    rule(
        r"ich (?:benutze|nutze|verwende) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Benutzt {tool}",
        keys.tool_key,
        confidence=0.85,
    ),
    rule(
        r"wir (?:benutzen|nutzen|verwenden) (?P<tool>.+?) nicht mehr",
        Kind.CORRECTION,
        "Benutzt {tool} nicht mehr",
        keys.uses_key,
        scope="project",
        retracts=True,
        ends="Benutzt {tool}",
    ),
    rule(
        r"(?P<order>wir (?:\w+ )(?:nie|niemals|immer|grundsätzlich|nur) .+)",
        Kind.CONSTRAINT,
        "Regel: {order}",
        scope="project",
    ),
    rule(
        r"wir (?:benutzen|nutzen|verwenden|setzen auf) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Benutzt {tool}",
        keys.uses_key,
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"(?:unser|das|dieses) (?P<slot>projekt|team|repo|backend|frontend|dienst) (?P<how>verwendet"
        r"|benutzt|nutzt|läuft auf) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{slot} {how} {tool}",
        scope="project",
    ),
    rule(
        r"wir haben (?:uns )?(?:für|auf) (?P<clause>.+?) (?:entschieden|geeinigt)",
        Kind.DECISION,
        "Entschieden: {clause}",
        scope="project",
    ),
    rule(
        r"wir haben (?:beschlossen|entschieden),? (?:dass )?(?P<clause>.+)",
        Kind.DECISION,
        "Entschieden: {clause}",
        scope="project",
    ),
    rule(
        r"(?P<order>(?:(?:benutze?|nutze?|verwende?|schreibe?|antworte?|frage?|mache?|committe?"
        r"|deploye?"
        r"|pushe?|teste?|lösche?|ändere?|halte?|setze?|nimm|gib|lass|führe?|prüfe?|formatiere?) "
        r"(?:[\w-]+ "
        r"){0,3}?(?:immer|nie|niemals|stets) .+|(?:immer|nie|niemals|stets) \w.+en))",
        Kind.CONSTRAINT,
        "Regel: {order}",
    ),
    rule(
        r"(?:du sollst|du musst|du darfst) (?P<how>immer|nie|niemals) (?P<order>.+)",
        Kind.CONSTRAINT,
        "Regel: {how} {order}",
    ),
)

_CLEAN = dict(cleaners(_LEANS, _FILLER, _ROLES))
GERMAN = language(
    "de",
    TONGUE,
    RULES,
    _CLEAN | {"third": _third},
    r"\b(?:heute|morgen(?! früh)|gerade|diesmal|gleich|kurz|vorerst|erstmal|hier|für "
    r"(?:diese[nsm]?"
    r"|das nächste|jetzt)|in diese[rm] (?:datei|funktion|klasse|fall|branch|test|beispiel|chat)"
    r"|dieses mal|nochmal|noch einmal|bis (?:morgen|ich|wir))\b",
)
