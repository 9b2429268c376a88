"""English sentences into clauses: what is asked, supposed, joked or told of others goes; hedges become certainty."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import replace

from workbench.dreaming.rules import disavowal
from workbench.dreaming.rules import english_cues as cues
from workbench.dreaming.rules import english_frames as frames
from workbench.dreaming.rules.table import Clause


def speaks(text: str) -> bool:
    """False for text without any word that a statement needs; most code and logs are such."""
    return not cues.MARKS.isdisjoint(text.lower().replace("’", "'").translate(cues.MARKS_OFF).split())


def read(sentences: list[str], mine: Container[int], may_state: Callable[[Clause], bool]) -> list[Clause]:
    """The clauses of a message that state something about the person, in order.

    :param mine: the numbers of the sentences that are English.
    :param may_state: a cheap look at a clause; nothing dearer is done for those that state nothing.
    """
    stating = [
        (number, clauses)
        for number, s in enumerate(sentences)
        if number in mine and (clauses := _stating(s, _next(sentences, number), may_state))
    ]
    if not stating:
        return []
    stands = meant(sentences)
    found: list[Clause] = []
    for number, clauses in stating:
        if not stands[number]:
            continue
        before = sentences[number - 1] if number else ""
        if cues.CORRECTING.fullmatch(before + " ") or before.lower() in ("no.", "nope."):
            clauses = [replace(c, correction=True) for c in clauses]
        found.extend(clauses)
    return found


def meant(sentences: list[str], mine: Container[int] | None = None) -> list[bool]:
    """Of each sentence, whether the person says it of themselves, means it, and does not take it back.

    :param mine: the numbers of the sentences that are English; every one is looked at, whatever they are.
    """
    end = next((number for number, s in enumerate(sentences) if frames.opens_story(s)), len(sentences))
    return [
        stands
        and number < end
        and not frames.is_withdrawn(after := _next(sentences, number))
        and not frames.is_unmeant(sentence, after)
        for number, (sentence, stands) in enumerate(zip(sentences, disavowal.standing(sentences), strict=True))
    ]


def _next(sentences: list[str], number: int) -> str:
    return sentences[number + 1] if number + 1 < len(sentences) else ""


def _stating(sentence: str, after: str, may_state: Callable[[Clause], bool]) -> list[Clause]:
    if not speaks(sentence):
        return []
    told = _told(frames.standing(sentence))
    if not told:
        return []
    return [clause for clause in _clauses(told, frames.is_ruled(sentence, after)) if may_state(clause)]


def _told(sentence: str) -> str | None:
    """The part of a sentence that is told and not asked."""
    if not sentence.endswith("?"):
        return sentence
    asked = cues.REMEMBER.match(_strip_lead(sentence)[0])
    if asked and asked.group().lower().startswith(("can", "could", "would", "will")):
        return sentence.rstrip("?")
    if cues.TAG_QUESTION.search(sentence):
        return None
    part = cues.QUESTION_PART.search(sentence)
    return sentence[: part.start()] if part else None


def _strip_lead(text: str) -> tuple[str, bool]:
    """Without greetings and discourse markers; and whether one of them announces a correction."""
    correction = False
    if not text.isascii() and (marks := cues.MARKS_IN_FRONT.match(text)):
        text = text[marks.end() :]
    for _ in range(6):
        if cues.NO_LEAD.match(text):
            break
        correcting = cues.CORRECTING.match(text)
        lead = correcting or cues.LEAD.match(text)
        if not lead:
            break
        correction = correction or bool(correcting)
        text = text[lead.end() :]
    return text, correction


def _clauses(sentence: str, ruled: bool) -> list[Clause]:
    text, correction = _strip_lead(sentence)
    remember = False
    marked = cues.REMEMBER.match(text)
    if marked:
        text, remember = text[marked.end() :], True
    text = cues.SOFT_NOTE.sub("", text, count=1) if cues.SOFT_NOTE.match(text) else text
    text, onward = _onward(text)
    shape = Clause("", remember=remember, correction=correction, onward=onward, ruled=ruled)
    clauses = []
    for number, piece in enumerate(cues.SPLIT.split(text)):
        # "…, there I use X", "…, at work I use X": only there.
        if number and cues.ELSEWHERE.match(piece):
            continue
        for part in _shared_subject(piece):
            made = _certainty(part, shape)
            if made:
                clauses.append(made)
        if shape.onward:
            shape = replace(shape, onward=False)
    return clauses


def _onward(text: str) -> tuple[str, bool]:
    """Without the words that make an order a standing one; and whether there were any."""
    here = cues.IN_PROJECT.match(text)
    ahead = cues.ONWARD.match(text, here.end() if here else 0)
    if ahead:
        return text[: ahead.start()] + text[ahead.end() :], True
    behind = cues.ONWARD_BEHIND.match(text)
    return (behind[1], True) if behind else (text, False)


def _shared_subject(piece: str) -> list[str]:
    """``I live in Berlin and work at Acme`` → two clauses, each with its subject."""
    piece = _expand(_strip_lead(piece.strip())[0])
    introduced = cues.NAME_THEN.match(piece)
    if introduced:
        return [introduced[1], f"I am {introduced[2]}"]
    settled = cues.ROLE_THEN.match(piece)
    if settled:
        return [settled[1], f"I am {settled[2]}"]
    two = cues.AND_TOOL.match(piece)
    if two:
        return [f"{two[1]} use {two[2]}", f"{two[1]} use {two[3]}"]
    subject = re.match(r"(i|we) ", piece, re.I)
    if not subject:
        return [piece]
    first, *others = cues.AND_VERB.split(piece)
    if cues.NOT_SHARED.search(first):
        return [piece]
    return [first, *(_expand(re.sub(r"^'m ", "am ", f"{subject[1]} {other}")) for other in others)]


def _expand(text: str) -> str:
    """The contraction a clause begins with, written out."""
    found = cues.CONTRACTED.match(text)
    if not found:
        return text
    short = found.group()[:-1].lower()
    full = cues.FULL.get(short) or f"{short.split(' ')[0]} {cues.FULL[short.split(' ')[1]]}"
    return f"{full} {text[found.end() :]}"


def _certainty(text: str, shape: Clause) -> Clause | None:
    """The clause without hedges; None when it is a mere guess."""
    text, correction = _strip_lead(text.strip())
    certainty = 1.0
    hedge = cues.HEDGE.match(text)
    if hedge:
        text, certainty = text[hedge.end() :], 0.65
    if cues.GUESS.match(text):
        return None
    text = _expand(cues.PLEASE.sub("", text, count=1))
    here = cues.IN_PROJECT.match(text)
    if here:
        text = _expand(text[here.end() :])
    adverb = ""
    spoken = cues.ADVERB.match(text)
    if spoken:
        soft = spoken[2].lower()
        if soft in ("might", "may", "sometimes", "occasionally", "rarely"):
            return None
        certainty = min(certainty, 0.7 if soft not in ("kind of", "kinda", "sort of", "sorta", "probably") else 0.6)
        adverb = ("Usually" if soft == "tend to" else soft.capitalize()) if certainty == 0.7 else ""
        text = _expand(f"{spoken[1]} {text[spoken.end() :]}")
    while filler := cues.FILLER.match(text):
        text = _expand(f"{filler[1]} {text[filler.end() :]}")
    return Clause(
        _ended(_untrailed(text.strip())),
        certainty,
        adverb,
        shape.remember,
        shape.correction or correction,
        bool(here),
        shape.onward,
        shape.ruled,
    )


def _untrailed(text: str) -> str:
    """Without closing marks and filler words."""
    bare = text.rstrip(" .!?,;:")
    return cues.TRAILING.sub("", text) if bare[bare.rfind(" ") + 1 :].lower() in cues.TRAILING_WORDS else bare


def _ended(text: str) -> str:
    """What has ended, in one form: ``I stopped using X``, ``I don't use X any more`` → ``I no longer use X``."""
    if text.lower().endswith(("more", "longer", " at all")):
        gone = cues.NOT_ANY_MORE.match(text)
        if gone:
            return f"{gone[1]} {gone[2] or ''}no longer {gone[3]}"
        gone = cues.IS_NOT_ANY_MORE.match(text)
        if gone:
            return f"{gone[1]} is no longer {gone[2]}"
    gone = cues.STOPPED.match(text)
    if gone:
        return f"{gone[1]} no longer {cues.BASE[gone[2].lower()]}{text[gone.end() :]}"
    return text
