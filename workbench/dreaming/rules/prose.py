"""A message without what is not the person's own prose: code, quotations, pasted mail and logs."""

from __future__ import annotations

import re
from itertools import chain

from workbench.text import INVISIBLE

LONG_MESSAGE = 20_000
EDGE = 2_000
MAX_PARAGRAPH = 1_500
MAX_SENTENCE = 600
# Code and quotations become one character each, so that no rule can read inside them.
_FIRST_OPAQUE = 0xE000
_MAX_OPAQUE = 2_000
_OPAQUE = re.compile("[\ue000-\uf8ff]")
_STRAIGHT = str.maketrans(
    {"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "「": '"', "」": '"', "『": '"'}
    | {"』": '"', "《": '"', "》": '"', "\u00a0": " ", "\u202f": " ", "\u3000": " "}
)

_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_BULLET = re.compile(r"\s{0,3}(?:[-*•–]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_NOT_PROSE = re.compile(
    r"""\s*(?:
    >|\||\#|\$\s|%\s|@@|\+\+\+\s|---|[+-](?=[^\s])|diff\ --git|index\ [0-9a-f]{7}|commit\ [0-9a-f]{7}
    |<[/!?a-zA-Z]|[\[{(\]})]|//|/\*|\*/|;;|>>>|\.\.\.\s|Traceback\ |File\ "|at\ [\w.$<>]+\(|\^
    |\[?\d{4}-\d\d-\d\d[T\ ]\d\d:|\d\d:\d\d(?::\d\d)?\b|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE)\b
    |(?:def|class|import|from|const|let|var|return|function|public|private|static|SELECT|INSERT|UPDATE)\s.*[;:{(=)]\s*$
    |[\w.$\[\]"']+\s*(?:=|:=|=>|\+=|==)\s*\S|[\w-]+:\s*[\["{'|]|\w+\(.*\)\s*;?\s*$|.*[;{}]\s*$
    )""",
    re.VERBOSE,
)
_HEADER = re.compile(
    r"\s*(?:-{2,}\s*(?:original|forwarded|begin)\b|(?:from|to|cc|sent|subject|betreff)\s*:\s*\S"
    r"|on\s.{4,80}\swrote:|(?:dear|to whom)\s\w+.*[,:]\s*$)",
    re.I,
)
_INTRODUCES = re.compile(
    r"\b(?:following|below|e-?mail|message|text|article|essay|paragraph|review|logs?|output|error|trace|code"
    r"|translate|summari[sz]e|proofread"
    r"|rewrite|paraphrase|transcript|letter|bio|prompt|document|draft|story|poem|post|sentences?|passage|abstract"
    r"|chapter|comment|said|says|wrote"
    r"|writes|told me|replied|asked|spec|readme|quote|conversation|chat|resume|cv|description|notes|tweet|caption"
    r"|script|dialogue|speech|lyrics"
    r"|example|template|customer|client|persona|character|slogan|user story|test data|sample"
    r"|mock-?up|folgende\w*|übersetz\w*|nachricht|texte|suivant\w*|tradui\w*|traduc\w*|texto|siguientes?|correo"
    r"|testo|seguent[ei]|traduz\w*|seguintes?)\b[^.!?]{0,80}:\s*$"
    r"|(?:翻译|翻譯|以下|下面|润色|改写|文章|邮件|翻訳|次の|添削|メール)[^。！？]{0,40}[:：]\s*$",
    re.I,
)
_ABOUT_ME = re.compile(
    r"\b(?:about (?:me|us|myself|my|our)|my (?:setup|preferences|background|context)|remember|über mich|de moi"
    r"|sobre m[íi]m?|su di me)\b|关于我|關於我|私について",
    re.I,
)
_CODE = re.compile(r"``[^`\n]{1,300}``|`[^`\n]{1,300}`")
_DOUBLE_QUOTED = re.compile(r'"[^"\n]{1,400}"')
_SINGLE_QUOTED = re.compile(r"(?<!\w)'(?:[^'\n]|'(?=\w)){1,400}'(?!\w)")
_ASIDE = re.compile(r"\s?\([^()\n]{0,200}\)")
_LINK = re.compile(r"https?://\S{1,500}")
_END = re.compile(r"[.!?…]{1,5}[\"')\]]{0,2}(?=\s|$)|[。！？]{1,5}[\"')）]{0,2}")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|dr|mr|mrs|ms|st|prof|no|inc|ltd|[A-Z]|u\.s|u\.k|a\.m|p\.m)$", re.I
)
# "am 3. Mai": no sentence ends here.
_ORDINAL = re.compile(r"\d\. (?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b")


