"""The usual measures of a document ranking. They agree with trec_eval's, given the same order."""

from __future__ import annotations

import math

from sparse_coverage.evaluation.collection import Ranking, Relevance


def recall(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the share of the relevant documents among the first `cutoff`."""
    relevant = relevance.documents
    return len(relevant.intersection(ranking.documents[:cutoff])) / len(relevant)


def precision(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the share of relevant documents in the first `cutoff` places, empty places counted as misses."""
    places = cutoff or len(ranking.documents)
    return len(relevance.documents.intersection(ranking.documents[:cutoff])) / places if places else 0.0


def success(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return 1 if any relevant document is among the first `cutoff`, else 0."""
    return float(not relevance.documents.isdisjoint(ranking.documents[:cutoff]))


def reciprocal_rank(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return one over the rank of the first relevant document, 0 if there is none."""
    relevant = relevance.documents
    return next((1 / rank for rank, doc in enumerate(ranking.documents[:cutoff], 1) if doc in relevant), 0.0)


def average_precision(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the mean, over the relevant documents, of the precision at each one's rank; 0 for those not found."""
    relevant = relevance.documents
    return precision_sum(ranking.documents[:cutoff], relevant) / len(relevant)


def precision_sum(ranked: tuple[str, ...] | list[str], relevant: frozenset[str]) -> float:
    """Return the sum of the precisions at the ranks of the relevant items."""
    found, total = 0, 0.0
    for rank, item in enumerate(ranked, 1):
        if item in relevant:
            found += 1
            total += found / rank
    return total


def ndcg(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the discounted cumulated gain (grades as they are, log2 discount) over that of the ideal ranking."""
    gains = [max(0, relevance.grades.get(document, 0)) for document in ranking.documents[:cutoff]]
    ideal = sorted((grade for grade in relevance.grades.values() if grade > 0), reverse=True)[:cutoff]
    return _discounted(gains) / _discounted(ideal)


def _discounted(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
