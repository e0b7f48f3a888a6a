"""Statistics applied when searching: idf, stop centers, length normalisation. The index holds raw weights only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError


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


@dataclass(frozen=True, slots=True, eq=False)
class CenterStatistics:
    """For each center its idf and whether it is a stop center; for each unit the norm its weights are divided by."""

    idf: npt.NDArray[np.float64]
    stop: npt.NDArray[np.bool_]
    norms: npt.NDArray[np.float32]
    config: ScoringConfig

    @classmethod
    def compute(
        cls, frequencies: npt.NDArray[np.int64], span_counts: npt.NDArray[np.uint32], config: ScoringConfig
    ) -> CenterStatistics:
        """Derive the statistics from document frequencies and span counts."""
        stop = np.zeros(len(frequencies), dtype=bool)
        # Largest frequency first, ties to the lowest center; Python's round is half to even, so round half up by hand.
        count = int(np.floor(config.rho * len(frequencies) + 0.5))
        stop[np.lexsort((np.arange(len(frequencies)), -frequencies))[:count]] = True
        idf = np.log((len(span_counts) + 1) / (frequencies + 1)) + 1
        norms = np.maximum(span_counts, 1).astype(np.float64) ** config.gamma
        return cls(idf, stop, norms.astype(np.float32), config)

    def factors(
        self, centers: npt.NDArray[np.int32], weights: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the query's centers that count, and w(q,c) * idf^alpha of each."""
        kept = ~self.stop[centers]
        return centers[kept], weights[kept].astype(np.float64) * self.idf[centers[kept]] ** self.config.alpha
