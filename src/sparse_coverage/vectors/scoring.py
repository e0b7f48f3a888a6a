"""The settings of a score, applied when searching since an index holds raw weights; and vectors against vectors, which needs no index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.aggregation import Aggregation, parse_aggregation
from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Doubles, Floats
from sparse_coverage.vectors.activation import SparseVector

# Beyond these, scores of ordinary passages leave the range of 32-bit numbers, and the ranking is none.
MOST_ALPHA, MOST_GAMMA = 20.0, 4.0
MOST_SPANS = 1_000_000


@dataclass(frozen=True, slots=True)
class ScoringConfig:
    """The exponents of the score, the share of stop centers, and what ranks documents.

    `alpha`: exponent of idf. `gamma`: exponent of the span count that a passage's weights are divided by, after `smoothing`
    spans were added to it. `rho`: the share of centers, those of largest document frequency, that are left out. `rank`: how the
    scores of its passages make that of a document, as `parse_aggregation` reads it.

    >>> ScoringConfig(gamma=0.5).norms([4, 100]).tolist()
    [0.5, 0.1]
    """

    alpha: float = 2.0
    gamma: float = 0.5
    rho: float = 0.01
    smoothing: float = 0.0
    rank: str = "best"

    def __post_init__(self) -> None:
        parse_aggregation(self.rank)  # refuses an unknown rule at once
        if not 0 <= self.rho < 1:
            raise InputError(f"rho is a share of the centers: at least 0 and below 1, not {self.rho}.")
        for name, most in (("alpha", MOST_ALPHA), ("gamma", MOST_GAMMA)):
            if not abs(getattr(self, name)) <= most:
                raise InputError(f"{name} is an exponent from -{most:g} to {most:g}, not {getattr(self, name)}.")
        if not 0 <= self.smoothing <= MOST_SPANS:
            raise InputError(f"smoothing is a number of spans from 0 to {MOST_SPANS:,}, not {self.smoothing}.")

    @property
    def aggregation(self) -> Aggregation:
        """The rule of `rank`."""
        return parse_aggregation(self.rank)

    def norms(self, span_counts: npt.ArrayLike) -> Doubles:
        """Return what the sum of a passage with so many spans is multiplied by: 1 / (|S| + smoothing)^gamma."""
        counts = np.maximum(np.asarray(span_counts, dtype=np.float64), 1) + self.smoothing
        return np.asarray(counts**-self.gamma)


def similarity(
    queries: Sequence[SparseVector],
    documents: Sequence[SparseVector],
    scoring: ScoringConfig = ScoringConfig(),  # noqa: B008 - immutable
) -> Floats:
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
    scores: Floats = (found * norms).astype(np.float32)
    return scores


def strongest(vector: SparseVector, count: int | None = None) -> list[tuple[int, float]]:
    """Return the centers of a vector with their weights, strongest first (ties: lowest center)."""
    order = np.lexsort((vector.centers, -vector.weights))[:count]
    return list(zip(vector.centers[order].tolist(), vector.weights[order].tolist(), strict=True))
