"""The segments of a state to come: which of their documents stay, and joining neighbours into one without the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from sparse_coverage.files import sync_file, sync_folder
from sparse_coverage.index.drafting import SegmentDraft
from sparse_coverage.index.postings import live_frequencies, merge_postings
from sparse_coverage.index.segment import Segment, SegmentEntry, open_segment
from sparse_coverage.kernels import Mask

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
        """Whether so much is not more than this."""
        return other.passages <= self.passages and other.postings <= self.postings


@dataclass(slots=True, eq=False)
class Part:
    """A segment of the state to come, and which of its documents are live in it."""

    segment: Segment
    live: Mask

    @classmethod
    def open(cls, folder: Path, entry: SegmentEntry) -> Part:
        """Open a segment as it was committed."""
        segment = open_segment(folder, entry)
        return cls(segment, segment.live_documents.copy())

    @property
    def passages(self) -> int:
        """How many passages are live."""
        return int(np.diff(self.segment.document_starts)[self.live].sum())

    @property
    def size(self) -> Size:
        """What a merge has to hold of it: as if nothing were deleted, which is at least what there is."""
        return Size(self.passages, len(self.segment.postings))

    @property
    def changed(self) -> bool:
        """Whether documents were deleted since the last commit."""
        return not np.array_equal(self.live, self.segment.live_documents)

    def entry(self, generation: int) -> SegmentEntry:
        """Return how the manifest of a generation names this part, after writing its tombstones if they changed."""
        segment = self.segment
        if not self.changed:
            return segment.entry
        segment.packed.check_all()
        live = segment.spread(self.live)
        deleted = np.flatnonzero(~self.live).astype(np.uint32)
        content = save({"documents": deleted, "frequencies": live_frequencies(segment.postings, live)})
        path = segment.folder / f"deleted-{generation:06d}.safetensors"
        path.write_bytes(content)
        sync_file(path)
        sync_folder(segment.folder)
        return replace(
            segment.entry,
            tombstones=path.name,
            tombstones_sha256=sha256(content).hexdigest(),
            deleted_documents=len(deleted),
            deleted_passages=int((~live).sum()),
        )


def merge_parts(parts: Sequence[Part], folder: Path, centers: int) -> SegmentEntry:
    """Write the live documents of some segments, in corpus order, as one new segment. Every byte read is verified."""
    draft = SegmentDraft(folder)
    try:
        joined = []
        for part in parts:
            part.segment.packed.check_all()
            part.segment.spans.check_all()
            passages = part.segment.spread(part.live)
            numbers = np.where(passages, draft.passages + np.cumsum(passages) - 1, -1)
            joined.append((part.segment.postings, numbers))
            _copy_documents(part.segment, part.live, draft)
        return draft.finish(merge_postings(joined, centers))
    except BaseException:
        draft.abandon()
        raise


def groups_to_merge(sizes: Sequence[Size], dead: Sequence[bool], largest: Size) -> list[tuple[int, int]]:
    """Return the ranges of neighbours to rewrite: as many as `largest` holds, and any that holds something dead.

    >>> sizes = [Size(passages, 10 * passages) for passages in (100, 200, 65_000, 400, 7)]
    >>> groups_to_merge(sizes, [False, False, False, False, True], Size(65_536, 1_000_000))
    [(0, 3), (3, 5)]
    """
    ranges, first, total = [], 0, Size()
    for place, size in enumerate(sizes):
        if place > first and not largest.holds(total + size):
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
