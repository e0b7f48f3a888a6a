"""What the measures compute for one query: those of a document ranking, PRES, and those of a passage ranking.

The usual ones agree with trec_eval's, given the same order.
"""

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


def pres(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return PRES, the patent retrieval evaluation score: recall, and how early, for somebody who reads N_max documents.

    It is 1 - (mean rank of the relevant documents - the best possible mean rank) / N_max.

    The i-th relevant document, when it is not among the first N_max = `cutoff`, counts as rank N_max + i; so all of them
    on top gives 1, and none at all 0.
    """
    limit = cutoff or max(1, len(ranking.documents))
    relevant = relevance.documents
    ranks = [rank for rank, document in enumerate(ranking.documents[:limit], 1) if document in relevant]
    ranks += [limit + i for i in range(len(ranks) + 1, len(relevant) + 1)]
    return 1 - (sum(ranks) / len(ranks) - (len(ranks) + 1) / 2) / limit


def map_by_document(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return mAP(D) of one query: for each relevant document, average precision over its own passages; their mean.

    A document's passages are taken in the order of the ranking. The sum of precisions is divided by the number of its
    relevant passages, found or not; a relevant document none of whose passages is ranked counts 0.
    """
    own: dict[str, list[str]] = {document: [] for document in relevance.passages}
    for passage, document in zip(ranking.passages, ranking.passage_documents, strict=True):
        if document in own:
            own[document].append(passage)
    values = [precision_sum(own[doc], relevant) / len(relevant) for doc, relevant in relevance.passages.items()]
    return sum(values) / len(values)


def passage_recall(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the share of all relevant passages among the first `cutoff` passages."""
    relevant = frozenset().union(*relevance.passages.values())
    return len(relevant.intersection(ranking.passages[:cutoff])) / len(relevant)


def _discounted(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
