"""Many patterns over one text in linear time, by RE2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_END = "\ue000"
_MEMORY = 64 << 20


class Hit(NamedTuple):
    """Where a pattern matched, and its named groups but ``v`` and ``w`` (None where a group took no part)."""

    start: int
    end: int
    groups: dict[str, str | None]


class PatternSet:
    """RE2 patterns that are matched all at once; anchors need ``(?m)``.

    :raises Exception: at building, when RE2 does not accept a pattern.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        import re2

        self._options = options = re2.Options()
        options.max_mem = _MEMORY
        self.patterns = tuple(patterns)
        # One by one only when the place of a hit is asked for: most texts have none.
        self._compiled: dict[int, tuple[Any, dict[str, int]]] = {}
        self._set: Any = re2.Set.SearchSet(options)
        for pattern in (*patterns, _END):
            self._set.Add(pattern)
        self._set.Compile()

    def matching(self, text: str) -> list[int]:
        """Indexes of the patterns that match somewhere in ``text``, ascending.

        :raises MemoryError: when RE2 gave up. It reports that as "no match", so an end mark that has to match is
            appended to every text.
        """
        found: list[int] = sorted(self._set.Match(f"{text}\n{_END}"))
        if len(self.patterns) not in found:
            raise MemoryError("RE2 ran out of memory")
        return [index for index in found if index < len(self.patterns)]

    def _single(self, index: int) -> tuple[Any, dict[str, int]]:
        import re2

        if index not in self._compiled:
            compiled = re2.compile(self.patterns[index].encode("utf-8"), self._options)
            named = {name.decode("utf-8"): group for name, group in compiled.groupindex.items()}
            self._compiled[index] = compiled, named
        return self._compiled[index]

    def spans(self, index: int, text: str) -> Iterator[Hit]:
        """Every hit of one pattern; a group named ``v`` or ``w`` narrows its span."""
        compiled, named = self._single(index)
        narrow = [named[name] for name in ("v", "w") if name in named] or [0]
        others = [(name, group) for name, group in named.items() if name not in ("v", "w")]
        encoded = text.encode("utf-8", "replace")
        ascii_only = len(encoded) == len(text)
        counted, characters = 0, 0
        for match in compiled.finditer(encoded):
            start, end = max(map(match.span, narrow))
            if end <= start:
                continue
            groups = {name: _said(encoded, *match.span(group)) for name, group in others}
            if not ascii_only:
                characters += len(encoded[counted:start].decode("utf-8", "replace"))
                counted, start, end = start, characters, characters + len(encoded[start:end].decode("utf-8", "replace"))
            yield Hit(start, end, groups)


def _said(encoded: bytes, start: int, end: int) -> str | None:
    return None if start < 0 else encoded[start:end].decode("utf-8", "replace")
