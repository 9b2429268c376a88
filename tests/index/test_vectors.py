"""Packed vectors against plain arithmetic."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from workbench.index import vectors
from workbench.index.vectors import Matrix, pack

DIMENSION = 48
COUNT = 3_000


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def matrix(rows: np.ndarray, names: Sequence[str], first: int = 1) -> Matrix:
    """As it comes from a file."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (n INTEGER, name TEXT, vector BLOB)")
    packed = [(first + i, name, row.tobytes()) for i, (name, row) in enumerate(zip(names, pack(rows), strict=True))]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", packed)
    return Matrix.of(connection.execute("SELECT * FROM t ORDER BY n"), len(names), rows.shape[1])


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    """Clusters, as vectors of texts have them."""
    chance = np.random.default_rng(7)
    centres = chance.standard_normal((60, DIMENSION))
    return unit(centres[chance.integers(0, 60, COUNT)] + 0.7 * chance.standard_normal((COUNT, DIMENSION)))


@pytest.fixture(scope="module")
def names() -> list[str]:
    order = np.random.default_rng(8).permutation(COUNT)
    return [f"m_{number:05}" for number in order]


@pytest.fixture(scope="module")
def many(rows: np.ndarray, names: list[str]) -> Matrix:
    return matrix(rows, names)


def test_cosines_are_those_of_the_numbers_before_packing(many: Matrix, rows: np.ndarray, names: list[str]) -> None:
    for query in rows[::500]:
        found = dict(many.nearest(query, COUNT))
        assert np.array([found[name] for name in names]) == pytest.approx(rows @ query, abs=0.01)


def test_the_nearest_are_the_exact_nearest(many: Matrix, rows: np.ndarray, names: list[str]) -> None:
    found = 0
    for query in rows[::30]:
        exact = {names[i] for i in np.argsort(-(rows @ query))[:10]}
        found += len(exact & {name for name, _ in many.nearest(query, 10)})
    assert found / (10 * len(rows[::30])) >= 0.98


def test_a_vector_is_nearest_to_itself(many: Matrix, rows: np.ndarray, names: list[str]) -> None:
    for place in range(0, COUNT, 250):
        ((name, cosine),) = many.nearest(rows[place], 1)
        assert (name, cosine) == (names[place], pytest.approx(1, abs=0.001))
        assert cosine <= 1


@pytest.mark.parametrize("scale", [1e-3, 1, 1e3])
def test_packing_knows_no_scale(rows: np.ndarray, scale: float) -> None:
    assert (pack(rows * np.float32(scale)) == pack(rows)).all()
    assert np.abs(pack(rows)).max(axis=1).tolist() == [127] * COUNT


@pytest.mark.parametrize("limit", [0, 1, 10, 300, COUNT, COUNT + 5])
def test_limits(many: Matrix, rows: np.ndarray, limit: int) -> None:
    best = many.nearest(rows[0], limit)
    assert len(best) == min(limit, COUNT)
    assert best == many.nearest(rows[0], COUNT)[:limit]
    assert [cosine for _, cosine in best] == sorted((cosine for _, cosine in best), reverse=True)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_ties_go_by_name_wherever_the_rows_lie(rows: np.ndarray, backwards: bool, limit: int) -> None:
    """More equal rows than a block holds: no order of rows may decide."""
    copies = vectors._FIRST_BLOCK + 50
    labels = [f"m_{number:04}" for number in range(copies)]
    equal = matrix(np.repeat(rows[:1], copies, axis=0), labels[::-1] if backwards else labels)
    assert [name for name, _ in equal.nearest(rows[0], limit)] == labels[:limit]


@pytest.mark.parametrize("share", [0, 1, 40, 400, COUNT])
@pytest.mark.parametrize("asked", [False, True], ids=["ids", "function"])
def test_among_some(many: Matrix, rows: np.ndarray, names: list[str], share: int, asked: bool) -> None:
    """The best of the allowed ones, however far down they stand."""
    every = many.nearest(rows[0], COUNT)
    allowed = {name for name, _ in every[COUNT - share :]}
    among = allowed.intersection if asked else [*allowed, "m_unknown"]
    assert many.nearest(rows[0], 10, among) == [pair for pair in every if pair[0] in allowed][:10]


def test_a_function_is_asked_no_further_than_needed(many: Matrix, rows: np.ndarray) -> None:
    asked: list[str] = []

    def every_one(names: Sequence[str]) -> Sequence[str]:
        asked.extend(names)
        return names

    assert len(many.nearest(rows[0], 10, every_one)) == 10
    assert len(asked) < COUNT / 5


@pytest.mark.parametrize("place", [0, 3, 300, COUNT - 1])
@pytest.mark.parametrize("limit", [1, 10, COUNT])
def test_nothing_farther_than_the_least(many: Matrix, rows: np.ndarray, place: int, limit: int) -> None:
    every = many.nearest(rows[0], COUNT)
    least = every[place][1]
    assert many.nearest(rows[0], limit, least=least) == [pair for pair in every if pair[1] >= least][:limit]
    assert many.nearest(rows[0], limit, [every[-1][0]], least) == (every[-1:] if place == COUNT - 1 else [])


def test_a_function_is_not_asked_for_what_is_too_far(many: Matrix, rows: np.ndarray) -> None:
    asked: list[str] = []

    def none(names: Sequence[str]) -> Sequence[str]:
        asked.extend(names)
        return []

    assert many.nearest(rows[0], 10, none, least=0.99) == []
    assert len(asked) < COUNT / 5


