"""Many vectors that can be compared, packed, and the cosine of a query with each.

A few thousand are compared one by one. Of more, a query first sees one bit of each number, its sign: in how many bits
two vectors differ tells nearly how near they are, and costs a tenth. Those that differ in few are then compared by all
their numbers. How many that must be, the query's cosines with a sample of the rows say: least squares give the bits in
which a vector of a cosine differs, and how far from it one strays; looked at is what may be as near as the last one
found, by two standard deviations. Of the 10 nearest, 2 in 100 are missed at most, in clusters and in noise alike.
"""

from __future__ import annotations

import functools
import itertools
import math
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from workbench.index.embed import Vectors

    Packed = npt.NDArray[np.int8]
    Places = npt.NDArray[np.intp]

# What a vector is called in its table.
Key = TypeVar("Key", str, int)
# The names that may be found; or, of some names, those that may: asked in blocks, best first.
Among = Collection[Key] | Callable[[Sequence[Key]], Collection[Key]]

# Farther than this a vector says nothing. Against 728 everyday statements 28 of 30 made-up questions ("xyzzy") find
# nothing nearer; at 0.30 they would be 19, and at 0.40 a quarter of the paraphrases found now would be lost. Against
# 5,900 turns of chats 20 of 20 find nothing, and all but 1 % of real questions something nearer than 0.49.
MIN_COSINE = 0.35
_BLUR = 1e-5  # more than the product of equal rows can differ by their places in the matrix
_ROWS_AT_A_TIME = 1024  # as float32 they stay in the cache of the processor
_SIGNS_AT_A_TIME = 16_384  # so do their signs
_FIRST_BLOCK, _GROWTH = 256, 8
_FEW = 16  # fewer names than one in so many are picked out first
_ONE_BY_ONE = 16_384  # as many rows are compared by all their numbers
_FIRST_LOOK, _SAMPLE, _STRAYING, _MUCH = 1_000, 4_096, 2.0, 0.02


def pack(vectors: Vectors) -> Packed:
    """One byte for each number, as a share of the largest of its row: all that a cosine needs."""
    import numpy as np

    packed: Packed = np.rint(vectors * (127 / np.abs(vectors).max(axis=1, keepdims=True))).astype(np.int8)
    return packed


def _unpacked(rows: Packed, places: Places | None = None) -> Iterator[tuple[slice, Vectors]]:
    """The rows, or those at some places, as float32, part by part in one buffer: new pages cost more than the
    arithmetic."""
    import numpy as np

    count = len(rows) if places is None else len(places)
    buffer = np.empty((min(count, _ROWS_AT_A_TIME), rows.shape[1]), np.float32)
    picked = np.empty_like(buffer, np.int8)
    for start in range(0, count, _ROWS_AT_A_TIME):
        part = slice(start, min(start + _ROWS_AT_A_TIME, count))
        block = buffer[: part.stop - start]
        if places is None:
            np.copyto(block, rows[part])
        else:
            np.copyto(block, rows.take(places[part], axis=0, out=picked[: len(block)], mode="clip"))
        yield part, block


