"""Scores of a segment's units, center after center: the kernel that a search spends its time in.

For each center of the query its whole list is added to the scores. Centers come in rising order, so a unit's score is the
same sum in the same order whatever segment it lies in and however many threads work. A segment's scores (256 KiB) stay in
the processor's second cache; its lists do not, so while one is added the beginnings of the next ones are fetched, and before
that the places where they begin.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.index.pages import PAGE, GuardedArray
from sparse_coverage.index.types import Bytes, Floats, Uint32s
from sparse_coverage.kernels import compiled, prefetch

_OFFSETS_AHEAD = 8
_LISTS_AHEAD = 3
_FETCHED = 256  # postings of a list: 16 lines of the cache

Centers = npt.NDArray[np.int64]


def accumulate(offsets: Uint32s, packed: GuardedArray, centers: Centers, factors: Floats, scores: Floats) -> None:
    """Set each unit's score to the sum of factor * fixed-point weight over the centers."""
    kernel = _accumulate_wide if packed.data.ndim == 1 else _accumulate_narrow
    scores[:] = 0
    row = kernel(offsets, packed.data, packed.sound, centers, factors, scores, 0)
    if row < len(centers):
        # A page that was never used before: check it, and all that this query still needs, then go on.
        packed.check_runs(offsets, centers[row:])
        kernel(offsets, packed.data, packed.sound, centers, factors, scores, row)


@compiled
def _unchecked(sound: Bytes, first: int, last: int, width: int) -> bool:
    """Tell whether any page of the entries from `first` up to `last` has not been checked yet."""
    unchecked = False
    for page in range(first * width // PAGE, (last * width - 1) // PAGE + 1):
        unchecked |= sound[page] == 0
    return unchecked


@compiled
def _fetch(offsets: Uint32s, packed: Uint32s, center: int) -> None:
    """Ask for the beginning of a list, without waiting for it."""
    begin, end = np.int64(offsets[center]), np.int64(offsets[center + 1])
    for place in range(begin, min(end, begin + _FETCHED), 16):
        prefetch(packed, place)


@compiled
def _accumulate_wide(
    offsets: Uint32s, packed: Uint32s, sound: Bytes, centers: Centers, factors: Floats, scores: Floats, row: int
) -> int:
    """Add the lists from `row` on; stop before one that is not known to be sound and return its row."""
    for center in centers[row : row + _OFFSETS_AHEAD]:
        prefetch(offsets, center)
    for center in centers[row : row + _LISTS_AHEAD]:
        _fetch(offsets, packed, center)
    while row < len(centers):
        if row + _OFFSETS_AHEAD < len(centers):
            prefetch(offsets, centers[row + _OFFSETS_AHEAD])
        if row + _LISTS_AHEAD < len(centers):
            _fetch(offsets, packed, centers[row + _LISTS_AHEAD])
        begin, end = np.int64(offsets[centers[row]]), np.int64(offsets[centers[row] + 1])
        if begin < end:
            if _unchecked(sound, begin, end, 4):
                break
            factor = factors[row]
            run = packed[begin:end]
            for place in range(len(run)):
                posting = run[place]
                weight = np.float32(np.int32(posting & np.uint32(0xFFFF)))
                scores[posting >> np.uint32(16)] += factor * weight
        row += 1
    return row


@compiled
def _accumulate_narrow(
    offsets: Uint32s, packed: Bytes, sound: Bytes, centers: Centers, factors: Floats, scores: Floats, row: int
) -> int:
    """The same for postings of three bytes."""
    while row < len(centers):
        begin, end = np.int64(offsets[centers[row]]), np.int64(offsets[centers[row] + 1])
        if begin < end:
            if _unchecked(sound, begin, end, 3):
                break
            factor = factors[row]
            run = packed[begin:end]
            for place in range(len(run)):
                unit = np.uint32(run[place, 0]) | np.uint32(np.uint32(run[place, 1]) << np.uint32(8))
                scores[unit] += factor * np.float32(run[place, 2])
        row += 1
    return row
