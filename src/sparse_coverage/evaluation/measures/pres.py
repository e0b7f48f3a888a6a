"""PRES, the patent retrieval evaluation score: recall, and how early, for somebody who reads N_max documents."""

from __future__ import annotations

from sparse_coverage.evaluation.collection import Ranking, Relevance


def pres(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return 1 - (mean rank of the relevant documents - the best possible mean rank) / N_max.

    The i-th relevant document, when it is not among the first N_max = `cutoff`, counts as rank N_max + i; so all of them
    on top gives 1, and none at all 0.
    """
    limit = cutoff or max(1, len(ranking.documents))
    relevant = relevance.documents
    ranks = [rank for rank, document in enumerate(ranking.documents[:limit], 1) if document in relevant]
    ranks += [limit + i for i in range(len(ranks) + 1, len(relevant) + 1)]
    return 1 - (sum(ranks) / len(ranks) - (len(ranks) + 1) / 2) / limit
