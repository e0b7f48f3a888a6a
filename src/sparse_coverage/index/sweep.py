"""One query over the lists of many segments, in one compiled call: all scores, or the best of them.

While the best are sought, only one segment's scores are held at a time, and they stay in the processor's cache. Everything
from the query's weights to the sorted best is compiled, because a short query is answered in the time of a few dozen calls of
NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import carray

from sparse_coverage.index.accumulate import Centers, Factors, accumulate_narrow, accumulate_wide, normalise
from sparse_coverage.index.pages import GuardedArray
from sparse_coverage.index.postings import weight_scale
from sparse_coverage.index.shortlist import Numbers, new_shortlist, offer, ranked
from sparse_coverage.index.types import Bytes, Floats, Uint32s
from sparse_coverage.kernels import compiled, pointer
from sparse_coverage.vectors.types import SparseVector

EVERYTHING: Bytes = np.zeros(0, dtype=np.uint8)
_Int32s = npt.NDArray[np.int32]
_Arguments = tuple[Numbers, Numbers, int, Factors, Floats, _Int32s, Floats, Bytes]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The inverted lists of one segment with so many units."""

    offsets: Uint32s
    packed: GuardedArray
    units: int


class Sweep:
    """The lists of several segments, whose units are numbered through.

    A unit's score is the sum of query weight * worth of the center * weight, times the unit's norm. Centers worth nothing are
    passed over. What may be found is given as 1 or 0 for each unit, or as `EVERYTHING`.
    """

    def __init__(self, lists: Sequence[Lists], worth: Factors, norms: Floats) -> None:
        self._lists = tuple(lists)  # the table below points into their memory
        self._worth = worth
        self._norms = norms
        self._starts = np.cumsum([0, *(part.units for part in lists)], dtype=np.int64)
        arrays = [(part.offsets, part.packed.data, part.packed.sound) for part in lists]
        table = [[number for array in row for number in (array.ctypes.data, len(array))] for row in arrays]
        self._table = np.asarray(table, dtype=np.int64).reshape(len(table), 6)
        self._scale = weight_scale(8 if any(part.packed.data.ndim == 2 for part in lists) else 16)
        self._longest = max((part.units for part in lists), default=0)
        self._rooms: list[Floats] = []  # used again and again, since fresh memory costs time

    def score(self, query: SparseVector, allowed: Bytes, segments: range, scores: Floats) -> None:
        """Write the scores of the units of some segments to their places in `scores`."""
        arguments = self._arguments(query, allowed)
        while not _score_segments(*arguments, segments.start, segments.stop, scores):
            self._check(query, segments)

    def best(self, query: SparseVector, allowed: Bytes, segments: range, k: int) -> tuple[Numbers, Floats]:
        """Return the numbers and scores of the k best units of some segments, best first, ties in order of numbers."""
        arguments, k = self._arguments(query, allowed), max(1, min(k, len(self._norms)))
        try:
            room = self._rooms.pop()
        except IndexError:
            room = np.empty(self._longest, dtype=np.float32)
        complete = False
        while not complete:
            complete, numbers, scores = _best_of_segments(*arguments, segments.start, segments.stop, room, k)
            if not complete:
                self._check(query, segments)
        self._rooms.append(room)
        return numbers, scores

    def _arguments(self, query: SparseVector, allowed: Bytes) -> _Arguments:
        return (
            self._table, self._starts, self._scale, self._worth, self._norms, query.centers, query.weights, allowed,
        )  # fmt: skip

    def _check(self, query: SparseVector, segments: range) -> None:
        """Check all pages that a query needs, after some of them were found never to have been used before."""
        centers, _ = weigh(self._worth, query.centers, query.weights)
        for part in self._lists[segments.start : segments.stop]:
            part.packed.check_runs(part.offsets, centers)


@compiled
def weigh(worth: Factors, centers: _Int32s, weights: Floats) -> tuple[Centers, Factors]:
    """Return the centers of a query that are worth anything, and weight * worth of each."""
    kept, factors = np.empty(len(centers), dtype=np.int64), np.empty(len(centers), dtype=np.float64)
    count = 0
    for place in range(len(centers)):
        if worth[centers[place]] > 0:
            kept[count] = centers[place]
            factors[count] = np.float64(weights[place]) * worth[centers[place]]
            count += 1
    return kept[:count], factors[:count]


@compiled
def _score_segments(
    table: Numbers, starts: Numbers, scale: int, worth: Factors, norms: Floats, query_centers: _Int32s,
    query_weights: Floats, allowed: Bytes, first: int, last: int, scores: Floats,
) -> bool:  # fmt: skip
    """Score the segments from `first` up to `last`; return False, unfinished, at a page that was never checked."""
    centers, factors = weigh(worth, query_centers, query_weights)
    for segment in range(first, last):
        here = scores[starts[segment] : starts[segment + 1]]
        if not _score(table, starts, scale, norms, centers, factors, allowed, segment, here):
            return False
    return True


@compiled
def _best_of_segments(
    table: Numbers, starts: Numbers, scale: int, worth: Factors, norms: Floats, query_centers: _Int32s,
    query_weights: Floats, allowed: Bytes, first: int, last: int, room: Floats, k: int,
) -> tuple[bool, Numbers, Floats]:  # fmt: skip
    """The same, but return the best."""
    centers, factors = weigh(worth, query_centers, query_weights)
    keys, state = new_shortlist(k)
    complete = True
    for segment in range(first, last):
        here = room[: starts[segment + 1] - starts[segment]]
        complete = complete and _score(table, starts, scale, norms, centers, factors, allowed, segment, here)
        if complete:
            offer(here, starts[segment], k, keys, state)
    numbers, scores = ranked(k, keys, state)
    return complete, numbers, scores


@compiled
def _score(
    table: Numbers, starts: Numbers, scale: int, norms: Floats, centers: Centers, factors: Factors, allowed: Bytes,
    segment: int, scores: Floats,
) -> bool:  # fmt: skip
    """Score one segment; tell whether all the pages it took were checked before."""
    begin, end = starts[segment], starts[segment + 1]
    mask = allowed[begin:end]
    if len(mask) and not mask.any():
        scores[:] = 0
        return True
    row = table[segment]
    offsets, sound = carray(pointer(row[0]), (row[1],), np.uint32), carray(pointer(row[4]), (row[5],), np.uint8)
    if scale < 256:
        narrow = carray(pointer(row[2]), (row[3], 3), np.uint8)
        complete = accumulate_narrow(offsets, narrow, sound, centers, factors, scale, scores)
    else:
        wide = carray(pointer(row[2]), (row[3],), np.uint32)
        complete = accumulate_wide(offsets, wide, sound, centers, factors, scale, scores)
    if complete:
        normalise(scores, norms[begin:end], mask)
    return complete
