"""Joining neighbouring segments into one, without the documents that were deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.index.drafting import SegmentDraft
from sparse_coverage.index.facts import Mask
from sparse_coverage.index.postings import merge_postings
from sparse_coverage.index.segment import Segment, SegmentEntry

# What a merge holds of each posting: 6 bytes, and up to 7 more where those of 8-bit weights are widened and narrowed again.
MERGED_BYTES = 13


@dataclass(frozen=True, slots=True)
class Size:
    """How much is to be merged."""

    passages: int = 0
    postings: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.passages + other.passages, self.postings + other.postings)

    def holds(self, other: Size) -> bool:
        """Whether there is room for so much."""
        return other.passages <= self.passages and other.postings <= self.postings


def merge_segments(parts: Sequence[tuple[Segment, Mask]], folder: Path, centers: int) -> SegmentEntry:
    """Write the live documents of some segments, in corpus order, as one new segment. Every byte read is verified."""
    draft = SegmentDraft(folder)
    try:
        joined = []
        for segment, live in parts:
            segment.packed.check_all()
            segment.spans.check_all()
            passages = segment.spread(live)
            numbers = np.where(passages, draft.passages + np.cumsum(passages) - 1, -1)
            joined.append((segment.postings, numbers))
            _copy_documents(segment, live, draft)
        return draft.finish(merge_postings(joined, centers))
    except BaseException:
        draft.abandon()
        raise


def groups_to_merge(sizes: Sequence[Size], dead: Sequence[bool], room: Size) -> list[tuple[int, int]]:
    """Return the ranges of neighbours to rewrite: as many as there is room for, and any that holds something dead.

    >>> sizes = [Size(passages, 10 * passages) for passages in (100, 200, 65_000, 400, 7)]
    >>> groups_to_merge(sizes, [False, False, False, False, True], Size(65_536, 1_000_000))
    [(0, 3), (3, 5)]
    """
    ranges, first, total = [], 0, Size()
    for place, size in enumerate(sizes):
        if place > first and not room.holds(total + size):
            ranges.append((first, place))
            first, total = place, Size()
        total = total + size
    ranges.append((first, len(sizes)))
    return [(first, last) for first, last in ranges if last - first > 1 or any(dead[first:last])]


def _copy_documents(segment: Segment, live: Mask, draft: SegmentDraft) -> None:
    for number in np.flatnonzero(live).tolist():
        first, last = (int(place) for place in segment.document_starts[number : number + 2])
        spans = segment.span_counts[first:last].tolist()
        draft.add(
            segment.texts.document(number),
            segment.texts.passages_between(first, last),
            spans,
            int(segment.uncovered[number]),
        )
