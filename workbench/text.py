"""Pure functions on text that every layer may use."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

# Long enough for any memory: lines are cut for people, not for files.
MAX_LINE = 100_000
# What stands where a person had something erased.
ERASED = "[erased]"
_SPACE = re.compile(r"\s+")
_SPACE_BEFORE_MARK = re.compile(r" (?=[.,;:!?。，；：！？]+(?: |$))")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Zero-width, bidi controls, tags, soft hyphen, joiner, variation selectors: invisible to a reader, visible to a model.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
# Letters and marks of scripts that are written with joiners: Arabic to Sinhala, Tibetan, Burmese, Khmer, Mongolian.
_JOINED = re.compile(
    "[\u0620-\u065f\u066e-\u06d3\u06d5-\u074f\u0750-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u180a\u1820-\u18af]"
)
_EMOJI = re.compile("[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
# What may stand raw in JSON and is not to reach a terminal so; line ends between its lines stay.
_IN_JSON = re.compile(f"[\x7f-\x9f\u2028\u2029]|{_SURROGATE.pattern}|{INVISIBLE.pattern}")
_KEY_SEPARATORS = re.compile(r"[\s/\\_]+")
_BYTES_PER_TOKEN = 4


def sha256(text: str) -> str:
    """Hex SHA-256 of the UTF-8 form."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def tokens(text: str) -> int:
    """The tokens of a text, near enough: one for four bytes of UTF-8.

    That is four letters of English, two of Greek or Russian, four for three of Chinese. No tokenizer is needed, which
    would be another one for each model and would have to be fetched.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_PER_TOKEN)


def storable(text: str) -> str:
    """``text`` as UTF-8 can hold it: lone surrogates become U+FFFD, NUL goes."""
    if text.isascii():
        return text.replace("\x00", "") if "\x00" in text else text
    return _SURROGATE.sub("\ufffd", text).replace("\x00", "")


def normal_form(text: str) -> str:
    """What two spellings of the same statement share.

    NFKC, case folded, white space collapsed and off before a mark that a space or the end follows, end marks off.
    """
    folded = unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold()
    return _SPACE_BEFORE_MARK.sub("", _SPACE.sub(" ", folded).strip()).rstrip(".!。！")


def visible(text: str) -> str:
    """``text`` fit for a terminal or a log: control, bidi and invisible characters shown as ``\\u{…}``.

    Joiners between letters that need them, and the joiners and the emoji form of emoji, are part of what is written.
    """

    if text.isascii() and text.isprintable():
        return text

    def escape(match: re.Match[str]) -> str:
        if _belongs(match.string, match.start()):
            return match.group()
        return f"\\u{{{ord(match.group()):x}}}"

    return INVISIBLE.sub(escape, _CONTROL.sub(escape, text))


def _belongs(text: str, place: int) -> bool:
    """Whether the invisible character at ``place`` is needed to write what stands around it."""
    mark, before, behind = text[place], text[:place].rstrip("\ufe0f")[-1:], text[place + 1 : place + 2]
    if mark == "\ufe0f":
        return bool(_EMOJI.fullmatch(text[place - 1 : place]))
    if mark == "\u200d" and _EMOJI.fullmatch(before) and _EMOJI.fullmatch(behind):
        return True
    return mark in "\u200c\u200d" and bool(_JOINED.fullmatch(before) and _JOINED.fullmatch(behind))


def one_line(text: str, limit: int = 160) -> str:
    """The text on one visible line of at most ``limit`` characters."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def clause(text: str, limit: int = 160) -> str:
    """The text on one visible line without the full stop at its end, for a sentence that goes on behind it."""
    line = one_line(text, limit)
    return line[:-1] if line.endswith(".") and not line.endswith("..") else line


def enumeration(names: Sequence[str]) -> str:
    """``key, tags and end``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def quoted(text: str, limit: int = 40) -> str:
    """``text`` as a message names it: in quotation marks, on one visible line of at most ``limit`` characters."""
    return f"'{one_line(text, limit)}'"


def counted(number: int, one: str) -> str:
    """``1 message``, ``2,345 messages``; of names whose plural ends in s."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def noun(number: int, many: str) -> str:
    """What so many are called whose plural is ``many``: of 1 ``memory`` for ``memories``, ``quote in other memories``
    for ``quotes in other memories``; what is no plural (``evidence``, ``waiting``) stays."""
    if number != 1:
        return many
    name, *rest = many.partition(" in ")
    one = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    return "".join([one, *rest])


def some(number: int, many: str) -> str:
    """``1 memory``, ``2,345 memories``; named by the plural as ``noun`` takes it."""
    return f"{number:,} {noun(number, many)}"


def escaped_json(document: str) -> str:
    """A JSON document in which control, bidi and invisible characters, and lone surrogates, are ``\\u`` escapes; it
    means the same."""
    return document if document.isascii() and "\x7f" not in document else _IN_JSON.sub(_escape_units, document)


def _escape_units(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def fact_key(text: str) -> str:
    """The normal form of a fact key: lower case, runs of space, slash and underscore become ``-``; letters and
    digits of any script, ``.`` and ``-`` stay.

    ``Project.Database`` → ``project.database``; ``project__database`` → ``project-database``.
    """
    lowered = _KEY_SEPARATORS.sub("-", unicodedata.normalize("NFC", text).strip().lower())
    kept = "".join(c for c in lowered if c.isalnum() or c in ".-" or unicodedata.category(c).startswith("M"))
    return re.sub(r"\.{2,}", ".", re.sub(r"-{2,}", "-", kept)).strip(".-")
