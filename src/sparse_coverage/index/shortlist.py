"""The k best of many scores, which come part by part and are not sorted.

A part's scores are laid out in rows of 64, and 32 rows make a tile. The largest of each column of a tile is noted: these
maxima come out of the processor's vector units without any shuffling. Only columns whose maximum exceeds what it takes to be
among the k best so far are looked into. What exceeds it waits in a list; when that is full, the k best of it are kept, and it
takes more to come in.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.index.types import Floats
from sparse_coverage.kernels import compiled

COLUMNS, ROWS = 64, 32
_TILE = COLUMNS * ROWS
_LAST = 0xFFFF_FFFF  # the largest number that a score can have

Bits = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]


@compiled
def best_scores(scores: Floats, k: int) -> tuple[Numbers, Floats]:
    """Return the numbers and values of the k best positive scores, best first; of equal ones the lower number is better."""
    keys, state = new_shortlist(k)
    offer(scores, 0, k, keys, state)
    return ranked(k, keys, state)


@compiled
def new_shortlist(k: int) -> tuple[Keys, Numbers]:
    """Return room for the keys of the k best scores and of more that wait, and how far it is used.

    A key is the bits of a score, which is never negative and so orders like its bits, before 2^32 - 1 minus its number. The
    larger key is the better one. The two numbers beside are how many keys there are, and the bits that a score must exceed.
    """
    return np.empty(2 * k + _TILE, dtype=np.uint64), np.zeros(2, dtype=np.int64)


@compiled
def offer(scores: Floats, first: int, k: int, keys: Keys, state: Numbers) -> None:
    """Put the best of some scores on a shortlist. Their numbers are `first` and the following: higher than any before."""
    bits = scores.view(np.int32)
    maxima = np.empty(COLUMNS * ((len(scores) + _TILE - 1) // _TILE), dtype=np.int32)
    note_maxima(bits, maxima)
    count, floor = state[0], np.int32(state[1])
    if count < k <= len(maxima):
        # At least k scores reach the k-th largest maximum.
        floor = max(floor, np.int32(np.partition(maxima, len(maxima) - k)[len(maxima) - k] - 1))
    for top in range(0, len(scores), _TILE):
        if count + _TILE > len(keys):
            best = np.partition(keys[:count], count - k)[count - k :]
            keys[:k] = best
            count, floor = k, np.int32(best[0] >> np.uint64(32))
        tile, heads = bits[top : top + _TILE], maxima[top // ROWS : top // ROWS + COLUMNS]
        number = np.uint64(_LAST - first - top)
        for column in range(COLUMNS):
            if heads[column] > floor:
                for place in range(column, len(tile), COLUMNS):
                    if tile[place] > floor:
                        keys[count] = np.uint64(tile[place]) << np.uint64(32) | (number - np.uint64(place))
                        count += 1
    state[0], state[1] = count, floor


@compiled
def note_maxima(bits: Bits, maxima: Bits) -> None:
    """Write the largest score of each column; 0 for one without scores."""
    maxima[:] = 0
    whole = len(bits) // COLUMNS
    for row in range(whole):
        here = bits[row * COLUMNS : (row + 1) * COLUMNS]
        column = maxima[row // ROWS * COLUMNS : (row // ROWS + 1) * COLUMNS]
        for place in range(COLUMNS):
            column[place] = max(column[place], here[place])
    for place in range(len(bits) - whole * COLUMNS):
        column = maxima[whole // ROWS * COLUMNS :]
        column[place] = max(column[place], bits[whole * COLUMNS + place])


@compiled
def ranked(k: int, keys: Keys, state: Numbers) -> tuple[Numbers, Floats]:
    """Return the numbers and scores of the k best on a shortlist, best first."""
    rising = np.sort(keys[: state[0]])
    count = min(k, len(rising))
    numbers, bits = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int32)
    for place in range(count):
        key = rising[len(rising) - 1 - place]
        numbers[place] = _LAST - np.int64(key & np.uint64(_LAST))
        bits[place] = np.int32(key >> np.uint64(32))
    return numbers, bits.view(np.float32)
