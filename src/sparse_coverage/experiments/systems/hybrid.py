"""Reciprocal rank fusion of Sparse Coverage, BM25 and dense retrieval, unit by unit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems.bm25 import Bm25System
from sparse_coverage.experiments.systems.dense import DenseSystem
from sparse_coverage.experiments.systems.sparse import SparseCoverageSystem

CONSTANT = 60


class HybridSystem:
    """A unit's score is the sum, over the three systems, of 1 / (60 + its rank there)."""

    def __init__(self, bench: Workbench, options: SystemOptions) -> None:
        self._parts = (SparseCoverageSystem(bench, options), Bm25System(bench, options), DenseSystem(bench, options))

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """Return the score of every unit for a query of the collection, by its id."""
        fused: npt.NDArray[np.float64] = sum(reciprocal_ranks(part.scores(query)) for part in self._parts)  # type: ignore[assignment]
        fused[fused == 0] = -np.inf
        return fused

    def cost(self, query: str) -> int:
        """Return the cost of the three together."""
        return sum(part.cost(query) for part in self._parts)


def reciprocal_ranks(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return 1 / (60 + rank) of each unit, ties in corpus order, and 0 where there is no score.

    >>> reciprocal_ranks(np.array([0.5, -np.inf, 0.9])).tolist() == [1 / 62, 0.0, 1 / 61]
    True
    """
    order = np.argsort(-scores, kind="stable")
    values = np.empty(len(scores))
    values[order] = 1 / (CONSTANT + np.arange(1, len(scores) + 1))
    values[scores == -np.inf] = 0
    return values
