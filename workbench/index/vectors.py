"""Many vectors of one model, packed, and the exact cosine of a query with each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from workbench.index.embed import Vectors

    Packed = npt.NDArray[np.int8]

# Of some names, those that may be found; asked in blocks, best first. A set of ids gives ``ids.intersection``.
Among = Callable[[Sequence[str]], Collection[str]]

_DIGITS = 6  # the rest differs with a row's place in the matrix
_ROWS_AT_A_TIME = 1024  # as float32 they stay in the cache of the processor
_FIRST_BLOCK, _GROWTH = 256, 8


def pack(vectors: Vectors) -> Packed:
    """One byte for each number, as a share of the largest of its row: all that a cosine needs."""
    import numpy as np

    packed: Packed = np.rint(vectors * (127 / np.abs(vectors).max(axis=1, keepdims=True))).astype(np.int8)
    return packed


@dataclass(frozen=True)
class Matrix:
    """Packed vectors and their names; never changed, so any thread may read it.

    :param numbers: the rows' numbers in the file, ascending.
    """

    numbers: npt.NDArray[np.int64]
    names: npt.NDArray[np.object_]
    rows: Packed
    lengths: npt.NDArray[np.float32]

    @classmethod
    def of(cls, found: Sequence[tuple[int, str, bytes]], dimension: int) -> Matrix:
        """A matrix of (number, name, packed vector)."""
        import numpy as np

        rows = np.frombuffer(b"".join(row[2] for row in found), np.int8).reshape(len(found), dimension)
        lengths = np.empty(len(found), np.float32)
        for start in range(0, len(found), _ROWS_AT_A_TIME):
            part = slice(start, start + _ROWS_AT_A_TIME)
            lengths[part] = np.linalg.norm(rows[part].astype(np.float32), axis=1)
        numbers = np.fromiter((row[0] for row in found), np.int64, len(found))
        names = np.fromiter((row[1] for row in found), object, len(found))
        return cls(numbers, names, rows, lengths)

    def updated(self, kept: npt.NDArray[np.bool_], later: Matrix) -> Matrix:
        """The rows where ``kept`` is true, followed by those of ``later``."""
        import numpy as np

        old = self if kept.all() else Matrix(*(part[kept] for part in self._parts()))
        return Matrix(*(np.concatenate(parts) for parts in zip(old._parts(), later._parts(), strict=True)))

    def _parts(self) -> tuple[npt.NDArray[Any], ...]:
        return self.numbers, self.names, self.rows, self.lengths

    def nearest(self, query: Vectors, limit: int, among: Among | None = None) -> list[tuple[str, float]]:
        """The ``limit`` names with the highest cosine to ``query`` (a vector of length 1); ties go by name."""
        import numpy as np

        cosines, size = self.cosines(query), max(limit, _FIRST_BLOCK)
        best: list[tuple[float, str]] = []
        while limit > 0 and len(self.names):
            size = min(size, len(self.names))
            # All that tie with the last one are looked at, so that the order of rows decides nothing.
            block = np.flatnonzero(cosines >= np.partition(cosines, -size)[-size])
            names: list[str] = self.names[block].tolist()
            allowed = frozenset(names if among is None else among(names))
            best = sorted(
                (-cosine, name) for cosine, name in zip(cosines[block].tolist(), names, strict=True) if name in allowed
            )
            if len(best) >= limit or size == len(self.names):
                break
            size *= _GROWTH
        return [(name, round(-cosine, _DIGITS)) for cosine, name in best[:limit]]

    def cosines(self, query: Vectors) -> Vectors:
        """The cosine of each row with ``query`` (a vector of length 1)."""
        import numpy as np

        products = np.empty(len(self.rows), np.float32)
        buffer = np.empty((_ROWS_AT_A_TIME, self.rows.shape[1]), np.float32)
        for start in range(0, len(self.rows), _ROWS_AT_A_TIME):
            part = self.rows[start : start + _ROWS_AT_A_TIME]
            unpacked = buffer[: len(part)]
            np.copyto(unpacked, part)
            np.dot(unpacked, query, out=products[start : start + len(part)])
        found: Vectors = np.round(products / self.lengths, _DIGITS).clip(-1, 1)
        return found
