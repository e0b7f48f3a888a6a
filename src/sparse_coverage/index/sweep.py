"""One query over the lists of many segments, in one compiled call: all scores, or the best of them.

While the best are sought, only one segment's scores are held at a time, and they stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import carray

from sparse_coverage.index.accumulate import Centers, Factors, accumulate_narrow, accumulate_wide, normalise
from sparse_coverage.index.pages import GuardedArray
from sparse_coverage.index.shortlist import Keys, Numbers, Shortlist, offer
from sparse_coverage.index.types import Bytes, Floats, Uint32s
from sparse_coverage.kernels import compiled, pointer

EVERYTHING: Bytes = np.zeros(0, dtype=np.uint8)
_Arguments = tuple[Numbers, Numbers, bool, Floats, Bytes, Centers, Factors]


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """Centers, rising, and what each multiplies the fixed-point weights of its list by."""

    centers: Centers
    factors: Factors


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The inverted lists of one segment with so many units."""

    offsets: Uint32s
    packed: GuardedArray
    units: int


class Sweep:
    """The lists of several segments, whose units are numbered through, and what each unit's sum is multiplied by."""

    def __init__(self, lists: Sequence[Lists], norms: Floats) -> None:
        self._lists = tuple(lists)  # the table below points into their memory
        self._norms = norms
        self._starts = np.cumsum([0, *(part.units for part in lists)], dtype=np.int64)
        arrays = [(part.offsets, part.packed.data, part.packed.sound) for part in lists]
        table = [[number for array in row for number in (array.ctypes.data, len(array))] for row in arrays]
        self._table = np.asarray(table, dtype=np.int64).reshape(len(table), 6)
        self._narrow = any(part.packed.data.ndim == 2 for part in lists)
        self.longest = max((part.units for part in lists), default=0)

    def score(self, query: Query, allowed: Bytes, segments: range, scores: Floats) -> None:
        """Write the scores of the units of some segments to their places. `allowed`: 1 or 0 for each unit, or empty."""
        segment = segments.start
        while (
            segment := _score_segments(*self._arguments(query, allowed), segment, segments.stop, scores)
        ) < segments.stop:
            self._check(segment, query)

    def choose(self, query: Query, allowed: Bytes, segments: range, room: Floats, shortlist: Shortlist) -> None:
        """Put the best units of some segments on a shortlist. `room` is for the scores of the longest segment."""
        best, segment = (shortlist.k, shortlist.keys, shortlist.state), segments.start
        while (
            segment := _choose(*self._arguments(query, allowed), segment, segments.stop, room, *best)
        ) < segments.stop:
            self._check(segment, query)

    def _arguments(self, query: Query, allowed: Bytes) -> _Arguments:
        return self._table, self._starts, self._narrow, self._norms, allowed, query.centers, query.factors

    def _check(self, segment: int, query: Query) -> None:
        """Check the pages that the query needs of a segment some of whose pages were never used before."""
        self._lists[segment].packed.check_runs(self._lists[segment].offsets, query.centers)


@compiled
def _score_segments(
    table: Numbers, starts: Numbers, narrow: bool, norms: Floats, allowed: Bytes, centers: Centers, factors: Factors,
    segment: int, last: int, scores: Floats,
) -> int:  # fmt: skip
    """Score the segments up to `last`; stop at one with an unchecked page and return it."""
    while segment < last:
        here = scores[starts[segment] : starts[segment + 1]]
        if not _score(table, starts, narrow, norms, allowed, centers, factors, segment, here):
            break
        segment += 1
    return segment


@compiled
def _choose(
    table: Numbers, starts: Numbers, narrow: bool, norms: Floats, allowed: Bytes, centers: Centers, factors: Factors,
    segment: int, last: int, room: Floats, k: int, keys: Keys, state: Numbers,
) -> int:  # fmt: skip
    """The same, but all that is kept are the best."""
    while segment < last:
        here = room[: starts[segment + 1] - starts[segment]]
        if not _score(table, starts, narrow, norms, allowed, centers, factors, segment, here):
            break
        offer(here, starts[segment], k, keys, state)
        segment += 1
    return segment


@compiled
def _score(
    table: Numbers, starts: Numbers, narrow: bool, norms: Floats, allowed: Bytes, centers: Centers, factors: Factors,
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
    if narrow:
        bytes_ = carray(pointer(row[2]), (row[3], 3), np.uint8)
        complete = accumulate_narrow(offsets, bytes_, sound, centers, factors, scores)
    else:
        packed = carray(pointer(row[2]), (row[3],), np.uint32)
        complete = accumulate_wide(offsets, packed, sound, centers, factors, scores)
    if complete:
        normalise(scores, norms[begin:end], mask)
    return complete
