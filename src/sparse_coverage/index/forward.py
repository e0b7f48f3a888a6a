"""The sparse vector of an indexed passage, read back from the inverted lists: one quick pass over its segment."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.index.postings import weight_scale, widened
from sparse_coverage.index.segment import Segment
from sparse_coverage.kernels.postings import postings_of


def passage_vector(segment: Segment, passage: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return the centers of a passage (numbered within its segment), rising, and their weights."""
    segment.packed.check_all()
    packed = widened(segment.postings.packed)
    found = np.empty(len(segment.postings.offsets), dtype=np.int64)
    places = found[: postings_of(packed, np.uint32(passage), found)]
    centers = np.searchsorted(segment.postings.offsets, places, side="right") - 1
    fixed = packed[places] & np.uint32(0xFFFF)
    return centers.astype(np.int32), fixed / weight_scale(segment.postings.weight_bits)


def load_passage_vector(segment: Segment) -> None:
    """Load or compile the pass over a segment, without making it."""
    postings_of(widened(segment.postings.packed[:0]), np.uint32(0), np.empty(0, dtype=np.int64))
