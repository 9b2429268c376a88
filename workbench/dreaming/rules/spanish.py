"""Spanish: what a sentence is meant as, and what it says."""

from __future__ import annotations

from workbench.dreaming.rules import keys
from workbench.dreaming.rules.nouns import cleaners, third_in_a
from workbench.dreaming.rules.plain import Tongue, language
from workbench.dreaming.rules.table import Rule, rule
from workbench.dreaming.rules.times import Times
from workbench.dreaming.rules.words import word_set
from workbench.ledger.model import Kind

TIMES = Times(
    since=r"(?:desde(?: el mes de| principios de)?|en|a partir de) ",
    spans={
        r"ayer": "yesterday",
        r"la semana pasada": "last week",
        r"el mes pasado": "last month",
        r"el año pasado": "last year",
        r"esta semana": "this week",
        r"este mes": "this month",
        r"este año": "this year",
    },
    months=(
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
    ago=(r"(?:desde )?hace {n} {unit}",),
    units=(r"días?", r"semanas?", r"mes(?:es)?", r"años?"),
    numbers={"una?": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "diez": 10},
)

_FILLER = (
    r",? (?:por cierto|gracias|también|de hecho|realmente|ahora|actualmente|por favor|en general" r"|mucho|la verdad)"
)
TONGUE = Tongue(
    marks=word_set(
        """yo mi mis me nosotros nuestro nuestra prefiero vivo trabajo soy uso utilizo usamos siempre
        nunca ya decidimos hemos hablo odio adoro detesto tengo no dejé he cambié acordamos optamos
        utilizamos migramos cambiamos"""
    ),
    lead=r"hola(?: a todos)?|buenas|buenos días|buenas tardes|bueno|vale|ok(?:ay)?|sí|no,|gracias"
    r"|perfecto"
    r"|genial|por cierto|además|y|pero|porque|pues|entonces|así que|para (?:contexto|que lo sepas"
    r"|tu "
    r"información)|yo|personalmente|actualmente|ahora|ahora mismo|en general|desgraciadamente|por "
    r""
    r"suerte|aunque|normalmente",
    correcting=r"en realidad|corrección|perdón|perdona|mejor dicho|me equivoqué|quise decir|de hecho",
    remember=r"(?:recuerda|acuérdate(?: de)?|ten en cuenta|no olvides|anota|apunta|memoriza)(?:\s*:\s*| que )",
    label=r"sobre mí|contexto|info|nota|importante|aclaración|mi configuración|recordatorio|corrección",
    hedge=r"\b(?:creo que |pienso que |supongo que |probablement[e] |seguramente )",
    guess=r"\b(?:quizás?|tal vez|a lo mejor|no sé|no estoy segur[oa]|podría(?:mos)?|quisiera|me gustaría|sería)\b",
    unmeant=r"^(?:si|imagina|imaginemos|supongamos|como si|ojalá)\b|\b(?:si (?:yo|vivo|trabajo|uso|vivera"
    r"|fuera|tuviera|mi)|como si|por ejemplo|p\. ?ej\.|soñé"
    r"|(?:dice|dijo|decía|escribe|escribió|afirma|pregunta|cuenta|piensa) que|me (?:dijo|escribió"
    r"|preguntó|contó)|broma|bromeando|ironía|de niñ[oa]|antes vivía|antes trabajaba|en aquel "
    r"entonces)\b",
    opens=r"\b(?:traduc[ei]\w*|tradúce\w*|corrige\w*|reformula\w*|(?:escr[ií]be|red[aá]cta"
    r"|inv[eé]nta)(?:me)? (?:una?|el|la) (?:historia|cuento|poema|texto|carta|correo|e-?mail"
    r"|diálogo"
    r"|discurso|escena|canción)|juego de rol|haz como si|eres (?:ahora )?una?|imagina que|en la "
    r"historia|en la novela|mi personaje|la frase)\b",
    asked=r"(?:puedes|podrías|debo|debería|qué|quién|dónde|cuándo|cómo|por qué|cuál(?:es)?|cuánto)\b",
    split=r"(?:,? (?:y|e|pero|así que) (?=(?:yo|mi|mis|vivo|trabajo|prefiero|uso|utilizo|soy|me|no"
    r"|nunca"
    r"|siempre|hablo|tengo)\b)|[;–—] ?|, (?=(?:yo|mi|mis|vivo|trabajo|prefiero|uso|soy|así|pero"
    r"|porque|ya que|aunque|donde|que|nunca|siempre)\b))",
    times=TIMES,
    turned=(
        (r"^yo ", ""),
        (r"^nosotros ", ""),
        (
            r"^(vivo|trabajo|uso|utilizo|prefiero|usamos|utilizamos) (?:actualmente|también|ahora"
            r"|realmente"
            r"|sobre todo|mucho más|mucho) ",
            r"\1 ",
        ),
    ),
)
_LEANS = (
    r"\b(?:eso|esto|aquello|est[eao]s?|es[eao]s?|aquí|ahí|allí|allá|yo|mí|me|mi|mis|nos|nosotros"
    r"|nuestr[oa]s?|tú|ti|te|tu|tus|usted|su|sus|él|ella|ellos|ellas|le|les|nada|todo|todos|ambos"
    r"|siguiente|anterior|hacerlo|usarlo)\b"
    r"|^(?:no|que|cómo|cuando|si|de|a)\b|\b(?:y|o|de|a|el|la|los|las|no|lo)$|^lo\b"
)
_ROLES = (
    r"(?:una? )?(?:desarrollador|programador|ingenier|profesor|maestr|enfermer|médic|abogad"
    r"|diseñador"
    r"|arquitect|informátic|contador|traductor|investigador|cociner|panader|farmacéutic|psicólog"
    r"|director|mecánic|fotógraf|secretari|vendedor|músic|redactor|técnic|jubilad|administrador"
    r"|fundador|camarer|consultor|biólog|químic|físic|veterinari|bomber|analista|periodista"
    r"|estudiante|dentista|electricista|freelance|autónom|gerente|jef|piloto|científic)(?:o|a"
    r"|e)?(?: "
    r"de [\wáéíóúñ ]+| [a-záéíóúñ]+)?"
)
_OWN_THING = r"(?P<slot>editor|ide|shell|navegador|sistema operativo|terminal|portátil|ordenador|computador)"
_REL = (
    r"(?P<rel>mujer|esposa|marido|esposo|novia|novio|pareja|madre|padre|mamá|papá|jefe|jefa"
    r"|hermana"
    r"|hermano|hijo|hija|compañero|compañera|perro|perra|gato|gata|caballo|abuela|abuelo)"
)
_IRREGULAR = {
    "como": "come",
    "bebo": "bebe",
    "leo": "lee",
    "escribo": "escribe",
    "corro": "corre",
    "vivo": "vive",
    "tomo": "toma",
    "duermo": "duerme",
    "salgo": "sale",
    "hago": "hace",
    "voy": "va",
    "pongo": "pone",
    "tengo": "tiene",
    "digo": "dice",
    "veo": "ve",
    "pido": "pide",
    "creo": "cree",
    "respondo": "responde",
    "abro": "abre",
    "subo": "sube",
    "conduzco": "conduce",
    "juego": "juega",
    "hago commit": "hace commit",
}


RULES: tuple[Rule, ...] = (
    rule(r"(?:me llamo|mi nombre es) (?P<name>.+)", Kind.PROFILE, "Se llama {name}", "profile.name"),
    rule(
        r"ya no vivo en (?P<place>.+)",
        Kind.CORRECTION,
        "Ya no vive en {place}",
        "profile.location",
        retracts=True,
        ends="Vive en {place}",
    ),
    rule(r"(?:vivo|resido) en (?P<place>.+)", Kind.PROFILE, "Vive en {place}", "profile.location"),
    rule(
        r"me (?:mudé|he mudado|trasladé) (?:de .+? )?a (?P<place>.+)",
        Kind.PROFILE,
        "Vive en {place}",
        "profile.location",
    ),
    rule(r"soy de (?P<place>(?-i:[A-ZÁÉÍÓÚÑ]).+)", Kind.PROFILE, "Es de {place}"),
    rule(
        r"ya no trabajo (?P<how>en|para) (?P<org>.+)",
        Kind.CORRECTION,
        "Ya no trabaja {how} {org}",
        "profile.employer",
        retracts=True,
        ends="Trabaja {how} {org}",
    ),
    rule(
        r"(?:dejé|he dejado) (?P<org>(?-i:[A-ZÁÉÍÓÚÑ]).+)",
        Kind.CORRECTION,
        "Ya no trabaja en {org}",
        "profile.employer",
        retracts=True,
        ends="Trabaja en {org}",
    ),
    rule(
        r"trabajo (?P<how>en|para) (?P<org>(?-i:[A-ZÁÉÍÓÚÑ]).+?) como (?P<role>.+)",
        Kind.PROFILE,
        "Trabaja {how} {org} como {role}",
        "profile.employer",
    ),
    rule(
        r"trabajo (?:como|de) (?P<role>.+?) en (?P<org>(?-i:[A-ZÁÉÍÓÚÑ]).+)",
        Kind.PROFILE,
        "Trabaja en {org} como {role}",
        "profile.employer",
    ),
    rule(
        r"soy (?P<role>.+?) en (?P<org>(?-i:[A-ZÁÉÍÓÚÑ]).+)",
        Kind.PROFILE,
        "Trabaja en {org} como {role}",
        "profile.employer",
    ),
    rule(
        r"trabajo (?P<how>en|para) (?P<org>(?-i:[A-ZÁÉÍÓÚÑ]).+|una? .+)",
        Kind.PROFILE,
        "Trabaja {how} {org}",
        "profile.employer",
    ),
    rule(r"trabajo (?:como|de) (?P<role>.+)", Kind.PROFILE, "Trabaja como {role}", "profile.role"),
    rule(
        r"ya no soy (?P<role>.+)",
        Kind.CORRECTION,
        "Ya no trabaja como {role}",
        "profile.role",
        retracts=True,
        ends="Trabaja como {role}",
    ),
    rule(r"soy (?P<word>vegetarian[oa]|vegan[oa])", Kind.PREFERENCE, "Es {word}", "preference.diet"),
    rule(r"(?:soy alérgic[oa] a|tengo alergia a) (?P<what>.+)", Kind.FACT, "Es alérgico a {what}"),
    rule(r"soy (?P<role>.+)", Kind.PROFILE, "Trabaja como {role}", "profile.role"),
    rule(r"soy (?P<name>(?-i:[A-ZÁÉÍÓÚÑ])\S+)", Kind.PROFILE, "Se llama {name}", "profile.name", confidence=0.85),
    rule(
        r"mi (?:idioma nativo|lengua materna) es (?P<word>.+)",
        Kind.PROFILE,
        "Lengua materna: {word}",
        "profile.language",
    ),
    rule(
        r"hablo (?P<word>(?:español|inglés|alemán|francés|italiano|portugués|chino|japonés|árabe|ruso"
        r"|catalán)(?:(?:,| y| e) (?:un poco de )?\w+){0,4})",
        Kind.SKILL,
        "Habla {word}",
    ),
    rule(r"mi zona horaria es (?P<word>[\w/+:-]+)", Kind.PROFILE, "Zona horaria: {word}", "profile.timezone"),
    rule(
        r"mi cumpleaños es el (?P<word>\d{1,2} de \w+(?: de \d{4})?)",
        Kind.PROFILE,
        "Cumpleaños el {word}",
        "profile.birthday",
    ),
    rule(rf"mi {_REL} se llama (?P<name>.+)", Kind.RELATIONSHIP, "{rel} se llama {name}", keys.person_key),
    rule(rf"mi {_OWN_THING} es (?P<tool>.+)", Kind.ENVIRONMENT, "{slot}: {tool}", keys.owned_key),
    rule(
        r"mi (?P<slot>[\wáéíóúñ]+ (?:favorit[oa]|preferid[oa])) es (?P<liked>.+)",
        Kind.PREFERENCE,
        "{slot}: {liked}",
        "preference.{slot}",
    ),
    rule(
        r"ya no (?:uso|utilizo) (?P<tool>.+)",
        Kind.CORRECTION,
        "Ya no usa {tool}",
        keys.tool_key,
        retracts=True,
        ends="Usa {tool}",
    ),
    rule(
        r"ya no (?:usamos|utilizamos) (?P<tool>.+)",
        Kind.CORRECTION,
        "Ya no usa {tool}",
        keys.uses_key,
        scope="project",
        retracts=True,
        ends="Usa {tool}",
    ),
    rule(
        r"(?:me pasé|me he pasado|cambié|he cambiado) (?:de .+? )?a (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool}",
        keys.tool_key,
    ),
    rule(
        r"(?:nos pasamos|nos hemos pasado|migramos|hemos migrado|cambiamos) (?:de .+? )?a "
        r"(?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool}",
        keys.uses_key,
        scope="project",
    ),
    rule(
        r"ya no (?P<third>fumo|bebo|corro|como|enseño|conduzco|juego|estudio|toco)",
        Kind.CORRECTION,
        "Ya no {third}",
        retracts=True,
        ends="{third}",
    ),
    rule(
        r"ya no (?P<third>fumo|bebo|como|toco|estudio) (?P<what>.+)",
        Kind.CORRECTION,
        "Ya no {third} {what}",
        retracts=True,
        ends="{third} {what}",
    ),
    rule(
        r"ya no me gustan? (?P<liked>.+)",
        Kind.CORRECTION,
        "Ya no le gusta {liked}",
        retracts=True,
        ends="Le gusta {liked}",
    ),
    rule(
        r"prefiero (?P<liked>.+?) (?:a|al|antes que|en vez de|en lugar de) (?P<what>.+)",
        Kind.PREFERENCE,
        "Prefiere {liked} a {what}",
        keys.preference_key,
    ),
    rule(r"prefiero (?P<liked>.+)", Kind.PREFERENCE, "Prefiere {liked}", keys.preference_key),
    rule(
        r"me gustan? más (?P<liked>.+?) que (?P<what>.+)",
        Kind.PREFERENCE,
        "Prefiere {liked} a {what}",
        keys.preference_key,
    ),
    rule(r"no me gustan? (?:nada )?(?P<liked>.+)", Kind.PREFERENCE, "No le gusta {liked}"),
    rule(r"me (?:gustan?|encantan?) (?:mucho )?(?P<liked>.+)", Kind.PREFERENCE, "Le gusta {liked}"),
    rule(r"(?P<third>odio|adoro|detesto) (?P<liked>.+)", Kind.PREFERENCE, "{third} {liked}"),
    rule(r"(?P<how>nunca|siempre) (?P<third>\w+o) (?P<what>.+)", Kind.PREFERENCE, "{how} {third} {what}"),
    rule(r"no (?P<third>como|bebo|fumo|tomo) (?P<what>.+)", Kind.PREFERENCE, "No {third} {what}"),
    rule(
        rf"(?:uso|utilizo) (?P<tool>.+?) como (?:mi )?{_OWN_THING}",
        Kind.ENVIRONMENT,
        "Usa {tool} como {slot}",
        keys.owned_key,
    ),
    rule(
        r"(?:uso|utilizo) (?P<tool>.+?) (?P<how>para|como) (?P<topic>.+)", Kind.ENVIRONMENT, "Usa {tool} {how} {topic}"
    ),
    rule(r"(?:uso|utilizo) (?P<tool>.+)", Kind.ENVIRONMENT, "Usa {tool}", keys.tool_key, confidence=0.85),
    rule(r"(?P<order>(?:nunca|siempre) \w+mos .+)", Kind.CONSTRAINT, "Regla: {order}", scope="project"),
    rule(
        r"(?:usamos|utilizamos) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool}",
        keys.uses_key,
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"(?:nuestro|el|este) (?P<slot>proyecto|repositorio|servicio|equipo|backend|frontend) "
        r"(?P<how>usa"
        r"|utiliza|corre en|está escrito en) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{slot} {how} {tool}",
        scope="project",
    ),
    rule(
        r"(?:hemos decidido|decidimos|hemos acordado|acordamos|optamos por|hemos optado por) " r"(?P<clause>.+)",
        Kind.DECISION,
        "Decidido: {clause}",
        scope="project",
    ),
    rule(
        r"(?P<order>(?:usa|utiliza|escribe|responde|pregunta|haz|despliega|prueba|borra|pon|deja"
        r"|comprueba|verifica|modifica|ejecuta|contesta) siempre .+)",
        Kind.CONSTRAINT,
        "Regla: {order}",
    ),
    rule(
        r"(?P<order>(?:nunca|siempre|no) (?:uses|utilices|usa|utiliza|escribe|escribas|responde"
        r"|respondas"
        r"|pregunta|hagas|haz|despliegues|subas|borres|pongas|toques|modifiques|ejecutes)(?: nunca)? "
        r".+)",
        Kind.CONSTRAINT,
        "Regla: {order}",
    ),
)
SPANISH = language(
    "es",
    TONGUE,
    RULES,
    dict(cleaners(_LEANS, _FILLER, _ROLES)) | {"third": third_in_a(_IRREGULAR, letters=4)},
    r"\b(?:hoy|mañana|esta vez|por ahora|de momento|aquí|ahora mismo|en est[ea] (?:archivo"
    r"|función"
    r"|clase|caso|rama|test|ejemplo)|otra vez|una vez más|para est[ea]|esta (?:tarde|noche"
    r"|mañana))\b",
)
