"""The k best of many scores, without sorting them.

Scores are laid out in rows of 64, and 32 rows make a tile. The largest of each column of a tile is noted: these maxima come
out of the processor's vector units without any shuffling. The k-th largest maximum is a threshold that at least k scores
reach, and hardly more than k: only columns whose maximum reaches it are looked at, and only what reaches it is sorted. Ties go
to the lower number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.index.types import Bytes, Floats
from sparse_coverage.kernels import compiled

BEST, TOP_MEAN, DECAYED_SUM = 0, 1, 2
COLUMNS, ROWS = 64, 32
_SMALLEST = np.finfo(np.float32).tiny

Numbers = npt.NDArray[np.int64]


def columns_of(count: int) -> int:
    """Return how many columns so many scores have."""
    return COLUMNS * -(-count // (COLUMNS * ROWS))


def best_scores(scores: Floats, maxima: Floats, sizes: Sequence[int], k: int) -> tuple[Numbers, Floats]:
    """Return the numbers and scores of the k best positive ones, best first.

    The scores come in parts of the given sizes; `maxima` holds those of each part's columns, part after part.
    """
    threshold = max(_kth_largest(maxima, k), _SMALLEST)
    numbers = np.empty(ROWS * np.count_nonzero(maxima >= threshold), dtype=np.int64)
    count = _collect(scores, maxima, np.asarray(sizes, dtype=np.int64), threshold, numbers)
    chosen = np.sort(numbers[:count])
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")[:k]]
    return chosen, scores[chosen]


def best_documents(scores: Floats, starts: Numbers, rule: int, parameter: float, k: int) -> tuple[Numbers, Floats]:
    """Return the k best documents: `starts` says which of the units' scores are theirs, `rule` what these make."""
    values = np.empty(len(starts) - 1, dtype=np.float32)
    maxima = np.empty(columns_of(len(values)), dtype=np.float32)
    _best_of_each(scores, starts, values)
    note_maxima(values, maxima)
    if rule != BEST:
        # A document with best passage b makes at least b (a sum) or b / m (a mean), so the k-th best makes at least this:
        floor = float(_kth_largest(maxima, k)) / (parameter if rule == TOP_MEAN else 1.0)
        _combine(scores, starts, rule, parameter, floor, values)
        note_maxima(values, maxima)
    return best_scores(values, maxima, [len(values)], k)


def _kth_largest(values: Floats, k: int) -> Any:
    return np.partition(values, len(values) - k)[len(values) - k] if k <= len(values) else np.float32(0)


@compiled
def normalise(scores: Floats, norms: Floats, allowed: Bytes, maxima: Floats) -> None:
    """Multiply each score by its unit's norm, 0 for a deleted unit, and note the maxima.

    `allowed`, where not empty, holds 1 or 0 for each unit. Plain loops over everything: the compiler makes vector code of them.
    """
    if len(allowed):
        for unit in range(len(scores)):
            scores[unit] *= norms[unit] * np.float32(allowed[unit])
    else:
        for unit in range(len(scores)):
            scores[unit] *= norms[unit]
    note_maxima(scores, maxima)


@compiled
def note_maxima(scores: Floats, maxima: Floats) -> None:
    """Write the largest score of each column; 0 for one without scores.

    Scores are never negative, so their bits order like their values, and integer maxima need no care for what is not a number.
    """
    bits, largest = scores.view(np.int32), maxima.view(np.int32)
    largest[:] = 0
    whole = len(scores) // COLUMNS
    for row in range(whole):
        here = bits[row * COLUMNS : (row + 1) * COLUMNS]
        column = largest[row // ROWS * COLUMNS : (row // ROWS + 1) * COLUMNS]
        for place in range(COLUMNS):
            column[place] = max(column[place], here[place])
    for place in range(len(scores) - whole * COLUMNS):
        column = largest[whole // ROWS * COLUMNS :]
        column[place] = max(column[place], bits[whole * COLUMNS + place])


@compiled
def _collect(scores: Floats, maxima: Floats, sizes: Numbers, threshold: np.float32, numbers: Numbers) -> int:
    """Gather the numbers of the scores that reach the threshold; return how many."""
    count = first = column = 0
    for size in sizes:
        for tile in range(first, first + size, COLUMNS * ROWS):
            last = min(tile + COLUMNS * ROWS, first + size)
            for top in range(tile, tile + COLUMNS):
                if maxima[column] >= threshold:
                    for place in range(top, last, COLUMNS):
                        if scores[place] >= threshold:
                            numbers[count] = place
                            count += 1
                column += 1
        first += size
    return count


@compiled
def _best_of_each(scores: Floats, starts: Numbers, best: Floats) -> None:
    """Write the largest score of each document."""
    bits = scores.view(np.int32)
    for document in range(len(best)):
        largest = np.int32(0)
        for unit in range(starts[document], starts[document + 1]):
            largest = max(largest, bits[unit])
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
