"""The k best of many scores, which come part by part and are not sorted.

A part's scores are laid out in rows of 64, and 32 rows make a tile. The largest of each column of a tile is noted: these
maxima come out of the processor's vector units without any shuffling. Only columns whose maximum exceeds what it takes to be
among the k best so far are looked into. What exceeds it waits in a list; when that is full, the k best of it are kept, and it
takes more to come in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparse_coverage.kernels import Floats, Int32s, Int64s, Uint64s
from sparse_coverage.kernels.compiling import compiled

COLUMNS, ROWS = 64, 32
_TILE = COLUMNS * ROWS
LAST_NUMBER = 0xFFFF_FFFF
"""The largest number that a score can have."""


@compiled
def best_scores(scores: Floats, k: int) -> tuple[Int64s, Floats]:
    """Return the numbers and values of the k best positive scores, best first; of equal ones the lower number is better."""
    keys, state = new_shortlist(k)
    offer(scores, 0, k, keys, state)
    return ranked(k, keys, state)


@compiled
def new_shortlist(k: int) -> tuple[Uint64s, Int64s]:
    """Return space for the keys of the k best scores and of more that wait, and how far it is used.

    A key is the bits of a score, which is never negative and so orders like its bits, before 2^32 - 1 minus its number. The
    larger key is the better one. The two numbers beside are how many keys there are, and the bits that a score must exceed.
    """
    state = np.empty(2, dtype=np.int64)
    state[:] = 0
    return np.empty(2 * k + _TILE, dtype=np.uint64), state


@compiled
def offer(scores: Floats, first: int, k: int, keys: Uint64s, state: Int64s) -> None:
    """Put the best of some scores on a shortlist. Their numbers are `first` and the following: higher than any before."""
    bits = scores.view(np.int32)
    maxima = np.empty(COLUMNS * ((len(scores) + _TILE - 1) // _TILE), dtype=np.int32)
    note_maxima(bits, maxima)
    count, floor = state[0], np.int32(state[1])
    if count < k <= len(maxima):
        # At least k scores reach the k-th largest maximum: what is as large comes in, hence one less.
        least = _kth_largest(maxima.astype(np.uint64) << np.uint64(32), k)
        floor = max(floor, np.int32(least >> np.uint64(32)) - np.int32(1))
    for top in range(0, len(scores), _TILE):
        if count + _TILE > len(keys):
            count, floor = k, np.int32(_keep_largest(keys[:count], k) >> np.uint64(32))
        tile, heads = bits[top : top + _TILE], maxima[top // ROWS : top // ROWS + COLUMNS]
        number = np.uint64(LAST_NUMBER - first - top)
        for column in range(COLUMNS):
            if heads[column] > floor:
                for place in range(column, len(tile), COLUMNS):
                    if tile[place] > floor:
                        keys[count] = np.uint64(tile[place]) << np.uint64(32) | (number - np.uint64(place))
                        count += 1
    state[0], state[1] = count, floor


@compiled
def note_maxima(bits: Int32s, maxima: Int32s) -> None:
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
def ranked(k: int, keys: Uint64s, state: Int64s) -> tuple[Int64s, Floats]:
    """Return the numbers and scores of the k best on a shortlist, best first."""
    count = min(k, state[0])
    if state[0] > k:
        _keep_largest(keys[: state[0]], k)
    falling = _sorted_falling(keys[:count])
    numbers, bits = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int32)
    for place in range(count):
        numbers[place] = LAST_NUMBER - np.int64(falling[place] & np.uint64(LAST_NUMBER))
        bits[place] = np.int32(falling[place] >> np.uint64(32))
    return numbers, bits.view(np.float32)


@compiled
def _keep_largest(keys: Uint64s, k: int) -> Any:
    """Move the k largest keys to the front, in order. Return a threshold that only these keys reach. All keys are different."""
    least, count = _kth_largest(keys, k), 0
    for key in keys:
        keys[count] = key
        count += key >= least
    return least


@compiled
def _kth_largest(keys: Uint64s, k: int) -> Any:
    """Return the k-th largest key, or a smaller number that no more keys reach.

    It is found 11 bits at a time, the highest first, by counting: without a branch that depends on the keys. The last step
    counts two bits once more, which are known by then and the same in all keys that it counts.
    """
    least, known = np.uint64(0), np.uint64(0)
    counts = np.empty(2048, dtype=np.int64)
    for shift in (53, 42, 31, 20, 9, 0):
        counts[:] = 0
        for key in keys:
            counts[(key >> np.uint64(shift)) & np.uint64(2047)] += (key & known) == least
        digit = 2047
        while counts[digit] < k:
            k -= counts[digit]
            digit -= 1
        least |= np.uint64(digit) << np.uint64(shift)
        known |= np.uint64(2047) << np.uint64(shift)
        if counts[digit] == k:
            break
    return least


@compiled
def _sorted_falling(keys: Uint64s) -> Uint64s:
    """Sort, largest first: by the lowest byte, then by the next, and so on, equal ones staying in order."""
    here: Uint64s = keys.copy()
    there, ends = np.empty_like(keys), np.empty(256, dtype=np.int64)
    for shift in range(0, 64, 8):
        ends[:] = 0
        for key in here:
            ends[(key >> np.uint64(shift)) & np.uint64(255)] += 1
        place = 0
        for byte in range(255, -1, -1):
            place, ends[byte] = place + ends[byte], place
        for key in here:
            byte = np.int64((key >> np.uint64(shift)) & np.uint64(255))
            there[ends[byte]] = key
            ends[byte] += 1
        here, there = there, here
    return here
