"""Italian: what a sentence is meant as, and what it says."""

from __future__ import annotations

from workbench.dreaming.rules import keys
from workbench.dreaming.rules.nouns import cleaners, third_in_a
from workbench.dreaming.rules.plain import Tongue, language
from workbench.dreaming.rules.table import Rule, rule
from workbench.dreaming.rules.times import Times
from workbench.dreaming.rules.words import word_set
from workbench.ledger.model import Kind

TIMES = Times(
    since=r"(?:da(?:l| inizio)?|a partire da|nel|a|in|dal mese di) ",
    spans={
        r"ieri": "yesterday",
        r"(?:la settimana scorsa|la scorsa settimana)": "last week",
        r"(?:il mese scorso|lo scorso mese)": "last month",
        r"(?:l'anno scorso|lo scorso anno)": "last year",
        r"questa settimana": "this week",
        r"questo mese": "this month",
        r"quest'anno": "this year",
    },
    months=(
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ),
    ago=(r"{n} {unit} fa", r"da {n} {unit}"),
    units=(r"giorn[oi]", r"settiman[ae]", r"mes[ei]", r"ann[oi]"),
    numbers={"un[oa]?": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "dieci": 10},
)

_FILLER = (
    r",? (?:comunque|grazie|anche|davvero|adesso|ora|attualmente|per favore|in generale|molto"
    r"|tanto"
    r"|tra l'altro)"
)
TONGUE = Tongue(
    marks=word_set(
        """io mi mio mia miei noi nostro nostra preferisco vivo abito lavoro sono uso utilizzo usiamo
        utilizziamo sempre mai non abbiamo parlo odio adoro amo detesto ho vengo faccio siamo bevo
        mangio"""
    ),
    lead=r"ciao(?: a tutti)?|salve|buongiorno|buonasera|allora|bene|ok(?:ay)?|sì|no,|grazie|perfetto"
    r"|ottimo|comunque|inoltre|e|ma|però|perché|quindi|per contesto|per la cronaca|tra l'altro|a "
    r"proposito|io|personalmente|attualmente|adesso|ora|in generale|purtroppo|per fortuna|di "
    r"solito",
    correcting=r"in realtà|correzione|scusa|scusate|anzi|mi sono sbagliat[oa]|volevo dire|per essere precisi",
    remember=r"(?:ricorda(?:ti)?|tieni presente|non dimenticare|annota|prendi nota|memorizza)(?:\s*:\s*| che )",
    label=r"su di me|contesto|info|nota|importante|precisazione|la mia configurazione|promemoria|correzione",
    hedge=r"\b(?:credo (?:che |di )|penso (?:che |di )|suppongo (?:che |di )|probabilmente |mi sa che )",
    guess=r"\b(?:forse|magari|può darsi|non so|non sono sicur[oa]|potrei|potremmo|vorrei|mi piacerebbe"
    r"|sarebbe|sarei)\b",
    unmeant=r"^(?:se|immagina|immaginiamo|supponiamo|come se|magari)\b|\b(?:se (?:io|vivo|abito|lavoro"
    r"|uso"
    r"|vivessi|fossi|avessi|il mio|la mia)|come se|per esempio|ad esempio|ho sognato"
    r"|(?:dice|ha detto|diceva|scrive|ha scritto|afferma|chiede|racconta|pensa) (?:che|di)|mi ha "
    r"(?:detto|scritto|chiesto|raccontato)|scherzo|scherzando|ironia|da bambin[oa]|una volta"
    r"|prima "
    r"vivevo|prima lavoravo|all'epoca)\b",
    opens=r"\b(?:traduc[ei]\w*|correggi\w*|riformula\w*|(?:scrivi|redigi|inventa)(?:mi)? (?:una?|un'|il"
    r"|la) "
    r"(?:storia|racconto|poesia|testo|lettera|e-?mail|mail|dialogo|discorso|scena|canzone)|gioco "
    r"di "
    r"ruolo|fai finta|sei (?:ora |adesso )?un[ao']?\b|immagina che|nella storia|nel romanzo|il "
    r"mio "
    r"personaggio|la frase)\b",
    asked=r"(?:puoi|potresti|devo|dovrei|cosa|che cosa|chi|dove|quando|come|perché|qual|quali|quanto)\b",
    split=r"(?:,? (?:e|ma|però|quindi) (?=(?:io|mi|mio|mia|il mio|la mia|vivo|abito|lavoro|preferisco"
    r"|uso"
    r"|utilizzo|sono|non|parlo|ho|sempre)\b)|[;–—] ?|, (?=(?:io|mi|il mio|la mia|vivo|abito"
    r"|lavoro"
    r"|preferisco|uso|sono|quindi|ma|però|perché|anche se|dove|che)\b))",
    times=TIMES,
    turned=(
        (r"^io ", ""),
        (r"^noi ", ""),
        (
            r"^(vivo|abito|lavoro|uso|utilizzo|preferisco|usiamo|utilizziamo) (?:attualmente|anche|adesso"
            r"|ora"
            r"|davvero|soprattutto|di gran lunga|molto) ",
            r"\1 ",
        ),
    ),
)
_LEANS = (
    r"\b(?:questo|questa|questi|queste|quello|quella|quelli|quelle|ciò|qui|qua|lì|là|ci|ne|io|me"
    r"|mi"
    r"|mio|mia|miei|mie|noi|nostr[oaie]|tu|te|ti|tuo|tua|tuoi|tue|voi|vostr[oaie]|lui|lei|loro"
    r"|suo"
    r"|sua|suoi|sue|niente|nulla|tutto|tutti|entrambi|seguente|precedente|farlo|usarlo)\b"
    r"|^(?:non|che|come|quando|se|di|a|essere)\b|\b(?:e|o|di|a|il|la|lo|i|gli|le|non)$|^(?:lo|la)$"
)
_ROLES = (
    r"(?:un |una |un'|uno )?(?:sviluppat(?:ore|rice)|programmat(?:ore|rice)|ingegnere"
    r"|professor(?:e"
    r"|essa)|insegnante|maestr[oa]|infermier[ea]|medico|dottor(?:e|essa)|avvocat[oa]|designer"
    r"|architett[oa]|informatic[oa]|contabile|tradutt(?:ore|rice)|ricercat(?:ore|rice)|cuoc[oa]"
    r"|panettier[ea]|farmacista|psicolog[oa]|direttor[e]|direttrice|meccanic[oa]|fotograf[oa]"
    r"|segretari[oa]|commess[oa]|musicista|redatt(?:ore|rice)|tecnic[oa]|pensionat[oa]"
    r"|amministrat(?:ore|rice)|fondat(?:ore|rice)|camerier[ea]|consulente|biolog[oa]|chimic[oa]"
    r"|fisic[oa]|veterinari[oa]|analista|giornalista|studente(?:ssa)?|studentessa|dentista"
    r"|elettricista|freelance|manager|pilota|scienziat[oa]|data scientist)(?: (?:di|del|in) "
    r"[\wàèéìòù ]+| [a-zàèéìòù]+)?"
)
_OWN_THING = r"(?P<slot>editor|ide|shell|browser|sistema operativo|terminale|portatile|computer)"
_REL = (
    r"(?P<rel>moglie|marito|fidanzata|fidanzato|ragazza|ragazzo|compagna|compagno|madre|padre"
    r"|mamma"
    r"|papà|capo|responsabile|sorella|fratello|figlio|figlia|collega|cane|cagna|gatto|gatta"
    r"|cavallo"
    r"|nonna|nonno)"
)
_IRREGULAR = {
    "bevo": "beve",
    "leggo": "legge",
    "scrivo": "scrive",
    "corro": "corre",
    "vivo": "vive",
    "dormo": "dorme",
    "esco": "esce",
    "faccio": "fa",
    "vado": "va",
    "metto": "mette",
    "ho": "ha",
    "dico": "dice",
    "vedo": "vede",
    "chiedo": "chiede",
    "credo": "crede",
    "rispondo": "risponde",
    "apro": "apre",
    "prendo": "prende",
    "preferisco": "preferisce",
}


