"""Gemini (and Bard) in Google Takeout: "My Activity" of the Gemini apps, as JSON or as a page of HTML.

It is a log of activities, one a prompt, with the answers as HTML. Newer ones link to the conversation they belong to:
these are sessions. Of the others nothing tells which belong together; a session of them is a day (of UTC, where the
time zone is known), which stays the same whatever a later export adds. An activity has no id; its second names it, in
either form of the export. Activities that are no prompts and got no answer (feedback, drafts chosen) are no messages.

A title is the prompt behind a few words in the language of the account. Where these are not known, the title of an
activity that was answered is taken whole.

Built from: modelcaddy/panchat (docs/formats/gemini.md, tests/fixtures/gemini_myactivity.json), maciekk/gemini-slurp,
muman-craft/ia2md (Readers/Gemini.py), portable-ai-memory/python-sdk (src/portable_ai_memory/converters/google.py),
stefanoviel/search-history-analysis (src/extract_from_gemini_chat.py), purarue/google_takeout_parser (parse_html).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from html import unescape
from tempfile import SpooledTemporaryFile
from typing import Any

import orjson

from workbench.errors import WorkbenchError
from workbench.sessions.importers import Found, Importer, Sample, documents, gemini_dates, gemini_html, gemini_parts
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable, opened
from workbench.sessions.importers.values import mark, moment, record, sequence, string
from workbench.sessions.model import Message, Session, derived_identity
from workbench.text import storable

NAME = "gemini-takeout"
_IN_MEMORY = 64 * 1024 * 1024
_LOOKED_AT = 64 * 1024
_PRODUCT = re.compile(r"\b(?:gemini|bard)\b", re.IGNORECASE)
_LINK = re.compile(r"https?://(?:gemini|bard)\.google\.com/(?:u/\d+/)?(?:app|chat)/(?:c/)?([A-Za-z0-9_-]{6,64})")
# The words before a prompt, as readers of such exports name them; a language that calls it a prompt is known by that.
_PROMPTED = re.compile(
    r"(?:Prompted(?: with:)?|Asked(?: Gemini:| Bard:)?|Said|Branched|Answered|Submitted query|Hiciste la petición"
    r"|Υποβλήθηκε το ερώτημα)(?:\s+|$)"
    r"|(?:(?:\w+\s)?[Pp]rompt(?:\s\w+)?|Has dicho|Preguntado|Hai chiesto|Vous avez (?:dit|demandé)"
    r"|Você (?:disse|perguntou|pediu)|送信したメッセージ|プロンプト|已提示)\s*[:：]\s*"
)
# What begins so was done, not said.
_DONE = re.compile(
    r"(?:Used|Created|Added|Gave|Selected|Cleared|Shared|Deleted|Viewed|Visited|Edited|Pinned|Renamed|Exported|Updated)\s"
)
_HEAD = re.compile(rb'\A[\s\xef\xbb\xbf]*\[\s*\{\s*"header"\s*:\s*"[^"]*(?:Gemini|Bard)[^"]*"')
_CELL = re.compile(rb'class="header-cell[^"]*"\s*>\s*(?:<p[^>]*>)?([^<]*)')
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BLOCK = re.compile(r"<(?:p|pre|table|ul|ol|h[1-6]|div|blockquote)[\s>]", re.IGNORECASE)
_FILE = re.compile(r"""\s(?:href|src)\s*=\s*["'](?![a-z][a-z0-9+.-]*:|//|\#)[^"']+["']""", re.IGNORECASE)
# "Attached 2 files.", "1 generated image.": not the person's words.
_NOTICE = re.compile(r"[^.\n]{0,40}\d+[^.\n]{0,40}\.?")
_IMAGE = re.compile(r"image|bild|imagen|immagin|imagem|画像|图片", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_DASH = re.compile(r"^[-\s]+")
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic")


@dataclass(slots=True)
class _Activity:
    """A prompt and its answers.

    :param time: ISO 8601.
    :param note: what was done, where it was no prompt.
    """

    time: str | None
    conversation: str | None
    prompt: str | None = None
    note: str | None = None
    answers: list[str] = field(default_factory=list)


def sniff(sample: Sample) -> bool:
    """Activities, or cards of a page, that name Gemini or Bard as the product."""
    if any(_is_activity(value) for value in sample.elements) or _HEAD.match(sample.head):
        return True
    if not _is_page(sample.head):
        return False
    if headers := _CELL.findall(sample.head):
        return any(_PRODUCT.search(header.decode("utf-8", "replace")) for header in headers)
    # The style sheet alone fills what is known of the page: the cards tell whose it is.
    return b"mdl-" in sample.head and b"<body" not in sample.head


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The conversations of a log, and a session a day for what belongs to none."""
    with opened(file) as handle:
        page = _is_page(handle.read(_LOOKED_AT))
    with SpooledTemporaryFile(_IN_MEMORY) as pile:
        places: dict[str, list[tuple[str, int, int, int]]] = {}
        for activity in _of_page(file, counts) if page else _of_log(file, counts):
            data = orjson.dumps(asdict(activity))
            # The newest stands first: of two of the same time the later one was there before.
            place = (_second(activity.time) or "", -len(places.get(_key(activity), [])), pile.tell(), len(data))
            places.setdefault(_key(activity), []).append(place)
            pile.write(data)
        for key in sorted(places):
            times = [second for second, *_ in places[key] if second]
            session = Session(f"{NAME}:{key}", source=str(file), metadata={"agent": NAME})
            session.created_at, session.updated_at = min(times, default=None), max(times, default=None)
            yield Found(session, _messages(sorted(places[key]), pile))


