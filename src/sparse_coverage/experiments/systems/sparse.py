"""Sparse Coverage as a system to evaluate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.evaluation.protocol import evidence
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import SystemOptions


class SparseCoverageSystem:
    """The product's index of the collection, with the query vectors of its queries."""

    def __init__(self, bench: Workbench, options: SystemOptions) -> None:
        self.index = bench.index(options)
        queries = (query.id for query in bench.collection.judged)
        self.vectors = dict(zip(queries, bench.query_vectors(options), strict=True))
        self._frequencies = self.index.store.frequencies

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """Return the score of every unit for a query of the collection, by its id."""
        return evidence(self.index.scores(self.vectors[query]))

    def cost(self, query: str) -> int:
        """Return the postings scanned: the lengths of the lists of the query's active centers, stop centers left out."""
        centers = self.vectors[query].centers
        return int(self._frequencies[centers[~self.index.statistics.stop[centers]]].sum())
