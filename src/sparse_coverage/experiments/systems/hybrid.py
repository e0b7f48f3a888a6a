"""Sparse Coverage, BM25 and dense retrieval joined, by the arithmetic of `retrievers.Fuse`, over the scores of all passages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems.baselines import bm25_system, dense_system
from sparse_coverage.experiments.systems.sparse import SparseCoverageSystem
from sparse_coverage.retrievers.fusion import fuse_scores
from sparse_coverage.systems import FusionRule

Scores = npt.NDArray[np.float64]


class HybridSystem:
    """Documents are ranked by each part, then by the sum of 1 / (60 + rank), or of shares of the largest score."""

    def __init__(self, bench: Workbench, options: SystemOptions, how: FusionRule = "rrf") -> None:
        self.parts = (SparseCoverageSystem(bench, options), bm25_system(bench, options), dense_system(bench, options))
        self._starts = bench.corpus.starts[:-1]
        self._counts = np.diff(bench.corpus.starts)
        self._how = how

    def scores(self, query: str) -> Scores:
        """Return the score of every passage for a query of the collection, by its id."""
        return fused_passages([part.scores(query) for part in self.parts], self._starts, self._counts, self._how)

    def cost(self, query: str) -> int:
        """Return the cost of the three together."""
        return sum(part.cost(query) for part in self.parts)


def fused_passages(
    parts: Sequence[Scores], starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], how: FusionRule
) -> Scores:
    """Return one score a passage: a document's best one has the fused score of the document, the others their share of it."""
    weights = [1.0] * len(parts)
    documents = fuse_scores([np.maximum.reduceat(part, starts) for part in parts], how, weights)
    passages = fuse_scores(parts, how, weights)
    best = np.maximum.reduceat(passages, starts)
    heights = np.divide(documents, best, out=np.zeros_like(documents), where=best > 0)
    fused = passages * np.repeat(heights, counts)
    fused[fused <= 0] = -np.inf
    return np.asarray(fused)
