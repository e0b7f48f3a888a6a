"""Score-at-a-time accumulation over postings."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.kernels import compiled

Array = npt.NDArray[Any]


@compiled
def accumulate(
    offsets: Array, units: Array, weights: Array, centers: Array, factors: Array, scores: npt.NDArray[np.float32]
) -> None:
    """Add factor * weight to the score of every unit in each center's list."""
    for place in range(len(centers)):
        factor = np.float32(factors[place])
        center = centers[place]
        for posting in range(offsets[center], offsets[center + 1]):
            scores[units[posting]] += factor * np.float32(weights[posting])
