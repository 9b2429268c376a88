"""Sentences by which somebody takes back, denies, or puts off the record what they say: none of it is learned."""

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
        elif number and _OVER.search(sentence):
            stands[number - 1] = False
    return stands
