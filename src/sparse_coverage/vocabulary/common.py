"""What all span vectors have in common, and vectors without it.

Contextual vectors crowd into a narrow cone: a large part of any two is the same. Without the mean and the strongest common
directions, distances say more about meaning. Both are measured on the sample and kept with the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.points import Points

_BLOCK = 8_192


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
        for top in range(0, len(points), _BLOCK):
            numbers = np.arange(top, min(top + _BLOCK, len(points)))
            yield points.rows(numbers)
            advance(len(numbers))