def _messages(places: list[tuple[str, int, int, int]], pile: SpooledTemporaryFile[bytes]) -> Iterator[Message]:
    seen: dict[str, int] = {}
    occurrences: dict[str, int] = {}
    for second, _, start, size in places:
        pile.seek(start)
        activity = _Activity(**orjson.loads(pile.read(size)))
        number = seen[second] = seen.get(second, -1) + 1
        name = f"{second}.{number}" if number else second
        made = _said(activity)
        for count, message in enumerate(made):
            message.identity = f"{name}#{count}" if second else derived_identity(message, occurrences)
        yield from made


def _said(activity: _Activity) -> list[Message]:
    made: list[Message] = []
    if activity.prompt:
        origin = gemini_parts.origin_of("user", activity.prompt)
        made.append(Message("", "user", origin, activity.prompt, activity.time))
    if activity.note:
        made.append(Message("", "system", "harness", activity.note, activity.time))
    made += [Message("", "assistant", "assistant", answer, activity.time) for answer in activity.answers]
    return made


def _key(activity: _Activity) -> str:
    return activity.conversation or (_second(activity.time) or "undated")[:10]


def _second(time: str | None) -> str | None:
    """The second of a time, which names an activity; both forms of an export have it."""
    return re.sub(r"\.\d+Z$", "Z", time) if time else None


def _of_log(file: Readable, counts: Counts) -> Iterator[_Activity]:
    for offset, value in documents.items(file, counts):
        if not isinstance(value, dict) or not isinstance(value.get("title"), str):
            counts.quarantine(offset, "not an activity")
        elif not _is_activity(value):
            counts.skipped += 1
        elif activity := _of_entry(value):
            counts.kept += 1
            yield activity
        else:
            counts.skipped += 1


def _is_activity(value: Json) -> bool:
    entry = record(value)
    if not isinstance(entry.get("title"), str):
        return False
    named = [entry.get("header"), *sequence(entry.get("products"))]
    linked = isinstance(link := entry.get("titleUrl"), str) and _LINK.match(link) is not None
    return linked or any(isinstance(name, str) and _PRODUCT.search(name) for name in named)