def _signs(numbers: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """One bit of each number of each row, in words of 64; those that fill the last word are 0."""
    import numpy as np

    bits = np.packbits(numbers > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return padded.view(np.uint64)


@dataclass(frozen=True)
class Matrix(Generic[Key]):
    """Packed vectors and their names; never changed, so any thread may read it.

    :param numbers: the rows' lasting numbers in the file, ascending.
    """

    numbers: npt.NDArray[np.int64]
    names: npt.NDArray[np.object_]
    rows: Packed
    lengths: npt.NDArray[np.float32]
    _looks: Iterator[int] = field(default_factory=itertools.count, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, found: sqlite3.Cursor, most: int, dimension: int) -> Matrix[Key]:
        """A matrix of the rows found (number, name, packed vector), ascending by number; there are ``most`` at most."""
        import numpy as np

        numbers, names = np.empty(most, np.int64), np.empty(most, object)
        rows, lengths = np.empty((most, dimension), np.int8), np.empty(most, np.float32)
        count = 0
        while some := found.fetchmany(_ROWS_AT_A_TIME):
            part = slice(count, count + len(some))
            numbers[part], names[part], data = zip(*some, strict=True)
            rows[part] = np.frombuffer(b"".join(data), np.int8).reshape(-1, dimension)
            count += len(some)
        for part, block in _unpacked(rows[:count]):
            np.einsum("ij,ij->i", block, block, out=lengths[part])
        return cls(numbers[:count], names[:count], rows[:count], np.sqrt(lengths[:count]))

    def only(self, kept: npt.NDArray[Any]) -> Matrix[Key]:
        """The rows at these places, or where this is true."""
        return Matrix(*(part[kept] for part in self._parts()))

    def _only_named(self, names: Collection[Key]) -> Matrix[Key]:
        import numpy as np

        places = [self.places[name] for name in frozenset(names) if name in self.places]
        return self.only(np.array(places, np.int64))

    def followed_by(self, later: Matrix[Key]) -> Matrix[Key]:
        """These rows and then those of ``later``."""
        import numpy as np

        if not len(self.names) or not len(later.names):
            return self if len(self.names) else later
        return Matrix(*(np.concatenate(parts) for parts in zip(self._parts(), later._parts(), strict=True)))

    def _parts(self) -> tuple[npt.NDArray[Any], ...]:
        return self.numbers, self.names, self.rows, self.lengths

    @functools.cached_property
    def places(self) -> dict[Key, int]:
        """The place of each name."""
        return {name: place for place, name in enumerate(self.names)}

    def nearest(
        self, query: Vectors, limit: int, among: Among[Key] | None = None, least: float = -1.0
    ) -> list[tuple[Key, float]]:
        """What ``Sight.nearest`` finds for a query (a vector of length 1); of few names no other row is looked at."""
        if among is not None and not callable(among) and len(among) < len(self.names) // _FEW:
            return self._only_named(among).seen_from(query).nearest(limit, None, least)
        return self.seen_from(query).nearest(limit, among, least)

    def seen_from(self, query: Vectors) -> Sight[Key]:
        """What a query (a vector of length 1) sees of the rows. The first one sees all of them as they are: a process
        that asks once is spared the signs."""
        return Sight(self, query, len(self.rows) <= _ONE_BY_ONE or next(self._looks) == 0)

    def cosines(self, query: Vectors, places: Places | None = None) -> Vectors:
        """The cosine of a query with every row, or with those at some places."""
        import numpy as np

        products = np.empty(len(self.rows) if places is None else len(places), np.float32)
        for part, block in _unpacked(self.rows, places):
            np.dot(block, query, out=products[part])
        products /= self.lengths if places is None else self.lengths[places]
        return products

    @functools.cached_property
    def sample(self) -> Places:
        """The places of some rows that stand for all."""
        import numpy as np

        return np.arange(0, len(self.rows), max(1, len(self.rows) // _SAMPLE))

    @functools.cached_property
    def _sampled(self) -> Matrix[Key]:
        return self.only(self.sample)

    def cosines_of_sample(self, query: Vectors) -> Vectors:
        """The cosine of a query with each row of the sample."""
        return self._sampled.cosines(query)

    @functools.cached_property
    def _words(self) -> npt.NDArray[np.uint64]:
        """The signs of the rows: one line for each 64 numbers, in which the rows follow one another."""
        import numpy as np

        words = np.empty((-(-self.rows.shape[1] // 64), len(self.rows)), np.uint64)
        for start in range(0, len(self.rows), _SIGNS_AT_A_TIME):
            part = slice(start, start + _SIGNS_AT_A_TIME)
            words[:, part] = _signs(self.rows[part]).T
        return words

    def differing(self, query: Vectors, large: bool = False) -> npt.NDArray[np.uint16]:
        """In how many signs each row differs from a query (the Hamming distance).

        :param large: count the signs of the larger numbers of the query alone, those beyond their root mean square.
        """
        import numpy as np

        counts = np.zeros(len(self.rows), np.uint16)
        words, bits = (np.empty(_SIGNS_AT_A_TIME, kind) for kind in (np.uint64, np.uint8))
        (signs,) = _signs(query[None, :])
        (masks,) = _signs(np.abs(query[None, :]) - np.sqrt(np.mean(query**2)))
        for start in range(0, len(self.rows), _SIGNS_AT_A_TIME):
            block = counts[start : start + _SIGNS_AT_A_TIME]
            part, found = words[: len(block)], bits[: len(block)]
            for line, sign, mask in zip(self._words, signs, masks, strict=True):
                np.bitwise_xor(line[start : start + len(block)], sign, out=part)
                if large:
                    np.bitwise_and(part, mask, out=part)
                np.add(block, np.bitwise_count(part, out=found), out=block)
        return counts


@dataclass(frozen=True)
class Sight(Generic[Key]):
    """A matrix as a query sees it.

    :param one_by_one: whether every row is compared by all its numbers.
    """

    matrix: Matrix[Key]
    query: Vectors
    one_by_one: bool

    @functools.cached_property
    def _sample(self) -> Vectors:
        """The cosines of all rows, or of a sample where there are many."""
        if self.one_by_one:
            return self._all
        return self.matrix.cosines_of_sample(self.query)

    @functools.cached_property
    def _all(self) -> Vectors:
        return self.matrix.cosines(self.query)

    @property
    def mean(self) -> float:
        """The mean of the cosines; of many, by a sample; 0 without rows."""
        import numpy as np

        return float(self._sample.mean(dtype=np.float64)) if len(self._sample) else 0.0

    @property
    def spread(self) -> float:
        """The standard deviation of the cosines; of many, by a sample; 0 without rows."""
        import numpy as np

        return float(self._sample.std(dtype=np.float64)) if len(self._sample) else 0.0

    def of(self, names: Iterable[Key]) -> dict[Key, float]:
        """The cosines of those of these names that have a row."""
        import numpy as np

        places = self.matrix.places
        found = {name: places[name] for name in names if name in places}
        cosines = self.matrix.cosines(self.query, np.fromiter(found.values(), np.intp, len(found)))
        return dict(zip(found, cosines.tolist(), strict=True))

    def nearest(self, limit: int, among: Among[Key] | None = None, least: float = -1.0) -> list[tuple[Key, float]]:
        """The ``limit`` names with the highest cosine, of at least ``least``; ties go by name. Where there are many
        rows, two in a hundred of these may be missed."""
        allowed = _allowed(among)
        if not limit:
            return []
        if self.one_by_one:
            return self._best(None, self._all, limit, allowed, least)
        return self._of_many(limit, allowed, least)

    def _of_many(self, limit: int, allowed: _Allowed[Key], least: float) -> list[tuple[Key, float]]:
        """What is nearest of that which differs in few signs: of the first thousand, then of what may be as near as the
        last one of these."""
        import numpy as np

        matrix = self.matrix
        differing = matrix.differing(self.query)
        within = np.cumsum(np.bincount(differing))
        first = int(np.searchsorted(within, min(max(_FIRST_LOOK, 2 * limit), within[-1])))
        looked_at = differing <= first
        found = self._among(np.flatnonzero(looked_at), limit, allowed, least)
        bar = found[-1][1] if len(found) == limit else least
        if bar <= -1:  # there is nobody to leave out
            return self._best(None, self._all, limit, allowed, least)
        reach = self._reach(differing, bar)
        if reach <= first:
            return found
        if within[min(reach, len(within) - 1)] > len(differing) * _MUCH:
            # Much is as near as noise is: the larger numbers of the query weigh three times as much, and tell more.
            differing += 2 * matrix.differing(self.query, large=True)
            reach = self._reach(differing, bar)
        return self._among(np.flatnonzero(looked_at | (differing <= reach)), limit, allowed, least)

    def _reach(self, differing: npt.NDArray[np.uint16], bar: float) -> int:
        """In how many signs a vector differs at most whose cosine is ``bar``, as the sample has it."""
        import numpy as np

        cosines = self._sample.astype(np.float64)
        bits = differing[self.matrix.sample].astype(np.float64)
        if cosines.std() < _BLUR:
            return int(differing.max())
        slope, start = np.polyfit(cosines, bits, 1)
        strays = float((bits - slope * cosines - start).std())
        return math.ceil(float(start + slope * bar) + _STRAYING * strays)

    def _among(self, places: Places, limit: int, allowed: _Allowed[Key], least: float) -> list[tuple[Key, float]]:
        return self._best(places, self.matrix.cosines(self.query, places), limit, allowed, least)

    def _best(
        self, places: Places | None, cosines: Vectors, limit: int, allowed: _Allowed[Key], least: float
    ) -> list[tuple[Key, float]]:
        """The best of the rows at some places (of all: None), whose cosines these are."""
        import numpy as np

        size = max(limit, _FIRST_BLOCK)
        near = np.flatnonzero(cosines >= least - _BLUR)
        while True:
            size = min(size, len(near))
            block = near[_highest(cosines[near], size)]
            rows = block if places is None else places[block]
            names: list[Key] = self.matrix.names[rows].tolist()
            kept = allowed(names)
            good = [place for place, name in enumerate(names) if name in kept]
            if len(good) >= limit or size == len(near):
                best = _highest(cosines[block[good]], limit)
                return [pair for pair in self._ranked(rows[good][best])[:limit] if pair[1] >= least]
            size *= _GROWTH

    def _ranked(self, places: Places) -> list[tuple[Key, float]]:
        """Some rows, the nearest first, each computed by itself, so that equal rows have equal cosines."""
        matrix = self.matrix
        exact = ((matrix.rows[places] * self.query).sum(axis=1) / matrix.lengths[places]).clip(-1, 1)
        pairs: list[tuple[Key, float]] = list(zip(matrix.names[places].tolist(), exact.tolist(), strict=True))
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


_Allowed = Callable[[Sequence[Key]], Collection[Key]]


def _allowed(among: Among[Key] | None) -> _Allowed[Key]:
    """Which of some names may be found; none is asked about twice."""
    if among is None:
        return frozenset
    ask = among if callable(among) else frozenset(among).intersection
    known: dict[Key, bool] = {}

    def allowed(names: Sequence[Key]) -> Collection[Key]:
        unknown = [name for name in names if name not in known]
        if unknown:
            found = frozenset(ask(unknown))
            known.update((name, name in found) for name in unknown)
        return {name for name in names if known[name]}

    return allowed


def _highest(values: Vectors, count: int) -> npt.NDArray[np.intp]:
    """Places of the ``count`` highest values, and of all that may tie with the last of them."""
    import numpy as np

    if count >= len(values):
        return np.arange(len(values))
    cut = np.partition(values, -count)[-count] if count else np.inf
    return np.flatnonzero(values >= cut - _BLUR)
