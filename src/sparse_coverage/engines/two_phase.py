"""Two-phase search, for engines that are slow on long queries: candidates by the strongest centers, then exact scores.

A claim activates hundreds of centers, and an engine takes time for every posting of each. The rare centers weigh most and
have the shortest lists, so the engine is asked with those alone; what it finds is then scored with the whole query. The scores
are exact; whether everything that belongs into the list is among the candidates is not certain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sparse_coverage.engines.conditions import Condition
from sparse_coverage.engines.engine import Centers, Found, RemoteCollection, Request, Weights
from sparse_coverage.engines.ranking import FoundDocument, Ranker
from sparse_coverage.errors import InputError
from sparse_coverage.search.statistics import ScoringConfig
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vectors.aggregation import TopMean, document_scores


@dataclass(frozen=True, slots=True)
class PruningCost:
    """What the engine is spared: centers and postings of a query, and of its pruned form."""

    centers: int
    kept_centers: int
    postings: int
    kept_postings: int


@dataclass(frozen=True, slots=True)
class TwoPhase:
    """Which share of a query's centers, the strongest ones, finds candidates, and how many candidates are scored exactly."""

    share: float = 0.5
    candidates: int = 500

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1 or self.candidates < 1:
            raise InputError(
                f"Two phases need a share above 0 and at most 1, and a candidate at least, not {self.share} and {self.candidates}."
            )


class TwoPhaseRanker(Ranker):
    """Ranks in two phases."""

    def __init__(
        self, collection: RemoteCollection, config: TwoPhase | None = None, scoring: ScoringConfig | None = None
    ) -> None:
        self._config = config or TwoPhase()
        super().__init__(collection, scoring)

    def rank_passages(self, vector: SparseVector, k: int, condition: Condition | None = None) -> list[Found]:
        """Return the best `k` of the candidates."""
        return self._rescored(vector, max(k, self._config.candidates), condition)[:k]

    def rank_documents(
        self, vector: SparseVector, k: int, passages: int, condition: Condition | None = None
    ) -> list[FoundDocument]:
        """Return the best `k` documents that have a candidate, with their best passages among the candidates.

        In a mean of several passages, those that are no candidates count 0.
        """
        rule = self.statistics.config.aggregation
        documents: dict[str, list[Found]] = {}
        for point in self._rescored(vector, max(k, self._config.candidates), condition):
            documents.setdefault(point.document, []).append(point)
        best = []
        for document, points in documents.items():
            scores = [point.score for point in points]
            scores += [0.0] * (rule.m - len(scores) if isinstance(rule, TopMean) else 0)
            made = document_scores(np.asarray(scores, np.float32), np.zeros(1, np.int64), rule)
            best.append(FoundDocument(document, tuple(points[:passages]), True, float(made[0])))
        return sorted(best, key=lambda one: -one.score)[:k]

    def cost(self, vector: SparseVector) -> PruningCost:
        """Say what the pruned query spares the engine."""
        centers, factors = self.statistics.factors(vector.centers, vector.weights)
        kept, _ = strongest(centers, factors, self._config.share)
        lengths = self.known.frequencies
        return PruningCost(len(centers), len(kept), int(lengths[centers].sum()), int(lengths[kept].sum()))

    def _rescored(self, vector: SparseVector, limit: int, condition: Condition | None) -> list[Found]:
        centers, factors = self.statistics.factors(vector.centers, vector.weights)
        if not len(centers):
            return []
        kept, strong = strongest(centers, factors, self._config.share)
        limit = min(limit, self.collection.limit)
        (found,) = self.collection.search([Request(kept, strong, limit, condition)])
        if len(kept) == len(centers):
            return found
        scores = self.collection.scores([point.id for point in found], centers, factors) if found else {}
        # A point that was deleted between the two requests is left out.
        scored = [Found(point.id, point.document, scores[point.id]) for point in found if point.id in scores]
        return sorted(scored, key=lambda point: -point.score)


def strongest(centers: Centers, factors: Weights, share: float) -> tuple[Centers, Weights]:
    """Return the share of centers of largest w(q,c) * idf^alpha, in rising order; the rarer a center, the stronger it is."""
    count = math.ceil(share * len(centers))
    chosen = np.sort(np.lexsort((centers, -factors))[:count])
    return centers[chosen], factors[chosen]
