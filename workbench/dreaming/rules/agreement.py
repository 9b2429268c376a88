"""What the assistant proposes and the person agrees to in the next message, as the person would have said it.

"I suggest we use Redis for the queue." – "Yes, let's do that." becomes "We decided to use Redis for the queue.", which
the table of that language then reads. The words are not the person's own: what comes of it is inferred, and waits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.dreaming.rules.prose import own_sentences, reveal

LONGEST = 200


@dataclass(frozen=True)
class Manner:
    """How a language proposes and agrees.

    :param proposes: with the group ``what``; ``decided``: the sentence it makes.
    :param agrees: words of agreement; ``objects``: with one of these it is none.
    """

    proposes: re.Pattern[str]
    decided: str
    agrees: re.Pattern[str]
    objects: re.Pattern[str]


def _manner(proposes: str, decided: str, agrees: str, objects: str) -> Manner:
    return Manner(
        re.compile(
            rf"(?:^|[,:;]\s*|.*\b(?:so|also|dann|alors|entonces|quindi|então) ){proposes}[\s.?!。？！]*$", re.IGNORECASE
        ),
        decided,
        re.compile(rf"(?:(?:{agrees})[\s,.!;–—、，。！]*){{1,5}}", re.IGNORECASE),
        re.compile(objects, re.IGNORECASE),
    )


_MANNERS = (
    _manner(
        r"(?:i(?:'d| would)? (?:suggest|recommend|propose)|let's|how about|(?:we|you) (?:could|should"
        r"|can)|shall we|should we|my (?:suggestion|recommendation) is to)"
        r"(?: that)?(?: we)? (?:use|using|go with|going with|adopt|adopting|switch to|switching to"
        r"|stick "
        r"with|sticking with|move to|moving to) (?P<what>(?:(?! or ).)+?)",
        "We decided to use {what}.",
        r"yes|yeah|yep|yup|sure(?: thing)?|ok(?:ay)?|sounds (?:good|great)|agreed|i agree|perfect"
        r"|great(?: idea)?|good idea|do it|do that|go ahead|let's (?:do|go with) (?:that|it|this)"
        r"|please(?: do)?"
        r"|works for me|absolutely|definitely|exactly|that works|makes sense|deal|then|thanks|thank "
        r"you"
        r"|great|fine(?: by me| with me)?|go for it",
        r"\b(?:but|however|instead|rather|except|not|don't|unless|although|maybe|later)\b",
    ),
    _manner(
        r"(?:ich (?:schlage vor|empfehle),? (?:dass wir )?|lass(?:t)? uns |wir (?:könnten|sollten"
        r"|können) "
        r"|sollen wir )(?P<what>(?:(?! oder ).)+?) (?:(?:zu )?(?:verwenden|nutzen|benutzen|nehmen"
        r"|einsetzen))",
        "Wir haben uns für {what} entschieden.",
        r"ja|gerne?|jep|klar|ok(?:ay)?|einverstanden|passt|perfekt|super|gut|gute idee|genau|machen "
        r"wir(?: so)?|mach(?: das| es)?(?: so)?|so machen wir(?: das| es)?|klingt gut|bitte|danke"
        r"|dann",
        r"\b(?:aber|jedoch|lieber|statt|nicht|kein\w*|außer|vielleicht|später)\b",
    ),
    _manner(
        r"(?:je (?:propose|suggère|recommande) (?:que nous utilisions |d'utiliser |d'adopter )|on "
        r"(?:pourrait|devrait) (?:utiliser |adopter |prendre )|nous (?:pourrions|devrions) utiliser "
        r"|utilisons )(?P<what>(?:(?! ou ).)+?)",
        "Nous avons décidé d'utiliser {what}.",
        r"oui|ouais|ok|d'accord|parfait|très bien|bonne idée|ça marche|ça me va|allons-y|vas-y"
        r"|fais(?:-le"
        r"| ça)|faisons (?:ça|comme ça)|super|entendu|s'il te plaît|merci|alors",
        r"\b(?:mais|plutôt|sauf|pas|non|peut-être|plus tard)\b",
    ),
    _manner(
        r"(?:(?:propongo|sugiero|recomiendo) (?:que usemos |usar |adoptar )|podríamos usar "
        r"|deberíamos "
        r"usar |usemos )(?P<what>(?:(?! o ).)+?)",
        "Hemos decidido usar {what}.",
        r"sí|si|vale|ok|de acuerdo|perfecto|genial|buena idea|me parece bien|adelante|hazlo|hagámoslo"
        r"|claro|por supuesto|gracias|por favor|entonces",
        r"\b(?:pero|mejor|salvo|no|quizás?|más tarde)\b",
    ),
    _manner(
        r"(?:(?:propongo|suggerisco|consiglio) (?:di usare |di adottare )|potremmo usare |dovremmo "
        r"usare "
        r"|usiamo )(?P<what>(?:(?! o ).)+?)",
        "Abbiamo deciso di usare {what}.",
        r"sì|si|va bene|ok|d'accordo|perfetto|ottimo|ottima idea|buona idea|procedi|fallo|facciamo "
        r"così"
        r"|certo|grazie|per favore|allora",
        r"\b(?:ma|però|meglio|tranne|non|no|forse|più tardi)\b",
    ),
    _manner(
        r"(?:(?:proponho|sugiro|recomendo) (?:que usemos |usar |adotar )|poderíamos usar |deveríamos "
        r"usar "
        r"|vamos usar )(?P<what>(?:(?! ou ).)+?)",
        "Decidimos usar {what}.",
        r"sim|ok|está bem|tudo bem|de acordo|concordo|perfeito|ótimo|boa ideia|pode ser|avança|pode "
        r"fazer"
        r"|faz isso|vamos nessa|claro|obrigad[oa]|por favor|então",
        r"\b(?:mas|melhor|exceto|não|talvez|mais tarde)\b",
    ),
    _manner(
        r"(?:我?(?:建议|推荐|提议)(?:我们)?|我们可以|不如|要不)(?:使用|采用|用) "
        r"?(?P<what>[^或还是]+?)(?:吧|如何|怎么样|好吗)?",
        "我们决定用 {what}。",
        r"好的?|可以|同意|没问题|行|就这么(?:办|定)(?:吧)?|就这样(?:吧)?|听起来不错|赞成|嗯|是的|谢谢|那就这样",
        r"但|不过|不要|不用|还是|先不|也许",
    ),
    _manner(
        r"(?P<what>[^かも]+?)を(?:使う|採用する|使用する)(?:ことを(?:提案|お勧め|おすすめ)します"
        r"|のはどうですか|のはどうでしょうか|のがいいと思います)",
        "{what}を使うことに決めました。",
        r"はい|ええ|うん|いいですね|お願いします|それで(?:お願いします|いきましょう|いいです)?"
        r"|賛成です|了解(?:です)?|わかりました|そうしましょう|ありがとうございます|OK",
        r"でも|しかし|ただ|けど|いや|やめ",
    ),
)
_FIRST = frozenset(
    (
        *(
            "yes",
            "yeah",
            "yep",
            "yup",
            "sure",
            "ok",
            "okay",
            "sounds",
            "agreed",
            "i",
            "perfect",
            "great",
            "good",
            "do",
            "go",
        ),
        *(
            "let's",
            "please",
            "works",
            "absolutely",
            "definitely",
            "exactly",
            "that",
            "makes",
            "deal",
            "ja",
            "jep",
            "klar",
        ),
        *(
            "einverstanden",
            "passt",
            "perfekt",
            "super",
            "gut",
            "gute",
            "genau",
            "machen",
            "mach",
            "so",
            "klingt",
            "oui",
        ),
        *(
            "ouais",
            "d'accord",
            "parfait",
            "très",
            "bonne",
            "ça",
            "allons-y",
            "vas-y",
            "entendu",
            "sí",
            "si",
            "vale",
            "de",
        ),
        *("perfecto", "genial", "buena", "me", "adelante", "claro", "sì", "va", "perfetto", "ottimo", "certo", "sim"),
        *("está", "tudo", "concordo", "perfeito", "ótimo", "boa", "pode", "fine", "facciamo", "hazlo", "faisons"),
    )
)


def agreed(proposal: str, reply: str) -> str | None:
    """What the person decided by agreeing with the assistant, as a sentence of theirs; None where they did not.

    :param proposal: what the assistant said; it must propose one thing.
    :param reply: what the person said next: agreement and nothing else.
    """
    said = reply.strip().replace("’", "'")
    if not said or len(said) > LONGEST or not (said.split()[0].lower().strip(",.!") in _FIRST or not said.isascii()):
        return None
    for manner in _MANNERS:
        if manner.agrees.fullmatch(said) and not manner.objects.search(said):
            return _decided(proposal, manner)
    return None


def _decided(proposal: str, manner: Manner) -> str | None:
    sentences, hidden = own_sentences(proposal)
    found = [match for sentence in sentences if (match := manner.proposes.match(sentence))]
    if len(found) != 1:
        return None
    what = reveal(found[0]["what"], hidden)
    return manner.decided.format(what=what.strip()) if what and len(what) <= LONGEST else None
