"""The space in which elements and windows of sentences are compared, and how far apart chance sets them there.

Vectors of one encoder share directions that say nothing: all claims look alike, all prose looks alike, and a few directions
are longer than the others. So the mean of claims is taken from elements, that of prose from windows, and long directions are
shortened (whitening, by half). An element is mixed with a share of its claim and a window with a share of its document,
because "a housing" means that of the claimed thing. What is left to chance differs by element; the mean and the covariance of
windows in general say by how much, so that a score tells how many standard deviations a window is above it. Chance also has more
tries in a longer document: of n windows the best lies about sqrt(2 ln n) deviations up, and that is taken off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparse_coverage.charts.sentences import Sentences
from sparse_coverage.kernels import Array, Doubles, Floats

CONTEXT = 0.8
"""The share of the claim in an element and of the document in a window."""
_SHORTENED = -0.25
_FLOOR = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Means of claims and of prose, the matrix that shortens long directions, and mean and covariance of windows in it."""

    claims: Floats
    prose: Floats
    matrix: Floats
    middle: Floats
    spread: Floats

    @classmethod
    def learn(cls, elements: Floats, documents: Sequence[Sentences]) -> Space:
        """Learn a space from the mean vectors of elements and from documents."""
        windows = [document.windows()[0] for document in documents]
        every = np.concatenate(windows)
        prose = every.mean(0)
        values, directions = np.linalg.eigh(np.cov((every - prose).T))
        matrix = (directions * (np.maximum(values, 0) + _FLOOR) ** _SHORTENED) @ directions.T
        bare = cls(
            elements.mean(0).astype(np.float32), prose, matrix.astype(np.float32), prose, np.zeros((0, 0), np.float32)
        )
        placed = np.concatenate([bare.place_windows(each) for each in windows if len(each)])
        return cls(bare.claims, prose, bare.matrix, placed.mean(0), np.cov(placed.T).astype(np.float32))

    def place_elements(self, elements: Floats, claim: Floats) -> Floats:
        """Place the mean vectors of a claim's elements; `claim` is the mean vector of the whole claim."""
        placed = _unit((elements - self.claims) @ self.matrix)
        return _unit(placed + CONTEXT * _unit((claim[None] - self.claims) @ self.matrix))

    def place_windows(self, windows: Floats) -> Floats:
        """Place the windows of a document."""
        placed = _unit((windows - self.prose) @ self.matrix)
        return _unit(placed + CONTEXT * _unit(placed.mean(0, keepdims=True)))

    def scores(self, elements: Floats, windows: Floats) -> Floats:
        """Return how far each window of a document is above chance for each element, in standard deviations; both placed."""
        chance = elements @ self.middle
        deviation = np.sqrt(np.maximum((elements @ self.spread * elements).sum(1), 1e-12))
        tries = np.float32(np.sqrt(2 * np.log(max(1, len(windows)))))
        scores: Floats = (elements @ windows.T - chance[:, None]) / deviation[:, None] - tries
        return scores

    def arrays(self) -> dict[str, Array]:
        """Return what is stored. Half precision is far finer than the figures of a calibration."""
        return {name: getattr(self, name).astype(np.float16) for name in _STORED}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Array]) -> Space:
        """Return a stored space; arrays that do not fit one another are an error."""
        found = {name: arrays[name].astype(np.float32) for name in _STORED}
        wide = found["claims"].shape
        for name, array in found.items():
            if len(wide) != 1 or array.shape != (wide * 2 if name in _SQUARE else wide) or not np.isfinite(array).all():
                raise ValueError(f"{name} does not fit the other arrays, or is not made of numbers")
        return cls(**found)


_STORED = ("claims", "prose", "matrix", "middle", "spread")
_SQUARE = ("matrix", "spread")


def _unit(rows: Floats | Doubles) -> Floats:
    unit: Floats = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return unit
