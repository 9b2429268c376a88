"""Entries of notes that a person had erased: a placeholder takes their place, all else is kept byte for byte."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterator

from workbench import text
from workbench.notes import entries, projection

_MARK = re.compile(projection.MARK.encode())


def redact(document: bytes, erased: Callable[[str], bool], lines: Collection[int]) -> tuple[bytes, list[int]]:
    """The document without the entries that are erased, and the numbers of the lines where they stood.

    The generated block is left to be written anew; in one that somebody edited the entry is taken out, so that it is
    not taken for a correction.

    :param erased: whether an entry, without its mark, is one that goes.
    :param lines: how many lines such an entry can have.
    """
    if encoding := entries.wide(document):
        narrow, numbers = redact(_narrow(document, encoding), erased, lines)
        wide = narrow.decode("utf-8", "surrogatepass").encode(encoding, "surrogatepass")
        return (wide + document[len(document) // 2 * 2 :] if numbers else document), numbers
    if document.startswith(codecs.BOM_UTF8):
        rest, numbers = redact(document.removeprefix(codecs.BOM_UTF8), erased, lines)
        return codecs.BOM_UTF8 + rest, numbers
    parts, out, found = document.split(b"\n"), [], []
    for at, size, block in _walk(document, parts, erased, lines):
        if not size:
            out.append(parts[at])
        else:
            found.append(at + 1)
            if block is None:
                ending = b"\r" if parts[at + size - 1].endswith(b"\r") else b""
                out.append(_mark(parts[at]) + text.ERASED.encode() + ending)
    return b"\n".join(out), found


def holding(
    document: bytes, erased: Callable[[str], bool], lines: Collection[int], quoted: Callable[[str], bool]
) -> list[int]:
    """The numbers of the lines that say more than what is erased and hold its words: they stay.

    :param quoted: whether a text holds the words; they may go on in the next line.
    """
    if encoding := entries.wide(document):
        return holding(_narrow(document, encoding), erased, lines, quoted)
    document = document.removeprefix(codecs.BOM_UTF8)
    parts = document.split(b"\n")
    said = [part.decode("utf-8", "replace") for part in parts]
    stays = {at for at, size, block in _walk(document, parts, erased, lines) if not (size or block)}
    alone = {at for at in stays if quoted(said[at])}
    begun = {at for at in stays - alone if at + 1 in stays - alone and quoted(f"{said[at]} {said[at + 1]}")}
    return sorted(at + 1 for at in alone | begun)


def _narrow(document: bytes, encoding: str) -> bytes:
    """A document in UTF-16 as UTF-8; half a unit at its end is left out."""
    whole = document[: len(document) // 2 * 2]
    return whole.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass")


def _walk(
    document: bytes, parts: list[bytes], erased: Callable[[str], bool], lines: Collection[int]
) -> Iterator[tuple[int, int, bool | None]]:
    """Where each line or entry begins; how many lines an entry that goes has, 0 for what stays; and whether it is in a
    generated block, and that as we wrote it (None: in none)."""
    blocks, at, offset = projection.blocks(document), 0, 0
    while at < len(parts):
        block = next((ours for start, end, ours in blocks if start <= offset < end), None)
        size = (
            0 if block else next((n for n in sorted(lines, reverse=True) if _is_entry(parts[at : at + n], erased)), 0)
        )
        yield at, size, block
        step = size or 1
        offset += sum(len(part) + 1 for part in parts[at : at + step])
        at += step


def _is_entry(parts: list[bytes], erased: Callable[[str], bool]) -> bool:
    said = b"\n".join([parts[0][len(_mark(parts[0])) :], *parts[1:]]).decode("utf-8", "replace").strip()
    return bool(said) and (erased(said) or erased(entries.unanchored(said).strip()))


def _mark(line: bytes) -> bytes:
    found = _MARK.match(line)
    return found.group() if found else b""
