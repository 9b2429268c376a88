"""French: what a sentence is meant as, and what it says."""

from __future__ import annotations

from workbench.dreaming.rules import keys
from workbench.dreaming.rules.nouns import cleaners
from workbench.dreaming.rules.plain import Tongue, language
from workbench.dreaming.rules.table import Rule, rule
from workbench.dreaming.rules.times import Times
from workbench.dreaming.rules.words import word_set
from workbench.ledger.model import Kind

TIMES = Times(
    since=r"(?:depuis(?: le mois de| début)?|en|dès|à partir de) ",
    spans={
        r"hier": "yesterday",
        r"la semaine (?:dernière|passée)": "last week",
        r"le mois (?:dernier|passé)": "last month",
        r"l'(?:année dernière|an dernier|année passée)": "last year",
        r"cette semaine": "this week",
        r"ce mois(?:-ci)?": "this month",
        r"cette année": "this year",
    },
    months=(
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ),
    ago=(r"il y a {n} {unit}", r"depuis {n} {unit}"),
    units=(r"jours?", r"semaines?", r"mois", r"an(?:s|nées?)?"),
    numbers={"une?": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "dix": 10},
)

_FILLER = (
    r",? (?:au fait|merci|aussi|d'ailleurs|vraiment|en fait|actuellement|maintenant|s'il te plaît"
    r"|s'il vous plaît|stp|svp|en général|beaucoup|désormais)"
)
TONGUE = Tongue(
    marks=word_set("""je j mon ma mes nous on notre toujours jamais"""),
    lead=r"bonjour(?: à tous)?|salut|coucou|bonsoir|bon|ok(?:ay)?|oui|non|merci|super|parfait|au fait"
    r"|d'ailleurs|en fait|sinon|et|mais|car|parce que|puisque|donc|alors|pour info|pour "
    r"information"
    r"|pour le contexte"
    r"|par ailleurs|personnellement|moi|perso|actuellement|en ce moment|désormais|maintenant|en "
    r"général|malheureusement|heureusement|à propos|petite précision",
    correcting=r"en réalité|correction|pardon|désolée?|erratum|plus exactement|je me suis trompée?|je voulais dire",
    remember=r"(?:souviens-toi|rappelle-toi|retiens|n'oublie pas|note|notez|retenez|garde en tête)(?: "
    r"bien)?(?:\s*:\s*| que | qu')",
    label=r"(?:à propos|au sujet) de moi|contexte|pour info|info|note|précision|ma config|important"
    r"|rappel"
    r"|correction",
    hedge=r"\b(?:je (?:crois|pense|suppose) (?:que |qu')|probablement |sans doute )",
    guess=r"\b(?:peut-être|éventuellement|je ne sais pas|pas sûre?|pourrais?|pourrait|voudrais|aimerais"
    r"|serait|serais)\b",
    unmeant=r"^(?:si|imagine|imaginons|supposons|admettons|comme si)\b|\b(?:si (?:je|j'|nous|on|mon|ma)"
    r"|comme "
    r"si|par exemple|p\. ?ex\.|en rêve|j'ai rêvé"
    r"|(?:dit|disait|écrit|affirme|prétend|demande|raconte|pense) (?:que|qu')|m'a (?:dit|écrit"
    r"|demandé)|a (?:dit|écrit|répondu)|blague|plaisante|ironie|avant,? je|autrefois|à l'époque"
    r"|quand "
    r"j'étais)\b",
    opens=r"\b(?:tradui[st]\w*|corrige\w*|reformule\w*|(?:écris|rédige|invente)\w*(?:-moi)? (?:une?|la"
    r"|le) "
    r"(?:histoire|poème|texte|lettre|mail|e-?mail|dialogue|discours|scène|chanson|conte)|jeu de "
    r"rôle"
    r"|fais comme si|tu es (?:maintenant )?une?"
    r"|imagine que|dans l'histoire|dans le roman|mon personnage|la phrase)\b",
    asked=r"(?:est-ce que|peux-tu|pourrais-tu|pouvez-vous|dois-je|qu'est-ce|qui|que|quoi|où|quand"
    r"|comment"
    r"|pourquoi|quels?|quelles?|combien|suis-je|ai-je)\b",
    split=r"(?:,? (?:et|mais|donc) (?=(?:je|j'|nous|on|mon|ma|mes|notre)\b)|[;–—] ?|, (?=(?:je|j'|nous"
    r"|on"
    r"|mon|ma|mes|notre|donc|mais|parce|car|alors|ce qui|où|qui)(?:\b|(?<='))))| et "
    r"(?=(?:travaille"
    r"|habite|vis|utilise|préfère) )",
    times=TIMES,
    turned=(
        (r"^(travaille|habite|vis|utilise|préfère) (?!toujours|jamais)", r"je \1 "),
        (
            r"^(je |j'|nous |on )(ne |n')?(\w+) (?:actuellement|aussi|également|vraiment|surtout"
            r"|toujours(?= "
            r"à| en| chez)|encore|plutôt|maintenant|désormais) ",
            r"\1\2\3 ",
        ),
        (r"^on ", "nous "),
    ),
)
_LEANS = (
    r"\b(?:ça|cela|ceci|celui|celle|ceux|celles|ici|là|y|je|j'|moi|me|m'|mon|ma|mes|nous|notre"
    r"|nos|tu"
    r"|toi|te|ton|ta|tes|vous|votre|vos|il|elle|ils|elles|lui|leur|leurs|rien|tout|tous|ce|cet"
    r"|cette"
    r"|ces|dessus|suivante?)\b"
    r"|^(?:pas|que|comment|quand|si|à)\b|\b(?:et|ou|de|à|le|la|les|pas)$"
)
_ROLES = (
    r"(?:une? )?[\wàâéèêëîïôûçœ-]*(?:développeu[rs]e?|ingénieure?|professeure?|enseignante?"
    r"|infirmi(?:er|ère)|médecin|avocate?|designer|étudiante?|cheff?e|consultante?|architecte"
    r"|journaliste|informaticien(?:ne)?|comptable|traduct(?:eur|rice)|data scientist|analyste"
    r"|chercheu[rs]e?|cuisini(?:er|ère)|boulang(?:er|ère)|pharmacien(?:ne)?|psychologue|directeur"
    r"|directrice|électricien(?:ne)?|mécanicien(?:ne)?|graphiste|photographe|secrétaire"
    r"|vendeu[rs]e?"
    r"|musicien(?:ne)?|rédact(?:eur|rice)|technicien(?:ne)?|retraitée?|freelance|pilote|juriste"
    r"|dentiste|vétérinaire|administrat(?:eur|rice)|gérante?|fondat(?:eur|rice)|responsable"
    r"|product "
    r"owner|serveu[rs]e?)"
)
_OWN_THING = r"(?P<slot>éditeur|ide|shell|navigateur|système d'exploitation|terminal|ordinateur|portable)"
_REL = (
    r"(?P<rel>femme|épouse|mari|époux|copine|copain|compagnon|compagne|mère|père|chef|cheffe"
    r"|patron"
    r"|patronne|sœur|soeur|frère|fils|fille|collègue|chien|chienne|chat|chatte|cheval)"
)
_USE = r"(?:j'utilise|j'emploie|je me sers de)"
_IRREGULAR = {
    "ai": "a",
    "suis": "est",
    "vais": "va",
    "peux": "peut",
    "veux": "veut",
    "prends": "prend",
    "apprends": "apprend",
    "vends": "vend",
    "mets": "met",
}


