"""Finds statements that give an agent standing orders or permissions; a person has to confirm such a memory.

"Prefers tabs over spaces." describes; "Never deploy on Fridays." orders; "You may push to main" permits. RE2 syntax.
"""

from __future__ import annotations

from functools import cache

from workbench.guard import disguise, orders
from workbench.guard.patterns import PatternSet

# Where an order can begin: a line, a sentence, after a label or a dash, or after the subject it addresses.
_START = r"(?:^|[.!?:;,–—•]\s+|\s-\s+|^\s*(?:[-*]|\d+[.)])\s+|\band\s+|\bso\s+|\bthen\s+|[\"“(])"
_AGENT = (
    r"(?:you|agents?|the (?:ai|bot|model)|(?:ai )?assistants?|claude(?: code)?|codex|copilot|cursor|gemini"
    r"|chatgpt|bots?"
    r"|subagents?|everyone|developers|contributors)"
)
_DO = (
    r"(?:run|use|ask|commit|push|deploy|merge|write|read|delete|send|add|keep|check|call|create|answer|reply"
    r"|respond|include"
    r"|avoid|prefer|format|test|explain|show|follow|skip|approve|accept|trust|edit|change|install|start|stop|make"
    r"|put|leave"
    r"|open|touch|assume|execute|log|store|save|mention|remember|forget|ignore|wait|verify|confirm|review|rebase"
    r"|squash|quote"
    r"|translate|speak|suggest|refuse|mock|expose|force|modify|update|remove|rename|return|document|lint|fix|do"
    r"|be|give|sign)"
)

# "Always write tests" orders; "Always writes tests" and "Never liked Java" tell of somebody: the verb decides.
_HABITUAL = rf"(?mi){_START}\s*(?:please\s+)?(?:always|never)\s+(?P<v>[a-z]+)"
_PAST = frozenset(
    [
        "been",
        "came",
        "did",
        "felt",
        "found",
        "gave",
        "got",
        "grew",
        "had",
        "heard",
        "held",
        "knew",
        "learnt",
        "left",
        "lost",
        "made",
        "met",
        "paid",
        "said",
        "saw",
        "spent",
        "spoke",
        "thought",
        "told",
        "took",
        "understood",
        "was",
        "went",
        "were",
        "won",
        "wore",
        "wrote",
    ]
)
_ENDS_IN_D = frozenset(["need", "feed", "embed", "proceed", "exceed", "speed", "succeed", "seed"])

