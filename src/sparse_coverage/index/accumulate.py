"""Scores of a segment's passages, center after center: the kernel that a search spends its time in.

For each center of the query its whole list is added to the scores. Centers come in rising order, so a passage's score is the
same sum in the same order whatever segment it lies in and however many threads work. A segment's scores (256 KiB) stay in
the processor's second cache; its lists do not, so while one is added the beginnings of the next ones are fetched, and before
that the places where they begin.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.index.pages import PAGE
from sparse_coverage.index.records import Bytes, Floats, Uint32s
from sparse_coverage.kernels import compiled, prefetch

_OFFSETS_AHEAD = 8
_LISTS_AHEAD = 3
_FETCHED = 256  # postings of a list: 16 lines of the cache

Centers = npt.NDArray[np.int64]
Factors = npt.NDArray[np.float64]


@compiled
def _unchecked(sound: Bytes, first: int, last: int, width: int) -> bool:
    """Tell whether any page of the entries from `first` up to `last` has not been checked yet."""
    unchecked = False
    for page in range(first * width // PAGE, (last * width - 1) // PAGE + 1):
        unchecked |= sound[page] == 0
    return unchecked


@compiled
def _fetch(offsets: Uint32s, packed: Uint32s, sound: Bytes, center: int) -> None:
    """Ask for the beginning of a list and for what is known of its page, without waiting for them."""
    begin, end = np.int64(offsets[center]), np.int64(offsets[center + 1])
    prefetch(sound, begin * 4 // PAGE)
    for place in range(begin, min(end, begin + _FETCHED), 16):
        prefetch(packed, place)


@compiled
def accumulate_wide(
    offsets: Uint32s, packed: Uint32s, sound: Bytes, centers: Centers, factors: Factors, scale: int, scores: Floats
) -> bool:
    """Set each passage's score to the sum of factor * weight over the centers; a weight is its fixed-point number / scale.

    Return False, with the scores unfinished, where a list lies in a page that is not known to be sound.
    """
    scores[:] = 0
    for center in centers[:_OFFSETS_AHEAD]:
        prefetch(offsets, center)
    for center in centers[:_LISTS_AHEAD]:
        _fetch(offsets, packed, sound, center)
    for row in range(len(centers)):
        if row + _OFFSETS_AHEAD < len(centers):
            prefetch(offsets, centers[row + _OFFSETS_AHEAD])
        if row + _LISTS_AHEAD < len(centers):
            _fetch(offsets, packed, sound, centers[row + _LISTS_AHEAD])
        begin, end = np.int64(offsets[centers[row]]), np.int64(offsets[centers[row] + 1])
        if begin < end:
            if _unchecked(sound, begin, end, 4):
                return False
            factor = np.float32(factors[row] / scale)
            run = packed[begin:end]
            for place in range(len(run)):
                posting = run[place]
                weight = np.float32(np.int32(posting & np.uint32(0xFFFF)))
                scores[posting >> np.uint32(16)] += factor * weight
    return True


@compiled
def accumulate_narrow(
    offsets: Uint32s, packed: Bytes, sound: Bytes, centers: Centers, factors: Factors, scale: int, scores: Floats
) -> bool:
    """The same for postings of three bytes."""
    scores[:] = 0
    for row in range(len(centers)):
        begin, end = np.int64(offsets[centers[row]]), np.int64(offsets[centers[row] + 1])
        if begin < end:
            if _unchecked(sound, begin, end, 3):
                return False
            factor = np.float32(factors[row] / scale)
            run = packed[begin:end]
            for place in range(len(run)):
                passage = np.uint32(run[place, 0]) | np.uint32(np.uint32(run[place, 1]) << np.uint32(8))
                scores[passage] += factor * np.float32(run[place, 2])
    return True


@compiled
def normalise(scores: Floats, norms: Floats, allowed: Bytes) -> None:
    """Multiply each score by its passage's norm, 0 for a deleted passage.

    `allowed`, where not empty, holds 1 or 0 for each passage. Plain loops over everything: the compiler makes vector code of them.
    """
    if len(allowed):
        for passage in range(len(scores)):
            scores[passage] *= norms[passage] * np.float32(allowed[passage])
    else:
        for passage in range(len(scores)):
            scores[passage] *= norms[passage]
