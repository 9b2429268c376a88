"""Portuguese, of Portugal and Brazil: what a sentence says."""

from __future__ import annotations

from workbench.dreaming.rules import keys
from workbench.dreaming.rules.nouns import cleaners, third_in_a
from workbench.dreaming.rules.plain import language
from workbench.dreaming.rules.portuguese_cues import TONGUE
from workbench.dreaming.rules.table import Rule, rule
from workbench.ledger.model import Kind

_FILLER = (
    r",? (?:aliás|obrigad[oa]|também|na verdade|realmente|agora|atualmente|por favor|em geral"
    r"|muito"
    r"|hoje em dia)"
)
_LEANS = (
    r"\b(?:isso|isto|aquilo|est[ea]s?|ess[ea]s?|aquel[ea]s?|aqui|aí|ali|lá|eu|mim|me|meu|minha"
    r"|meus"
    r"|minhas|nos|nós|noss[oa]s?|tu|ti|te|teu|tua|teus|tuas|você|vocês|seu|sua|seus|suas|ele|ela"
    r"|eles"
    r"|elas|lhe|lhes|dele|dela|nada|tudo|todos|ambos|seguinte|anterior|disso|disto|nisso|fazê-lo"
    r"|usá-lo)\b"
    r"|^(?:não|que|como|quando|se|de|a)\b(?! )|^(?:não|que|como|quando|se) |\b(?:e|ou|de|a|o|os|as|não)$"
)
_ROLES = (
    r"(?:uma? )?(?:desenvolvedora?|programadora?|engenheir[oa]|professora?|enfermeir[oa]"
    r"|médic[oa]"
    r"|advogad[oa]|designer|arquitet[oa]|informátic[oa]|contadora?|contabilista|tradutora?"
    r"|investigadora?|pesquisadora?|cozinheir[oa]|padeir[oa]|farmacêutic[oa]|psicólog[oa]"
    r"|diretora?"
    r"|mecânic[oa]|fotógraf[oa]|secretári[oa]|vendedora?|músic[oa]|redatora?|técnic[oa]"
    r"|reformad[oa]"
    r"|aposentad[oa]|administradora?|fundadora?|garçom|garçonete|consultora?|biólog[oa]"
    r"|químic[oa]"
    r"|físic[oa]|veterinári[oa]|analista|jornalista|estudante|dentista|eletricista|freelancer"
    r"|gerente"
    r"|piloto|cientista|data scientist)(?: (?:de|da|do|em) [\wáéíóúâêôãõç ]+| [a-záéíóúâêôãõç]+)?"
)
_OWN_THING = (
    r"(?P<slot>editor|ide|shell|navegador|browser|sistema operacional|sistema operativo|terminal"
    r"|portátil|notebook|computador)"
)
_REL = (
    r"(?P<rel>mulher|esposa|marido|esposo|namorada|namorado|parceira|parceiro|mãe|pai|chefe|irmã"
    r"|irmão|filho|filha|colega|cão|cachorro|cadela|gato|gata|cavalo|avó|avô)"
)
_IRREGULAR = {
    "como": "come",
    "bebo": "bebe",
    "leio": "lê",
    "escrevo": "escreve",
    "corro": "corre",
    "vivo": "vive",
    "durmo": "dorme",
    "saio": "sai",
    "faço": "faz",
    "vou": "vai",
    "ponho": "põe",
    "tenho": "tem",
    "digo": "diz",
    "vejo": "vê",
    "peço": "pede",
    "respondo": "responde",
    "abro": "abre",
    "odeio": "odeia",
    "prefiro": "prefere",
    "dirijo": "dirige",
}


