"""One statement, several wordings: what the person said, and what the rules make of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from workbench import text
from workbench.dreaming import facts
from workbench.dreaming.extract import Heard, Statement
from workbench.dreaming.rules import RulesExtractor, disavowal, meant, prose
from workbench.ledger.model import Candidate
from workbench.ledger.wording import spellings


def own_sentences(message: str) -> list[str]:
    """The sentences of a message that are the person's own prose, as they wrote them."""
    return [sentence for sentence, _ in _sentences(message)]


def meant_sentences(message: str) -> list[str]:
    """Those of them that the person means and does not take back."""
    return [sentence for sentence, stands in _sentences(message) if stands]


def takes_back(message: str, *, directly: bool) -> bool:
    """Whether a message begins by taking back what the person said in the one before it.

    :param directly: nobody answered in between.
    """
    sentences, _ = prose.own_sentences(message)
    return disavowal.of_before(sentences, directly=directly)


def denied(message: str) -> list[str]:
    """What the rules make of the statements that a message tells us to forget, or says are not so."""
    if not disavowal.may_name(message):
        return []
    named = filter(None, map(disavowal.named, own_sentences(message)))
    return [statement.content for said in named for statement in _made(said)]


def _sentences(message: str) -> list[tuple[str, bool]]:
    sentences, hidden = prose.own_sentences(message)
    shown = (
        (prose.reveal(sentence, hidden), stands) for sentence, stands in zip(sentences, meant(sentences), strict=True)
    )
    return [(sentence, stands) for sentence, stands in shown if sentence is not None]


def named(candidate: Candidate, messages: Iterable[str]) -> Candidate:
    """The candidate with its other wordings: what the rules make of it, and the sentences that they made it of.

    :param messages: the person's, which it was found in.
    """
    made = next(filter(None, map(_made, spellings(candidate.content))), ())
    found = [(statement.content, len(made)) for statement in made]
    wanted = text.normal_form(candidate.content)
    for sentence in (sentence for message in messages for sentence in own_sentences(message)):
        contents = [statement.content for statement in _made(sentence)]
        if wanted in map(text.normal_form, contents):
            found.append((sentence, len(contents)))
    return replace(
        candidate,
        same_as=tuple(dict.fromkeys(said for said, statements in found if statements == 1)),
        within=tuple(dict.fromkeys(said for said, statements in found if statements > 1)),
    )


def keyed(candidate: Candidate) -> Candidate:
    """The candidate with the key of the one fact that it states, and what it ends, where the rules know them."""
    made = _made(candidate.content)
    if len(made) != 1 or (made[0].scope == "project") != (candidate.scope_type == "project"):
        return candidate
    settled = facts.settle(made[0])
    if candidate.fact_key:
        return replace(candidate, key_said=settled.fact_key == text.fact_key(candidate.fact_key))
    return replace(candidate, fact_key=settled.fact_key, retracts=settled.retracts, key_said=bool(settled.fact_key))


@lru_cache(maxsize=256)
def _made(sentence: str) -> tuple[Statement, ...]:
    # In a project, so that a statement about one is known for such.
    return tuple(RulesExtractor().extract([Heard(0, "", "user", sentence, project="any")]))
