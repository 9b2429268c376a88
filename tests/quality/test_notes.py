"""One table: how well each weighing of words and meaning finds the lines of a note that answer a question.

``notes/vault`` is half a year of somebody's notes; ``notes/questions.jsonl`` has a question a line, its kind, and the
stretches that answer it: ``[path, first line, last line]``, none where nothing does.
"""

from __future__ import annotations

import json
import shutil
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.homes import fresh_home
from workbench.config import MemorySearch
from workbench.home import Home
from workbench.index import embed, note_vectors, search, store
from workbench.index.search import Found, Weights
from workbench.operations import embedding

HERE = Path(__file__).parent / "notes"
DEPTH = 10
SETTINGS = MemorySearch()
DEFAULT = f"{SETTINGS.vector_weight} / {SETTINGS.text_weight}"
# Without weights no vectors are asked for.
METHODS: dict[str, Weights | None] = {
    "words alone": None,
    "vectors alone": Weights(1.0, 0.0),
    **{f"{vector} / {text}": Weights(vector, text) for vector, text in ((0.7, 0.3), (0.5, 0.5), (0.3, 0.7))},
}
Measure = Callable[["Answer"], float]


@dataclass(frozen=True)
class Question:
    """A question and the stretches of notes that answer it: (path, first line, last line)."""

    kind: str
    text: str
    answers: tuple[tuple[str, int, int], ...]

    def rank(self, found: Sequence[Found]) -> int | None:
        """The place, from 1, of the first result that overlaps an answer."""
        for place, each in enumerate(found, 1):
            if any(
                each.path == f"memory/{path}" and each.start <= last and first <= each.end
                for path, first, last in self.answers
            ):
                return place
        return None


@dataclass(frozen=True)
class Answer:
    """What a method answers, best first.

    :param found: at any score; ``shown``: at the least score that is shown by default.
    """

    question: Question
    found: list[Found]
    shown: list[Found]
    milliseconds: float

    @property
    def rank(self) -> int | None:
        return self.question.rank(self.found)


def at(size: int) -> Measure:
    return lambda answer: float((answer.rank or DEPTH + 1) <= size)


def reciprocal(answer: Answer) -> float:
    return 1 / answer.rank if answer.rank else 0.0


def shown(answer: Answer) -> float:
    """Whether a search with the default settings shows what answers."""
    return float(answer.question.rank(answer.shown[: SETTINGS.max_results]) is not None)


def lost(answer: Answer) -> float:
    """Whether what answers is there, and scores too little to be shown."""
    return float(answer.rank is not None and answer.question.rank(answer.shown) is None)


MEASURES: dict[str, Measure] = {
    "hit@1": at(1),
    "hit@3": at(3),
    "MRR@10": reciprocal,
    "shown": shown,
    "lost": lost,
}


def questions() -> list[Question]:
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    return [Question(each["kind"], each["question"], tuple(map(tuple, each["answers"]))) for each in read]


def ask(home: Home, question: Question, weights: Weights | None) -> Answer:
    def found(least: float) -> list[Found]:
        near = note_vectors.near(home, question.text)[0] if weights else None
        with store.reading(home) as connection:
            cosines = near.cosines(connection) if near else None
            return search.search(connection, question.text, DEPTH, least, weights or Weights(), cosines)

    begun = time.process_time()
    shown = found(SETTINGS.min_score)
    return Answer(question, found(0.0), shown, milliseconds=(time.process_time() - begun) * 500)


def means(answers: Sequence[Answer]) -> dict[str, float]:
    return {name: statistics.mean(map(measure, answers)) for name, measure in MEASURES.items()}


