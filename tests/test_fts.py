"""Queries that no input can break, on a real FTS5 table."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench import fts

DOCUMENTS = (
    "I prefer tabs over spaces",
    "修改youer服务端",
    "重跑gen-itgc后",
    "我住在广西桂林,靠近漓江",
    "雾凇 拼音 输入法",
    "猫が好きです",
    "café naïve résumé",
    "a state-of-the-art agentic-os dashboard",
    "deployed with docker compose in New York",
    "secret body",
    "code ＡＢＣ１２３ in one ﬁle",
    "visite\u0301 hier",
    "\u1112\u1161\u11ab\u1100\u1173\u11af 입력기",
    "ﾌﾟﾛｸﾞﾗﾑを書く",
    "am Straßenbahnanschluß 🎉👩🏽‍🚀 vorbei",
)
HOSTILE = [
    "multi-agent", '"', "a AND", "*", "NEAR(", "NEAR(a b, 2)", "col:x", "content:x", "^", "^x", "-x", "\x00",
    "(" * 2_000,
    "b : secret", "{a b}:x", "body:x OR rowid:*", "don't use agents", "Downloads/transcripts", "GB/s", "\ud800 x",
    '"--error-on-warnings"', "x\x00y", '"a', 'a"b"c', '""', '"" OR ""', "🎉🚀", "%_\\", "'; DROP TABLE x; --", "_ __",
    "".join(chr(code) for code in range(1, 128)), "ª º ʰ ⅷ ² ½", "\u0301\u0301", "न्म नमस्ते",
    "ｆｕｌｌ ｗｉｄｔｈ", "ﾊﾝｶｸ",
]  # fmt: skip


@pytest.fixture(scope="module")
def table() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE f USING fts5(content, cjk, tokenize='porter unicode61 remove_diacritics 2')"
    )
    connection.executemany("INSERT INTO f VALUES (?, ?)", [(text, fts.cjk_bigrams(text)) for text in DOCUMENTS])
    yield connection
    connection.close()


def matches(table: sqlite3.Connection, query: str) -> list[str]:
    expression = fts.build_query(query)
    if expression is None:
        return []
    return [row[0] for row in table.execute("SELECT content FROM f WHERE f MATCH ? ORDER BY rank", (expression,))]


FINDS = {
    "youer": [DOCUMENTS[1]],
    "服务端": [DOCUMENTS[1]],
    "修改youer服务端": [DOCUMENTS[1]],
    "gen-itgc": [DOCUMENTS[2]],
    "广西 OR 桂林 OR 漓江": [DOCUMENTS[3]],
    "江": [DOCUMENTS[3]],
    "广": [DOCUMENTS[3]],
    "雾凇拼音": [DOCUMENTS[4]],
    "猫": [DOCUMENTS[5]],
    "Straßenbahnanschluss": [DOCUMENTS[-1]],
    "STRASSENBAHNANSCHLUSS": [DOCUMENTS[-1]],
    "🎉": [DOCUMENTS[-1]],
    "👩🚀 🚀": [DOCUMENTS[-1]],
    "😀": [],
    "好き": [DOCUMENTS[5]],
    "Cafe RESUME": [DOCUMENTS[6]],
    "agentic-os dashboard": [DOCUMENTS[7]],
    "what do I prefer?": [DOCUMENTS[0]],
    "preferring a tab": [DOCUMENTS[0]],
    '"new york"': [DOCUMENTS[8]],
    '"york new"': [],
    "dock*": [DOCUMENTS[8]],
    "dock": [],
    "content : nothing": [],
    "the": [DOCUMENTS[7]],
    "zebra": [],
    "cafe\u0301 re\u0301sume\u0301": [DOCUMENTS[6]],
    "好\u304dか\u3099": [DOCUMENTS[5]],
    "猫\u304b\u3099": [DOCUMENTS[5]],
    "ＡＢＣ１２３": [DOCUMENTS[10]],
    "ABC123": [DOCUMENTS[10]],
    "abc*": [DOCUMENTS[10]],
    "file": [DOCUMENTS[10]],
    "ﬁle": [DOCUMENTS[10]],
    "ｄｏｃｋｅｒ": [DOCUMENTS[8]],
    '"ｎｅｗ york"': [DOCUMENTS[8]],
    "visité": [DOCUMENTS[11]],
    "한글": [DOCUMENTS[12]],
    "\u110b\u1175\u11b8\u1105\u1167\u11a8": [DOCUMENTS[12]],
    "プログラム": [DOCUMENTS[13]],
    "ﾌﾟﾛｸﾞﾗﾑ": [DOCUMENTS[13]],
}


@pytest.mark.parametrize("query", FINDS)
def test_finds(query: str, table: sqlite3.Connection) -> None:
    assert matches(table, query) == FINDS[query]


@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_queries_are_words(query: str, table: sqlite3.Connection) -> None:
    matches(table, query)


@given(st.text())
@example('"" "x')
def test_any_text_is_a_valid_query(table: sqlite3.Connection, query: str) -> None:
    matches(table, query)
    words = fts.terms(query)
    assert len(words) <= fts.MAX_TERMS
    for expression in (" AND ".join(words), fts.narrow(words, lambda _: 20_000), fts.narrow(words, len)):
        if words:
            table.execute("SELECT count(*) FROM f WHERE f MATCH ?", (expression,)).fetchone()


EXPRESSIONS = {
    'say "hi" to o*': '"say" OR "hi" OR "o"*',
    "Tabs tabs TABS": '"TABS"',
    "who is it": '"who" OR "is" OR "it"',
    "修改youer": 'cjk : "修改" OR "youer"',
    "??!": None,
    "🎉": 'cjk : "emoji1f389"',
    "Straße": '"Straße" OR "Strasse"',
    "___": None,
    "ＮＥＷ": '"ＮＥＷ" OR "NEW"',
    "re\u0301sume\u0301": '"résumé"',
    "": None,
}


@pytest.mark.parametrize("query", EXPRESSIONS)
def test_expression(query: str) -> None:
    assert fts.build_query(query) == EXPRESSIONS[query]


def test_limits() -> None:
    """Of a long text its beginning and its end are searched; a megabyte is cut before it is looked at."""
    pasted = " ".join(f"w{number}" for number in range(400))
    for question, expected in (
        ("zebra crossing ", ['"zebra"', '"crossing"']),
        ("斑马线 ", ['cjk : "斑马"', 'cjk : "马线"']),
    ):
        assert fts.terms(question + pasted)[:2] == expected
        assert fts.terms(pasted + " " + question)[-2:] == expected
        assert fts.terms(pasted + " " + question + pasted)[:2] == ['"w0"', '"w1"']
    question, code = "Which zebra crossing did we paint last summer?", "\n".join([pasted[:60]] * 30)
    alone = fts.terms(question)
    assert fts.terms(f"{question}\n\n{code}")[: len(alone)] == alone
    assert fts.terms(f"{code}\n\n{question}")[-len(alone) :] == alone
    assert fts.terms(f"{question}\n\n{pasted}") == fts.terms(f"{pasted}\n\n{question}") == alone
    words = fts.terms(pasted)
    assert len(words) == fts.MAX_TERMS
    assert (words[0], words[31], words[32], words[-1]) == ('"w0"', '"w31"', '"w368"', '"w399"')
    assert set(fts.terms("alphabet " * 400)) == {'"alphabet"'}
    assert len((fts.build_query("猫犬" * 500_000) or "").encode()) < 16 * fts.MAX_BYTES
    started = time.process_time()
    fts.build_query("(" * 1_000_000)
    assert time.process_time() - started < 30  # a guard against a hang, not a measurement


def test_the_question_in_a_long_prompt_is_read_wherever_it_stands() -> None:
    words = [f"filler{number}" for number in range(3_000)]
    asked = fts.terms("Which database does the zanzibar ledger run on?")
    before, behind = " ".join(words[:1_500]), " ".join(words[1_500:])
    last = "\nAnswer in one short sentence, please."
    for mark in ("?", " ?"):
        question = f"Which database does the zanzibar ledger run on{mark}"
        for prompt in ("{0} {1} {2}", "{1}. {0} {2}", "{1}\n{0}\n{2}"):
            found = fts.terms(prompt.format(question, before, behind) + last)
            assert set(asked) <= set(found), prompt
            assert len([term for term in found if "filler" in term]) < 10
    # Without a mark the rarest words that are known at all.
    told = f"{before} tell me which database the zanzibar ledger runs on {behind}{last}"
    rows = {'"zanzibar"': 1, '"ledger"': 3, '"database"': 40} | {f'"{word}"': 500 for word in words[1_300:]}
    found = fts.terms(told, lambda term: rows.get(term, 0))
    assert {'"zanzibar"', '"ledger"', '"database"', '"Answer"'} <= set(found)
    assert len(found) == fts.MAX_TERMS
    assert fts.terms("see https://example.org/?a=b and x?y:z " * 60)[:2] == ['"see"', '"https"']
    assert len(fts.terms("谁在用这个数据库？" + "猫犬" * 2_000)) == 7


def test_bigrams() -> None:
    assert fts.cjk_bigrams("plain words, café") is None
    assert fts.cjk_bigrams("在修改youer服务端 and 猫") == "在修 修改 改 youer 服务 务端 端 猫"


NARROWED = {
    "all rare": ({"a": 10, "b": 20}, "a OR b"),
    "one common": ({"a": 10, "b": 9_000, "c": 9_999}, "(a OR b) AND (a OR b OR c)"),
    "unknown words do not count": ({"a": 0, "b": 5}, "a OR b"),
    "nothing known": ({"a": 0}, "a"),
    "all common, together rare": ({"a": 10_001, "b": 10_001, "a AND b": 50}, "(a AND b) AND (a OR b)"),
    "all common, never together": ({"a": 10_001, "b": 10_001, "a AND b": 0}, "a OR b"),
    "all common, together too": ({"a": 10_001, "b": 10_001, "a AND b": 10_001}, "a AND b"),
    "one word": ({"a": 10_001}, "a"),
}


@pytest.mark.parametrize("name", NARROWED)
def test_narrow(name: str) -> None:
    counts, expected = NARROWED[name]
    assert fts.narrow([word for word in counts if " " not in word], counts.__getitem__) == expected


def test_varints_are_read_as_sqlite_writes_them() -> None:
    assert fts._varints(bytes([5, 0x81, 0x00, 0xFF, 0x7F])) == [5, 128, 16383]
