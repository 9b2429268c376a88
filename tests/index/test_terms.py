"""Terms are recognised in texts as the full-text index recognises them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT
from workbench import fts
from workbench.index.terms import Matcher, passage, stem, terms_of

WORDS = """
running runs ran ties skies happily happiness relational rationalize sensibility ability agreed feed plastered
motoring sized hopping falling hissing failing filing happy sky enjoy key geology apology bubbly assembly possibly
conditional valency hesitancy digitizer conformably radically vileness operator feudalism decisiveness hopefulness
callousness formality sensitivity triplicate formative electricity hopeful goodness revival allowance inference
airliner adjustable defensible replacement adjustment dependent adoption communism activate angularity effective
bowdlerize probate rate cease controlling rolling as is 1s cs café château élan naïve Über файл 日本
""".split()  # noqa: SIM905 - a table


def index_of(texts: list[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(x, cjk, tokenize='porter unicode61 remove_diacritics 2')")
    rows = [(n, text, fts.cjk_bigrams(text)) for n, text in enumerate(texts)]
    connection.executemany("INSERT INTO f (rowid, x, cjk) VALUES (?, ?, ?)", rows)
    return connection


def test_stems_are_those_of_the_index() -> None:
    connection = index_of(WORDS)
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
    stored = dict(connection.execute("SELECT doc, term FROM v WHERE col = 'x'").fetchall())
    assert {word: stem(word.lower()) for word in WORDS} == {word: stored[n] for n, word in enumerate(WORDS)}


def test_words_of_the_readme_have_the_stems_of_the_index() -> None:
    words = sorted({word for word in (ROOT / "README.md").read_text().lower().split() if word.isalpha()})
    connection = index_of(words)
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
    stored = dict(connection.execute("SELECT doc, term FROM v WHERE col = 'x'").fetchall())
    assert len(words) > 300
    assert [word for n, word in enumerate(words) if stem(word) != stored[n]] == []


def test_terms_of_a_question() -> None:
    terms = terms_of('When did Ada go to the "red house" with child* and 雾凇?')
    assert [term.expression for term in terms] == [
        '"Ada"',
        '("go" OR "went" OR "gone")',
        '"red house"',
        '"child"*',
        'cjk : "雾凇"',
    ]
    assert terms_of("went go gone") == terms_of("go")
    assert terms_of("the of and")[0].expression == '"the"'


COUNTS = {
    "I ran and she runs, running everywhere": ("run", 3),
    "prerun overrun": ("run", 0),
    "We went; you go; they've gone": ("go", 3),
    "Red houses, red house; house red": ('"red house"', 2),
    "unwritten write-up writes": ("writ*", 2),
    "雾凇拼音，雾凇": ("雾凇", 2),
    "修改youer服务端": ("youer", 1),
    "Le château, les CHÂTEAUX": ("chateau", 1),
    "café cafés": ("cafe", 2),
    "snake_case_name": ("snake_case", 1),
}


@pytest.mark.parametrize("text", COUNTS)
def test_terms_are_counted(text: str) -> None:
    question, times = COUNTS[text]
    counts, _ = Matcher(terms_of(question)).count(text, fts.cjk_bigrams(text))
    assert sum(counts.values()) == times


@given(st.lists(st.sampled_from([*WORDS, "雾凇拼音", "修改youer服务端", "red", "house"]), max_size=30))
def test_what_the_index_finds_is_counted_and_nothing_else(words: list[str]) -> None:
    text = " ".join(words)
    connection = index_of([text])
    for question in ("run", "agree", "hop", "sky", "cafe", "file", "雾凇", "youer", '"red house"', "rat*"):
        (term,) = terms_of(question)
        found = connection.execute("SELECT count(*) FROM f WHERE f MATCH ?", (term.expression,)).fetchone()[0]
        counts, _ = Matcher([term]).count(text, fts.cjk_bigrams(text))
        assert bool(counts) == bool(found), question


def marked(text: str, question: str, size: int = 60) -> str:
    terms = terms_of(question)
    return passage(text, Matcher(terms), [1.0] * len(terms), size)


def test_a_passage_marks_what_was_asked() -> None:
    assert marked("What about kubernetes?", "kubernetes") == "What about >>>kubernetes<<<?"
    assert marked("Nothing of that.", "kubernetes") == "Nothing of that."
    assert marked("我喜欢雾凇拼音", "雾凇") == "我喜欢>>>雾凇<<<拼音"
    assert marked("我喜欢雾凇拼音输入", "雾凇拼音 输") == "我喜欢>>>雾凇拼音输<<<入"
    assert marked("修改youer服务端", "youer服务") == "修改>>>youer服务<<<端"
    assert marked("Am Straßenbahnanschluß.", "strassenbahnanschluss") == "Am >>>Straßenbahnanschluß<<<."
    assert marked("He went home. The red house is old.", '"red house" go') == (
        "He >>>went<<< home. The >>>red<<< >>>house<<< is old."
    )


def test_a_passage_is_where_most_of_it_stands() -> None:
    text = f"tea {'word ' * 60} green tea and black tea {'word ' * 60}"
    said = marked(text, "green black tea")
    assert ">>>green<<< >>>tea<<< and >>>black<<< >>>tea<<<" in said
    assert said.startswith("…") and said.endswith("…") and len(said.replace(">>>", "").replace("<<<", "")) <= 62


@given(st.text(max_size=400), st.text(max_size=20), st.integers(1, 100))
def test_a_passage_says_nothing_of_its_own(text: str, question: str, size: int) -> None:
    said = marked(text, question, size).replace(">>>", "").replace("<<<", "")
    assert said.strip("…").strip() in text.replace(">>>", "").replace("<<<", "")


def test_nothing_is_read_at_import(tmp_path: Path) -> None:
    assert Matcher([]).count("some words", None) == ({}, 2)
