"""Shared frames of the languages other than English: what is asked, supposed, joked or told of others goes, hedges
become certainty, and what is left is a clause for the table of its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from workbench.dreaming.rules import disavowal, english_frames
from workbench.dreaming.rules.nouns import Clean
from workbench.dreaming.rules.table import Clause, Language, Rule, screen
from workbench.dreaming.rules.times import Times

_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_MARKS_OFF = str.maketrans(dict.fromkeys(",.:;!?()*_-–—¡¿'’\"", " "))
# Frequent words that tell languages apart; with more English ones a sentence is in none of the others.
_CUES = {
    "en": "the a an i i'm you he she it we they my your is are was were be have has had do did and or not of to in on"
    " for with this that what from at as so but me about would will can can't don't it's just",
    "de": "der die das den dem ein eine einen und oder nicht ist bin mit für auf von zu im am als aber auch",
    "fr": "le la les un une des du de et ou est suis avec pour sur dans pas que qui mais aux au c l d n qu",
    "es": "el la los las un una de del en y o es no con por para que al lo pero como muy sin sobre yo ya hace ahora",
    "it": "il lo la gli le i un una di del della dei e è non con per che al alla ai da nel nella più ma io adesso ora",
    "pt": "o os as um uma de do da dos das em no na e ou é não com por para pelo pela que ao à às mas eu há enquanto",
}
_ENGLISH = frozenset(_CUES["en"].split())
_JOKE = re.compile(
    r"\b(?:(?:ha){2,}h?|(?:ja){2,}|(?:rs){2,}|k{4,}|lol|mdr|ptdr|xd)\b|[😂🤣🙄😜😉🙃😏🤪]|笑笑"
    r"|哈哈|（笑）|\(笑\)|ｗ{2,}|\bw{2,}$",
    re.IGNORECASE,
)
# Behind a colon, or in quotation marks, somebody else may speak.
_COLON = re.compile(r"[:：]\s*\S")


@dataclass(frozen=True)
class Tongue:
    """How a language marks what is meant; every pattern ignores case.

    :param marks: words of which a sentence has one if it states anything; empty for scripts without words.
    :param lead: greetings and the like in front; ``correcting``: those that announce a correction.
    :param remember: "remember that"; ``label``: what a person puts before a colon and goes on speaking.
    :param hedge: "I think"; ``guess``: with it a sentence says nothing.
    :param unmeant: suppositions, reports of others, texts to be made; ``opens``: from there on nothing is the person's.
    :param asked: a question without its mark.
    :param split: where one clause ends and the next begins.
    :param subject: what the later clauses of a sentence leave out that its first one has.
    :param turned: patterns and what they become, tried on each clause in turn.
    """

    marks: frozenset[str]
    lead: str
    correcting: str
    remember: str
    label: str
    hedge: str
    guess: str
    unmeant: str
    opens: str
    asked: str
    split: str
    times: Times
    subject: str = ""
    turned: tuple[tuple[str, str], ...] = ()


class _Frames:
    """The frames of one language, compiled."""

    def __init__(self, tongue: Tongue) -> None:
        def compiled(pattern: str) -> re.Pattern[str]:
            return re.compile(pattern, re.IGNORECASE)

        self.times, self.subject = tongue.times, tongue.subject
        self.lead = compiled(rf"(?:{tongue.lead})(?:\s*[,:.!–—，、：！]+\s*|\s+|(?<=[\u3040-\u9fff]))")
        self.correcting = compiled(
            rf"(?:{tongue.correcting})(?:\s*[,:.!–—，、：！]+\s*|\s+|(?<=[\u3040-\u9fff])(?=[我私僕]))"
        )
        self.remember = compiled(tongue.remember)
        self.label = compiled(rf"(?:{tongue.label})\s*[:：]\s*")
        self.hedge = compiled(tongue.hedge)
        self.guess = compiled(tongue.guess)
        self.unmeant = compiled(tongue.unmeant)
        self.opens = compiled(tongue.opens)
        self.asked = compiled(rf"[?？]\s*$|¿|^(?:{tongue.asked})")
        self.split = compiled(tongue.split)
        self.turned = tuple((compiled(pattern), made) for pattern, made in tongue.turned)

    def read(self, sentences: list[str], mine: Container[int], may_state: Callable[[Clause], bool]) -> list[Clause]:
        """The clauses of a message that state something about the person, in order.

        :param mine: the numbers of the sentences in this language.
        """
        found: list[Clause] = []
        for number, stands in enumerate(self.meant(sentences, mine)):
            if stands and number in mine:
                clauses = (replace(clause, sentence=number) for clause in self.clauses(sentences[number]))
                found.extend(clause for clause in clauses if may_state(clause))
        return found

    def meant(self, sentences: list[str], mine: Container[int]) -> list[bool]:
        """Of each sentence, whether nothing in this language speaks against the person meaning it."""
        stands = disavowal.standing(sentences)
        for number, sentence in enumerate(sentences):
            if number not in mine:
                continue
            if self.opens.search(sentence):
                return stands[:number] + [False] * (len(sentences) - number)
            after = sentences[number + 1] if number + 1 < len(sentences) else ""
            stands[number] = stands[number] and not self.is_unmeant(sentence, after)
        return stands

    def is_unmeant(self, sentence: str, after: str) -> bool:
        return bool(
            self.asked.search(sentence)
            or self.unmeant.search(sentence)
            or self.guess.search(sentence)
            or _JOKE.search(sentence)
            or _JOKE.match(after)
            or english_frames.is_withdrawn(after)
            or (self.correcting.match(after) and len(after.split()) <= 5)
        )

    def clauses(self, sentence: str) -> list[Clause]:
        text, shape = self._opened(sentence)
        if text is None:
            return []
        clauses: list[Clause] = []
        for piece in self.split.split(text):
            if piece and piece.strip():
                said, since = self.times.taken(self._led(piece.strip())[0].rstrip(" .!。！"))
                if clauses and self.subject and clauses[0].text.startswith(self.subject):
                    said = said if said.startswith(self.subject) else self.subject + said
                for pattern, made in self.turned:
                    said = pattern.sub(made, said)
                clauses.append(replace(shape, text=said, since=since))
        return clauses

    def _opened(self, sentence: str) -> tuple[str | None, Clause]:
        """The sentence without what it opens with, and what that says of its clauses; None where a colon introduces
        somebody else's words."""
        text, correction = self._led(sentence)
        marked = self.remember.match(text)
        if marked:
            text = self._led(text[marked.end() :])[0]
        labelled = self.label.match(text)
        if labelled:
            text = self._led(text[labelled.end() :])[0]
        hedged = self.hedge.search(text)
        if hedged:
            text = text[: hedged.start()] + text[hedged.end() :]
        if _COLON.search(text):
            return None, Clause("")
        shape = Clause("", certainty=0.65 if hedged else 1.0, remember=bool(marked), correction=correction)
        return text, shape

    def _led(self, text: str) -> tuple[str, bool]:
        correction = False
        for _ in range(5):
            correcting = self.correcting.match(text)
            lead = correcting or self.lead.match(text)
            if not lead or not lead.end():
                break
            correction = correction or bool(correcting)
            text = text[lead.end() :]
        return text, correction


