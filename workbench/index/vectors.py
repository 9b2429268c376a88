"""Many vectors that can be compared, packed, and the exact cosine of a query with each."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from workbench.index.embed import Vectors

    Packed = npt.NDArray[np.int8]

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
_FIRST_BLOCK, _GROWTH = 256, 8
_FEW = 16  # fewer names than one in so many are picked out first


def pack(vectors: Vectors) -> Packed:
    """One byte for each number, as a share of the largest of its row: all that a cosine needs."""
    import numpy as np

    packed: Packed = np.rint(vectors * (127 / np.abs(vectors).max(axis=1, keepdims=True))).astype(np.int8)
    return packed


def _unpacked(rows: Packed) -> Iterator[tuple[slice, Vectors]]:
    """The rows as float32, part by part in one buffer: new pages cost more than the arithmetic."""
    import numpy as np

    buffer = np.empty((_ROWS_AT_A_TIME, rows.shape[1]), np.float32)
    for start in range(0, len(rows), _ROWS_AT_A_TIME):
        part = slice(start, min(start + _ROWS_AT_A_TIME, len(rows)))
        block = buffer[: part.stop - start]
        np.copyto(block, rows[part])
        yield part, block


@dataclass(frozen=True)
class Matrix(Generic[Key]):
    """Packed vectors and their names; never changed, so any thread may read it.

    :param numbers: the rows' lasting numbers in the file, ascending.
    """

    numbers: npt.NDArray[np.int64]
    names: npt.NDArray[np.object_]
    rows: Packed
    lengths: npt.NDArray[np.float32]

    @classmethod
    def of(cls, found: sqlite3.Cursor, count: int, dimension: int) -> Matrix[Key]:
        """A matrix of ``count`` rows (number, name, packed vector), ascending by number."""
        import numpy as np

        numbers, names = np.empty(count, np.int64), np.empty(count, object)
        rows, lengths = np.empty((count, dimension), np.int8), np.empty(count, np.float32)
        for start in range(0, count, _ROWS_AT_A_TIME):
            part = slice(start, min(start + _ROWS_AT_A_TIME, count))
            numbers[part], names[part], data = zip(*found.fetchmany(_ROWS_AT_A_TIME), strict=True)
            rows[part] = np.frombuffer(b"".join(data), np.int8).reshape(-1, dimension)
        for part, block in _unpacked(rows):
            np.einsum("ij,ij->i", block, block, out=lengths[part])
        return cls(numbers, names, rows, np.sqrt(lengths))

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
        """The cosine of a query (a vector of length 1) with every row."""
        import numpy as np

        products = np.empty(len(self.rows), np.float32)
        for part, block in _unpacked(self.rows):
            np.dot(block, query, out=products[part])
        products /= self.lengths
        return Sight(self, query, products)


@dataclass(frozen=True)
class Sight(Generic[Key]):
    """A matrix as a query sees it."""

    matrix: Matrix[Key]
    query: Vectors
    cosines: Vectors

    @property
    def mean(self) -> float:
        """The mean of the cosines; 0 without rows."""
        import numpy as np

        return float(self.cosines.mean(dtype=np.float64)) if len(self.cosines) else 0.0

    @property
    def spread(self) -> float:
        """The standard deviation of the cosines; 0 without rows."""
        import numpy as np

        return float(self.cosines.std(dtype=np.float64)) if len(self.cosines) else 0.0

    def of(self, names: Iterable[Key]) -> dict[Key, float]:
        """The cosines of those of these names that have a row."""
        places = self.matrix.places
        found = {name: places[name] for name in names if name in places}
        return dict(zip(found, self.cosines[list(found.values())].tolist(), strict=True)) if found else {}

    def nearest(self, limit: int, among: Among[Key] | None = None, least: float = -1.0) -> list[tuple[Key, float]]:
        """The ``limit`` names with the highest cosine, of at least ``least``; ties go by name."""
        import numpy as np

        if among is not None and not callable(among):
            among = frozenset(among).intersection
        size = max(limit, _FIRST_BLOCK)
        near = np.flatnonzero(self.cosines >= least - _BLUR)
        while True:
            size = min(size, len(near))
            block = near[_highest(self.cosines[near], size)]
            names: list[Key] = self.matrix.names[block].tolist()
            allowed = frozenset(names if among is None else among(names))
            places = [place for place, name in zip(block.tolist(), names, strict=True) if name in allowed]
            if len(places) >= limit or size == len(near):
                return [pair for pair in self._ranked(places, limit) if pair[1] >= least]
            size *= _GROWTH

    def _ranked(self, places: list[int], limit: int) -> list[tuple[Key, float]]:
        """The best of some rows, each computed by itself, so that equal rows have equal cosines."""
        import numpy as np

        matrix = self.matrix
        best = np.array(places, np.int64)[_highest(self.cosines[places], limit)]
        exact = ((matrix.rows[best] * self.query).sum(axis=1) / matrix.lengths[best]).clip(-1, 1)
        pairs: list[tuple[Key, float]] = list(zip(matrix.names[best].tolist(), exact.tolist(), strict=True))
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:limit]


def _highest(values: Vectors, count: int) -> npt.NDArray[np.intp]:
    """Places of the ``count`` highest values, and of all that may tie with the last of them."""
    import numpy as np

    if count >= len(values):
        return np.arange(len(values))
    cut = np.partition(values, -count)[-count] if count else np.inf
    return np.flatnonzero(values >= cut - _BLUR)
