"""The best documents of a search, ranked again by how much of the claim their sentences disclose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparse_coverage.charts.chart import encode_claims, scores_of
from sparse_coverage.charts.charting import Charts
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Doubles
from sparse_coverage.retrievers import Rerank, coverage_of
from sparse_coverage.retrievers.fusion import shares
from sparse_coverage.search import Hit, Retriever

WEIGHT = 0.5
"""How much coverage counts beside the score of the search, each divided by its largest."""


def rerank_by_chart(retriever: Retriever, top: int = 100) -> Rerank:
    """Return a retriever whose `top` documents are ranked again by their coverage of a claim's elements."""
    index = coverage_of(retriever)
    if index is None:
        raise InputError("Ranking by claim charts needs an index of Sparse Coverage: leave the other system out.")
    charts = Charts(index)
    if charts.kept is None:
        raise InputError(
            "Ranking by claim charts needs the sentences of the index. Keep them once: sparse-coverage chart INDEX CLAIM --keep"
        )
    return Rerank(retriever, ByChart(charts), top)


@dataclass(frozen=True, slots=True)
class ByChart:
    """A reranker: the mean score of a document's best sentences over the elements of a claim, mixed with the score it has."""

    charts: Charts
    weight: float = WEIGHT

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits by the mixed scores."""
        mixed = self.mixed(hits, self.coverage(query, hits))
        order = np.lexsort((np.arange(len(hits)), -mixed)).tolist()
        return [replace(hits[place], score=float(mixed[place])) for place in order]

    def mixed(self, hits: Sequence[Hit], coverage: Doubles) -> Doubles:
        """Return the scores of hits, mixed with their coverage."""
        scores = np.asarray([hit.score for hit in hits], dtype=np.float64)
        return (1 - self.weight) * shares(scores) + self.weight * shares(coverage)

    def coverage(self, query: str, hits: Sequence[Hit]) -> Doubles:
        """Return how much of a claim each document has, from 0 for the one that has least."""
        charts, claims = self.charts, read_claims(query)
        encoded = encode_claims(claims, chart_elements(claims), charts.encoder, charts.calibration)
        documents = [charts.document(hit.document) for hit in hits]
        coverage: Doubles = np.zeros(len(hits))
        for place, (document, sentences) in enumerate(zip(documents, charts.sentences(documents), strict=True)):
            scores = scores_of(encoded, document, sentences, charts.calibration)
            if scores.size:
                coverage[place] = float(scores.max(1).mean())
        above: Doubles = coverage - coverage.min(initial=0.0)
        return above
