"""Vectors against vectors, and back to words: what can be said without an index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sparse_coverage.vectors.scoring import ScoringConfig
from sparse_coverage.vectors.sparse_vector import SparseVector


def similarity(
    queries: Sequence[SparseVector],
    documents: Sequence[SparseVector],
    scoring: ScoringConfig = ScoringConfig(),  # noqa: B008 - immutable
) -> npt.NDArray[np.float32]:
    """Return a row for each query and a column for each document: sum of w(q,c) * w(d,c), divided as the scoring says.

    That is the score with every idf at 1 and no stop centers, since both need a corpus.
    """
    size = 1 + max((int(vector.centers.max(initial=0)) for vector in (*queries, *documents)), default=0)
    found = np.zeros((len(queries), len(documents)), np.float64)
    for row, query in enumerate(queries):
        side = np.zeros(size)
        side[query.centers] = query.weights
        found[row] = [side[document.centers] @ document.weights for document in documents]
    norms = scoring.norms([document.span_count for document in documents])
    scores: npt.NDArray[np.float32] = (found * norms).astype(np.float32)
    return scores


def strongest(vector: SparseVector, count: int | None = None) -> list[tuple[int, float]]:
    """Return the centers of a vector with their weights, strongest first (ties: lowest center)."""
    order = np.lexsort((vector.centers, -vector.weights))[:count]
    return list(zip(vector.centers[order].tolist(), vector.weights[order].tolist(), strict=True))
