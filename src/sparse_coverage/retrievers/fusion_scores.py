"""Several scores of the same things made into one: by rank, or by share of the largest. Plain functions on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError

FusionRule = Literal["rrf", "weighted"]
Values = npt.NDArray[np.float64]

CONSTANT = 60


def reciprocal_ranks(scores: Values, constant: int = CONSTANT) -> Values:
    """Return 1 / (constant + rank) of each score, ties in the order given, and 0 where there is none (minus infinity).

    >>> reciprocal_ranks(np.array([0.5, -np.inf, 0.9])).tolist() == [1 / 62, 0.0, 1 / 61]
    True
    """
    order = np.argsort(-scores, kind="stable")
    values = np.empty(len(scores))
    values[order] = 1 / (constant + np.arange(1, len(scores) + 1))
    values[scores == -np.inf] = 0
    return values


def shares(scores: Values) -> Values:
    """Return each score divided by the largest; what is not positive, or not there, counts as 0.

    >>> shares(np.array([2.0, -np.inf, 4.0, -1.0])).tolist()
    [0.5, 0.0, 1.0, 0.0]
    """
    largest = scores.max(initial=0.0)
    return np.maximum(scores, 0) / largest if largest > 0 else np.zeros(len(scores))


def fuse_scores(parts: Sequence[Values], how: FusionRule, weights: Sequence[float]) -> Values:
    """Return one score for each thing from the scores that several parts gave it. The order of the parts does not matter."""
    if how not in ("rrf", "weighted"):
        raise InputError(f"There is no fusion '{how}'. Use rrf (by rank) or weighted (by share of the largest score).")
    single = reciprocal_ranks if how == "rrf" else shares
    added = np.stack([weight * single(part) for part, weight in zip(parts, weights, strict=True)])
    # Floating point sums depend on the order of what is added: a fixed one, whatever the order of the parts.
    return np.asarray(np.sort(added, axis=0).sum(axis=0))
