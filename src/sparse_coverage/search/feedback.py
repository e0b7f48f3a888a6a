"""Relevance feedback: a query is made richer by the passages that a searcher marks.

What the claim calls one thing, its nearest prior art often calls another; passages lend the query their strongest centers, and
a second search reaches documents that share those. What is marked as not relevant takes some away:

    index.search(claim, marks=Marks(relevant=("EP-1234567-A1",), not_relevant=("EP-2345678-A1/description/p[4]",)))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import InputError, NoDocumentError
from sparse_coverage.kernels import Doubles, Floats, Int32s, Int64s
from sparse_coverage.search.ranking import Ranker
from sparse_coverage.vectors import SparseVector


@dataclass(frozen=True, slots=True, eq=False)
class Enriched:
    """A query vector with what was marked. `lenders` are the passages that lent centers; `lent[i]` is the passage that lent
    most of the weight of center i to it, or -1 where it has all its weight from the query's own spans.
    """

    vector: SparseVector
    lenders: Int64s
    lent: Int64s


def unchanged(vector: SparseVector) -> Enriched:
    """Return a query vector to which nothing was lent."""
    return Enriched(vector, np.empty(0, np.int64), np.full(len(vector), -1, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Lent:
    """What passages lend, a value a center: the weight, and the passage that gave most of it (-1 where none gave any)."""

    weights: Doubles
    lender: Int64s
    passages: Int64s


def lent_by(ranker: Ranker, passages: Sequence[int], shares: Sequence[float]) -> Lent:
    """Add up the centers of passages, each by its share, as a score would count them."""
    config, count = ranker.statistics.config, len(ranker.statistics.idf)
    added, largest = np.zeros(count), np.zeros(count)
    lender = np.full(count, -1, dtype=np.int64)
    for passage, part in zip(passages, shares, strict=True):
        segment = ranker.store.segment_of_passage(passage)
        centers, weights = segment.passage_vector(passage - segment.first_passage)
        norm = float(config.norms(segment.span_counts[passage - segment.first_passage]))
        share = part * norm * weights
        added[centers] += share
        more = share > largest[centers]
        largest[centers[more]] = share[more]
        lender[centers[more]] = passage
    return Lent(added, lender, np.asarray(passages, dtype=np.int64))


def add_lent(ranker: Ranker, vector: SparseVector, lent: Lent, centers: int, weight: float) -> Enriched:
    """Add the `centers` of most worth to a query; in sum they are worth `weight` times what its own centers are worth."""
    worth = lent.weights * ranker.statistics.worth  # nothing, for a stop center
    count = min(centers, int((worth > 0).sum()))
    chosen = np.sort(np.lexsort((np.arange(len(worth)), -worth))[:count])
    _, own = ranker.statistics.factors(vector.centers, vector.weights)
    scale = weight * own.sum() / worth[chosen].sum() if count else 0.0
    return _joined(vector, chosen, scale * lent.weights[chosen], lent.lender, lent.passages)


def _joined(vector: SparseVector, chosen: Int64s, weights: Doubles, lender: Int64s, lenders: Int64s) -> Enriched:
    """Return the vector with more weight at some centers; centers that it did not have point at no span of the query."""
    centers = np.union1d(vector.centers, chosen).astype(np.int32)
    mine = np.searchsorted(centers, vector.centers)
    total = np.zeros(len(centers))
    total[mine] = vector.weights
    total[np.searchsorted(centers, chosen)] += weights

    def placed(column: Int32s) -> Int32s:
        wider = np.full(len(centers), -1, dtype=np.int32)
        wider[mine] = column
        return wider

    joined = SparseVector(
        centers=centers,
        weights=total.astype(np.float32),
        spans=placed(vector.spans),
        starts=placed(vector.starts),
        ends=placed(vector.ends),
        span_count=vector.span_count,
        uncovered=vector.uncovered,
    )
    lent = lender[centers]
    lent[mine] = -1
    return Enriched(joined, lenders, lent)


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
            raise NoDocumentError(
                f"The index holds neither a document nor a passage with the id '{id_}'{store.near(id_)}."
            )
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
