"""Sentences by which somebody takes back, denies, or puts off the record what they say: none of it is learned; what
they said in the message before is put before them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_END = r"(?=\s*(?:[.,;:!…)]|$))"
_IT = r"(?:this|that|it|these|those|any(?:thing)?(?: of)?(?: this| that)?|the following|(?:what|everything|anything) i)"
_FALSE = (
    r"(?:not true|untrue|not real|false|a lie|lies|made[- ]up|invented|fictional|fiction|fake|nonsense|a joke|a test)"
)
# The whole message is not to be kept.
_MESSAGE = re.compile(
    rf"\b(?:do not|don'?t|never) (?:remember|memori[sz]e) {_IT}\b"
    rf"|\b(?:do not|don'?t) (?:save|store|record|keep|note(?: down)?|learn)"
    rf" (?:this|that|it|any of (?:this|that|it)|the following|what i (?:say|said)){_END}"
    r"|\boff[- ]the[- ]record\b|\bnot for the record\b"
    r"|(?:^|[,;:–—-]\s*|\b(?:please|just|now|and|so|but|can you|could you|you can|you should)\s+)"
    r"(?:forget|disregard|ignore|unlearn) (?:about )?(?:(?:this|that|it|all|everything)(?: message)?"
    rf"(?: of (?:this|that|it))?{_END}"
    r"|(?:what|everything|anything|all)(?: that)? i (?:just )?(?:say|said|told|wrote)\b)"
    rf"|\b(?:none|not a word) of (?:this|that|it|what i (?:say|said|write|wrote)) (?:is|was) (?:true|real|meant)"
    # Whoever quotes a message names it in any language.
    r"|\b(?:merk|merke) (?:dir )?(?:das|dies|es)\b[^.!?]{0,20}\bnicht\b|\bvergiss (?:das|es|was ich)\b|\bunter uns\b"
    r"|\b(?:ne retiens pas|ne te souviens pas|oublie(?:z)? (?:ça|cela|ce que))\b"
    r"|\b(?:no (?:recuerdes|guardes|memorices) (?:esto|eso)|olvida (?:esto|eso|lo que)|olvídalo)\b"
    r"|\b(?:non ricordare|non memorizzare|dimentica (?:questo|quello|ciò)|dimenticalo)\b"
    r"|\b(?:não (?:lembre|guarde|memorize)|esque(?:ça|ce) (?:isso|isto|o que))\b"
    r"|(?:不要|别|別|请勿)(?:记住|記住|记录|記錄|保存)|忘(?:了|掉|记)(?:这|那|我|它)|覚えないで|記憶しないで|忘れて(?:ください|$|。)",
    re.IGNORECASE,
)
# From here on it is not true.
_ONWARD = re.compile(
    r"^(?:the following|what follows|all of the following|everything below"
    rf"|the next (?:\w+ )?(?:sentences?|lines?|part))\b[^.!?:]{{0,40}}?"
    rf"\b(?:is|are|was|were)(?: all| completely| entirely)? {_FALSE}\b"
    rf"|^(?:{_FALSE}|the opposite of the truth)\s*:"
    r"|^(?:das folgende (?:ist|stimmt)|ce qui suit est|lo siguiente es|quanto segue è|o seguinte é)\b[^.!?]{0,30}"
    r"\b(?:falsch|nicht|faux|fausse|falso|mentira)\b|^(?:以下|下面)[^。]{0,12}(?:不是真|假|嘘|虚构|フィクション)",
    re.IGNORECASE,
)
# What came before was not true.
_BACKWARD = re.compile(
    rf"^(?:no,? |nah,? |but |and )?(?:(?:all (?:of )?)?(?:that|this|it|these|those)(?:'s| is| was| are| were|s)"
    rf"|i (?:was|am)|i'm)(?: all| just| only| not)? (?:{_FALSE}|kidding|joking|lying|pulling your leg|serious){_END}"
    r"|^\W*(?:(?:i'm |i was |i am )?(?:just |only )?(?:kidding|joking)|jk|j/k|psych)\W*$"
    r"|^(?:nur (?:ein )?(?:spaß|scherz|witz)|war (?:nur )?ein (?:scherz|witz)|je (?:plaisante|rigole)|es (?:una )?broma"
    r"|(?:sto )?scherz(?:o|ando)|(?:é |estou )?brinca(?:deira|ndo))\b|^(?:开玩笑|開玩笑|冗談)",
    re.IGNORECASE,
)
# What the sentence before said is long over.
_OVER = re.compile(
    r"^(?:but |and )?(?:that|this|it|those|these)(?:'s| is| was| were)(?: all| only| just)? (?:(?!.*\bsince\b)"
    r"(?:\S+ ){0,4}(?:ago|back then|in the past|in my youth)|years back|the old days|before i)\b",
    re.IGNORECASE,
)
_NOT_SO = r"(?:wrong|not (?:true|right|correct)|false|incorrect|untrue)"
# What may stand before the words that take something back.
_LEAD = (
    r"^\W*(?:(?:no|nope|nah|wait|oops|sorry|hold on|hmm|actually|oh|ah|ok(?:ay)?|well|hey|please|just|now|and|so|but"
    r"|also|(?:can|could|would) you(?: please)?|you (?:can|should)"
    rf"|(?:that|this|it)(?:'?s| is| was) (?:all |just )?{_NOT_SO})(?:[,;:.!–—-]+\s*|\s+))*"
)
_SAID = (
    r"(?:(?:what|everything|anything|all)(?: that)? i (?:just |have )?(?:said|told you|wrote)"
    r"|my (?:last|previous) (?:message|statement|remark))"
)
_TAKING_BACK = (
    rf"(?:forget|disregard|unlearn|scratch|strike) (?:about )?(?:that|{_SAID})|ignore {_SAID}",
    rf"(?:do not|don'?t) (?:remember|memori[sz]e|save|store|record|keep|note|learn) (?:that|{_SAID})",
    r"(?:delete|remove|erase|drop) (?:that|it|this) from (?:your )?memory",
    r"i (?:take|took) (?:that|it|this|it all|all of that) back|i (?:did not|didn'?t) mean (?:that|it)",
    r"(?:i (?:was |am )?|i'm )?(?:just |only )?(?:kidding|joking|lying|pulling your leg)",
    r"i (?:just )?(?:lied|misspoke|made (?:that|it|this) up)",
    r"(?:that|this|it)(?:'?s| is| was) (?:all |just |only )?(?:a joke|a lie|a test|made[- ]up|invented|nonsense)",
    # Whoever quotes a message names it in any language.
    r"(?:bitte )?vergiss (?:das|es|was ich\b[^.!?]{0,80})|das war (?:nur )?ein (?:scherz|witz)",
    r"oublie(?:z)? (?:ça|cela|ce que\b[^.!?]{0,80})|olvida (?:eso|esto|lo que\b[^.!?]{0,80})|olvídalo",
    r"dimentica (?:questo|quello)|dimenticalo|esque(?:ça|ce) (?:isso|isto)",
)
# A sentence, or a message, that takes back what was said before it.
_TAKEN_BACK = re.compile(
    rf"{_LEAD}(?:{'|'.join(_TAKING_BACK)})(?: please| bitte| again| from (?:your )?memory)?{_END}"
    r"|^\W*(?:忘了|忘掉|忘れて)",
    re.IGNORECASE,
)
# With no answer between them, this takes back as well; after one it may speak of the answer.
_WRONG = re.compile(
    rf"{_LEAD}(?:ignore that|(?:forget|disregard|scratch|strike) it|(?:that|this|it)(?:'?s| is| was) (?:all )?{_NOT_SO}"
    rf"|wrong){_END}",
    re.IGNORECASE,
)
# It names what is to be forgotten, or is not so.
_NAMED = re.compile(
    rf"{_LEAD}(?:(?:forget|unlearn|delete|remove|erase|drop|do not remember|don'?t remember)(?: from (?:your )?memory)?"
    r"(?: the fact)?|it(?:'?s| is| was) (?:not true|untrue|false|wrong|no longer true|not the case)|i never said) that"
    r" (?P<named>.{4,})",
    re.IGNORECASE | re.DOTALL,
)
_MAY_NAME = re.compile(
    r"\b(?:forget|unlearn|delete|remove|erase|drop|remember|memory|fact|true|untrue|false|wrong|case|never said)"
    r" that\b",
    re.IGNORECASE,
)


def standing(sentences: Sequence[str]) -> list[bool]:
    """Of each sentence of a message, whether the person leaves it standing."""
    if any(_MESSAGE.search(sentence) for sentence in sentences):
        return [False] * len(sentences)
    stands = [True] * len(sentences)
    for number, sentence in enumerate(sentences):
        if _ONWARD.search(sentence):
            return stands[:number] + [False] * (len(sentences) - number)
        if _BACKWARD.search(sentence):
            stands[:number] = [False] * number
        elif number and (_OVER.search(sentence) or _TAKEN_BACK.match(sentence)):
            stands[number - 1] = False
    return stands


def may_name(message: str) -> bool:
    """A cheap look: False for a message in which nothing is ``named``."""
    return _MAY_NAME.search(message) is not None


def named(sentence: str) -> str | None:
    """What a sentence says is to be forgotten or is not so: ``Forget that I use Vim.`` → ``I use Vim.``"""
    found = _NAMED.match(sentence)
    return found["named"] if found else None


def of_before(sentences: Sequence[str], *, directly: bool) -> bool:
    """Whether a message begins by taking back what the person said in the one before.

    :param directly: nobody answered in between.
    """
    begins = " ".join(sentences[:3])
    return bool(_TAKEN_BACK.match(begins) or (directly and _WRONG.match(begins)))
