"""Sparse Coverage as a system to evaluate."""

from __future__ import annotations

from functools import lru_cache

from sparse_coverage.evaluation.protocol import evidence
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.kernels import Doubles
from sparse_coverage.vectors import SparseVector


class SparseCoverageSystem:
    """The product's index of the collection, with the query vectors of its queries."""

    def __init__(self, bench: Workbench, options: SystemOptions) -> None:
        self.index = bench.index(options)
        queries = (query.id for query in bench.collection.judged)
        self.vectors = dict(zip(queries, bench.query_vectors(options), strict=True))
        self._frequencies = self.index.store.frequencies
        self._excluded = bench.collection.excluded

    def scores(self, query: str) -> Doubles:
        """Return the score of every passage for a query of the collection, by its id."""
        return evidence(self.index.scores(self._enriched(query)))

    def cost(self, query: str) -> int:
        """Return the postings scanned: the lengths of the lists of the query's active centers, stop centers left out.

        With feedback, those of both searches.
        """
        first = self._scanned(self.vectors[query])
        return first + self._scanned(self._enriched(query)) if self.index.statistics.config.feedback else first

    def _scanned(self, vector: SparseVector) -> int:
        return int(self._frequencies[vector.centers[~self.index.statistics.stop[vector.centers]]].sum())

    @lru_cache(maxsize=4)  # noqa: B019 - asked for twice in a row, for the scores and for the cost
    def _enriched(self, query: str) -> SparseVector:
        """Return the query with feedback, where there is any; documents that are no candidates lend it nothing."""
        return self.index.enrich(self.vectors[query], without=self._excluded.get(query, frozenset()))
