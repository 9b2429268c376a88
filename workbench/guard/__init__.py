"""What may be written at all, and what must wait for the person.

The scanners are a router to review, not the defence: the defence is that no agent can act as the person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Privacy = Literal["normal", "sensitive", "secret"]
NOT_SHOWN = "[not shown: the secret scanner failed]"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Verdict:
    """What the scanners found in one text.

    :param secrets: kinds of credential, never the value; not empty means the text is refused.
    :param flags: names of the injection patterns that matched.
    :param instruction: addresses the future behaviour of an agent, so a person has to confirm it.
    :param privacy: ``sensitive`` for private life, ``secret`` for identity numbers.
    :param failed: a scanner raised, so what it would have found is unknown: the text must go to review.
    """

    secrets: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    instruction: bool = False
    privacy: Privacy = "normal"
    failed: bool = False


def inspect(text: str) -> Verdict:
    """Scan a text for credentials, injection, standing orders and private matters; never raises.

    A scanner that fails says nothing about its part and sets ``failed``; the others still speak. An unknown
    privacy counts as sensitive.
    """
    failures: list[Exception] = []

    def guarded(scan: Callable[[], _T], unknown: _T) -> _T:
        try:
            return scan()
        except Exception as error:
            failures.append(error)
            return unknown

    verdict = Verdict(
        secrets=guarded(lambda: _secret_kinds(text), ()),
        flags=guarded(lambda: _flags(text), ()),
        instruction=guarded(lambda: _instruction(text), False),
        privacy=guarded(lambda: _privacy(text), "sensitive"),
    )
    return Verdict(verdict.secrets, verdict.flags, verdict.instruction, verdict.privacy, bool(failures))


def blocked(text: str) -> tuple[str, ...]:
    """Why this one entry may not stand in a prompt unseen: kinds of credential, injection patterns, a scanner that
    failed; empty where nothing speaks against it. Never raises.

    One list for writing and reading. The write path takes the same findings from :func:`inspect`, refuses credentials
    and sends the rest to review. A reader that renders entries (a prompt block, MEMORY.md, an agent's note file) calls
    this for each entry by itself, since a file may have been edited past the write path, and leaves out or marks that
    entry alone, never the whole file. What a person has accepted as it stands needs no second ruling.
    """
    verdict = inspect(text)
    return (*verdict.secrets, *verdict.flags, *(("scanner_unavailable",) if verdict.failed else ()))


def is_private(text: str) -> bool:
    """Whether a text is sensitive or secret, so that it stays on this machine; never raises.

    Where the scanner fails, every text is.
    """
    try:
        return _privacy(text) != "normal"
    except Exception:
        return True


def mask(text: str) -> str:
    """``text`` with each credential replaced by ``[secret: <kind>]``, and what stands between ``<private>`` and
    ``</private>`` by ``[private]``, for showing and quoting; never raises.

    Where the scanner fails, nothing of the text is shown.
    """
    try:
        from workbench.guard import private, secrets

        return secrets.mask(private.mask(text))
    except Exception:
        return NOT_SHOWN


def mask_all(value: Any) -> Any:  # noqa: ANN401 - JSON
    """JSON-like data with the credentials in every string masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [mask_all(item) for item in value]
    return {name: mask_all(item) for name, item in value.items()} if isinstance(value, dict) else value


# The scanners are imported on first use: their libraries cost more than a command that writes nothing should pay.


def _secret_kinds(text: str) -> tuple[str, ...]:
    from workbench.guard import secrets

    return secrets.kinds(text)


def _flags(text: str) -> tuple[str, ...]:
    from workbench.guard import injection

    return injection.flags(text)


def _instruction(text: str) -> bool:
    from workbench.guard import instruction

    return instruction.is_instruction(text)


def _privacy(text: str) -> Privacy:
    from workbench.guard import privacy

    return privacy.classify(text)
