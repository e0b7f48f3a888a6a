"""Vectors in 16-bit integers, for screening: twice as fast as float32, with an error bound that holds for every pair.

A product of quantised vectors differs from the true one by at most `margin(dimension)`. Whatever a screen lets through is
decided by the canonical distance.
"""

from __future__ import annotations

import numpy as np

from sparse_coverage.errors import VocabularyError
from sparse_coverage.kernels import Floats, Int16s, Int64s
from sparse_coverage.kernels.dense import NORM_LIMIT, SCALE, quantise_rows
from sparse_coverage.kernels.sizes import PANEL, STEP, TILE

SHORTEST = 0.999
"""Points that centers are chosen from may be a little shorter than one, not more: a row of zeros has no direction."""


def padded(dimension: int) -> int:
    """Return the length of a quantised row."""
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
    """Up to `capacity` centers, filled one after the other: exact rows, quantised rows, and panels of sixteen for tiles."""

    def __init__(self, capacity: int, dimension: int) -> None:
        width = padded(dimension)
        self.rows = np.zeros((capacity, dimension), dtype=np.float32)
        self.quantised = np.zeros((capacity, width), dtype=np.int16)
        self.panels = np.zeros((-(-capacity // PANEL), width // 2, PANEL, 2), dtype=np.int16)
        self.margin = margin(dimension)
        self.count = 0

    @classmethod
    def of(cls, rows: Floats) -> Centers:
        """Return centers that are complete from the start."""
        centers = cls(len(rows), rows.shape[1])
        centers.append(rows)
        return centers

    def append(self, rows: Floats) -> None:
        """Add centers."""
        self.extend_rows(rows, quantise(rows)[: len(rows)])

    def extend_rows(self, rows: Floats, quantised: Int16s) -> None:
        """Add centers whose quantised rows are known."""
        first, last = self.count, self.count + len(rows)
        self.rows[first:last] = rows
        self.quantised[first:last] = quantised
        numbers = np.arange(first, last)
        pairs = quantised.reshape(len(rows), -1, 2)
        self.panels[numbers // PANEL, :, numbers % PANEL, :] = pairs
        self.count = last
