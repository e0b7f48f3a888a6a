"""Vectors in 16-bit integers, for screening: twice as fast as float32, with an error bound that holds for every pair.

A product of quantised vectors differs from the true one by at most `margin(dimension)`. Whatever a screen lets through is
decided by the canonical distance. Where the CPU multiplies bytes quicker still, centers are kept in 8 bits too (`kernels/screening.py`).
"""

from __future__ import annotations

import numpy as np

from sparse_coverage.errors import VocabularyError
from sparse_coverage.kernels import Floats, Int16s, Int64s
from sparse_coverage.kernels.dense import quantise_rows
from sparse_coverage.kernels.screening import Panels, narrow, screens_in_bytes
from sparse_coverage.kernels.sizes import NORM_LIMIT, PANEL, SCALE, STEP, TILE

BLOCK = 64 * TILE
"""Points a thread works on at a time: their quantised rows stay in its cache while the centers stream by."""
_ZERO = np.uint8(128)  # what stands for 0 in the bytes of centers
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
        self.extend_rows(rows, quantise(rows)[: len(rows)])

    def extend_rows(self, rows: Floats, quantised: Int16s) -> None:
        """Add centers whose quantised rows are known."""
        first, last = self.count, self.count + len(rows)
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
