"""Finds credentials in text: the typed detectors of detect-secrets and what those miss, all run by RE2.

Nothing is verified and nothing is sent: of detect-secrets only the patterns are used.
"""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from workbench.guard import disguise
from workbench.guard.credentials import ASSIGNED, BARE, CHECKS
from workbench.guard.patterns import PatternSet

# The plugins with a format of their own. Left out: entropy and keywords (they flag ordinary text), IP addresses (no
# secret), and those whose formats the own patterns hold more strictly.
_PLUGINS = (
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("npm", "NpmDetector"),
    ("openai", "OpenAIDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)
# These lengths are exact, so a longer run of characters is something else (a hash, an id).
_EXACT = {"mailchimp", "telegram_token", "twilio"}
# No statement has so many credentials, or places that could be one. To tell all of them in a hostile text would take
# seconds, so it is refused as it is, and nothing is shown of it from there on.
_ENOUGH = 20
_MANY = 2_000
_TOKEN_CHARACTER = re.compile(r"[A-Za-z0-9_-]")


class Found(NamedTuple):
    """A credential of some kind at ``[start, end)``."""

    start: int
    end: int
    kind: str


class _Rules(NamedTuple):
    kinds: tuple[str, ...]
    origins: tuple[str, ...]
    patterns: PatternSet


@cache
def _rules() -> _Rules:
    rules = [(kind, "own", pattern) for kind, pattern in (*BARE, *ASSIGNED)]
    for module, name in _PLUGINS:
        plugin = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
        for pattern in plugin.denylist:
            case = "(?i)" if pattern.flags & re.IGNORECASE else ""
            rules.append((plugin.secret_type, module, case + pattern.pattern))
    kinds, origins, patterns = zip(*rules, strict=True)
    return _Rules(kinds, origins, PatternSet(patterns))


def _stands_alone(origin: str, text: str, start: int, end: int) -> bool:
    if origin == "own":
        return True
    if start and text[start].isalnum() and _TOKEN_CHARACTER.match(text[start - 1]):
        return False
    return origin not in _EXACT or not _TOKEN_CHARACTER.match(text[end : end + 1])


def _genuine(kind: str, groups: dict[str, str | None], value: str) -> bool:
    check = CHECKS.get(kind)
    return check is None or check(groups, value)


def _scan(text: str, enough: int | None) -> Iterator[Found]:
    """Credentials of a text; of each pattern at most ``enough``."""
    rules = _rules()
    for index in rules.patterns.matching(text):
        yield from itertools.islice(_hits(index, text), enough)


def _hits(index: int, text: str) -> Iterator[Found]:
    rules = _rules()
    kind, origin = rules.kinds[index], rules.origins[index]
    for number, (start, end, groups) in enumerate(rules.patterns.spans(index, text)):
        if number == _MANY:
            yield Found(start, len(text), f"possible {kind}, {_MANY} times and more")
            return
        if _stands_alone(origin, text, start, end) and _genuine(kind, groups, text[start:end]):
            yield Found(start, end, kind)


def find(text: str) -> list[Found]:
    """All credentials of a text, by place; overlapping finds are one, named after the most specific.

    :raises Exception: when the scanner does not work; callers must fail closed.
    """
    return _found(text, None)


def _found(text: str, enough: int | None) -> list[Found]:
    found: list[Found] = []
    for view in disguise.views(text):
        hits = list(_scan(view.text, enough))
        for payload in disguise.payloads(view.text):
            hits += [Found(payload.start, payload.end, f"encoded {hit.kind}") for hit in _scan(payload.text, 1)]
        places = view.original((hit.start, hit.end) for hit in hits)
        found += [Found(*place, hit.kind) for place, hit in zip(places, hits, strict=True)]
    return _merged(found)


def _merged(found: list[Found]) -> list[Found]:
    # Stable: of finds with the same start the first pattern, the most specific one, gives the name.
    merged: list[Found] = []
    for item in sorted(found, key=lambda item: item.start):
        if merged and item.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(item.end, merged[-1].end))
        else:
            merged.append(item)
    return merged


def kinds(text: str) -> tuple[str, ...]:
    """The kinds of credential in a text, each once, in order of appearance; a long list of one kind is cut short."""
    return tuple(dict.fromkeys(item.kind for item in _found(text, _ENOUGH)))


def mask(text: str) -> str:
    """``text`` with each credential replaced by ``[secret: <kind>]``; masking twice changes nothing more."""
    parts: list[str] = []
    last = 0
    for start, end, kind in find(text):
        parts += [text[last:start], f"[secret: {kind}]"]
        last = end
    return "".join((*parts, text[last:]))
