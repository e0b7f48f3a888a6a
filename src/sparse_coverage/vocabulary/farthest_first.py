"""Farthest-first traversal: each new center is the point farthest from all centers so far.

One canonical distance decides, `float32(1 - dot)` with the dot product summed in float64 in a fixed order, so that the
sequence does not depend on threads, block sizes or the BLAS at hand.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import VocabularyError
from sparse_coverage.kernels import compiled
from sparse_coverage.progress import progress_bar

SAME_POINT = np.float32(1e-6)
"""Points closer than this count as one: below it a distance is rounding."""
LANES = 8

Points = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Traversal:
    """The rows chosen as centers, in order, and how far each was from the centers before it (infinity for the first)."""

    rows: npt.NDArray[np.int64]
    distances: npt.NDArray[np.float32]


def farthest_first(points: Points, count: int, *, seed: int = 0, threads: int | None = None) -> Traversal:
    """Choose `count` rows of normalised points. The first is drawn with the seed; ties go to the lowest row."""
    _check(points, count)
    points = np.ascontiguousarray(points, dtype=np.float32)
    total = len(points)
    workers = threads or os.cpu_count() or 1
    edges = np.linspace(0, total, min(workers, total) + 1).astype(np.int64)
    parts = list(pairwise(edges.tolist()))
    distances = np.full(total, np.inf, dtype=np.float32)
    rows = np.empty(count, dtype=np.int64)
    gaps = np.empty(count, dtype=np.float32)
    row, gap = int(np.random.default_rng(seed).integers(total)), np.float32(np.inf)
    with ThreadPoolExecutor(len(parts)) as pool, progress_bar("Choosing centers", count) as advance:
        for number in range(count):
            if gap <= SAME_POINT:
                raise VocabularyError(
                    f"{count:,} centers were asked for, but the {total:,} spans hold only {number:,} distinct points. "
                    f"Choose a vocabulary size of at most {number:,}, or give more text."
                )
            rows[number], gaps[number] = row, gap
            found = pool.map(lambda part, center=row: _update(points, center, distances, part[0], part[1]), parts)
            row, gap = max(found, key=lambda candidate: (candidate[1], -candidate[0]))
            advance()
    return Traversal(rows, gaps)


def _check(points: Points, count: int) -> None:
    if count < 1:
        raise VocabularyError(f"A vocabulary needs at least one center, not {count}.")
    if len(points) == 0:
        raise VocabularyError("There are no spans to choose centers from: the texts are empty.")
    if not np.isfinite(points).all():
        bad = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise VocabularyError(f"Span vector {bad} holds a value that is not a number. The encoder's output is broken.")


@compiled
def canonical_distance(a: Points, b: Points) -> np.float32:
    """Return float32(1 - dot), the products (exact in float64) summed in LANES interleaved lanes, then across lanes."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    size = len(a)
    whole = size - size % LANES
    for i in range(0, whole, LANES):
        s0 += np.float64(a[i]) * np.float64(b[i])
        s1 += np.float64(a[i + 1]) * np.float64(b[i + 1])
        s2 += np.float64(a[i + 2]) * np.float64(b[i + 2])
        s3 += np.float64(a[i + 3]) * np.float64(b[i + 3])
        s4 += np.float64(a[i + 4]) * np.float64(b[i + 4])
        s5 += np.float64(a[i + 5]) * np.float64(b[i + 5])
        s6 += np.float64(a[i + 6]) * np.float64(b[i + 6])
        s7 += np.float64(a[i + 7]) * np.float64(b[i + 7])
    for i in range(whole, size):
        s0 += np.float64(a[i]) * np.float64(b[i])
    distance: np.float32 = np.float32(1.0 - (((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))))
    return distance


@compiled
def _update(
    points: Points, center: int, distances: npt.NDArray[np.float32], first: int, last: int
) -> tuple[int, np.float32]:
    """Lower the distances of rows first..last to the new center; return the farthest of them, lowest row first."""
    best_row, best = first, np.float32(-np.inf)
    for row in range(first, last):
        distance = canonical_distance(points[row], points[center])
        if distance < distances[row]:
            distances[row] = distance
        if distances[row] > best:
            best_row, best = row, distances[row]
    return best_row, best
