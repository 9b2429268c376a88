"""Portuguese, of Portugal and Brazil: the words that say how a sentence is meant."""

from __future__ import annotations

from workbench.dreaming.rules.plain import Tongue
from workbench.dreaming.rules.times import Times
from workbench.dreaming.rules.words import word_set

TIMES = Times(
    since=r"(?:desde(?: o mês de| o início de)?|em|a partir de) ",
    spans={
        r"ontem": "yesterday",
        r"(?:a|na) semana passada": "last week",
        r"(?:o|no) mês passado": "last month",
        r"(?:o|no) ano passado": "last year",
        r"(?:esta|essa|nesta|nessa) semana": "this week",
        r"(?:este|esse|neste|nesse) mês": "this month",
        r"(?:este|esse|neste|nesse) ano": "this year",
    },
    months=(
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ),
    ago=(r"(?:há|faz) {n} {unit}", r"{n} {unit} atrás", r"há {n} {unit} atrás"),
    units=(r"dias?", r"semanas?", r"m[êe]s(?:es)?", r"anos?"),
    numbers={"uma?": 1, "d(?:ois|uas)": 2, "três": 3, "quatro": 4, "cinco": 5, "seis": 6, "dez": 10},
)

TONGUE = Tongue(
    marks=word_set(
        """eu meu minha meus nós nosso nossa prefiro moro vivo trabalho sou uso utilizo usamos sempre
        nunca não decidimos chamo falo odeio adoro amo tenho gosto mudei troquei passei deixei parei
        saí optamos combinamos escolhemos migramos mudamos passamos lembra lembre anota anote
        recentemente"""
    ),
    lead=r"olá(?: a todos)?|oi|bom dia|boa tarde|boa noite|bom|ok(?:ay)?|sim|não,|obrigad[oa]|perfeito"
    r"|ótimo|aliás|além disso|e|mas|porque|pois|então|por isso|para contexto|só para saberes|para "
    r"sua "
    r"informação|a propósito|eu|pessoalmente|atualmente|agora|neste momento|em geral|infelizmente"
    r"|felizmente|normalmente",
    correcting=r"na verdade|correção|desculpa|desculpe|ou melhor|enganei-me|me enganei|eu quis dizer|quis dizer",
    remember=r"(?:lembra-te(?: de)?|lembre-se(?: de)?|lembra|lembre|tem em conta|tenha em mente|não te "
    r"esqueças(?: de)?|não esqueça|anota|anote|memoriza|memorize)(?:\s*:\s*| que )",
    label=r"sobre mim|contexto|info|nota|importante|esclarecimento|minha configuração|lembrete|correção",
    hedge=r"\b(?:acho que |penso que |creio que |suponho que |provavelmente )",
    guess=r"\b(?:talvez|se calhar|quem sabe|não sei|não tenho (?:a )?certeza|poderia|poderíamos"
    r"|gostaria"
    r"|queria|seria)\b",
    unmeant=r"^(?:se|imagina|imagine|suponhamos|digamos|como se|oxalá|tomara)\b|\b(?:se (?:eu|moro|vivo"
    r"|trabalho|uso|morasse|fosse|tivesse|o meu|a minha)|como se|por exemplo|sonhei"
    r"|(?:diz|disse|dizia|escreve|escreveu|afirma|pergunta|conta|acha) que|me (?:disse|escreveu"
    r"|perguntou|contou)|brincadeira|brincando|ironia|em criança|quando era|antigamente|antes eu"
    r"|na "
    r"altura|naquela época)\b",
    opens=r"\b(?:traduz\w*|corrij\w*|corrige\w*|reformul\w*|(?:escreve|escreva|redige|redija|inventa"
    r"|invente)(?:-me)? (?:uma?|o|a) (?:história|conto|poema|texto|carta|e-?mail|diálogo|discurso"
    r"|cena|canção|música)|faz de conta|finja|és (?:agora )?uma?|você é (?:agora )?uma?|imagina "
    r"que"
    r"|imagine que|na história|no romance|minha personagem|meu personagem|a frase)\b",
    asked=r"(?:podes|pode|poderia|devo|deveria|o que|que|quem|onde|quando|como|por que|porquê|qual|quais|quanto)\b",
    split=r"(?:,? (?:e|mas|por isso|então) (?=(?:eu|meu|minha|o meu|a minha|moro|vivo|trabalho|prefiro"
    r"|uso"
    r"|utilizo|sou|não|nunca|sempre|falo|tenho)\b)|[;–—] ?|, (?=(?:eu|meu|minha|o meu|a minha"
    r"|moro"
    r"|vivo|trabalho|prefiro|uso|sou|então|mas|porque|pois|embora|onde|que|nunca|sempre)\b))",
    times=TIMES,
    turned=(
        (r"^eu ", ""),
        (r"^nós ", ""),
        (r"^(?:o meu|meu) ", "meu "),
        (r"^(?:a minha|minha) ", "minha "),
        (
            r"^(moro|vivo|trabalho|uso|utilizo|prefiro|usamos|utilizamos|gosto) (?:atualmente|também"
            r"|agora"
            r"|realmente|sobretudo|muito|bastante) ",
            r"\1 ",
        ),
        (r"^já não (\w+) (.+)", r"não \1 mais \2"),
        (
            r"^não (moro|vivo|trabalho|uso|utilizo|usamos|utilizamos|sou|fumo|bebo|como|gosto) (.+) mais$",
            r"não \1 mais \2",
        ),
    ),
)
