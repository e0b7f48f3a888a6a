"""The points centers are chosen from: a matrix in memory, or float16 rows in a file that is mapped, never loaded whole.

And how many of them differ, so that asking for too many centers fails at once and not at the end.
"""

from __future__ import annotations

import hashlib
import threading

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError, VocabularyError
from sparse_coverage.kernels import Floats, Int16s, Int64s
from sparse_coverage.kernels.dense import unpack
from sparse_coverage.kernels.sizes import TILE
from sparse_coverage.vocabulary.quantised import padded, quantise

_BLOCK = 4096


class Points:
    """Rows by number. A float16 row stands for the unit vector in its direction; float32 rows are taken as they are."""

    def __init__(self, matrix: Floats | npt.NDArray[np.float16]) -> None:
        if matrix.ndim != 2 or matrix.dtype not in (np.float16, np.float32):
            raise InputError(f"Points are a matrix of float16 or float32, not {matrix.ndim}-d {matrix.dtype}.")
        plain = np.asarray(matrix)
        self._packed = plain.view(np.uint16) if plain.dtype == np.float16 else None
        self._matrix = np.ascontiguousarray(plain) if self._packed is None else plain
        self.dimension = int(matrix.shape[1])

    def __len__(self) -> int:
        return len(self._matrix)

    def rows(self, numbers: Int64s) -> Floats:
        """Return some rows as float32, in the order asked for."""
        out = np.empty((len(numbers), self.dimension), dtype=np.float32)
        self.read(numbers, out)
        return out

    def fingerprint(self) -> bytes:
        """Return 16 bytes that tell these points from others: their shape and some rows, evenly spread."""
        some = np.unique(np.linspace(0, len(self) - 1, 1024).astype(np.int64)) if len(self) else np.empty(0, np.int64)
        shape = f"{len(self)} {self.dimension}\n".encode()
        return hashlib.blake2b(shape + self.rows(some).tobytes(), digest_size=16).digest()

    def read(self, numbers: Int64s, out: Floats) -> None:
        """Fill `out` with some rows, in the order asked for."""
        if self._packed is None:
            np.take(self._matrix, numbers, axis=0, out=out, mode="clip")
        else:
            unpack(self._packed, numbers, out.view(np.uint32), out)


def as_points(points: Points | Floats | npt.NDArray[np.float16]) -> Points:
    """Return points as `Points`, whatever they came as."""
    return points if isinstance(points, Points) else Points(points)


class Reader(threading.local):
    """Reads rows, exact and quantised, into memory that each thread uses over and over: fresh memory would cost more.

    A row below the length `shortest` is refused, as are rows that are too long or hold no numbers.
    """

    def __init__(self, points: Points, capacity: int, shortest: float = 0.0) -> None:
        self._points = points
        self._shortest = shortest
        self._rows = np.empty((capacity, points.dimension), dtype=np.float32)
        self._quantised = np.zeros((-(-capacity // TILE) * TILE, padded(points.dimension)), dtype=np.int16)

    def read(self, numbers: Int64s) -> tuple[Floats, Int16s]:
        """Return some rows and their quantised form, which holds whole tiles; both are good until the next call."""
        count = len(numbers)
        rows, quantised = self._rows[:count], self._quantised[: -(-count // TILE) * TILE]
        self._points.read(numbers, rows)
        quantise(rows, quantised, shortest=self._shortest, numbers=numbers)
        return rows, quantised


def distinct_rows(points: Points, order: Int64s, wanted: int) -> Int64s:
    """Return the first `wanted` rows of an order (or as many as there are), leaving out those equal to an earlier one.

    >>> points = Points(np.array([[1, 0], [0, 1], [1, 0], [0.6, 0.8]], np.float32))
    >>> distinct_rows(points, np.arange(4), 3).tolist()
    [0, 1, 3]
    """
    taken: dict[bytes, int] = {}
    for top in range(0, len(order), _BLOCK):
        part = order[top : top + _BLOCK]
        for row, vector in zip(part.tolist(), points.rows(part), strict=True):
            taken.setdefault(hashlib.blake2b(vector, digest_size=16).digest(), row)
            if len(taken) == wanted:
                return np.fromiter(taken.values(), dtype=np.int64)
    return np.fromiter(taken.values(), dtype=np.int64)


def check_enough(points: Points, wanted: int) -> None:
    """Refuse more centers than there are different rows. Reads little more than `wanted` rows where there are enough."""
    found = len(distinct_rows(points, np.arange(len(points)), wanted))
    if found < wanted:
        raise too_few(wanted, len(points), found, exactly=False)


def too_few(wanted: int, total: int, found: int, *, exactly: bool = True) -> VocabularyError:
    """Return the error that says how many centers are possible."""
    return VocabularyError(
        f"{wanted:,} centers were asked for, but the {total:,} spans hold only {found:,} distinct points"
        f"{'' if exactly else ' at most'}. Choose a vocabulary size of at most {found:,}, or give more text."
    )
