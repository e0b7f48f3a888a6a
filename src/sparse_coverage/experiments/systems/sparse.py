"""Sparse Coverage as a system to evaluate: alone, and joined with BM25 and dense retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sparse_coverage.evaluation.protocol import evidence
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems.baselines import BaselineSystem, bm25_system, dense_system
from sparse_coverage.kernels import Doubles, Int64s
from sparse_coverage.retrievers.fusion import fuse_scores
from sparse_coverage.systems import FusionRule
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vectors.aggregation import Best, document_scores


class SparseCoverageSystem:
    """The product's index of the collection, with the query vectors of its queries."""

    def __init__(self, bench: Workbench, options: SystemOptions) -> None:
        self.index = bench.index(options)
        self.aggregation = options.scoring.aggregation
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


class HybridSystem:
    """Documents are ranked by each part, then by the sum of 1 / (60 + rank), or of shares of the largest score.

    The arithmetic is that of `retrievers.Fuse`, over the scores of all passages.
    """

    def __init__(self, bench: Workbench, options: SystemOptions, how: FusionRule = "rrf") -> None:
        self.parts: tuple[SparseCoverageSystem | BaselineSystem, ...] = (
            SparseCoverageSystem(bench, options),
            bm25_system(bench, options),
            dense_system(bench, options),
        )
        self._starts = bench.corpus.starts[:-1]
        self._counts = np.diff(bench.corpus.starts)
        self._how = how
        self.aggregation = Best()  # of the passages, which have the height of their document already

    def scores(self, query: str) -> Doubles:
        """Return the score of every passage for a query of the collection, by its id."""
        scores = [part.scores(query) for part in self.parts]
        documents = [
            document_scores(one, self._starts, part.aggregation).astype(np.float64)
            for one, part in zip(scores, self.parts, strict=True)
        ]
        return fused_passages(scores, documents, self._starts, self._counts, self._how)

    def cost(self, query: str) -> int:
        """Return the cost of the three together."""
        return sum(part.cost(query) for part in self.parts)


def fused_passages(
    parts: Sequence[Doubles], ranked: Sequence[Doubles], starts: Int64s, counts: Int64s, how: FusionRule
) -> Doubles:
    """Return one score a passage from those that each part gives passages and documents.

    A document's best passage has the fused score of the document, the others their share of it.
    """
    weights = [1.0] * len(parts)
    documents = fuse_scores(ranked, how, weights)
    passages = fuse_scores(parts, how, weights)
    best = np.maximum.reduceat(passages, starts)
    heights = np.divide(documents, best, out=np.zeros_like(documents), where=best > 0)
    fused = passages * np.repeat(heights, counts)
    fused[fused <= 0] = -np.inf
    return np.asarray(fused)
