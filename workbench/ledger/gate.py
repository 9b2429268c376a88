"""What a candidate must be before anything is written: normalised, within its limits, free of credentials, scanned.

Checking needs no database and takes no lock; so it comes before the transaction.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from workbench import dates, db, guard, text
from workbench.errors import WorkbenchError
from workbench.ledger import time
from workbench.ledger.model import (
    MAX_CONTENT,
    MAX_NAME,
    MAX_SCOPE_KEY,
    Candidate,
    Evidence,
    Kind,
    SourceType,
    most_private,
)

MAX_KEY = 256
MAX_REFERENCE = 2_048
MAX_TAG = 64
MAX_TAGS = 64
# Kinds that tell agents what to do: they count only when the person means them to.
ORDERS = (Kind.CONSTRAINT, Kind.PROCEDURE)
_NAMES = (
    *("fact_key", "scope_key", "source_agent", "source_session"),
    *("idempotency_key", "confidence_source", "batch_id"),
)
# Names that stand beside a memory wherever it is shown, also to agents.
_SHOWN = ("scope_key", "source_agent", "source_session")
_BETWEEN = re.compile(r"[\W_]+")
# From so many words on, a name is read as a sentence.
_SENTENCE = 5


class SecretRefused(WorkbenchError):
    """The text holds a credential; credentials are never stored."""


@dataclass(frozen=True)
class Checked:
    """A candidate fit to be written, with what follows from its text alone.

    :param candidate: normalised; its times are instants.
    :param fingerprint: equal for two spellings of one statement in one scope.
    :param flags: injection patterns found.
    :param order: whether it tells agents what to do.
    :param unscanned: a scanner failed, so what it would have found is unknown.
    :param stated: the times as they were given, offsets and all.
    """

    candidate: Candidate
    fingerprint: str
    flags: tuple[str, ...]
    order: bool
    unscanned: bool
    stated: dict[str, str]


def fingerprint(content: str, scope_type: str, scope_key: str) -> str:
    """SHA-256 of the statement's normal form and its scope: equal for two spellings of one statement."""
    return text.sha256(f"{scope_type}\x1f{scope_key}\x1f{text.normal_form(content)}")


def check(candidate: Candidate) -> Checked:
    """Normalise and scan a candidate.

    :raises SecretRefused: when a credential stands in any field.
    :raises WorkbenchError: when a field is empty, too long or out of range, or its time ends before it begins.
    """
    content = wording(candidate.content)
    _limits(candidate)
    begins, ends, expires = time.period(candidate.valid_from, candidate.valid_to, candidate.expires_at)
    if begins is None and candidate.triple is None:  # a fact of the graph may have held since ever
        _refuse_over(ends, expires, time.observed(candidate.observed_at) or db.now())
    tags = tuple(dict.fromkeys(tag for tag in (text.storable(tag).strip() for tag in candidate.tags) if tag))
    key = fact_key(candidate.fact_key) if candidate.fact_key else ""
    verdict = guard.inspect("\n".join([content, *filter(None, [key]), *tags, *_named_values(content, key, tags)]))
    refuse_secrets(verdict.secrets)
    _scan_names(candidate)
    named = _named(tuple(filter(None, (*(getattr(candidate, name) for name in _SHOWN), candidate.fact_key, *tags))))
    stated = {name: getattr(candidate, name) for name in ("valid_from", "valid_to", "expires_at")}
    return Checked(
        replace(
            candidate,
            content=content,
            fact_key=key or None,
            tags=tags,
            evidence=tuple(quoted(item) for item in candidate.evidence),
            privacy=most_private(candidate.privacy, verdict.privacy),
            valid_from=begins,
            valid_to=ends,
            expires_at=expires,
        ),
        fingerprint(content, candidate.scope_type, candidate.scope_key),
        tuple(dict.fromkeys((*verdict.flags, *named.flags))),
        verdict.instruction or named.instruction or candidate.kind in ORDERS,
        verdict.failed or named.failed,
        {name: given for name, given in stated.items() if given},
    )


def fact_key(given: str) -> str:
    """A fact key in its normal form.

    :raises WorkbenchError: when nothing is left of it, or it is too long.
    """
    normal = text.fact_key(text.storable(given))
    if not normal or len(given) > MAX_KEY:
        raise WorkbenchError(
            f"{text.quoted(given, 40)} is no fact key: it has letters or digits, at most {MAX_KEY} characters,"
            " like profile.location"
        )
    return normal


def _named_values(content: str, key: str, tags: tuple[str, ...]) -> list[str]:
    """A statement of one word, said to be what its key and its tags name: ``hunter2`` of ``service.password``."""
    names = [key.rpartition(".")[2], *tags] if len(content.split()) == 1 else []
    return [f"{name}: {content}" for name in names if name]