def language(code: str, tongue: Tongue, rules: tuple[Rule, ...], clean: Mapping[str, Clean], passing: str) -> Language:
    """A language put together.

    :param passing: found in a clause that holds for one task or one moment only.
    """
    frames = _Frames(tongue)
    cues = tongue.marks.union(_CUES.get(code, "").split())
    spaced: Mapping[str, Callable[[str], bool]] = {"zh": _chinese, "ja": _japanese}

    def weigh(sentence: str) -> int:
        words = _words(sentence)
        own = len(cues.intersection(words))
        return own if own >= len(_ENGLISH.intersection(words)) else 0

    return Language(
        code=code,
        rules={"": rules},
        screens={"": screen(rules)},
        clean=clean,
        speaks=spaced.get(code, lambda text: not tongue.marks.isdisjoint(_words(text))),
        weigh=spaced.get(code, weigh),
        read=frames.read,
        meant=frames.meant,
        passing=re.compile(passing, re.IGNORECASE),
        stop="。" if code in spaced else ".",
    )


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().translate(_MARKS_OFF).split())


def _chinese(text: str) -> bool:
    return not text.isascii() and _HAN.search(text) is not None and _KANA.search(text) is None


def _japanese(text: str) -> bool:
    return not text.isascii() and _KANA.search(text) is not None
