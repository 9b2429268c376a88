"""Stored text as a reader may see it: a pure function each, from hostile text to safe text or markup."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import UTC
from functools import lru_cache
from itertools import cycle
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from workbench import dates
from workbench.guard import mask
from workbench.text import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markdown_it import MarkdownIt

MAX_MARKDOWN = 100_000
_FOUND = re.compile(r">>>(.*?)<<<", re.DOTALL)
_TAGS = {
    *("p", "br", "hr", "blockquote", "pre", "code", "ul", "ol", "li", "a", "em", "strong", "del", "s"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}


def plain(text: str | None) -> str:
    """Text to show as text: credentials masked, invisible and bidi characters written out (the page escapes it)."""
    return visible(mask(text or ""))


@lru_cache(maxsize=4096)
def cell(text: str) -> str | None:
    """A table cell's text as it may be shown; None when that is just what is stored."""
    shown = plain(text)
    return shown if shown != text else None


def markdown(text: str | None) -> Markup:
    """Markdown of a stranger as safe markup: no HTML, no images, links that give nothing away, lines kept.

    Three nets: the parser emits no raw HTML and no image, the cleaner keeps a list of tags, the page's CSP
    loads and runs nothing else. Very long text is shown as text, because parsing it would take too long.
    """
    import nh3

    shown = plain(text)
    if len(shown) > MAX_MARKDOWN:
        return Markup("<pre>{}</pre>").format(shown)
    cleaned = nh3.clean(
        _parser().render(shown),
        tags=_TAGS,
        attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noreferrer noopener nofollow",
    )
    return Markup(cleaned)


def pretty(value: object) -> str:
    """JSON-like data, such as a tool call's arguments, indented and fit to show."""
    with suppress(ValueError, TypeError):
        value = json.loads(value)  # type: ignore[arg-type]
    return plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str))


def snippet(text: str | None) -> Markup:
    """A search snippet: the words found, which the index puts between ``>>>`` and ``<<<``, are marked."""
    parts = _FOUND.split(plain(text))
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if found else escape(part)
        for part, found in zip(parts, cycle((False, True)))
    )


def moment(timestamp: str | None) -> Markup:
    """A time as ``dates.local`` shows it, in a ``time`` element that has the instant; what is none as it is."""
    text = plain(timestamp)
    shown, found = dates.local(text), dates.moment(text)
    if found is None:
        return escape(shown)
    exact = shown if shown == text else found.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Markup('<time datetime="{}">{}</time>').format(exact, shown)


def percent(share: float | None) -> str:
    """A probability in whole per cent; a dash when nobody said."""
    return "–" if share is None else f"{share * 100:.0f} %"


def words(name: str | None) -> str:
    """``needs_review`` → ``needs review``."""
    return plain(name).replace("_", " ")


def register(environment: Environment) -> None:
    """Give the templates these functions as filters, under names nobody else uses."""
    for function in (plain, markdown, pretty, snippet, moment, percent, words):
        environment.filters[f"wb_{function.__name__}"] = function


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("js-default", {"html": False, "linkify": False, "breaks": True}).disable("image")
