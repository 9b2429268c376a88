"""Full-text queries that no input can break, and the CJK bigrams both sides share.

SQLite's ``unicode61`` tokenizer takes a run of Han, Kana or Hangul as one word, so such runs are indexed as
bigrams in a column of their own. A Latin word glued to a run (``修改youer服务端``) is put there too, the common
spelling (NFKC, ss for ß) of a word that is written another way: full width, a ligature, decomposed, and emoji, which
are no words to that tokenizer, each by a name.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Callable
from pathlib import Path

from workbench import db
from workbench.errors import Corrupt

# What is said of a query without a term.
NOTHING = "nothing in this can be searched; give a word of it"
MAX_BYTES = 1_024
MAX_TERMS = 64
_SHORT = 20  # characters that the first and last lines of a question have at least
# Of a longer text so many characters are looked at, and so many of its words looked up; so many questions are read at
# its beginning, and as many at its end.
_READ, _LOOKED_UP, _QUESTIONS = 64 * 1024, 4_000, 4
# A question mark behind words, not one in an address or in code; and where the sentence before it begins.
_MARKED = re.compile(r"(?<=[\w)\"'”’»])\s?[?？؟](?=[\s)\"'”’»]|$)|(?<=[\u3000-\uffff])[?？]")
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|[。！？؟]|\n+")
MAX_RANKED = 10_000
LARGE_STORE = 20_000

# Han, Kana, Bopomofo, Hangul and their extensions.
CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# What stands on a letter without being one: FTS5 takes it as a part of the word.
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_LETTERS = f"(?:[^\\W{CJK}]|[{_MARKS}])"
_HAS_CJK = re.compile(f"[{CJK}]")
# A stretch without spaces that holds at least one CJK character, and its parts.
_GLUED = re.compile(f"{_LETTERS}*[{CJK}][\\w{_MARKS}]*")
_PART = re.compile(f"([{CJK}]+)|({_LETTERS}+)")
_WORD = re.compile(f"{_LETTERS}+")
_PIECE = re.compile(f'"([^"]*)"|([{CJK}]+)|({_LETTERS}+)(\\*?)')

# Pictures and signs that people write as words; their colours and variants are not told apart.
_EMOJI = re.compile("[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff]")
_SHARP = str.maketrans({"ß": "ss", "ẞ": "SS"})

# With the tails that an apostrophe leaves.
_ENGLISH = """
a about after all also am an and any are as at be been before being but by can could d did do does doing don for
from further had has have having he her here hers him his how i if in into is it its just ll m me more most my no
nor not now of off on once only or other our ours out over own re s same she should so some such t than that the
their theirs them then there these they this those through to too under until up ve very was we were what when where
which while who whom why will with would you your yours
"""
_GERMAN = """
aber als auch auf aus bei bin bist da das dass dem den der des die doch du ein eine einem einen einer es für hat
hatte ich ihr im ist ja kann mich mir mit nach nicht noch nur ob oder sie sind und uns von vor war was wenn wer wie
wir wird zu zum zur
"""
_FRENCH = """
au aux avec ce ces cette dans de des du elle en est et eux il ils je la le les leur lui ma mais mes moi mon ne nos
notre nous ont ou où par pas pour qu que qui sa se ses son sont sur ta te tes toi ton tu un une vos votre vous
"""
_SPANISH = """
al como con del el ella ellos era eres es esa ese eso esta este esto fue ha hay la las lo los más mi mis muy nada
para pero por porque qué si sin sobre soy su sus también tengo tiene todo una uno y ya yo
"""
STOPWORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH}".split())


def cjk_bigrams(text: str) -> str | None:
    """The value of the ``cjk`` column: overlapping bigrams of each CJK run, its last character alone (so that every
    character begins a token), Latin words glued to it, words of ``text`` in their common spelling where they have
    another one, and the names of its emoji; None when there is nothing of that in ``text``."""
    if text.isascii():
        return None
    common = common_spelling(text)
    tokens: list[str] = []
    if _HAS_CJK.search(common):
        for stretch in _GLUED.finditer(common):
            for run, word in _PART.findall(stretch.group()):
                if word:
                    tokens.append(word)
                else:
                    tokens += (run[i : i + 2] for i in range(len(run)))
    if common != text:
        written = set(_WORD.findall(text))
        tokens += (word for word in _WORD.findall(common) if word not in written)
    tokens += map(_name_of, _EMOJI.findall(text))
    return " ".join(tokens) or None


def common_spelling(text: str) -> str:
    """``text`` as most write it: NFKC, and ss for ß."""
    common = text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text)
    return common.translate(_SHARP)


def _name_of(emoji: str) -> str:
    return f"emoji{ord(emoji):x}"


def terms(text: str, count: Callable[[str], int] | None = None) -> list[str]:
    """The distinct search terms of a question, each a safe FTS5 expression, in the order of the text.

    Words and explicit ``"phrases"`` are quoted, a trailing ``*`` stays a prefix search, a CJK run becomes bigrams on
    the ``cjk`` column, an emoji its name there. A word in another spelling than the common one is searched in both.
    Stopwords go unless nothing else is there. Of a text over 1 KB only what is asked in it is read: its sentences with
    a question mark and the lines it begins and ends with. Where no question mark tells, it is these lines and the
    rarest words of all; or, where nobody knows which these are, half a kilobyte of an end that is no line. Of over 64
    terms the first and the last stay.

    :param count: says how many rows have a term, as ``counter`` does; without it nothing is known to be rare.
    """
    lines, ends, whole = _asked(text.replace("\x00", " "))
    if whole and count is not None:
        sure = _distinct(lines)[:MAX_TERMS]
        more = [term for term in _distinct([whole])[:_LOOKED_UP] if term not in sure]
        known = sorted((rows, place) for place, term in enumerate(more) if (rows := count(term)))
        if known:
            return sure + [more[place] for place in sorted(place for _, place in known[: MAX_TERMS - len(sure)])]
    distinct, half = _distinct(ends), MAX_TERMS // 2
    return distinct if len(distinct) <= MAX_TERMS else distinct[:half] + distinct[-half:]


def _distinct(parts: list[str]) -> list[str]:
    found: list[str] = []
    stopped: list[str] = []
    for part in parts:
        for spelling in dict.fromkeys((unicodedata.normalize("NFC", part), common_spelling(part))):
            _gather(spelling, found, stopped)
        found += [f'cjk : "{_name_of(emoji)}"' for emoji in _EMOJI.findall(part)]
    return list({term.lower(): term for term in found or stopped}.values())


def _gather(text: str, found: list[str], stopped: list[str]) -> None:
    for phrase, run, word, star in _PIECE.findall(text):
        if run:
            found += _run_terms(run)
        elif word.strip("_"):
            (stopped if not star and word.lower() in STOPWORDS else found).append(f'"{word}"{star}')
        elif _HAS_CJK.search(phrase):
            found += terms(phrase)
        elif re.search(r"[^\W_]", phrase):
            found.append(f'"{phrase}"')


def build_query(text: str) -> str | None:
    """``text`` as one FTS5 MATCH expression over the columns ``content`` and ``cjk``, terms joined by OR; None when
    nothing in it can be searched."""
    return " OR ".join(terms(text)) or None


def expression(connection: sqlite3.Connection, table: str, words: list[str], rows: int, most: int | None = None) -> str:
    """The MATCH expression for ``words`` in a full-text table of so many ``rows``: any of them in a small one,
    narrowed by the rare ones in a large one, so that about ``most`` rows (10,000) are ranked."""
    most = most or MAX_RANKED
    if rows <= LARGE_STORE:
        return " OR ".join(words)

    return narrow(words, counter(connection, table, most + 1), most)


def counter(connection: sqlite3.Connection, table: str, enough: int = 1_000) -> Callable[[str], int]:
    """What says how many rows of a full-text table match an expression; it stops counting at ``enough``."""
    limited = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT {enough})"

    def count(expression: str) -> int:
        found: int = connection.execute(limited, (expression,)).fetchone()[0]
        return found

    return count


def averages(connection: sqlite3.Connection, table: str) -> tuple[int, list[int]]:
    """(rows, words in each column) of a full-text table.

    FTS5 keeps them as varints in row 1 of its data (fts5_index.c, "averages record").
    """
    record = connection.execute(f"SELECT block FROM {table}_data WHERE id = 1").fetchone()
    rows, *words = _varints(record[0] if record else b"") or [0]
    return rows, words


def _varints(data: bytes) -> list[int]:
    """Numbers as SQLite writes them: seven bits a byte, the first bit of all but the last byte set."""
    found, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            found.append(value)
            value = 0
    return found


def narrow(words: list[str], count: Callable[[str], int], most: int = MAX_RANKED) -> str:
    """The expression for a large store: rows with a rare term, ranked by all terms.

    ``count(expression)`` says how many rows match, and may stop counting at ``most + 1``. The set of rare terms grows
    by document frequency while at most ``most`` rows are ranked; where even the rarest term is commoner, rows must
    hold several of them.
    """
    everything = " OR ".join(words)
    frequencies = sorted((count(word), word) for word in words)
    frequencies = [pair for pair in frequencies if pair[0]]
    rare: list[str] = []
    rows = 0
    for frequency, word in frequencies:
        rows += frequency
        if rows > most:
            break
        rare.append(word)
    if len(rare) == len(frequencies):
        return everything
    if rare:
        return f"({' OR '.join(rare)}) AND ({everything})"
    common = [word for _, word in frequencies]
    for size in range(2, len(common) + 1):
        together = " AND ".join(common[:size])
        matching = count(together)
        if matching <= most:
            return f"({together}) AND ({everything})" if matching else everything
    return " AND ".join(common)


def _run_terms(run: str) -> list[str]:
    if len(run) == 1:
        return [f'cjk : "{run}"*']
    return [f'cjk : "{run[i : i + 2]}"' for i in range(len(run) - 1)]


def _asked(text: str) -> tuple[list[str], list[str], str]:
    """What of a text is surely its question, what may be, in order, and the whole where no more than that can be told.

    Of at most 1 KB it is all of it. Else the questions in it and its first and its last lines; without a question mark
    whole words of an end that is no line of its own may be, half a kilobyte of each.
    """
    half = MAX_BYTES // 2
    first, last = (part.encode("utf-8", "replace") for part in (text[:MAX_BYTES], text[-MAX_BYTES:]))
    if len(text) <= MAX_BYTES and len(first) <= MAX_BYTES:
        return [], [first.decode()], ""
    beginning, end = first[:half].decode("utf-8", "ignore"), last[-half:].decode("utf-8", "ignore")
    # A word that is cut in two is none; a script without spaces has none to cut.
    beginning, end = re.sub(r"(?<=\s)[\x21-\x7e]+$", "", beginning), re.sub(r"^[\x21-\x7e]+(?=\s)", "", end)
    # A question is mostly a line or some of its own: further lines are what was pasted, and so is an end without a
    # line of its own where something is asked elsewhere.
    stop, start = beginning.find("\n", _SHORT), end.rfind("\n", 0, max(len(end) - _SHORT, 0))
    lines = [beginning[:stop]] * (stop >= 0), [end[start + 1 :]] * (start >= 0)
    questions = _questions(text if len(text) <= _READ else f"{text[: _READ // 2]}\n{text[-_READ // 2 :]}")
    asked = [*lines[0], *questions, *lines[1]]
    if questions:
        return [], asked, ""
    return asked, [*(lines[0] or [beginning]), *(lines[1] or [end])], text[:_READ]


def _questions(text: str) -> list[str]:
    """The sentences of a text that end in a question mark, the first and the last of many."""
    marks = [found.end() for found in _MARKED.finditer(text)]
    marks = marks if len(marks) <= 2 * _QUESTIONS else marks[:_QUESTIONS] + marks[-_QUESTIONS:]
    return [_SENTENCE.split(text[max(0, mark - MAX_BYTES // 2) : mark - 1])[-1] for mark in marks]


def problem(path: Path, schema: db.Schema, table: str) -> str | None:
    """What is wrong with a full-text table, if anything.

    :raises WorkbenchError: when its database can't be read or locked.
    """
    try:
        with db.write(path, schema) as connection:
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    except (Corrupt, sqlite3.OperationalError):  # the latter where there is no such table
        return "its full text does not match its rows"
    return None