def _of_entry(entry: dict[str, Any]) -> _Activity | None:
    answers = [gemini_html.text_of(item["html"]) for item in _htmls(entry.get("safeHtmlItem"))]
    links = [entry.get("titleUrl"), *(record(detail).get("url") for detail in sequence(entry.get("details")))]
    found = next((match for link in links if isinstance(link, str) and (match := _LINK.match(link))), None)
    time = moment(entry.get("time"))
    return _activity(time, found and found[1], str(entry["title"]), _files(entry), answers)


def _htmls(items: Json) -> list[dict[str, str]]:
    return [item for item in gemini_parts.listed(items) if isinstance(item.get("html"), str)]


def _files(entry: dict[str, Any]) -> list[str]:
    """The names of what was attached, each once."""
    names: dict[str, str] = {}
    for line in gemini_parts.listed(entry.get("subtitles")):
        link, name = string(line.get("url")), string(line.get("name"))
        if link and name and "://" not in link:
            names[link] = _DASH.sub("", name)
    attached = (*sequence(entry.get("attachedFiles")), *sequence(entry.get("attachmentInfo")), entry.get("imageFile"))
    for file in attached:
        if name := string(file) or string(record(file).get("name")):
            names.setdefault(name, name)
    return list(names.values())


def _activity(
    time: str | None, conversation: str | None, title: str, files: list[str], answers: list[str]
) -> _Activity | None:
    """What was asked and answered, None where it was neither."""
    activity = _Activity(time, conversation, answers=[answer for answer in answers if answer])
    title = title.strip()
    known = _PROMPTED.match(title)
    if known is None and _DONE.match(title):
        activity.note = title
    else:
        marks = [mark("image" if name.lower().endswith(_IMAGES) else "file", name) for name in files]
        prompt = title[known.end() :].strip() if known else title
        activity.prompt = "\n\n".join(piece for piece in (prompt, *marks) if piece)
    asked = known is not None and activity.prompt
    return activity if asked or activity.answers else None


def _is_page(head: bytes) -> bool:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:512].lower()
    return start.startswith((b"<html", b"<!doctype html")) and (b"<title" in start or b"outer-cell" in head)


def _of_page(file: Readable, counts: Counts) -> Iterator[_Activity]:
    try:
        with opened(file) as handle:
            for card in gemini_html.cards(handle):
                if not _PRODUCT.search(card.header) or (activity := _of_card(card)) is None:
                    counts.skipped += 1
                    continue
                counts.kept += 1
                yield activity
    except OSError as error:
        raise WorkbenchError(f"cannot read {file}: {error.strerror or error}") from error


def _of_card(card: gemini_html.Card) -> _Activity | None:
    """A line with the date parts what was asked from what was answered; without one, the first block does."""
    pieces = _BREAK.split(card.main)
    until = next((number for number, piece in enumerate(pieces) if _BLOCK.search(piece)), len(pieces))
    texts = [unescape(_TAG.sub("", piece)).replace("\xa0", " ").strip() for piece in pieces[:until]]
    dates = [gemini_dates.read(text) for text in texts]
    dated = max((number for number, date in enumerate(dates) if number and date), default=None)
    asked = texts[:dated]
    files = [_DASH.sub("", text) for text, piece in zip(asked, pieces, strict=False) if _FILE.search(piece)]
    own = [text for text, piece in zip(asked, pieces, strict=False) if not _FILE.search(piece)]
    while len(own) > 1 and _is_notice(own[-1], bool(files)):
        own.pop()
    answer = gemini_html.text_of("<br>".join(pieces[until if dated is None else dated + 1 :]))
    link = _LINK.search(card.footer)
    time = None if dated is None else dates[dated]
    return _activity(time, link and link[1], storable("\n".join(own)), files, [storable(answer)])


def _is_notice(line: str, with_files: bool) -> bool:
    return not line or (_NOTICE.fullmatch(line) is not None and (with_files or _IMAGE.search(line) is not None))


IMPORTER = Importer(NAME, sniff, read)
