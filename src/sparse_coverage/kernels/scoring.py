"""Scores: of passages, center after center (what a search spends its time in), and of documents from their passages.

For each center of the query its whole list is added to the scores. Centers come in rising order, so a passage's score is the
same sum in the same order whatever segment it lies in and however many threads work. A segment's scores (256 KiB) stay in
the processor's second cache; its lists do not, so while one is added the next ones are fetched. Before that their first and last
lines are, since what takes longest is to find the pages of memory that they lie in; and before that the places where they begin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparse_coverage.kernels import Bytes, Doubles, Floats, Int32s, Int64s, Uint32s
from sparse_coverage.kernels.compiling import compiled, instruction, outside
from sparse_coverage.kernels.postings import PAGE
from sparse_coverage.kernels.shortlist import best_scores, new_shortlist, offer, ranked

carray = outside("numba", "carray")
pointer, prefetch = instruction("pointer"), instruction("prefetch")

_OFFSETS_AHEAD = 24
_ENDS_AHEAD = 16
_LISTS_AHEAD = 4
_FETCHED = 1024  # postings of a list: 64 lines of the cache


@compiled
def _unchecked(sound: Bytes, first: int, last: int, width: int) -> bool:
    """Tell whether any page of the entries from `first` up to `last` has not been checked yet."""
    unchecked = False
    for page in range(first * width // PAGE, (last * width - 1) // PAGE + 1):
        unchecked |= sound[page] == 0
    return unchecked


@compiled
def _fetch(offsets: Uint32s, packed: Uint32s, sound: Bytes, center: int) -> None:
    """Ask for a list, if it is not too long, and for what is known of its page, without waiting for them."""
    begin, end = np.int64(offsets[center]), np.int64(offsets[center + 1])
    prefetch(sound, begin * 4 // PAGE)
    for place in range(begin, min(end, begin + _FETCHED), 16):
        prefetch(packed, place)


@compiled
def _fetch_ends(offsets: Uint32s, packed: Uint32s, center: int) -> None:
    """Ask for the first and the last posting of a list."""
    prefetch(packed, np.int64(offsets[center]))
    prefetch(packed, np.int64(offsets[center + 1]) - 1)


@compiled
def accumulate(
    offsets: Uint32s, packed: Uint32s, sound: Bytes, centers: Int64s, factors: Doubles, scale: int, scores: Floats
) -> bool:
    """Set each passage's score to the sum of factor * weight over the centers; a weight is its fixed-point number / scale.

    Return False, with the scores unfinished, where a list lies in a page that is not known to be sound.
    """
    for center in centers[:_OFFSETS_AHEAD]:
        prefetch(offsets, center)
    scores[:] = 0
    for center in centers[:_ENDS_AHEAD]:
        _fetch_ends(offsets, packed, center)
    for center in centers[:_LISTS_AHEAD]:
        _fetch(offsets, packed, sound, center)
    for row in range(len(centers)):
        if row + _OFFSETS_AHEAD < len(centers):
            prefetch(offsets, centers[row + _OFFSETS_AHEAD])
        if row + _ENDS_AHEAD < len(centers):
            _fetch_ends(offsets, packed, centers[row + _ENDS_AHEAD])
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


@compiled
def weigh(worth: Doubles, centers: Int32s, weights: Floats) -> tuple[Int64s, Doubles]:
    """Return the centers of a query that are worth anything, and weight * worth of each, in the order they are given in.

    Sums are made in that order. Vectors have their centers in rising order, so scores do not depend on who made them.
    """
    if len(weights) != len(centers):
        raise IndexError("A query has not as many weights as centers.")
    kept, factors = np.empty(len(centers), dtype=np.int64), np.empty(len(centers), dtype=np.float64)
    count = 0
    for place in range(len(centers)):
        if not 0 <= centers[place] < len(worth):
            raise IndexError("A query names a center that the vocabulary does not have.")
        if worth[centers[place]] > 0:
            kept[count] = centers[place]
            factors[count] = np.float64(weights[place]) * worth[centers[place]]
            count += 1
    return kept[:count], factors[:count]


@compiled
def score_lists(
    table: Int64s, starts: Int64s, scale: int, worth: Doubles, norms: Floats, query_centers: Int32s,
    query_weights: Floats, allowed: Bytes, first: int, last: int, buffer: Floats, k: int,
) -> tuple[bool, Int64s, Floats]:  # fmt: skip
    """Score the segments from `first` up to `last`. Tell whether all their pages were checked before: else it is unfinished.

    With a k, `buffer` is for one segment at a time, and the k best are returned; without, it keeps the scores of all.
    """
    centers, factors = weigh(worth, query_centers, query_weights)
    keys, state = new_shortlist(k)
    complete = True
    for segment in range(first, last):
        begin, end = (0, starts[segment + 1] - starts[segment]) if k else (starts[segment], starts[segment + 1])
        here = buffer[begin:end]
        complete = complete and _score(table, starts, scale, norms, centers, factors, allowed, segment, here)
        if complete and k:
            offer(here, starts[segment], k, keys, state)
    numbers, scores = ranked(k, keys, state)
    return complete, numbers, scores


@compiled
def _score(
    table: Int64s, starts: Int64s, scale: int, norms: Floats, centers: Int64s, factors: Doubles, allowed: Bytes,
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
    packed = carray(pointer(row[2]), (row[3],), np.uint32)
    complete = accumulate(offsets, packed, sound, centers, factors, scale, scores)
    if complete:
        normalise(scores, norms[begin:end], mask)
    return complete


def best_documents(scores: Floats, starts: Int64s, taken: int, k: int, allowed: Bytes) -> tuple[Int64s, Floats]:
    """Return the k best documents: `starts` says which of the passages' scores are theirs; the mean of the
    `taken` best of them makes a document's score.

    `allowed`, where not empty, holds 1 or 0 for each passage: a document is made of those that may be found.
    """
    values = np.empty(len(starts) - 1, dtype=np.float32)
    _best_of_each(scores, starts, values)
    k = min(k, max(1, len(values)))
    numbers, best = best_scores(values, k)
    if taken > 1:
        _combine(scores, starts, taken, allowed, numbers, k, values)
        numbers, best = best_scores(values, k)
    return numbers, best


@compiled
def _best_of_each(scores: Floats, starts: Int64s, best: Floats) -> None:
    """Write the largest score of each document."""
    bits = scores.view(np.int32)
    for document in range(len(best)):
        largest = np.int32(0)
        for passage in range(starts[document], starts[document + 1]):
            largest = max(largest, bits[passage])
        best[document] = np.int32(largest).view(np.float32)


@compiled
def _combine(scores: Floats, starts: Int64s, count: int, allowed: Bytes, first: Int64s, k: int, values: Floats) -> None:
    """Replace each document's best score by what all its scores make, or by 0 where that is not among the k best.

    The documents `first`, which have the k best passages, come first: what the least of them makes, the k-th best makes at least.
    """
    floor = np.float32(np.inf) if len(first) == k else np.float32(0)
    for document in first:
        values[document] = -_mean_of_best(scores, starts, count, allowed, document)  # negative: done already
        floor = min(floor, -values[document])
    for document in range(len(values)):
        if values[document] < 0:
            values[document] = -values[document]
            continue
        if values[document] * 1.0001 < floor:
            values[document] = 0
        elif values[document] > 0:
            values[document] = _mean_of_best(scores, starts, count, allowed, document)


@compiled
def _mean_of_best(scores: Floats, starts: Int64s, count: int, allowed: Bytes, document: int) -> Any:
    """Return the mean of a document's `count` best scores, or of all, if fewer."""
    begin, end = starts[document], starts[document + 1]
    total = 0.0
    there = np.int64(np.sum(allowed[begin:end])) if len(allowed) else end - begin
    taken = min(there, np.int64(count))
    falling = np.zeros(taken, dtype=np.float32)
    for passage in range(begin, end):
        place = taken
        while place > 0 and falling[place - 1] < scores[passage]:
            place -= 1
        if place < taken:
            for later in range(taken - 1, place, -1):
                falling[later] = falling[later - 1]
            falling[place] = scores[passage]
    for place in range(taken):
        total += falling[place]
    return np.float32(total / taken)


@compiled
def add_word(postings: Uint32s, worth: float, norms: Doubles, scores: Floats) -> None:
    """Add a word's list to the scores by BM25: `passage << 16 | count` each; `worth` is its idf, `norms` the passages' lengths."""
    for place in range(len(postings)):
        passage = postings[place] >> np.uint32(16)
        count = np.float64(postings[place] & np.uint32(0xFFFF))
        scores[passage] += np.float32(worth * (count / (norms[passage] + count)))