def own_sentences(text: str) -> tuple[list[str], list[str]]:
    """The person's own sentences and what the opaque characters in them stand for.

    A message over 20,000 characters is read at its first and last 2,000 characters of prose; a paragraph over
    1,500 and a sentence over 600 characters are taken as pasted.
    """
    plain = text if text.isascii() else _OPAQUE.sub("", INVISIBLE.sub("", text)).translate(_STRAIGHT)
    paragraphs = _own_paragraphs(plain)
    if len(plain) > LONG_MESSAGE:
        paragraphs = _edges(paragraphs)
    hidden: list[str] = []
    sentences = [_sentences(_hide(p, hidden)) for p in paragraphs if len(p) <= MAX_PARAGRAPH]
    return [s for s in chain.from_iterable(sentences) if len(s) <= MAX_SENTENCE], hidden


def reveal(text: str, hidden: list[str]) -> str | None:
    """``text`` with short code and names put back; None when it leans on a longer quotation."""
    for char in set(_OPAQUE.findall(text)):
        original = hidden[ord(char) - _FIRST_OPAQUE]
        inner = original.strip("`\"'")
        if original.startswith("`"):
            shown = original if " " in inner else inner
        elif len(inner.split()) <= 4 and len(inner) <= 40:
            shown = inner.rstrip(".,!?")
        else:
            return None
        text = text.replace(char, shown)
    return text


def _own_paragraphs(text: str) -> list[str]:
    """Lines of prose, wrapped lines joined; reading stops where something pasted begins."""
    paragraphs: list[str] = []
    fence = ""
    open_line = False
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
            open_line = False
        elif fence:
            continue
        elif not line.strip():
            open_line = False
        elif (":" in line or line.rstrip().endswith((",", "："))) and _opens_paste(line[-400:]):
            return paragraphs
        else:
            open_line = _take(line, paragraphs, open_line)
    return paragraphs


def _opens_paste(line: str) -> bool:
    """From here to the end of the message somebody else may speak."""
    introduced = line.rstrip().endswith((":", "：")) and _INTRODUCES.search(line)
    return bool(introduced or _HEADER.match(line)) and not _ABOUT_ME.search(line)


def _take(line: str, paragraphs: list[str], open_line: bool) -> bool:
    """Add a line of prose; true when the next line may continue it."""
    bullet = _BULLET.match(line)
    if not bullet and (line.startswith(("    ", "\t")) or _NOT_PROSE.match(line[:400])):
        return False
    body = line[bullet.end() :].strip() if bullet else line.strip()
    if bullet and _NOT_PROSE.match(body[:400]):
        return False
    if open_line and not bullet and body[:1].islower() and not body.startswith(("i ", "i'm ")):
        paragraphs[-1] += " " + body
    else:
        paragraphs.append(body)
    return len(line) >= 40


def _edges(paragraphs: list[str]) -> list[str]:
    prose = "\n".join(paragraphs)
    if len(prose) <= 2 * EDGE:
        return paragraphs
    # The cut ends are fragments of sentences: they go.
    return [*prose[:EDGE].split("\n")[:-1], *prose[-EDGE:].split("\n")[1:]]


def _hide(paragraph: str, hidden: list[str]) -> str:
    def opaque(match: re.Match[str]) -> str:
        if len(hidden) >= _MAX_OPAQUE:
            return " "
        hidden.append(match.group())
        return chr(_FIRST_OPAQUE + len(hidden) - 1)

    shown = _CODE.sub(opaque, paragraph) if "`" in paragraph else paragraph
    if "://" in shown:
        shown = _LINK.sub(lambda m: m.group() if len(m.group()) < 80 else " ", shown)
    if '"' in shown:
        # What follows a quotation mark that is never closed is not the person's own either.
        shown = _DOUBLE_QUOTED.sub(opaque, shown).partition('"')[0]
    if "'" in shown:
        shown = _SINGLE_QUOTED.sub(opaque, shown)
    return _ASIDE.sub("", shown) if "(" in shown else shown


def _sentences(paragraph: str) -> list[str]:
    """Sentences with their end marks."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(paragraph):
        if end.group() == "." and _ABBREVIATION.search(paragraph[max(start, end.start() - 8) : end.start()]):
            continue
        if end.group() == "." and end.start() and _ORDINAL.match(paragraph, end.start() - 1):
            continue
        found.append(paragraph[start : end.end()].strip())
        start = end.end()
    found.append(paragraph[start:].strip())
    return [s for s in found if s]