def test_a_matrix_without_rows() -> None:
    nothing = matrix(np.empty((0, DIMENSION), np.float32), [])
    query = unit(np.ones((1, DIMENSION)))[0]
    assert nothing.nearest(query, 10) == []
    assert nothing.nearest(query, 10, ["m_1"]) == []
    assert nothing.nearest(query, 10, {"m_1"}.intersection) == []


def test_rows_taken_away_and_put_behind(many: Matrix, rows: np.ndarray, names: list[str]) -> None:
    half = COUNT // 2
    kept = np.arange(half) % 3 > 0
    joined = matrix(rows[:half], names[:half]).only(kept).followed_by(matrix(rows[half:], names[half:], half + 1))
    whole = many.only(np.concatenate([kept, np.ones(COUNT - half, bool)]))
    assert joined.nearest(rows[4], COUNT) == whole.nearest(rows[4], COUNT)
    assert joined.numbers.tolist() == whole.numbers.tolist()
    assert len(joined.names) == COUNT - half + kept.sum()


# More rows than are compared one by one

MANY = vectors._ONE_BY_ONE + 1_000
FIELDS = {"noise": (0, 1.0), "small clusters": (400, 0.7), "large clusters": (12, 1.0), "one cluster": (1, 1.0)}


@dataclass(frozen=True)
class Field:
    """Many vectors, and questions of their kind."""

    matrix: Matrix
    queries: np.ndarray

    def exactly(self, query: np.ndarray, limit: int) -> list[str]:
        return self.matrix.names[np.argsort(-self.matrix.cosines(query), kind="stable")[:limit]].tolist()


@pytest.fixture(scope="module", params=FIELDS)
def field(request: pytest.FixtureRequest) -> Field:
    clusters, width = FIELDS[request.param]
    chance = np.random.default_rng(9)
    centres = chance.standard_normal((max(clusters, 1), 384), dtype=np.float32) + 0.5

    def drawn(count: int) -> np.ndarray:
        around = centres[chance.integers(0, clusters, count)] if clusters else 0
        return unit(around + width * chance.standard_normal((count, 384), dtype=np.float32))

    many = matrix(drawn(MANY), [f"m_{number:05}" for number in range(MANY)])
    many.nearest(drawn(1)[0], 1)  # the first question is answered one by one
    return Field(many, drawn(30))


def test_of_many_the_nearest_are_nearly_always_the_exact_nearest(field: Field) -> None:
    found = sum(
        len({name for name, _ in field.matrix.nearest(query, 10)} & set(field.exactly(query, 10)))
        for query in field.queries
    )
    assert found / (10 * len(field.queries)) >= 0.98


@pytest.mark.parametrize("field", ["small clusters", "large clusters"], indirect=True)
def test_of_many_few_are_looked_at_by_all_their_numbers(field: Field, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    unpacked = vectors._unpacked

    def counted(rows: np.ndarray, places: np.ndarray | None = None) -> object:
        looked_at.append(len(rows) if places is None else len(places))
        return unpacked(rows, places)

    field.matrix.cosines_of_sample(field.queries[0])
    monkeypatch.setattr(vectors, "_unpacked", counted)
    for query in field.queries:
        field.matrix.nearest(query, 10)
    assert sum(looked_at) / len(field.queries) < 0.5 * MANY, "the sample is a quarter of so few"


@pytest.mark.parametrize("limit", [0, 1, 300, MANY + 5])
def test_of_many_the_order_and_the_cosines_are_exact(field: Field, limit: int) -> None:
    query = field.queries[0]
    best = field.matrix.nearest(query, limit)
    assert len(best) == min(limit, MANY)
    assert best == sorted(best, key=lambda pair: (-pair[1], pair[0]))
    cosines = field.matrix.seen_from(query).of([name for name, _ in best])
    assert [cosine for _, cosine in best] == pytest.approx(list(cosines.values()), abs=1e-5)


def test_among_many_the_allowed_are_found_however_far(field: Field) -> None:
    query = field.queries[0]
    far = field.exactly(query, MANY)[-40:]
    asked: list[str] = []

    def allowed(names: Sequence[str]) -> set[str]:
        asked.extend(names)
        return set(names) & set(far)

    assert [name for name, _ in field.matrix.nearest(query, 50, allowed)] == far
    assert len(asked) == len(set(asked)) == MANY, "nobody is asked about twice"
    near = field.exactly(query, 9_000)
    assert [name for name, _ in field.matrix.nearest(query, 3, far + near)] == near[:3]


def test_of_many_nothing_farther_than_the_least(field: Field) -> None:
    query = field.queries[0]
    least = float(np.sort(field.matrix.cosines(query))[-30]) - 1e-6
    found = field.matrix.nearest(query, 100, least=least)
    assert len(set(field.exactly(query, 30)) - {name for name, _ in found}) <= 1
    assert len(found) <= 30
    assert field.matrix.nearest(query, 100, least=1.5) == []


def test_of_many_the_spread_is_that_of_a_sample(field: Field) -> None:
    query = field.queries[0]
    cosines, sight = field.matrix.cosines(query), field.matrix.seen_from(query)
    assert sight.mean == pytest.approx(cosines.mean(), abs=0.005)
    assert sight.spread == pytest.approx(cosines.std(), rel=0.1)


def test_many_equal_rows(rows: np.ndarray) -> None:
    names = [f"m_{number:05}" for number in range(MANY)]
    equal = matrix(np.repeat(rows[:1], MANY, axis=0), names[::-1])
    for _ in range(2):  # one by one, then by signs
        assert [name for name, _ in equal.nearest(rows[0], 5)] == names[:5]
