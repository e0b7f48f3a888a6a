"""Measures of the passage ranking that the two-stage protocol makes."""

from __future__ import annotations

from sparse_coverage.evaluation.collection import Ranking, Relevance
from sparse_coverage.evaluation.measures.documents import precision_sum


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
