"""Relevance feedback: what a searcher marks as relevant lends a query its centers; what is marked as not relevant takes some away.

For example, after a first look at the results:

    index.search(claim, marks=Marks(relevant=("EP-1234567-A1",), not_relevant=("EP-2345678-A1/description/p[4]",)))
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats
from sparse_coverage.search.feedback import Enriched, Lent, add_lent, lent_by, unchanged
from sparse_coverage.search.ranking import Ranker
from sparse_coverage.vectors import SparseVector

PASSAGES = 3
"""So many of a marked document's passages count: those that the query scores best."""
CENTERS = 200
LENT = 1.0
"""What relevant passages lend is worth so many times what the query's own centers are worth."""
TAKEN = 0.1
"""What passages that are not relevant take away, in the same measure; no center goes below nothing."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What was marked as relevant and as not relevant: ids of documents or of single passages."""

    relevant: tuple[str, ...] = ()
    not_relevant: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if both := sorted(set(self.relevant) & set(self.not_relevant)):
            raise InputError(f"{', '.join(both)}: marked as relevant and as not relevant. Take one of the marks back.")

    def __bool__(self) -> bool:
        return bool(self.relevant or self.not_relevant)


def with_marks(ranker: Ranker, vector: SparseVector, marks: Marks) -> Enriched:
    """Return a query vector with what marked passages add to it and take from it."""
    scores = ranker.scores(vector)
    enriched = unchanged(vector)
    if marks.relevant:
        enriched = add_lent(ranker, vector, _lent(ranker, marks.relevant, scores), CENTERS, LENT)
    if marks.not_relevant:
        enriched = _take(ranker, vector, enriched, _lent(ranker, marks.not_relevant, scores))
    return enriched


def _lent(ranker: Ranker, ids: tuple[str, ...], scores: Floats) -> Lent:
    passages: list[int] = []
    shares: list[float] = []
    for id_ in ids:
        mine = _passages(ranker, id_, scores)
        passages += mine
        shares += [1 / len(mine)] * len(mine)
    return lent_by(ranker, passages, shares)


def _passages(ranker: Ranker, id_: str, scores: Floats) -> list[int]:
    """Return the passages that a mark is about: the one with this id, or the best ones of the document with it."""
    store = ranker.store
    document = store.find_document(id_)
    if document is None:
        passage = store.find_passage(id_)
        if passage is None:
            raise InputError(f"The index holds neither a document nor a passage with the id '{id_}'{store.near(id_)}.")
        return [passage]
    mine = store.passages_of(document)
    return sorted(mine, key=lambda number: (-scores[number], number))[:PASSAGES]


def _take(ranker: Ranker, vector: SparseVector, enriched: Enriched, taken: Lent) -> Enriched:
    """Return a query with less weight at some centers. Those left without any are dropped."""
    statistics, now = ranker.statistics, enriched.vector
    total = (taken.weights * statistics.worth).sum()
    if not total:
        return enriched
    _, own = statistics.factors(vector.centers, vector.weights)
    weights = now.weights - TAKEN * own.sum() / total * taken.weights[now.centers]
    kept = np.flatnonzero(weights > 0)
    fewer = SparseVector(
        centers=now.centers[kept],
        weights=weights[kept].astype(np.float32),
        spans=now.spans[kept],
        starts=now.starts[kept],
        ends=now.ends[kept],
        span_count=now.span_count,
        uncovered=now.uncovered,
    )
    return Enriched(fewer, enriched.lenders, enriched.lent[kept])
