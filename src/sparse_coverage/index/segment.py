"""A segment: postings by center and one row of facts a unit, immutable and memory-mapped.

| file | type | one entry for each |
| --- | --- | --- |
| `offsets.npy` | int64 | center, plus one: where its postings begin |
| `units.npy` | uint32 | posting: the unit, rising within a center |
| `weights.npy` | uint16 | posting: w(d,c) as a fraction of 65,535 |
| `spans.npy` | uint16 | posting: which span gave the weight; 65,535 means "look in `far_spans`" |
| `far_postings.npy`, `far_spans.npy` | int64, int32 | posting whose span ordinal does not fit 16 bits |
| `span_counts.npy` | uint32 | unit: the number of its spans |
| `documents.npy` | uint32 | unit: its document's number |
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.vectors.types import SparseVector

WEIGHT_SCALE = 65_535
FAR_SPAN = 65_535

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """The arrays of one segment; see the table above."""

    offsets: npt.NDArray[np.int64]
    units: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.uint16]
    spans: npt.NDArray[np.uint16]
    far_postings: npt.NDArray[np.int64]
    far_spans: npt.NDArray[np.int32]
    span_counts: npt.NDArray[np.uint32]
    documents: npt.NDArray[np.uint32]

    @property
    def frequencies(self) -> npt.NDArray[np.int64]:
        """The document frequency of each center."""
        return np.diff(self.offsets)

    def weight(self, posting: int) -> float:
        """Return w(d,c) of a posting."""
        return float(self.weights[posting]) / WEIGHT_SCALE

    def find(self, center: int, unit: int) -> int | None:
        """Return the posting of a unit in a center's list, or None."""
        first, last = int(self.offsets[center]), int(self.offsets[center + 1])
        place = first + int(np.searchsorted(self.units[first:last], unit))
        return place if place < last and self.units[place] == unit else None

    def span(self, posting: int) -> int:
        """Return the ordinal of the span that gave a posting its weight."""
        ordinal = int(self.spans[posting])
        if ordinal != FAR_SPAN:
            return ordinal
        return int(self.far_spans[np.searchsorted(self.far_postings, posting)])


NAMES = tuple(Segment.__slots__)


class SegmentBuilder:
    """Collects sparse vectors and turns them into a segment."""

    def __init__(self, centers: int) -> None:
        self._centers = centers
        self._vectors: list[SparseVector] = []
        self._documents: list[int] = []

    def add(self, vector: SparseVector, document: int) -> None:
        """Append a unit; units are numbered in the order they come."""
        self._vectors.append(vector)
        self._documents.append(document)

    def __len__(self) -> int:
        return len(self._vectors)

    def build(self) -> Segment:
        """Invert the vectors: postings by center, units rising within each."""
        sizes = [len(vector) for vector in self._vectors]
        units = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
        centers = _joined([vector.centers for vector in self._vectors], np.int32)
        weights = _joined([vector.weights for vector in self._vectors], np.float32)
        spans = _joined([vector.spans for vector in self._vectors], np.int32)
        order = np.argsort(centers, kind="stable")
        spans = spans[order]
        far = np.flatnonzero(spans >= FAR_SPAN)
        counts = np.bincount(centers, minlength=self._centers)
        fixed = np.clip(np.rint(weights[order].astype(np.float64) * WEIGHT_SCALE), 1, WEIGHT_SCALE)
        return Segment(
            offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            units=units[order],
            weights=fixed.astype(np.uint16),
            spans=np.minimum(spans, FAR_SPAN).astype(np.uint16),
            far_postings=far.astype(np.int64),
            far_spans=spans[far].astype(np.int32),
            span_counts=np.asarray([vector.span_count for vector in self._vectors], dtype=np.uint32),
            documents=np.asarray(self._documents, dtype=np.uint32),
        )


def save_segment(segment: Segment, folder: Path) -> None:
    """Write a segment's arrays."""
    for name in NAMES:
        np.save(folder / f"{name}.npy", getattr(segment, name), allow_pickle=False)


def open_segment(folder: Path) -> Segment:
    """Map a segment's arrays into memory."""
    arrays = {}
    for name in NAMES:
        path = folder / f"{name}.npy"
        try:
            arrays[name] = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise IndexStoreError(f"{path}: cannot be read ({error}). The index is damaged; build it again.") from None
    return Segment(**arrays)


def _joined(parts: list[Array], dtype: Any) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=dtype)
