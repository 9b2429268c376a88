"""Which messages answer a question best."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from workbench import db, fts
from workbench.home import Home
from workbench.sessions import index, ranking, store
from workbench.sessions.filters import ANY, Filter
from workbench.sessions.index import SCHEMA
from workbench.sessions.model import Message, Session
from workbench.sessions.ranking import Nearness


def fill(home: Home, **talks: Sequence[str | Message]) -> Home:
    """Conversations by their names; a text is what the user and the assistant say in turn."""
    for name, said in talks.items():
        messages = [
            each
            if isinstance(each, Message)
            else Message(f"{name}{n}", "assistant" if n % 2 else "user", "assistant" if n % 2 else "user", each)
            for n, each in enumerate(said)
        ]
        store.merge(home, Session(f"x:{name}"), messages)
    index.sync(home)
    return home


def ranked(home: Home, question: str, wanted: Filter = ANY, near: dict[str, float] | None = None) -> list[str]:
    """The identities of the messages found, the best first."""
    return [name for name, _ in scored(home, question, wanted, near)]


def scored(
    home: Home, question: str, wanted: Filter = ANY, near: dict[str, float] | None = None
) -> list[tuple[str, ranking.Hit]]:
    with db.read(home.session_index, SCHEMA) as connection:
        names = dict(connection.execute("SELECT n, identity FROM messages").fetchall())
        numbers = {name: n for n, name in names.items()}
        nearest = {numbers[name]: cosine for name, cosine in (near or {}).items()}
        nearness = Nearness(nearest, 0.1, others=lambda asked: dict.fromkeys(asked, 0.0)) if near else None
        return [(names[hit.n], hit) for hit in ranking.rank(connection, question, wanted, 50, nearness).hits]


FILLER = ["Good morning to all of you.", "The weather is fine.", "Lunch was late.", "See you soon then."]


def test_an_answer_is_found_by_its_question(home: Home) -> None:
    fill(home, a=[*FILLER, "Which database do we use for billing?", "MariaDB, since spring.", *FILLER], b=FILLER * 3)
    assert ranked(home, "billing database")[:2] == ["a4", "a5"]


def test_a_long_message_is_read_alone(home: Home) -> None:
    long = "Nothing of it here. " * 200
    fill(home, a=["Which database for billing?", long, *FILLER], b=["Which database for billing?", "MariaDB.", *FILLER])
    hits = dict(scored(home, "billing database"))
    assert hits["b1"].words > 10 * hits["a1"].words


def test_neighbours_are_of_the_same_conversation_and_were_said(home: Home) -> None:
    hidden = Message("w", "user", "user", "Our billing database is Oracle.", state="withdrawn")
    told = Message("h", "user", "harness", "Our billing database is Oracle.")
    fill(home, a=["Our billing database is MariaDB."], b=[hidden, "Fine."], c=[told, "Good."], d=FILLER * 2)
    assert ranked(home, "billing database") == ["a0"]


def test_results_of_tools_do_not_stand_between_what_is_said(home: Home) -> None:
    tools = [Message(f"t{n}", "tool", "tool", "exit code 0") for n in range(3)]
    fill(home, a=["Which database for billing?", *tools, "MariaDB."], b=FILLER * 3)
    assert ranked(home, "billing database") == ["a0", "a4"]


def test_the_score_is_the_formula(home: Home) -> None:
    """Two messages, worked out by hand."""
    fill(home, a=["alpha beta", "gamma delta epsilon"])
    (first, hit), (second, other) = scored(home, "alpha")
    idf = max(1e-6, math.log((2 - 1 + 0.5) / (1 + 0.5)))
    mean = 2.5 * (1 + 6 * math.exp(-2.5 * 6 / 800))
    shares = [math.exp(-len(text) / 800) for text in ("alpha beta", "gamma delta epsilon")]
    lengths = [2 + shares[0] * 3, 3 + shares[1] * 2]
    times = [1.0, 0.6 * shares[1]]
    expected = [
        idf * t / (t + 1.2 * (0.25 + 0.75 * length / mean)) / idf for t, length in zip(times, lengths, strict=True)
    ]
    assert (first, second) == ("a0", "a1")
    assert [hit.words, other.words] == pytest.approx(expected)
    assert hit.score == hit.words and hit.cosine is None


def test_a_share_of_the_question_is_at_most_one(home: Home) -> None:
    fill(home, a=["alpha " * 300, "alpha alpha", "nothing"], b=["beta"])
    assert all(0 < hit.words < 1 for _, hit in scored(home, "alpha"))
    alone = dict(scored(home, "alpha"))["a0"].words
    assert dict(scored(home, "alpha zyzzyva"))["a0"].words < 0.6 * alone
    assert ranked(home, "zyzzyva xylograph") == []


def test_meaning_finds_what_words_do_not(home: Home) -> None:
    fill(home, a=["We moved to a flat by the harbour.", "Nice."], b=["The billing database is MariaDB."], c=FILLER * 3)
    assert ranked(home, "billing database")[0] == "b0"
    assert "a0" not in ranked(home, "billing database")
    hits = dict(scored(home, "billing database", near={"a0": 0.6, "b0": 0.1}))
    assert hits["a0"].score == pytest.approx(hits["a0"].words + ranking._BY_MEANING * 0.6 / 0.1)
    assert hits["a0"].cosine == 0.6
    assert "a1" not in hits  # next to it, but of neither


def test_while_vectors_are_made_what_has_one_is_no_better_for_it(home: Home) -> None:
    fill(home, a=["The billing database.", *FILLER], b=["The billing database.", *FILLER], c=["A flat.", *FILLER])
    with db.read(home.session_index, SCHEMA) as connection:
        names = dict(connection.execute("SELECT identity, n FROM messages").fetchall())
        near = Nearness({names["a0"]: 0.6, names["c0"]: 0.6}, 0.1)
        hits = {hit.n: hit for hit in ranking.rank(connection, "billing database", ANY, 9, near).hits}
        few = hits[names["c0"]].score
        assert hits[names["a0"]].score == pytest.approx(hits[names["b0"]].score)
        more = Nearness(near.cosines, 0.1, others=lambda asked: dict.fromkeys(asked, 0.0))
        hits = {hit.n: hit for hit in ranking.rank(connection, "billing database", ANY, 9, more).hits}
        assert hits[names["a0"]].score > hits[names["b0"]].score
        assert 0 < few < hits[names["c0"]].score / 2


def test_the_filter_holds_for_what_meaning_and_neighbours_find(home: Home) -> None:
    fill(home, a=["Which database for billing?", "MariaDB."], b=["I like tea."])
    users = Filter(roles=("user",))
    assert ranked(home, "billing database", users, {"a1": 0.9, "b0": 0.5}) == ["a0", "b0"]


def test_ties_are_the_same_every_time(home: Home) -> None:
    fill(home, **{name: ["alpha beta"] for name in "abcdefgh"}, z=FILLER)
    assert ranked(home, "alpha") == [f"{name}0" for name in "hgfedcba"]


def test_a_large_store_gives_the_same_scores(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        fill(home, **{name: [f"common text {n}" for n in range(40)] + [f"common zebra{name} text"]})
    before = scored(home, "common zebrab")
    assert before[0][0] == "b40"
    monkeypatch.setattr(fts, "LARGE_STORE", 10)
    monkeypatch.setattr(ranking, "MOST_RANKED", 20)
    assert scored(home, "common zebrab")[0] == before[0]


def test_the_date_and_the_speaker_are_words_of_a_message(home: Home) -> None:
    spoken = Message("m", "user", "user", "We met at the pier.", "2026-05-08T10:00:00Z", name="Caroline")
    other = Message("o", "user", "user", "We met at the pier.", "2026-06-09T10:00:00Z", name="Mel")
    fill(home, a=[spoken], b=[other], c=FILLER * 3)
    assert ranked(home, "met at the pier in May 2026")[0] == "m"
    assert ranked(home, "what did Mel say of the pier")[0] == "o"


def test_a_number_or_a_month_is_what_is_said_before_it_is_a_date(home: Home) -> None:
    """Dates alone find what nothing else does, behind all that says anything of the question; a date is a date."""
    on = {"o": "2026-05-08T10:00:00Z", "p": "2026-04-08T10:00:00Z", "q": "2026-03-09T10:00:00Z"}
    said = {"o": "The pier was nice.", "p": "It may rain at the pier.", "q": "Bus 8 is the best."}
    fill(home, **{name: [Message(name, "user", "user", said[name], on[name])] for name in on}, z=FILLER * 3)
    assert ranked(home, "8") == ["q"]
    assert ranked(home, "may") == ["p"]
    assert ranked(home, "april") == ["p"], "nobody says it: then the date does"
    assert ranked(home, "april bus") == ["q", "p"]
    assert ranked(home, "what was on 8 May 2026")[0] == ranked(home, "what was on May 8")[0] == "o"
    assert ranked(home, "in march")[0] == "q"
    assert dict(scored(home, "8 may 2026"))["o"].words > 0.3


def test_the_numbers_of_dates_hide_no_message_that_says_one(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    dated = [Message(f"d{n}", "user", "user", "Fine.", "2026-05-08T10:00:00Z") for n in range(9)]
    told = Message("told", "user", "user", "We paid 8 at the gate, after a long walk along the river.", "2026-01-01")
    fill(home, a=[*dated, told], b=FILLER)
    monkeypatch.setattr(ranking, "CANDIDATES", 3)
    assert ranked(home, "8")[0] == "told"


def test_a_conversation_is_as_good_as_its_two_best_messages() -> None:
    def hit(n: int, key: str, score: float, share: float = 1.0) -> ranking.Hit:
        return ranking.Hit(n, key, score, score, None, share)

    hits = [hit(1, "one", 0.8), hit(2, "two", 0.6), hit(3, "two", 0.5), hit(4, "two", 0.5), hit(5, "long", 0.45)]
    hits += [hit(6, "long", 0.44, 0.1), hit(7, "tie", 0.2), hit(8, "newer", 0.2), hit(9, "newer", -0.1)]
    assert [found.n for found in ranking.conversations(hits)] == [2, 1, 5, 8, 7]
    assert ranking.conversations([]) == []
