"""German: the words that say how a sentence is meant."""

from __future__ import annotations

from workbench.dreaming.rules.plain import Tongue
from workbench.dreaming.rules.times import Times
from workbench.dreaming.rules.words import word_set

TIMES = Times(
    since=r"(?:(?:bereits |schon )?seit(?: dem)?|ab|im|in|seit anfang) ",
    spans={
        r"gestern": "yesterday",
        r"(?:der |in der )?letzte[rn]? woche": "last week",
        r"(?:im |dem )?(?:letzten|vergangenen) monat": "last month",
        r"(?:im |dem )?(?:letzten|letztes|vergangenen) jahr": "last year",
        r"diese[rm]? woche": "this week",
        r"diese[mnr] monat": "this month",
        r"diese[mns] jahr": "this year",
    },
    months=(
        "januar",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ),
    ago=(r"vor {n} {unit}", r"(?:schon )?seit {n} {unit}"),
    units=(r"tag(?:e|en)?", r"wochen?", r"monate?n?", r"jahre?n?"),
    numbers={"eine[mnr]?": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "zehn": 10},
)

TONGUE = Tongue(
    marks=word_set("""ich wir mein meine meinen meinem unser unsere immer nie niemals bitte"""),
    lead=r"hallo(?: zusammen)?|hi|hey|moin|servus|guten (?:morgen|tag|abend)|also|ok(?:ay)?|ja|nein"
    r"|danke"
    r"|super|gut|übrigens|außerdem|und|aber"
    r"|denn|weil|nur (?:zur info|damit du es weißt)|zur info|zum kontext|kurz zu mir|ach ja|ach "
    r"so"
    r"|noch was|bitte|zurzeit|derzeit|aktuell|momentan|inzwischen|mittlerweile|persönlich"
    r"|grundsätzlich|generell|privat|beruflich|leider|zum glück",
    correcting=r"eigentlich|korrektur|genauer gesagt|besser gesagt|nein,? falsch|sorry|entschuldigung|ich "
    r"meinte"
    r"|moment",
    remember=r"(?:bitte )?(?:merk(?:e)? dir(?: bitte)?|denk(?:e)? (?:bitte )?daran|notier(?:e)?(?: "
    r"dir)?(?: "
    r"bitte)?|vergiss nicht)(?:\s*:\s*|,? dass |,\s*)",
    label=r"über mich|zu mir|setup|kontext|info|hinweis|wichtig|update|notiz|korrektur|nebenbei",
    hedge=r"\b(?:ich (?:glaube|denke|vermute|schätze),? (?:dass )?|wahrscheinlich |vermutlich |wohl )",
    guess=r"\b(?:vielleicht|eventuell|möglicherweise|unter umständen|keine ahnung|nicht sicher|könnte"
    r"|könnten|würde|würden|möchte mal)\b",
    unmeant=r"^(?:wenn|falls|ob|als ob|angenommen|sofern|stell dir vor)\b|\b(?:falls ich|wenn ich|hätte"
    r"|wäre"
    r"|als ob|zum beispiel|z\. ?b\.|im traum|träumte"
    r"|(?:sagt|sagte|meint|meinte|schreibt|schrieb|behauptet|fragt|fragte|erzählt|erzählte),? "
    r"(?:er"
    r"|sie|dass|mir|mein|meine|ich)|(?:er|sie|chef|kollege|kollegin|kunde|mutter|vater|freund"
    r"|freundin) (?:sagt|sagte|meint|meinte|schreibt|schrieb|behauptet)"
    r"|scherz|witz|ironie|spaß|früher|damals|als kind)\b",
    opens=r"\b(?:übersetz\w*|korrigier\w*|formulier\w*|schreib\w* (?:mir )?(?:ein\w*|die) (?:geschichte"
    r"|gedicht|text|brief|e-?mail|mail|dialog|bewerbung|rede|szene|lied|song)|spiel\w* (?:die"
    r"|eine) "
    r"rolle"
    r"|tu so,? als|du bist (?:jetzt |nun )?ein\w*|stell dir vor|rollenspiel|in der geschichte|im "
    r"roman|meine figur|der satz|beispielsatz)\b",
    asked=r"(?:kannst|könntest|soll|sollte|sollen|muss|darf|wo|was|wie|wer|wann|warum|welche[rsn]?|ist"
    r"|bin"
    r"|habe|hast|weißt) (?:ich|du|wir|mein|meine|es|das|man)\b",
    split=r"(?:,? (?:und|aber|sondern|deshalb|daher) (?=(?:ich|wir|mein|meine|unser|unsere|bitte)\b)"
    r"|[;–—] "
    r"?|, (?=(?:ich|wir|mein|meine|weil|da|aber|obwohl|damit|sodass|deshalb|also|denn|und zwar"
    r"|was|wo"
    r"|die|der|das)\b))",
    times=TIMES,
    turned=(
        # "Seit März wohne ich in Köln" → "ich wohne in Köln"
        # "dass ich Vegetarier bin" → "ich bin Vegetarier"
        (
            r"^(?:dass |weil |da )?(ich|wir) (.+) (bin|arbeite|wohne|lebe|bevorzuge|benutze|nutze"
            r"|verwende"
            r"|mag|heiße)$",
            r"\1 \3 \2",
        ),
        (r"^(\w+) (ich|wir) (?!mich\b|nicht\b$)", r"\2 \1 "),
        (
            r"^(ich|wir) (\w+) (?:aktuell|derzeit|zurzeit|momentan|inzwischen|mittlerweile|jetzt|nun|auch"
            r"|noch|übrigens|eigentlich|persönlich|sehr|wirklich|total|schon|bereits) ",
            r"\1 \2 ",
        ),
    ),
)