def difference(answers: Sequence[Answer], others: Sequence[Answer], measure: Measure) -> str:
    """How much more ``answers`` have than ``others``, with the interval of 95 % over the questions drawn anew."""
    each = np.array([measure(one) - measure(other) for one, other in zip(answers, others, strict=True)])
    drawn = np.random.default_rng(5).integers(len(each), size=(4_000, len(each)))
    low, high = np.quantile(each[drawn].mean(axis=1), (0.025, 0.975))
    return f"{each.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[Answer]]]:
    """Method → its answer to each question."""
    home = fresh_home(tmp_path_factory.mktemp("notes") / "home")
    if embed.load(home) is None:
        pytest.skip("the vectors extra is not installed: nothing was measured")
    shutil.copytree(HERE / "vault", home.memory, dirs_exist_ok=True)
    embedding.embed_read(home)
    asked = questions()
    found = {name: [ask(home, each, weights) for each in asked] for name, weights in METHODS.items()}
    show(found)
    yield found


def show(found: dict[str, list[Answer]]) -> None:
    named = "".join(f" {name:>7}" for name in (*MEASURES, "nothing", "ms"))
    print(f"\n{'vectors / words':<18}{named}   hit@3 and shown, more than {DEFAULT}")
    answerable = {name: [each for each in answers if each.question.answers] for name, answers in found.items()}
    for name, answers in found.items():
        nothing = [not each.shown for each in answers if not each.question.answers]
        figures = [*means(answerable[name]).values(), statistics.mean(nothing)]
        cost = statistics.median(each.milliseconds for each in answers)
        more = [difference(answerable[name], answerable[DEFAULT], measure) for measure in (at(3), shown)]
        print(f"  {name:<16}" + "".join(f" {each:7.3f}" for each in figures) + f" {cost:7.1f}   {'  '.join(more)}")
    print(f"\n{'shown, by kind':<18}" + "".join(f" {name:>13}" for name in found))
    for kind, few in by_kind(answerable).items():
        size = len(next(iter(few.values())))
        print(f"  {kind:<11} {size:>4}" + "".join(f" {means(each)['shown']:13.3f}" for each in few.values()))


def by_kind(found: dict[str, list[Answer]]) -> dict[str, dict[str, list[Answer]]]:
    kinds: defaultdict[str, dict[str, list[Answer]]] = defaultdict(dict)
    for name, answers in found.items():
        for answer in answers:
            kinds[answer.question.kind].setdefault(name, []).append(answer)
    return kinds


def test_questions_are_about_the_notes() -> None:
    asked = questions()
    assert len({each.text for each in asked}) == len(asked) >= 128
    assert len(list((HERE / "vault").rglob("*.md"))) >= 64
    for path, first, last in (answer for each in asked for answer in each.answers):
        lines = (HERE / "vault" / path).read_text(encoding="utf-8").splitlines()
        assert 1 <= first <= last <= len(lines), path


def test_exact_words_are_found_by_every_method(table: dict[str, list[Answer]]) -> None:
    for name, answers in table.items():
        for answer in (each for each in answers if each.question.kind == "exact"):
            assert answer.rank == 1, (name, answer.question.text)
            assert answer.found[0].score >= 0.9, (name, answer.question.text)


def test_what_nothing_answers_gives_nothing_by_words(table: dict[str, list[Answer]]) -> None:
    for answer in table["words alone"]:
        assert answer.question.answers or not answer.shown, answer.question.text


def test_vectors_hide_nothing_that_words_show(table: dict[str, list[Answer]]) -> None:
    for alone, both in zip(table["words alone"], table[DEFAULT], strict=True):
        if len(both.shown) < DEPTH:
            assert {each.n for each in alone.shown} <= {each.n for each in both.shown}, alone.question.text


def test_both_together_find_more_than_either(table: dict[str, list[Answer]]) -> None:
    answerable = {name: [each for each in answers if each.question.answers] for name, answers in table.items()}
    both = means(answerable[DEFAULT])
    for alone in ("words alone", "vectors alone"):
        one = means(answerable[alone])
        assert all(both[measure] > one[measure] for measure in ("hit@1", "hit@3", "MRR@10", "shown")), alone
