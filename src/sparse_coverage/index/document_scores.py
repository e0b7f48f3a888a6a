"""Scores of documents from those of their passages, and the best of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.index.records import Floats
from sparse_coverage.index.shortlist import best_scores
from sparse_coverage.kernels import compiled

BEST, TOP_MEAN, DECAYED_SUM = 0, 1, 2

Numbers = npt.NDArray[np.int64]


def best_documents(scores: Floats, starts: Numbers, rule: int, parameter: float, k: int) -> tuple[Numbers, Floats]:
    """Return the k best documents: `starts` says which of the passages' scores are theirs, `rule` what these make."""
    values = np.empty(len(starts) - 1, dtype=np.float32)
    _best_of_each(scores, starts, values)
    k = min(k, max(1, len(values)))
    numbers, best = best_scores(values, k)
    if rule == BEST:
        return numbers, best
    # A document with best passage b makes at least b (a sum) or b / m (a mean), so the k-th best makes at least this:
    least = float(best[-1]) if len(best) == k else 0.0
    _combine(scores, starts, rule, parameter, least / (parameter if rule == TOP_MEAN else 1.0), values)
    return best_scores(values, k)


@compiled
def _best_of_each(scores: Floats, starts: Numbers, best: Floats) -> None:
    """Write the largest score of each document."""
    bits = scores.view(np.int32)
    for document in range(len(best)):
        largest = np.int32(0)
        for passage in range(starts[document], starts[document + 1]):
            largest = max(largest, bits[passage])
        best[document] = np.int32(largest).view(np.float32)


@compiled
def _combine(scores: Floats, starts: Numbers, rule: int, parameter: float, floor: float, values: Floats) -> None:
    """Replace each document's best score by what all its scores make, or by 0 where that cannot reach the floor."""
    for document in range(len(values)):
        bound = values[document] if rule == TOP_MEAN else values[document] / (1 - parameter)
        if bound * 1.0001 < floor:
            values[document] = 0
        elif bound > 0:
            values[document] = _combined(scores[starts[document] : starts[document + 1]], rule, parameter)


@compiled
def _combined(scores: Floats, rule: int, parameter: float) -> Any:
    """Return the mean of the `parameter` best scores (of all, if fewer), or their sum, each weighed `parameter` times less."""
    falling = scores.copy()
    _sort_falling(falling)
    total = 0.0
    if rule == TOP_MEAN:
        taken = min(len(falling), int(parameter))
        for place in range(taken):
            total += falling[place]
        return np.float32(total / taken)
    share = 1.0
    for place in range(len(falling)):
        total += share * falling[place]
        share *= parameter
    return np.float32(total)


@compiled
def _sort_falling(values: Floats) -> None:
    """Sort in place, largest first: a Shell sort, short and quick enough for the passages of one document."""
    gap = len(values) // 2
    while gap > 0:
        for place in range(gap, len(values)):
            value, hole = values[place], place
            while hole >= gap and values[hole - gap] < value:
                values[hole] = values[hole - gap]
                hole -= gap
            values[hole] = value
        gap //= 2
