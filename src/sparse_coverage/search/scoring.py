"""Statistics applied when searching: idf, stop centers, length normalisation. The index holds raw weights only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.index import Segment


@dataclass(frozen=True, slots=True)
class ScoringConfig:
    """The exponents of the score and the share of stop centers.

    `alpha`: exponent of idf. `gamma`: exponent of the span count that a passage's weights are divided by. `rho`: the
    share of centers, those of largest document frequency, that are left out.
    """

    alpha: float = 2.0
    gamma: float = 0.5
    rho: float = 0.01

    def __post_init__(self) -> None:
        if not 0 <= self.rho < 1:
            raise InputError(f"rho is a share of the centers: at least 0 and below 1, not {self.rho}.")
        if not (np.isfinite(self.alpha) and np.isfinite(self.gamma)):
            raise InputError(f"alpha and gamma must be numbers, not {self.alpha} and {self.gamma}.")


@dataclass(frozen=True, slots=True, eq=False)
class CenterStatistics:
    """For each center its idf, what that is worth (idf^alpha), and whether it is a stop center."""

    idf: npt.NDArray[np.float64]
    worth: npt.NDArray[np.float64]
    stop: npt.NDArray[np.bool_]
    config: ScoringConfig

    @classmethod
    def compute(cls, frequencies: npt.NDArray[np.int64], units: int, config: ScoringConfig) -> CenterStatistics:
        """Derive the statistics from document frequencies and the number of units."""
        stop = np.zeros(len(frequencies), dtype=bool)
        # Largest frequency first, ties to the lowest center; Python's round is half to even, so round half up by hand.
        count = int(np.floor(config.rho * len(frequencies) + 0.5))
        stop[np.lexsort((np.arange(len(frequencies)), -frequencies))[:count]] = True
        idf = np.log((units + 1) / (frequencies + 1)) + 1
        return cls(idf, idf**config.alpha, stop, config)

    def factors(
        self, centers: npt.NDArray[np.int32], weights: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return the query's centers that count, rising, and w(q,c) * idf^alpha of each."""
        kept = np.flatnonzero(~self.stop[centers])
        kept = kept[np.argsort(centers[kept], kind="stable")]
        chosen = centers[kept].astype(np.int64)
        return chosen, weights[kept].astype(np.float64) * self.worth[chosen]

    def norms(self, segment: Segment) -> npt.NDArray[np.float32]:
        """Return what each unit's sum is multiplied by: 1 / |S|^gamma, or 0 for a deleted one."""
        counts = np.maximum(segment.span_counts, 1).astype(np.float64)
        return np.where(segment.live_units, counts**-self.config.gamma, 0).astype(np.float32)
