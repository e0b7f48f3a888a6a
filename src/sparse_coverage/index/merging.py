"""Joining neighbouring segments into one, without the documents that were deleted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sparse_coverage.index.drafting import SegmentDraft
from sparse_coverage.index.facts import Mask
from sparse_coverage.index.postings import MAX_UNITS, merge_postings
from sparse_coverage.index.segment import Segment, SegmentEntry


def merge_segments(parts: Sequence[tuple[Segment, Mask]], folder: Path, centers: int) -> SegmentEntry:
    """Write the live documents of some segments, in corpus order, as one new segment. Every byte read is verified."""
    draft = SegmentDraft(folder)
    try:
        joined = []
        for segment, live in parts:
            segment.packed.check_all()
            segment.spans.check_all()
            units = segment.spread(live)
            numbers = np.where(units, draft.units + np.cumsum(units) - 1, -1)
            joined.append((segment.postings, numbers))
            _copy_documents(segment, live, draft)
        return draft.finish(merge_postings(joined, centers))
    except BaseException:
        draft.abandon()
        raise


def groups_to_merge(sizes: Sequence[int], dead: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ranges of neighbours to rewrite: as many as fit into one segment, and any that holds something dead.

    >>> groups_to_merge([100, 200, 65_000, 400, 7], [0, 0, 0, 0, 3])
    [(0, 3), (3, 5)]
    """
    ranges, first, total = [], 0, 0
    for place, size in enumerate(sizes):
        if place > first and total + size > MAX_UNITS:
            ranges.append((first, place))
            first, total = place, 0
        total += size
    ranges.append((first, len(sizes)))
    return [(first, last) for first, last in ranges if last - first > 1 or any(dead[first:last])]


def _copy_documents(segment: Segment, live: Mask, draft: SegmentDraft) -> None:
    for number in np.flatnonzero(live).tolist():
        first, last = (int(place) for place in segment.document_starts[number : number + 2])
        spans = segment.span_counts[first:last].tolist()
        draft.add(
            segment.texts.document(number),
            segment.texts.units_between(first, last),
            spans,
            int(segment.uncovered[number]),
        )
