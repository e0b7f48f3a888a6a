"""Weights as whole numbers, for engines that store nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats, Int64s

MAX_BITS = 16
QUERY_BITS = 12
"""Engines of whole numbers weigh a term of a query by repeating it, so queries have no more bits than this."""


@dataclass(frozen=True, slots=True)
class Quantiser:
    """Multiplies by one `scale` for all weights, which turns the largest into 2^bits - 1, and rounds. Nothing becomes 0.

    One scale keeps the dot product proportional to the score: score = dot product / (scale of documents * scale of queries).
    """

    bits: int
    largest: float

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= MAX_BITS:
            raise InputError(f"A quantised weight has 1 to {MAX_BITS} bits, not {self.bits}.")

    @classmethod
    def for_queries(cls, bits: int, weights: Floats) -> Quantiser:
        """Return the quantiser of all queries of an export."""
        return cls(min(bits, QUERY_BITS), float(weights.max(initial=0.0)))

    @property
    def scale(self) -> float:
        """The whole number that the weight 1 becomes, before rounding."""
        return ((1 << self.bits) - 1) / self.largest if self.largest > 0 else 1.0

    def __call__(self, weights: Floats) -> Int64s:
        """Return the weights as whole numbers."""
        rounded = np.rint(weights.astype(np.float64) * self.scale)
        whole: Int64s = np.clip(rounded, 1, (1 << self.bits) - 1).astype(np.int64)
        return whole
