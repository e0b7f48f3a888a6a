"""Statistics applied when searching: idf, stop centers, length normalisation. The index holds raw weights only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import Segment
from sparse_coverage.kernels import Doubles, Floats, Int32s, Int64s, Mask, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.scoring import weigh
from sparse_coverage.vectors.scoring import ScoringConfig

_LARGEST = 1e30  # sums of some thousand products with it still are numbers of 32 bits

__all__ = ["CenterStatistics", "ScoringConfig"]


@dataclass(frozen=True, slots=True, eq=False)
class CenterStatistics:
    """For each center its idf, what that is worth (idf^alpha, or 0), and whether it is a stop center, which is worth 0."""

    idf: Doubles
    worth: Doubles
    stop: Mask
    config: ScoringConfig

    @classmethod
    def compute(cls, frequencies: Int64s, passages: int, config: ScoringConfig) -> CenterStatistics:
        """Derive the statistics from document frequencies and the number of passages."""
        stop = np.zeros(len(frequencies), dtype=bool)
        # Largest frequency first, ties to the lowest center; Python's round is half to even, so round half up by hand.
        count = int(np.floor(config.rho * len(frequencies) + 0.5))
        stop[np.lexsort((np.arange(len(frequencies)), -frequencies))[:count]] = True
        idf = np.log((passages + 1) / (frequencies + 1)) + 1
        with np.errstate(over="ignore"):
            worth = np.where(stop, 0.0, idf**config.alpha)
        if not worth.max(initial=0.0) < _LARGEST:
            raise InputError(f"alpha = {config.alpha} is too large: idf^alpha is beyond what a score can hold.")
        return cls(idf, worth, stop, config)

    def factors(self, centers: Int32s, weights: Floats) -> tuple[Int64s, Doubles]:
        """Return the query's centers that count, and w(q,c) * idf^alpha of each."""
        return (weigh if machine_code(0.0) else plain.weigh)(self.worth, centers, weights)

    def norms(self, segment: Segment) -> Floats:
        """Return what each passage's sum is multiplied by, or 0 for a deleted one."""
        return np.where(segment.live_passages, self.config.norms(segment.span_counts), 0).astype(np.float32)
