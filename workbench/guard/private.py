"""What a person marked ``<private>`` in a message: kept as it was said, and shown to nobody."""

from __future__ import annotations

from functools import cache

from workbench.guard.patterns import PatternSet

SHOWN = "[private]"


@cache
def _marks() -> PatternSet:
    return PatternSet([r"(?i)(?P<tick>`?)(?P<v><(?P<close>/?)private(?:\s[^<>]*)?>)"])


def mask(text: str) -> str:
    """``text`` with ``[private]`` for each private block; one without its end, as where a text was cut, reaches to the
    end of the text. A tag ``<quoted>`` in backticks is spoken of, not used."""
    if "<" not in text:
        return text
    kept, position, depth = list[str](), 0, 0
    for start, end, groups in _marks().spans(0, text):
        closing = bool(groups["close"])
        if groups["tick"] or (closing and not depth):
            continue
        if not depth:
            kept += [text[position:start], SHOWN]
        depth, position = depth + (-1 if closing else 1), end
    return "".join(kept) + ("" if depth else text[position:])