@lru_cache(maxsize=1024)
def _named(names: tuple[str, ...]) -> guard.Verdict:
    """What the scanner finds in names that are shown with a memory, read as they stand and as words.

    A name is an order when it is a sentence: projects are called ``keep-it-simple``, too.
    """
    worded = [_BETWEEN.sub(" ", name) for name in names]
    sentences = [line for line in (_BETWEEN.sub(" ", name.rpartition("/")[2]) for name in names) if _is_long(line)]
    found = guard.inspect("\n".join([*names, *worded]))
    return replace(found, instruction=any(guard.inspect(line).instruction for line in sentences))


def _is_long(line: str) -> bool:
    return len(line.split()) >= _SENTENCE


def _refuse_over(ends: str | None, expires: str | None, said_at: str) -> None:
    """Refuse what would begin to hold, when it was said, after its end.

    :raises BadPeriod: saying what is missing.
    """
    for name, limit in (("ended", ends), ("expired", expires)):
        if limit is not None and limit <= said_at:
            raise time.BadPeriod(
                f"it {name} at {dates.local(limit)}, before it was said; say from when it held, too (valid from)"
            )


def wording(content: str) -> str:
    """A statement as it is stored: line ends are newlines, nothing around it.

    :raises WorkbenchError: when it is empty or over 4,000 characters.
    """
    content = text.storable(content).replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text.INVISIBLE.sub("", content).strip():
        raise WorkbenchError("a memory can't be empty; say what should be remembered")
    if len(content) > MAX_CONTENT:
        raise WorkbenchError(
            f"a memory holds at most {MAX_CONTENT:,} characters, this has {len(content):,}; shorten it"
        )
    return content


def refuse_secrets(kinds: tuple[str, ...], where: str = "this") -> None:
    """Refuse what holds credentials of these kinds.

    :raises SecretRefused: naming the kinds, never the value.
    """
    if kinds:
        raise SecretRefused(f"{where} holds a credential ({', '.join(kinds)}); it was not stored, take it out")


def _limits(candidate: Candidate) -> None:
    _within("a scope key", candidate.scope_key, MAX_SCOPE_KEY)
    _within("an idempotency key", candidate.idempotency_key, MAX_NAME)
    _within("the name of an agent", candidate.source_agent, MAX_NAME)
    for tag in candidate.tags:
        _within("a tag", tag, MAX_TAG)
    if len(candidate.tags) > MAX_TAGS:
        raise WorkbenchError(f"a memory has at most {MAX_TAGS} tags, this has {len(candidate.tags)}; leave some out")
    if (candidate.scope_type == "global") != (candidate.scope_key == ""):
        raise WorkbenchError(
            f"scope {candidate.scope_type} with the key {candidate.scope_key!r}: every scope but global has one"
        )
    confidence = candidate.confidence
    if confidence is not None and not (math.isfinite(confidence) and 0 <= confidence <= 1):
        raise WorkbenchError(f"a confidence is a number from 0 to 1, not {confidence}")
    if not 0 <= candidate.importance <= 100:
        raise WorkbenchError(f"an importance is a number from 0 to 100, not {candidate.importance}")


def _within(what: str, given: str | None, limit: int) -> None:
    if given is not None and len(given) > limit:
        raise WorkbenchError(f"{what} has at most {limit} characters, this has {len(given):,}; shorten it")


def _scan_names(candidate: Candidate) -> None:
    """No credential may hide in a name either."""
    for field in _NAMES:
        name = getattr(candidate, field)
        if name and guard.mask(name) != name:
            raise SecretRefused(f"the {field.replace('_', ' ')} holds a credential; it was not stored, take it out")


def quoted(item: Evidence) -> Evidence:
    """Evidence fit to be stored: its credentials masked, its time an instant.

    :raises WorkbenchError: when its source is of no known type, or its reference is empty or too long.
    """
    if item.source_type not in list(SourceType):
        raise WorkbenchError(f"evidence of type {item.source_type!r} is not known; use {', '.join(SourceType)}")
    if not item.source_ref:
        raise WorkbenchError("evidence must say where it lies")
    _within("a reference to evidence", item.source_ref, MAX_REFERENCE)
    if guard.mask(item.source_ref) != item.source_ref:
        raise SecretRefused("a reference to evidence holds a credential; it was not stored, take it out")
    _within("an excerpt", item.excerpt, MAX_CONTENT)
    excerpt = guard.mask(text.storable(item.excerpt))
    return Evidence(SourceType(item.source_type), item.source_ref, excerpt, time.observed(item.observed_at))
