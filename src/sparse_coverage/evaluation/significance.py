"""How sure a difference is: bootstrap intervals, paired randomisation tests, Holm's correction. Same seed, same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError

RESAMPLES = 10_000
EXACT_UP_TO = 13
"""With this many differing queries or fewer, all 2^n sign patterns are counted instead of sampled."""

Values = Sequence[float] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the bounds of its bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on one measure: `difference` is the mean of `second` minus that of `first`; `p` before and after Holm."""

    first: str
    second: str
    measure: str
    difference: float
    p: float
    p_holm: float


def bootstrap(values: Values, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """Return the mean over queries and its percentile bootstrap interval."""
    given = np.asarray(values, dtype=np.float64)
    if len(given) == 0:
        raise InputError("There is nothing to average: no query has anything relevant.")
    random = np.random.default_rng([seed, 2])
    means = np.empty(resamples)
    step = max(1, 4_000_000 // len(given))
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        means[start : start + count] = given[random.integers(0, len(given), (count, len(given)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(given.mean()), float(low), float(high))


def randomisation_test(first: Values, second: Values, *, resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Return the two-sided p-value of a paired randomisation test on the mean difference.

    If the systems were the same, each query's two values could as well be swapped: p is the share of such swaps that give
    a mean difference at least as large. Exact where few queries differ, else sampled (with the observed one counted in).
    """
    differences = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    moving = differences[differences != 0]
    if len(moving) == 0:
        return 1.0
    # The tolerance makes swaps with the same sum count as the same, whatever order they are added in.
    observed = abs(moving.sum()) - 1e-12 * np.abs(moving).sum()
    if len(moving) <= EXACT_UP_TO:
        patterns = (np.arange(2 ** len(moving))[:, None] >> np.arange(len(moving))) & 1
        return float((np.abs((1 - 2 * patterns) @ moving) >= observed).mean())
    random = np.random.default_rng([seed, 3])
    as_large = 0
    step = max(1, 4_000_000 // len(moving))
    for start in range(0, resamples, step):
        signs = 1.0 - 2.0 * random.integers(0, 2, (min(step, resamples - start), len(moving)))
        as_large += int((np.abs(signs @ moving) >= observed).sum())
    return (as_large + 1) / (resamples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values: the k-th smallest of m times (m - k + 1), never falling, at most 1.

    >>> [round(p, 4) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, number in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[number]))
        adjusted[number] = largest
    return adjusted


def compare(
    systems: Mapping[str, Mapping[str, float]], measure: str, *, against: str | None = None
) -> list[Comparison]:
    """Compare every two systems on one measure, given each one's values by query, or all with one of them.

    Holm's correction is over all the pairs that are compared.
    """
    pairs = [(against, name) for name in systems if name != against] if against else list(combinations(systems, 2))
    if not pairs:
        return []
    queries = list(next(iter(systems.values())))
    values = {name: np.array([by_query[query] for query in queries]) for name, by_query in systems.items()}
    p_values = [randomisation_test(values[a], values[b]) for a, b in pairs]
    return [
        Comparison(a, b, measure, float((values[b] - values[a]).mean()), p, adjusted)
        for (a, b), p, adjusted in zip(pairs, p_values, holm(p_values), strict=True)
    ]
