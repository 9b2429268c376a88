"""HTML as text, and the cards of Google's "My Activity" pages."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import BinaryIO

from workbench.sessions.importers.values import mark, string

_CHUNK = 1 << 18
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = frozenset(
    ("p", "div", "ul", "ol", "table", "blockquote", "pre", "section", "article", "figure", "hr", *_HEADINGS)
)
_UNSEEN = frozenset(("script", "style", "template", "noscript", "iframe", "object", "svg", "head", "title"))
_SPACE = re.compile(r"[ \t\n\r\f]+")
_GAP = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")
_LINE_OF_CODE = "\x01"  # stands for an end of line that stays as it is
_Attributes = list[tuple[str, str | None]]


def text_of(html: str) -> str:
    """What a reader sees of ``html``, in the marks that Markdown has for headings, lists, code and links."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.lists: list[int] = []  # the number of the next item; 0 in a list without numbers
        self.links: list[str | None] = []
        self.unseen = self.verbatim = 0

    def text(self) -> str:
        """All that was read so far."""
        text = _GAP.sub("\n\n", "".join(self.out).replace(" \n", "\n"))
        return text.replace("\xa0", " ").replace(_LINE_OF_CODE, "\n").strip()

    def handle_starttag(self, tag: str, attrs: _Attributes) -> None:
        if tag in _UNSEEN:
            self.unseen += 1
        elif tag == "br":
            self.out.append("\n")
        elif tag in ("ul", "ol"):
            self.out.append("\n" if self.lists else "\n\n")
            self.lists.append(int(tag == "ol"))
        elif tag == "li":
            self._item()
        elif tag == "pre":
            self.verbatim += 1
            self.out.append("\n\n```\n")
        elif tag in _HEADINGS:
            self.out.append(f"\n\n{'#' * int(tag[1])} ")
        elif tag in _BLOCKS or tag == "tr":
            self._break("\n\n" if tag != "tr" else "\n")
        elif tag in ("td", "th") and self.out and not self.out[-1].endswith("\n"):
            self.out.append(" | ")
        elif tag == "code" and not self.verbatim:
            self.out.append("`")
        elif tag == "a":
            self._open_link(dict(attrs).get("href"))
        elif tag == "img":
            self.out.append(f"\n{mark('image', dict(attrs).get('alt') or None)}\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self.unseen = max(self.unseen - 1, 0)
        elif tag in ("ul", "ol"):
            del self.lists[-1:]
            self.out.append("\n" if self.lists else "\n\n")
        elif tag == "pre" and self.verbatim:
            self.verbatim -= 1
            self.out.append("\n```\n\n")
        elif tag in _BLOCKS:
            self._break("\n\n")
        elif tag == "code" and not self.verbatim:
            self.out.append("`")
        elif tag == "a" and self.links and (href := self.links.pop()):
            self.out.append(f"]({href})")

    def handle_data(self, data: str) -> None:
        if self.unseen:
            return
        if self.verbatim:
            data = data.replace("\n", _LINE_OF_CODE)
        else:
            data = _SPACE.sub(" ", data)
            if not self.out or self.out[-1].endswith(("\n", " ")):
                data = data.lstrip(" ")
        if data:
            self.out.append(data)

    def _break(self, lines: str) -> None:
        """An end of a block, unless it is that of the item or cell around it."""
        if not (self.out and self.out[-1].endswith((". ", "- ", " | "))):
            self.out.append(lines if not self.lists else "\n")

    def _item(self) -> None:
        while self.out and not self.out[-1].strip():
            self.out.pop()
        indent = "  " * (len(self.lists) - 1)
        number = self.lists[-1] if self.lists else 0
        self.out.append(f"\n{indent}{number}. " if number else f"\n{indent}- ")
        if number:
            self.lists[-1] += 1

    def _open_link(self, href: str | None) -> None:
        shown = href if href and href.startswith(("http://", "https://", "mailto:")) else None
        self.links.append(shown)
        if shown:
            self.out.append("[")


@dataclass(slots=True)
class Card:
    """One activity of a page, as the HTML of its cells.

    :param header: the name of the product.
    :param main: what was done, when, and what came of it.
    :param footer: where it belongs.
    """

    header: str = ""
    main: str = ""
    footer: str = ""


def cards(handle: BinaryIO) -> Iterator[Card]:
    """The cards of a page, read bit by bit."""
    page = _Page()
    decoder = _decoder()
    while data := handle.read(_CHUNK):
        page.feed(decoder.decode(data))
        yield from page.take()
    page.feed(decoder.decode(b"", final=True))
    page.close()
    page.finish()
    yield from page.take()


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8-sig")("replace")


class _Page(HTMLParser):
    """Cuts a page into cards: a cell lasts until the ``div`` that it is ends, a card until the next one begins."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.done: list[Card] = []
        self.card: Card | None = None
        self.cell: str | None = None
        self.depth = 0
        self.pieces: list[str] = []

    def take(self) -> list[Card]:
        """The cards that have ended since the last time."""
        done, self.done = self.done, []
        return done

    def finish(self) -> None:
        """The card ends."""
        self._end_cell()
        if self.card is not None:
            self.done.append(self.card)
        self.card = None

    def handle_starttag(self, tag: str, attrs: _Attributes) -> None:
        classes = (string(dict(attrs).get("class")) or "").split() if tag == "div" else []
        if "outer-cell" in classes:
            self.finish()
            self.card = Card()
        elif self.cell is None and self.card is not None and (name := _cell(classes, self.card)):
            self.cell, self.depth = name, 1
        elif self.cell is not None:
            self.depth += tag == "div"
            self.pieces.append(self.get_starttag_text() or "")

    def handle_startendtag(self, tag: str, attrs: _Attributes) -> None:
        if self.cell is not None:
            self.pieces.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if self.cell is None:
            return
        self.depth -= tag == "div"
        if self.depth == 0:
            self._end_cell()
        else:
            self.pieces.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.pieces.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")

    def _end_cell(self) -> None:
        if self.card is not None and self.cell is not None:
            setattr(self.card, self.cell, "".join(self.pieces))
        self.cell, self.pieces = None, []


def _cell(classes: list[str], card: Card) -> str | None:
    if "header-cell" in classes:
        return "header"
    if "content-cell" not in classes or "mdl-typography--text-right" in classes:
        return None
    return "footer" if "mdl-typography--caption" in classes or card.main else "main"