_PATTERNS = (
    _HABITUAL,
    r"(?i)\b(?:please|must|should|shall|will|to|can|may)\s+(?:always|never)\s+[a-z]",
    rf"(?i)\bI(?:['’]d| would)?\s+(?:like|want|need|expect|ask)\s+{_AGENT}\s+to\b",
    rf"(?mi){_START}\s*(?:please\s+)?(?:do not|don['’]?t|dont|must not|make sure|ensure|be sure|remember to"
    rf"|remember that you"
    r"|be careful to|refrain from|no need to ask|under no circumstances|in no case)\b",
    r"(?i)\b(?:from now on|from this point on(?:ward)?|going forward|henceforth|until further notice"
    r"|in (?:all )?future"
    r" (?:sessions|conversations|replies|responses|tasks))\b",
    rf"(?i)\b{_AGENT}\s+(?:now\s+)?(?:must|should|shall|may|ought to|need(?:s)? to|ha(?:ve|s) to|(?:are|is) (?:to"
    rf"|allowed"
    r"|permitted|free|authori[sz]ed|expected|required|supposed|forbidden|not allowed|never|encouraged)|ha(?:ve|s)"
    r" (?:\S+\s+)?permission|mustn['’]t|shouldn['’]t|may not)\b",
    rf"(?i)\b{_AGENT}\s+can\s+(?:now\s+|just\s+|safely\s+|freely\s+|always\s+)?{_DO}\b",
    rf"(?i)\b{_AGENT}\s+(?:can['’]t|cannot|can not|will (?:not\s+|never\s+)?|won['’]t|do not|don['’]t)\s*{_DO}\b",
    r"(?i)\bmust\s+(?:not\s+|never\s+|always\s+|only\s+)?(?:be\s+[a-z]+(?:ed|en|un|pt|t)\b|run|use|go|pass|follow"
    r"|include"
    r"|contain|stay|keep|ask|match|start|end|live|wait|come|never|always)",
    r"(?i)\bmust ?(?:n['’]t|not)\b",
    r"(?i)\bwithout\s+(?:\S+\s+){0,2}(?:asking|confirm(?:ation|ing)|approval|permission|being asked"
    r"|checking with)\b",
    r"(?i)\b(?:permission (?:is )?(?:granted|given)|standing permission|pre-?approved|auto-?approve"
    r"|no (?:confirmation|approval"
    r"|permission) (?:is )?(?:needed|required|necessary)|(?:is|are) (?:forbidden|prohibited|off[- ]limits"
    r"|not allowed))\b",
    # A verb alone is a whole word: "Speaks German" and "Avoids gluten" say what somebody does.
    r"(?mi)^\s*(?:[-*]\s+)?(?:please\s+|first,?\s+|only\s+|instead,?\s+)*(?:"
    r"(?:avoid|respond|refuse|treat|ignore|skip|assume|call me|address me|speak|put)\b"
    r"|reply in|reply with|answer in|answer with|follow (?:the|our|my|this)|ask (?:me|before|for|the|first|them)"
    r"|keep (?:the|your|it|all|answers|replies|commits|functions|files|code|responses)|stop\s+\w+ing"
    r"|prefer\s+\w+\s+(?:over|to|for)"
    r"|run\s+(?:the|all|make|npm|pnpm|yarn|pytest|cargo|go|tests?|`|\./)"
    r"|write (?:the|all|tests?|commit|in|code|your)"
    r"|commit (?:only|to|after|before|with|in|small)|push (?:only|to|directly|after)"
    r"|deploy (?:only|to|with|after|from)|add (?:a|the|tests?|an|type)|include (?:the|a|an|file|all)"
    r"|check (?:the|with|that|for)"
    r"|use (?:the|a|an|only|our|`|[a-z0-9_.+#-]+\s+(?:for|instead|when|not|with|in|to|over|rather|as)\b"
    r"|[a-z0-9_.+#-]+[.!]?\s*$))",
    rf"(?mi)^\s*(?:[-*]\s+)?(?:when(?:ever)?|if|before|after|every time|each time|as soon as"
    rf"|while)\s[^.\n]*,\s*(?:then\s+|please\s+)?{_DO}\b",
    r"(?i)\b(?:ignore|disregard|forget)\s+(?:\S+\s+){0,3}(?:instructions?|rules)\b",
    # Other languages
    r"(?mi)(?:^|[.!?:;,]\s+|\b(?:bitte|du|man)\s+)(?:immer|niemals|nie|nicht)\s+[a-zäöü]|\b(?:ab (?:jetzt|sofort)"
    r"|von nun an"
    r"|in zukunft|künftig)\b|\bdu (?:darfst|sollst|musst|kannst ohne)\b|\bohne (?:zu fragen|rückfrage|nachfrage)\b",
    r"(?mi)(?:^|[.!?:;,]\s+|\b(?:tu|vous)\s+)(?:toujours|jamais|ne jamais|n['’]oublie)\b|\b(?:désormais|desormais"
    r"|dorénavant|"
    r"à partir de maintenant|a partir de maintenant)\b|\b(?:tu|vous) (?:dois|devez|peux|pouvez)\b"
    r"|\bsans (?:demander|confirmation)\b",
    r"(?mi)^\s*(?:schreibe?|nutze?|verwende|benutze|antworte|frage?|prufe|teste?|mache?|fuhre|fuge|halte|lass|gib"
    r"|sprich"
    r"|pushe|starte|achte|vermeide)\s+(?:\S+\s+){0,2}(?:immer|nie|niemals|stets)\b|^\s*(?:ecris|ecrivez|utilise[zs]?"
    r"|reponds|repondez|fais|faites|demande[zs]?|verifie[zs]?|lance[zs]?|ajoute[zs]?|evite[zs]?)\s+(?:toujours"
    r"|d['’]abord)\b",
    r"(?mi)^\s*(?:escribe|usa|responde|pregunta|haz|ejecuta|comprueba|evita|scrivi|rispondi|chiedi|fai|controlla|esegui"
    r"|aggiungi|escreva|use|responda|pergunte|faca|verifique|execute|evite)\s+(?:siempre|nunca|sempre|mai)\b",
    r"(?mi)(?:^|[.!?:;,¡]\s*|\bdebes\s+)(?:siempre|nunca|jam[aá]s)\s+[a-z]+[aeé](?:lo|la|me|los|las)?\b"
    r"|\b(?:a partir de ahora"
    r"|de ahora en adelante|a partir de agora"
    r"|d['’]ora in poi)\b|\b(?:puedes|debes|devi|puoi|voc[eê] (?:deve|pode))\s+[a-z]|\bsin (?:preguntar|confirmar"
    r"|pedir)\b",
    r"(?mi)(?:^|[.!?:;,]\s+)(?:sempre|mai|non)\s+(?:usare|fare|usa|fai|chiedi|deve)\S*|\bsenza (?:chiedere"
    r"|conferma)\b",
    r"(?i)(?:^|[\s.!?:;,])(?:всегда|никогда)\s+(?:не\s+|сначала\s+|сперва\s+)?[а-я]+(?:й|йте|и|ите|ь"
    r"|ьте)(?:[\s.,!?]|$)|отныне"
    r"|с этого момента|без (?:спроса|подтверждения)"
    r"|(?:ты|вы) (?:можешь|должен|должна|обязан|можете|должны)",
    r"(?:记住|務必|务必|必须|必須|严禁|嚴禁|不要|不得|不准|禁止|从现在"
    r"|從現在|以后都|今后|无需确认|不用问|你可以直接|请始终)"
    r"|(?m:(?:^|[。！？，；：])\s*(?:请[^假客教]|(?:总是|總是|永远|永遠|始终)))",
    r"(?:常に|必ず|決して|絶対に|これから|今後は|してください|しないで|するな|してはいけない"
    r"|確認なしで|절대|반드시|앞으로는|하지 마)"
    r"|항상[^.\n]*(?:세요|하라|해라|십시오|할 것|해줘|해 줘)",
    *orders.PATTERNS,
)


@cache
def _patterns() -> PatternSet:
    return PatternSet(_PATTERNS)


def _is_base_form(verb: str) -> bool:
    if verb in _PAST or (verb.endswith("ed") and verb not in _ENDS_IN_D):
        return False
    return not verb.endswith("s") or verb.endswith("ss")


def _orders(text: str) -> bool:
    found = _patterns().matching(text)
    if found != [0]:
        return bool(found)
    return any(_is_base_form(text[start:end].lower()) for start, end, _ in _patterns().spans(0, text))


def is_instruction(text: str) -> bool:
    """Whether the text orders or permits something for the future instead of stating what is.

    :raises Exception: when the scanner does not work; callers must fail closed.
    """
    return any(_orders(view.text.strip()) for view in disguise.views(text))