RULES: tuple[Rule, ...] = (
    rule(r"(?:me chamo|chamo-me|meu nome é) (?P<name>.+)", Kind.PROFILE, "Chama-se {name}", "profile.name"),
    rule(
        r"não (?:moro|vivo) mais (?P<how>em|no|na|nos|nas) (?P<place>.+)",
        Kind.CORRECTION,
        "Não mora mais {how} {place}",
        "profile.location",
        retracts=True,
        ends="Mora {how} {place}",
    ),
    rule(
        r"(?:moro|vivo|resido) (?P<how>em|no|na|nos|nas) (?P<place>.+)",
        Kind.PROFILE,
        "Mora {how} {place}",
        "profile.location",
    ),
    rule(
        r"(?:me mudei|mudei-me|mudei) (?:de .+? |do .+? |da .+? )?(?:para|pra) (?:o |a "
        r")?(?P<place>.+)",
        Kind.PROFILE,
        "Mora em {place}",
        "profile.location",
    ),
    rule(r"sou (?P<how>de|do|da) (?P<place>(?-i:[A-ZÁÉÍÓÚ]).+)", Kind.PROFILE, "É {how} {place}"),
    rule(
        r"não trabalho mais (?P<how>na|no|em|para a|para o|para) (?P<org>.+)",
        Kind.CORRECTION,
        "Não trabalha mais {how} {org}",
        "profile.employer",
        retracts=True,
        ends="Trabalha {how} {org}",
    ),
    rule(
        r"(?:saí|demiti-me|me demiti) (?P<how>da|do|de) (?P<org>(?-i:[A-Z]).+)",
        Kind.CORRECTION,
        "Não trabalha mais na {org}",
        "profile.employer",
        retracts=True,
        ends="Trabalha na {org}",
    ),
    rule(
        r"trabalho (?P<how>na|no|em|para a|para o|para) (?P<org>.+?) como (?P<role>.+)",
        Kind.PROFILE,
        "Trabalha {how} {org} como {role}",
        "profile.employer",
    ),
    rule(
        r"trabalho como (?P<role>.+?) (?P<how>na|no|em) (?P<org>(?-i:[A-Z]).+)",
        Kind.PROFILE,
        "Trabalha {how} {org} como {role}",
        "profile.employer",
    ),
    rule(
        r"sou (?P<role>.+?) (?P<how>na|no) (?P<org>(?-i:[A-Z]).+)",
        Kind.PROFILE,
        "Trabalha {how} {org} como {role}",
        "profile.employer",
    ),
    rule(
        r"trabalho (?P<how>na|no|em|para a|para o|para) (?P<org>.+)",
        Kind.PROFILE,
        "Trabalha {how} {org}",
        "profile.employer",
    ),
    rule(r"trabalho como (?P<role>.+)", Kind.PROFILE, "Trabalha como {role}", "profile.role"),
    rule(
        r"não sou mais (?P<word>vegetarian[oa]|vegan[oa])",
        Kind.CORRECTION,
        "Não é mais {word}",
        "preference.diet",
        retracts=True,
        ends="É {word}",
    ),
    rule(
        r"não sou mais (?P<role>.+)",
        Kind.CORRECTION,
        "Não trabalha mais como {role}",
        "profile.role",
        retracts=True,
        ends="Trabalha como {role}",
    ),
    rule(r"sou (?P<word>vegetarian[oa]|vegan[oa])", Kind.PREFERENCE, "É {word}", "preference.diet"),
    rule(r"(?:sou alérgic[oa]|tenho alergia) (?P<what>(?:a|ao|à|aos|às) .+)", Kind.FACT, "Alérgico {what}"),
    rule(r"sou (?P<role>.+)", Kind.PROFILE, "Trabalha como {role}", "profile.role"),
    rule(
        r"sou (?:o |a )(?P<name>(?-i:[A-ZÁÉÍÓÚ])\S+)", Kind.PROFILE, "Chama-se {name}", "profile.name", confidence=0.85
    ),
    rule(
        r"minha língua (?:materna|nativa) é (?:o )?(?P<word>.+)",
        Kind.PROFILE,
        "Língua materna: {word}",
        "profile.language",
    ),
    rule(
        r"falo (?P<word>(?:português|inglês|alemão|francês|italiano|espanhol|chinês|japonês|árabe"
        r"|russo)(?:(?:,| e) (?:um pouco de )?\w+){0,4})",
        Kind.SKILL,
        "Fala {word}",
    ),
    rule(r"meu fuso horário é (?P<word>[\w/+:-]+)", Kind.PROFILE, "Fuso horário: {word}", "profile.timezone"),
    rule(
        r"meu aniversário é (?:em |no dia |dia |a )?(?P<word>\d{1,2} de \w+(?: de \d{4})?)",
        Kind.PROFILE,
        "Aniversário em {word}",
        "profile.birthday",
    ),
    rule(
        rf"(?:meu|minha) {_REL} (?:se chama|chama-se) (?P<name>.+)",
        Kind.RELATIONSHIP,
        "{rel} chama-se {name}",
        keys.person_key,
    ),
    rule(rf"meu {_OWN_THING} é (?:o |a )?(?P<tool>.+)", Kind.ENVIRONMENT, "{slot}: {tool}", keys.owned_key),
    rule(
        r"(?:meu|minha) (?P<slot>[\wáéíóúâêôãõç]+ (?:favorit[oa]|preferid[oa])) é (?:o |a "
        r")?(?P<liked>.+)",
        Kind.PREFERENCE,
        "{slot}: {liked}",
        "preference.{slot}",
    ),
    rule(
        r"não (?:uso|utilizo) mais (?:o |a )?(?P<tool>.+)",
        Kind.CORRECTION,
        "Não usa mais {tool}",
        keys.tool_key,
        retracts=True,
        ends="Usa {tool}",
    ),
    rule(
        r"(?:deixei|parei) de usar (?:o |a )?(?P<tool>.+)",
        Kind.CORRECTION,
        "Não usa mais {tool}",
        keys.tool_key,
        retracts=True,
        ends="Usa {tool}",
    ),
    rule(
        r"não (?:usamos|utilizamos) mais (?:o |a )?(?P<tool>.+)",
        Kind.CORRECTION,
        "Não usa mais {tool}",
        keys.uses_key,
        scope="project",
        retracts=True,
        ends="Usa {tool}",
    ),
    rule(
        r"(?:troquei|mudei|passei) (?:d[eoa] )?(?P<what>.+?) (?:para|por|pelo|pela|pra) (?:o |a " r")?(?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool}",
        keys.tool_key,
    ),
    rule(
        r"(?:migramos|mudamos|passamos) (?:d[eoa] .+? )?(?:para|pra) (?:o |a )?(?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool}",
        keys.uses_key,
        scope="project",
    ),
    rule(
        r"não (?P<third>fumo|bebo|corro|ensino|jogo|estudo|dirijo) mais",
        Kind.CORRECTION,
        "Não {third} mais",
        retracts=True,
        ends="{third}",
    ),
    rule(
        r"não (?P<third>fumo|bebo|como|toco|estudo) mais (?P<what>.+)",
        Kind.CORRECTION,
        "Não {third} mais {what}",
        retracts=True,
        ends="{third} {what}",
    ),
    rule(
        r"não gosto mais (?P<how>de|do|da|dos|das) (?P<liked>.+)",
        Kind.CORRECTION,
        "Não gosta mais {how} {liked}",
        retracts=True,
        ends="Gosta {how} {liked}",
    ),
    rule(
        r"prefiro (?P<liked>.+?) (?:a|ao|à|aos|às|em vez de|do que) (?P<what>.+)",
        Kind.PREFERENCE,
        "Prefere {liked} a {what}",
        keys.preference_key,
    ),
    rule(r"prefiro (?P<liked>.+)", Kind.PREFERENCE, "Prefere {liked}", keys.preference_key),
    rule(
        r"gosto mais (?P<how>de|do|da|dos|das) (?P<liked>.+?) do que (?:de |do |da )?(?P<what>.+)",
        Kind.PREFERENCE,
        "Gosta mais {how} {liked} do que {what}",
        keys.preference_key,
    ),
    rule(r"não gosto (?P<how>de|do|da|dos|das) (?P<liked>.+)", Kind.PREFERENCE, "Não gosta {how} {liked}"),
    rule(r"gosto (?P<how>de|do|da|dos|das) (?P<liked>.+)", Kind.PREFERENCE, "Gosta {how} {liked}"),
    rule(r"(?P<third>odeio|adoro|amo|detesto) (?P<liked>.+)", Kind.PREFERENCE, "{third} {liked}"),
    rule(r"(?P<how>nunca|sempre) (?P<third>\w+o) (?P<what>.+)", Kind.PREFERENCE, "{how} {third} {what}"),
    rule(r"não (?P<third>como|bebo|fumo|tomo) (?P<what>.+)", Kind.PREFERENCE, "Não {third} {what}"),
    rule(
        rf"(?:uso|utilizo) (?:o |a )?(?P<tool>.+?) como (?:meu )?{_OWN_THING}",
        Kind.ENVIRONMENT,
        "Usa {tool} como {slot}",
        keys.owned_key,
    ),
    rule(
        r"(?:uso|utilizo) (?:o |a )?(?P<tool>.+?) (?P<how>para|como) (?P<topic>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool} {how} {topic}",
    ),
    rule(r"(?:uso|utilizo) (?:o |a )?(?P<tool>.+)", Kind.ENVIRONMENT, "Usa {tool}", keys.tool_key, confidence=0.85),
    rule(r"(?P<order>(?:nunca|sempre) \w+mos .+)", Kind.CONSTRAINT, "Regra: {order}", scope="project"),
    rule(
        r"(?:usamos|utilizamos) (?:o |a )?(?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Usa {tool}",
        keys.uses_key,
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"(?:o nosso|nosso|o|este) (?P<slot>projeto|repositório|serviço|time|backend|frontend) "
        r"(?P<how>usa|utiliza|roda em|corre em|é escrito em) (?:o |a )?(?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{slot} {how} {tool}",
        scope="project",
    ),
    rule(
        r"(?:decidimos|combinamos|optamos por|escolhemos) (?P<clause>.+)",
        Kind.DECISION,
        "Decidido: {clause}",
        scope="project",
    ),
    rule(
        r"(?P<order>(?:usa|use|utiliza|utilize|escreve|escreva|responde|responda|pergunta|pergunte"
        r"|faz"
        r"|faça|testa|teste|apaga|apague|deixa|deixe|verifica|verifique|executa|execute) sempre .+)",
        Kind.CONSTRAINT,
        "Regra: {order}",
    ),
    rule(
        r"(?P<order>(?:nunca|sempre) (?:uses?|usa|utilizes?|escrevas?|escreve|respondas?|responde"
        r"|perguntes?|faças?|faz|toques?|modifiques?|mudes?|altere|alteres|execute|executes|apagues?"
        r"|apague|fazer|usar|commite|commites) .+)",
        Kind.CONSTRAINT,
        "Regra: {order}",
    ),
)
PORTUGUESE = language(
    "pt",
    TONGUE,
    RULES,
    dict(cleaners(_LEANS, _FILLER, _ROLES)) | {"third": third_in_a(_IRREGULAR)},
    r"\b(?:hoje(?! em dia)|amanhã|desta vez|dessa vez|por enquanto|por agora|aqui|agora mesmo"
    r"|n?est[ea] (?:arquivo|ficheiro|função|classe|caso|ramo|teste|exemplo)|neste momento|outra "
    r"vez"
    r"|mais uma vez|hoje à noite|para est[ea])\b",
)
