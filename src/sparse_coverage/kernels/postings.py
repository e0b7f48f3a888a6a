"""Kernels on inverted lists: made, merged and counted; checked page by page; written as varints.

A posting is one number of 32 bits, `passage << 16 | weight`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparse_coverage.kernels import Array, Bytes, Int64s, Mask, Uint16s, Uint32s
from sparse_coverage.kernels.compiling import compiled

PAGE = 4096
"""Bytes of a page, which has its own checksum."""
FAR_SPAN = 65_535
"""Stands for the ordinals of spans that do not fit 16 bits."""


@compiled
def count_centers(centers: Uint32s, counts: Int64s) -> None:
    """Count the postings of each center; NumPy's own way would copy them all as 64-bit numbers."""
    for center in centers:
        counts[center] += 1


@compiled
def invert(
    sizes: Int64s, centers: Uint32s, weights: Uint16s, spans: Uint32s, ends: Uint32s, packed: Uint32s, near: Uint16s
) -> None:
    """Write each posting behind the last one of its center; `ends` holds where that is."""
    posting = 0
    for passage in range(len(sizes)):
        for _ in range(sizes[passage]):
            center = centers[posting]
            place = ends[center]
            ends[center] = place + 1
            packed[place] = np.uint32(np.uint32(passage) << np.uint32(16)) | np.uint32(weights[posting])
            near[place] = min(spans[posting], np.uint32(FAR_SPAN))
            posting += 1


@compiled
def append_lists(
    offsets: Uint32s, packed: Uint32s, spans: Uint16s, numbers: Int64s, ends: Uint32s, out: Uint32s, out_spans: Uint16s
) -> None:
    """Write the postings of one part behind the last ones of their centers, under the passages' new numbers."""
    for center in range(len(offsets) - 1):
        for posting in range(offsets[center], offsets[center + 1]):
            number = numbers[packed[posting] >> np.uint32(16)]
            if number >= 0:
                place = ends[center]
                out[place] = np.uint32(np.uint32(number) << np.uint32(16)) | (packed[posting] & np.uint32(0xFFFF))
                out_spans[place] = spans[posting]
                ends[center] = place + np.uint32(1)


@compiled
def count_live(offsets: Uint32s, packed: Uint32s, live: Mask, counts: Int64s) -> None:
    """Count the postings of each center whose passages are live."""
    for center in range(len(offsets) - 1):
        for posting in range(offsets[center], offsets[center + 1]):
            counts[center] += live[packed[posting] >> np.uint32(16)]


@compiled
def postings_of(packed: Uint32s, passage: np.uint32, found: Int64s) -> int:
    """Write the places of a passage's postings to `found`; return how many there are."""
    count = 0
    for place in range(len(packed)):
        if packed[place] >> np.uint32(16) == passage:
            found[count] = place
            count += 1
    return count


@compiled
def spread(starts: Uint32s, documents: Mask, passages: Mask) -> None:
    """Turn a mask over documents into one over their passages."""
    for document in range(len(documents)):
        passages[starts[document] : starts[document + 1]] = documents[document]


@compiled
def _page_sum(content: Bytes, first: int, last: int) -> Any:
    total = np.uint32(0)
    for place in range(last - first):
        odd = np.uint32(np.uint32(2 * place + 1) * np.uint32(0x9E3779B1))
        total = np.uint32(total + np.uint32(np.uint32(content[first + place]) * odd))
    return total


@compiled
def sum_pages(content: Bytes, sums: Uint32s) -> None:
    """Write the sum of each page of some bytes.

    It is the sum of byte * (2 * position + 1) * 0x9E3779B1 modulo 2^32: every multiplier is odd, so one changed byte always shows.
    """
    for page in range(len(sums)):
        sums[page] = _page_sum(content, page * PAGE, min(len(content), (page + 1) * PAGE))


@compiled
def check_pages(content: Bytes, sums: Uint32s, sound: Bytes, first: int, last: int) -> int:
    """Check the pages from `first` up to `last`, those not yet known to be sound; return a damaged one, or -1."""
    for page in range(first, last):
        if not sound[page]:
            if _page_sum(content, page * PAGE, min(len(content), (page + 1) * PAGE)) != sums[page]:
                return page
            sound[page] = 1
    return -1


@compiled
def check_runs(content: Bytes, sums: Uint32s, sound: Bytes, offsets: Uint32s, rows: Array, width: int) -> int:
    """Check the pages of the entries offsets[row] to offsets[row + 1] for each of the rows; return a damaged one, or -1."""
    for row in rows:
        first, last = np.int64(offsets[row]) * width, np.int64(offsets[row + 1]) * width
        if last > first:
            damaged = check_pages(content, sums, sound, first // PAGE, (last - 1) // PAGE + 1)
            if damaged >= 0:
                return damaged
    return -1
