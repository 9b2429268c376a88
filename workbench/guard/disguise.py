"""Undoes the disguises of text: invisible characters, look-alike letters, digits for letters, encodings."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from workbench.guard.patterns import PatternSet
from workbench.text import INVISIBLE

# Letters of other scripts that are drawn like Latin ones (a small part of Unicode's confusables).
_LOOK_ALIKE = dict(
    zip(
        "аеорсхуікѕјԁԛԝһвмнтзьАВЕКМНОРСТХУІЅЈαβεηικνορτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսհɡıɑ",
        "aeopcxyiksjdqwhbmht3bABEKMHOPCTXYISJaBenikvoptuxyABEZHIKMNOPTYXonuhgia",
        strict=True,
    )
)
_ODD = re.compile(r"[^\t\n\r\x20-\x7e]+")
_LINE_BREAKS = {"\x85", "\u2028", "\u2029"}
_TAG_RUN = re.compile("(\U0001f3f4?)([\U000e0020-\U000e007f]+)")
_LEET = str.maketrans("01345789@$", "oieastbgas")
_MIN_PAYLOAD = 40


class View(NamedTuple):
    """A reading of a text. ``offsets[i]`` is where character ``i`` stands in the original; None when unchanged."""

    text: str
    offsets: list[int] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original text that a non-empty span of this reading stands for."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


class Payload(NamedTuple):
    """An encoded stretch ``[start, end)`` of a text and what it says."""

    start: int
    end: int
    text: str


@lru_cache(maxsize=8192)
def _plain(char: str) -> str:
    if char in _LINE_BREAKS:
        return "\n"
    if INVISIBLE.match(char) or ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0:
        return ""
    if 0xD800 <= ord(char) < 0xE000:
        return "\ufffd"
    return unicodedata.normalize("NFKC", char)


@lru_cache(maxsize=8192)
def _skeleton(char: str) -> str:
    bases = (unicodedata.normalize("NFD", c)[0] for c in _plain(char) if not unicodedata.combining(c))
    return "".join(_LOOK_ALIKE.get(base, base) for base in bases)


def _read(text: str, reading: Callable[[str], str]) -> View:
    parts: list[str] = []
    offsets: list[int] = []
    last = 0
    for match in _ODD.finditer(text):
        parts.append(text[last : match.start()])
        offsets.extend(range(last, match.start()))
        for index, char in enumerate(match.group(), match.start()):
            read = reading(char)
            parts.append(read)
            offsets.extend([index] * len(read))
        last = match.end()
    parts.append(text[last:])
    offsets.extend(range(last, len(text)))
    return View("".join(parts), offsets)


@lru_cache(maxsize=2)
def views(text: str) -> tuple[View, ...]:
    """The text in NFKC without invisible characters, and, where it is not ASCII, its skeleton too: accents off and
    look-alike letters made Latin. The last texts are remembered: every scanner asks for them."""
    if not _ODD.search(text):
        return (View(text, None),)
    plain = _read(text, _plain)
    return (plain,) if plain.text.isascii() else (plain, _read(text, _skeleton))


def hidden_tags(text: str) -> str:
    """What Unicode tag characters spell (U+E0020–7E stand for ASCII); an emoji flag sequence spells nothing."""
    if text.isascii():
        return ""
    runs = (run for flag, run in _TAG_RUN.findall(text) if not (flag and len(run) <= 8 and run[-1] == "\U000e007f"))
    return "".join(chr(ord(char) - 0xE0000) for run in runs for char in run if char != "\U000e007f")


@cache
def _spaced() -> PatternSet:
    return PatternSet([r"(?:\b[A-Za-z][ ._*-])+[A-Za-z]\b"])


@cache
def _encodings() -> PatternSet:
    return PatternSet(
        [
            r"[A-Za-z0-9+/_-]{40,}={0,2}",
            r"(?:(?:\\x|0x|%|\\u00)?[0-9a-fA-F]{2}[\s,]?){20,}",
            r"(?:[01]{8}\s+){5,}[01]{8}",
            r"[^\s%]*%[0-9A-Fa-f]{2}\S*",
        ]
    )


_KINDS = ("base64", "hex", "binary", "percent")


def readings(text: str) -> Iterator[str]:
    """Other ways a model could read the text: digits for letters, s p a c e d letters, HTML entities."""
    leet = text.replace("11", "ll").translate(_LEET)
    if leet != text:
        yield leet
    if _spaced().matching(text):
        yield _joined(text)
    if "&" in text and (unescaped := html.unescape(text)) != text:
        yield unescaped


def _joined(text: str) -> str:
    parts: list[str] = []
    last = 0
    for start, end, _ in _spaced().spans(0, text):
        parts += [text[last:start], "".join(c for c in text[start:end] if c.isalpha())]
        last = end
    return "".join((*parts, text[last:]))


def _bytes_of(kind: str, raw: str) -> bytes:
    if kind == "base64":
        body = raw.rstrip("=").replace("-", "+").replace("_", "/")
        return base64.b64decode(body[: len(body) // 4 * 4] + _last_group(body))
    if kind == "hex":
        digits = raw.replace("\\x", "").replace("0x", "").replace("\\u00", "").replace("%", "")
        return bytes.fromhex("".join(c for c in digits if c not in ", \t\r\n"))
    if kind == "binary":
        return bytes(int(byte, 2) for byte in raw.split())
    return urllib.parse.unquote_to_bytes(raw)


def _last_group(body: str) -> str:
    rest = body[len(body) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


def _is_text(text: str) -> bool:
    printable = sum(c.isprintable() or c in "\t\r\n" for c in text)
    return bool(text) and printable >= 0.95 * len(text)


def payloads(text: str) -> Iterator[Payload]:
    """What base64, hex, binary and percent encoded stretches of more than 40 characters say, decoded once.

    All stretches together decode to less than the text's own length, so no cap is needed.
    """
    if len(text) < _MIN_PAYLOAD:
        return
    for index in _encodings().matching(text):
        kind = _KINDS[index]
        for start, end, _ in _encodings().spans(index, text):
            raw = text[start:end]
            if kind == "percent" and raw.count("%") < 3:
                continue
            try:
                decoded = _bytes_of(kind, raw).decode("utf-8")
            except (ValueError, binascii.Error):
                continue
            if _is_text(decoded):
                yield Payload(start, end, decoded)