RULES: tuple[Rule, ...] = (
    rule(r"(?:mi chiamo|il mio nome è) (?P<name>.+)", Kind.PROFILE, "Si chiama {name}", "profile.name"),
    rule(
        r"non (?:vivo|abito) più (?P<how>a|in|ad) (?P<place>.+)",
        Kind.CORRECTION,
        "Non vive più {how} {place}",
        "profile.location",
        retracts=True,
        ends="Vive {how} {place}",
    ),
    rule(
        r"(?:vivo|abito|risiedo) (?P<how>a|in|ad) (?P<place>.+)", Kind.PROFILE, "Vive {how} {place}", "profile.location"
    ),
    rule(
        r"mi sono (?:trasferit[oa]|spostat[oa]) (?:da .+? )?(?P<how>a|in|ad) (?P<place>.+)",
        Kind.PROFILE,
        "Vive {how} {place}",
        "profile.location",
    ),
    rule(r"(?:vengo da|sono di) (?P<place>.+)", Kind.PROFILE, "Viene da {place}"),
    rule(
        r"non lavoro più (?P<how>per|in|da|presso|alla|al) (?P<org>.+)",
        Kind.CORRECTION,
        "Non lavora più {how} {org}",
        "profile.employer",
        retracts=True,
        ends="Lavora {how} {org}",
    ),
    rule(
        r"ho lasciato (?P<org>(?-i:[A-Z]).+)",
        Kind.CORRECTION,
        "Non lavora più per {org}",
        "profile.employer",
        retracts=True,
        ends="Lavora per {org}",
    ),
    rule(
        r"lavoro (?P<how>per|in|da|presso|alla|al) (?P<org>.+?) come (?P<role>.+)",
        Kind.PROFILE,
        "Lavora {how} {org} come {role}",
        "profile.employer",
    ),
    rule(
        r"lavoro come (?P<role>.+?) (?P<how>per|in|da|presso|alla|al) (?P<org>(?-i:[A-Z]).+)",
        Kind.PROFILE,
        "Lavora {how} {org} come {role}",
        "profile.employer",
    ),
    rule(
        r"(?:sono|faccio) (?P<role>.+?) (?P<how>per|in|da|presso|alla) (?P<org>(?-i:[A-Z]).+)",
        Kind.PROFILE,
        "Lavora {how} {org} come {role}",
        "profile.employer",
    ),
    rule(
        r"lavoro (?P<how>per|in|da|presso|alla|al) (?P<org>.+)", Kind.PROFILE, "Lavora {how} {org}", "profile.employer"
    ),
    rule(r"lavoro come (?P<role>.+)", Kind.PROFILE, "Lavora come {role}", "profile.role"),
    rule(
        r"non sono più (?P<word>vegetarian[oa]|vegan[oa])",
        Kind.CORRECTION,
        "Non è più {word}",
        "preference.diet",
        retracts=True,
        ends="È {word}",
    ),
    rule(
        r"non sono più (?P<role>.+)",
        Kind.CORRECTION,
        "Non lavora più come {role}",
        "profile.role",
        retracts=True,
        ends="Lavora come {role}",
    ),
    rule(r"sono (?P<word>vegetarian[oa]|vegan[oa])", Kind.PREFERENCE, "È {word}", "preference.diet"),
    rule(r"sono allergic[oa] (?P<what>(?:a|al|alla|alle|ai|agli|allo) .+)", Kind.FACT, "Allergico {what}"),
    rule(r"(?:sono|faccio) (?:il |la |l')?(?P<role>.+)", Kind.PROFILE, "Lavora come {role}", "profile.role"),
    rule(r"sono (?P<name>(?-i:[A-Z])\S+)", Kind.PROFILE, "Si chiama {name}", "profile.name", confidence=0.85),
    rule(
        r"la mia (?:lingua madre|madrelingua) è (?:l'|il |lo )?(?P<word>.+)",
        Kind.PROFILE,
        "Madrelingua: {word}",
        "profile.language",
    ),
    rule(
        r"parlo (?P<word>(?:italiano|inglese|tedesco|francese|spagnolo|portoghese|cinese|giapponese"
        r"|arabo"
        r"|russo)(?:(?:,| e) (?:un po' di )?\w+){0,4})",
        Kind.SKILL,
        "Parla {word}",
    ),
    rule(r"il mio fuso orario è (?P<word>[\w/+:-]+)", Kind.PROFILE, "Fuso orario: {word}", "profile.timezone"),
    rule(
        r"il mio compleanno è (?:il |l')(?P<word>\d{1,2} \w+(?: \d{4})?)",
        Kind.PROFILE,
        "Compleanno il {word}",
        "profile.birthday",
    ),
    rule(
        rf"(?:il mio|la mia|mia|mio) {_REL} si chiama (?P<name>.+)",
        Kind.RELATIONSHIP,
        "{rel} si chiama {name}",
        keys.person_key,
    ),
    rule(rf"(?:il mio|la mia) {_OWN_THING} è (?P<tool>.+)", Kind.ENVIRONMENT, "{slot}: {tool}", keys.owned_key),
    rule(
        r"(?:il mio|la mia) (?P<slot>[\wàèéìòù]+ preferit[oa]) è (?P<liked>.+)",
        Kind.PREFERENCE,
        "{slot}: {liked}",
        "preference.{slot}",
    ),
    rule(
        r"non (?:uso|utilizzo) più (?P<tool>.+)",
        Kind.CORRECTION,
        "Non usa più {tool}",
        keys.tool_key,
        retracts=True,
        ends="Usa {tool}",
    ),
    rule(
        r"non (?:usiamo|utilizziamo) più (?P<tool>.+)",
        Kind.CORRECTION,
        "Non usa più {tool}",
        keys.uses_key,
        scope="project",
        retracts=True,
        ends="Usa {tool}",
    ),
    rule(r"sono passat[oa] (?:da .+? )?a (?P<tool>.+)", Kind.ENVIRONMENT, "Usa {tool}", keys.tool_key),
    rule(
        r"(?:siamo passati|abbiamo migrato|siamo migrati) (?:da .+? )?a (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool}",
        keys.uses_key,
        scope="project",
    ),
    rule(
        r"non (?P<third>fumo|bevo|corro|insegno|guido|gioco|studio) più",
        Kind.CORRECTION,
        "Non {third} più",
        retracts=True,
        ends="{third}",
    ),
    rule(
        r"non (?P<third>fumo|bevo|mangio|suono|studio) più (?P<what>.+)",
        Kind.CORRECTION,
        "Non {third} più {what}",
        retracts=True,
        ends="{third} {what}",
    ),
    rule(
        r"non mi (?:piace|piacciono) più (?P<liked>.+)",
        Kind.CORRECTION,
        "Non gli piace più {liked}",
        retracts=True,
        ends="Gli piace {liked}",
    ),
    rule(
        r"preferisco (?P<liked>.+?) (?:a|al|alla|ai|alle|agli|piuttosto che|invece di|rispetto a) " r"(?P<what>.+)",
        Kind.PREFERENCE,
        "Preferisce {liked} rispetto a {what}",
        keys.preference_key,
    ),
    rule(r"preferisco (?P<liked>.+)", Kind.PREFERENCE, "Preferisce {liked}", keys.preference_key),
    rule(r"non mi (?:piace|piacciono) (?P<liked>.+)", Kind.PREFERENCE, "Non gli piace {liked}"),
    rule(r"mi (?:piace|piacciono) (?:molto |tanto )?(?P<liked>.+)", Kind.PREFERENCE, "Gli piace {liked}"),
    rule(r"(?P<third>odio|adoro|amo|detesto) (?P<liked>.+)", Kind.PREFERENCE, "{third} {liked}"),
    rule(r"non (?P<third>\w+o) mai (?P<what>.+)", Kind.PREFERENCE, "Non {third} mai {what}"),
    rule(
        r"(?P<third>\w+o) (?P<how>sempre|di solito|solitamente) (?P<what>.+)",
        Kind.PREFERENCE,
        "{third} {how} {what}",
        confidence=0.85,
    ),
    rule(r"non (?P<third>mangio|bevo|fumo) (?P<what>.+)", Kind.PREFERENCE, "Non {third} {what}"),
    rule(
        rf"(?:uso|utilizzo) (?P<tool>.+?) come (?:mio )?{_OWN_THING}",
        Kind.ENVIRONMENT,
        "Usa {tool} come {slot}",
        keys.owned_key,
    ),
    rule(
        r"(?:uso|utilizzo) (?P<tool>.+?) (?P<how>per|come) (?P<topic>.+)", Kind.ENVIRONMENT, "Usa {tool} {how} {topic}"
    ),
    rule(r"(?:uso|utilizzo) (?P<tool>.+)", Kind.ENVIRONMENT, "Usa {tool}", keys.tool_key, confidence=0.85),
    rule(r"(?P<order>(?:non \w+iamo mai|\w+iamo sempre) .+)", Kind.CONSTRAINT, "Regola: {order}", scope="project"),
    rule(
        r"(?:usiamo|utilizziamo) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool}",
        keys.uses_key,
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"(?:il nostro|il|questo) (?P<slot>progetto|repository|servizio|team|backend|frontend) "
        r"(?P<how>usa|utilizza|gira su|è scritto in) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{slot} {how} {tool}",
        scope="project",
    ),
    rule(
        r"abbiamo (?:deciso|scelto|concordato) (?:di |per )?(?P<clause>.+)",
        Kind.DECISION,
        "Deciso: {clause}",
        scope="project",
    ),
    rule(
        r"(?P<order>(?:usa|utilizza|scrivi|rispondi|chiedi|fai|metti|lascia|controlla|verifica"
        r"|modifica"
        r"|esegui|testa|cancella) sempre .+)",
        Kind.CONSTRAINT,
        "Regola: {order}",
    ),
    rule(
        r"(?P<order>non (?:usare|utilizzare|scrivere|rispondere|fare|mettere|toccare|modificare"
        r"|eseguire"
        r"|cancellare|pushare|committare|deployare) mai .+)",
        Kind.CONSTRAINT,
        "Regola: {order}",
    ),
    rule(r"(?P<order>(?:mai|sempre) \w+(?:are|ere|ire) .+)", Kind.CONSTRAINT, "Regola: {order}"),
)
ITALIAN = language(
    "it",
    TONGUE,
    RULES,
    dict(cleaners(_LEANS, _FILLER, _ROLES)) | {"third": third_in_a(_IRREGULAR)},
    r"\b(?:oggi|domani|stavolta|questa volta|per ora|per adesso|per il momento|qui|adesso|in "
    r"quest[oa] (?:file|funzione|classe|caso|ramo|test|esempio)|in questo momento|ancora una "
    r"volta"
    r"|stasera|stamattina|per quest[oa])\b",
)
