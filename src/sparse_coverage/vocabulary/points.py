"""The points centers are chosen from: a matrix in memory, or float16 rows in a file that is mapped, never loaded whole.

And how many of them differ, so that asking for too many centers fails at once and not at the end.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError, VocabularyError
from sparse_coverage.kernels import NORM_LIMIT, PANEL, SCALE, STEP, TILE, Floats, Int16s, Int64s
from sparse_coverage.kernels.dense import quantise_rows, unpack
from sparse_coverage.kernels.screening import Panels, narrow, screens_in_bytes
from sparse_coverage.progress import progress_bar

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


class PointReader(threading.local):
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


BLOCK = 64 * TILE
"""Points a thread works on at a time: their quantised rows stay in its cache while the centers stream by."""
_ZERO = np.uint8(128)  # what stands for 0 in the bytes of centers
SHORTEST = 0.999
"""Points that centers are chosen from may be a little shorter than one, not more: a row of zeros has no direction."""


def padded(dimension: int) -> int:
    """Return the length of a row that holds a vector: the next multiple that the kernels take at a time."""
    return -(-dimension // STEP) * STEP


def margin(dimension: int) -> float:
    """Return how much a screened distance may differ from the canonical one, at most.

    Each coordinate is off by half a step, and a little for float32 rounding; Cauchy-Schwarz bounds the product.
    """
    error = 0.505 * float(np.sqrt(dimension)) / SCALE
    return error * (2 * NORM_LIMIT + error) + 1e-6


def quantise(
    rows: Floats, out: Int16s | None = None, *, shortest: float = 0.0, numbers: Int64s | None = None
) -> Int16s:
    """Return normalised rows in 16 bits, padded with zeros: columns for the kernels' steps, rows for whole tiles.

    `out`, if given, is filled; its padding must be zero already. A row below the length `shortest` is refused; `numbers`
    are what the rows are called in that error.
    """
    if out is None:
        out = np.zeros((-(-len(rows) // TILE) * TILE, padded(rows.shape[1])), dtype=np.int16)
    bad = quantise_rows(rows, out, shortest)
    if bad >= 0:
        raise unusable(bad if numbers is None else int(numbers[bad]))
    return out


def unusable(number: int) -> VocabularyError:
    """Return the error that says which vector cannot be used."""
    return VocabularyError(
        f"Vector {number} cannot be used: it holds a value that is not a number, or its length is not one. "
        "Vectors must be finite and L2-normalised."
    )


class Centers:
    """Up to `capacity` centers, filled one after the other: exact rows, and panels of sixteen for tiles, in 16 bits and in 8.

    `in_bytes` says whether to keep the latter: by default where the CPU has an instruction for them.
    """

    def __init__(self, capacity: int, dimension: int, *, in_bytes: bool | None = None) -> None:
        width, count = padded(dimension), -(-capacity // PANEL)
        fours = count if (screens_in_bytes() if in_bytes is None else in_bytes) else 0
        self.rows = np.zeros((capacity, dimension), dtype=np.float32)
        self.panels = Panels(
            pairs=np.zeros((count, width // 2, PANEL, 2), dtype=np.int16),
            rows=np.zeros((count * PANEL, width), dtype=np.int16),
            fours=np.full((fours, width // 4, PANEL, 4), _ZERO, dtype=np.uint8),
            lost=np.zeros(fours, dtype=np.float64),
        )
        self.margin = margin(dimension)
        self.count = 0

    @classmethod
    def of(cls, rows: Floats, *, in_bytes: bool | None = None) -> Centers:
        """Return centers that are complete from the start."""
        centers = cls(len(rows), rows.shape[1], in_bytes=in_bytes)
        centers.append(rows)
        return centers

    @property
    def quantised(self) -> Int16s:
        """The centers in 16 bits."""
        return self.panels.rows

    def append(self, rows: Floats) -> None:
        """Add centers."""
        first, last, quantised = self.count, self.count + len(rows), quantise(rows)[: len(rows)]
        self.rows[first:last] = rows
        self.panels.rows[first:last] = quantised
        numbers = np.arange(first, last)
        self.panels.pairs[numbers // PANEL, :, numbers % PANEL, :] = quantised.reshape(len(rows), -1, 2)
        if len(self.panels.fours):
            narrowed, lost = np.empty(quantised.shape, dtype=np.int8), np.empty(len(rows), dtype=np.float64)
            narrow(quantised, narrowed, lost)
            fours = narrowed.view(np.uint8).reshape(len(rows), -1, 4) ^ _ZERO  # the same as adding 128
            self.panels.fours[numbers // PANEL, :, numbers % PANEL, :] = fours
            np.maximum.at(self.panels.lost, numbers // PANEL, lost)
        self.count = last


_MEASURED = 8_192  # points whose common part is measured at once


@dataclass(frozen=True, eq=False)
class CommonPart:
    """The mean of the span vectors, and the directions (rows of length one) in which they vary most around it."""

    mean: Floats
    directions: Floats

    @classmethod
    def of(cls, points: Points, count: int) -> CommonPart:
        """Measure the mean and the `count` strongest directions."""
        if not 0 <= count < points.dimension:
            raise InputError(f"Between 0 and {points.dimension - 1} common directions can be removed, not {count}.")
        total = np.zeros(points.dimension)
        products = np.zeros((points.dimension, points.dimension))
        for block in blocks_of(points, "Measuring what spans have in common"):
            rows = block.astype(np.float64)
            total += rows.sum(axis=0)
            products += rows.T @ rows
        mean = total / max(len(points), 1)
        spread = products / max(len(points), 1) - np.outer(mean, mean)
        _, vectors = np.linalg.eigh(spread)
        directions = vectors[:, ::-1][:, :count].T
        # An eigenvector is one up to its sign; the largest entry is made positive, so that machines agree.
        signs = np.sign(directions[np.arange(count), np.abs(directions).argmax(axis=1)])
        return cls(mean.astype(np.float32), np.ascontiguousarray(directions * signs[:, None], dtype=np.float32))

    def remove(self, vectors: Floats) -> Floats:
        """Return the vectors without it, of length one again; one that is nothing else stays a vector of zeros."""
        rest = vectors - self.mean
        rest -= (rest @ self.directions.T) @ self.directions
        lengths = np.linalg.norm(rest, axis=1, keepdims=True)
        return (rest / np.where(lengths > 1e-6, lengths, np.inf)).astype(np.float32)

    @property
    def fingerprint(self) -> str:
        """Identifies it."""
        return sha256(self.mean.tobytes() + self.directions.tobytes()).hexdigest()[:16]


def blocks_of(points: Points, what: str) -> Iterator[Floats]:
    """Yield all points, some thousand at a time."""
    with progress_bar(what, len(points)) as advance:
        for top in range(0, len(points), _MEASURED):
            numbers = np.arange(top, min(top + _MEASURED, len(points)))
            yield points.rows(numbers)
            advance(len(numbers))