def _third(verb: str) -> str | None:
    """The third person of a verb in the first: ``mange`` → ``mange``, ``bois`` → ``boit``."""
    verb = verb.lower()
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return verb
    return verb[:-1] + "t" if verb.endswith("s") and len(verb) > 3 else None


RULES: tuple[Rule, ...] = (
    rule(
        r"(?:je m'appelle|mon (?:nom|prénom) est|mon nom c'est) (?P<name>.+)",
        Kind.PROFILE,
        "S'appelle {name}",
        "profile.name",
    ),
    rule(
        r"(?:je n'habite plus|je ne vis plus|je ne suis plus) (?P<how>à|en|au|aux) (?P<place>.+)",
        Kind.CORRECTION,
        "N'habite plus {how} {place}",
        "profile.location",
        retracts=True,
        ends="Habite {how} {place}",
    ),
    rule(
        r"(?:j'habite|je vis|je réside) (?P<how>à|en|au|aux|dans) (?P<place>.+)",
        Kind.PROFILE,
        "Habite {how} {place}",
        "profile.location",
    ),
    rule(r"j'habite (?P<place>.+)", Kind.PROFILE, "Habite à {place}", "profile.location"),
    rule(
        r"j'ai (?:déménagé|emménagé) (?:de .+? )?(?P<how>à|en|au|aux) (?P<place>.+)",
        Kind.PROFILE,
        "Habite {how} {place}",
        "profile.location",
    ),
    rule(r"je viens (?P<how>de|du|des|d') ?(?P<place>.+)", Kind.PROFILE, "Vient {how} {place}", confidence=0.85),
    rule(
        r"je ne travaille plus (?P<how>chez|pour|à) (?P<org>.+)",
        Kind.CORRECTION,
        "Ne travaille plus {how} {org}",
        "profile.employer",
        retracts=True,
        ends="Travaille {how} {org}",
    ),
    rule(
        r"j'ai (?:quitté|démissionné de) (?P<org>(?-i:[A-ZÀ-Þ]).+)",
        Kind.CORRECTION,
        "Ne travaille plus chez {org}",
        "profile.employer",
        retracts=True,
        ends="Travaille chez {org}",
    ),
    rule(
        r"je travaille (?P<how>chez|pour|à) (?P<org>.+?) (?:comme|en tant que?) (?:d')?(?P<role>.+)",
        Kind.PROFILE,
        "Travaille {how} {org} comme {role}",
        "profile.employer",
    ),
    rule(
        r"(?:je travaille|je suis) (?:comme |en tant que )?(?P<role>.+?) (?P<how>chez) (?P<org>.+)",
        Kind.PROFILE,
        "Travaille {how} {org} comme {role}",
        "profile.employer",
    ),
    rule(r"je travaille (?P<how>chez|pour) (?P<org>.+)", Kind.PROFILE, "Travaille {how} {org}", "profile.employer"),
    rule(
        r"je travaille (?:comme|en tant que?) (?:qu')?(?P<role>.+)",
        Kind.PROFILE,
        "Travaille comme {role}",
        "profile.role",
    ),
    rule(
        r"je ne suis plus (?P<role>.+)",
        Kind.CORRECTION,
        "Ne travaille plus comme {role}",
        "profile.role",
        retracts=True,
        ends="Travaille comme {role}",
    ),
    rule(r"je suis (?P<word>végétarien(?:ne)?|végane?|vegan)", Kind.PREFERENCE, "Est {word}", "preference.diet"),
    rule(r"je suis allergique (?P<what>(?:à|aux?|à la|à l') ?.+)", Kind.FACT, "Allergique {what}"),
    rule(r"je suis (?P<role>.+)", Kind.PROFILE, "Travaille comme {role}", "profile.role"),
    rule(r"ma langue maternelle est (?P<word>.+)", Kind.PROFILE, "Langue maternelle : {word}", "profile.language"),
    rule(
        r"je parle (?P<word>(?:couramment )?(?:le |l')?(?:français|anglais|allemand|espagnol|italien"
        r"|portugais|chinois|japonais|arabe|russe|néerlandais)(?:(?:,| et) (?:un peu )?(?:le |l'|d'"
        r"|de "
        r"l')?\w+){0,4})",
        Kind.SKILL,
        "Parle {word}",
    ),
    rule(r"mon fuseau horaire est (?P<word>[\w/+:-]+)", Kind.PROFILE, "Fuseau horaire : {word}", "profile.timezone"),
    rule(
        r"mon anniversaire est le (?P<word>\d{1,2}(?:er)? \w+(?: \d{4})?)",
        Kind.PROFILE,
        "Anniversaire le {word}",
        "profile.birthday",
    ),
    rule(rf"(?:mon|ma) {_REL} s'appelle (?P<name>.+)", Kind.RELATIONSHIP, "{rel} s'appelle {name}", keys.person_key),
    rule(rf"mon {_OWN_THING} (?:est|c'est) (?P<tool>.+)", Kind.ENVIRONMENT, "{slot} : {tool}", keys.owned_key),
    rule(
        r"(?:mon|ma) (?P<slot>[\wàâéèêëîïôûçœ]+ préférée?) est (?P<liked>.+)",
        Kind.PREFERENCE,
        "{slot} : {liked}",
        "preference.{slot}",
    ),
    rule(
        r"je n'utilise plus (?P<tool>.+)",
        Kind.CORRECTION,
        "N'utilise plus {tool}",
        keys.tool_key,
        retracts=True,
        ends="Utilise {tool}",
    ),
    rule(
        r"nous n'utilis(?:ons|e) plus (?P<tool>.+)",
        Kind.CORRECTION,
        "N'utilise plus {tool}",
        keys.uses_key,
        scope="project",
        retracts=True,
        ends="Utilise {tool}",
    ),
    rule(r"je suis passée? (?:de .+? )?à (?P<tool>.+)", Kind.ENVIRONMENT, "Utilise {tool}", keys.tool_key),
    rule(
        r"nous (?:sommes|est) passée?s? (?:de .+? )?à (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Utilise {tool}",
        keys.uses_key,
        scope="project",
    ),
    rule(
        r"je ne (?P<third>fume|bois|cours|joue|enseigne|conduis) plus",
        Kind.CORRECTION,
        "Ne {third} plus",
        retracts=True,
        ends="{third}",
    ),
    rule(
        r"je ne (?P<third>fume|bois|mange|joue|fais|parle) plus (?P<what>(?:de |d'|du |la |le |à |au "
        r").+)",
        Kind.CORRECTION,
        "Ne {third} plus {what}",
        retracts=True,
    ),
    rule(r"je n'aime plus (?P<liked>.+)", Kind.CORRECTION, "N'aime plus {liked}", retracts=True, ends="Aime {liked}"),
    rule(
        r"je préfère (?P<liked>.+?) (?:à|au|aux|plutôt que) (?P<what>.+)",
        Kind.PREFERENCE,
        "Préfère {liked} plutôt que {what}",
        keys.preference_key,
    ),
    rule(r"je préfère (?P<liked>.+)", Kind.PREFERENCE, "Préfère {liked}", keys.preference_key),
    rule(r"j'(?P<how>adore|aime) (?P<liked>.+)", Kind.PREFERENCE, "{how} {liked}"),
    rule(r"je (?:n'aime pas|déteste) (?P<liked>.+)", Kind.PREFERENCE, "N'aime pas {liked}"),
    rule(r"je ne (?P<third>\w+) jamais (?P<what>.+)", Kind.PREFERENCE, "Ne {third} jamais {what}"),
    rule(r"je n'(?P<third>\w+) jamais (?P<what>.+)", Kind.PREFERENCE, "N'{third} jamais {what}"),
    rule(
        r"(?:je |j')(?P<third>\w+) (?P<how>toujours|généralement|habituellement|d'habitude) "
        r"(?P<what>.+)",
        Kind.PREFERENCE,
        "{third} {how} {what}",
        confidence=0.85,
    ),
    rule(
        r"je ne (?P<third>mange|bois|fume|parle) (?P<how>pas|plus) (?P<what>.+)",
        Kind.PREFERENCE,
        "Ne {third} {how} {what}",
    ),
    rule(rf"{_USE} (?P<tool>.+?) comme {_OWN_THING}", Kind.ENVIRONMENT, "Utilise {tool} comme {slot}", keys.owned_key),
    rule(rf"{_USE} (?P<tool>.+?) (?P<how>pour|comme) (?P<topic>.+)", Kind.ENVIRONMENT, "Utilise {tool} {how} {topic}"),
    rule(rf"{_USE} (?P<tool>.+)", Kind.ENVIRONMENT, "Utilise {tool}", keys.tool_key, confidence=0.85),
    rule(
        r"(?P<order>nous (?:ne |n')?\w+ (?:jamais|toujours|uniquement) .+)",
        Kind.CONSTRAINT,
        "Règle : {order}",
        scope="project",
    ),
    rule(
        r"(?:nous utilisons|nous utilise) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Utilise {tool}",
        keys.uses_key,
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"(?:notre|le|ce) (?P<slot>projet|dépôt|service|backend|frontend) (?P<how>utilise|tourne sur"
        r"|est "
        r"écrit en) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{slot} {how} {tool}",
        scope="project",
    ),
    rule(
        r"nous (?:avons|a) (?:décidé|choisi|convenu) (?:de |d')?(?P<clause>.+)",
        Kind.DECISION,
        "Décidé : {clause}",
        scope="project",
    ),
    rule(
        r"(?P<order>(?:ne |n')?(?:utilise[zr]?|écri[sv]\w*|réponds|répondez|répondre|demande[zr]?"
        r"|fai[st]es?|commite[zr]?|déploie[zr]?|pousse[zr]?|teste[zr]?|supprime[zr]?|mets|mettez"
        r"|laisse[zr]?|vérifie[zr]?|modifie[zr]?|lance[zr]?) (?:jamais|toujours) .+)",
        Kind.CONSTRAINT,
        "Règle : {order}",
    ),
    rule(r"(?P<order>(?:toujours|ne jamais|jamais) [\wéèê]+(?:er|ir|re) .+)", Kind.CONSTRAINT, "Règle : {order}"),
)
FRENCH = language(
    "fr",
    TONGUE,
    RULES,
    dict(cleaners(_LEANS, _FILLER, _ROLES)) | {"third": _third},
    r"\b(?:aujourd'hui|demain|cette fois|pour l'instant|pour le moment|ici|là|tout de suite|dans "
    r"(?:ce|cet|cette) (?:fichier|fonction|classe|cas|branche|test|exemple)|encore une fois|ce "
    r"soir"
    r"|ce matin|pour (?:ce|cet|cette))\b",
)
