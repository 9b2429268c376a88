"""Undoes the disguises of text: invisible characters, look-alike letters, digits for letters, encodings."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import quopri
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
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
_ODD = re.compile(r"[^\t\n\r\x20-\x7e]")
_LINE_BREAKS = {"\x85", "\u2028", "\u2029"}
_TAG_RUN = re.compile("(\U0001f3f4?)([\U000e0020-\U000e007f]+)")
_SPACE_IN_WORD = re.compile(r"(?<=\b[A-Za-z])[ ._*-](?=[A-Za-z]\b)")
_DIGIT_IN_WORD = re.compile(r"[A-Za-z][01345789@$]|[01345789@$][A-Za-z]")
_LEET = str.maketrans("01345789@$", "oieastbgas")
_ORDER_WORDS = (
    "ignore", "disregard", "forget", "override", "bypass", "instruction", "prompt", "system", "previous", "rules",
    "reveal", "password", "secret", "credential", "exfiltrat", "unrestricted", "jailbreak",
)  # fmt: skip
_MIN_PAYLOAD = 20
_CONTROLS = dict.fromkeys([code for code in range(0xA0) if code < 0x20 or code > 0x7E], "")
_CONTROLS |= {ord(space): space for space in "\t\r\n"}
_SEPARATORS = dict.fromkeys(map(ord, ", \t\r\n"), "")
_REMEMBERED = 1 << 14
# In NFKC a text may become so many times as long, and some more where it is short (U+FDFA alone is 18 characters).
_GROWTH, _SOME = 2, 4_096


class _Reading(dict[int, str]):
    """For ``str.translate``: what a character is read as, worked out when it first occurs.

    :param longest: a character that is read as more than so many stays as it is.
    """

    def __init__(self, read: Callable[[str], str], longest: int | None = None) -> None:
        self._read = read
        self._longest = longest

    def __missing__(self, code: int) -> str:
        read = self._read(chr(code))
        if self._longest is not None and len(read) > self._longest:
            read = chr(code)
        if len(self) < _REMEMBERED:
            self[code] = read
        return read


class View(NamedTuple):
    """A reading of a text; ``source`` and ``reading`` say how it came to be, None where it is the text itself."""

    text: str
    source: str
    reading: _Reading | None

    def original(self, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """The spans of the original text that non-empty spans of this reading stand for."""
        spans = list(spans)
        if self.reading is None or not spans:
            return spans
        offsets = [index for index, char in enumerate(self.source) for _ in self.reading[ord(char)]]
        return [(offsets[start], offsets[end - 1] + 1) for start, end in spans]


class Payload(NamedTuple):
    """An encoded stretch ``[start, end)`` of a text and what it says."""

    start: int
    end: int
    text: str


def _plain(char: str) -> str:
    if char in _LINE_BREAKS:
        return "\n"
    if char in "\t\n\r":
        return char
    if INVISIBLE.match(char) or ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0:
        return ""
    if 0xD800 <= ord(char) < 0xE000:
        return "\ufffd"
    return unicodedata.normalize("NFKC", char)


def _skeleton(char: str) -> str:
    bases = (unicodedata.normalize("NFD", c)[0] for c in _plain(char) if not unicodedata.combining(c))
    return "".join(_LOOK_ALIKE.get(base, base) for base in bases)


_PLAIN = _Reading(_plain)
_SKELETON = _Reading(_skeleton)
_BRIEF_PLAIN, _BRIEF_SKELETON = _Reading(_plain, _GROWTH), _Reading(_skeleton, _GROWTH)


@lru_cache(maxsize=2)
def views(text: str) -> tuple[View, ...]:
    """The text in NFKC without invisible characters, and, where it is not ASCII, its skeleton too: accents off and
    look-alike letters made Latin. The last texts are remembered: every scanner asks for them.

    Of a text that grows to more than twice its length, the characters that make it grow stay as they are.
    """
    if not _ODD.search(text):
        return (View(text, text, None),)
    plain = View(text.translate(_PLAIN), text, _PLAIN)
    skeletons = _SKELETON
    if len(plain.text) > _GROWTH * len(text) + _SOME:
        plain, skeletons = View(text.translate(_BRIEF_PLAIN), text, _BRIEF_PLAIN), _BRIEF_SKELETON
    if plain.text.isascii():
        return (plain,)
    skeleton = View(text.translate(skeletons), text, skeletons)
    return (plain,) if skeleton.text == plain.text else (plain, skeleton)


def expands(text: str) -> bool:
    """Whether characters of the text stand for so many others that no reading of it can be whole."""
    return views(text)[0].reading is _BRIEF_PLAIN


def hidden_tags(text: str) -> str:
    """What Unicode tag characters spell (U+E0020–7E stand for ASCII); an emoji flag sequence spells nothing."""
    if text.isascii():
        return ""
    runs = (run for flag, run in _TAG_RUN.findall(text) if not (flag and len(run) <= 8 and run[-1] == "\U000e007f"))
    return "".join(chr(ord(char) - 0xE0000) for run in runs for char in run if char != "\U000e007f")


@cache
def _order_words() -> PatternSet:
    """Words of an order as they are; the last two: one of them read backwards, one in rot13."""
    backwards = "|".join(word[::-1] for word in _ORDER_WORDS)
    turned = "|".join(codecs.encode(word, "rot13") for word in _ORDER_WORDS)
    return PatternSet(
        [*(rf"(?i){word}" for word in _ORDER_WORDS), rf"(?i)\bs?(?:{backwards})\b", rf"(?i)\b(?:{turned})f?\b"]
    )


@cache
def _encodings() -> PatternSet:
    return PatternSet(
        [
            r"[A-Za-z0-9+/_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{40,})*(?:\r?\n[A-Za-z0-9+/_-]{2,}=)?={0,2}",
            r"(?:[A-Z2-7]{8}){4,}[A-Z2-7]{0,7}={0,6}",
            r"<~[!-uz\s]{20,}~>",
            r"(?:[^\s=]{0,80}=[0-9A-F]{2}){3,}\S*",
            r"(?:(?:\\x|0x|%|\\u00)?[0-9a-fA-F]{2}[\s,]?){20,}",
            r"(?:[01]{8}\s+){5,}[01]{8}",
            r"[^\s%]*%[0-9A-Fa-f]{2}\S*",
        ]
    )


_KINDS = ("base64", "base32", "base85", "quoted", "hex", "binary", "percent")


def readings(text: str) -> Iterator[str]:
    """Other ways a model could read the text: digits for letters, s p a c e d letters, HTML entities."""
    plain = _order_words().matching(text)
    letters = text.replace("11", "ll").translate(_LEET) if _DIGIT_IN_WORD.search(text) else text
    for reading in (letters, _SPACE_IN_WORD.sub("", text)):
        if reading != text and not set(plain).issuperset(_order_words().matching(reading)):
            yield reading
    if len(_ORDER_WORDS) in plain:
        yield text[::-1]
    if len(_ORDER_WORDS) + 1 in plain:
        yield codecs.encode(text, "rot13")
    if "&" in text and (unescaped := html.unescape(text)) != text:
        yield unescaped


def _bytes_of(kind: str, raw: str) -> bytes:
    if kind == "base64":
        body = "".join(raw.rstrip("=").replace("-", "+").replace("_", "/").split())
        return base64.b64decode(body[: len(body) // 4 * 4] + _last_group(body))
    if kind == "base32":
        return base64.b32decode(raw.rstrip("=") + "=" * (-len(raw.rstrip("=")) % 8))
    if kind == "base85":
        return base64.a85decode(raw, adobe=True)
    if kind == "quoted":
        return quopri.decodestring(raw)
    if kind == "hex":
        digits = raw.replace("\\x", "").replace("0x", "").replace("\\u00", "").replace("%", "")
        return bytes.fromhex(digits.translate(_SEPARATORS))
    if kind == "binary":
        return bytes(int(byte, 2) for byte in raw.split())
    return urllib.parse.unquote_to_bytes(raw)


def _last_group(body: str) -> str:
    rest = body[len(body) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


def _is_text(text: str) -> bool:
    return len(text.translate(_CONTROLS)) >= 0.95 * len(text) > 0


def payloads(text: str) -> Iterator[Payload]:
    """What base64, base32, base85, quoted-printable, hex, binary and percent encoded stretches say, decoded once.

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
                decoded = _bytes_of(kind, raw).decode("utf-8", "ignore")
            except (ValueError, binascii.Error):
                continue
            if _is_text(decoded):
                yield Payload(start, end, decoded)
