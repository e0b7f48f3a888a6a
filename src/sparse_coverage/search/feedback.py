"""A query made richer by what it finds first: the strongest centers of its best passages are added to it.

What the claim calls one thing, its nearest prior art often calls another; the passages found first lend the query their
centers, and a second search reaches documents that share those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparse_coverage.kernels import Doubles, Int32s, Int64s
from sparse_coverage.search.ranking import Allowed, Ranker
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vectors.aggregation import Best


@dataclass(frozen=True, slots=True, eq=False)
class Enriched:
    """A query vector with feedback. `lenders` are the passages that lent centers, best first; `lent[i]` is the passage that lent
    most of the weight of center i to it, or -1 where it has all its weight from the query's own spans.
    """

    vector: SparseVector
    lenders: Int64s
    lent: Int64s


def with_feedback(ranker: Ranker, vector: SparseVector, allowed: Allowed | None = None, threads: int = 1) -> Enriched:
    """Add to a query what its first answers lend it, where the scoring asks for feedback.

    The best passages of the best documents lend their centers in proportion to their scores. In sum, what is added is worth
    `feedback_weight` times what the query's own centers are worth.
    """
    config, statistics = ranker.statistics.config, ranker.statistics
    nothing = Enriched(vector, np.empty(0, np.int64), np.full(len(vector), -1, np.int64))
    if not config.feedback:
        return nothing
    found, _ = ranker.rank_documents(vector, config.feedback, allowed, 1, threads, Best())
    passages = [int(document.passages[0]) for document in found if len(document.passages)]
    if not passages:
        return nothing
    total = sum(document.score for document in found)
    added, largest = np.zeros(len(statistics.idf)), np.zeros(len(statistics.idf))
    lender = np.full(len(statistics.idf), -1, dtype=np.int64)
    for passage, document in zip(passages, found, strict=True):
        segment = ranker.store.segment_of_passage(passage)
        centers, weights = segment.passage_vector(passage - segment.first_passage)
        norm = float(config.norms(segment.span_counts[passage - segment.first_passage]))
        share = document.score / total * norm * weights
        added[centers] += share
        more = share > largest[centers]
        largest[centers[more]] = share[more]
        lender[centers[more]] = passage
    worth = added * statistics.worth  # nothing, for a stop center
    count = min(config.feedback_centers, int((worth > 0).sum()))
    chosen = np.sort(np.lexsort((np.arange(len(worth)), -worth))[:count])
    _, own = statistics.factors(vector.centers, vector.weights)
    scale = config.feedback_weight * own.sum() / worth[chosen].sum() if count else 0.0
    return _joined(vector, chosen, scale * added[chosen], lender, np.asarray(passages, dtype=np.int64))


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
